/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tools/tool.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

gboolean
tool_parse (int *argc, char ***argv, const gchar *usage, const gchar *summary, const GOptionEntry *entries,
            guint n_args, gboolean optional, int *status)
{
  g_autofree gchar *program = g_strconcat ("holoflow ", (*argv)[0], NULL);
  GOptionContext *context = g_option_context_new (usage);
  g_autoptr (GError) error = NULL;
  gboolean success;

  g_set_prgname (program);
  g_option_context_set_summary (context, summary);
  if (entries != NULL)
    g_option_context_add_main_entries (context, entries, NULL);
  success = g_option_context_parse (context, argc, argv, &error);
  g_option_context_free (context);
  g_set_prgname ("holoflow");
  if (!success)
    fprintf (stderr, "%s: %s\n", program, error->message);
  else if ((guint) *argc - 1 > n_args || (!optional && (guint) *argc - 1 < n_args))
    {
      fprintf (stderr, "%s: expected %u argument%s, got %d; see %s --help\n", program, n_args, n_args == 1 ? "" : "s",
               *argc - 1, program);
      success = FALSE;
    }
  *status = TOOL_USAGE;
  return success;
}

int
tool_fail (const GError *error)
{
  fprintf (stderr, "holoflow: %s\n", error->message);
  return TOOL_FAILED;
}

static HoloGraph *
read_standard_input (GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  gchar buffer[4096];
  gsize n;

  while ((n = fread (buffer, 1, sizeof buffer, stdin)) > 0)
    g_string_append_len (text, buffer, (gssize) n);
  if (ferror (stdin))
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_FILE, "standard input: %s", g_strerror (errno));
      return NULL;
    }
  return holo_graph_new_from_text (text->str, (gssize) text->len, error);
}

/* The value of "node.setting=value" as JSON, by the setting's own type. */
static JsonNode *
parse_value (HoloGraph *graph, const gchar *node_name, const gchar *setting, const gchar *text, GError **error)
{
  g_autoptr (HoloTaskFactory) factory = NULL;
  g_auto (GValue) value = G_VALUE_INIT;
  g_autofree gchar *canonical = g_strdelimit (g_strdup (setting), "_", '-');
  GParamSpec *pspec;
  guint index;

  if (!holo_graph_find_node (graph, node_name, &index))
    {
      g_autoptr (GPtrArray) names = g_ptr_array_new ();
      g_autofree gchar *near = NULL;

      for (guint i = 0; i < holo_graph_get_n_nodes (graph); i++)
        g_ptr_array_add (names, holo_graph_get_node (graph, i)->name);
      g_ptr_array_add (names, NULL);
      near = holo_nearest_names (node_name, (const gchar *const *) names->pdata);
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_GRAPH, "--set: the graph has no node \"%s\"%s%s%s", node_name,
                   near != NULL ? "; did you mean " : "", near != NULL ? near : "", near != NULL ? "?" : "");
      return NULL;
    }
  factory =
      holo_registry_create_factory (holo_registry_get_default (), holo_graph_get_node (graph, index)->kind, error);
  if (factory == NULL)
    return NULL;
  pspec = g_object_class_find_property (G_OBJECT_GET_CLASS (factory), canonical);
  if (pspec == NULL || !holo_setting_is_setting (pspec))
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_SETTING, "--set: node \"%s\" (%s) has no setting \"%s\"", node_name,
                   holo_graph_get_node (graph, index)->kind, setting);
      return NULL;
    }
  if (!holo_setting_value_from_string (pspec, text, &value, error))
    {
      g_prefix_error (error, "--set %s.%s: ", node_name, setting);
      return NULL;
    }
  return holo_setting_to_json (pspec, &value);
}

