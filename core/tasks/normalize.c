/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>

#include "base/holo-error.h"
#include "tensor/holo-loop.h"
#include "task/holo-task-factory.h"
#include "tasks/holo-builtin-kinds.h"
#include "task/holo-task-private.h"

#define HOLO_TYPE_NORMALIZE_FACTORY (holo_normalize_factory_get_type ())
G_DECLARE_FINAL_TYPE (HoloNormalizeFactory, holo_normalize_factory, HOLO, NORMALIZE_FACTORY, HoloSyncTaskFactory)

struct _HoloNormalizeFactory
{
  HoloSyncTaskFactory parent_instance;

  gdouble minimum;
  gdouble maximum;
  GArray *axes;
};

G_DEFINE_FINAL_TYPE (HoloNormalizeFactory, holo_normalize_factory, HOLO_TYPE_SYNC_TASK_FACTORY)

/* ---- task ---- */

#define HOLO_TYPE_NORMALIZE_TASK (holo_normalize_task_get_type ())
G_DECLARE_FINAL_TYPE (HoloNormalizeTask, holo_normalize_task, HOLO, NORMALIZE_TASK, HoloSyncTask)

typedef struct
{
  gdouble minimum;
  gdouble maximum;
} HoloInterval;

struct _HoloNormalizeTask
{
  HoloSyncTask parent_instance;

  HoloTensorDesc in;
  HoloTensorDesc out;
  guint n_outer;       /* dimensions before those that are normalised together */
  HoloLoop range_loop; /* both over one block */
  HoloLoop loop;
  HoloInterval wanted;
  HoloInterval staged;
  gdouble lo, hi; /* of the block at work */
};

G_DEFINE_FINAL_TYPE (HoloNormalizeTask, holo_normalize_task, HOLO_TYPE_SYNC_TASK)

static void
run_range (gpointer user_data, gpointer out, gconstpointer const *in, gsize n)
{
  HoloNormalizeTask *self = user_data;

  _holo_widen_range (self->in.dtype, in[0], n, &self->lo, &self->hi);
}

/* @scale, a power of two, keeps hi - lo finite; of a constant block x - lo is 0. */
#define DEFINE_NORMALIZE(name, type)                                                                                   \
  static void name (gpointer user_data, gpointer out, gconstpointer const *in, gsize n)                                \
  {                                                                                                                    \
    const HoloNormalizeTask *self = user_data;                                                                         \
    gdouble scale = isinf (self->hi - self->lo) ? 0.5 : 1;                                                             \
    gdouble lo = self->lo, hi = self->hi, base = lo * scale, range = hi > lo ? hi * scale - base : 1;                  \
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
normalize_block (HoloNormalizeTask *self, gpointer out, gconstpointer in)
{
  self->lo = INFINITY;
  self->hi = -INFINITY;
  _holo_loop_run (&self->range_loop, self, NULL, in, NULL);
  if (self->lo > self->hi) /* nothing finite */
    self->lo = self->hi = 0;
  _holo_loop_run (&self->loop, self, out, in, NULL);
}

static void
normalize_blocks (HoloNormalizeTask *self, guint dim, guint8 *out, const guint8 *in)
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
holo_normalize_task_execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  HoloNormalizeTask *self = HOLO_NORMALIZE_TASK (task);

  if (!holo_tensor_desc_is_empty (&self->in))
    normalize_blocks (self, 0, holo_tensor_view_get_data (context->outputs[0]),
                      holo_tensor_view_get_data (context->inputs[0]));
  return HOLO_OP_OK;
}

static void
holo_normalize_task_commit (HoloTask *task)
{
  HoloNormalizeTask *self = HOLO_NORMALIZE_TASK (task);

  self->wanted = self->staged;
}

static void
holo_normalize_task_rollback (HoloTask *task)
{
  HoloNormalizeTask *self = HOLO_NORMALIZE_TASK (task);

  self->staged = self->wanted;
}

