/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tensor/holo-tensor-desc.h"

#include <string.h>

#include "base/holo-error.h"
#include "base/holo-boxed.h"

HOLO_DEFINE_PLAIN_TYPE (HoloTensorDesc, holo_tensor_desc)

static void
fill_dense_strides (HoloTensorDesc *desc)
{
  gint64 stride = (gint64) holo_dtype_get_size (desc->dtype);

  for (guint i = desc->rank; i-- > 0;)
    {
      desc->strides[i] = stride;
      /* Saturate: validate() reports the overflow. */
      if (__builtin_mul_overflow (stride, desc->shape[i], &stride))
        stride = G_MAXINT64;
    }
}

/**
 * holo_tensor_desc_init:
 * @desc: a description
 * @dtype: element type
 * @mem_loc: place
 * @rank: number of dimensions, at most %HOLO_MAX_RANK
 * @shape: (array length=rank) (nullable): extents; may be %NULL for rank 0
 *
 * Fills in a dense (row-major, no padding, offset 0) tensor. Sizes are not checked: see holo_tensor_desc_validate().
 *
 * Returns: (transfer none): @desc
 *
 * Since: 0.1
 */
HoloTensorDesc *
holo_tensor_desc_init (HoloTensorDesc *desc, HoloDType dtype, HoloMemLoc mem_loc, guint rank, const gint64 *shape)
{
  g_return_val_if_fail (desc != NULL && rank <= HOLO_MAX_RANK && (rank == 0 || shape != NULL), desc);

  memset (desc, 0, sizeof *desc);
  desc->dtype = dtype;
  desc->mem_loc = mem_loc;
  desc->rank = rank;
  desc->rate_d = 1;
  for (guint i = 0; i < rank; i++)
    desc->shape[i] = shape[i];
  fill_dense_strides (desc);
  return desc;
}

/**
 * holo_tensor_desc_init_strided:
 * @desc: a description
 * @dtype: element type
 * @mem_loc: place
 * @rank: number of dimensions
 * @shape: (array length=rank): extents
 * @strides: (array length=rank) (nullable): byte strides, %NULL for dense ones
 * @offset: bytes from the start of the storage
 *
 * Returns: (transfer none): @desc
 *
 * Since: 0.1
 */
HoloTensorDesc *
holo_tensor_desc_init_strided (HoloTensorDesc *desc, HoloDType dtype, HoloMemLoc mem_loc, guint rank,
                               const gint64 *shape, const gint64 *strides, gint64 offset)
{
  holo_tensor_desc_init (desc, dtype, mem_loc, rank, shape);
  for (guint i = 0; strides != NULL && i < rank; i++)
    desc->strides[i] = strides[i];
  desc->offset = offset;
  return desc;
}

/**
 * holo_tensor_desc_init_dense_like:
 * @desc: a description; may be @other
 * @other: another one
 *
 * Shape, type, place and rate of @other, without its strides and offset: what a task that writes a fresh output wants.
 *
 * Returns: (transfer none): @desc
 *
 * Since: 0.1
 */
HoloTensorDesc *
holo_tensor_desc_init_dense_like (HoloTensorDesc *desc, const HoloTensorDesc *other)
{
  if (desc != other)
    *desc = *other;
  desc->offset = 0;
  fill_dense_strides (desc);
  return desc;
}

/**
 * holo_tensor_desc_validate:
 * @desc: a description from outside
 * @error: return location
 *
 * Checks rank, element type, that extents, strides and offset are not negative, and that number of elements and span
 * fit 63 bits.
 *
 * Returns: whether @desc can be used
 *
 * Since: 0.1
 */
gboolean
holo_tensor_desc_validate (const HoloTensorDesc *desc, GError **error)
{
  guint64 n_elements;
  gsize span;

  if ((guint) desc->dtype >= HOLO_N_DTYPES || (guint) desc->mem_loc > HOLO_MEM_LOC_DEVICE)
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE, "the tensor has no valid element type or place");
      return FALSE;
    }
  if (desc->rank > HOLO_MAX_RANK)
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE, "rank %u is larger than the largest rank %d", desc->rank,
                   HOLO_MAX_RANK);
      return FALSE;
    }
  for (guint i = 0; i < desc->rank; i++)
    if (desc->shape[i] < 0 || desc->strides[i] < 0)
      {
        g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE,
                     "dimension %u has extent %" G_GINT64_FORMAT " and stride %" G_GINT64_FORMAT
                     "; neither may be negative",
                     i, desc->shape[i], desc->strides[i]);
        return FALSE;
      }
  if (desc->offset < 0)
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE, "offset %" G_GINT64_FORMAT " is negative", desc->offset);
      return FALSE;
    }
  return holo_tensor_desc_get_n_elements (desc, &n_elements, error) && holo_tensor_desc_get_span (desc, &span, error);
}

