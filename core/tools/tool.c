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
  HoloGraph *graph;
  gchar buffer[4096];
  gsize n;

  while ((n = fread (buffer, 1, sizeof buffer, stdin)) > 0)
    g_string_append_len (text, buffer, (gssize) n);
  if (ferror (stdin))
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_FILE, "standard input: %s", g_strerror (errno));
      return NULL;
    }
  graph = holo_graph_new_from_text (text->str, (gssize) text->len, error);
  if (graph == NULL)
    g_prefix_error (error, "standard input: ");
  return graph;
}

static gboolean
apply_assignment (HoloGraph *graph, const gchar *assignment, GError **error)
{
  const gchar *equals = strchr (assignment, '=');
  g_autofree gchar *name = equals != NULL ? g_strndup (assignment, (gsize) (equals - assignment)) : g_strdup ("");
  gchar *dot = strrchr (name, '.');

  if (dot == NULL)
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_SETTING, "--set %s: expected NODE.SETTING=VALUE", assignment);
      return FALSE;
    }
  *dot = '\0';
  if (holo_graph_set_setting_text (graph, holo_registry_get_default (), name, dot + 1, equals + 1, error))
    return TRUE;
  g_prefix_error (error, "--set %s: ", assignment);
  return FALSE;
}

HoloGraph *
tool_load_graph (const gchar *filename, gchar **assignments, GError **error)
{
  g_autoptr (HoloGraph) graph =
      g_str_equal (filename, "-") ? read_standard_input (error) : holo_graph_new_from_file (filename, error);

  if (graph == NULL)
    return NULL;
  for (guint i = 0; assignments != NULL && assignments[i] != NULL; i++)
    if (!apply_assignment (graph, assignments[i], error))
      return NULL;
  return g_steal_pointer (&graph);
}

/* An Input of the graph, or an error that names the nearest. */
static gboolean
check_input_name (HoloGraph *graph, const gchar *name, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autofree gchar *nearest = NULL, *list = NULL;

  for (guint i = 0; i < holo_graph_get_n_nodes (graph); i++)
    {
      const HoloGraphNode *node = holo_graph_get_node (graph, i);

      if (!g_str_equal (holo_registry_resolve_alias (holo_registry_get_default (), node->kind), "Input"))
        continue;
      if (g_str_equal (node->name, name))
        return TRUE;
      g_ptr_array_add (names, node->name);
    }
  g_ptr_array_add (names, NULL);
  nearest = holo_nearest_names (name, (const gchar *const *) names->pdata);
  list = g_strjoinv (", ", (gchar **) names->pdata);
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_GRAPH, "/nodes: there is no Input \"%s\"; %s%s%s", name,
               nearest != NULL  ? "did you mean "
               : names->len > 1 ? "the graph has "
                                : "the graph has none",
               nearest != NULL ? nearest : list, nearest != NULL ? "?" : "");
  return FALSE;
}

/* "name=F32:4,512,512" */
static gboolean
apply_input (HoloCompiler *compiler, HoloGraph *graph, const gchar *text, GError **error)
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
                   "expected NAME=DTYPE:DIM,DIM,..., for example Input=U8:1024,1024");
      return FALSE;
    }
  if (!check_input_name (graph, name[0], error) || !holo_dtype_from_name (type[0], &dtype, error))
    return FALSE;
  for (guint i = 0; i < rank; i++)
    if (!g_ascii_string_to_signed (dims[i], 10, 0, G_MAXINT64, &shape[i], NULL))
      {
        g_set_error (error, HOLO_ERROR, HOLO_ERROR_SETTING,
                     "the dimension \"%s\" is not allowed; expected an integer of at least 0", dims[i]);
        return FALSE;
      }
  holo_compiler_set_input_desc (compiler, name[0],
                                holo_tensor_desc_init (&desc, dtype, HOLO_MEM_LOC_HOST, rank, shape));
  return TRUE;
}

HoloCompiler *
tool_new_compiler (HoloGraph *graph, const gchar *device_name, gchar **inputs, GError **error)
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
    if (!apply_input (compiler, graph, inputs[i], error))
      {
        g_prefix_error (error, "--input %s: ", inputs[i]);
        return NULL;
      }
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
