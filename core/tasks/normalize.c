/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/holo-error.h"
#include "tensor/holo-range.h"
#include "task/holo-task-private.h"
#include "tasks/holo-axes.h"
#include "tasks/holo-builtin-kinds.h"

typedef struct
{
  HoloSyncTaskFactory parent_instance;

  gdouble minimum;
  gdouble maximum;
  GArray *axes;
} NormalizeSettings;

typedef struct
{
  gdouble minimum;
  gdouble maximum;
} HoloInterval;

typedef struct
{
  HoloTensorDesc in;
  HoloTensorDesc out;
  guint n_outer;   /* dimensions before those that are normalised together */
  HoloRange range; /* of the block at work */
  HoloLoop loop;   /* over one block */
  HoloInterval wanted;
  HoloInterval staged;
} NormalizeState;

/* ---- task ---- */

/* @scale, a power of two, keeps hi - lo finite; of a constant block x - lo is 0. */
#define DEFINE_NORMALIZE(name, type)                                                                                   \
  static void name (gpointer user_data, gpointer out, gconstpointer const *in, gsize n)                                \
  {                                                                                                                    \
    const NormalizeState *self = user_data;                                                                            \
    gdouble scale = isinf (self->range.hi - self->range.lo) ? 0.5 : 1;                                                 \
    gdouble lo = self->range.lo, hi = self->range.hi, base = lo * scale, range = hi > lo ? hi * scale - base : 1;      \
    gdouble minimum = self->wanted.minimum, width = self->wanted.maximum - minimum;                                    \
    const type *src = in[0];                                                                                           \
    type *dst = out;                                                                                                   \
                                                                                                                       \
    HOLO_INDEPENDENT                                                                                                   \
    for (gsize i = 0; i < n; i++)                                                                                      \
      {                                                                                                                \
        gdouble x = src[i];                                                                                            \
                                                                                                                       \
        x = x < lo ? lo : x;                                                                                           \
        x = x > hi ? hi : x;                                                                                           \
        dst[i] = (type) (minimum + (x * scale - base) / range * width);                                                \
      }                                                                                                                \
  }

DEFINE_NORMALIZE (run_normalize_f32, gfloat)
DEFINE_NORMALIZE (run_normalize_f64, gdouble)

static void
normalize_block (NormalizeState *self, gpointer out, gconstpointer in)
{
  _holo_range_find (&self->range, in);
  _holo_loop_run (&self->loop, self, out, in, NULL);
}

static void
normalize_blocks (NormalizeState *self, guint dim, guint8 *out, const guint8 *in)
{
  if (dim == self->n_outer)
    {
      normalize_block (self, out, in);
      return;
    }
  for (gint64 i = 0; i < self->in.shape[dim]; i++)
    normalize_blocks (self, dim + 1, out + i * self->out.strides[dim], in + i * self->in.strides[dim]);
}

static HoloOpResult
execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  NormalizeState *self = holo_task_get_state (task);

  if (!holo_tensor_desc_is_empty (&self->in))
    normalize_blocks (self, 0, holo_tensor_view_get_data (context->outputs[0]),
                      holo_tensor_view_get_data (context->inputs[0]));
  return HOLO_OP_OK;
}

static void
commit (HoloTask *task)
{
  NormalizeState *self = holo_task_get_state (task);

  self->wanted = self->staged;
}

static void
rollback (HoloTask *task)
{
  NormalizeState *self = holo_task_get_state (task);

  self->staged = self->wanted;
}

/* ---- making it ---- */

/* Number of dimensions before the ones in `axes`, which must be the last ones, in any order. */
static gboolean
get_n_outer (gpointer factory, guint rank, guint *n_outer, GError **error)
{
  const GArray *axes = ((NormalizeSettings *) factory)->axes;
  guint set;

  *n_outer = 0;
  if (axes == NULL)
    return TRUE;
  if (!_holo_axes_get_set (axes, rank, &set, error))
    return FALSE;
  *n_outer = rank - axes->len;
  if (axes->len > 0 && set == (1u << rank) - (1u << *n_outer))
    return TRUE;
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE,
               "axes: expected the last dimensions, each once ([-2, -1] normalises every image by itself); leave axes "
               "out to normalise the whole tensor together");
  return FALSE;
}

static gboolean
infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  const HoloTensorDesc *input = holo_inference_get_input_desc (inference, 0);
  guint n_outer;

  _holo_inference_offer_in_place (inference, _holo_inference_add_dense_output (inference, input->dtype), 0);
  return get_n_outer (factory, input->rank, &n_outer, error);
}

static void
drop_outer_dims (HoloTensorDesc *block, const HoloTensorDesc *desc, guint n_outer)
{
  holo_tensor_desc_init_strided (block, desc->dtype, desc->mem_loc, desc->rank - n_outer, desc->shape + n_outer,
                                 desc->strides + n_outer, 0);
}

