/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "../tensor/holo-tensor-desc.h"

G_BEGIN_DECLS

/**
 * HoloInPlace:
 * @HOLO_IN_PLACE_NONE: the output has storage of its own
 * @HOLO_IN_PLACE_VIEW: the output is another view of the input's storage; the task does not write
 * @HOLO_IN_PLACE_MAY: the task may write its output over the input; separate storage is also right
 * @HOLO_IN_PLACE_MUST: the task only works when output and input share storage; the compiler copies the input first
 *   where it may not be overwritten
 *
 * How the memory of an output belongs to that of an input.
 *
 * Since: 0.1
 */
typedef enum
{
  HOLO_IN_PLACE_NONE,
  HOLO_IN_PLACE_VIEW,
  HOLO_IN_PLACE_MAY,
  HOLO_IN_PLACE_MUST,
} HoloInPlace;

/**
 * HoloInferredInput:
 * @desc: the tensor as the task accepts it (equal to what it was given)
 * @owned: the task offers slots: acquire_input() is called before the producer runs
 * @adopts: asynchronous tasks: takes the producer's storage by reference (needs no slot)
 *
 * What a task does with one of its inputs. A plain value.
 *
 * Since: 0.1
 */
typedef struct
{
  HoloTensorDesc desc;
  gboolean owned;
  gboolean adopts;

  /*< private >*/
  gpointer padding[4];
} HoloInferredInput;

#define HOLO_TYPE_INFERRED_INPUT (holo_inferred_input_get_type ())
HOLO_API GType holo_inferred_input_get_type (void);

/**
 * holo_inferred_input_copy:
 * @input: an input
 *
 * Any thread.
 *
 * Returns: (transfer full): a copy, to be freed with holo_inferred_input_free()
 *
 * Since: 0.1
 */
HOLO_API HoloInferredInput *holo_inferred_input_copy (const HoloInferredInput *input);
/**
 * holo_inferred_input_free:
 * @input: (transfer full): what holo_inferred_input_copy() gave
 *
 * Any thread.
 *
 * Since: 0.1
 */
HOLO_API void holo_inferred_input_free (HoloInferredInput *input);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HoloInferredInput, holo_inferred_input_free)

/**
 * HoloInferredOutput:
 * @desc: the tensor the task gives
 * @owned: the task publishes the address in execute() or try_pop(); release_output() follows
 * @lent: asynchronous tasks: try_pop() publishes a #HoloBlock whose reference the runtime drops after use
 * @writable: owned or lent memory that consumers may overwrite in place (FALSE unless set)
 * @lends_input: index of the adopted input whose blocks come out here, or -1
 * @in_place: relation to the storage of input @in_place_input
 * @in_place_input: input index, or -1
 * @rate_n: frames given per frame taken, numerator
 * @rate_d: denominator; 1/1 unless set, 0/1 = not known
 * @held_min: frames held back before the first comes out
 * @held_max: most frames held inside, G_MAXUINT = no limit
 *
 * What a task does with one of its outputs. A plain value.
 *
 * Since: 0.1
 */
typedef struct
{
  HoloTensorDesc desc;
  gboolean owned;
  gboolean lent;
  gboolean writable;
  gint lends_input;
  HoloInPlace in_place;
  gint in_place_input;
  gint rate_n;
  gint rate_d;
  guint held_min;
  guint held_max;

  /*< private >*/
  gpointer padding[4];
} HoloInferredOutput;

#define HOLO_TYPE_INFERRED_OUTPUT (holo_inferred_output_get_type ())
HOLO_API GType holo_inferred_output_get_type (void);

/**
 * holo_inferred_output_copy:
 * @output: an output
 *
 * Any thread.
 *
 * Returns: (transfer full): a copy, to be freed with holo_inferred_output_free()
 *
 * Since: 0.1
 */
HOLO_API HoloInferredOutput *holo_inferred_output_copy (const HoloInferredOutput *output);
/**
 * holo_inferred_output_free:
 * @output: (transfer full): what holo_inferred_output_copy() gave
 *
 * Any thread.
 *
 * Since: 0.1
 */
HOLO_API void holo_inferred_output_free (HoloInferredOutput *output);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HoloInferredOutput, holo_inferred_output_free)

/**
 * HoloInference:
 * @type: synchronous or asynchronous; must agree with the factory
 * @inputs: (element-type HoloInferredInput): one per connected input, filled before infer() is called
 * @outputs: (element-type HoloInferredOutput): one per output, appended by infer()
 * @stateful: results depend on earlier frames; QoS never skips it, reset applies (TRUE unless set)
 * @handles_fences: see #HoloTensorView.fence (FALSE unless set: the host waits before try_push and release_output)
 * @signals_readiness: asynchronous: every change of readiness comes through the runtime, retry_at or
 *   holo_async_task_wake(); otherwise refused calls are also retried on a timer (FALSE unless set)
 * @capture_safe: execute() enqueues the same device work each time and nothing else (FALSE unless set)
 * @synchronizes_producer_stream: try_push() waits for the producer's stream itself before it returns OK
 * @uses_stream: execute() enqueues work on the section's stream; set by default when a tensor lies on the device
 *
 * A factory's contract with the compiler for one node.
 *
 * Since: 0.1
 */
struct _HoloInference
{
  HoloTaskType type;
  GArray *inputs;
  GArray *outputs;
  gboolean stateful;
  gboolean handles_fences;
  gboolean signals_readiness;
  gboolean capture_safe;
  gboolean synchronizes_producer_stream;
  gboolean uses_stream;

  /*< private >*/
  gpointer padding[4];
};

#define HOLO_TYPE_INFERENCE (holo_inference_get_type ())
HOLO_API GType holo_inference_get_type (void);

HOLO_API HoloInference *holo_inference_new (HoloTaskType type);
HOLO_API void holo_inference_free (HoloInference *inference);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HoloInference, holo_inference_free)
HOLO_API HoloInference *holo_inference_dup (const HoloInference *inference);
HOLO_API void holo_inference_init (HoloInference *inference, HoloTaskType type);
HOLO_API void holo_inference_clear (HoloInference *inference);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HoloInference, holo_inference_clear)
HOLO_API void holo_inference_copy (HoloInference *dst, const HoloInference *src);
HOLO_API guint holo_inference_get_n_inputs (const HoloInference *inference);
HOLO_API guint holo_inference_get_n_outputs (const HoloInference *inference);
HOLO_API HoloInferredInput *holo_inference_add_input (HoloInference *inference, const HoloTensorDesc *desc);
HOLO_API HoloInferredOutput *holo_inference_add_output (HoloInference *inference, const HoloTensorDesc *desc);
HOLO_API HoloInferredInput *holo_inference_get_input (const HoloInference *inference, guint index);
HOLO_API HoloInferredOutput *holo_inference_get_output (const HoloInference *inference, guint index);
HOLO_API const HoloTensorDesc *holo_inference_get_input_desc (const HoloInference *inference, guint index);
HOLO_API const HoloTensorDesc *holo_inference_get_output_desc (const HoloInference *inference, guint index);

G_END_DECLS
