/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstholohostelement.h"

#include <stdio.h>
#include <string.h>

#include "gstholohost-private.h"
#include "gstholoparamspec.h"

/* Name of the node of the kind; Inputs and Outputs are called as the pads. */
#define NODE "task"

enum
{
  PROP_0,
  PROP_MAX_SIZE_BUFFERS,
  PROP_CURRENT_LEVEL_BUFFERS,
};

typedef struct
{
  guint next_pad; /* number of the next repeated input; guarded by the object lock */
} GstHoloHostElementPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (GstHoloHostElement, gst_holo_host_element, GST_TYPE_HOLO_HOST)

static const GstHoloKind *
get_kind (gpointer element)
{
  return GST_HOLO_HOST_ELEMENT_GET_CLASS (element)->kind;
}

/* ---- pads ---- */

static gboolean
is_repeated (const HoloSlot *slot)
{
  return (slot->flags & HOLO_SLOT_REPEATED) != 0;
}

/* One pad of a side is "sink" or "src"; several are called by their slots. */
static gchar *
get_pad_name (const HoloSlot *slot, guint n_slots, GstPadDirection direction)
{
  const gchar *side = direction == GST_PAD_SINK ? "sink" : "src";

  if (is_repeated (slot))
    return g_strconcat (side, "_%u", NULL);
  return n_slots == 1 ? g_strdup (side) : g_strconcat (side, "_", slot->name, NULL);
}

static void
add_templates (GstElementClass *klass, const HoloSlot *slots, guint n_slots, GstPadDirection direction)
{
  for (guint i = 0; i < n_slots; i++)
    {
      g_autofree gchar *name = get_pad_name (&slots[i], n_slots, direction);
      gboolean always = (slots[i].flags & (HOLO_SLOT_REPEATED | HOLO_SLOT_OPTIONAL)) == 0;

      gst_element_class_add_pad_template (klass,
                                          gst_holo_slot_new_pad_template (&slots[i], HOLO_MEM_LOCS_ANY, name, direction,
                                                                          always ? GST_PAD_ALWAYS : GST_PAD_REQUEST));
    }
}

static void
add_pads (GstHoloHostElement *self, const HoloSlot *slots, guint n_slots, GstPadDirection direction)
{
  for (guint i = 0; i < n_slots; i++)
    {
      g_autofree gchar *name = get_pad_name (&slots[i], n_slots, direction);
      GstPadTemplate *templ = gst_element_get_pad_template (GST_ELEMENT (self), name);

      if (GST_PAD_TEMPLATE_PRESENCE (templ) == GST_PAD_ALWAYS)
        gst_holo_host_add_pad (GST_HOLO_HOST (self), templ, name, name);
    }
}

static gboolean
has_pad (GstHoloHostElement *self, const gchar *name)
{
  GstPad *pad = gst_element_get_static_pad (GST_ELEMENT (self), name);
  gboolean found = pad != NULL;

  gst_clear_object (&pad);
  return found;
}

static gchar *
make_repeated_name (GstHoloHostElement *self)
{
  GstHoloHostElementPrivate *priv = gst_holo_host_element_get_instance_private (self);
  gchar *name = NULL;

  do
    {
      g_free (name);
      GST_OBJECT_LOCK (self);
      name = g_strdup_printf ("sink_%u", priv->next_pad++);
      GST_OBJECT_UNLOCK (self);
    }
  while (has_pad (self, name));
  return name;
}

static GstPad *
gst_holo_host_element_request_new_pad (GstElement *element, GstPadTemplate *templ, const gchar *name,
                                       const GstCaps *caps)
{
  GstHoloHostElement *self = GST_HOLO_HOST_ELEMENT (element);
  g_autofree gchar *made = NULL;

  if (GST_STATE (element) > GST_STATE_READY)
    {
      GST_WARNING_OBJECT (element, "pads can be requested only up to READY");
      return NULL;
    }
  if (name == NULL)
    made = strchr (GST_PAD_TEMPLATE_NAME_TEMPLATE (templ), '%') != NULL
               ? make_repeated_name (self)
               : g_strdup (GST_PAD_TEMPLATE_NAME_TEMPLATE (templ));
  else
    made = g_strdup (name);
  if (has_pad (self, made))
    return NULL;
  gst_holo_host_graph_changed (GST_HOLO_HOST (self));
  return gst_holo_host_add_pad (GST_HOLO_HOST (self), templ, made, made);
}

