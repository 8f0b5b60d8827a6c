/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "holo-cuda-device.h"
#include "holo-cuda-loop.h"

G_BEGIN_DECLS

typedef struct _HoloCudaTask HoloCudaTask;

/**
 * HoloCudaRun:
 *
 * Enqueues the work of one frame on @stream; the context is entered.
 */
typedef gboolean (*HoloCudaRun) (HoloCudaTask *task, HoloSyncContext *context, cudaStream_t stream, GError **error);

/**
 * HoloCudaTask:
 * @device: whose work it is
 * @run: what execute() does
 * @state: for @run
 * @free_state: (nullable): frees @state, with the context entered
 *
 * The running task of every kind on the device. Kinds differ in @run and @state alone.
 */
#define HOLO_TYPE_CUDA_TASK (holo_cuda_task_get_type ())
G_DECLARE_FINAL_TYPE (HoloCudaTask, holo_cuda_task, HOLO, CUDA_TASK, HoloSyncTask)

struct _HoloCudaTask
{
  HoloSyncTask parent_instance;

  HoloCudaDevice *device;
  HoloCudaRun run;
  gpointer state;
  GDestroyNotify free_state;
};

/**
 * HoloCudaSetUp:
 *
 * Fills @task in for a kind; the context is entered.
 */
typedef gboolean (*HoloCudaSetUp) (HoloCudaTask *task, HoloTaskFactory *factory, const HoloInference *inference,
                                   const HoloSyncCreateContext *context, GError **error);

HoloTask *holo_cuda_task_new (HoloCudaDevice *device, HoloTaskFactory *factory, const HoloInference *inference,
                              const HoloSyncCreateContext *context, GError **error);
void holo_cuda_task_add_kinds (HoloRegistry *registry);
gboolean holo_cuda_task_supports_kind (const gchar *kind);

G_END_DECLS
