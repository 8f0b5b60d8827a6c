/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>
#include <string.h>

#include "tasks/task-runner.h"

#define GUARD   64
#define PATTERN 0xa5

/* ---- making ---- */

TaskArray *
task_array_new_for_desc (const HoloTensorDesc *desc)
{
  TaskArray *array = g_new0 (TaskArray, 1);

  array->desc = *desc;
  array->size = holo_tensor_desc_get_size (desc);
  array->guarded = g_malloc (array->size + 2 * GUARD);
  memset (array->guarded, PATTERN, array->size + 2 * GUARD);
  array->data = array->guarded + GUARD;
  return array;
}

static guint8 *
get_first (const TaskArray *array)
{
  return array->data + array->desc.offset;
}

TaskArray *
task_array_new (HoloDType dtype, guint rank, const gint64 *shape, gconstpointer elements)
{
  HoloTensorDesc desc;
  TaskArray *array;

  holo_tensor_desc_init (&desc, dtype, HOLO_MEM_LOC_HOST, rank, shape);
  array = task_array_new_for_desc (&desc);
  if (elements != NULL)
    memcpy (array->data, elements, array->size);
  else
    memset (array->data, 0, array->size);
  return array;
}

static void
put (guint8 *at, HoloDType dtype, gdouble x)
{
  switch (dtype)
    {
    case HOLO_DTYPE_U8:
    case HOLO_DTYPE_I8:
      *at = (guint8) (gint64) x;
      break;
    case HOLO_DTYPE_U16:
    case HOLO_DTYPE_I16:
      *(guint16 *) (gpointer) at = (guint16) (gint64) x;
      break;
    case HOLO_DTYPE_F16: /* any finite pattern */
      *(guint16 *) (gpointer) at = (guint16) ((gint64) x & 0xbbff);
      break;
    case HOLO_DTYPE_U32:
    case HOLO_DTYPE_I32:
      *(guint32 *) (gpointer) at = (guint32) (gint64) x;
      break;
    case HOLO_DTYPE_U64:
    case HOLO_DTYPE_I64:
      *(guint64 *) (gpointer) at = (guint64) (gint64) x;
      break;
    case HOLO_DTYPE_F32:
    case HOLO_DTYPE_CF32:
      *(gfloat *) (gpointer) at = (gfloat) x;
      break;
    default:
      *(gdouble *) (gpointer) at = x;
      break;
    }
}

/* Numbers from -100 to 100, which are other numbers in unsigned types. */
TaskArray *
task_array_new_random (HoloDType dtype, guint rank, const gint64 *shape, GRand *rand)
{
  TaskArray *array = task_array_new (dtype, rank, shape, NULL);
  gsize step = holo_dtype_get_size (dtype) / (holo_dtype_is_complex (dtype) ? 2 : 1);

  for (gsize at = 0; at < array->size; at += step)
    put (array->data + at, dtype, g_rand_double_range (rand, -100, 100));
  return array;
}

/* Strides in elements for a shape whose innermost dimension is @first of @order. */
static void
fill_strides (HoloTensorDesc *desc, TaskLayout layout)
{
  gint64 size = (gint64) holo_dtype_get_size (desc->dtype), stride = layout == TASK_LAYOUT_SPACED ? 2 * size : size;

  for (guint i = 0; i < desc->rank; i++)
    {
      guint dim = layout == TASK_LAYOUT_TRANSPOSED ? i : desc->rank - 1 - i;

      desc->strides[dim] = stride;
      stride *= desc->shape[dim];
      if (layout == TASK_LAYOUT_PADDED && i == 0)
        stride += 5 * size;
    }
}

TaskArray *
task_array_copy (const TaskArray *array, TaskLayout layout)
{
  HoloTensorDesc desc;
  TaskArray *copy;

  holo_tensor_desc_init_dense_like (&desc, &array->desc);
  fill_strides (&desc, layout);
  if (layout == TASK_LAYOUT_PADDED)
    desc.offset = 3 * (gint64) holo_dtype_get_size (desc.dtype);
  if (layout == TASK_LAYOUT_UNALIGNED)
    desc.offset = 1;
  copy = task_array_new_for_desc (&desc);
  if (!holo_tensor_desc_is_empty (&desc))
    holo_tensor_copy_elements (get_first (copy), &desc, get_first (array), &array->desc);
  return copy;
}

void
task_array_free (TaskArray *array)
{
  for (gsize i = 0; i < GUARD; i++)
    if (array->guarded[i] != PATTERN || array->data[array->size + i] != PATTERN)
      g_error ("somebody wrote outside of a tensor of %" G_GSIZE_FORMAT " bytes", array->size);
  g_free (array->guarded);
  g_free (array);
}

