/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstholohostsettings.h"

#include "gstholohost-private.h"
#include "gstholomessage.h"
#include "gstholoparamspec.h"
#include "gstholotopology.h"

#define GST_CAT_DEFAULT gst_holo_host_debug

/* node -> (setting -> GValue as a property holds it) */
struct _GstHoloHostSettings
{
  GstHoloHost *host;
  GMutex lock;
  GMutex update_lock; /* one change at a time, and the runs stay; taken before lock */
  GHashTable *in_force;
  GHashTable *pending;
};

static void
free_value (gpointer data)
{
  g_value_unset (data);
  g_free (data);
}

static GHashTable *
new_nodes (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_hash_table_unref);
}

GstHoloHostSettings *
gst_holo_host_settings_new (GstHoloHost *host)
{
  GstHoloHostSettings *settings = g_new0 (GstHoloHostSettings, 1);

  settings->host = host;
  g_mutex_init (&settings->lock);
  g_mutex_init (&settings->update_lock);
  settings->in_force = new_nodes ();
  settings->pending = new_nodes ();
  return settings;
}

void
gst_holo_host_settings_free (GstHoloHostSettings *settings)
{
  g_hash_table_unref (settings->in_force);
  g_hash_table_unref (settings->pending);
  g_mutex_clear (&settings->lock);
  g_mutex_clear (&settings->update_lock);
  g_free (settings);
}

void
gst_holo_host_settings_lock (GstHoloHostSettings *settings)
{
  g_mutex_lock (&settings->update_lock);
}

void
gst_holo_host_settings_unlock (GstHoloHostSettings *settings)
{
  g_mutex_unlock (&settings->update_lock);
}

static GHashTable *
new_values (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_value);
}

static void
store_value (GHashTable *values, const gchar *setting, const GValue *value)
{
  GValue *copy = g_new0 (GValue, 1);

  g_value_init (copy, G_VALUE_TYPE (value));
  g_value_copy (value, copy);
  g_hash_table_replace (values, g_strdup (setting), copy);
}

static void
store (GHashTable *nodes, const gchar *node, GHashTable *values)
{
  GHashTable *stored = g_hash_table_lookup (nodes, node);
  GHashTableIter iter;
  gpointer name, value;

  if (stored == NULL)
    g_hash_table_insert (nodes, g_strdup (node), stored = new_values ());
  g_hash_table_iter_init (&iter, values);
  while (g_hash_table_iter_next (&iter, &name, &value))
    store_value (stored, name, value);
}

/* ---- into a graph ---- */

static GParamSpec *
find_setting (gpointer klass, const gchar *name)
{
  g_autofree gchar *canonical = g_strdelimit (g_strdup (name), "_", '-');
  GParamSpec *pspec = g_object_class_find_property (G_OBJECT_CLASS (klass), canonical);

  return pspec != NULL && holo_setting_is_setting (pspec) ? pspec : NULL;
}

static gboolean
apply_value (HoloTaskFactory *factory, const gchar *name, const GValue *value, GError **error)
{
  GParamSpec *pspec = find_setting (HOLO_TASK_FACTORY_GET_CLASS (factory), name);
  g_auto (GValue) converted = G_VALUE_INIT;

  /* An unknown name is refused by the factory, which knows the nearest ones. */
  if (pspec == NULL)
    return holo_settings_apply_value (factory, name, value, error);
  return gst_holo_setting_from_property (pspec, value, &converted, error) &&
         holo_settings_apply_value (factory, name, &converted, error);
}

static gboolean
apply_values (HoloTaskFactory *factory, GHashTable *values, GError **error)
{
  GHashTableIter iter;
  gpointer name, value;

  if (values == NULL)
    return TRUE;
  g_hash_table_iter_init (&iter, values);
  while (g_hash_table_iter_next (&iter, &name, &value))
    if (!apply_value (factory, name, value, error))
      return FALSE;
  return TRUE;
}