static void
gst_holo_host_element_release_pad (GstElement *element, GstPad *pad)
{
  gst_holo_host_remove_pad (GST_HOLO_HOST (element), pad);
  if (GST_STATE (element) <= GST_STATE_READY)
    gst_holo_host_graph_changed (GST_HOLO_HOST (element));
}

/* ---- graph ---- */

static gint
compare_pads (gconstpointer a, gconstpointer b)
{
  guint number_a = 0, number_b = 0;

  sscanf (GST_PAD_NAME (a), "sink_%u", &number_a);
  sscanf (GST_PAD_NAME (b), "sink_%u", &number_b);
  return (number_a > number_b) - (number_a < number_b);
}

static void
add_input (HoloGraph *graph, guint task, const gchar *name, gint64 slot)
{
  holo_graph_add_edge (graph, holo_graph_add_node (graph, name, "Input", NULL), 0, task, slot);
}

/* Repeated inputs in the order of the numbers of their pads. */
static void
add_repeated (GstHoloHostElement *self, HoloGraph *graph, guint task, gint64 slot)
{
  GList *pads;

  GST_OBJECT_LOCK (self);
  pads = g_list_copy_deep (GST_ELEMENT (self)->sinkpads, (GCopyFunc) gst_object_ref, NULL);
  GST_OBJECT_UNLOCK (self);
  pads = g_list_sort (pads, compare_pads);
  for (GList *item = pads; item != NULL; item = item->next)
    if (GST_PAD_PAD_TEMPLATE (item->data) != NULL &&
        strchr (GST_PAD_TEMPLATE_NAME_TEMPLATE (GST_PAD_PAD_TEMPLATE (item->data)), '%') != NULL)
      add_input (graph, task, GST_PAD_NAME (item->data), slot++);
  g_list_free_full (pads, gst_object_unref);
}

static HoloGraph *
gst_holo_host_element_build_graph (GstHoloHost *host, GError **error)
{
  GstHoloHostElement *self = GST_HOLO_HOST_ELEMENT (host);
  const GstHoloKind *kind = get_kind (self);
  HoloGraph *graph = holo_graph_new ();
  guint task = holo_graph_add_node (graph, NODE, kind->kind, NULL);

  for (guint i = 0; i < kind->n_inputs; i++)
    {
      g_autofree gchar *name = get_pad_name (&kind->inputs[i], kind->n_inputs, GST_PAD_SINK);

      if (is_repeated (&kind->inputs[i]))
        add_repeated (self, graph, task, i);
      else if (has_pad (self, name))
        add_input (graph, task, name, i);
    }
  for (guint i = 0; i < kind->n_outputs; i++)
    {
      g_autofree gchar *name = get_pad_name (&kind->outputs[i], kind->n_outputs, GST_PAD_SRC);

      holo_graph_add_edge (graph, task, i, holo_graph_add_node (graph, name, "Output", NULL), 0);
    }
  return graph;
}

/* ---- properties ---- */

static void
gst_holo_host_element_set_property (GObject *object, guint property_id, const GValue *value, GParamSpec *pspec)
{
  GstHoloHost *host = GST_HOLO_HOST (object);
  g_auto (GValue) capacity = G_VALUE_INIT;

  if (gst_holo_kind_get_setting (get_kind (object), property_id) != NULL)
    gst_holo_host_set_setting (host, NODE, pspec->name, value);
  else if (property_id == PROP_MAX_SIZE_BUFFERS)
    {
      g_value_init (&capacity, G_TYPE_INT64);
      g_value_set_int64 (&capacity, g_value_get_uint (value));
      gst_holo_host_set_setting (host, NODE, "capacity", &capacity);
    }
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
}

/* What was set, or the default. */
static void
get_setting (GObject *object, GParamSpec *setting, GValue *value)
{
  g_auto (GValue) own = G_VALUE_INIT;
  g_autoptr (HoloTaskFactory) factory = NULL;

  if (gst_holo_host_get_setting (GST_HOLO_HOST (object), NODE, setting->name, value))
    return;
  factory = gst_holo_kind_create_factory (get_kind (object));
  g_value_init (&own, setting->value_type);
  g_object_get_property (G_OBJECT (factory), setting->name, &own);
  gst_holo_setting_to_property (setting, &own, value);
}