/* ---- reading ---- */

gpointer
task_array_pack (const TaskArray *array)
{
  HoloTensorDesc dense;
  guint8 *elements;

  holo_tensor_desc_init_dense_like (&dense, &array->desc);
  elements = g_malloc (MAX (holo_tensor_desc_get_size (&dense), 1));
  if (!holo_tensor_desc_is_empty (&dense))
    holo_tensor_copy_elements (elements, &dense, get_first (array), &array->desc);
  return elements;
}

static gdouble
read_part (const guint8 *at, HoloDType dtype)
{
#define CASE(name, type)                                                                                               \
  case HOLO_DTYPE_##name:                                                                                              \
    {                                                                                                                  \
      type x;                                                                                                          \
                                                                                                                       \
      memcpy (&x, at, sizeof x);                                                                                       \
      return (gdouble) x;                                                                                              \
    }

  switch (dtype)
    {
      CASE (U8, guint8)
      CASE (I8, gint8)
      CASE (U16, guint16)
      CASE (I16, gint16)
      CASE (U32, guint32)
      CASE (I32, gint32)
      CASE (U64, guint64)
      CASE (I64, gint64)
      CASE (F16, guint16) /* its bits */
      CASE (F32, gfloat)
      CASE (F64, gdouble)
      CASE (CF32, gfloat)
      CASE (CF64, gdouble)
    }
  g_assert_not_reached ();
#undef CASE
}

void
task_array_get (const TaskArray *array, guint64 index, gdouble *re, gdouble *im)
{
  const HoloTensorDesc *desc = &array->desc;
  const guint8 *at = get_first (array);

  for (guint dim = desc->rank; dim-- > 0; index /= (guint64) desc->shape[dim])
    at += (gint64) (index % (guint64) desc->shape[dim]) * desc->strides[dim];
  *re = read_part (at, desc->dtype);
  *im = holo_dtype_is_complex (desc->dtype) ? read_part (at + holo_dtype_get_size (desc->dtype) / 2, desc->dtype) : 0;
}

gdouble
task_array_get_real (const TaskArray *array, guint64 index)
{
  gdouble re, im;

  task_array_get (array, index, &re, &im);
  return re;
}

/* ---- comparing ---- */

static gboolean
is_near (gdouble x, gdouble expected, gdouble tolerance)
{
  if (isnan (expected) || isnan (x))
    return isnan (expected) && isnan (x);
  if (tolerance == 0 || isinf (expected) || isinf (x))
    return x == expected && signbit (x) == signbit (expected);
  return fabs (x - expected) <= tolerance * MAX (1, fabs (expected));
}

gboolean
task_array_is_same (const TaskArray *array, const TaskArray *expected, gdouble tolerance)
{
  if (array->desc.dtype != expected->desc.dtype || !holo_tensor_desc_same_shape (&array->desc, &expected->desc))
    {
      g_autofree gchar *found = holo_tensor_desc_to_string (&array->desc);
      g_autofree gchar *wanted = holo_tensor_desc_to_string (&expected->desc);

      g_test_message ("expected %s, found %s", wanted, found);
      return FALSE;
    }
  for (guint64 i = 0; i < holo_tensor_desc_count (&expected->desc); i++)
    {
      gdouble re, im, expected_re, expected_im;

      task_array_get (array, i, &re, &im);
      task_array_get (expected, i, &expected_re, &expected_im);
      if (!is_near (re, expected_re, tolerance) || !is_near (im, expected_im, tolerance))
        {
          g_test_message ("element %" G_GUINT64_FORMAT ": expected %.17g%+.17gi, found %.17g%+.17gi", i, expected_re,
                          expected_im, re, im);
          return FALSE;
        }
    }
  /* Doubles do not hold all 64-bit integers. */
  if (tolerance == 0 && !holo_dtype_is_float (array->desc.dtype) && !holo_dtype_is_complex (array->desc.dtype))
    {
      g_autofree gpointer a = task_array_pack (array);
      g_autofree gpointer b = task_array_pack (expected);

      return memcmp (a, b, holo_tensor_desc_get_payload (&array->desc)) == 0;
    }
  return TRUE;
}

void
task_array_assert_same (const TaskArray *array, const TaskArray *expected, gdouble tolerance)
{
  if (!task_array_is_same (array, expected, tolerance))
    g_error ("the tensors differ (see the messages above)");
}

void
task_array_assert (const TaskArray *array, HoloDType dtype, guint rank, const gint64 *shape, gconstpointer expected,
                   gdouble tolerance)
{
  g_autoptr (TaskArray) wanted = task_array_new (dtype, rank, shape, expected);

  task_array_assert_same (array, wanted, tolerance);
}
