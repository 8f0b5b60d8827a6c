/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the macros of the headers make, in C and in C++. Compiled by headers.sh with every warning an error. */
#include <holoflow/holoflow.h>

#if !HOLO_CHECK_VERSION(0, 1, 0) || HOLO_CHECK_VERSION(0, 1, 1) || HOLO_CHECK_VERSION(0, 2, 0) ||                      \
    HOLO_CHECK_VERSION(1, 0, 0)
#error "HOLO_CHECK_VERSION"
#endif

static gboolean
register_kinds (HoloRegistry *registry, GError **error)
{
  g_auto (HoloFrame) frame = HOLO_FRAME_INIT;
  HoloTensorDesc desc = HOLO_TENSOR_DESC_INIT;
  HoloStamp stamp = HOLO_STAMP_INIT;
  HoloFence fence = HOLO_FENCE_INIT;

  frame.stamp = stamp;
  return registry != NULL && error != NULL && holo_fence_is_passed (&fence) &&
         holo_frame_init_alloc (&frame, &desc, error);
}

HOLO_MODULE_DEFINE ("use", register_kinds)
