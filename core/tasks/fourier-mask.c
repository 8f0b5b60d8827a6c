/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>

#include "base/holo-error.h"
#include "tensor/holo-loop.h"
#include "tensor/holo-roll.h"
#include "task/holo-task-factory.h"
#include "tasks/holo-builtin-kinds.h"
#include "task/holo-task-private.h"

#define HOLO_TYPE_FOURIER_MASK_FACTORY (holo_fourier_mask_factory_get_type ())
G_DECLARE_FINAL_TYPE (HoloFourierMaskFactory, holo_fourier_mask_factory, HOLO, FOURIER_MASK_FACTORY,
                      HoloSyncTaskFactory)

struct _HoloFourierMaskFactory
{
  HoloSyncTaskFactory parent_instance;

  gdouble r_inner, r_outer;
  gdouble s_inner, s_outer;
  gdouble center_y, center_x;
  gboolean recenter;
};

G_DEFINE_FINAL_TYPE (HoloFourierMaskFactory, holo_fourier_mask_factory, HOLO_TYPE_SYNC_TASK_FACTORY)

/* ---- mask ---- */

typedef struct
{
  HoloLoop loop;
  gint64 out_offset, in_offset, weights_offset;
} HoloMaskPiece;

/* What depends on the numbers alone: the weights, and which part of the tensor goes where. */
typedef struct
{
  gpointer weights; /* height * width, of the type of the parts of the complex numbers */
  GArray *pieces;
} HoloMask;

static void
holo_mask_free (HoloMask *mask)
{
  g_free (mask->weights);
  g_array_unref (mask->pieces);
  g_free (mask);
}

#define DEFINE_WEIGH(name, type)                                                                                       \
  static void name (gpointer user_data, gpointer out, gconstpointer const *in, gsize n)                                \
  {                                                                                                                    \
    const type *src = in[0], *weights = in[1];                                                                         \
    type *dst = out;                                                                                                   \
                                                                                                                       \
    HOLO_INDEPENDENT                                                                                                   \
    for (gsize i = 0; i < n; i++)                                                                                      \
      {                                                                                                                \
        type weight = weights[i];                                                                                      \
                                                                                                                       \
        dst[2 * i] = src[2 * i] * weight;                                                                              \
        dst[2 * i + 1] = src[2 * i + 1] * weight;                                                                      \
      }                                                                                                                \
  }

DEFINE_WEIGH (weigh_cf32, gfloat)
DEFINE_WEIGH (weigh_cf64, gdouble)

/* 1 inside @radius, falling as a cosine to 0 over the next @width. */
static gdouble
get_disc (gdouble d, gdouble radius, gdouble width)
{
  if (d < radius)
    return 1;
  return d < radius + width ? cos (G_PI_2 * (d - radius) / width) : 0;
}

/* Distance of two positions on a circle of @extent. */
static gdouble
get_distance (gdouble position, gdouble center, gdouble extent)
{
  gdouble d = fabs (fmod (position - center, extent));

  return MIN (d, extent - d);
}

static void
fill_weights (const HoloFourierMaskFactory *settings, HoloDType real, gint64 height, gint64 width, gpointer weights)
{
  for (gint64 y = 0; y < height; y++)
    for (gint64 x = 0; x < width; x++)
      {
        gdouble dy = get_distance ((gdouble) y, settings->center_y, (gdouble) height);
        gdouble dx = get_distance ((gdouble) x, settings->center_x, (gdouble) width);
        gdouble d = hypot (dy, dx);
        gdouble weight = get_disc (d, settings->r_outer, settings->s_outer) *
                         (1 - get_disc (d, settings->r_inner, settings->s_inner));

        if (real == HOLO_DTYPE_F32)
          ((gfloat *) weights)[y * width + x] = (gfloat) weight;
        else
          ((gdouble *) weights)[y * width + x] = weight;
      }
}

/* Minus the centre, to the nearest whole index: what brings it to index 0. */
static gint64
get_shift (gdouble center, gint64 extent)
{
  return extent > 0 ? -(gint64) rint (fmod (center, (gdouble) extent)) : 0;
}

