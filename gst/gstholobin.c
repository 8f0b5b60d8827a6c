/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-holoflowbin
 *
 * Runs a graph of Holoflow tasks: one sink pad `sink_NAME` per Input and one source pad `src_NAME` per
 * Output.
 *
 * |[
 * gst-launch-1.0 videotestsrc ! video/x-raw,format=GRAY8 ! holoflowbin graph-location=graph.json ! fakesink
 * ]|
 *
 * Settings of nodes are reached as `node::setting`, also while playing.
 */
#include "gstholobin.h"

#include "gstholobinnode.h"
#include "gstholohost-private.h"
#include "gstholotopology.h"
#include "gstholovideocaps.h"

enum
{
  PROP_0,
  PROP_GRAPH,
  PROP_GRAPH_LOCATION,
  PROP_PLANE,
};

struct _GstHoloBin
{
  GstHoloHost parent_instance;

  /* guarded by the object lock */
  gchar *graph;
  gchar *location;
  HoloGraph *parsed; /* NULL as long as there is none, or a bad one */
  GError *parse_error;
  GPtrArray *nodes;    /* GstHoloBinNode, in the order of the graph */
  GHashTable *unknown; /* names that were asked for and are not in the graph */
  guint n_placeholders;
};

static void child_proxy_init (gpointer interface, gpointer data);

G_DEFINE_FINAL_TYPE_WITH_CODE (GstHoloBin, gst_holo_bin, GST_TYPE_HOLO_HOST,
                               G_IMPLEMENT_INTERFACE (GST_TYPE_CHILD_PROXY, child_proxy_init))
GST_ELEMENT_REGISTER_DEFINE (holoflowbin, "holoflowbin", GST_RANK_NONE, GST_TYPE_HOLO_BIN)

/* ---- the graph ---- */

static GPtrArray *
make_nodes (GstHoloBin *bin, HoloGraph *graph)
{
  GPtrArray *nodes = g_ptr_array_new_with_free_func (gst_object_unref);

  for (guint i = 0; graph != NULL && i < holo_graph_get_n_nodes (graph); i++)
    {
      GstHoloBinNode *node = gst_holo_bin_node_new (GST_HOLO_HOST (bin), holo_graph_get_node (graph, i));

      if (node != NULL)
        g_ptr_array_add (nodes, node);
    }
  return nodes;
}

static void
announce_nodes (GstHoloBin *bin, GPtrArray *nodes, gboolean added)
{
  for (guint i = 0; i < nodes->len; i++)
    {
      GObject *node = g_ptr_array_index (nodes, i);

      if (added)
        gst_child_proxy_child_added (GST_CHILD_PROXY (bin), node, GST_OBJECT_NAME (node));
      else
        gst_child_proxy_child_removed (GST_CHILD_PROXY (bin), node, GST_OBJECT_NAME (node));
    }
}

/* Takes @graph and @error; one of them is set, or neither. */
static void
set_graph (GstHoloBin *bin, HoloGraph *graph, GError *error)
{
  GPtrArray *nodes = make_nodes (bin, graph), *old_nodes;
  HoloGraph *old_graph;

  GST_OBJECT_LOCK (bin);
  old_graph = bin->parsed;
  old_nodes = bin->nodes;
  bin->parsed = graph;
  bin->nodes = g_ptr_array_ref (nodes);
  g_clear_error (&bin->parse_error);
  bin->parse_error = error;
  GST_OBJECT_UNLOCK (bin);
  gst_holo_host_graph_changed (GST_HOLO_HOST (bin));
  gst_holo_host_set_roles (GST_HOLO_HOST (bin), graph);
  announce_nodes (bin, old_nodes, FALSE);
  announce_nodes (bin, nodes, TRUE);
  g_clear_pointer (&old_graph, holo_graph_unref);
  g_ptr_array_unref (old_nodes);
  g_ptr_array_unref (nodes);
}

static void
read_graph (GstHoloBin *bin)
{
  g_autofree gchar *text = NULL, *location = NULL;
  HoloGraph *graph = NULL;
  GError *error = NULL;

  GST_OBJECT_LOCK (bin);
  text = g_strdup (bin->graph);
  location = g_strdup (bin->location);
  GST_OBJECT_UNLOCK (bin);
  if (text != NULL)
    graph = holo_graph_new_from_text (text, -1, &error);
  else if (location != NULL)
    graph = holo_graph_new_from_file (location, &error);
  set_graph (bin, graph, error);
}

