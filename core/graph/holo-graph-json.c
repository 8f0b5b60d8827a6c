/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The file format of graphs (docs/graph-format.md). */
#include "graph/holo-graph-private.h"

#include <string.h>

#include "base/holo-error.h"
#include "task/holo-registry.h"
#include "base/holo-json-private.h"
#include "base/holo-nearest-names-private.h"

/* ---- reading ---- */

static gboolean
refuse (const gchar *path, JsonNode *found, const gchar *expected, GError **error)
{
  if (found == NULL)
    g_set_error (error, HOLO_ERROR, HOLO_ERROR_JSON, "%s: missing; expected %s", path, expected);
  else
    g_set_error (error, HOLO_ERROR, HOLO_ERROR_JSON, "%s: expected %s, found %s", path, expected,
                 _holo_json_get_type_name (found));
  return FALSE;
}

/* The member @key, which must be there and of @type; NULL with @error otherwise. */
static JsonNode *
read_member (JsonObject *object, const gchar *path, const gchar *key, GType type, const gchar *expected, GError **error)
{
  JsonNode *member = json_object_get_member (object, key);
  g_autofree gchar *member_path = NULL;

  if (member != NULL && (type == G_TYPE_NONE || json_node_get_value_type (member) == type))
    return member;
  member_path = _holo_json_path_append (path, key);
  refuse (member_path, member, expected, error);
  return NULL;
}

/* Keys that are not known are room for comments; one that looks like a key that is absent is a slip. */
static gboolean
check_keys (JsonObject *object, const gchar *path, const gchar *const *known, GError **error)
{
  g_autoptr (GList) keys = json_object_get_members (object);
  g_autoptr (GPtrArray) absent = g_ptr_array_new ();

  for (guint i = 0; known[i] != NULL; i++)
    if (!json_object_has_member (object, known[i]))
      g_ptr_array_add (absent, (gpointer) known[i]);
  g_ptr_array_add (absent, NULL);
  for (GList *l = keys; l != NULL; l = l->next)
    {
      g_autofree gchar *suggestion = NULL, *member_path = NULL;

      if (g_strv_contains (known, l->data))
        continue;
      suggestion = _holo_did_you_mean (l->data, (const gchar *const *) absent->pdata);
      if (*suggestion == '\0')
        continue;
      member_path = _holo_json_path_append (path, l->data);
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_JSON, "%s: there is no such key%s", member_path, suggestion);
      return FALSE;
    }
  return TRUE;
}

static gboolean
read_node (HoloGraph *graph, const gchar *name, JsonNode *value, GError **error)
{
  static const gchar *const keys[] = { "type", "params", "debug", NULL };
  g_autofree gchar *path = _holo_json_path_append ("/nodes", name);
  JsonNode *kind, *settings, *debug = NULL;
  JsonObject *object;
  guint index;

  if (*name == '\0')
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_JSON, "%s: the name of a node must not be empty", path);
      return FALSE;
    }
  if (!JSON_NODE_HOLDS_OBJECT (value))
    return refuse (path, value, "an object with \"type\" and \"params\"", error);
  object = json_node_get_object (value);
  if (!check_keys (object, path, keys, error))
    return FALSE;
  kind = read_member (object, path, "type", G_TYPE_STRING, "the kind (a string)", error);
  if (kind == NULL)
    return FALSE;
  settings =
      read_member (object, path, "params", G_TYPE_NONE, "the settings (an object, {} when there are none)", error);
  if (settings == NULL)
    return FALSE;
  if (json_object_has_member (object, "debug"))
    {
      debug = read_member (object, path, "debug", G_TYPE_BOOLEAN, "true or false", error);
      if (debug == NULL)
        return FALSE;
    }
  index = holo_graph_add_node (graph, name, json_node_get_string (kind), settings);
  holo_graph_set_node_debug (graph, index, debug == NULL || json_node_get_boolean (debug));
  return TRUE;
}

/* In the order of the names' bytes, so that numbers do not depend on the order in the file. */
static gboolean
read_nodes (HoloGraph *graph, JsonNode *nodes, GError **error)
{
  JsonObject *object = json_node_get_object (nodes);
  g_autoptr (GList) names = g_list_sort (json_object_get_members (object), (GCompareFunc) strcmp);

  for (GList *l = names; l != NULL; l = l->next)
    if (!read_node (graph, l->data, json_object_get_member (object, l->data), error))
      return FALSE;
  return TRUE;
}