static void
holo_normalize_task_class_init (HoloNormalizeTaskClass *klass)
{
  HOLO_SYNC_TASK_CLASS (klass)->execute = holo_normalize_task_execute;
  HOLO_TASK_CLASS (klass)->commit = holo_normalize_task_commit;
  HOLO_TASK_CLASS (klass)->rollback = holo_normalize_task_rollback;
}

static void
holo_normalize_task_init (HoloNormalizeTask *self)
{
}

/* ---- factory ---- */

/* Number of dimensions before the ones in @axes, which must be the last ones, in any order. */
static gboolean
get_n_outer (HoloNormalizeFactory *self, guint rank, guint *n_outer, GError **error)
{
  guint seen = 0;

  *n_outer = 0;
  if (self->axes == NULL)
    return TRUE;
  for (guint i = 0; i < self->axes->len; i++)
    {
      gint64 axis = g_array_index (self->axes, gint64, i);

      if (axis < -(gint64) rank || axis >= (gint64) rank)
        {
          g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE,
                       "axes: %" G_GINT64_FORMAT " is not a dimension of a tensor of rank %u", axis, rank);
          return FALSE;
        }
      seen |= 1u << (axis < 0 ? axis + rank : axis);
    }
  *n_outer = rank - self->axes->len;
  if (self->axes->len == 0 || self->axes->len > rank || seen != ((1u << rank) - 1) - ((1u << *n_outer) - 1))
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE,
                   "axes: expected the last dimensions, each once ([-2, -1] normalises every image by "
                   "itself); leave axes "
                   "out to normalise the whole tensor together");
      return FALSE;
    }
  return TRUE;
}

static gboolean
holo_normalize_factory_infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  const HoloTensorDesc *input = holo_inference_get_input_desc (inference, 0);
  HoloTensorDesc desc;
  guint n_outer;

  if (!get_n_outer (HOLO_NORMALIZE_FACTORY (factory), input->rank, &n_outer, error))
    return FALSE;
  holo_tensor_desc_init_dense_like (&desc, input);
  _holo_inference_offer_in_place (inference, holo_inference_add_output (inference, &desc), 0);
  inference->stateful = FALSE;
  inference->capture_safe = input->mem_loc == HOLO_MEM_LOC_DEVICE;
  return TRUE;
}

static void
drop_outer_dims (HoloTensorDesc *block, const HoloTensorDesc *desc, guint n_outer)
{
  holo_tensor_desc_init_strided (block, desc->dtype, desc->mem_loc, desc->rank - n_outer, desc->shape + n_outer,
                                 desc->strides + n_outer, 0);
}

static HoloSyncTask *
holo_normalize_factory_create (HoloSyncTaskFactory *factory, const HoloInference *inference,
                               const HoloSyncCreateContext *context, GError **error)
{
  HoloNormalizeFactory *settings = HOLO_NORMALIZE_FACTORY (factory);
  g_autoptr (HoloNormalizeTask) self = g_object_new (HOLO_TYPE_NORMALIZE_TASK, NULL);
  HoloTensorDesc in_block, out_block;

  self->in = *holo_inference_get_input_desc (inference, 0);
  self->out = *holo_inference_get_output_desc (inference, 0);
  self->wanted = self->staged = (HoloInterval){ settings->minimum, settings->maximum };
  if (!get_n_outer (settings, self->in.rank, &self->n_outer, error))
    return NULL;
  drop_outer_dims (&in_block, &self->in, self->n_outer);
  drop_outer_dims (&out_block, &self->out, self->n_outer);
  _holo_loop_init (&self->range_loop, run_range, NULL, &in_block, NULL);
  _holo_loop_init (&self->loop, self->in.dtype == HOLO_DTYPE_F32 ? run_normalize_f32 : run_normalize_f64, &out_block,
                   &in_block, NULL);
  return HOLO_SYNC_TASK (g_steal_pointer (&self));
}

