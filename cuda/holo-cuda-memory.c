/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Device memory of plans: from a pool that gives nothing back to the driver until it ends, so that making a
 * plan again costs little and freeing memory waits for no other stream. */
#include "holo-cuda-memory.h"

#include <string.h>

#include <holoflow/holoflow.h>

struct _HoloCudaMemory
{
  HoloCudaDevice *device; /* borrowed: it owns this */
  cudaMemPool_t pool;     /* NULL where the GPU has no pools, or none is wanted */
  cudaStream_t stream;    /* the pool's order */
};

static gboolean
create_pool (HoloCudaMemory *self, gint ordinal, gboolean use_pool, GError **error)
{
  struct cudaMemPoolProps props;
  guint64 threshold = G_MAXUINT64;
  int has_pools = 0;

  if (!HOLO_CUDA_CHECK (self->device, cudaStreamCreateWithFlags (&self->stream, cudaStreamNonBlocking), error) ||
      !HOLO_CUDA_CHECK (self->device, cudaDeviceGetAttribute (&has_pools, cudaDevAttrMemoryPoolsSupported, ordinal),
                        error))
    return FALSE;
  if (!has_pools || !use_pool)
    return TRUE;
  memset (&props, 0, sizeof props);
  props.allocType = cudaMemAllocationTypePinned;
  props.location.type = cudaMemLocationTypeDevice;
  props.location.id = ordinal;
  return HOLO_CUDA_CHECK (self->device, cudaMemPoolCreate (&self->pool, &props), error) &&
         HOLO_CUDA_CHECK (self->device,
                          cudaMemPoolSetAttribute (self->pool, cudaMemPoolAttrReleaseThreshold, &threshold), error);
}

HoloCudaMemory *
holo_cuda_memory_new (HoloCudaDevice *device, gint ordinal, gboolean use_pool, GError **error)
{
  HoloCudaMemory *self = g_new0 (HoloCudaMemory, 1);

  self->device = device;
  if (create_pool (self, ordinal, use_pool, error))
    return self;
  holo_cuda_memory_destroy (self);
  return NULL;
}

/* Ready for any stream when this returns. */
gpointer
holo_cuda_memory_alloc (HoloCudaMemory *self, gsize size, GError **error)
{
  gpointer data = NULL;

  if (self->pool == NULL)
    return HOLO_CUDA_CHECK (self->device, cudaMalloc (&data, size), error) ? data : NULL;
  if (HOLO_CUDA_CHECK (self->device, cudaMallocFromPoolAsync (&data, size, self->pool, self->stream), error) &&
      HOLO_CUDA_CHECK (self->device, cudaStreamSynchronize (self->stream), error))
    return data;
  return NULL;
}

/* The caller's work on it has ended: the order of the pool's stream is enough. */
void
holo_cuda_memory_free (HoloCudaMemory *self, gpointer data)
{
  if (self->pool == NULL)
    HOLO_CUDA_CHECK (self->device, cudaFree (data), NULL);
  else
    HOLO_CUDA_CHECK (self->device, cudaFreeAsync (data, self->stream), NULL);
}

void
holo_cuda_memory_destroy (HoloCudaMemory *self)
{
  if (self->stream != NULL)
    cudaStreamSynchronize (self->stream);
  if (self->pool != NULL)
    cudaMemPoolDestroy (self->pool);
  if (self->stream != NULL)
    cudaStreamDestroy (self->stream);
  g_free (self);
}
