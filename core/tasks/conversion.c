/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/holo-define-type.h"
#include "base/holo-error.h"
#include "tensor/holo-range.h"
#include "task/holo-task-private.h"
#include "tasks/holo-builtin-kinds.h"

typedef enum
{
  HOLO_CONVERSION_REAL,
  HOLO_CONVERSION_SCALED,
  HOLO_CONVERSION_MODULUS,
  HOLO_CONVERSION_ARGUMENT,
} HoloConversionStrategy;

HOLO_DEFINE_ENUM_TYPE (HoloConversionStrategy, strategy,
                       { HOLO_CONVERSION_REAL, "the number, or its real part", "Real" },
                       { HOLO_CONVERSION_SCALED, "stretched to the range of an integer type", "Scaled" },
                       { HOLO_CONVERSION_MODULUS, "modulus of a complex number", "Modulus" },
                       { HOLO_CONVERSION_ARGUMENT, "argument of a complex number, radians", "Argument" })

typedef struct
{
  HoloSyncTaskFactory parent_instance;

  gint target;
  gint strategy;
} ConversionSettings;

typedef struct
{
  HoloLoop loop;
  HoloConverter converter; /* input to output; where scaled, F64 to output */
  gboolean is_scaled;
  HoloRange range; /* of the frame at work */
  gdouble largest; /* of the target */
} ConversionState;

/* ---- task ---- */

static void
run_plain (gpointer user_data, gpointer out, gconstpointer const *in, gsize n)
{
  ConversionState *self = user_data;

  _holo_converter_run (&self->converter, out, in[0], n);
}

/* (x - lo) * largest / (hi - lo). The order of operations is part of the rule: results are equal bit by bit
 * everywhere. @scale, a power of two, keeps hi - lo finite. NaN stays NaN, which the integer conversion makes
 * 0. */
static void
scale_tile (const ConversionState *self, gdouble *tile, const gdouble *in, gsize n)
{
  gdouble scale = isinf (self->range.hi - self->range.lo) || self->range.hi - self->range.lo > 0x1p900 ? 0x1p-128 : 1;
  gdouble lo = self->range.lo, hi = self->range.hi, base = lo * scale, largest = self->largest;
  gdouble range = hi > lo ? hi * scale - base : 1; /* of a constant image: x - lo is 0 */

  HOLO_INDEPENDENT
  for (gsize i = 0; i < n; i++)
    {
      gdouble x = in[i];

      x = x < lo ? lo : x;
      x = x > hi ? hi : x;
      tile[i] = (x * scale - base) * largest / range;
    }
}

static void
run_scaled (gpointer user_data, gpointer out, gconstpointer const *in, gsize n)
{
  ConversionState *self = user_data;
  gdouble tile[HOLO_TILE_ELEMENTS];
  const gdouble *src = in[0];
  guint8 *dst = out;

  for (gsize done = 0; done < n; done += HOLO_TILE_ELEMENTS)
    {
      gsize m = MIN (n - done, HOLO_TILE_ELEMENTS);

      scale_tile (self, tile, src + done, m);
      _holo_converter_run (&self->converter, dst + done * self->loop.out_size, tile, m);
    }
}

static HoloOpResult
execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  ConversionState *self = holo_task_get_state (task);
  gpointer out = holo_tensor_view_get_data (context->outputs[0]);
  gconstpointer in = holo_tensor_view_get_data (context->inputs[0]);

  if (self->is_scaled)
    _holo_range_find (&self->range, in);
  _holo_loop_run (&self->loop, self, out, in, NULL);
  return HOLO_OP_OK;
}

/* ---- making it ---- */

static gboolean
refuse (const gchar *reason, ConversionSettings *self, HoloDType in, GError **error)
{
  const gchar *strategy = "no strategy";
  GEnumClass *enum_class = g_type_class_ref (strategy_get_type ());

  if (holo_settings_is_set (HOLO_TASK_FACTORY (self), "strategy"))
    strategy = g_enum_get_value (enum_class, self->strategy)->value_nick;
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE, "%s to %s with %s: %s", holo_dtype_get_name (in),
               holo_dtype_get_name ((HoloDType) self->target), strategy, reason);
  g_type_class_unref (enum_class);
  return FALSE;
}

static gboolean
check_strategy (ConversionSettings *self, HoloDType in, GError **error)
{
  gboolean is_set = holo_settings_is_set (HOLO_TASK_FACTORY (self), "strategy");
  gboolean to_complex = holo_dtype_is_complex ((HoloDType) self->target);

  if (holo_dtype_is_complex (in) && to_complex)
    return !is_set || refuse ("both are complex: leave strategy out", self, in, error);
  if (holo_dtype_is_complex (in) && !is_set)
    return refuse ("set strategy to Modulus, Argument or Real: it says what is left of a complex number", self, in,
                   error);
  if (!is_set || self->strategy == HOLO_CONVERSION_REAL)
    return TRUE;
  if (self->strategy == HOLO_CONVERSION_SCALED)
    {
      if (holo_dtype_is_complex (in))
        return refuse ("complex numbers have no order; put a Conversion with Modulus or an Abs before it", self, in,
                       error);
      if (to_complex || holo_dtype_is_float ((HoloDType) self->target))
        return refuse ("Scaled fills the range of an integer type; for other targets use Normalize", self, in, error);
      return TRUE;
    }
  return holo_dtype_is_complex (in) || refuse ("it takes complex input; leave strategy out", self, in, error);
}

