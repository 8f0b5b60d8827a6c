/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstholobinnode.h"

#include "gstholokind.h"
#include "gstholoparamspec.h"

typedef struct
{
  GWeakRef host;
  HoloTaskFactory *factory; /* the settings in the graph */
} GstHoloBinNodePrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (GstHoloBinNode, gst_holo_bin_node, GST_TYPE_OBJECT)

static GstHoloBinNodePrivate *
get_private (gpointer node)
{
  return gst_holo_bin_node_get_instance_private (node);
}

/* The element may be in any state and any thread may come: it remembers the value or takes it into use. */
static void
gst_holo_bin_node_set_property (GObject *object, guint property_id, const GValue *value, GParamSpec *pspec)
{
  GstHoloHost *host = g_weak_ref_get (&get_private (object)->host);

  if (host == NULL)
    return;
  gst_holo_host_set_setting (host, GST_OBJECT_NAME (object), pspec->name, value);
  g_object_unref (host);
}

static void
gst_holo_bin_node_get_property (GObject *object, guint property_id, GValue *value, GParamSpec *pspec)
{
  GstHoloBinNodePrivate *priv = get_private (object);
  GParamSpec *setting = gst_holo_kind_get_setting (GST_HOLO_BIN_NODE_GET_CLASS (object)->kind, property_id);
  GstHoloHost *host = g_weak_ref_get (&priv->host);
  g_auto (GValue) own = G_VALUE_INIT;

  if (host == NULL || !gst_holo_host_get_setting (host, GST_OBJECT_NAME (object), pspec->name, value))
    {
      g_value_init (&own, setting->value_type);
      g_object_get_property (G_OBJECT (priv->factory), setting->name, &own);
      gst_holo_setting_to_property (setting, &own, value);
    }
  g_clear_object (&host);
}

static void
gst_holo_bin_node_finalize (GObject *object)
{
  GstHoloBinNodePrivate *priv = get_private (object);

  g_weak_ref_clear (&priv->host);
  g_clear_object (&priv->factory);
  G_OBJECT_CLASS (gst_holo_bin_node_parent_class)->finalize (object);
}

static void
gst_holo_bin_node_class_init (GstHoloBinNodeClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = gst_holo_bin_node_finalize;
}

static void
gst_holo_bin_node_init (GstHoloBinNode *node)
{
  g_weak_ref_init (&get_private (node)->host, NULL);
}

/* ---- one type per kind ---- */

static void
kind_class_init (gpointer klass, gpointer class_data)
{
  /* GObject does not hand these two down, and properties cannot be installed without them. */
  G_OBJECT_CLASS (klass)->set_property = gst_holo_bin_node_set_property;
  G_OBJECT_CLASS (klass)->get_property = gst_holo_bin_node_get_property;
  GST_HOLO_BIN_NODE_CLASS (klass)->kind = class_data;
  gst_holo_kind_install_properties (class_data, G_OBJECT_CLASS (klass));
}

/* Two registries may know different factories under one name: the factory's type makes the name. */
static GType
get_type_of_kind (HoloRegistry *registry, const gchar *kind)
{
  static GMutex lock;
  GType factory_type = holo_registry_get_factory_type (registry, kind, NULL), type;
  g_autofree gchar *name = NULL;
  GTypeInfo info = { .class_size = sizeof (GstHoloBinNodeClass), .class_init = kind_class_init };
  GTypeQuery query;

  if (factory_type == G_TYPE_INVALID)
    return G_TYPE_INVALID;
  name = g_strdup_printf ("GstHoloBinNode-%s", g_type_name (factory_type));
  g_mutex_lock (&lock);
  type = g_type_from_name (name);
  if (type == G_TYPE_INVALID)
    {
      g_type_query (GST_TYPE_HOLO_BIN_NODE, &query);
      info.instance_size = (guint16) query.instance_size;
      info.class_data = gst_holo_kind_new (registry, kind);
      type = g_type_register_static (GST_TYPE_HOLO_BIN_NODE, name, &info, 0);
    }
  g_mutex_unlock (&lock);
  return type;
}

GstHoloBinNode *
gst_holo_bin_node_new (GstHoloHost *host, const HoloGraphNode *node)
{
  HoloRegistry *registry = gst_holo_host_get_registry (host);
  GType type = get_type_of_kind (registry, node->kind);
  GstHoloBinNodePrivate *priv;
  GstHoloBinNode *self;

  if (type == G_TYPE_INVALID)
    return NULL;
  self = g_object_new (type, "name", node->name, NULL);
  gst_object_ref_sink (self);
  priv = get_private (self);
  g_weak_ref_set (&priv->host, host);
  priv->factory = holo_registry_create_factory (registry, node->kind, NULL);
  /* A value that is wrong is said at READY, with its path. */
  if (node->settings != NULL && JSON_NODE_HOLDS_OBJECT (node->settings))
    holo_settings_apply_json (priv->factory, json_node_get_object (node->settings), "", NULL);
  return self;
}
