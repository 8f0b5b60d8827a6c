/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/holo-error.h"
#include "tensor/holo-loop.h"
#include "tensor/holo-roll.h"
#include "task/holo-task-private.h"
#include "tasks/holo-builtin-kinds.h"
#include "tasks/holo-weigh.h"

typedef struct
{
  HoloSyncTaskFactory parent_instance;

  gdouble r_inner, r_outer;
  gdouble s_inner, s_outer;
  gdouble center_y, center_x;
  gboolean recenter;
} FourierMaskSettings;

/* ---- mask ---- */

typedef struct
{
  HoloLoop loop;
  gint64 out_offset, in_offset, weights_offset;
} MaskPiece;

/* What depends on the numbers alone: the weights, and which part of the tensor goes where. */
typedef struct
{
  gpointer weights; /* height * width, of the type of the parts of the complex numbers */
  GArray *pieces;
} Mask;

static void
mask_free (Mask *mask)
{
  g_free (mask->weights);
  g_array_unref (mask->pieces);
  g_free (mask);
}

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
fill_weights (const FourierMaskSettings *settings, HoloDType real, gint64 height, gint64 width, gpointer weights)
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
  HoloRunFunc func = in->dtype == HOLO_DTYPE_CF32 ? _holo_weigh_cf32 : _holo_weigh_cf64;
  GArray *pieces = g_array_new (FALSE, FALSE, sizeof (MaskPiece));

  for (guint i = 0; i < blocks->len; i++)
    {
      const HoloRollBlock *block = &g_array_index (blocks, HoloRollBlock, i);
      const HoloTensorDesc *weight_block = &g_array_index (weight_blocks, HoloRollBlock, i).in;
      MaskPiece piece = {
        .out_offset = block->out.offset,
        .in_offset = block->in.offset,
        .weights_offset = weight_block->offset,
      };

      _holo_loop_init (&piece.loop, func, &block->out, &block->in, weight_block);
      g_array_append_val (pieces, piece);
    }
  return pieces;
}

static Mask *
create_mask (const FourierMaskSettings *settings, const HoloTensorDesc *in, const HoloTensorDesc *out, GError **error)
{
  HoloDType real = in->dtype == HOLO_DTYPE_CF32 ? HOLO_DTYPE_F32 : HOLO_DTYPE_F64;
  guint y = in->rank - 2, x = in->rank - 1;
  gint64 size = (gint64) holo_dtype_get_size (real), shifts[HOLO_MAX_RANK] = { 0 }, strides[HOLO_MAX_RANK] = { 0 };
  gpointer data = NULL;
  HoloTensorDesc weights;
  Mask *mask;

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
  mask = g_new0 (Mask, 1);
  mask->weights = data;
  mask->pieces = create_pieces (in, out, &weights, shifts);
  return mask;
}

/* ---- task ---- */

typedef struct
{
  HoloTensorDesc in;
  gboolean recenter;
  Mask *mask;
  Mask *staged;
} FourierMaskState;

static HoloOpResult
execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  const Mask *mask = ((FourierMaskState *) holo_task_get_state (task))->mask;
  guint8 *out = holo_tensor_view_get_data (context->outputs[0]);
  const guint8 *in = holo_tensor_view_get_data (context->inputs[0]);

  for (guint i = 0; i < mask->pieces->len; i++)
    {
      const MaskPiece *piece = &g_array_index (mask->pieces, MaskPiece, i);

      _holo_loop_run (&piece->loop, NULL, out + piece->out_offset, in + piece->in_offset,
                      (const guint8 *) mask->weights + piece->weights_offset);
    }
  return HOLO_OP_OK;
}

static void
commit (HoloTask *task)
{
  FourierMaskState *self = holo_task_get_state (task);

  if (self->staged == NULL)
    return;
  g_clear_pointer (&self->mask, mask_free);
  self->mask = g_steal_pointer (&self->staged);
}

