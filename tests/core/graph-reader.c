/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For test-json-schema.py and test-errors.py: the schema of graph files, and what is said to graphs.
 *
 *   graph-reader schema    prints the schema
 *   graph-reader read      a graph per line of standard input; for each a line "ok" and the graph as we write it, or what is
 *                          wrong
 *   graph-reader compile   the same without the graph: it is read and compiled
 *
 * Beside the library's kinds it knows "Toy", whose names are as awkward as names may be. */
#include <stdio.h>

#include <holoflow/holoflow.h>

#ifdef __SANITIZE_ADDRESS__
/* More memory than there is has to be refused, not to end the program. */
const char *__asan_default_options (void) __attribute__ ((visibility ("default")));

const char *
__asan_default_options (void)
{
  return "allocator_may_return_null=1";
}
#endif

typedef struct
{
  HoloSyncTaskFactory parent_instance;
  HoloDType target;
  gint64 inner, outer, mix_a, mix_b, size, size_max, extra_depth, old_new;
  gdouble weight;
  GArray *axes, *taps;
  JsonNode *extra, *anything;
  gchar *name;
  gboolean enabled;
} Toy;

typedef HoloSyncTaskFactoryClass ToyClass;

static GType toy_get_type (void);
G_DEFINE_TYPE (Toy, toy, HOLO_TYPE_SYNC_TASK_FACTORY)

static gboolean
toy_infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  return TRUE;
}

static HoloSyncTask *
toy_create (HoloSyncTaskFactory *factory, const HoloInference *inference, const HoloSyncCreateContext *context,
            GError **error)
{
  g_assert_not_reached ();
}

static void
install_int64 (ToyClass *klass, const gchar *name, HoloSettingFlags flags, gsize offset)
{
  holo_settings_install_int64 (klass, name, name, NULL, 0, 100, 1, flags, offset);
}

static void
toy_class_init (ToyClass *klass)
{
  HOLO_TASK_FACTORY_CLASS (klass)->infer = toy_infer;
  HOLO_SYNC_TASK_FACTORY_CLASS (klass)->create = toy_create;
  holo_settings_install_enum (klass, "target", "Required", HOLO_TYPE_DTYPE, HOLO_DTYPE_F32, HOLO_SETTING_REQUIRED,
                              G_STRUCT_OFFSET (Toy, target));
  holo_settings_add_alias (klass, "target", "goal-type");
  /* A group that may be null; one of it has a name in another group. */
  install_int64 (klass, "ring-r-inner", HOLO_SETTING_NULLABLE, G_STRUCT_OFFSET (Toy, inner));
  install_int64 (klass, "ring-r-outer", HOLO_SETTING_NULLABLE, G_STRUCT_OFFSET (Toy, outer));
  holo_settings_add_alias (klass, "ring-r-outer", "mix-width");
  holo_settings_add_alias (klass, "ring-r-outer", "ring-width");
  /* A group that may not. */
  install_int64 (klass, "mix-a", HOLO_SETTING_NONE, G_STRUCT_OFFSET (Toy, mix_a));
  install_int64 (klass, "mix-b", HOLO_SETTING_NULLABLE, G_STRUCT_OFFSET (Toy, mix_b));
  /* A setting and a group of one name. */
  install_int64 (klass, "size", HOLO_SETTING_NULLABLE, G_STRUCT_OFFSET (Toy, size));
  install_int64 (klass, "size-max", HOLO_SETTING_NONE, G_STRUCT_OFFSET (Toy, size_max));
  /* A setting that takes the object itself. */
  holo_settings_install_json (klass, "extra", "Anything", HOLO_SETTING_NULLABLE, G_STRUCT_OFFSET (Toy, extra));
  install_int64 (klass, "extra-depth", HOLO_SETTING_NONE, G_STRUCT_OFFSET (Toy, extra_depth));
  holo_settings_install_json (klass, "anything", "Not null", HOLO_SETTING_NONE, G_STRUCT_OFFSET (Toy, anything));
  /* Ignored, ignored with a setting behind it, ignored in a group of its own. */
  holo_settings_add_ignored (klass, "use_buffer", "memory is planned");
  holo_settings_add_ignored (klass, "old", "it is old");
  install_int64 (klass, "old-new", HOLO_SETTING_NULLABLE, G_STRUCT_OFFSET (Toy, old_new));
  holo_settings_add_ignored (klass, "gpu-grid-size", "it is computed");
  holo_settings_install_double (klass, "weight", "Number", NULL, 0.5, 2, 1, HOLO_SETTING_NONE,
                                G_STRUCT_OFFSET (Toy, weight));
  holo_settings_install_int64_array (klass, "axes", "Axes", NULL, -8, 7, HOLO_SETTING_NULLABLE,
                                     G_STRUCT_OFFSET (Toy, axes));
  holo_settings_add_alias (klass, "axes", "axis");
  holo_settings_install_double_array (klass, "taps", "Numbers", NULL, -1, 1, HOLO_SETTING_NONE,
                                      G_STRUCT_OFFSET (Toy, taps));
  holo_settings_install_string (klass, "name-text", "Text", NULL, HOLO_SETTING_NULLABLE, G_STRUCT_OFFSET (Toy, name));
  holo_settings_install_boolean (klass, "enabled", "Flag", TRUE, HOLO_SETTING_NONE, G_STRUCT_OFFSET (Toy, enabled));
}

