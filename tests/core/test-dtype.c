/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <holoflow/holoflow.h>

static const struct
{
  HoloDType dtype;
  const gchar *name, *long_name;
  gsize size;
  guint8 dlpack_code;
} dtypes[] = {
  { HOLO_DTYPE_U8, "U8", "uint8", 1, 1 },           { HOLO_DTYPE_I8, "I8", "int8", 1, 0 },
  { HOLO_DTYPE_U16, "U16", "uint16", 2, 1 },        { HOLO_DTYPE_I16, "I16", "int16", 2, 0 },
  { HOLO_DTYPE_U32, "U32", "uint32", 4, 1 },        { HOLO_DTYPE_I32, "I32", "int32", 4, 0 },
  { HOLO_DTYPE_U64, "U64", "uint64", 8, 1 },        { HOLO_DTYPE_I64, "I64", "int64", 8, 0 },
  { HOLO_DTYPE_F16, "F16", "float16", 2, 2 },       { HOLO_DTYPE_F32, "F32", "float32", 4, 2 },
  { HOLO_DTYPE_F64, "F64", "float64", 8, 2 },       { HOLO_DTYPE_CF32, "CF32", "complex64", 8, 5 },
  { HOLO_DTYPE_CF64, "CF64", "complex128", 16, 5 },
};

static void
test_every_type (void)
{
  GEnumClass *klass = g_type_class_ref (HOLO_TYPE_DTYPE);

  g_assert_cmpuint (G_N_ELEMENTS (dtypes), ==, HOLO_N_DTYPES);
  for (guint i = 0; i < G_N_ELEMENTS (dtypes); i++)
    {
      HoloDType found;
      guint8 code, bits;

      g_assert_cmpuint (holo_dtype_get_size (dtypes[i].dtype), ==, dtypes[i].size);
      g_assert_cmpstr (holo_dtype_get_name (dtypes[i].dtype), ==, dtypes[i].name);
      g_assert_cmpstr (holo_dtype_get_long_name (dtypes[i].dtype), ==, dtypes[i].long_name);
      g_assert_true (holo_dtype_from_name (dtypes[i].name, &found, NULL));
      g_assert_cmpint (found, ==, dtypes[i].dtype);
      g_assert_true (holo_dtype_from_name (dtypes[i].long_name, &found, NULL));
      g_assert_cmpint (found, ==, dtypes[i].dtype);
      holo_dtype_get_dlpack (dtypes[i].dtype, &code, &bits);
      g_assert_cmpuint (code, ==, dtypes[i].dlpack_code);
      g_assert_cmpuint (bits, ==, dtypes[i].size * 8);
      g_assert_cmpstr (g_enum_get_value (klass, dtypes[i].dtype)->value_nick, ==, dtypes[i].name);
      g_assert_true (holo_dtype_is_complex (dtypes[i].dtype) == (dtypes[i].dlpack_code == 5));
      g_assert_true (holo_dtype_is_float (dtypes[i].dtype) == (dtypes[i].dlpack_code == 2));
    }
  g_type_class_unref (klass);
}

static void
test_unknown_names (void)
{
  const gchar *const names[] = { "bad", "", "u8", "F32 ", "Float32" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      HoloDType dtype = HOLO_DTYPE_I16;
      g_autoptr (GError) error = NULL;

      g_assert_false (holo_dtype_from_name (names[i], &dtype, &error));
      g_assert_error (error, HOLO_ERROR, HOLO_ERROR_SETTING);
      g_assert_cmpint (dtype, ==, HOLO_DTYPE_I16);
    }
  g_assert_cmpuint (holo_dtype_get_size ((HoloDType) 99), ==, 0);
  g_assert_cmpstr (holo_dtype_get_name ((HoloDType) -1), ==, "invalid");
}

static void
test_places (void)
{
  HoloMemLoc loc = HOLO_MEM_LOC_HOST;
  g_autoptr (GError) error = NULL;

  g_assert_cmpstr (holo_mem_loc_get_name (HOLO_MEM_LOC_HOST), ==, "Host");
  g_assert_cmpstr (holo_mem_loc_get_name (HOLO_MEM_LOC_DEVICE), ==, "Device");
  g_assert_true (holo_mem_loc_from_name ("Device", &loc, NULL));
  g_assert_cmpint (loc, ==, HOLO_MEM_LOC_DEVICE);
  g_assert_false (holo_mem_loc_from_name ("bad", &loc, &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_SETTING);
  g_assert_cmpint (loc, ==, HOLO_MEM_LOC_DEVICE);
}

static void
test_masks (void)
{
  g_autofree gchar *some = holo_dtype_mask_to_string (HOLO_DTYPES (F32) | HOLO_DTYPES (U8));
  g_autofree gchar *none = holo_dtype_mask_to_string (0);

  g_assert_cmpstr (some, ==, "U8, F32");
  g_assert_cmpstr (none, ==, "");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/holo/dtype/every-type", test_every_type);
  g_test_add_func ("/holo/dtype/unknown-names", test_unknown_names);
  g_test_add_func ("/holo/dtype/places", test_places);
  g_test_add_func ("/holo/dtype/masks", test_masks);
  return g_test_run ();
}