static HoloGraph *
ref_graph (GstHoloBin *bin)
{
  HoloGraph *graph;

  GST_OBJECT_LOCK (bin);
  graph = bin->parsed != NULL ? holo_graph_ref (bin->parsed) : NULL;
  GST_OBJECT_UNLOCK (bin);
  return graph;
}

/* (nullable): the graph, if it can be what is meant: kinds, settings and slots are right. */
static HoloGraph *
ref_valid_graph (GstHoloBin *bin)
{
  HoloGraph *graph = ref_graph (bin);

  if (graph != NULL && !gst_holo_graph_check (graph, gst_holo_host_get_registry (GST_HOLO_HOST (bin)), NULL))
    g_clear_pointer (&graph, holo_graph_unref);
  return graph;
}

static HoloGraph *
gst_holo_bin_build_graph (GstHoloHost *host, GError **error)
{
  GstHoloBin *bin = GST_HOLO_BIN (host);
  HoloGraph *graph = ref_graph (bin);

  if (graph != NULL)
    return graph;
  GST_OBJECT_LOCK (bin);
  if (bin->parse_error != NULL)
    g_propagate_error (error, g_error_copy (bin->parse_error));
  GST_OBJECT_UNLOCK (bin);
  if (error != NULL && *error == NULL)
    g_set_error (error, HOLO_ERROR, HOLO_ERROR_GRAPH,
                 "there is no graph: set \"graph\" to its JSON text or \"graph-location\" to a file");
  return NULL;
}

static gboolean
refuse_unknown (HoloGraph *graph, const gchar *name, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autofree gchar *nearest = NULL;
  g_autofree gchar *all = NULL;

  if (holo_graph_find_node (graph, name, NULL))
    return TRUE;
  for (guint i = 0; i < holo_graph_get_n_nodes (graph); i++)
    g_ptr_array_add (names, holo_graph_get_node (graph, i)->name);
  g_ptr_array_add (names, NULL);
  nearest = holo_nearest_names (name, (const gchar *const *) names->pdata);
  all = g_strjoinv (", ", (gchar **) names->pdata);
  if (nearest != NULL)
    g_set_error (error, HOLO_ERROR, HOLO_ERROR_SETTING, "the graph has no node \"%s\"; did you mean %s?", name,
                 nearest);
  else
    g_set_error (error, HOLO_ERROR, HOLO_ERROR_SETTING, "the graph has no node \"%s\"; it has: %s", name, all);
  return FALSE;
}

/* Names asked of the child proxy that are not in the graph: gst-launch-1.0 only waits for them to appear. */
static gboolean
gst_holo_bin_check (GstHoloHost *host, GError **error)
{
  GstHoloBin *bin = GST_HOLO_BIN (host);
  g_autoptr (HoloGraph) graph = ref_graph (bin);
  GHashTableIter iter;
  gboolean ok = TRUE;
  gpointer name;

  GST_OBJECT_LOCK (bin);
  g_hash_table_iter_init (&iter, bin->unknown);
  while (ok && g_hash_table_iter_next (&iter, &name, NULL))
    ok = refuse_unknown (graph, name, error);
  GST_OBJECT_UNLOCK (bin);
  return ok;
}

/* ---- nodes as children ---- */

static GObject *
get_child_by_name (GstChildProxy *proxy, const gchar *name)
{
  GstHoloBin *bin = GST_HOLO_BIN (proxy);
  GObject *child = NULL;

  GST_OBJECT_LOCK (bin);
  for (guint i = 0; i < bin->nodes->len && child == NULL; i++)
    if (g_str_equal (GST_OBJECT_NAME (g_ptr_array_index (bin->nodes, i)), name))
      child = g_object_ref (g_ptr_array_index (bin->nodes, i));
  if (child == NULL)
    g_hash_table_add (bin->unknown, g_strdup (name));
  GST_OBJECT_UNLOCK (bin);
  return child;
}

static GObject *
get_child_by_index (GstChildProxy *proxy, guint index)
{
  GstHoloBin *bin = GST_HOLO_BIN (proxy);
  GObject *child = NULL;

  GST_OBJECT_LOCK (bin);
  if (index < bin->nodes->len)
    child = g_object_ref (g_ptr_array_index (bin->nodes, index));
  GST_OBJECT_UNLOCK (bin);
  return child;
}

static guint
get_children_count (GstChildProxy *proxy)
{
  GstHoloBin *bin = GST_HOLO_BIN (proxy);
  guint n;

  GST_OBJECT_LOCK (bin);
  n = bin->nodes->len;
  GST_OBJECT_UNLOCK (bin);
  return n;
}

static void
child_proxy_init (gpointer interface, gpointer data)
{
  GstChildProxyInterface *proxy = interface;

  proxy->get_child_by_name = get_child_by_name;
  proxy->get_child_by_index = get_child_by_index;
  proxy->get_children_count = get_children_count;
}

