/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tasks of element-wise kinds: a loop over the elements that is known when the task is made, and a launcher.
 */
#include "holo-cuda-map.h"

typedef struct
{
  HoloCudaLoop loop;
  HoloCudaKernel kernel;
  HoloCudaMap map;
  HoloCudaMap2 map2;
  HoloDType out;
  HoloDType in[2];
  int option;
} State;

static gboolean
run_map (HoloCudaTask *task, HoloSyncContext *context, cudaStream_t stream, GError **error)
{
  State *state = task->state;
  cudaError_t status = state->map (&state->loop, (int) state->out, (int) state->in[0], state->option,
                                   holo_tensor_view_get_data (context->outputs[0]),
                                   holo_tensor_view_get_data (context->inputs[0]), &state->kernel, stream);

  return HOLO_CUDA_CHECK (task->device, status, error);
}

static gboolean
run_map2 (HoloCudaTask *task, HoloSyncContext *context, cudaStream_t stream, GError **error)
{
  State *state = task->state;
  cudaError_t status =
      state->map2 (&state->loop, (int) state->out, (int) state->in[0], (int) state->in[1],
                   holo_tensor_view_get_data (context->outputs[0]), holo_tensor_view_get_data (context->inputs[0]),
                   holo_tensor_view_get_data (context->inputs[1]), &state->kernel, stream);

  return HOLO_CUDA_CHECK (task->device, status, error);
}

static State *
new_state (HoloCudaTask *task, const HoloInference *inference)
{
  State *state = g_new0 (State, 1);
  guint n_inputs = holo_inference_get_n_inputs (inference);

  holo_cuda_loop_init (&state->loop, holo_inference_get_output_desc (inference, 0),
                       holo_inference_get_input_desc (inference, 0),
                       n_inputs > 1 ? holo_inference_get_input_desc (inference, 1) : NULL);
  state->out = holo_inference_get_output_desc (inference, 0)->dtype;
  for (guint i = 0; i < n_inputs; i++)
    state->in[i] = holo_inference_get_input_desc (inference, i)->dtype;
  task->state = state;
  task->free_state = g_free;
  return state;
}

void
holo_cuda_task_set_map (HoloCudaTask *task, const HoloInference *inference, HoloCudaMap map, int option)
{
  State *state = new_state (task, inference);

  state->map = map;
  state->option = option;
  task->run = run_map;
}

void
holo_cuda_task_set_map2 (HoloCudaTask *task, const HoloInference *inference, HoloCudaMap2 map)
{
  State *state = new_state (task, inference);

  state->map2 = map;
  task->run = run_map2;
}