static gboolean
set_overflow (const HoloTensorDesc *desc, GError **error)
{
  g_autofree gchar *text = holo_tensor_desc_to_string (desc);

  g_set_error (error, HOLO_ERROR, HOLO_ERROR_OVERFLOW, "the size of tensor %s does not fit 63 bits", text);
  return FALSE;
}

/**
 * holo_tensor_desc_get_n_elements:
 * @desc: a description
 * @n_elements: (out): product of the extents; 1 for rank 0
 * @error: return location
 *
 * Walks the extents outermost first and stops at a zero, so that {0, MAX, 2} has 0 elements and {MAX, 2, 0} overflows.
 *
 * Returns: %FALSE with %HOLO_ERROR_OVERFLOW when the product does not fit
 *
 * Since: 0.1
 */
gboolean
holo_tensor_desc_get_n_elements (const HoloTensorDesc *desc, guint64 *n_elements, GError **error)
{
  gint64 product = 1;

  for (guint i = 0; i < desc->rank; i++)
    {
      if (desc->shape[i] == 0)
        {
          product = 0;
          break;
        }
      if (__builtin_mul_overflow (product, desc->shape[i], &product))
        return set_overflow (desc, error);
    }
  *n_elements = (guint64) product;
  return TRUE;
}

/**
 * holo_tensor_desc_count:
 * @desc: a validated description
 *
 * Returns: number of elements
 *
 * Since: 0.1
 */
guint64
holo_tensor_desc_count (const HoloTensorDesc *desc)
{
  guint64 product = 1;

  for (guint i = 0; i < desc->rank; i++)
    product *= (guint64) desc->shape[i];
  return product;
}

/**
 * holo_tensor_desc_get_num_bytes:
 * @desc: a description
 *
 * The original's number: outermost stride times outermost extent; 0 for rank 0. It is not the span (see
 * holo_tensor_desc_get_span()); kept for interoperation.
 *
 * Returns: bytes
 *
 * Since: 0.1
 */
gint64
holo_tensor_desc_get_num_bytes (const HoloTensorDesc *desc)
{
  return desc->rank == 0 || holo_tensor_desc_is_empty (desc) ? 0 : desc->strides[0] * desc->shape[0];
}

/**
 * holo_tensor_desc_get_span:
 * @desc: a description
 * @span: (out): bytes from the first element to the end of the last one, by the strides; without the offset
 * @error: return location
 *
 * Returns: %FALSE with %HOLO_ERROR_OVERFLOW when offset + span does not fit
 *
 * Since: 0.1
 */
gboolean
holo_tensor_desc_get_span (const HoloTensorDesc *desc, gsize *span, GError **error)
{
  gint64 sum = (gint64) holo_dtype_get_size (desc->dtype), step, end;

  for (guint i = 0; i < desc->rank; i++)
    {
      if (desc->shape[i] == 0)
        {
          *span = 0;
          return TRUE;
        }
      if (__builtin_mul_overflow (desc->shape[i] - 1, desc->strides[i], &step) ||
          __builtin_add_overflow (sum, step, &sum))
        return set_overflow (desc, error);
    }
  if (__builtin_add_overflow (sum, desc->offset, &end))
    return set_overflow (desc, error);
  *span = (gsize) sum;
  return TRUE;
}

/**
 * holo_tensor_desc_get_size:
 * @desc: a validated description
 *
 * Returns: bytes that the storage must have: offset + span, 0 for an empty tensor
 *
 * Since: 0.1
 */
gsize
holo_tensor_desc_get_size (const HoloTensorDesc *desc)
{
  gsize span = 0;

  if (!holo_tensor_desc_get_span (desc, &span, NULL) || span == 0)
    return 0;
  return span + (gsize) desc->offset;
}

/**
 * holo_tensor_desc_get_payload:
 * @desc: a validated description
 *
 * Returns: bytes of all elements, without padding: what statistics count
 *
 * Since: 0.1
 */
