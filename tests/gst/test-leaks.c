/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* With GStreamer's leaks tracer: nothing of ours stays behind. */
#include <math.h>

#include <gst/app/gstappsink.h>

#include "gst-test.h"

/* Behind a tee: one branch has the roots, the other its input untouched, and nothing is left over. */
static void
test_tee (void)
{
  GstElement *pipeline = test_launch ("holosequence shape=<64,64> count=50 ! tee name=t ! queue ! holosqrt ! "
                                      "appsink name=a sync=false t. ! queue ! appsink name=b sync=false");
  GstElement *a = gst_bin_get_by_name (GST_BIN (pipeline), "a"), *b = gst_bin_get_by_name (GST_BIN (pipeline), "b");

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  for (guint n = 0; n < 50; n++)
    {
      g_autoptr (GstSample) root = gst_app_sink_pull_sample (GST_APP_SINK (a));
      g_autoptr (GstSample) plain = gst_app_sink_pull_sample (GST_APP_SINK (b));
      GstMapInfo x, y;

      gst_buffer_map (gst_sample_get_buffer (root), &x, GST_MAP_READ);
      gst_buffer_map (gst_sample_get_buffer (plain), &y, GST_MAP_READ);
      for (guint i = 0; i < 64 * 64; i++)
        {
          g_assert_cmpfloat (((gfloat *) y.data)[i], ==, n + i);
          g_assert_cmpfloat (((gfloat *) x.data)[i], ==, sqrtf (n + i));
        }
      gst_buffer_unmap (gst_sample_get_buffer (root), &x);
      gst_buffer_unmap (gst_sample_get_buffer (plain), &y);
    }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (a);
  gst_object_unref (b);
  gst_object_unref (pipeline);
  g_assert_cmpuint (test_count_alive (""), ==, 0);
}

/* The same when downstream fails. */
static void
test_tee_error (void)
{
  GstElement *pipeline = test_launch ("holosequence shape=<64,64> count=50 ! tee name=t ! queue ! holosqrt ! "
                                      "identity error-after=3 ! fakesink t. ! queue ! fakesink");
  g_autofree gchar *error = test_play (pipeline);

  g_assert_nonnull (error);
  gst_object_unref (pipeline);
  g_assert_cmpuint (test_count_alive (""), ==, 0);
}

static void
give_example_settings (GstElement *element, HoloTaskFactory *factory)
{
  const gchar *text = holo_task_factory_class_get_example (HOLO_TASK_FACTORY_GET_CLASS (factory));
  g_autoptr (JsonNode) node = text != NULL ? json_from_string (text, NULL) : NULL;
  guint n;
  g_autofree GParamSpec **settings = holo_settings_list (HOLO_TASK_FACTORY_GET_CLASS (factory), &n);

  if (node == NULL)
    return;
  g_assert_true (holo_settings_apply_json (factory, json_node_get_object (node), "", NULL));
  for (guint i = 0; i < n; i++)
    if (holo_settings_is_set (factory, settings[i]->name))
      {
        g_autoptr (JsonNode) value_node = NULL;
        g_autofree gchar *value_text = NULL, *unquoted = NULL;
        g_auto (GValue) value = G_VALUE_INIT;
        GString *array = NULL;

        g_value_init (&value, settings[i]->value_type);
        g_object_get_property (G_OBJECT (factory), settings[i]->name, &value);
        value_node = holo_setting_to_json (settings[i], &value);
        value_text = json_to_string (value_node, FALSE);
        unquoted = g_strdup (g_strdelimit (value_text, "\"", ' '));
        array = g_string_new (g_strstrip (unquoted));
        g_strdelimit (array->str, "[", '<');
        g_strdelimit (array->str, "]", '>');
        gst_util_set_object_arg (G_OBJECT (element), settings[i]->name, array->str);
        g_string_free (array, TRUE);
      }
}

/* NULL, READY, PAUSED and back, three times over, with the settings of the kind's own example. */
static void
test_every_state (void)
{
  g_auto (GStrv) kinds = holo_registry_list_kinds (holo_registry_get_default ());

  for (guint k = 0; kinds[k] != NULL; k++)
    {
      g_autofree gchar *lower = g_ascii_strdown (kinds[k], -1), *name = g_strconcat ("holo", lower, NULL);
      GstElement *element = gst_element_factory_make (name, NULL);
      g_autoptr (HoloTaskFactory) factory = holo_registry_create_factory (holo_registry_get_default (), kinds[k], NULL);

      if (element == NULL)
        continue;
      give_example_settings (element, factory);
      for (guint i = 0; i < 3; i++)
        {
          if (gst_element_set_state (element, GST_STATE_READY) != GST_STATE_CHANGE_SUCCESS)
            g_error ("%s does not become READY", name);
          /* sources that read a file find none */
          gst_element_set_state (element, GST_STATE_PAUSED);
          g_assert_cmpint (gst_element_set_state (element, GST_STATE_READY), ==, GST_STATE_CHANGE_SUCCESS);
          g_assert_cmpint (gst_element_set_state (element, GST_STATE_NULL), ==, GST_STATE_CHANGE_SUCCESS);
        }
      gst_object_unref (element);
    }
  g_assert_cmpuint (test_count_alive ("GstHolo"), ==, 0);
}

int
main (int argc, char **argv)
{
  test_init_leaks ();
  test_init_gst (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leaks/tee", test_tee);
  g_test_add_func ("/leaks/tee-error", test_tee_error);
  g_test_add_func ("/leaks/every-state", test_every_state);
  return g_test_run ();
}