static HoloTaskFactory *
make_factory (HoloGraph *graph, guint number, HoloRegistry *registry, GError **error)
{
  const HoloGraphNode *node = holo_graph_get_node (graph, number);
  g_autofree gchar *path = g_strdup_printf ("/nodes/%s/params", node->name);
  g_autoptr (HoloTaskFactory) factory = holo_registry_create_factory (registry, node->kind, error);

  if (factory != NULL && node->settings != NULL && JSON_NODE_HOLDS_OBJECT (node->settings) &&
      !holo_settings_apply_json (factory, json_node_get_object (node->settings), path, error))
    return NULL;
  return g_steal_pointer (&factory);
}

static gboolean
apply_to_node (GstHoloHostSettings *settings, HoloGraph *graph, guint number, HoloRegistry *registry,
               gboolean with_pending, GError **error)
{
  const HoloGraphNode *node = holo_graph_get_node (graph, number);
  GHashTable *in_force = g_hash_table_lookup (settings->in_force, node->name);
  GHashTable *pending = with_pending ? g_hash_table_lookup (settings->pending, node->name) : NULL;
  g_autoptr (HoloTaskFactory) factory = NULL;
  GError *local = NULL;

  if (in_force == NULL && pending == NULL)
    return TRUE;
  factory = make_factory (graph, number, registry, &local);
  if (factory != NULL && apply_values (factory, in_force, &local) && apply_values (factory, pending, &local))
    {
      g_autoptr (JsonNode) json = json_node_new (JSON_NODE_OBJECT);

      json_node_take_object (json, holo_settings_get_json (factory));
      holo_graph_set_node_settings (graph, number, json);
      return TRUE;
    }
  g_propagate_prefixed_error (error, local, "node \"%s\" of kind %s: ", node->name, node->kind);
  return FALSE;
}

/* What is pending counts for @node only; for all nodes when that is %NULL. */
static HoloGraph *
apply (GstHoloHostSettings *settings, HoloGraph *graph, HoloRegistry *registry, const gchar *node, GError **error)
{
  g_autoptr (HoloGraph) copy = holo_graph_copy (graph);
  gboolean ok = TRUE;

  g_mutex_lock (&settings->lock);
  for (guint i = 0; ok && i < holo_graph_get_n_nodes (copy); i++)
    ok = apply_to_node (settings, copy, i, registry,
                        node == NULL || g_str_equal (holo_graph_get_node (copy, i)->name, node), error);
  g_mutex_unlock (&settings->lock);
  return ok ? g_steal_pointer (&copy) : NULL;
}

HoloGraph *
gst_holo_host_settings_apply (GstHoloHostSettings *settings, HoloGraph *graph, HoloRegistry *registry, GError **error)
{
  return apply (settings, graph, registry, NULL, error);
}

/* ---- while the graph is at work ---- */

static GstHoloRun *
find_run (GstHoloHost *host, const gchar *node)
{
  GPtrArray *runs = gst_holo_host_get_runs (host);

  for (guint i = 0; runs != NULL && i < runs->len; i++)
    if (holo_graph_find_node (((GstHoloRun *) g_ptr_array_index (runs, i))->wish, node, NULL))
      return g_ptr_array_index (runs, i);
  return NULL;
}

static void
accept_pending (GstHoloHostSettings *settings, const gchar *node)
{
  GHashTable *values;

  g_mutex_lock (&settings->lock);
  values = g_hash_table_lookup (settings->pending, node);
  if (values != NULL)
    {
      store (settings->in_force, node, values);
      g_hash_table_remove (settings->pending, node);
    }
  g_mutex_unlock (&settings->lock);
}

/* Tries everything that is pending for @node together; what is refused stays pending and the old values in
 * force. */
static gboolean
try_pending (GstHoloHostSettings *settings, GstHoloRun *run, const gchar *node, GError **error)
{
  HoloRegistry *registry = gst_holo_host_get_registry (settings->host);
  g_autoptr (HoloGraph) graph = apply (settings, run->wish, registry, node, error);

  if (graph == NULL || !gst_holo_graph_check (graph, registry, error) || !gst_holo_run_update (run, graph, error))
    return FALSE;
  accept_pending (settings, node);
  return TRUE;
}