static void
gst_holo_host_element_get_property (GObject *object, guint property_id, GValue *value, GParamSpec *pspec)
{
  GParamSpec *setting = gst_holo_kind_get_setting (get_kind (object), property_id);
  g_auto (GValue) capacity = G_VALUE_INIT;

  if (setting != NULL)
    get_setting (object, setting, value);
  else if (property_id == PROP_MAX_SIZE_BUFFERS)
    {
      g_value_init (&capacity, G_TYPE_INT64);
      g_object_get_property (object, "capacity", &capacity);
      g_value_set_uint (value, (guint) CLAMP (g_value_get_int64 (&capacity), 0, G_MAXUINT));
    }
  else if (property_id == PROP_CURRENT_LEVEL_BUFFERS)
    g_value_set_uint (value, (guint) gst_holo_host_get_level (GST_HOLO_HOST (object), NODE));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
}

/* ---- class ---- */

static void
gst_holo_host_element_constructed (GObject *object)
{
  GstHoloHostElement *self = GST_HOLO_HOST_ELEMENT (object);
  const GstHoloKind *kind = get_kind (self);

  G_OBJECT_CLASS (gst_holo_host_element_parent_class)->constructed (object);
  add_pads (self, kind->inputs, kind->n_inputs, GST_PAD_SINK);
  add_pads (self, kind->outputs, kind->n_outputs, GST_PAD_SRC);
  if (kind->n_inputs > 1 || (kind->n_inputs == 1 && is_repeated (&kind->inputs[0])))
    gst_holo_host_set_pairing (GST_HOLO_HOST (self), GST_HOLO_PAIRING_TIME);
}

static void
gst_holo_host_element_class_init (GstHoloHostElementClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  object_class->constructed = gst_holo_host_element_constructed;
  element_class->request_new_pad = gst_holo_host_element_request_new_pad;
  element_class->release_pad = gst_holo_host_element_release_pad;
  GST_HOLO_HOST_CLASS (klass)->build_graph = gst_holo_host_element_build_graph;
}

static void
gst_holo_host_element_init (GstHoloHostElement *self)
{
  /* The kind is not known before gst_holo_host_element_constructed(). */
}

static gboolean
has_setting (const GstHoloKind *kind, const gchar *name)
{
  for (guint i = 0; i < kind->n_settings; i++)
    if (g_str_equal (kind->settings[i]->name, name))
      return TRUE;
  return FALSE;
}

/* Under the names that GStreamer's queue has. */
static void
install_queue_names (GObjectClass *klass)
{
  g_object_class_install_property (
      klass, PROP_MAX_SIZE_BUFFERS,
      g_param_spec_uint ("max-size-buffers", "Max. size (buffers)", "Frames held at most; another name of capacity", 0,
                         G_MAXUINT, 2, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING));
  g_object_class_install_property (klass, PROP_CURRENT_LEVEL_BUFFERS,
                                   g_param_spec_uint ("current-level-buffers", "Current level (buffers)",
                                                      "Frames held now", 0, G_MAXUINT, 0,
                                                      G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
}

void
gst_holo_host_element_kind_class_init (gpointer klass, gpointer class_data)
{
  const GstHoloKind *kind = class_data;
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  /* GObject does not hand these two down, and properties cannot be installed without them. */
  G_OBJECT_CLASS (klass)->set_property = gst_holo_host_element_set_property;
  G_OBJECT_CLASS (klass)->get_property = gst_holo_host_element_get_property;
  GST_HOLO_HOST_ELEMENT_CLASS (klass)->kind = kind;
  gst_holo_kind_install_properties (kind, G_OBJECT_CLASS (klass));
  if (kind->task_type == HOLO_TASK_ASYNC && has_setting (kind, "capacity"))
    install_queue_names (G_OBJECT_CLASS (klass));
  gst_holo_kind_set_metadata (kind, element_class,
                              kind->task_type == HOLO_TASK_ASYNC ? "Generic/Tensor" : "Filter/Effect/Tensor");
  add_templates (element_class, kind->inputs, kind->n_inputs, GST_PAD_SINK);
  add_templates (element_class, kind->outputs, kind->n_outputs, GST_PAD_SRC);
}
