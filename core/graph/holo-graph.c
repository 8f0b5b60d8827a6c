/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "graph/holo-graph-private.h"

#include <string.h>

#include "base/holo-error.h"
#include "base/holo-nearest-names.h"
#include "task/holo-registry.h"
#include "base/holo-json-private.h"
#include "base/holo-nearest-names-private.h"
#include "task/holo-settings-private.h"

struct _HoloGraph
{
  gint ref_count;
  gchar *file;         /* nullable: where it was read from, for messages */
  GPtrArray *nodes;    /* of HoloGraphNode */
  GArray *edges;       /* of HoloGraphEdge */
  GHashTable *by_name; /* name -> number of the first node of that name, plus one */
};

G_DEFINE_BOXED_TYPE (HoloGraph, holo_graph, holo_graph_ref, holo_graph_unref)

static void
node_free (HoloGraphNode *node)
{
  g_free (node->name);
  g_free (node->kind);
  json_node_unref (node->settings);
  g_free (node);
}

/**
 * holo_graph_new:
 *
 * Returns: (transfer full): an empty graph
 *
 * Since: 0.1
 */
HoloGraph *
holo_graph_new (void)
{
  HoloGraph *graph = g_new0 (HoloGraph, 1);

  graph->ref_count = 1;
  graph->nodes = g_ptr_array_new_with_free_func ((GDestroyNotify) node_free);
  graph->edges = g_array_new (FALSE, FALSE, sizeof (HoloGraphEdge));
  graph->by_name = g_hash_table_new (g_str_hash, g_str_equal);
  return graph;
}

/**
 * holo_graph_ref:
 * @graph: a graph
 *
 * Any thread.
 *
 * Returns: (transfer full): @graph, with one reference more
 *
 * Since: 0.1
 */
HoloGraph *
holo_graph_ref (HoloGraph *graph)
{
  g_atomic_int_inc (&graph->ref_count);
  return graph;
}

/**
 * holo_graph_unref:
 * @graph: (transfer full): a graph
 *
 * Drops a reference; the last one frees the graph. Any thread.
 *
 * Since: 0.1
 */
void
holo_graph_unref (HoloGraph *graph)
{
  if (!g_atomic_int_dec_and_test (&graph->ref_count))
    return;
  g_hash_table_unref (graph->by_name);
  g_ptr_array_unref (graph->nodes);
  g_array_unref (graph->edges);
  g_free (graph->file);
  g_free (graph);
}

/**
 * holo_graph_copy:
 * @graph: a graph
 *
 * Returns: (transfer full): another graph that shares nothing with @graph
 *
 * Since: 0.1
 */
HoloGraph *
holo_graph_copy (HoloGraph *graph)
{
  HoloGraph *copy = holo_graph_new ();

  for (guint i = 0; i < graph->nodes->len; i++)
    {
      const HoloGraphNode *node = g_ptr_array_index (graph->nodes, i);

      holo_graph_add_node (copy, node->name, node->kind, node->settings);
      holo_graph_set_node_debug (copy, i, node->debug);
    }
  g_array_append_vals (copy->edges, graph->edges->data, graph->edges->len);
  _holo_graph_set_file (copy, graph->file);
  return copy;
}

gboolean
_holo_graph_check_not_empty (HoloGraph *graph, GError **error)
{
  if (graph->nodes->len > 0)
    return TRUE;
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_GRAPH,
               "/nodes: the graph is empty; it needs at least a source, such as Sequence or Input");
  return FALSE;
}

void
_holo_graph_set_file (HoloGraph *graph, const gchar *filename)
{
  g_free (graph->file);
  graph->file = g_strdup (filename);
}

void
_holo_graph_prefix_file (HoloGraph *graph, GError **error)
{
  if (graph->file != NULL)
    g_prefix_error (error, "%s: ", graph->file);
}

/* ---- building ---- */

static JsonNode *
copy_settings (JsonNode *settings)
{
  JsonNode *node;

  if (settings != NULL && !JSON_NODE_HOLDS_NULL (settings))
    return _holo_json_copy (settings);
  node = json_node_new (JSON_NODE_OBJECT);
  json_node_take_object (node, json_object_new ());
  return node;
}

