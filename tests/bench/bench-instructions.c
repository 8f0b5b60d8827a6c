/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Push, one Sqrt, pull: what the library does for a frame, to be counted in instructions (callgrind), which do not depend on
 * the machine. Usage: bench-instructions [FRAMES]; the difference of two numbers of frames leaves the set-up out. */
#include <holoflow/holoflow.h>
#include <stdlib.h>

static const gchar graph_text[] =
    "{\"nodes\": {\"in\": {\"type\": \"Input\", \"params\": {\"dtype\": \"F32\", \"shape\": [4]}},"
    " \"sqrt\": {\"type\": \"Sqrt\", \"params\": {}}, \"out\": {\"type\": \"Output\", \"params\": {}}},"
    " \"edges\": [{\"from\": \"in\", \"out\": 0, \"to\": \"sqrt\", \"in\": 0},"
    " {\"from\": \"sqrt\", \"out\": 0, \"to\": \"out\", \"in\": 0}]}";

int
main (int argc, char **argv)
{
  guint n_frames = argc > 1 ? (guint) strtoul (argv[1], NULL, 10) : 20000;
  const gint64 shape[] = { 4 };
  g_autoptr (HoloGraph) graph = holo_graph_new_from_text (graph_text, -1, NULL);
  g_autoptr (HoloCompiler) compiler = holo_compiler_new (NULL);
  g_autoptr (HoloPlan) plan = holo_compiler_compile (compiler, graph, NULL, NULL);
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);
  g_autoptr (HoloEnd) in = holo_scheduler_get_input (scheduler, "in", NULL);
  g_autoptr (HoloEnd) out = holo_scheduler_get_output (scheduler, "out", NULL);
  g_autoptr (HoloBlock) block = holo_block_new_alloc (4 * sizeof (gfloat), NULL);
  HoloTensorDesc desc;

  holo_tensor_desc_init (&desc, HOLO_DTYPE_F32, HOLO_MEM_LOC_HOST, 1, shape);
  holo_scheduler_set_driving (scheduler, HOLO_DRIVING_INPUTS);
  if (!holo_scheduler_start (scheduler, NULL))
    return 1;
  for (guint i = 0; i < n_frames; i++)
    {
      HoloFrame frame = HOLO_FRAME_INIT, result = HOLO_FRAME_INIT;

      frame.block = holo_block_ref (block);
      frame.desc = desc;
      if (holo_end_push (in, &frame, NULL, NULL) != HOLO_OP_OK ||
          holo_end_pull (out, &result, NULL, NULL) != HOLO_OP_OK)
        return 1;
      holo_frame_clear (&result);
    }
  holo_scheduler_stop (scheduler);
  return holo_scheduler_wait (scheduler, NULL) ? 0 : 1;
}