/* The name of a node that is there. */
static const gchar *
read_end (HoloGraph *graph, JsonObject *object, const gchar *path, const gchar *key, GError **error)
{
  JsonNode *member = read_member (object, path, key, G_TYPE_STRING, "the name of a node (a string)", error);
  const gchar *name;

  if (member == NULL)
    return NULL;
  name = json_node_get_string (member);
  /* Linking finds the nearest names; it only needs the path. */
  if (holo_graph_find_node (graph, name, NULL) || holo_graph_link (graph, name, 0, name, 0, error))
    return name;
  g_prefix_error (error, "%s/%s: ", path, key);
  return NULL;
}

static gboolean
read_edge (HoloGraph *graph, guint number, JsonNode *value, GError **error)
{
  static const gchar *const keys[] = { "from", "out", "to", "in", NULL };
  static const gchar expected[] = "a slot number (an integer)";
  g_autofree gchar *path = g_strdup_printf ("/edges/%u", number);
  JsonObject *object;
  JsonNode *out, *in;
  const gchar *from, *to;

  if (!JSON_NODE_HOLDS_OBJECT (value))
    return refuse (path, value, "an object with \"from\", \"out\", \"to\" and \"in\"", error);
  object = json_node_get_object (value);
  return check_keys (object, path, keys, error) && (from = read_end (graph, object, path, "from", error)) != NULL &&
         (to = read_end (graph, object, path, "to", error)) != NULL &&
         (out = read_member (object, path, "out", G_TYPE_INT64, expected, error)) != NULL &&
         (in = read_member (object, path, "in", G_TYPE_INT64, expected, error)) != NULL &&
         holo_graph_link (graph, from, json_node_get_int (out), to, json_node_get_int (in), error);
}

static gboolean
read_edges (HoloGraph *graph, JsonNode *edges, GError **error)
{
  JsonArray *array = json_node_get_array (edges);

  for (guint i = 0; i < json_array_get_length (array); i++)
    if (!read_edge (graph, i, json_array_get_element (array, i), error))
      return FALSE;
  return TRUE;
}

/**
 * holo_graph_new_from_json:
 * @root: (transfer none): a graph as JSON; keys that are not known are ignored, unless they look like one that is absent
 * @error: return location
 *
 * Returns: (transfer full) (nullable): the graph; %NULL with %HOLO_ERROR_JSON or, for an edge to a node that
 *   is not there, %HOLO_ERROR_GRAPH. Messages start with the JSON path. The compiler checks kinds, settings
 *   and slot numbers.
 *
 * Since: 0.1
 */
HoloGraph *
holo_graph_new_from_json (JsonNode *root, GError **error)
{
  static const gchar *const keys[] = { "nodes", "edges", NULL };
  g_autoptr (HoloGraph) graph = holo_graph_new ();
  JsonNode *nodes, *edges;
  JsonObject *object;

  g_return_val_if_fail (root != NULL, NULL);

  if (!JSON_NODE_HOLDS_OBJECT (root))
    {
      refuse ("/", root, "an object with \"nodes\" and \"edges\"", error);
      return NULL;
    }
  object = json_node_get_object (root);
  if (!check_keys (object, "", keys, error))
    return NULL;
  nodes = read_member (object, "", "nodes", JSON_TYPE_OBJECT, "an object with a member per node", error);
  if (nodes == NULL || !read_nodes (graph, nodes, error) || !_holo_graph_check_not_empty (graph, error))
    return NULL;
  if (!json_object_has_member (object, "edges"))
    return g_steal_pointer (&graph);
  edges = read_member (object, "", "edges", JSON_TYPE_ARRAY, "an array with an object per edge", error);
  return edges != NULL && read_edges (graph, edges, error) ? g_steal_pointer (&graph) : NULL;
}

/**
 * holo_graph_new_from_text:
 * @text: JSON
 * @length: bytes, or -1
 * @error: return location
 *
 * Returns: (transfer full) (nullable): the graph
 *
 * Since: 0.1
 */
HoloGraph *
holo_graph_new_from_text (const gchar *text, gssize length, GError **error)
{
  g_autoptr (JsonNode) root = holo_json_parse (text, length, error);

  return root != NULL ? holo_graph_new_from_json (root, error) : NULL;
}

/**
 * holo_graph_new_from_file:
 * @filename: a JSON file
 * @error: return location
 *
 * Returns: (transfer full) (nullable): the graph; messages name the file, those of the compiler about it too
 *
 * Since: 0.1
 */