static HoloGraphNode *
get_node (HoloGraph *graph, guint index)
{
  return g_ptr_array_index (graph->nodes, index);
}

/**
 * holo_graph_add_node:
 * @graph: a graph
 * @name: unique name; the compiler refuses a second node of the same name
 * @kind: kind in the registry
 * @settings: (nullable) (transfer none): settings, copied; %NULL and `null` stand for an empty object
 *
 * Returns: number of the node
 *
 * Since: 0.1
 */
guint
holo_graph_add_node (HoloGraph *graph, const gchar *name, const gchar *kind, JsonNode *settings)
{
  HoloGraphNode *node = g_new0 (HoloGraphNode, 1);

  node->name = g_strdup (name != NULL ? name : "");
  node->kind = g_strdup (kind != NULL ? kind : "");
  node->settings = copy_settings (settings);
  node->debug = TRUE;
  g_ptr_array_add (graph->nodes, node);
  if (!g_hash_table_contains (graph->by_name, node->name))
    g_hash_table_insert (graph->by_name, node->name, GUINT_TO_POINTER (graph->nodes->len));
  return graph->nodes->len - 1;
}

/**
 * holo_graph_add_node_text:
 * @graph: a graph
 * @name: unique name
 * @kind: kind in the registry
 * @settings_json: (nullable): settings as JSON text, written by the programmer: a mistake in it is a critical
 *   warning
 *
 * Returns: number of the node
 *
 * Since: 0.1
 */
guint
holo_graph_add_node_text (HoloGraph *graph, const gchar *name, const gchar *kind, const gchar *settings_json)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) settings = settings_json != NULL ? holo_json_parse (settings_json, -1, &error) : NULL;

  if (error != NULL)
    g_critical ("settings of node \"%s\": %s", name, error->message);
  return holo_graph_add_node (graph, name, kind, settings);
}

/**
 * holo_graph_set_node_debug:
 * @graph: a graph
 * @node: number of a node
 * @debug: whether pictures show the settings of the node
 *
 * Since: 0.1
 */
void
holo_graph_set_node_debug (HoloGraph *graph, guint node, gboolean debug)
{
  g_return_if_fail (node < graph->nodes->len);

  get_node (graph, node)->debug = debug;
}

/**
 * holo_graph_set_node_settings:
 * @graph: a graph
 * @node: number of a node
 * @settings: (nullable) (transfer none): all its settings, copied
 *
 * Since: 0.1
 */
void
holo_graph_set_node_settings (HoloGraph *graph, guint node, JsonNode *settings)
{
  JsonNode *copy;

  g_return_if_fail (node < graph->nodes->len);

  copy = copy_settings (settings);
  json_node_unref (get_node (graph, node)->settings);
  get_node (graph, node)->settings = copy;
}

gboolean
_holo_graph_find_node (HoloGraph *graph, const gchar *name, guint *index, GError **error)
{
  g_autofree const gchar **names = NULL;
  g_autofree gchar *suggestion = NULL;

  if (holo_graph_find_node (graph, name, index))
    return TRUE;
  names = g_new0 (const gchar *, graph->nodes->len + 1);
  for (guint i = 0; i < graph->nodes->len; i++)
    names[i] = get_node (graph, i)->name;
  suggestion = _holo_did_you_mean (name, names);
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_GRAPH, "there is no node \"%s\"%s", name, suggestion);
  return FALSE;
}

/* Removes the setting in every form that JSON may have: either spelling, inside the object of a group, or the
 * `null` of its group. */
static void
remove_setting (JsonObject *object, const gchar *name)
{
  g_autoptr (GList) keys = json_object_get_members (object);

  for (GList *l = keys; l != NULL; l = l->next)
    {
      g_autofree gchar *canonical = g_strdelimit (g_strdup (l->data), "_", '-');
      gsize length = strlen (canonical);
      JsonNode *member = json_object_get_member (object, l->data);

      if (g_str_equal (canonical, name))
        json_object_remove_member (object, l->data);
      else if (g_str_has_prefix (name, canonical) && name[length] == '-')
        {
          if (JSON_NODE_HOLDS_OBJECT (member))
            remove_setting (json_node_get_object (member), name + length + 1);
          else if (JSON_NODE_HOLDS_NULL (member))
            json_object_remove_member (object, l->data);
        }
    }
}

