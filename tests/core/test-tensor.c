/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <holoflow/holoflow.h>

#include <string.h>

#define SHAPE(...) ((const gint64[]){ __VA_ARGS__ })

static void
assert_numbers (const gint64 *found, const gint64 *expected, guint n)
{
  for (guint i = 0; i < n; i++)
    g_assert_cmpint (found[i], ==, expected[i]);
}

static gsize
get_span (const HoloTensorDesc *desc)
{
  gsize span;
  g_autoptr (GError) error = NULL;

  g_assert_true (holo_tensor_desc_get_span (desc, &span, &error));
  g_assert_no_error (error);
  return span;
}

/* ---- the original's rows ---- */

static void
test_dense (void)
{
  HoloTensorDesc desc;

  holo_tensor_desc_init (&desc, HOLO_DTYPE_F32, HOLO_MEM_LOC_HOST, 3, SHAPE (2, 3, 4));
  g_assert_cmpuint (desc.rank, ==, 3);
  assert_numbers (desc.strides, SHAPE (48, 16, 4), 3);
  g_assert_cmpuint (holo_tensor_desc_count (&desc), ==, 24);
  g_assert_cmpint (holo_tensor_desc_get_num_bytes (&desc), ==, 96);
  g_assert_cmpuint (get_span (&desc), ==, 96);
}

static void
test_empty_and_zero (void)
{
  HoloTensorDesc desc;

  holo_tensor_desc_init (&desc, HOLO_DTYPE_U8, HOLO_MEM_LOC_HOST, 0, NULL);
  g_assert_cmpint (holo_tensor_desc_get_num_bytes (&desc), ==, 0);
  /* One element all the same, and it needs a byte. */
  g_assert_cmpuint (holo_tensor_desc_count (&desc), ==, 1);
  g_assert_cmpuint (holo_tensor_desc_get_size (&desc), ==, 1);
  holo_tensor_desc_init (&desc, HOLO_DTYPE_U16, HOLO_MEM_LOC_HOST, 3, SHAPE (3, 0, 2));
  g_assert_cmpuint (holo_tensor_desc_count (&desc), ==, 0);
  assert_numbers (desc.strides, SHAPE (0, 4, 2), 3);
  g_assert_cmpuint (holo_tensor_desc_get_size (&desc), ==, 0);
  g_assert_true (holo_tensor_desc_validate (&desc, NULL));
  g_assert_true (holo_tensor_desc_is_empty (&desc));
  g_assert_true (holo_tensor_desc_is_dense (&desc));
}