gsize
holo_tensor_desc_get_payload (const HoloTensorDesc *desc)
{
  return (gsize) holo_tensor_desc_count (desc) * holo_dtype_get_size (desc->dtype);
}

/**
 * holo_tensor_desc_is_dense:
 * @desc: a description
 *
 * Returns: whether the elements lie row-major without gaps from the offset on. Strides of dimensions of extent 1 do
 *   not matter, and an empty tensor is dense.
 *
 * Since: 0.1
 */
gboolean
holo_tensor_desc_is_dense (const HoloTensorDesc *desc)
{
  gint64 expected = (gint64) holo_dtype_get_size (desc->dtype);

  if (holo_tensor_desc_is_empty (desc))
    return TRUE;
  for (guint i = desc->rank; i-- > 0;)
    {
      if (desc->shape[i] != 1 && desc->strides[i] != expected)
        return FALSE;
      /* Messages also show descriptions that no memory holds. */
      if (__builtin_mul_overflow (expected, desc->shape[i], &expected))
        expected = -1;
    }
  return TRUE;
}

/**
 * holo_tensor_desc_is_empty:
 * @desc: a description
 *
 * Returns: whether an extent is 0
 *
 * Since: 0.1
 */
gboolean
holo_tensor_desc_is_empty (const HoloTensorDesc *desc)
{
  for (guint i = 0; i < desc->rank; i++)
    if (desc->shape[i] == 0)
      return TRUE;
  return FALSE;
}

/**
 * holo_tensor_desc_same_shape:
 * @a: a description
 * @b: another
 *
 * Returns: whether rank and extents are equal
 *
 * Since: 0.1
 */
gboolean
holo_tensor_desc_same_shape (const HoloTensorDesc *a, const HoloTensorDesc *b)
{
  return a->rank == b->rank && memcmp (a->shape, b->shape, a->rank * sizeof a->shape[0]) == 0;
}

/**
 * holo_tensor_desc_equal:
 * @a: a description
 * @b: another
 *
 * Returns: whether type, place, shape, strides and offset are equal; the frame rate does not count
 *
 * Since: 0.1
 */
gboolean
holo_tensor_desc_equal (const HoloTensorDesc *a, const HoloTensorDesc *b)
{
  return a->dtype == b->dtype && a->mem_loc == b->mem_loc && a->offset == b->offset &&
         holo_tensor_desc_same_shape (a, b) && memcmp (a->strides, b->strides, a->rank * sizeof a->strides[0]) == 0;
}

static void
append_numbers (GString *text, guint n, const gint64 *numbers)
{
  g_string_append_c (text, '[');
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i ? "," : "", numbers[i]);
  g_string_append_c (text, ']');
}

/**
 * holo_tensor_desc_to_string:
 * @desc: a description
 *
 * Returns: (transfer full): "F32[4,512] Host", with strides and offset when they are not the default
 *
 * Since: 0.1
 */
gchar *
holo_tensor_desc_to_string (const HoloTensorDesc *desc)
{
  GString *text = g_string_new (holo_dtype_get_name (desc->dtype));

  append_numbers (text, MIN (desc->rank, HOLO_MAX_RANK), desc->shape);
  g_string_append_printf (text, " %s", holo_mem_loc_get_name (desc->mem_loc));
  if (!holo_tensor_desc_is_dense (desc))
    {
      g_string_append (text, " strides ");
      append_numbers (text, MIN (desc->rank, HOLO_MAX_RANK), desc->strides);
    }
  if (desc->offset != 0)
    g_string_append_printf (text, " offset %" G_GINT64_FORMAT, desc->offset);
  return g_string_free (text, FALSE);
}

static void
add_numbers (JsonObject *object, const gchar *name, guint n, const gint64 *numbers)
{
  JsonArray *array = json_array_sized_new (n);

  for (guint i = 0; i < n; i++)
    json_array_add_int_element (array, numbers[i]);
  json_object_set_array_member (object, name, array);
}

/**
 * holo_tensor_desc_to_json:
 * @desc: a description
 *
 * Returns: (transfer full): an object with shape, dtype, mem_loc, strides and offset
 *
 * Since: 0.1
 */
