/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Settings of a node: properties of its element, values that wait, and what must hold before it starts. */
#include "gstholonode-private.h"

#include "gstholomessage.h"
#include "gstholoparamspec.h"

/* ---- values ---- */

static void
free_value (GValue *value)
{
  g_value_unset (value);
  g_free (value);
}

/* (transfer full): a table for values that were refused. */
GHashTable *
gst_holo_node_new_pending (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) free_value);
}

/* With the lock. Tries the pending values (only @name, or all) on top of the settings in force. */
static gboolean
apply_pending (GstHoloNode *node, const gchar *only, GError **error)
{
  g_autoptr (HoloTaskFactory) candidate = holo_task_factory_copy (node->factory);
  GHashTableIter iter;
  gpointer name, value;

  g_hash_table_iter_init (&iter, node->pending);
  while (g_hash_table_iter_next (&iter, &name, &value))
    if ((only == NULL || only == name) && !holo_settings_apply_value (candidate, name, value, error))
      return FALSE;
  if (!gst_holo_node_try_settings (node, candidate, error))
    return FALSE;
  g_set_object (&node->factory, candidate);
  g_atomic_int_inc (&node->serial);
  if (only == NULL)
    g_hash_table_remove_all (node->pending);
  else
    g_hash_table_remove (node->pending, only);
  return TRUE;
}

static gboolean
change_setting (GstHoloNode *node, GParamSpec *setting, const GValue *value, GError **error)
{
  GValue *converted = g_new0 (GValue, 1);
  gboolean ok;

  if (!gst_holo_setting_from_property (setting, value, converted, error))
    {
      /* kept as it came, so that it is refused again at READY */
      g_value_init (converted, G_VALUE_TYPE (value));
      g_value_copy (value, converted);
      g_mutex_lock (&node->lock);
      g_hash_table_replace (node->pending, (gpointer) setting->name, converted);
      g_mutex_unlock (&node->lock);
      return FALSE;
    }
  g_mutex_lock (&node->lock);
  g_hash_table_replace (node->pending, (gpointer) setting->name, converted);
  /* All that wait first: settings may be valid only together. Then this one: it need not wait for
   * the others. */
  ok = apply_pending (node, NULL, NULL) || apply_pending (node, setting->name, error);
  g_mutex_unlock (&node->lock);
  return ok;
}

/**
 * gst_holo_node_set_property:
 * @node: a node
 * @id: id of a property
 * @value: its new value
 *
 * A value that cannot be taken stays pending: before READY it becomes an error there; later it is a warning,
 * and the old value stays in force.
 *
 * Returns: %FALSE when @id is no setting
 */
gboolean
gst_holo_node_set_property (GstHoloNode *node, guint id, const GValue *value)
{
  GParamSpec *setting = gst_holo_kind_get_setting (node->kind, id);
  g_autoptr (GError) error = NULL;

  if (setting == NULL)
    return FALSE;
  if (!change_setting (node, setting, value, &error))
    {
      gst_holo_node_prefix (node, &error);
      if (GST_STATE (node->element) > GST_STATE_READY)
        gst_holo_element_post_warning (node->element, error);
      else
        GST_INFO_OBJECT (node->element, "refused for now: %s", error->message);
    }
  return TRUE;
}

gboolean
gst_holo_node_get_property (GstHoloNode *node, guint id, GValue *value)
{
  GParamSpec *setting = gst_holo_kind_get_setting (node->kind, id);
  g_autoptr (HoloTaskFactory) factory = NULL;
  g_auto (GValue) current = G_VALUE_INIT;

  if (setting == NULL)
    return FALSE;
  factory = gst_holo_node_ref_factory (node, NULL);
  g_value_init (&current, setting->value_type);
  g_object_get_property (G_OBJECT (factory), setting->name, &current);
  gst_holo_setting_to_property (setting, &current, value);
  return TRUE;
}

/**
 * gst_holo_node_check_settings:
 * @node: a node
 * @error: return location
 *
 * Returns: %FALSE when a refused value is still pending, or a setting that is needed was not given
 */
gboolean
gst_holo_node_check_settings (GstHoloNode *node, GError **error)
{
  gboolean ok;

  g_mutex_lock (&node->lock);
  ok = g_hash_table_size (node->pending) == 0 || apply_pending (node, NULL, error);
  if (ok)
    ok = holo_settings_check_required (node->factory, error);
  g_mutex_unlock (&node->lock);
  if (!ok)
    gst_holo_node_prefix (node, error);
  return ok;
}

/* What differs from the settings the tasks were made by becomes pending again. */
void
gst_holo_node_revert (GstHoloNode *node)
{
  g_mutex_lock (&node->lock);
  for (guint i = 0; i < node->kind->n_settings; i++)
    {
      GParamSpec *setting = node->kind->settings[i];
      GValue *value = g_new0 (GValue, 1);
      g_auto (GValue) old = G_VALUE_INIT;
      g_autoptr (JsonNode) value_json = NULL, old_json = NULL;

      g_value_init (value, setting->value_type);
      g_value_init (&old, setting->value_type);
      g_object_get_property (G_OBJECT (node->factory), setting->name, value);
      g_object_get_property (G_OBJECT (node->applied_factory), setting->name, &old);
      value_json = holo_setting_to_json (setting, value);
      old_json = holo_setting_to_json (setting, &old);
      if (json_node_equal (value_json, old_json))
        free_value (value);
      else
        g_hash_table_replace (node->pending, (gpointer) setting->name, value);
    }
  g_set_object (&node->factory, node->applied_factory);
  node->applied = node->serial;
  g_mutex_unlock (&node->lock);
}

/* ---- of the element ---- */

/**
 * gst_holo_node_install_properties:
 * @kind: the kind of the elements
 * @klass: their class
 * @numbers: what holo-stats holds
 *
 * Settings and statistics. The class must have set_property and get_property of its own already: GObject looks for them
 * in the class that installs properties, not in its parents.
 */
void
gst_holo_node_install_properties (const GstHoloKind *kind, GObjectClass *klass, const gchar *numbers)
{
  g_object_class_install_property (klass, GST_HOLO_NODE_PROP_STATS,
                                   g_param_spec_boxed ("holo-stats", "Statistics", numbers, GST_TYPE_STRUCTURE,
                                                       G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  gst_holo_kind_install_properties (kind, klass);
}

/* As GObjectClass.get_property. */
void
gst_holo_node_get_object_property (GstHoloNode *node, GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == GST_HOLO_NODE_PROP_STATS)
    g_value_take_boxed (value, gst_holo_node_make_stats (node));
  else if (!gst_holo_node_get_property (node, id, value))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

/* As GObjectClass.set_property. */
void
gst_holo_node_set_object_property (GstHoloNode *node, GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  if (!gst_holo_node_set_property (node, id, value))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

/* Before the element goes up: FALSE, after an error message, when its settings are not right. */
gboolean
gst_holo_node_allows_change (GstHoloNode *node, GstStateChange transition)
{
  g_autoptr (GError) error = NULL;

  if (transition != GST_STATE_CHANGE_NULL_TO_READY && transition != GST_STATE_CHANGE_READY_TO_PAUSED)
    return TRUE;
  return gst_holo_element_report (node->element, gst_holo_node_check_settings (node, &error), &error);
}
