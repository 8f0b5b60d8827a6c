/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "task/holo-map-factory.h"

#include "base/holo-define-type.h"
#include "base/holo-error.h"
#include "tensor/holo-loop.h"
#include "task/holo-task-private.h"

HOLO_DEFINE_TYPE (HoloMapFactory, holo_map_factory, HOLO_TYPE_SYNC_TASK_FACTORY, G_TYPE_FLAG_ABSTRACT)

/* One input: the second one's types equal the first one's. */
typedef struct
{
  guint n_inputs;
  HoloDType in[HOLO_LOOP_MAX_INPUTS];
  HoloDType as[HOLO_LOOP_MAX_INPUTS]; /* what the formula takes */
  HoloDType out;
  HoloMapFunc func;
} HoloMapRule;

static const HoloMapRule *
find_rule (gpointer factory, const HoloInference *inference)
{
  GArray *rules = HOLO_MAP_FACTORY_GET_CLASS (factory)->rules;
  HoloDType a = holo_inference_get_input_desc (inference, 0)->dtype;
  HoloDType b = holo_inference_get_input_desc (inference, holo_inference_get_n_inputs (inference) - 1)->dtype;

  for (guint i = 0; i < rules->len; i++)
    {
      const HoloMapRule *rule = &g_array_index (rules, HoloMapRule, i);

      if (rule->in[0] == a && rule->in[1] == b)
        return rule;
    }
  return NULL;
}

/* ---- task ---- */

typedef struct
{
  HoloMapFactory *factory;
  HoloLoop loop;
} HoloMapState;

static gboolean
set_up (HoloSyncTaskFactory *factory, HoloSyncTask *task, const HoloInference *inference,
        const HoloSyncCreateContext *context, GError **error)
{
  HoloMapState *state = holo_task_get_state (task);
  const HoloMapRule *rule = find_rule (factory, inference);

  state->factory = g_object_ref (HOLO_MAP_FACTORY (factory));
  _holo_loop_init (&state->loop, rule->func, holo_inference_get_output_desc (inference, 0),
                   holo_inference_get_input_desc (inference, 0),
                   rule->n_inputs > 1 ? holo_inference_get_input_desc (inference, 1) : NULL);
  for (guint i = 0; i < rule->n_inputs; i++)
    _holo_loop_convert_input (&state->loop, i, rule->in[i], rule->as[i]);
  return TRUE;
}

static HoloOpResult
execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  HoloMapState *state = holo_task_get_state (task);

  _holo_loop_run (&state->loop, state->factory, holo_tensor_view_get_data (context->outputs[0]),
                  holo_tensor_view_get_data (context->inputs[0]),
                  context->n_inputs > 1 ? holo_tensor_view_get_data (context->inputs[1]) : NULL);
  return HOLO_OP_OK;
}

static void
clear (HoloTask *task)
{
  g_clear_object (&((HoloMapState *) holo_task_get_state (task))->factory);
}

/* ---- factory ---- */

/* Extent of @desc at dimension @dim of a result of @rank dimensions; 1 where it has none. */
static gint64
get_extent (const HoloTensorDesc *desc, guint dim, guint rank)
{
  gint own = (gint) dim - (gint) (rank - desc->rank);

  return own < 0 ? 1 : desc->shape[own];
}

static gboolean
broadcast (const HoloTensorDesc *a, const HoloTensorDesc *b, guint *rank, gint64 *shape, GError **error)
{
  *rank = MAX (a->rank, b->rank);
  for (guint dim = 0; dim < *rank; dim++)
    {
      gint64 a_extent = get_extent (a, dim, *rank), b_extent = get_extent (b, dim, *rank);

      if (a_extent != b_extent && a_extent != 1 && b_extent != 1)
        {
          g_autofree gchar *a_text = holo_tensor_desc_to_string (a), *b_text = holo_tensor_desc_to_string (b);

          g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE,
                       "input 0, %s, and input 1, %s, do not fit together: dimension %d from the end has "
                       "extents %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT "; extents must be equal or 1",
                       a_text, b_text, (gint) (*rank - dim), a_extent, b_extent);
          return FALSE;
        }
      shape[dim] = a_extent == 1 ? b_extent : a_extent;
    }
  return TRUE;
}

static gboolean
check_pair (HoloTaskFactory *factory, const HoloTensorDesc *a, const HoloTensorDesc *b, const HoloMapRule *rule,
            GError **error)
{
  const gchar *hint = HOLO_MAP_FACTORY_GET_CLASS (factory)->pair_hint;

  if (a->mem_loc != b->mem_loc)
    g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE,
                 "input 0 lies in %s memory and input 1 in %s memory; put a Memcpy before one of them",
                 holo_mem_loc_get_name (a->mem_loc), holo_mem_loc_get_name (b->mem_loc));
  else if (rule == NULL)
    g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE, "input 0 is %s and input 1 is %s; %s",
                 holo_dtype_get_name (a->dtype), holo_dtype_get_name (b->dtype),
                 hint != NULL ? hint : "put a Conversion before one of them");
  return a->mem_loc == b->mem_loc && rule != NULL;
}

