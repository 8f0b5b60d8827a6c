/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For test-json-schema.py: the schema of graph files, and what the reader says to graphs.
 *
 *   graph-reader schema    prints the schema
 *   graph-reader read      a graph per line of standard input; a line "ok", or what is wrong, for each
 *
 * Beside the library's kinds it knows "Toy", whose names are as awkward as names may be. */
#include <stdio.h>

#include <holoflow/holoflow.h>

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

/* What the compiler's first pass asks of a node. */
static gboolean
check_node (HoloRegistry *registry, const HoloGraphNode *node, GError **error)
{
  g_autoptr (HoloTaskFactory) factory = holo_registry_create_factory (registry, node->kind, error);

  if (factory == NULL)
    return FALSE;
  if (JSON_NODE_HOLDS_OBJECT (node->settings))
    {
      if (!holo_settings_apply_json (factory, json_node_get_object (node->settings), "", error))
        return FALSE;
    }
  else if (!JSON_NODE_HOLDS_NULL (node->settings))
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_SETTING, "settings must be an object");
      return FALSE;
    }
  return holo_settings_check_required (factory, error);
}

static gboolean
check_graph (HoloRegistry *registry, const gchar *text, GError **error)
{
  g_autoptr (HoloGraph) graph = holo_graph_new_from_text (text, -1, error);

  for (guint i = 0; graph != NULL && i < holo_graph_get_n_nodes (graph); i++)
    if (!check_node (registry, holo_graph_get_node (graph, i), error))
      return FALSE;
  return graph != NULL;
}

static void
drop_message (const gchar *domain, GLogLevelFlags level, const gchar *message, gpointer user_data)
{
}

static void
read_graphs (HoloRegistry *registry)
{
  g_autoptr (GIOChannel) input = g_io_channel_unix_new (0);
  gchar *line = NULL;

  /* That a key is ignored. */
  g_log_set_default_handler (drop_message, NULL);
  while (g_io_channel_read_line (input, &line, NULL, NULL, NULL) == G_IO_STATUS_NORMAL)
    {
      g_autoptr (GError) error = NULL;

      printf ("%s\n", check_graph (registry, line, &error) ? "ok" : g_strdelimit (error->message, "\n", ' '));
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
    read_graphs (registry);
  else
    return 2;
  return 0;
}
