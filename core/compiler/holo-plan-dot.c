/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A plan as a picture: sections as clusters, tensors on the edges, asynchronous nodes as octagons between them. */
#include <string.h>

#include "compiler/holo-plan-private.h"

#include "graph/holo-dot.h"
#include "base/holo-json.h"

static void
append_resources (GString *text, HoloPlan *plan)
{
  g_string_append (text, "  // --- resources summary ---\n  // streams:\n");
  for (guint i = 0; i < plan->sections->len; i++)
    if (plan->runnable)
      g_string_append_printf (text, "  //   %u: %p\n", i, (gpointer) _holo_plan_section (plan, i)->stream->stream);
  g_string_append (text, "  // tasks:\n");
  for (guint i = 0; i < plan->nodes->len; i++)
    g_string_append_printf (text, "  //   %s\n", _holo_plan_node (plan, i)->name);
  g_string_append (text, "  // storages:\n");
  for (guint i = 0; i < plan->storages->len; i++)
    {
      const HoloPlanStorage *storage = _holo_plan_storage (plan, i);

      g_string_append_printf (text, "  //   s%u: %s, %" G_GSIZE_FORMAT " bytes, memory %d\n", i,
                              _holo_storage_class_get_name (storage->storage_class), storage->size, storage->memory);
    }
}

static void
append_node (GString *text, HoloPlan *plan, guint index, const gchar *indent)
{
  const HoloPlanNode *node = _holo_plan_node (plan, index);
  g_autoptr (GString) label = g_string_new (NULL);
  const gchar *style = "";

  g_string_append_printf (label, "%s\n(%s)", node->name, node->kind);
  if (node->debug)
    {
      JsonNode *settings = json_node_new (JSON_NODE_OBJECT);
      g_autofree gchar *settings_text = NULL;

      json_node_take_object (settings, holo_settings_get_json (node->factory));
      settings_text = holo_json_to_text (settings, FALSE);
      if (!g_str_equal (settings_text, "{}"))
        g_string_append_printf (label, "\n%.300s%s", settings_text, strlen (settings_text) > 300 ? "..." : "");
      json_node_unref (settings);
    }
  if (node->note != NULL)
    g_string_append_printf (label, "\n%s", node->note);
  if (!_holo_plan_node_is_sync (node))
    style = node->section_in >= 0 && node->section_out >= 0 ? ", style=bold"
            : node->section_out < 0                         ? ", color=blue, style=dashed"
                                                            : ", color=red, style=dashed";
  g_string_append_printf (text, "%sv%u [shape=%s%s, label=\"", indent, index,
                          _holo_plan_node_is_sync (node) ? "box" : "octagon", style);
  _holo_dot_append_escaped (text, label->str);
  g_string_append (text, "\"];\n");
}

static void
append_section (GString *text, HoloPlan *plan, guint index)
{
  const HoloPlanSection *section = _holo_plan_section (plan, index);

  g_string_append_printf (text, "  subgraph cluster_section_%u {\n    label=\"Section %u: %s\";\n", index, index,
                          section->name);
  for (guint i = 0; i < section->nodes->len; i++)
    append_node (text, plan, g_array_index (section->nodes, guint, i), "    ");
  g_string_append (text, "  }\n");
}

static void
append_edges (GString *text, HoloPlan *plan, guint index)
{
  const HoloPlanTensor *tensor = _holo_plan_tensor (plan, index);
  g_autofree gchar *desc = holo_tensor_desc_to_string (&tensor->desc);

  for (guint i = 0; i < tensor->consumers->len; i++)
    {
      HoloPlanPort port = g_array_index (tensor->consumers, HoloPlanPort, i);

      g_string_append_printf (text,
                              "  v%u -> v%u [label=\"tid:%u (s:%u%s)\\n%s\", taillabel=\"%u\", headlabel=\"%u\"];\n",
                              tensor->producer.node, port.node, index, tensor->storage, tensor->shares ? "*" : "", desc,
                              tensor->producer.slot, port.slot);
    }
}

/**
 * holo_plan_to_dot:
 * @plan: a plan
 *
 * Returns: (transfer full): a Graphviz digraph; an edge shows tensor id, storage id and, by `*`, that it shares the storage
 *   of an input
 *
 * Since: 0.1
 */
gchar *
holo_plan_to_dot (HoloPlan *plan)
{
  GString *text = g_string_new ("digraph holoflow_compiled {\n  rankdir=LR;\n  node [fontname=\"Helvetica\"];\n");

  append_resources (text, plan);
  for (guint i = 0; i < plan->sections->len; i++)
    append_section (text, plan, i);
  for (guint i = 0; i < plan->nodes->len; i++)
    if (!_holo_plan_node_is_sync (_holo_plan_node (plan, i)))
      append_node (text, plan, i, "  ");
  for (guint i = 0; i < plan->tensors->len; i++)
    append_edges (text, plan, i);
  g_string_append (text, "}\n");
  return g_string_free (text, FALSE);
}