/**
 * holo_graph_set_setting:
 * @graph: a graph
 * @node: name of a node
 * @setting: name of a setting, in either spelling
 * @value: (transfer none): its value, copied
 * @error: return location
 *
 * Gives one setting of a node another value. Whether the kind has such a setting is found out by the
 * compiler.
 *
 * Returns: %FALSE with %HOLO_ERROR_GRAPH when there is no such node, or its settings are no object
 *
 * Since: 0.1
 */
gboolean
holo_graph_set_setting (HoloGraph *graph, const gchar *node, const gchar *setting, JsonNode *value, GError **error)
{
  g_autofree gchar *canonical = g_strdelimit (g_strdup (setting), "_", '-'), *name = NULL;
  JsonObject *object;
  guint index;

  if (!_holo_graph_find_node (graph, node, &index, error))
    return FALSE;
  if (!JSON_NODE_HOLDS_OBJECT (get_node (graph, index)->settings))
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_GRAPH, "/nodes/%s/params is %s; settings are an object", node,
                   _holo_json_get_type_name (get_node (graph, index)->settings));
      return FALSE;
    }
  object = json_node_get_object (get_node (graph, index)->settings);
  remove_setting (object, canonical);
  name = g_strdelimit (g_steal_pointer (&canonical), "-", '_');
  json_object_set_member (object, name, _holo_json_copy (value));
  return TRUE;
}

/* Under all its names, which @factory_class knows. */
void
_holo_graph_remove_setting (HoloGraph *graph, guint node, gpointer factory_class, const gchar *setting)
{
  JsonNode *settings = get_node (graph, node)->settings;
  GParamSpec *pspec = _holo_settings_find (factory_class, setting);
  GHashTableIter iter;
  gpointer alias, name;

  if (pspec == NULL || !JSON_NODE_HOLDS_OBJECT (settings))
    return;
  remove_setting (json_node_get_object (settings), pspec->name);
  g_hash_table_iter_init (&iter, _holo_factory_class_get_aliases (factory_class));
  while (g_hash_table_iter_next (&iter, &alias, &name))
    if (g_str_equal (name, pspec->name))
      remove_setting (json_node_get_object (settings), alias);
}

gchar *
_holo_graph_get_setting_path (const gchar *node, const gchar *setting)
{
  g_autofree gchar *node_path = _holo_json_path_append ("/nodes", node);
  g_autofree gchar *path = _holo_json_path_append (node_path, "params");

  return _holo_json_path_append (path, setting);
}

static gboolean
set_setting_text (HoloGraph *graph, HoloRegistry *registry, const gchar *node, const gchar *setting, const gchar *text,
                  GError **error)
{
  g_autofree gchar *path = _holo_graph_get_setting_path (node, setting);
  g_autoptr (HoloTaskFactory) factory = NULL;
  g_autoptr (JsonNode) json = NULL;
  g_auto (GValue) value = G_VALUE_INIT;
  GParamSpec *pspec;
  guint index;

  if (!_holo_graph_find_node (graph, node, &index, error))
    {
      g_prefix_error (error, "/nodes: ");
      return FALSE;
    }
  factory = holo_registry_create_factory (registry, get_node (graph, index)->kind, error);
  if (factory == NULL)
    {
      g_prefix_error (error, "/nodes/%s/type: ", node);
      return FALSE;
    }
  pspec = _holo_settings_require (factory, setting, path, error);
  if (pspec == NULL || !_holo_setting_value_from_text (pspec, text, path, &value, error))
    return FALSE;
  json = holo_setting_to_json (pspec, &value);
  _holo_graph_remove_setting (graph, index, HOLO_TASK_FACTORY_GET_CLASS (factory), pspec->name);
  return holo_graph_set_setting (graph, node, pspec->name, json, error);
}

