/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Graphs from anybody: reading either gives an error or a graph whose text reads back as the same, can be
 * drawn, and whose settings are taken or refused by the built-in kinds. */
#include <holoflow/holoflow.h>

#include <stdint.h>

int LLVMFuzzerInitialize (int *argc, char ***argv);
int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static HoloRegistry *registry;

static GLogWriterOutput
keep_quiet (GLogLevelFlags level, const GLogField *fields, gsize n_fields, gpointer user_data)
{
  g_assert ((level & (G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING)) == 0);
  return G_LOG_WRITER_HANDLED;
}

int
LLVMFuzzerInitialize (int *argc, char ***argv)
{
  g_log_set_writer_func (keep_quiet, NULL, NULL);
  registry = holo_registry_new ();
  holo_registry_add_builtin (registry);
  return 0;
}

/* Applied settings read back as JSON that is accepted again and changes nothing. */
static void
try_settings (const HoloGraphNode *node)
{
  g_autoptr (HoloTaskFactory) factory = holo_registry_create_factory (registry, node->kind, NULL);
  g_autoptr (JsonObject) settings = NULL;
  g_autoptr (GError) error = NULL;

  if (factory == NULL || !JSON_NODE_HOLDS_OBJECT (node->settings))
    return;
  if (!holo_settings_apply_json (factory, json_node_get_object (node->settings), "", &error))
    {
      g_assert (error != NULL && error->domain == HOLO_ERROR);
      return;
    }
  g_assert (error == NULL);
  settings = holo_settings_get_json (factory);
  if (!holo_settings_apply_json (factory, settings, "", &error))
    g_error ("settings of %s are not read back: %s", node->kind, error->message);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HoloGraph) graph = holo_graph_new_from_text ((const gchar *) data, (gssize) size, &error), again = NULL;
  g_autofree gchar *text = NULL, *text_again = NULL, *dot = NULL;

  g_assert ((graph == NULL) == (error != NULL));
  if (graph == NULL)
    {
      g_assert (error->domain == HOLO_ERROR && g_utf8_validate (error->message, -1, NULL));
      return 0;
    }
  text = holo_graph_to_text (graph, &error);
  if (text == NULL)
    g_error ("a graph that was read is not written: %s", error->message);
  again = holo_graph_new_from_text (text, -1, &error);
  if (again == NULL)
    g_error ("a graph that was written is not read: %s", error->message);
  text_again = holo_graph_to_text (again, NULL);
  g_assert_cmpstr (text, ==, text_again);
  dot = holo_graph_to_dot (graph);
  for (guint i = 0; i < holo_graph_get_n_nodes (graph); i++)
    try_settings (holo_graph_get_node (graph, i));
  return 0;
}