/* Takes @values (setting -> GValue) of @node. */
static void
change (GstHoloHostSettings *settings, const gchar *node, GHashTable *values)
{
  g_autoptr (GError) error = NULL;
  GstHoloRun *run;

  g_mutex_lock (&settings->update_lock);
  g_mutex_lock (&settings->lock);
  store (settings->pending, node, values);
  g_mutex_unlock (&settings->lock);
  run = find_run (settings->host, node);
  if (run == NULL || !run->active)
    gst_holo_host_graph_changed (settings->host);
  else if (!try_pending (settings, run, node, &error))
    g_prefix_error (&error, "the old value stays in force: ");
  g_mutex_unlock (&settings->update_lock);
  if (error != NULL)
    gst_holo_element_post_warning (settings->host, error);
}

/**
 * gst_holo_host_set_setting:
 * @host: the element
 * @node: name of a node
 * @setting: name of a setting
 * @value: any value that can be meant for it
 *
 * Any thread. A value that cannot be taken is an error at READY, or a warning while the graph is at work.
 */
void
gst_holo_host_set_setting (GstHoloHost *host, const gchar *node, const gchar *setting, const GValue *value)
{
  g_autoptr (GHashTable) values = new_values ();

  store_value (values, setting, value);
  change (gst_holo_host_get_settings (host), node, values);
}

static gboolean
store_field (GQuark field, const GValue *value, gpointer values)
{
  g_autofree gchar *name = g_strdelimit (g_strdup (g_quark_to_string (field)), "_", '-');

  store_value (values, name, value);
  return TRUE;
}

/* Several settings of a node at once: for values that are valid only together. */
void
gst_holo_host_set_settings (GstHoloHost *host, const gchar *node, const GstStructure *structure)
{
  g_autoptr (GHashTable) values = new_values ();

  gst_structure_foreach (structure, store_field, values);
  change (gst_holo_host_get_settings (host), node, values);
}

/* Settings that came while others were on their way. */
void
gst_holo_host_catch_up (GstHoloHost *host)
{
  GstHoloHostSettings *settings = gst_holo_host_get_settings (host);
  g_autoptr (GError) error = NULL;
  GPtrArray *runs;

  g_mutex_lock (&settings->update_lock);
  runs = gst_holo_host_get_runs (host);
  for (guint i = 0; runs != NULL && i < runs->len; i++)
    gst_holo_run_catch_up (g_ptr_array_index (runs, i), error == NULL ? &error : NULL);
  g_mutex_unlock (&settings->update_lock);
  if (error == NULL)
    return;
  g_prefix_error (&error, "the last change of settings is not in force: ");
  gst_holo_element_post_warning (host, error);
}

static const GValue *
look_up (GHashTable *nodes, const gchar *node, const gchar *setting)
{
  GHashTable *values = g_hash_table_lookup (nodes, node);

  return values != NULL ? g_hash_table_lookup (values, setting) : NULL;
}

/* What was given last, as long as the graph is not at work; then what is in force. FALSE: nothing was ever
 * given. */
gboolean
gst_holo_host_get_setting (GstHoloHost *host, const gchar *node, const gchar *setting, GValue *value)
{
  GstHoloHostSettings *settings = gst_holo_host_get_settings (host);
  const GValue *found = NULL;
  GstHoloRun *run;
  gboolean ok;

  g_mutex_lock (&settings->update_lock);
  run = find_run (host, node);
  g_mutex_lock (&settings->lock);
  if (run == NULL || !run->active)
    found = look_up (settings->pending, node, setting);
  if (found == NULL)
    found = look_up (settings->in_force, node, setting);
  ok = found != NULL && g_value_transform (found, value);
  g_mutex_unlock (&settings->lock);
  g_mutex_unlock (&settings->update_lock);
  return ok;
}

/* When the graph starts, everything that was pending has been checked. */
void
gst_holo_host_accept_settings (GstHoloHost *host)
{
  GstHoloHostSettings *settings = gst_holo_host_get_settings (host);
  g_autofree gchar **nodes = NULL;
  guint n;

  g_mutex_lock (&settings->lock);
  nodes = (gchar **) g_hash_table_get_keys_as_array (settings->pending, &n);
  for (guint i = 0; i < n; i++)
    nodes[i] = g_strdup (nodes[i]);
  g_mutex_unlock (&settings->lock);
  for (guint i = 0; i < n; i++)
    {
      accept_pending (settings, nodes[i]);
      g_free (nodes[i]);
    }
}