static gboolean
infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  ConversionSettings *self = (ConversionSettings *) factory;
  HoloInferredOutput *output = _holo_inference_add_dense_output (inference, (HoloDType) self->target);

  _holo_inference_offer_in_place (inference, output, 0);
  return check_strategy (self, holo_inference_get_input_desc (inference, 0)->dtype, error);
}

static gdouble
get_largest (HoloDType dtype)
{
  static const gdouble largest[HOLO_N_DTYPES] = {
    [HOLO_DTYPE_U8] = G_MAXUINT8,  [HOLO_DTYPE_I8] = G_MAXINT8,    [HOLO_DTYPE_U16] = G_MAXUINT16,
    [HOLO_DTYPE_I16] = G_MAXINT16, [HOLO_DTYPE_U32] = G_MAXUINT32, [HOLO_DTYPE_I32] = G_MAXINT32,
    [HOLO_DTYPE_U64] = 0x1p64,     [HOLO_DTYPE_I64] = 0x1p63,
  };

  return largest[dtype];
}

static gboolean
set_up (HoloSyncTaskFactory *factory, HoloSyncTask *task, const HoloInference *inference,
        const HoloSyncCreateContext *context, GError **error)
{
  static const HoloComplexPart parts[] = {
    [HOLO_CONVERSION_REAL] = HOLO_COMPLEX_REAL,
    [HOLO_CONVERSION_SCALED] = HOLO_COMPLEX_REAL,
    [HOLO_CONVERSION_MODULUS] = HOLO_COMPLEX_MODULUS,
    [HOLO_CONVERSION_ARGUMENT] = HOLO_COMPLEX_ARGUMENT,
  };
  ConversionSettings *settings = (ConversionSettings *) factory;
  ConversionState *self = holo_task_get_state (task);
  const HoloTensorDesc *in = holo_inference_get_input_desc (inference, 0);
  const HoloTensorDesc *out = holo_inference_get_output_desc (inference, 0);

  self->is_scaled =
      holo_settings_is_set (HOLO_TASK_FACTORY (factory), "strategy") && settings->strategy == HOLO_CONVERSION_SCALED;
  _holo_loop_init (&self->loop, self->is_scaled ? run_scaled : run_plain, out, in, NULL);
  _holo_converter_init (&self->converter, self->is_scaled ? HOLO_DTYPE_F64 : in->dtype, out->dtype,
                        parts[settings->strategy]);
  if (self->is_scaled)
    {
      self->largest = get_largest (out->dtype);
      _holo_range_init (&self->range, in);
      _holo_loop_convert_input (&self->loop, 0, in->dtype, HOLO_DTYPE_F64);
    }
  return TRUE;
}

static void
holo_conversion_class_init (gpointer klass)
{
  holo_task_factory_class_set_description (
      klass, "Every element in another element type",
      "`strategy` says how. Left out, it is Real where the input is real; from complex to real it must be\n"
      "given, and from complex to complex there is none.\n\n"
      "| from | to | strategy | rule |\n"
      "|---|---|---|---|\n"
      "| real | real | Real | the number itself |\n"
      "| real | complex | Real | `x + 0i` |\n"
      "| complex | complex | (none) | part by part |\n"
      "| complex | real | Real | the real part |\n"
      "| complex | real | Modulus | `hypot (re, im)` |\n"
      "| complex | real | Argument | `atan2 (im, re)`, radians |\n"
      "| real | integer | Scaled | `(x - min) * M / (max - min)` |\n\n"
      "The part of a complex number is taken in its own precision, then converted as a number.\n\n"
      "Numbers: to an integer, a float is rounded to nearest even and saturates (300 and infinity give\n"
      "255 in U8, -1 gives 0), NaN gives 0; a larger integer saturates too. To a float, numbers are\n"
      "rounded to nearest even; too large ones give infinity.\n\n"
      "Scaled: min and max are those of all finite elements of the tensor, M is the largest value of\n"
      "the target. The expression is evaluated in F64 from left to right (64-bit integers are rounded\n"
      "to F64 first), then rounded to nearest even. Infinities count as min and max, NaN gives 0, and a\n"
      "constant image gives 0.");
  holo_task_factory_class_set_example (klass, "{\"target\": \"U8\", \"strategy\": \"Scaled\"}");
  holo_task_factory_class_add_input (klass, "in", HOLO_DTYPES_ALL, HOLO_MEM_LOCS_ANY, 0, HOLO_MAX_RANK, HOLO_SLOT_NONE,
                                     "any layout");
  holo_task_factory_class_add_output (klass, "out", HOLO_DTYPES_ALL, HOLO_MEM_LOCS_ANY, 0, HOLO_MAX_RANK,
                                      HOLO_SLOT_NONE, "shape and place of the input, dense");
  holo_settings_install_enum (klass, "target", "Element type that comes out", HOLO_TYPE_DTYPE, HOLO_DTYPE_F32,
                              HOLO_SETTING_REQUIRED, G_STRUCT_OFFSET (ConversionSettings, target));
  holo_settings_install_enum (klass, "strategy", "How a number becomes one of the target; unset: Real, for real input",
                              strategy_get_type (), HOLO_CONVERSION_REAL, HOLO_SETTING_NULLABLE,
                              G_STRUCT_OFFSET (ConversionSettings, strategy));
}

static const HoloSyncFunctions functions = {
  .state_size = sizeof (ConversionState),
  .infer = infer,
  .set_up = set_up,
  .execute = execute,
};

HOLO_DEFINE_SYNC_KIND (holo_conversion, "Conversion", ConversionSettings, functions)