static void
rollback (HoloTask *task)
{
  g_clear_pointer (&((FourierMaskState *) holo_task_get_state (task))->staged, mask_free);
}

static void
clear (HoloTask *task)
{
  rollback (task);
  g_clear_pointer (&((FourierMaskState *) holo_task_get_state (task))->mask, mask_free);
}

/* ---- making it ---- */

static gboolean
infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  HoloDType dtype = holo_inference_get_input_desc (inference, 0)->dtype;
  HoloInferredOutput *output = _holo_inference_add_dense_output (inference, dtype);

  if (!((FourierMaskSettings *) factory)->recenter)
    _holo_inference_offer_in_place (inference, output, 0);
  return TRUE;
}

static gboolean
set_up (HoloSyncTaskFactory *factory, HoloSyncTask *task, const HoloInference *inference,
        const HoloSyncCreateContext *context, GError **error)
{
  FourierMaskSettings *settings = (FourierMaskSettings *) factory;
  FourierMaskState *self = holo_task_get_state (task);

  self->in = *holo_inference_get_input_desc (inference, 0);
  self->recenter = settings->recenter;
  self->mask = create_mask (settings, &self->in, holo_inference_get_output_desc (inference, 0), error);
  return self->mask != NULL;
}

/* Where only numbers change, the new weights wait in the task for the pause between two frames. */
static HoloChange
change (HoloSyncTaskFactory *factory, HoloSyncTask *task, const HoloInference *inference,
        const HoloSyncCreateContext *context, GError **error)
{
  FourierMaskSettings *settings = (FourierMaskSettings *) factory;
  FourierMaskState *self = holo_task_get_state (task);
  const HoloTensorDesc *input = holo_inference_get_input_desc (inference, 0);

  if (!holo_tensor_desc_equal (&self->in, input) || self->recenter != settings->recenter)
    return HOLO_CHANGE_NEW_TASK;
  rollback (HOLO_TASK (task));
  self->staged = create_mask (settings, input, holo_inference_get_output_desc (inference, 0), error);
  return self->staged != NULL ? HOLO_CHANGE_STAGED : HOLO_CHANGE_REFUSED;
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
                  G_STRUCT_OFFSET (FourierMaskSettings, r_outer));
  install_length (klass, "s-outer", "Width over which the outer edge falls to 0", HOLO_SETTING_NONE,
                  G_STRUCT_OFFSET (FourierMaskSettings, s_outer));
  install_length (klass, "r-inner", "Radius of the disc in it that is stopped", HOLO_SETTING_NONE,
                  G_STRUCT_OFFSET (FourierMaskSettings, r_inner));
  install_length (klass, "s-inner", "Width over which the inner edge rises to 1", HOLO_SETTING_NONE,
                  G_STRUCT_OFFSET (FourierMaskSettings, s_inner));
  install_center (klass, "center-y", "Row of the centre, counted from zero frequency; negative ones upwards",
                  G_STRUCT_OFFSET (FourierMaskSettings, center_y));
  install_center (klass, "center-x", "Column of the centre, counted from zero frequency; negative ones to the left",
                  G_STRUCT_OFFSET (FourierMaskSettings, center_x));
  holo_settings_install_boolean (klass, "recenter",
                                 "Move the centre (to the nearest index) to zero frequency, which takes the tilt away",
                                 FALSE, HOLO_SETTING_NONE, G_STRUCT_OFFSET (FourierMaskSettings, recenter));
}

static void
holo_fourier_mask_class_init (gpointer klass)
{
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

static const HoloSyncFunctions functions = {
  .state_size = sizeof (FourierMaskState),
  .infer = infer,
  .set_up = set_up,
  .execute = execute,
  .clear = clear,
  .change = change,
  .commit = commit,
  .rollback = rollback,
};

HOLO_DEFINE_SYNC_KIND (holo_fourier_mask, "FourierMask", FourierMaskSettings, functions)
