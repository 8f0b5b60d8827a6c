/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <holoflow/holoflow.h>

#include "holo-cuda-error.h"

G_BEGIN_DECLS

#define HOLO_TYPE_CUDA_DEVICE (holo_cuda_device_get_type ())
G_DECLARE_FINAL_TYPE (HoloCudaDevice, holo_cuda_device, HOLO, CUDA_DEVICE, HoloDevice)

/* "cuda" and "cuda:N"; there is one object per GPU and process while somebody holds it. */
HoloDevice *holo_cuda_device_new (const gchar *name, GError **error);

/* The context is pushed before and popped after every use: the caller's stays what it was. */
gboolean holo_cuda_device_enter (HoloCudaDevice *device, GError **error);
void holo_cuda_device_leave (HoloCudaDevice *device);

const gchar *holo_cuda_device_get_name (HoloCudaDevice *device);
void holo_cuda_device_poison (HoloCudaDevice *device, const gchar *message);
gboolean holo_cuda_device_has_failed (HoloCudaDevice *device);
gboolean holo_cuda_device_check_usable (HoloCudaDevice *device, GError **error);

/* A stream and an event to sleep on, lent to one waiting thread. */
typedef struct
{
  cudaStream_t stream;
  cudaEvent_t event;
} HoloCudaSleeper;

HoloCudaSleeper *holo_cuda_device_take_sleeper (HoloCudaDevice *device, GError **error);
void holo_cuda_device_give_sleeper (HoloCudaDevice *device, HoloCudaSleeper *sleeper);

/* Copies of any strides (holo-cuda-copy.c); the context is entered. */
gboolean holo_cuda_copy (HoloCudaDevice *device, cudaStream_t stream, const HoloTensorView *dst,
                         const HoloTensorView *src, GError **error);

G_END_DECLS
