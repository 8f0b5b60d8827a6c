/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* `check` and `plan`: what the compiler says of a graph, without running it. */
#include "tools/tool.h"

#include <stdio.h>
#include <string.h>

static gchar **inputs;
static gchar **assignments;
static gchar *device;

#define COMMON_ENTRIES                                                                                                 \
  { "input", 'i', 0, G_OPTION_ARG_STRING_ARRAY, &inputs, "Tensor of an Input, as NAME=DTYPE:DIM,DIM,...", "TENSOR" },  \
      { "set", 's', 0, G_OPTION_ARG_STRING_ARRAY, &assignments, "Change a setting", "NODE.SETTING=VALUE" },            \
  {                                                                                                                    \
    "device", 'd', 0, G_OPTION_ARG_STRING, &device, "host, auto or cuda:N", "DEVICE"                                   \
  }

/* Name of an Input whose tensor neither its settings nor --input say. */
static const gchar *
find_open_input (HoloGraph *graph)
{
  for (guint i = 0; i < holo_graph_get_n_nodes (graph); i++)
    {
      const HoloGraphNode *node = holo_graph_get_node (graph, i);
      JsonObject *settings = node->settings != NULL && JSON_NODE_HOLDS_OBJECT (node->settings)
                                 ? json_node_get_object (node->settings)
                                 : NULL;
      gboolean known =
          settings != NULL && json_object_has_member (settings, "dtype") && json_object_has_member (settings, "shape");

      for (guint k = 0; inputs != NULL && inputs[k] != NULL; k++)
        known |= g_str_has_prefix (inputs[k], node->name) && inputs[k][strlen (node->name)] == '=';
      if (g_str_equal (node->kind, "Input") && !known)
        return node->name;
    }
  return NULL;
}

/* The graph in @filename and a compiler for it, by the options. */
static HoloCompiler *
prepare (const gchar *filename, HoloGraph **graph, GError **error)
{
  *graph = tool_load_graph (filename, assignments, error);
  return *graph != NULL ? tool_new_compiler (*graph, device, inputs, error) : NULL;
}

int
tool_check (int argc, char **argv)
{
  const GOptionEntry entries[] = { COMMON_ENTRIES, { NULL, 0, 0, 0, NULL, NULL, NULL } };
  g_autoptr (GError) error = NULL;
  g_autoptr (HoloGraph) graph = NULL;
  g_autoptr (HoloCompiler) compiler = NULL;
  g_autoptr (HoloPlan) plan = NULL;
  const gchar *open_input;
  int status;

  if (!tool_parse (&argc, &argv, "GRAPH", "Checks a graph (a JSON file, - for standard input).", entries, 1, FALSE,
                   &status))
    return status;
  compiler = prepare (argv[1], &graph, &error);
  if (compiler == NULL || !holo_compiler_check (compiler, graph, &error))
    return tool_fail (error);
  open_input = find_open_input (graph);
  if (open_input != NULL)
    {
      printf ("%s: names, settings and edges of %u nodes are right; to check the tensors too, say what \"%s\" gets: "
              "--input %s=U8:512,512\n",
              argv[1], holo_graph_get_n_nodes (graph), open_input, open_input);
      return TOOL_OK;
    }
  plan = holo_compiler_infer (compiler, graph, &error);
  if (plan == NULL)
    return tool_fail (error);
  printf ("%s: %u nodes, %u sections, nothing wrong\n", argv[1], holo_plan_get_n_nodes (plan),
          holo_plan_get_n_sections (plan));
  return TOOL_OK;
}

int
tool_plan (int argc, char **argv)
{
  gboolean as_json = FALSE, as_dot = FALSE;
  const GOptionEntry entries[] = {
    COMMON_ENTRIES,
    { "json", 0, 0, G_OPTION_ARG_NONE, &as_json, "Print JSON", NULL },
    { "dot", 0, 0, G_OPTION_ARG_NONE, &as_dot, "Print a picture for Graphviz", NULL },
    { NULL, 0, 0, 0, NULL, NULL, NULL },
  };
  g_autoptr (GError) error = NULL;
  g_autoptr (HoloGraph) graph = NULL;
  g_autoptr (HoloCompiler) compiler = NULL;
  g_autoptr (HoloPlan) plan = NULL;
  g_autofree gchar *text = NULL;
  int status;

  if (!tool_parse (&argc, &argv, "GRAPH", "Shows how a graph would run.", entries, 1, FALSE, &status))
    return status;
  if (as_json && as_dot)
    {
      fprintf (stderr, "holoflow plan: --json and --dot exclude each other\n");
      return TOOL_USAGE;
    }
  compiler = prepare (argv[1], &graph, &error);
  plan = compiler != NULL ? holo_compiler_infer (compiler, graph, &error) : NULL;
  if (plan == NULL)
    return tool_fail (error);
  if (as_json)
    {
      g_autoptr (JsonNode) node = holo_plan_to_json (plan);

      text = holo_json_to_text (node, TRUE);
    }
  else
    text = as_dot ? holo_plan_to_dot (plan) : holo_plan_to_text (plan);
  printf ("%s\n", text);
  return TOOL_OK;
}
