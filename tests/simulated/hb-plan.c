/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the checker wants to know of a plan. */
#include "hb-checker.h"

void
hb_checker_add_plan (HoloPlan *plan)
{
  for (guint i = 0; i < holo_plan_get_n_nodes (plan); i++)
    {
      const HoloInference *inference = holo_plan_get_node_inference (plan, i);
      guint64 borrowed_in = 0, borrowed_out = 0, views_out = 0;

      for (guint j = 0; j < holo_inference_get_n_inputs (inference); j++)
        if (!holo_inference_get_input (inference, j)->owned && !holo_inference_get_input (inference, j)->adopts)
          borrowed_in |= (guint64) 1 << MIN (j, 63);
      for (guint j = 0; j < holo_inference_get_n_outputs (inference); j++)
        {
          const HoloInferredOutput *output = holo_inference_get_output (inference, j);

          if (!output->owned && !output->lent)
            borrowed_out |= (guint64) 1 << MIN (j, 63);
          if (output->in_place == HOLO_IN_PLACE_VIEW)
            views_out |= (guint64) 1 << MIN (j, 63);
        }
      /* all at once: an earlier plan may be running the very task */
      hb_checker_set_slots (holo_plan_get_node_task (plan, i), borrowed_in, borrowed_out, views_out,
                            g_str_equal (holo_plan_get_node_kind (plan, i), "BatchQueue"));
    }
}
