/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <holoflow/holoflow.h>

static void
test_dense (void)
{
  HoloTensorDesc desc;
  const gint64 shape[] = { 2, 3, 4 };

  holo_tensor_desc_init (&desc, HOLO_DTYPE_F32, HOLO_MEM_LOC_HOST, 3, shape);
  g_assert_cmpint (desc.strides[0], ==, 48);
  g_assert_cmpint (desc.strides[1], ==, 16);
  g_assert_cmpint (desc.strides[2], ==, 4);
  g_assert_cmpuint (holo_tensor_desc_count (&desc), ==, 24);
  g_assert_cmpint (holo_tensor_desc_get_num_bytes (&desc), ==, 96);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/holo/tensor/dense", test_dense);
  return g_test_run ();
}