/* A single input is broadcast against itself, and the slots have checked its type. */
static gboolean
infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  guint n_inputs = holo_inference_get_n_inputs (inference), rank;
  const HoloTensorDesc *a = holo_inference_get_input_desc (inference, 0);
  const HoloTensorDesc *b = holo_inference_get_input_desc (inference, n_inputs - 1);
  const HoloMapRule *rule = find_rule (factory, inference);
  HoloInferredOutput *output;
  HoloTensorDesc desc;
  gint64 shape[HOLO_MAX_RANK];

  if (!check_pair (factory, a, b, rule, error) || !broadcast (a, b, &rank, shape, error))
    return FALSE;
  holo_tensor_desc_init (&desc, rule->out, a->mem_loc, rank, shape);
  desc.rate_n = a->rate_n;
  desc.rate_d = a->rate_d;
  output = holo_inference_add_output (inference, &desc);
  for (guint i = 0; i < n_inputs; i++)
    _holo_inference_offer_in_place (inference, output, i);
  inference->stateful = FALSE;
  inference->capture_safe = a->mem_loc == HOLO_MEM_LOC_DEVICE;
  return TRUE;
}

static const HoloSyncFunctions functions = {
  .state_size = sizeof (HoloMapState),
  .infer = infer,
  .set_up = set_up,
  .execute = execute,
  .clear = clear,
};

static void
holo_map_factory_class_init (HoloMapFactoryClass *klass)
{
  holo_sync_task_factory_class_set_functions (klass, "HoloMapTask", &functions);
}

/* The first rule of a leaf says how many inputs there are. */
static void
add_slots (gpointer klass, guint n_inputs)
{
  static const gchar *const names[][2] = { { "in", NULL }, { "a", "b" } };
  static const gchar *const blurbs[][2] = { { "any layout", NULL },
                                            { "any layout; broadcast against b", "any layout; broadcast against a" } };

  for (guint i = 0; i < n_inputs; i++)
    holo_task_factory_class_add_input (klass, names[n_inputs - 1][i], 0, HOLO_MEM_LOCS_ANY, 0, HOLO_MAX_RANK,
                                       HOLO_SLOT_NONE, blurbs[n_inputs - 1][i]);
  holo_task_factory_class_add_output (klass, "out", 0, HOLO_MEM_LOCS_ANY, 0, HOLO_MAX_RANK, HOLO_SLOT_NONE,
                                      n_inputs == 1 ? "shape and place of the input, dense"
                                                    : "the common shape, dense");
}

static void
add_rule (gpointer klass, HoloMapRule rule)
{
  HoloMapFactoryClass *map_class = HOLO_MAP_FACTORY_CLASS (klass), *parent_class = g_type_class_peek_parent (klass);

  if (map_class->rules == NULL)
    {
      map_class->rules = g_array_new (FALSE, FALSE, sizeof (HoloMapRule));
      add_slots (klass, rule.n_inputs);
    }
  else if (map_class->rules == parent_class->rules) /* class structures are copied from the parent's */
    map_class->rules = g_array_copy (parent_class->rules);
  g_array_append_val (map_class->rules, rule);
  for (guint i = 0; i < rule.n_inputs; i++)
    _holo_factory_class_widen_input (klass, i, HOLO_DTYPE_MASK (rule.in[i]));
  _holo_factory_class_widen_output (klass, 0, HOLO_DTYPE_MASK (rule.out));
}

/**
 * holo_map_factory_class_add:
 * @klass: the class of a kind with one input, in its class_init
 * @in: element type of the input; each at most once
 * @out: element type that comes out
 * @func: (scope forever): the formula
 *
 * Declares one pair of element types. The slots take what is declared so.
 *
 * Since: 0.1
 */
void
holo_map_factory_class_add (gpointer klass, HoloDType in, HoloDType out, HoloMapFunc func)
{
  add_rule (klass, (HoloMapRule){ 1, { in, in }, { in, in }, out, func });
}

/**
 * holo_map_factory_class_add_pair:
 * @klass: the class of a kind with two inputs, in its class_init
 * @a: element type of the first input
 * @b: element type of the second input; each pair at most once
 * @out: element type that comes out
 * @func: (scope forever): the formula
 *
 * As holo_map_factory_class_add().
 *
 * Since: 0.1
 */
void
holo_map_factory_class_add_pair (gpointer klass, HoloDType a, HoloDType b, HoloDType out, HoloMapFunc func)
{
  add_rule (klass, (HoloMapRule){ 2, { a, b }, { a, b }, out, func });
}

/**
 * holo_map_factory_class_add_converted_pair:
 * @klass: the class of a kind with two inputs, in its class_init
 * @a: element type of the first input
 * @b: element type of the second input; each pair at most once
 * @a_as: what @a is converted to (by the rules of kind Conversion) before @func sees it
 * @b_as: what @b is converted to
 * @out: element type that comes out
 * @func: (scope forever): the formula
 *
 * As holo_map_factory_class_add().
 *
 * Since: 0.1
 */
void
holo_map_factory_class_add_converted_pair (gpointer klass, HoloDType a, HoloDType b, HoloDType a_as, HoloDType b_as,
                                           HoloDType out, HoloMapFunc func)
{
  add_rule (klass, (HoloMapRule){ 2, { a, b }, { a_as, b_as }, out, func });
}
