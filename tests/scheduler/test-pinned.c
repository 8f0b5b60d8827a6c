/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Host memory that device copies touch comes from the device, wherever queues carry it; other host memory does
 * not. */
#include <stdlib.h>
#include <string.h>

#include "sim-device.h"
#include "test-run.h"

/* How the plan's text describes the storage of the first tensor of @node. */
static void
assert_storage (HoloPlan *plan, const gchar *node, const gchar *expected)
{
  g_autofree gchar *text = holo_plan_to_text (plan);
  g_autofree gchar *from = g_strdup_printf (", from \"%s\":0 ", node);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  g_autofree gchar *storage = NULL;

  for (guint i = 0; lines[i] != NULL; i++)
    {
      const gchar *in = strstr (lines[i], " in s");

      if (storage == NULL && strstr (lines[i], from) != NULL)
        storage = g_strdup_printf ("  s%d ", atoi (in + strlen (" in s")));
      else if (storage != NULL && g_str_has_prefix (lines[i], storage))
        {
          if (strstr (lines[i], expected) == NULL)
            g_error ("the storage of \"%s\" is \"%s\", not %s", node, lines[i], expected);
          return;
        }
    }
  g_error ("no storage of \"%s\" in\n%s", node, text);
}

static void
test_pinned (void)
{
  HoloDevice *device = sim_device_new (1, 0);
  {
    g_autoptr (HoloPlan) plan =
        test_compile ("source SequenceSource {\"base\": [0, 1], \"end\": 20}\na Queue {}\nb Queue {}\n"
                      "up Transfer {\"target\": \"Device\"}\ndown Transfer {\"target\": \"Host\"}\nc Queue {}\n"
                      "scale Sum {}\nd Queue {}\nsink HistoryCollect {}\n"
                      "source > a > b > up > down > c > scale > d > sink\n",
                      device);

    assert_storage (plan, "source", "pool, 8 bytes, pinned Host");
    assert_storage (plan, "up", "plan, 8 bytes, Device");
    assert_storage (plan, "down", "pool, 8 bytes, pinned Host");
    assert_storage (plan, "scale", "pool, 8 bytes, Host");
    test_run_plan (plan);
    test_assert_frame (plan, "sink", 1, 2, 1.0, 3.0);
  }
  g_assert_finalize_object (device);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pinned", test_pinned);
  return g_test_run ();
}