/* ---- pads ---- */

static gboolean
has_pad_for (GstHoloBin *bin, GstPadDirection direction, const gchar *node)
{
  gboolean found = FALSE;

  GST_OBJECT_LOCK (bin);
  for (GList *item = GST_ELEMENT_PADS (bin); item != NULL && !found; item = item->next)
    found = GST_PAD_DIRECTION (item->data) == direction && g_strcmp0 (gst_holo_pad_get_node (item->data), node) == 0;
  GST_OBJECT_UNLOCK (bin);
  return found;
}

static gboolean
is_end (HoloGraph *graph, guint node, GstPadDirection direction)
{
  return direction == GST_PAD_SINK ? gst_holo_graph_is_input (graph, node) : gst_holo_graph_is_output (graph, node);
}

/* (transfer full) (nullable): the first Input or Output that has no pad yet. */
static gchar *
find_free_end (GstHoloBin *bin, HoloGraph *graph, GstPadDirection direction)
{
  for (guint i = 0; i < holo_graph_get_n_nodes (graph); i++)
    {
      const gchar *name = holo_graph_get_node (graph, i)->name;

      if (is_end (graph, i, direction) && !has_pad_for (bin, direction, name))
        return g_strdup (name);
    }
  return NULL;
}

/* The part of a pad's name that names a node; NULL for "sink", "src" and no name at all. */
static const gchar *
get_asked_node (const gchar *name, const gchar *prefix)
{
  return name != NULL && g_str_has_prefix (name, prefix) && name[strlen (prefix)] != '\0' ? name + strlen (prefix)
                                                                                          : NULL;
}

static gchar *
choose_node (GstHoloBin *bin, HoloGraph *graph, GstPadDirection direction, const gchar *asked)
{
  guint node;

  if (asked == NULL)
    return find_free_end (bin, graph, direction);
  if (holo_graph_find_node (graph, asked, &node) && is_end (graph, node, direction) &&
      !has_pad_for (bin, direction, asked))
    return g_strdup (asked);
  return NULL;
}

/* As long as there is no valid graph any pad is given: the error then comes at READY and says what is wrong
 * with the graph, instead of "could not link". */
static GstPad *
add_placeholder (GstHoloBin *bin, GstPadTemplate *templ, const gchar *name, const gchar *prefix, const gchar *asked)
{
  g_autofree gchar *made = g_strdup_printf ("%s%u", prefix, bin->n_placeholders++);

  return gst_holo_host_add_pad (GST_HOLO_HOST (bin), templ, name != NULL ? name : made, asked);
}

static GstPad *
gst_holo_bin_request_new_pad (GstElement *element, GstPadTemplate *templ, const gchar *name, const GstCaps *caps)
{
  GstHoloBin *bin = GST_HOLO_BIN (element);
  GstPadDirection direction = GST_PAD_TEMPLATE_DIRECTION (templ);
  const gchar *prefix = direction == GST_PAD_SINK ? "sink_" : "src_", *asked = get_asked_node (name, prefix);
  g_autoptr (HoloGraph) graph = ref_valid_graph (bin);
  g_autofree gchar *node = NULL, *pad_name = NULL;

  if (graph == NULL)
    return add_placeholder (bin, templ, name, prefix, asked);
  node = choose_node (bin, graph, direction, asked);
  if (node == NULL)
    {
      GST_WARNING_OBJECT (bin, "no %s is left for pad \"%s\"", direction == GST_PAD_SINK ? "Input" : "Output",
                          name != NULL ? name : prefix);
      return NULL;
    }
  pad_name = name != NULL ? g_strdup (name) : g_strconcat (prefix, node, NULL);
  return gst_holo_host_add_pad (GST_HOLO_HOST (bin), templ, pad_name, node);
}

static void
gst_holo_bin_release_pad (GstElement *element, GstPad *pad)
{
  gst_holo_host_remove_pad (GST_HOLO_HOST (element), pad);
}

static void
add_template (GstElementClass *klass, const gchar *name, GstPadDirection direction, const GstCaps *caps)
{
  gst_element_class_add_pad_template (klass, gst_pad_template_new (name, direction, GST_PAD_REQUEST, (GstCaps *) caps));
}