JsonNode *
holo_tensor_desc_to_json (const HoloTensorDesc *desc)
{
  JsonObject *object = json_object_new ();
  JsonNode *node = json_node_new (JSON_NODE_OBJECT);

  add_numbers (object, "shape", desc->rank, desc->shape);
  json_object_set_string_member (object, "dtype", holo_dtype_get_name (desc->dtype));
  json_object_set_string_member (object, "mem_loc", holo_mem_loc_get_name (desc->mem_loc));
  add_numbers (object, "strides", desc->rank, desc->strides);
  json_object_set_int_member (object, "offset", desc->offset);
  json_node_take_object (node, object);
  return node;
}

static gboolean
read_numbers (JsonObject *object, const gchar *name, gint64 *numbers, guint *n, GError **error)
{
  JsonNode *member = json_object_get_member (object, name);
  JsonArray *array;

  if (member == NULL || !JSON_NODE_HOLDS_ARRAY (member))
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_JSON, "/%s: expected an array of integers", name);
      return FALSE;
    }
  array = json_node_get_array (member);
  *n = json_array_get_length (array);
  if (*n > HOLO_MAX_RANK)
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_JSON, "/%s: %u entries, at most %d are allowed", name, *n,
                   HOLO_MAX_RANK);
      return FALSE;
    }
  for (guint i = 0; i < *n; i++)
    {
      JsonNode *element = json_array_get_element (array, i);

      if (!JSON_NODE_HOLDS_VALUE (element) || json_node_get_value_type (element) != G_TYPE_INT64)
        {
          g_set_error (error, HOLO_ERROR, HOLO_ERROR_JSON, "/%s/%u: expected an integer", name, i);
          return FALSE;
        }
      numbers[i] = json_node_get_int (element);
    }
  return TRUE;
}

static gboolean
read_string (JsonObject *object, const gchar *name, const gchar **value, GError **error)
{
  JsonNode *member = json_object_get_member (object, name);

  if (member == NULL || !JSON_NODE_HOLDS_VALUE (member) || json_node_get_value_type (member) != G_TYPE_STRING)
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_JSON, "/%s: expected a string", name);
      return FALSE;
    }
  *value = json_node_get_string (member);
  return TRUE;
}

/**
 * holo_tensor_desc_from_json:
 * @desc: (out caller-allocates): filled in on success, otherwise unchanged
 * @node: an object as holo_tensor_desc_to_json() writes it; `strides` (dense) and `offset` (0) may be missing
 * @error: return location
 *
 * Returns: whether @node describes a valid tensor
 *
 * Since: 0.1
 */
gboolean
holo_tensor_desc_from_json (HoloTensorDesc *desc, JsonNode *node, GError **error)
{
  HoloTensorDesc result;
  JsonObject *object;
  const gchar *text;
  gint64 shape[HOLO_MAX_RANK], strides[HOLO_MAX_RANK];
  HoloDType dtype;
  HoloMemLoc mem_loc;
  guint rank, n_strides;

  if (node == NULL || !JSON_NODE_HOLDS_OBJECT (node))
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_JSON, "/: expected an object that describes a tensor");
      return FALSE;
    }
  object = json_node_get_object (node);
  if (!read_numbers (object, "shape", shape, &rank, error) || !read_string (object, "dtype", &text, error) ||
      !holo_dtype_from_name (text, &dtype, error) || !read_string (object, "mem_loc", &text, error) ||
      !holo_mem_loc_from_name (text, &mem_loc, error))
    return FALSE;
  holo_tensor_desc_init (&result, dtype, mem_loc, rank, shape);
  if (json_object_has_member (object, "strides"))
    {
      if (!read_numbers (object, "strides", strides, &n_strides, error))
        return FALSE;
      if (n_strides != rank)
        {
          g_set_error (error, HOLO_ERROR, HOLO_ERROR_JSON, "/strides: %u entries, but the shape has %u", n_strides,
                       rank);
          return FALSE;
        }
      memcpy (result.strides, strides, rank * sizeof strides[0]);
    }
  if (json_object_has_member (object, "offset"))
    {
      JsonNode *offset = json_object_get_member (object, "offset");

      if (!JSON_NODE_HOLDS_VALUE (offset) || json_node_get_value_type (offset) != G_TYPE_INT64)
        {
          g_set_error (error, HOLO_ERROR, HOLO_ERROR_JSON, "/offset: expected an integer");
          return FALSE;
        }
      result.offset = json_node_get_int (offset);
    }
  if (!holo_tensor_desc_validate (&result, error))
    return FALSE;
  *desc = result;
  return TRUE;
}
