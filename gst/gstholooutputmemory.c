/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory that outputs are written into: downstream's pool, or one of our own; never a limit. */
#include "gstholohost-private.h"
#include "gstholomessage.h"
#include "holoflow/gstholoallocator-private.h"
#include "holoflow/gstholodevice-private.h"

#define GST_CAT_DEFAULT gst_holo_host_debug

static GstBuffer *
acquire (GstHoloOutput *output, gsize size)
{
  GstBufferPoolAcquireParams params = { .flags = GST_BUFFER_POOL_ACQUIRE_FLAG_DONTWAIT };
  GstAllocationParams allocation = { .align = HOLO_MEMORY_ALIGNMENT - 1 };
  GstBufferPool *pool = NULL;
  GstBuffer *buffer = NULL;

  g_mutex_lock (&output->run->lock);
  if (output->pool != NULL && output->pool_size >= size)
    pool = gst_object_ref (output->pool);
  g_mutex_unlock (&output->run->lock);
  if (pool != NULL)
    {
      if (gst_buffer_pool_acquire_buffer (pool, &buffer, &params) != GST_FLOW_OK)
        buffer = NULL;
      gst_object_unref (pool);
    }
  if (buffer == NULL)
    return gst_buffer_new_allocate (NULL, MAX (size, 1), &allocation);
  if (gst_buffer_get_size (buffer) != size)
    gst_buffer_set_size (buffer, (gssize) size);
  return buffer;
}

/* ---- device memory: always our own, which knows fences ---- */

static GstHoloRecycler *
ref_recycler (GstHoloOutput *output, gsize size)
{
  GstHoloRecycler *recycler = NULL;

  g_mutex_lock (&output->run->lock);
  if (output->recycler != NULL && _gst_holo_recycler_get_size (output->recycler) == size)
    recycler = _gst_holo_recycler_ref (output->recycler);
  g_mutex_unlock (&output->run->lock);
  return recycler;
}

/* Takes @recycler. */
static void
set_recycler (GstHoloOutput *output, GstHoloRecycler *recycler)
{
  GstHoloRecycler *old;

  g_mutex_lock (&output->run->lock);
  old = output->recycler;
  output->recycler = recycler;
  g_mutex_unlock (&output->run->lock);
  g_clear_pointer (&old, _gst_holo_recycler_close);
}

static HoloBlock *
allocate_on_device (GstHoloOutput *output, gsize size, GError **error)
{
  GstHoloRecycler *recycler = ref_recycler (output, size);
  GstBuffer *buffer;

  if (recycler == NULL)
    {
      g_autoptr (HoloDevice) device = gst_holo_run_ref_device (output->run);

      recycler = gst_holo_place_new_recycler (gst_holo_host_get_place (output->host), device, size, error);
      if (recycler == NULL)
        return NULL;
      set_recycler (output, _gst_holo_recycler_ref (recycler));
    }
  buffer = gst_holo_recycler_acquire_buffer (recycler, error);
  _gst_holo_recycler_unref (recycler);
  return buffer != NULL ? gst_holo_block_new_from_buffer (buffer, TRUE, error) : NULL;
}

/* Device memory whose tensor is not all of it, towards a peer that takes no strides, or that never was a
 * buffer's: one copy on the device. */
gboolean
gst_holo_output_make_leavable (GstHoloOutput *output, HoloFrame *frame, GError **error)
{
  HoloTensorDesc dense;

  if (gst_holo_block_get_buffer (frame->block) != NULL && (output->takes_meta || gst_holo_frame_is_plain (frame)))
    return TRUE;
  output->n_packed++;
  gst_holo_element_log_copy (output->host, holo_tensor_desc_get_payload (&frame->desc),
                             "as it lies in device memory it cannot leave");
  holo_tensor_desc_init_dense_like (&dense, &frame->desc);
  return gst_holo_packer_pack (&output->packer, gst_holo_host_get_place (output->host), frame, &dense, error);
}

gboolean
gst_holo_output_settle (GstHoloOutput *output, GstBuffer *buffer, GError **error)
{
  gboolean waited;

  if (!_gst_holo_buffer_settle (buffer, &waited, error))
    return FALSE;
  output->n_waits += waited;
  return TRUE;
}

/* ---- either ---- */

/* Any thread that writes what this output will show. */
HoloBlock *
gst_holo_output_allocate (gsize size, GCancellable *cancellable, gpointer user_data, GError **error)
{
  GstBuffer *buffer;

  if (((GstHoloOutput *) user_data)->desc.mem_loc == HOLO_MEM_LOC_DEVICE)
    return allocate_on_device (user_data, size, error);
  buffer = acquire (user_data, size);
  if (buffer != NULL)
    return gst_holo_block_new_from_buffer (buffer, TRUE, error);
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_MEMORY, "no buffer of %" G_GSIZE_FORMAT " bytes for output \"%s\"", size,
               ((GstHoloOutput *) user_data)->name);
  return NULL;
}