static gboolean
set_up (HoloSyncTaskFactory *factory, HoloSyncTask *task, const HoloInference *inference,
        const HoloSyncCreateContext *context, GError **error)
{
  NormalizeSettings *settings = (NormalizeSettings *) factory;
  NormalizeState *self = holo_task_get_state (task);
  HoloTensorDesc in_block, out_block;

  self->in = *holo_inference_get_input_desc (inference, 0);
  self->out = *holo_inference_get_output_desc (inference, 0);
  self->wanted = self->staged = (HoloInterval){ settings->minimum, settings->maximum };
  if (!get_n_outer (factory, self->in.rank, &self->n_outer, error))
    return FALSE;
  drop_outer_dims (&in_block, &self->in, self->n_outer);
  drop_outer_dims (&out_block, &self->out, self->n_outer);
  _holo_range_init (&self->range, &in_block);
  _holo_loop_init (&self->loop, self->in.dtype == HOLO_DTYPE_F32 ? run_normalize_f32 : run_normalize_f64, &out_block,
                   &in_block, NULL);
  return TRUE;
}

/* New bounds are taken into use between two frames; anything else makes a new task. */
static HoloChange
change (HoloSyncTaskFactory *factory, HoloSyncTask *task, const HoloInference *inference,
        const HoloSyncCreateContext *context, GError **error)
{
  NormalizeSettings *settings = (NormalizeSettings *) factory;
  NormalizeState *self = holo_task_get_state (task);
  const HoloTensorDesc *input = holo_inference_get_input_desc (inference, 0);
  guint n_outer;

  if (!get_n_outer (factory, input->rank, &n_outer, error))
    return HOLO_CHANGE_REFUSED;
  if (!holo_tensor_desc_equal (&self->in, input) || self->n_outer != n_outer)
    return HOLO_CHANGE_NEW_TASK;
  self->staged = (HoloInterval){ settings->minimum, settings->maximum };
  return HOLO_CHANGE_STAGED;
}

static void
holo_normalize_class_init (gpointer klass)
{
  holo_task_factory_class_set_description (
      klass, "Stretches the values of a tensor to a given range",
      "`out = minimum + (in - lo) / (hi - lo) * (maximum - minimum)`, where lo and hi are the smallest\n"
      "and the largest finite element of the tensor, or of each part of it that `axes` spans. Evaluated\n"
      "in F64.\n\n"
      "- Infinity counts as hi and -infinity as lo, so that nothing leaves the range, but for the\n"
      "  rounding of the last digit; NaN stays NaN and disturbs no other element.\n"
      "- Results are rounded to the type of the input: bounds beyond what F32 holds (3.4e38) give\n"
      "  infinity there.\n"
      "- A constant tensor, or one without any finite element, becomes `minimum`.\n"
      "- With `minimum` above `maximum` the picture is inverted.\n\n"
      "Before an 8-bit picture: `Normalize {\"maximum\": 255}`, then `Conversion {\"target\": \"U8\"}`.");
  holo_task_factory_class_set_example (klass, "{\"maximum\": 255, \"axes\": [-2, -1]}");
  holo_task_factory_class_add_input (klass, "in", HOLO_DTYPES_REAL_FLOAT, HOLO_MEM_LOCS_ANY, 0, HOLO_MAX_RANK,
                                     HOLO_SLOT_NONE, "any layout");
  holo_task_factory_class_add_output (klass, "out", HOLO_DTYPES_REAL_FLOAT, HOLO_MEM_LOCS_ANY, 0, HOLO_MAX_RANK,
                                      HOLO_SLOT_NONE, "type, shape and place of the input, dense");
  holo_settings_install_double (klass, "minimum", "What the smallest element becomes", NULL, -1e300, 1e300, 0,
                                HOLO_SETTING_LIVE, G_STRUCT_OFFSET (NormalizeSettings, minimum));
  holo_settings_install_double (klass, "maximum", "What the largest element becomes", NULL, -1e300, 1e300, 1,
                                HOLO_SETTING_LIVE, G_STRUCT_OFFSET (NormalizeSettings, maximum));
  holo_settings_install_int64_array (
      klass, "axes",
      "Dimensions that share one range, the last ones; negative ones count from the end; "
      "unset: all",
      NULL, -HOLO_MAX_RANK, HOLO_MAX_RANK - 1, HOLO_SETTING_NULLABLE, G_STRUCT_OFFSET (NormalizeSettings, axes));
  holo_settings_add_alias (klass, "minimum", "min");
  holo_settings_add_alias (klass, "maximum", "max");
}

static const HoloSyncFunctions functions = {
  .state_size = sizeof (NormalizeState),
  .infer = infer,
  .set_up = set_up,
  .execute = execute,
  .change = change,
  .commit = commit,
  .rollback = rollback,
};

HOLO_DEFINE_SYNC_KIND (holo_normalize, "Normalize", NormalizeSettings, functions)