/**
 * holo_graph_set_setting_text:
 * @graph: a graph
 * @registry: knows the kind of the node
 * @node: name of a node
 * @setting: name of a setting, in either spelling, or a second name of it
 * @text: its value as on a command line: `3`, `upstream`, `[2, 4]`
 * @error: return location
 *
 * Gives one setting of a node another value.
 *
 * Returns: %FALSE when there is no such node or setting, or the value is not allowed; the message has the place in the graph
 *
 * Since: 0.1
 */
gboolean
holo_graph_set_setting_text (HoloGraph *graph, HoloRegistry *registry, const gchar *node, const gchar *setting,
                             const gchar *text, GError **error)
{
  if (set_setting_text (graph, registry, node, setting, text, error))
    return TRUE;
  _holo_graph_prefix_file (graph, error);
  return FALSE;
}

/**
 * holo_graph_add_edge:
 * @graph: a graph
 * @from: number of the producing node
 * @out: its output slot; not checked here
 * @to: number of the consuming node
 * @in: its input slot; not checked here
 *
 * Since: 0.1
 */
void
holo_graph_add_edge (HoloGraph *graph, guint from, gint64 out, guint to, gint64 in)
{
  HoloGraphEdge edge = { from, to, out, in };

  g_return_if_fail (from < graph->nodes->len && to < graph->nodes->len);

  g_array_append_val (graph->edges, edge);
}

/**
 * holo_graph_link:
 * @graph: a graph
 * @from: name of the producing node
 * @out: its output slot
 * @to: name of the consuming node
 * @in: its input slot
 * @error: return location
 *
 * Returns: %FALSE with %HOLO_ERROR_GRAPH when there is no node of that name
 *
 * Since: 0.1
 */
gboolean
holo_graph_link (HoloGraph *graph, const gchar *from, gint64 out, const gchar *to, gint64 in, GError **error)
{
  guint from_index, to_index;

  if (!_holo_graph_find_node (graph, from, &from_index, error) || !_holo_graph_find_node (graph, to, &to_index, error))
    return FALSE;
  holo_graph_add_edge (graph, from_index, out, to_index, in);
  return TRUE;
}

/* ---- reading ---- */

/**
 * holo_graph_get_n_nodes:
 * @graph: a graph
 *
 * Returns: number of nodes
 *
 * Since: 0.1
 */
guint
holo_graph_get_n_nodes (HoloGraph *graph)
{
  return graph->nodes->len;
}

/**
 * holo_graph_get_node:
 * @graph: a graph
 * @index: number of a node
 *
 * Returns: (transfer none): the node; valid until the graph is changed
 *
 * Since: 0.1
 */
const HoloGraphNode *
holo_graph_get_node (HoloGraph *graph, guint index)
{
  g_return_val_if_fail (index < graph->nodes->len, NULL);

  return get_node (graph, index);
}

/**
 * holo_graph_find_node:
 * @graph: a graph
 * @name: a name
 * @index: (out) (optional): number of the first node of that name
 *
 * Returns: whether there is one
 *
 * Since: 0.1
 */
gboolean
holo_graph_find_node (HoloGraph *graph, const gchar *name, guint *index)
{
  guint number = GPOINTER_TO_UINT (g_hash_table_lookup (graph->by_name, name));

  if (number != 0 && index != NULL)
    *index = number - 1;
  return number != 0;
}

/**
 * holo_graph_get_n_edges:
 * @graph: a graph
 *
 * Returns: number of edges
 *
 * Since: 0.1
 */
guint
holo_graph_get_n_edges (HoloGraph *graph)
{
  return graph->edges->len;
}

/**
 * holo_graph_get_edge:
 * @graph: a graph
 * @index: from 0 to holo_graph_get_n_edges() less one
 *
 * Returns: (transfer none): an edge, valid until the graph changes
 *
 * Since: 0.1
 */
const HoloGraphEdge *
holo_graph_get_edge (HoloGraph *graph, guint index)
{
  g_return_val_if_fail (index < graph->edges->len, NULL);

  return &g_array_index (graph->edges, HoloGraphEdge, index);
}