static void
assert_overflows (const gint64 *shape, guint rank)
{
  HoloTensorDesc desc;
  guint64 n;
  g_autoptr (GError) error = NULL;

  holo_tensor_desc_init (&desc, HOLO_DTYPE_U8, HOLO_MEM_LOC_HOST, rank, shape);
  g_assert_false (holo_tensor_desc_get_n_elements (&desc, &n, &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_OVERFLOW);
  g_assert_false (holo_tensor_desc_validate (&desc, NULL));
}

static void
test_count_overflow (void)
{
  HoloTensorDesc desc;
  guint64 n = 9;

  assert_overflows (SHAPE (G_MAXINT64, 2), 2);
  assert_overflows (SHAPE (G_MAXINT64, 2, 0), 3);
  assert_overflows (SHAPE (G_GINT64_CONSTANT (1) << 32, G_GINT64_CONSTANT (1) << 31), 2);
  holo_tensor_desc_init (&desc, HOLO_DTYPE_U8, HOLO_MEM_LOC_HOST, 3, SHAPE (0, G_MAXINT64, 2));
  g_assert_true (holo_tensor_desc_get_n_elements (&desc, &n, NULL));
  g_assert_cmpuint (n, ==, 0);
}

static void
test_json (void)
{
  HoloTensorDesc desc, again;
  g_autoptr (JsonNode) node = NULL;
  g_autofree gchar *text = NULL;

  holo_tensor_desc_init_strided (&desc, HOLO_DTYPE_CF32, HOLO_MEM_LOC_DEVICE, 2, SHAPE (2, 3), SHAPE (32, 8), 64);
  node = holo_tensor_desc_to_json (&desc);
  text = holo_json_to_text (node, FALSE);
  g_assert_cmpstr (text, ==,
                   "{\"dtype\":\"CF32\",\"mem_loc\":\"Device\",\"offset\":64,\"shape\":[2,3],\"strides\":[32,8]}");
  g_assert_true (holo_tensor_desc_from_json (&again, node, NULL));
  g_assert_true (holo_tensor_desc_equal (&desc, &again));
}

static void
test_every_constructor (void)
{
  HoloTensorDesc desc;

  holo_tensor_desc_init_strided (&desc, HOLO_DTYPE_U16, HOLO_MEM_LOC_HOST, 2, SHAPE (2, 3), NULL, 7);
  assert_numbers (desc.strides, SHAPE (6, 2), 2);
  g_assert_cmpint (desc.offset, ==, 7);
  g_assert_cmpuint (holo_tensor_desc_get_size (&desc), ==, 19);
  holo_tensor_desc_init_strided (&desc, HOLO_DTYPE_U16, HOLO_MEM_LOC_HOST, 2, SHAPE (2, 3), SHAPE (16, 4), 9);
  assert_numbers (desc.strides, SHAPE (16, 4), 2);
  g_assert_cmpint (desc.offset, ==, 9);
  g_assert_cmpint (holo_tensor_desc_get_num_bytes (&desc), ==, 32);
  holo_tensor_desc_init_dense_like (&desc, &desc);
  assert_numbers (desc.strides, SHAPE (6, 2), 2);
  g_assert_cmpint (desc.offset, ==, 0);
}

static void
test_storage_and_view (void)
{
  g_auto (HoloFrame) frame = HOLO_FRAME_INIT;
  guint8 memory[16];
  HoloStorage storage;
  HoloTensorDesc desc;
  HoloTensorView view, empty = { 0 };

  holo_tensor_desc_init (&desc, HOLO_DTYPE_F32, HOLO_MEM_LOC_HOST, 1, SHAPE (4));
  g_assert_true (holo_frame_init_alloc (&frame, &desc, NULL));
  g_assert_nonnull (frame.block->data);
  g_assert_cmpuint (frame.block->size, ==, 16);
  g_assert_cmpuint ((gsize) frame.block->data % HOLO_MEMORY_ALIGNMENT, ==, 0);
  g_assert_true (holo_frame_get_data (&frame) == frame.block->data);

  holo_storage_init (&storage, memory, sizeof memory);
  holo_tensor_desc_init_strided (&desc, HOLO_DTYPE_U8, HOLO_MEM_LOC_HOST, 1, SHAPE (2), NULL, 3);
  holo_tensor_view_init (&view, &desc, &storage);
  g_assert_false (holo_tensor_view_is_null (&view));
  g_assert_true (holo_tensor_view_get_data (&view) == memory + 3);
  g_assert_true (holo_tensor_view_is_null (&empty));
  storage.data = NULL;
  g_assert_true (holo_tensor_view_is_null (&view));
}

/* ---- ours ---- */

static void
test_span (void)
{
  const struct
  {
    guint rank;
    gint64 shape[3], strides[3];
    gsize span;
    gboolean dense;
  } cases[] = {
    { 2, { 3, 2 }, { 4, 12 }, 24, FALSE }, /* transposed: the original says 12 */
    { 2, { 5, 2 }, { 0, 4 }, 8, FALSE },   /* broadcast: the original says 0 */
    { 2, { 2, 3 }, { 16, 4 }, 28, FALSE }, /* padded rows: the last one has no padding */
    { 1, { 4 }, { 4 }, 16, TRUE },
    { 3, { 1, 2, 1 }, { 999, 4, 777 }, 8, TRUE }, /* strides of extent 1 do not matter */
    { 3, { 2, 0, 9 }, { 1, 1, 1 }, 0, TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      HoloTensorDesc desc;

      holo_tensor_desc_init_strided (&desc, HOLO_DTYPE_F32, HOLO_MEM_LOC_HOST, cases[i].rank, cases[i].shape,
                                     cases[i].strides, 8);
      g_assert_cmpuint (get_span (&desc), ==, cases[i].span);
      g_assert_cmpuint (holo_tensor_desc_get_size (&desc), ==, cases[i].span == 0 ? 0 : cases[i].span + 8);
      g_assert_true (holo_tensor_desc_is_dense (&desc) == cases[i].dense);
      g_assert_true (holo_tensor_desc_validate (&desc, NULL));
    }
}

static void
assert_invalid (HoloTensorDesc *desc, HoloError code, const gchar *message)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (holo_tensor_desc_validate (desc, &error));
  g_assert_error (error, HOLO_ERROR, (gint) code);
  g_assert_nonnull (strstr (error->message, message));
}

static void
test_validate (void)
{
  HoloTensorDesc good, desc;

  holo_tensor_desc_init (&good, HOLO_DTYPE_F32, HOLO_MEM_LOC_HOST, 2, SHAPE (2, 3));
  g_assert_true (holo_tensor_desc_validate (&good, NULL));
  desc = good, desc.rank = HOLO_MAX_RANK + 1;
  assert_invalid (&desc, HOLO_ERROR_INFERENCE, "rank 9 is larger than the largest rank 8");
  desc = good, desc.dtype = (HoloDType) HOLO_N_DTYPES;
  assert_invalid (&desc, HOLO_ERROR_INFERENCE, "no valid element type");
  desc = good, desc.mem_loc = (HoloMemLoc) 2;
  assert_invalid (&desc, HOLO_ERROR_INFERENCE, "no valid element type or place");
  desc = good, desc.shape[1] = -1;
  assert_invalid (&desc, HOLO_ERROR_INFERENCE, "dimension 1 has extent -1");
  desc = good, desc.strides[0] = -4;
  assert_invalid (&desc, HOLO_ERROR_INFERENCE, "dimension 0 has extent 2 and stride -4");
  desc = good, desc.offset = -1;
  assert_invalid (&desc, HOLO_ERROR_INFERENCE, "offset -1 is negative");
  desc = good, desc.strides[0] = G_MAXINT64;
  assert_invalid (&desc, HOLO_ERROR_OVERFLOW, "does not fit 63 bits");
  desc = good, desc.offset = G_MAXINT64 - 10;
  assert_invalid (&desc, HOLO_ERROR_OVERFLOW, "does not fit 63 bits");
  holo_tensor_desc_init (&desc, HOLO_DTYPE_CF64, HOLO_MEM_LOC_HOST, 2,
                         SHAPE (G_GINT64_CONSTANT (1) << 31, G_GINT64_CONSTANT (1) << 31));
  assert_invalid (&desc, HOLO_ERROR_OVERFLOW, "does not fit 63 bits");
}

static void
test_to_string (void)
{
  HoloTensorDesc desc;
  g_autofree gchar *dense = NULL, *strided = NULL;

  holo_tensor_desc_init (&desc, HOLO_DTYPE_F32, HOLO_MEM_LOC_HOST, 2, SHAPE (4, 512));
  dense = holo_tensor_desc_to_string (&desc);
  g_assert_cmpstr (dense, ==, "F32[4,512] Host");
  desc.mem_loc = HOLO_MEM_LOC_DEVICE;
  desc.strides[0] = 4096;
  desc.offset = 16;
  strided = holo_tensor_desc_to_string (&desc);
  g_assert_cmpstr (strided, ==, "F32[4,512] Device strides [4096,4] offset 16");
}

static void
test_equal (void)
{
  HoloTensorDesc a, b;

  holo_tensor_desc_init (&a, HOLO_DTYPE_F32, HOLO_MEM_LOC_HOST, 2, SHAPE (2, 3));
  b = a;
  b.rate_n = 30;   /* the rate does not count */
  b.shape[5] = 99; /* nor what lies beyond the rank */
  g_assert_true (holo_tensor_desc_equal (&a, &b));
  b = a, b.offset = 4;
  g_assert_false (holo_tensor_desc_equal (&a, &b));
  b = a, b.strides[0] = 16;
  g_assert_false (holo_tensor_desc_equal (&a, &b));
  g_assert_true (holo_tensor_desc_same_shape (&a, &b));
  b = a, b.dtype = HOLO_DTYPE_I32;
  g_assert_false (holo_tensor_desc_equal (&a, &b));
  b = a, b.rank = 1;
  g_assert_false (holo_tensor_desc_equal (&a, &b));
  g_assert_false (holo_tensor_desc_same_shape (&a, &b));
}

static void
test_bad_json (void)
{
  const struct
  {
    const gchar *text;
    HoloError code;
    const gchar *message;
  } cases[] = {
    { "[]", HOLO_ERROR_JSON, "/: expected an object that describes a tensor" },
    { "{\"shape\": 1, \"dtype\": \"F32\", \"mem_loc\": \"Host\"}", HOLO_ERROR_JSON,
      "/shape: expected an array of integers" },
    { "{\"shape\": [1.5], \"dtype\": \"F32\", \"mem_loc\": \"Host\"}", HOLO_ERROR_JSON,
      "/shape/0: expected an integer" },
    { "{\"shape\": [1,1,1,1,1,1,1,1,1], \"dtype\": \"F32\", \"mem_loc\": \"Host\"}", HOLO_ERROR_JSON,
      "/shape: 9 entries, at most 8 are allowed" },
    { "{\"shape\": [1], \"mem_loc\": \"Host\"}", HOLO_ERROR_JSON, "/dtype: expected a string" },
    { "{\"shape\": [1], \"dtype\": 1, \"mem_loc\": \"Host\"}", HOLO_ERROR_JSON, "/dtype: expected a string" },
    { "{\"shape\": [1], \"dtype\": \"bad\", \"mem_loc\": \"Host\"}", HOLO_ERROR_SETTING,
      "\"bad\" is not an element type" },
    { "{\"shape\": [1], \"dtype\": \"F32\", \"mem_loc\": \"bad\"}", HOLO_ERROR_SETTING,
      "\"bad\" is not a place of memory" },
    { "{\"shape\": [1], \"dtype\": \"F32\", \"mem_loc\": \"Host\", \"strides\": []}", HOLO_ERROR_JSON,
      "/strides: 0 entries, but the shape has 1" },
    { "{\"shape\": [1], \"dtype\": \"F32\", \"mem_loc\": \"Host\", \"offset\": null}", HOLO_ERROR_JSON,
      "/offset: expected an integer" },
    { "{\"shape\": [-1], \"dtype\": \"F32\", \"mem_loc\": \"Host\"}", HOLO_ERROR_INFERENCE,
      "dimension 0 has extent -1" },
    { "{\"shape\": [9223372036854775807], \"dtype\": \"F32\", \"mem_loc\": \"Host\"}", HOLO_ERROR_OVERFLOW,
      "does not fit 63 bits" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (JsonNode) node = holo_json_parse (cases[i].text, -1, NULL);
      g_autoptr (GError) error = NULL;
      HoloTensorDesc desc;

      memset (&desc, 0x5a, sizeof desc);
      g_assert_false (holo_tensor_desc_from_json (&desc, node, &error));
      g_assert_error (error, HOLO_ERROR, (gint) cases[i].code);
      if (strstr (error->message, cases[i].message) == NULL)
        g_error ("\"%s\" does not say \"%s\"", error->message, cases[i].message);
      for (gsize j = 0; j < sizeof desc; j++)
        g_assert_cmpuint (((guint8 *) &desc)[j], ==, 0x5a);
    }
}

/* A random layout in which no two elements overlap: dimensions in random order, each with random padding. */
static void
make_layout (HoloTensorDesc *desc, HoloDType dtype, guint rank, const gint64 *shape)
{
  guint order[HOLO_MAX_RANK];
  gint64 stride = (gint64) holo_dtype_get_size (dtype);

  holo_tensor_desc_init (desc, dtype, HOLO_MEM_LOC_HOST, rank, shape);
  for (guint i = 0; i < rank; i++)
    order[i] = i;
  for (guint i = rank; i > 1; i--)
    {
      guint other = (guint) g_test_rand_int_range (0, (gint) i), kept = order[i - 1];

      /* Mostly the usual order, so that dense runs occur too. */
      if (g_test_rand_bit ())
        order[i - 1] = order[other], order[other] = kept;
    }
  for (guint i = rank; i-- > 0;)
    {
      if (g_test_rand_int_range (0, 4) == 0)
        stride += g_test_rand_int_range (0, 9);
      desc->strides[order[i]] = stride;
      stride *= MAX (desc->shape[order[i]], 1);
    }
  desc->offset = g_test_rand_int_range (0, 17);
}

static guint8 *
make_memory (gsize size, gint fill)
{
  guint8 *memory = g_malloc (MAX (size, 1));

  for (gsize i = 0; i < size; i++)
    memory[i] = fill >= 0 ? (guint8) fill : (guint8) g_test_rand_int ();
  return memory;
}

/* One element at a time, by its index. */
static void
copy_naively (guint8 *dst, const HoloTensorDesc *dst_desc, const guint8 *src, const HoloTensorDesc *src_desc)
{
  guint64 n = holo_tensor_desc_count (src_desc);

  for (guint64 index = 0; index < n; index++)
    {
      gint64 to = dst_desc->offset, from = src_desc->offset;
      guint64 rest = index;

      for (guint i = src_desc->rank; i-- > 0;)
        {
          gint64 position = (gint64) (rest % (guint64) src_desc->shape[i]);

          rest /= (guint64) src_desc->shape[i];
          to += position * dst_desc->strides[i];
          from += position * src_desc->strides[i];
        }
      memcpy (dst + to, src + from, holo_dtype_get_size (src_desc->dtype));
    }
}

static void
test_copy_elements (void)
{
  for (guint round = 0; round < 3000; round++)
    {
      HoloDType dtype = (HoloDType) g_test_rand_int_range (0, HOLO_N_DTYPES);
      guint rank = (guint) g_test_rand_int_range (0, 6);
      g_autofree guint8 *src = NULL, *dst = NULL, *expected = NULL;
      HoloTensorDesc src_desc, dst_desc;
      gint64 shape[HOLO_MAX_RANK];
      gsize size;

      for (guint i = 0; i < rank; i++)
        shape[i] = g_test_rand_int_range (0, 20) == 0 ? 0 : g_test_rand_int_range (1, 5);
      make_layout (&src_desc, dtype, rank, shape);
      make_layout (&dst_desc, dtype, rank, shape);
      if (rank > 0 && g_test_rand_int_range (0, 4) == 0)
        src_desc.strides[g_test_rand_int_range (0, (gint) rank)] = 0; /* broadcast */
      size = holo_tensor_desc_get_size (&dst_desc);
      src = make_memory (holo_tensor_desc_get_size (&src_desc), -1);
      dst = make_memory (size, 0xa5);
      expected = make_memory (size, 0xa5);
      copy_naively (expected, &dst_desc, src, &src_desc);
      /* The address counts from the start of an allocation of exactly the size, so a sanitizer sees a wrong
       * span. */
      holo_tensor_copy_elements (size > 0 ? dst + dst_desc.offset : dst, &dst_desc,
                                 size > 0 ? src + src_desc.offset : src, &src_desc);
      g_assert_cmpmem (dst, size, expected, size);
    }
}

static void
test_json_round_trip (void)
{
  for (guint round = 0; round < 500; round++)
    {
      HoloDType dtype = (HoloDType) g_test_rand_int_range (0, HOLO_N_DTYPES);
      guint rank = (guint) g_test_rand_int_range (0, HOLO_MAX_RANK + 1);
      gint64 shape[HOLO_MAX_RANK];
      HoloTensorDesc desc, again;
      g_autoptr (JsonNode) node = NULL, parsed = NULL;
      g_autofree gchar *text = NULL;
      g_autoptr (GError) error = NULL;

      for (guint i = 0; i < rank; i++)
        shape[i] = g_test_rand_int_range (0, 9);
      make_layout (&desc, dtype, rank, shape);
      desc.mem_loc = g_test_rand_bit () ? HOLO_MEM_LOC_HOST : HOLO_MEM_LOC_DEVICE;
      node = holo_tensor_desc_to_json (&desc);
      text = holo_json_to_text (node, TRUE);
      parsed = holo_json_parse (text, -1, NULL);
      g_assert_true (holo_tensor_desc_from_json (&again, parsed, &error));
      g_assert_no_error (error);
      g_assert_true (holo_tensor_desc_equal (&desc, &again));
    }
}

static void
test_frame_sizes (void)
{
  g_auto (HoloFrame) frame = HOLO_FRAME_INIT;
  HoloTensorDesc desc;
  g_autoptr (GError) error = NULL;

  /* An empty tensor has an address too. */
  holo_tensor_desc_init (&desc, HOLO_DTYPE_F32, HOLO_MEM_LOC_HOST, 1, SHAPE (0));
  g_assert_true (holo_frame_init_alloc (&frame, &desc, NULL));
  g_assert_nonnull (holo_frame_get_data (&frame));
  holo_frame_clear (&frame);
  g_assert_null (frame.block);
  holo_frame_clear (&frame);

  holo_tensor_desc_init (&desc, HOLO_DTYPE_U8, HOLO_MEM_LOC_HOST, 1, SHAPE (G_MAXINT64));
  g_assert_false (holo_frame_init_alloc (&frame, &desc, &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_MEMORY);
}

static void
test_stamp (void)
{
  HoloStamp group = { 100, 10, 4, 4, 4, HOLO_STAMP_GAP }, next = { 110, 12, 5, 7, 9, HOLO_STAMP_DISCONT };

  holo_stamp_merge (&group, &next);
  g_assert_cmpuint (group.pts, ==, 100);
  g_assert_cmpuint (group.duration, ==, 22);
  g_assert_cmpuint (group.seq, ==, 4);
  g_assert_cmpuint (group.first, ==, 4);
  g_assert_cmpuint (group.last, ==, 9);
  g_assert_true (group.flags & HOLO_STAMP_DISCONT);
  next.duration = HOLO_TIME_NONE;
  holo_stamp_merge (&group, &next);
  g_assert_cmpuint (group.duration, ==, HOLO_TIME_NONE);
  holo_stamp_init (&group);
  g_assert_cmpuint (group.pts, ==, HOLO_TIME_NONE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/holo/tensor/dense", test_dense);
  g_test_add_func ("/holo/tensor/empty-and-zero", test_empty_and_zero);
  g_test_add_func ("/holo/tensor/count-overflow", test_count_overflow);
  g_test_add_func ("/holo/tensor/json", test_json);
  g_test_add_func ("/holo/tensor/every-constructor", test_every_constructor);
  g_test_add_func ("/holo/tensor/storage-and-view", test_storage_and_view);
  g_test_add_func ("/holo/tensor/span", test_span);
  g_test_add_func ("/holo/tensor/validate", test_validate);
  g_test_add_func ("/holo/tensor/to-string", test_to_string);
  g_test_add_func ("/holo/tensor/equal", test_equal);
  g_test_add_func ("/holo/tensor/bad-json", test_bad_json);
  g_test_add_func ("/holo/tensor/copy-elements", test_copy_elements);
  g_test_add_func ("/holo/tensor/json-round-trip", test_json_round_trip);
  g_test_add_func ("/holo/tensor/frame-sizes", test_frame_sizes);
  g_test_add_func ("/holo/tensor/stamp", test_stamp);
  return g_test_run ();
}