static void
add_templates (GstElementClass *klass)
{
  GstCaps *tensors = gst_holo_caps_new_template (HOLO_DTYPES_ALL, HOLO_MEM_LOCS_ANY, 0, HOLO_MAX_RANK);
  GstCaps *taken = gst_caps_copy (tensors);

  gst_caps_append (taken, gst_holo_caps_new_video_template_full (HOLO_MEM_LOCS_ANY, 0));
  add_template (klass, "sink_%s", GST_PAD_SINK, taken);
  add_template (klass, "sink", GST_PAD_SINK, taken);
  add_template (klass, "src_%s", GST_PAD_SRC, tensors);
  add_template (klass, "src", GST_PAD_SRC, tensors);
  gst_caps_unref (taken);
  gst_caps_unref (tensors);
}

/* ---- object ---- */

static void
set_text (GstHoloBin *bin, gchar **member, gchar **other, const GValue *value)
{
  GST_OBJECT_LOCK (bin);
  g_free (*member);
  *member = g_value_dup_string (value);
  if (*member != NULL)
    g_clear_pointer (other, g_free);
  GST_OBJECT_UNLOCK (bin);
  read_graph (bin);
}

static void
gst_holo_bin_set_property (GObject *object, guint property_id, const GValue *value, GParamSpec *pspec)
{
  GstHoloBin *bin = GST_HOLO_BIN (object);

  switch (property_id)
    {
    case PROP_GRAPH:
      set_text (bin, &bin->graph, &bin->location, value);
      break;
    case PROP_GRAPH_LOCATION:
      set_text (bin, &bin->location, &bin->graph, value);
      break;
    case PROP_PLANE:
      gst_holo_host_set_plane (GST_HOLO_HOST (bin), g_value_get_int (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
      break;
    }
}

static void
gst_holo_bin_get_property (GObject *object, guint property_id, GValue *value, GParamSpec *pspec)
{
  GstHoloBin *bin = GST_HOLO_BIN (object);

  GST_OBJECT_LOCK (bin);
  switch (property_id)
    {
    case PROP_GRAPH:
      g_value_set_string (value, bin->graph);
      break;
    case PROP_GRAPH_LOCATION:
      g_value_set_string (value, bin->location);
      break;
    case PROP_PLANE:
      g_value_set_int (value, gst_holo_host_get_plane (GST_HOLO_HOST (bin)));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
      break;
    }
  GST_OBJECT_UNLOCK (bin);
}

static void
gst_holo_bin_finalize (GObject *object)
{
  GstHoloBin *bin = GST_HOLO_BIN (object);

  g_free (bin->graph);
  g_free (bin->location);
  g_clear_pointer (&bin->parsed, holo_graph_unref);
  g_clear_error (&bin->parse_error);
  g_ptr_array_unref (bin->nodes);
  g_hash_table_unref (bin->unknown);
  G_OBJECT_CLASS (gst_holo_bin_parent_class)->finalize (object);
}

static void
gst_holo_bin_class_init (GstHoloBinClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;

  object_class->set_property = gst_holo_bin_set_property;
  object_class->get_property = gst_holo_bin_get_property;
  object_class->finalize = gst_holo_bin_finalize;
  element_class->request_new_pad = gst_holo_bin_request_new_pad;
  element_class->release_pad = gst_holo_bin_release_pad;
  GST_HOLO_HOST_CLASS (klass)->build_graph = gst_holo_bin_build_graph;
  GST_HOLO_HOST_CLASS (klass)->check = gst_holo_bin_check;

  g_object_class_install_property (object_class, PROP_GRAPH,
                                   g_param_spec_string ("graph", "Graph", "The graph as JSON text", NULL, flags));
  g_object_class_install_property (
      object_class, PROP_GRAPH_LOCATION,
      g_param_spec_string ("graph-location", "Graph location", "A file that holds the graph as JSON", NULL, flags));
  g_object_class_install_property (object_class, PROP_PLANE, gst_holo_plane_new_param_spec ());
  /**
   * GstHoloBin::set-settings:
   * @bin: the element
   * @node: name of a node
   * @settings: its settings by name
   *
   * Sets several settings of a node together, for values that are valid only together.
   */
  g_signal_new_class_handler ("set-settings", GST_TYPE_HOLO_BIN, G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION,
                              G_CALLBACK (gst_holo_host_set_settings), NULL, NULL, NULL, G_TYPE_NONE, 2, G_TYPE_STRING,
                              GST_TYPE_STRUCTURE);
  add_templates (element_class);
  gst_element_class_set_static_metadata (element_class, "Holoflow graph", "Filter/Effect/Tensor",
                                         "Runs a compiled graph of tensor tasks", "The Holoflow for GStreamer authors");
}

static void
gst_holo_bin_init (GstHoloBin *bin)
{
  bin->nodes = g_ptr_array_new_with_free_func (gst_object_unref);
  bin->unknown = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
}
