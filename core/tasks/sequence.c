/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/holo-error.h"
#include "tensor/holo-convert.h"
#include "tasks/holo-builtin-kinds.h"

typedef struct
{
  HoloSyncTaskFactory parent_instance;

  GArray *shape;
  gint dtype;
  gint64 count;
  gdouble start;
  gdouble step;
  gdouble rate;
} SequenceSettings;

typedef struct
{
  HoloTensorDesc desc;
  HoloConverter converter;
  guint64 count; /* 0: endless */
  gdouble start;
  gdouble step;
  guint64 n_given;
} SequenceState;

/* ---- task ---- */

static void
fill (SequenceState *self, guint8 *out)
{
  gdouble tile[HOLO_TILE_ELEMENTS];
  gsize n = (gsize) holo_tensor_desc_count (&self->desc);

  for (gsize done = 0; done < n; done += HOLO_TILE_ELEMENTS)
    {
      gsize m = MIN (n - done, HOLO_TILE_ELEMENTS);

      for (gsize i = 0; i < m; i++)
        tile[i] = self->start + (gdouble) (done + i) + (gdouble) self->n_given * self->step;
      _holo_converter_run (&self->converter, out + done * self->converter.out_size, tile, m);
    }
}

/* Time of the beginning of frame @n in ns: n * rate_d / rate_n seconds, taken apart so that no step
 * overflows before the time itself does. */
static guint64
get_time (const HoloTensorDesc *desc, guint64 n)
{
  guint64 rate_n = (guint64) desc->rate_n, rate_d = (guint64) desc->rate_d;
  guint64 rest = n % rate_n * rate_d; /* in rate_n-ths of a second */
  guint64 seconds = n / rate_n * rate_d + rest / rate_n;

  return seconds * G_GUINT64_CONSTANT (1000000000) + rest % rate_n * G_GUINT64_CONSTANT (1000000000) / rate_n;
}

static void
set_stamp (SequenceState *self, HoloStamp *stamp)
{
  holo_stamp_init (stamp);
  stamp->seq = stamp->first = stamp->last = self->n_given;
  if (self->desc.rate_n == 0)
    return;
  stamp->pts = get_time (&self->desc, self->n_given);
  stamp->duration = get_time (&self->desc, self->n_given + 1) - stamp->pts;
}

static HoloOpResult
execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  SequenceState *self = holo_task_get_state (task);
  HoloTensorView *out = context->outputs[0];

  if (self->count != 0 && self->n_given == self->count)
    return HOLO_OP_EOF;
  fill (self, holo_tensor_view_get_data (out));
  set_stamp (self, &out->stamp);
  self->n_given++;
  return HOLO_OP_OK;
}

static gboolean
reset (HoloTask *task, GError **error)
{
  ((SequenceState *) holo_task_get_state (task))->n_given = 0;
  return TRUE;
}

/* ---- making it ---- */

/* The rate as a fraction: whole, or over 1001 as television has it, or in thousandths. */
static void
set_rate (HoloTensorDesc *desc, gdouble rate)
{
  gdouble ntsc = rint (rate * 1.001) * 1000;

  if (rate == 0)
    return;
  if (rate == rint (rate))
    {
      desc->rate_n = (gint) rate;
      return;
    }
  if (fabs (ntsc / 1001 - rate) < 0.005)
    {
      desc->rate_n = (gint) ntsc;
      desc->rate_d = 1001;
      return;
    }
  desc->rate_n = (gint) rint (rate * 1000);
  desc->rate_d = 1000;
}

static gboolean
infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  const SequenceSettings *settings = (SequenceSettings *) factory;
  HoloTensorDesc desc;

  if (settings->shape->len > HOLO_MAX_RANK)
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE, "shape: %u dimensions, at most %d are allowed",
                   settings->shape->len, HOLO_MAX_RANK);
      return FALSE;
    }
  holo_tensor_desc_init (&desc, (HoloDType) settings->dtype, HOLO_MEM_LOC_HOST, settings->shape->len,
                         (const gint64 *) (gpointer) settings->shape->data);
  if (!holo_tensor_desc_validate (&desc, error))
    return FALSE;
  set_rate (&desc, settings->rate);
  holo_inference_add_output (inference, &desc);
  return TRUE;
}

static gboolean
set_up (HoloSyncTaskFactory *factory, HoloSyncTask *task, const HoloInference *inference,
        const HoloSyncCreateContext *context, GError **error)
{
  const SequenceSettings *settings = (SequenceSettings *) factory;
  SequenceState *self = holo_task_get_state (task);

  self->desc = *holo_inference_get_output_desc (inference, 0);
  self->count = (guint64) settings->count;
  self->start = settings->start;
  self->step = settings->step;
  _holo_converter_init (&self->converter, HOLO_DTYPE_F64, self->desc.dtype, HOLO_COMPLEX_REAL);
  return TRUE;
}

static void
install_settings (gpointer klass)
{
  holo_settings_install_int64_array (klass, "shape", "Extents of a frame; [] is one number", "elements", 0, G_MAXINT64,
                                     HOLO_SETTING_REQUIRED, G_STRUCT_OFFSET (SequenceSettings, shape));
  holo_settings_install_enum (klass, "dtype", "Element type", HOLO_TYPE_DTYPE, HOLO_DTYPE_F32, HOLO_SETTING_NONE,
                              G_STRUCT_OFFSET (SequenceSettings, dtype));
  holo_settings_install_int64 (klass, "count", "Frames until the end of the stream; 0 never ends", "frames", 0,
                               G_MAXINT64, 0, HOLO_SETTING_NONE, G_STRUCT_OFFSET (SequenceSettings, count));
  holo_settings_install_double (klass, "start", "The first element of the first frame", NULL, -G_MAXDOUBLE, G_MAXDOUBLE,
                                0, HOLO_SETTING_NONE, G_STRUCT_OFFSET (SequenceSettings, start));
  holo_settings_install_double (klass, "step", "How much an element grows from frame to frame", NULL, -G_MAXDOUBLE,
                                G_MAXDOUBLE, 1, HOLO_SETTING_NONE, G_STRUCT_OFFSET (SequenceSettings, step));
  holo_settings_install_double (klass, "rate", "What the frames' times are computed from; 0: they have none",
                                "frames/s", 0, 1000000, 0, HOLO_SETTING_NONE, G_STRUCT_OFFSET (SequenceSettings, rate));
}

static void
holo_sequence_class_init (gpointer klass)
{
  holo_task_factory_class_set_description (
      klass, "Source of frames with known content, for trying things out",
      "Element i (in row-major order) of frame n is `start + i + n * step`, computed in F64 and\n"
      "converted to `dtype` as `Conversion` does: integers saturate. After `count` frames the stream\n"
      "ends; with `count` 0, the default, it does not.\n\n"
      "Frames are numbered from 0. With a `rate` they also carry the time n / rate and their duration;\n"
      "they come as fast as they are taken all the same (put a `RateLimiter` behind it).");
  holo_task_factory_class_set_example (klass, "{\"shape\": [4, 4], \"count\": 10}");
  holo_task_factory_class_add_output (klass, "out", HOLO_DTYPES_ALL, HOLO_MEM_LOCS_HOST, 0, HOLO_MAX_RANK,
                                      HOLO_SLOT_NONE, "dense, as `shape` and `dtype` say");
  install_settings (klass);
}

static const HoloSyncFunctions functions = {
  .state_size = sizeof (SequenceState),
  .infer = infer,
  .set_up = set_up,
  .execute = execute,
  .reset = reset,
};

HOLO_DEFINE_SYNC_KIND (holo_sequence, "Sequence", SequenceSettings, functions)