/* New bounds are taken into use between two frames; anything else makes a new task. */
static HoloSyncTask *
holo_normalize_factory_update (HoloSyncTaskFactory *factory, HoloSyncTask *old, const HoloInference *old_inference,
                               const HoloInference *inference, const HoloSyncCreateContext *context, GError **error)
{
  HoloNormalizeFactory *settings = HOLO_NORMALIZE_FACTORY (factory);
  HoloNormalizeTask *task;
  guint n_outer;

  if (!HOLO_IS_NORMALIZE_TASK (old))
    return holo_sync_task_factory_create (factory, inference, context, error);
  task = HOLO_NORMALIZE_TASK (old);
  if (!get_n_outer (settings, holo_inference_get_input_desc (inference, 0)->rank, &n_outer, error))
    return NULL;
  if (!holo_tensor_desc_equal (&task->in, holo_inference_get_input_desc (inference, 0)) || task->n_outer != n_outer)
    return holo_sync_task_factory_create (factory, inference, context, error);
  task->staged = (HoloInterval){ settings->minimum, settings->maximum };
  return g_object_ref (old);
}

static void
holo_normalize_factory_class_init (HoloNormalizeFactoryClass *klass)
{
  HoloSyncTaskFactoryClass *sync_class = HOLO_SYNC_TASK_FACTORY_CLASS (klass);

  HOLO_TASK_FACTORY_CLASS (klass)->infer = holo_normalize_factory_infer;
  sync_class->create = holo_normalize_factory_create;
  sync_class->update = holo_normalize_factory_update;
  holo_task_factory_class_set_description (
      klass, "Stretches the values of a tensor to a given range",
      "`out = minimum + (in - lo) / (hi - lo) * (maximum - minimum)`, where lo and hi are the smallest\n"
      "and the largest finite element of the tensor, or of each part of it that `axes` spans. Evaluated\n"
      "in F64.\n\n"
      "- Infinity counts as hi and -infinity as lo, so that nothing leaves the range; NaN stays NaN and\n"
      "  disturbs no other element.\n"
      "- A constant tensor, or one without any finite element, becomes `minimum`.\n"
      "- With `minimum` above `maximum` the picture is inverted.\n\n"
      "Before an 8-bit picture: `Normalize {\"maximum\": 255}`, then `Conversion {\"target\": \"U8\"}`.");
  holo_task_factory_class_set_example (klass, "{\"maximum\": 255, \"axes\": [-2, -1]}");
  holo_task_factory_class_add_input (klass, "in", HOLO_DTYPES_REAL_FLOAT, HOLO_MEM_LOCS_ANY, 0, HOLO_MAX_RANK,
                                     HOLO_SLOT_NONE, "any layout");
  holo_task_factory_class_add_output (klass, "out", HOLO_DTYPES_REAL_FLOAT, HOLO_MEM_LOCS_ANY, 0, HOLO_MAX_RANK,
                                      HOLO_SLOT_NONE, "type, shape and place of the input, dense");
  holo_settings_install_double (klass, "minimum", "What the smallest element becomes", NULL, -1e300, 1e300, 0,
                                HOLO_SETTING_LIVE, G_STRUCT_OFFSET (HoloNormalizeFactory, minimum));
  holo_settings_install_double (klass, "maximum", "What the largest element becomes", NULL, -1e300, 1e300, 1,
                                HOLO_SETTING_LIVE, G_STRUCT_OFFSET (HoloNormalizeFactory, maximum));
  holo_settings_install_int64_array (
      klass, "axes",
      "Dimensions that share one range, the last ones; negative ones count from the end; "
      "unset: all",
      NULL, -HOLO_MAX_RANK, HOLO_MAX_RANK - 1, HOLO_SETTING_NULLABLE, G_STRUCT_OFFSET (HoloNormalizeFactory, axes));
  holo_settings_add_alias (klass, "minimum", "min");
  holo_settings_add_alias (klass, "maximum", "max");
}

static void
holo_normalize_factory_init (HoloNormalizeFactory *self)
{
}

HOLO_DEFINE_SYNC_KIND (normalize, "Normalize", HOLO_TYPE_NORMALIZE_FACTORY)