static void
toy_init (Toy *toy)
{
}

static void
print_schema (HoloRegistry *registry)
{
  g_autoptr (JsonNode) schema = holo_graph_get_json_schema (registry);
  g_autofree gchar *text = holo_json_to_text (schema, FALSE);

  printf ("%s\n", text);
}

/* What the compiler's first pass asks of a node. Its settings become those that the factory would write. */
static gboolean
check_node (HoloRegistry *registry, HoloGraph *graph, guint index, GError **error)
{
  const HoloGraphNode *node = holo_graph_get_node (graph, index);
  g_autoptr (HoloTaskFactory) factory = holo_registry_create_factory (registry, node->kind, error);
  g_autoptr (JsonNode) settings = json_node_new (JSON_NODE_OBJECT);

  if (factory == NULL)
    return FALSE;
  if (!JSON_NODE_HOLDS_OBJECT (node->settings))
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_SETTING, "settings must be an object");
      return FALSE;
    }
  if (!holo_settings_apply_json (factory, json_node_get_object (node->settings), "", error) ||
      !holo_settings_check_required (factory, error))
    return FALSE;
  json_node_take_object (settings, holo_settings_get_json (factory));
  holo_graph_set_node_settings (graph, index, settings);
  return TRUE;
}

/* (transfer full) (nullable): the graph as it is written */
static gchar *
rewrite_graph (HoloRegistry *registry, const gchar *text, GError **error)
{
  g_autoptr (HoloGraph) graph = holo_graph_new_from_text (text, -1, error);
  g_autoptr (JsonNode) json = NULL;

  if (graph == NULL)
    return NULL;
  for (guint i = 0; i < holo_graph_get_n_nodes (graph); i++)
    if (!check_node (registry, graph, i, error))
      return NULL;
  json = holo_graph_to_json (graph, error);
  return json != NULL ? holo_json_to_text (json, FALSE) : NULL;
}

static gchar *
compile_graph (HoloRegistry *registry, const gchar *text, GError **error)
{
  g_autoptr (HoloGraph) graph = holo_graph_new_from_text (text, -1, error);
  g_autoptr (HoloCompiler) compiler = holo_compiler_new (registry);
  g_autoptr (HoloPlan) plan = graph != NULL ? holo_compiler_compile (compiler, graph, NULL, error) : NULL;

  return plan != NULL ? g_strdup ("") : NULL;
}

static void
drop_message (const gchar *domain, GLogLevelFlags level, const gchar *message, gpointer user_data)
{
}

static void
read_graphs (HoloRegistry *registry, gchar *(*read) (HoloRegistry *registry, const gchar *text, GError **error))
{
  g_autoptr (GIOChannel) input = g_io_channel_unix_new (0);
  gchar *line = NULL;

  /* That a key is ignored. */
  g_log_set_default_handler (drop_message, NULL);
  while (g_io_channel_read_line (input, &line, NULL, NULL, NULL) == G_IO_STATUS_NORMAL)
    {
      g_autoptr (GError) error = NULL;
      g_autofree gchar *text = read (registry, line, &error);

      if (text != NULL)
        printf ("ok %s\n", text);
      else
        printf ("%s\n", g_strdelimit (error->message, "\n", ' '));
      g_free (line);
    }
}

int
main (int argc, char **argv)
{
  HoloRegistry *registry = holo_registry_get_default ();

  g_assert_true (holo_registry_register_sync (registry, "Toy", toy_get_type (), NULL));
  if (argc == 2 && g_str_equal (argv[1], "schema"))
    print_schema (registry);
  else if (argc == 2 && g_str_equal (argv[1], "read"))
    read_graphs (registry, rewrite_graph);
  else if (argc == 2 && g_str_equal (argv[1], "compile"))
    read_graphs (registry, compile_graph);
  else
    return 2;
  return 0;
}