static gboolean
apply_assignment (HoloGraph *graph, const gchar *assignment, GError **error)
{
  const gchar *equals = strchr (assignment, '=');
  g_autofree gchar *name = equals != NULL ? g_strndup (assignment, (gsize) (equals - assignment)) : g_strdup ("");
  gchar *dot = strrchr (name, '.');
  g_autoptr (JsonNode) value = NULL;

  if (dot == NULL)
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_SETTING, "--set %s: expected NODE.SETTING=VALUE", assignment);
      return FALSE;
    }
  *dot = '\0';
  value = parse_value (graph, name, dot + 1, equals + 1, error);
  return value != NULL && holo_graph_set_setting (graph, name, dot + 1, value, error);
}

HoloGraph *
tool_load_graph (const gchar *filename, gchar **assignments, GError **error)
{
  g_autoptr (HoloGraph) graph =
      g_str_equal (filename, "-") ? read_standard_input (error) : holo_graph_new_from_file (filename, error);

  if (graph == NULL)
    return NULL;
  if (holo_graph_get_n_nodes (graph) == 0)
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_GRAPH,
                   "%s: the graph is empty: \"nodes\" must have at least a source, such as Sequence or NpyReader; "
                   "\"holoflow list\" shows all kinds",
                   filename);
      return NULL;
    }
  for (guint i = 0; assignments != NULL && assignments[i] != NULL; i++)
    if (!apply_assignment (graph, assignments[i], error))
      return NULL;
  return g_steal_pointer (&graph);
}

/* "name=F32:4,512,512" */
static gboolean
apply_input (HoloCompiler *compiler, const gchar *text, GError **error)
{
  g_auto (GStrv) name = g_strsplit (text, "=", 2);
  g_auto (GStrv) type = g_strv_length (name) == 2 ? g_strsplit (name[1], ":", 2) : NULL;
  g_auto (GStrv) dims = type != NULL && g_strv_length (type) == 2 ? g_strsplit (type[1], ",", -1) : NULL;
  gint64 shape[HOLO_MAX_RANK];
  HoloTensorDesc desc;
  HoloDType dtype;
  guint rank = dims != NULL ? g_strv_length (dims) : 0;

  if (dims == NULL || rank > HOLO_MAX_RANK)
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_SETTING,
                   "--input %s: expected NAME=DTYPE:DIM,DIM,..., for example Input=U8:1024,1024", text);
      return FALSE;
    }
  if (!holo_dtype_from_name (type[0], &dtype, error))
    return FALSE;
  for (guint i = 0; i < rank; i++)
    if (!g_ascii_string_to_signed (dims[i], 10, 0, G_MAXINT64, &shape[i], error))
      {
        g_prefix_error (error, "--input %s: ", text);
        return FALSE;
      }
  holo_compiler_set_input_desc (compiler, name[0],
                                holo_tensor_desc_init (&desc, dtype, HOLO_MEM_LOC_HOST, rank, shape));
  return TRUE;
}

HoloCompiler *
tool_new_compiler (const gchar *device_name, gchar **inputs, GError **error)
{
  g_autoptr (HoloCompiler) compiler = holo_compiler_new (NULL);

  if (device_name != NULL)
    {
      g_autoptr (HoloDevice) device = holo_device_new_by_name (holo_registry_get_default (), device_name, error);

      if (device == NULL)
        return NULL;
      holo_compiler_set_device (compiler, device);
    }
  for (guint i = 0; inputs != NULL && inputs[i] != NULL; i++)
    if (!apply_input (compiler, inputs[i], error))
      return NULL;
  return g_steal_pointer (&compiler);
}

void
tool_print_wrapped (const gchar *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  for (guint i = 0; lines[i] != NULL; i++)
    {
      g_auto (GStrv) words = g_strsplit (lines[i], " ", -1);
      glong column = 0;

      for (guint k = 0; words[k] != NULL; k++)
        {
          glong width = g_utf8_strlen (words[k], -1);

          if (column > 0 && column + 1 + width > 98)
            {
              printf ("\n");
              column = 0;
            }
          printf ("%s%s", column == 0 ? "  " : " ", words[k]);
          column += width + 1;
        }
      printf ("\n");
    }
}