/* The tensor and the weights, which repeat along the outer dimensions, are cut alike. */
static GArray *
create_pieces (const HoloTensorDesc *in, const HoloTensorDesc *out, const HoloTensorDesc *weights, const gint64 *shifts)
{
  g_autoptr (GArray) blocks = _holo_roll_get_blocks (in, out, shifts);
  g_autoptr (GArray) weight_blocks = _holo_roll_get_blocks (weights, out, shifts);
  HoloRunFunc func = in->dtype == HOLO_DTYPE_CF32 ? weigh_cf32 : weigh_cf64;
  GArray *pieces = g_array_new (FALSE, FALSE, sizeof (HoloMaskPiece));

  for (guint i = 0; i < blocks->len; i++)
    {
      const HoloRollBlock *block = &g_array_index (blocks, HoloRollBlock, i);
      const HoloTensorDesc *weight_block = &g_array_index (weight_blocks, HoloRollBlock, i).in;
      HoloMaskPiece piece = {
        .out_offset = block->out.offset,
        .in_offset = block->in.offset,
        .weights_offset = weight_block->offset,
      };

      _holo_loop_init (&piece.loop, func, &block->out, &block->in, weight_block);
      g_array_append_val (pieces, piece);
    }
  return pieces;
}

static HoloMask *
create_mask (const HoloFourierMaskFactory *settings, const HoloTensorDesc *in, const HoloTensorDesc *out,
             GError **error)
{
  HoloDType real = in->dtype == HOLO_DTYPE_CF32 ? HOLO_DTYPE_F32 : HOLO_DTYPE_F64;
  guint y = in->rank - 2, x = in->rank - 1;
  gint64 size = (gint64) holo_dtype_get_size (real), shifts[HOLO_MAX_RANK] = { 0 }, strides[HOLO_MAX_RANK] = { 0 };
  gpointer data = NULL;
  HoloTensorDesc weights;
  HoloMask *mask;

  if (!holo_tensor_desc_is_empty (in))
    {
      data = g_try_malloc_n ((gsize) (in->shape[y] * in->shape[x]), (gsize) size);
      if (data == NULL)
        {
          g_set_error (error, HOLO_ERROR, HOLO_ERROR_MEMORY,
                       "could not allocate weights of %" G_GINT64_FORMAT " x %" G_GINT64_FORMAT " frequencies",
                       in->shape[y], in->shape[x]);
          return NULL;
        }
      fill_weights (settings, real, in->shape[y], in->shape[x], data);
    }
  strides[y] = in->shape[x] * size;
  strides[x] = size;
  holo_tensor_desc_init_strided (&weights, real, in->mem_loc, in->rank, in->shape, strides, 0);
  if (settings->recenter)
    {
      shifts[y] = get_shift (settings->center_y, in->shape[y]);
      shifts[x] = get_shift (settings->center_x, in->shape[x]);
    }
  mask = g_new0 (HoloMask, 1);
  mask->weights = data;
  mask->pieces = create_pieces (in, out, &weights, shifts);
  return mask;
}

/* ---- task ---- */

#define HOLO_TYPE_FOURIER_MASK_TASK (holo_fourier_mask_task_get_type ())
G_DECLARE_FINAL_TYPE (HoloFourierMaskTask, holo_fourier_mask_task, HOLO, FOURIER_MASK_TASK, HoloSyncTask)

struct _HoloFourierMaskTask
{
  HoloSyncTask parent_instance;

  HoloTensorDesc in;
  gboolean recenter;
  HoloMask *mask;
  HoloMask *staged;
};

G_DEFINE_FINAL_TYPE (HoloFourierMaskTask, holo_fourier_mask_task, HOLO_TYPE_SYNC_TASK)

static HoloOpResult
holo_fourier_mask_task_execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  const HoloMask *mask = HOLO_FOURIER_MASK_TASK (task)->mask;

  for (guint i = 0; i < mask->pieces->len; i++)
    {
      const HoloMaskPiece *piece = &g_array_index (mask->pieces, HoloMaskPiece, i);
      guint8 *out = holo_tensor_view_get_data (context->outputs[0]);
      const guint8 *in = holo_tensor_view_get_data (context->inputs[0]);

      _holo_loop_run (&piece->loop, NULL, out + piece->out_offset, in + piece->in_offset,
                      (const guint8 *) mask->weights + piece->weights_offset);
    }
  return HOLO_OP_OK;
}

