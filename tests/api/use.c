/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the macros of the headers make, in C and in C++. Compiled by headers.sh with every warning an error. */
#include <holoflow/holoflow.h>

#if !HOLO_CHECK_VERSION(0, 1, 0) || HOLO_CHECK_VERSION(0, 1, 1) || HOLO_CHECK_VERSION(0, 2, 0) ||                      \
    HOLO_CHECK_VERSION(1, 0, 0)
#error "HOLO_CHECK_VERSION"
#endif

HOLO_MAP (use_f32, gfloat, gfloat, x)
HOLO_MAP_WITH_SETTINGS (use_f64, gdouble, gdouble, HoloMapFactory, settings != NULL ? x : 0)
HOLO_BINARY (use_pair, gfloat, gfloat, x + y)

static void
use_class_init (gpointer klass)
{
  holo_map_factory_class_add (klass, HOLO_DTYPE_F32, HOLO_DTYPE_F32, use_f32);
  holo_map_factory_class_add (klass, HOLO_DTYPE_F64, HOLO_DTYPE_F64, use_f64);
  holo_map_factory_class_add_pair (klass, HOLO_DTYPE_F32, HOLO_DTYPE_F32, HOLO_DTYPE_F32, use_pair);
}

HOLO_DEFINE_MAP_KIND (use, "Use", HoloMapFactory)

static gboolean
register_kinds (HoloRegistry *registry, GError **error)
{
  g_auto (HoloFrame) frame = HOLO_FRAME_INIT;
  HoloTensorDesc desc = HOLO_TENSOR_DESC_INIT;
  HoloStamp stamp = HOLO_STAMP_INIT;
  HoloFence fence = HOLO_FENCE_INIT;

  frame.stamp = stamp;
  return registry != NULL && error != NULL && holo_fence_is_passed (&fence) &&
         holo_frame_init_alloc (&frame, &desc, error) && use_register (registry, error);
}

HOLO_MODULE_DEFINE ("use", register_kinds)
