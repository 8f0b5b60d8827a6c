/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What HOLOFLOW_DEBUG prints of a plan. */
#include "compiler/holo-plan-private.h"
#include "base/holo-environment.h"

static void
append_places (GString *text, HoloPlan *plan)
{
  for (guint i = 0; i < plan->nodes->len; i++)
    {
      const HoloPlanNode *node = _holo_plan_node (plan, i);

      g_string_append_printf (text, "  \"%s\" (%s) runs on %s\n", node->name, node->kind,
                              node->inference.uses_stream ? holo_device_get_name (plan->device) : "the host");
    }
}

static void
log_part (HoloPlan *plan, const gchar *topic, void (*append) (GString *text, HoloPlan *plan))
{
  g_autoptr (GString) text = NULL;

  if (!holo_environment_has_debug (topic))
    return;
  text = g_string_new (NULL);
  append (text, plan);
  g_message ("%s:\n%s", topic, text->str);
}

/* After a plan was compiled. */
void
_holo_plan_log (HoloPlan *plan)
{
  log_part (plan, "infer", _holo_plan_append_tensors);
  log_part (plan, "place", append_places);
  log_part (plan, "storage", _holo_plan_append_storages);
  log_part (plan, "schedule", _holo_plan_append_sections);
}