static void
holo_fourier_mask_task_commit (HoloTask *task)
{
  HoloFourierMaskTask *self = HOLO_FOURIER_MASK_TASK (task);

  if (self->staged == NULL)
    return;
  holo_mask_free (self->mask);
  self->mask = g_steal_pointer (&self->staged);
}

static void
holo_fourier_mask_task_rollback (HoloTask *task)
{
  g_clear_pointer (&HOLO_FOURIER_MASK_TASK (task)->staged, holo_mask_free);
}

static void
holo_fourier_mask_task_finalize (GObject *object)
{
  HoloFourierMaskTask *self = HOLO_FOURIER_MASK_TASK (object);

  g_clear_pointer (&self->mask, holo_mask_free);
  g_clear_pointer (&self->staged, holo_mask_free);
  G_OBJECT_CLASS (holo_fourier_mask_task_parent_class)->finalize (object);
}

static void
holo_fourier_mask_task_class_init (HoloFourierMaskTaskClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = holo_fourier_mask_task_finalize;
  HOLO_SYNC_TASK_CLASS (klass)->execute = holo_fourier_mask_task_execute;
  HOLO_TASK_CLASS (klass)->commit = holo_fourier_mask_task_commit;
  HOLO_TASK_CLASS (klass)->rollback = holo_fourier_mask_task_rollback;
}

static void
holo_fourier_mask_task_init (HoloFourierMaskTask *self)
{
}

/* ---- factory ---- */

static gboolean
holo_fourier_mask_factory_infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  const HoloTensorDesc *input = holo_inference_get_input_desc (inference, 0);
  HoloInferredOutput *output;
  HoloTensorDesc desc;

  holo_tensor_desc_init_dense_like (&desc, input);
  output = holo_inference_add_output (inference, &desc);
  if (!HOLO_FOURIER_MASK_FACTORY (factory)->recenter)
    _holo_inference_offer_in_place (inference, output, 0);
  inference->stateful = FALSE;
  inference->capture_safe = input->mem_loc == HOLO_MEM_LOC_DEVICE;
  return TRUE;
}

static HoloSyncTask *
holo_fourier_mask_factory_create (HoloSyncTaskFactory *factory, const HoloInference *inference,
                                  const HoloSyncCreateContext *context, GError **error)
{
  HoloFourierMaskFactory *settings = HOLO_FOURIER_MASK_FACTORY (factory);
  const HoloTensorDesc *input = holo_inference_get_input_desc (inference, 0);
  HoloMask *mask = create_mask (settings, input, holo_inference_get_output_desc (inference, 0), error);
  HoloFourierMaskTask *self;

  if (mask == NULL)
    return NULL;
  self = g_object_new (HOLO_TYPE_FOURIER_MASK_TASK, NULL);
  self->in = *input;
  self->recenter = settings->recenter;
  self->mask = mask;
  return HOLO_SYNC_TASK (self);
}

/* Where only numbers change, the new weights wait in the old task for the pause between two frames. */
static HoloSyncTask *
holo_fourier_mask_factory_update (HoloSyncTaskFactory *factory, HoloSyncTask *old, const HoloInference *old_inference,
                                  const HoloInference *inference, const HoloSyncCreateContext *context, GError **error)
{
  HoloFourierMaskFactory *settings = HOLO_FOURIER_MASK_FACTORY (factory);
  const HoloTensorDesc *input = holo_inference_get_input_desc (inference, 0);
  HoloFourierMaskTask *task;
  HoloMask *mask;

  if (!HOLO_IS_FOURIER_MASK_TASK (old))
    return holo_sync_task_factory_create (factory, inference, context, error);
  task = HOLO_FOURIER_MASK_TASK (old);
  if (!holo_tensor_desc_equal (&task->in, input) || task->recenter != settings->recenter)
    return holo_sync_task_factory_create (factory, inference, context, error);
  mask = create_mask (settings, input, holo_inference_get_output_desc (inference, 0), error);
  if (mask == NULL)
    return NULL;
  holo_fourier_mask_task_rollback (HOLO_TASK (task));
  task->staged = mask;
  return g_object_ref (old);
}

static void
install_length (gpointer klass, const gchar *name, const gchar *blurb, HoloSettingFlags flags, gsize offset)
{
  holo_settings_install_double (klass, name, blurb, "frequency indices", 0, G_MAXDOUBLE, 0, flags | HOLO_SETTING_LIVE,
                                offset);
}

