/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory that comes in: what upstream is told about it, and on which device it lies. */
#include "gstholohost-private.h"
#include "gstholonegotiation.h"
#include "holoflow/gstholocuda-private.h"

#define GST_CAT_DEFAULT gst_holo_host_debug

/* ---- what upstream is told ---- */

/* Tensors come in memory of their writer; pictures, in a pool of GStreamer's. */
static void
offer_device_memory (GstHoloInput *input, GstQuery *query, GstCaps *caps, const GstHoloTensorInfo *info, guint minimum,
                     gboolean need_pool)
{
  g_autoptr (GstObject) context = gst_holo_place_ref_context (gst_holo_host_get_place (input->host));

  if (info->is_video && context != NULL && need_pool)
    gst_holo_query_offer_pool (query, _gst_holo_cuda_video_pool_new (context), caps, info->size, minimum, NULL,
                               GST_BUFFER_POOL_OPTION_VIDEO_META);
  else
    gst_query_add_allocation_pool (query, NULL, (guint) info->size, minimum, 0);
}

static void
offer_host_memory (GstQuery *query, const GstHoloTensorInfo *info, guint minimum)
{
  GstAllocationParams params;

  gst_allocation_params_init (&params);
  params.align = HOLO_MEMORY_ALIGNMENT - 1;
  gst_query_add_allocation_param (query, NULL, &params);
  gst_query_add_allocation_pool (query, NULL, (guint) info->size, minimum, 0);
}

gboolean
gst_holo_input_answer_allocation (GstHoloInput *input, GstQuery *query)
{
  g_autoptr (HoloDevice) device = gst_holo_run_ref_device (input->run);
  guint minimum = gst_holo_run_count_held (input->run, input);
  GstHoloTensorInfo info;
  gboolean need_pool;
  GstCaps *caps;

  gst_query_parse_allocation (query, &caps, &need_pool);
  if (caps == NULL ||
      !gst_holo_tensor_info_from_caps_with_plane (&info, caps, gst_holo_host_get_plane (input->host), NULL))
    return FALSE;
  if (info.desc.mem_loc == HOLO_MEM_LOC_DEVICE)
    offer_device_memory (input, query, caps, &info, minimum, need_pool);
  else if (!holo_device_is_host (device))
    gst_holo_query_offer_pinned_memory (query, device, caps, &info, minimum, need_pool);
  else
    offer_host_memory (query, &info, minimum);
  gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  gst_query_add_allocation_meta (query, GST_HOLO_TENSOR_META_API_TYPE, NULL);
  gst_holo_query_add_fences (query);
  return TRUE;
}

/* ---- what came ---- */

/* A tensor of one device, or of another context of it, is no tensor of the device that the graph works on. */
gboolean
gst_holo_input_check_place (GstHoloInput *input, const HoloFrame *frame, GError **error)
{
  return gst_holo_frame_check_device (frame, input->run->device, "the graph",
                                      "let both share one CUDA context, or bring it over with two Memcpy "
                                      "(holomemcpy target=Host ! holomemcpy target=Device)",
                                      error);
}

gboolean
gst_holo_input_pack_on_device (GstHoloInput *input, HoloFrame *frame, GError **error)
{
  input->n_packed++;
  return gst_holo_packer_pack (&input->packer, gst_holo_host_get_place (input->host), frame, &input->layout, error);
}