HoloGraph *
holo_graph_new_from_file (const gchar *filename, GError **error)
{
  g_autoptr (JsonNode) root = holo_json_load_file (filename, error);
  HoloGraph *graph;

  if (root == NULL)
    return NULL;
  graph = holo_graph_new_from_json (root, error);
  if (graph == NULL)
    g_prefix_error (error, "%s: ", filename);
  else
    _holo_graph_set_file (graph, filename);
  return graph;
}

/* ---- writing ---- */

static gboolean
write_nodes (HoloGraph *graph, JsonObject *nodes, GError **error)
{
  for (guint i = 0; i < holo_graph_get_n_nodes (graph); i++)
    {
      const HoloGraphNode *node = holo_graph_get_node (graph, i);
      JsonObject *object;

      if (*node->name == '\0')
        {
          g_set_error (error, HOLO_ERROR, HOLO_ERROR_GRAPH, "node %u (%s) has no name and cannot be written", i,
                       node->kind);
          return FALSE;
        }
      if (json_object_has_member (nodes, node->name))
        {
          g_set_error (error, HOLO_ERROR, HOLO_ERROR_GRAPH, "two nodes are called \"%s\" and cannot be written",
                       node->name);
          return FALSE;
        }
      object = json_object_new ();
      json_object_set_string_member (object, "type", node->kind);
      json_object_set_member (object, "params", _holo_json_copy (node->settings));
      if (!node->debug)
        json_object_set_boolean_member (object, "debug", FALSE);
      json_object_set_object_member (nodes, node->name, object);
    }
  return TRUE;
}

static gint
compare_slots (gint64 a, gint64 b)
{
  return a < b ? -1 : a > b;
}

static gint
compare_edges (gconstpointer a, gconstpointer b, gpointer graph)
{
  const HoloGraphEdge *x = *(const HoloGraphEdge *const *) a, *y = *(const HoloGraphEdge *const *) b;
  gint order = strcmp (holo_graph_get_node (graph, x->from)->name, holo_graph_get_node (graph, y->from)->name);

  if (order == 0)
    order = compare_slots (x->out, y->out);
  if (order == 0)
    order = strcmp (holo_graph_get_node (graph, x->to)->name, holo_graph_get_node (graph, y->to)->name);
  return order != 0 ? order : compare_slots (x->in, y->in);
}

static void
write_edges (HoloGraph *graph, JsonArray *edges)
{
  g_autoptr (GPtrArray) sorted = g_ptr_array_new ();

  for (guint i = 0; i < holo_graph_get_n_edges (graph); i++)
    g_ptr_array_add (sorted, (gpointer) holo_graph_get_edge (graph, i));
  g_ptr_array_sort_with_data (sorted, compare_edges, graph);
  for (guint i = 0; i < sorted->len; i++)
    {
      const HoloGraphEdge *edge = g_ptr_array_index (sorted, i);
      JsonObject *object = json_object_new ();

      json_object_set_string_member (object, "from", holo_graph_get_node (graph, edge->from)->name);
      json_object_set_int_member (object, "out", edge->out);
      json_object_set_string_member (object, "to", holo_graph_get_node (graph, edge->to)->name);
      json_object_set_int_member (object, "in", edge->in);
      json_array_add_object_element (edges, object);
    }
}

/**
 * holo_graph_to_json:
 * @graph: a graph
 * @error: return location
 *
 * Returns: (transfer full) (nullable): the graph as JSON, edges sorted; %NULL with %HOLO_ERROR_GRAPH when a
 *   node has no name or two have the same
 *
 * Since: 0.1
 */
JsonNode *
holo_graph_to_json (HoloGraph *graph, GError **error)
{
  g_autoptr (JsonObject) root = json_object_new ();
  JsonObject *nodes = json_object_new ();
  JsonArray *edges = json_array_new ();

  json_object_set_object_member (root, "nodes", nodes);
  json_object_set_array_member (root, "edges", edges);
  if (!write_nodes (graph, nodes, error))
    return NULL;
  write_edges (graph, edges);
  return json_node_init_object (json_node_alloc (), root);
}

/**
 * holo_graph_to_text:
 * @graph: a graph
 * @error: return location
 *
 * Returns: (transfer full) (nullable): as holo_graph_to_json(), as text: equal graphs give equal text
 *
 * Since: 0.1
 */
gchar *
holo_graph_to_text (HoloGraph *graph, GError **error)
{
  g_autoptr (JsonNode) root = holo_graph_to_json (graph, error);

  return root != NULL ? holo_json_to_text (root, TRUE) : NULL;
}