static void
install_center (gpointer klass, const gchar *name, const gchar *blurb, gsize offset)
{
  holo_settings_install_double (klass, name, blurb, "frequency indices", -G_MAXDOUBLE, G_MAXDOUBLE, 0,
                                HOLO_SETTING_LIVE, offset);
}

static void
install_settings (gpointer klass)
{
  install_length (klass, "r-outer", "Radius of the disc that passes", HOLO_SETTING_REQUIRED,
                  G_STRUCT_OFFSET (HoloFourierMaskFactory, r_outer));
  install_length (klass, "s-outer", "Width over which the outer edge falls to 0", HOLO_SETTING_NONE,
                  G_STRUCT_OFFSET (HoloFourierMaskFactory, s_outer));
  install_length (klass, "r-inner", "Radius of the disc in it that is stopped", HOLO_SETTING_NONE,
                  G_STRUCT_OFFSET (HoloFourierMaskFactory, r_inner));
  install_length (klass, "s-inner", "Width over which the inner edge rises to 1", HOLO_SETTING_NONE,
                  G_STRUCT_OFFSET (HoloFourierMaskFactory, s_inner));
  install_center (klass, "center-y", "Row of the centre, counted from zero frequency; negative ones upwards",
                  G_STRUCT_OFFSET (HoloFourierMaskFactory, center_y));
  install_center (klass, "center-x", "Column of the centre, counted from zero frequency; negative ones to the left",
                  G_STRUCT_OFFSET (HoloFourierMaskFactory, center_x));
  holo_settings_install_boolean (klass, "recenter",
                                 "Move the centre (to the nearest index) to zero frequency, which takes the tilt away",
                                 FALSE, HOLO_SETTING_NONE, G_STRUCT_OFFSET (HoloFourierMaskFactory, recenter));
}

static void
holo_fourier_mask_factory_class_init (HoloFourierMaskFactoryClass *klass)
{
  HoloSyncTaskFactoryClass *sync_class = HOLO_SYNC_TASK_FACTORY_CLASS (klass);

  HOLO_TASK_FACTORY_CLASS (klass)->infer = holo_fourier_mask_factory_infer;
  sync_class->create = holo_fourier_mask_factory_create;
  sync_class->update = holo_fourier_mask_factory_update;
  holo_task_factory_class_set_description (
      klass, "Keeps a soft ring of frequencies of a spectrum and stops the others",
      "Multiplies each element of the last two dimensions by `w = a * (1 - b)` of its distance d from\n"
      "the centre:\n\n"
      "- a is 1 for `d < r_outer`, `cos (pi/2 * (d - r_outer) / s_outer)` for `d < r_outer + s_outer`,\n"
      "  else 0;\n"
      "- b likewise with `r_inner` and `s_inner`; with both 0 nothing is stopped inside.\n\n"
      "The input is a spectrum as `FFT2` gives it: zero frequency is element [0, 0]. Distances are in\n"
      "indices, not scaled for the aspect ratio, and run round the edges: index n - 1 is as near to 0\n"
      "as index 1, at odd extents too. The band-pass of an off-axis hologram has its centre on the +1\n"
      "order.\n\n"
      "`recenter` also moves the centre to [0, 0], as if the reference wave had not been tilted. A\n"
      "stopped element that is NaN or infinite gives NaN.");
  holo_task_factory_class_set_example (klass,
                                       "{\"center_y\": 332, \"center_x\": 332, \"r_outer\": 96, \"s_outer\": 32}");
  holo_task_factory_class_add_input (klass, "in", HOLO_DTYPES_COMPLEX, HOLO_MEM_LOCS_ANY, 2, HOLO_MAX_RANK,
                                     HOLO_SLOT_NONE, "[..., height, width], any layout");
  holo_task_factory_class_add_output (klass, "out", HOLO_DTYPES_COMPLEX, HOLO_MEM_LOCS_ANY, 2, HOLO_MAX_RANK,
                                      HOLO_SLOT_NONE, "type, shape and place of the input, dense");
  install_settings (klass);
}

static void
holo_fourier_mask_factory_init (HoloFourierMaskFactory *self)
{
}

HOLO_DEFINE_SYNC_KIND (fourier_mask, "FourierMask", HOLO_TYPE_FOURIER_MASK_FACTORY)