void
gst_holo_output_clear_pool (GstHoloOutput *output)
{
  GstBufferPool *pool;

  set_recycler (output, NULL);
  g_mutex_lock (&output->run->lock);
  pool = g_steal_pointer (&output->pool);
  g_mutex_unlock (&output->run->lock);
  if (pool == NULL)
    return;
  gst_buffer_pool_set_active (pool, FALSE);
  gst_object_unref (pool);
}

/* @maximum 0: downstream's pool must not make anybody here wait. */
static gboolean
configure_pool (GstBufferPool *pool, GstCaps *caps, gsize size, guint minimum, GstAllocator *allocator,
                GstAllocationParams *params)
{
  GstStructure *config = gst_buffer_pool_get_config (pool);

  gst_buffer_pool_config_set_params (config, caps, (guint) size, minimum, 0);
  gst_buffer_pool_config_set_allocator (config, allocator, params);
  if (!gst_buffer_pool_set_config (pool, config))
    {
      config = gst_buffer_pool_get_config (pool);
      if (!gst_buffer_pool_config_validate_params (config, caps, (guint) size, minimum, 0))
        {
          gst_structure_free (config);
          return FALSE;
        }
      if (!gst_buffer_pool_set_config (pool, config))
        return FALSE;
    }
  return gst_buffer_pool_set_active (pool, TRUE);
}

/* (nullable): for memory that a device copies into. */
static GstAllocator *
make_pinned_allocator (GstHoloOutput *output)
{
  g_autoptr (HoloDevice) device = gst_holo_run_ref_device (output->run);

  return holo_device_is_host (device) ? NULL : _gst_holo_allocator_new (device, HOLO_MEM_LOC_HOST);
}

static GstBufferPool *
choose_pool (GstHoloOutput *output, GstQuery *query, GstCaps *caps, gsize *size)
{
  GstAllocationParams params = { .align = HOLO_MEMORY_ALIGNMENT - 1 };
  GstAllocator *allocator = NULL;
  GstBufferPool *pool = NULL;
  guint pool_size = 0, minimum = 0, maximum;

  if (gst_query_get_n_allocation_params (query) > 0)
    {
      gst_query_parse_nth_allocation_param (query, 0, &allocator, &params);
      params.align = MAX (params.align, HOLO_MEMORY_ALIGNMENT - 1);
    }
  if (gst_query_get_n_allocation_pools (query) > 0)
    gst_query_parse_nth_allocation_pool (query, 0, &pool, &pool_size, &minimum, &maximum);
  *size = MAX (*size, pool_size);
  if (pool != NULL && !configure_pool (pool, caps, *size, minimum, allocator, &params))
    gst_clear_object (&pool);
  if (pool == NULL)
    {
      pool = gst_buffer_pool_new ();
      gst_allocation_params_init (&params);
      params.align = HOLO_MEMORY_ALIGNMENT - 1;
      gst_clear_object (&allocator);
      allocator = make_pinned_allocator (output);
      if (!configure_pool (pool, caps, *size, 0, allocator, &params))
        gst_clear_object (&pool);
    }
  gst_clear_object (&allocator);
  return pool;
}

void
gst_holo_output_negotiate_memory (GstHoloOutput *output, GstPad *pad, GstCaps *caps)
{
  GstQuery *query = gst_query_new_allocation (caps, TRUE);
  gsize size = MAX (holo_tensor_desc_get_payload (&output->desc), 1);
  GstBufferPool *pool = NULL;

  g_atomic_int_set (&output->reconfigure, FALSE);
  gst_pad_check_reconfigure (pad);
  if (!gst_pad_peer_query (pad, query))
    GST_DEBUG_OBJECT (pad, "downstream does not answer the ALLOCATION query");
  output->takes_meta = gst_query_find_allocation_meta (query, GST_HOLO_TENSOR_META_API_TYPE, NULL);
  output->takes_fences = gst_holo_query_has_fences (query);
  if (output->desc.mem_loc == HOLO_MEM_LOC_HOST)
    {
      pool = choose_pool (output, query, caps, &size);
      gst_holo_output_clear_pool (output);
    }
  gst_query_unref (query);
  g_mutex_lock (&output->run->lock);
  output->pool = pool;
  output->pool_size = size;
  g_mutex_unlock (&output->run->lock);
}

void
gst_holo_output_renegotiate_memory (GstHoloOutput *output, GstPad *pad)
{
  GstCaps *caps = gst_pad_get_current_caps (pad);

  if (caps == NULL)
    return;
  gst_holo_output_negotiate_memory (output, pad, caps);
  gst_caps_unref (caps);
}
