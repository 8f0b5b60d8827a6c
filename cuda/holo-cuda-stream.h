/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "holo-cuda-device.h"

G_BEGIN_DECLS

#define HOLO_TYPE_CUDA_STREAM (holo_cuda_stream_get_type ())
G_DECLARE_FINAL_TYPE (HoloCudaStream, holo_cuda_stream, HOLO, CUDA_STREAM, HoloStream)

HoloStream *holo_cuda_stream_new (HoloCudaDevice *device, GError **error);
cudaStream_t holo_cuda_stream_get (HoloCudaStream *stream);

/* A stream over one of somebody else, which is not destroyed with it; NULL: none for now. */
HoloStream *holo_cuda_stream_new_wrapped (HoloCudaDevice *device, cudaStream_t stream);
void holo_cuda_stream_set_wrapped (HoloCudaStream *stream, cudaStream_t wrapped);
gboolean holo_cuda_stream_is_wrapped (HoloCudaStream *stream);
/* Whether all its fences have passed. */
gboolean holo_cuda_stream_is_idle (HoloCudaStream *stream);

G_END_DECLS
