/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstholonegotiation.h"

#include "gstholomessage.h"
#include "holoflow/gstholoallocator-private.h"

/* Completes the answer to an ALLOCATION query so that the base class makes or takes a pool of buffers of
 * @size bytes with the alignment that tasks like. */
void
gst_holo_query_complete_pool (GstQuery *query, gsize size)
{
  GstAllocationParams params;
  GstAllocator *allocator = NULL;
  GstBufferPool *pool = NULL;
  guint pool_size, min, max;

  if (gst_query_get_n_allocation_params (query) == 0)
    {
      gst_allocation_params_init (&params);
      gst_query_add_allocation_param (query, NULL, &params);
    }
  gst_query_parse_nth_allocation_param (query, 0, &allocator, &params);
  params.align = MAX (params.align, HOLO_MEMORY_ALIGNMENT - 1);
  gst_query_set_nth_allocation_param (query, 0, allocator, &params);
  gst_clear_object (&allocator);

  /* pools count in guint; an entry without a pool lets the base class make one */
  if (size > G_MAXUINT || size == 0)
    return;
  if (gst_query_get_n_allocation_pools (query) == 0)
    {
      gst_query_add_allocation_pool (query, NULL, (guint) size, 0, 0);
      return;
    }
  gst_query_parse_nth_allocation_pool (query, 0, &pool, &pool_size, &min, &max);
  gst_query_set_nth_allocation_pool (query, 0, pool, MAX (pool_size, (guint) size), min, max);
  gst_clear_object (&pool);
}

/* Whatever pool downstream has named: the memory does not come from it. */
void
gst_holo_query_drop_pools (GstQuery *query)
{
  while (gst_query_get_n_allocation_pools (query) > 0)
    gst_query_remove_nth_allocation_pool (query, 0);
}

/* A pool upstream may use or not; one that cannot be set up is left out. Takes @pool. */
void
gst_holo_query_offer_pool (GstQuery *query, GstBufferPool *pool, GstCaps *caps, gsize size, guint minimum,
                           GstAllocator *allocator, const gchar *option)
{
  GstStructure *config = gst_buffer_pool_get_config (pool);
  GstAllocationParams params;
  guint pool_size = (guint) size;

  gst_allocation_params_init (&params);
  params.align = HOLO_MEMORY_ALIGNMENT - 1;
  gst_buffer_pool_config_set_params (config, caps, pool_size, minimum, 0);
  if (allocator != NULL)
    gst_buffer_pool_config_set_allocator (config, allocator, &params);
  if (option != NULL)
    gst_buffer_pool_config_add_option (config, option);
  if (gst_buffer_pool_set_config (pool, config))
    {
      /* a pool of pictures knows their size only now */
      config = gst_buffer_pool_get_config (pool);
      gst_buffer_pool_config_get_params (config, NULL, &pool_size, NULL, NULL);
      gst_structure_free (config);
      gst_query_add_allocation_pool (query, pool, pool_size, minimum, 0);
    }
  gst_object_unref (pool);
}

/* Host memory that a device copies from fast. */
void
gst_holo_query_offer_pinned_memory (GstQuery *query, HoloDevice *device, GstCaps *caps, const GstHoloTensorInfo *info,
                                    guint minimum, gboolean need_pool)
{
  g_autoptr (GstAllocator) allocator = _gst_holo_allocator_new (device, HOLO_MEM_LOC_HOST);
  GstAllocationParams params;

  gst_allocation_params_init (&params);
  params.align = HOLO_MEMORY_ALIGNMENT - 1;
  gst_query_add_allocation_param (query, allocator, &params);
  if (!need_pool)
    gst_query_add_allocation_pool (query, NULL, (guint) info->size, minimum, 0);
  else if (info->is_video)
    gst_holo_query_offer_pool (query, gst_video_buffer_pool_new (), caps, info->size, minimum, allocator,
                               GST_BUFFER_POOL_OPTION_VIDEO_META);
  else
    gst_holo_query_offer_pool (query, gst_buffer_pool_new (), caps, info->size, minimum, allocator, NULL);
}

/* ---- places ---- */

/* Of one structure of @caps; none for memory of a kind that is not taken. */
guint
gst_holo_caps_get_place (const GstCaps *caps, guint index)
{
  GstCapsFeatures *features = gst_caps_get_features (caps, index);

  if (features == NULL || gst_caps_features_is_equal (features, GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY))
    return HOLO_MEM_LOCS_HOST;
  if (gst_caps_features_is_any (features))
    return HOLO_MEM_LOCS_ANY;
  return gst_caps_features_contains (features, GST_HOLO_FEATURE_CUDA) ? HOLO_MEM_LOCS_DEVICE : 0;
}

guint
gst_holo_caps_get_places (const GstCaps *caps)
{
  guint places = gst_caps_is_any (caps) ? HOLO_MEM_LOCS_ANY : 0;

  for (guint i = 0; i < gst_caps_get_size (caps); i++)
    places |= gst_holo_caps_get_place (caps, i);
  return places;
}

/* Of fixed caps. */
HoloMemLoc
gst_holo_caps_get_loc (const GstCaps *caps)
{
  return gst_holo_caps_get_place (caps, 0) == HOLO_MEM_LOCS_DEVICE ? HOLO_MEM_LOC_DEVICE : HOLO_MEM_LOC_HOST;
}

GstCaps *
gst_holo_caps_filter_places (GstCaps *caps, guint mem_locs)
{
  GstCaps *kept = gst_caps_new_empty ();

  for (guint i = 0; i < gst_caps_get_size (caps); i++)
    if (gst_holo_caps_get_place (caps, i) & mem_locs)
      gst_caps_append (kept, gst_caps_copy_nth (caps, i));
  return kept;
}

/* Answers a CAPS query without telling the base class the filter. Before 1.28 GStreamer does not see that
 * fixed dims are a subset of ranges, and the base class warns about every answer that is no subset of the
 * filter. */
static gboolean
query_caps (GstBaseTransform *transform, GstPadDirection direction, GstQuery *query,
            GstBaseTransformClass *parent_class)
{
  g_autoptr (GstQuery) unfiltered = gst_query_new_caps (NULL);
  g_autoptr (GstCaps) result = NULL;
  GstCaps *filter, *caps;

  if (!parent_class->query (transform, direction, unfiltered))
    return FALSE;
  gst_query_parse_caps (query, &filter);
  gst_query_parse_caps_result (unfiltered, &caps);
  result = filter != NULL ? gst_caps_intersect_full (filter, caps, GST_CAPS_INTERSECT_FIRST) : gst_caps_ref (caps);
  gst_query_set_caps_result (query, result);
  return TRUE;
}

/* GstBaseTransformClass.query of our transforms. */
gboolean
gst_holo_transform_query (GstBaseTransform *transform, GstPadDirection direction, GstQuery *query,
                          GstBaseTransformClass *parent_class)
{
  if (GST_QUERY_TYPE (query) == GST_QUERY_CAPS)
    return query_caps (transform, direction, query, parent_class);
  return parent_class->query (transform, direction, query);
}

/* GstBaseTransformClass.accept_caps of our transforms: only the template. Caps that the element then refuses
 * arrive as an event and end in an error that says why, instead of in a refusal without words. */
gboolean
gst_holo_transform_accept_caps (GstBaseTransform *transform, GstPadDirection direction, GstCaps *caps)
{
  GstPad *pad =
      direction == GST_PAD_SINK ? GST_BASE_TRANSFORM_SINK_PAD (transform) : GST_BASE_TRANSFORM_SRC_PAD (transform);
  g_autoptr (GstCaps) template = gst_pad_get_pad_template_caps (pad);

  return gst_caps_can_intersect (caps, template);
}

/* Fixed dims intersect with the template's ranges, but are no subset of them before 1.28: accept by
 * intersection. */
void
gst_holo_transform_init_pads (GstBaseTransform *transform)
{
  GST_PAD_SET_ACCEPT_INTERSECT (GST_BASE_TRANSFORM_SINK_PAD (transform));
}

static gchar *
describe_peer (GstPad *pad)
{
  g_autoptr (GstCaps) caps = gst_pad_peer_query_caps (pad, NULL);

  return gst_caps_to_string (caps);
}

/* What the element would give for @in_caps. */
static gchar *
describe_output (GstBaseTransform *transform, GstCaps *in_caps)
{
  g_autoptr (GstCaps) caps =
      GST_BASE_TRANSFORM_GET_CLASS (transform)->transform_caps (transform, GST_PAD_SINK, in_caps, NULL);

  return gst_caps_to_string (caps);
}

/**
 * gst_holo_transform_post_not_negotiated:
 * @transform: a transform whose caps could not be agreed
 * @in_caps: (nullable): what came in
 * @reason: (nullable): why the element itself refuses them; otherwise it is the neighbour behind it that does
 *
 * The base class fails without words; this says what is asked for on either side.
 */
void
gst_holo_transform_post_not_negotiated (GstBaseTransform *transform, GstCaps *in_caps, const GError *reason)
{
  g_autofree gchar *in = NULL, *out = NULL, *peer = NULL;
  g_autoptr (GError) error = NULL;

  if (reason != NULL)
    {
      gst_holo_element_post_once (transform, reason);
      return;
    }
  if (in_caps == NULL || GST_PAD_IS_FLUSHING (GST_BASE_TRANSFORM_SRC_PAD (transform)))
    return;
  in = gst_caps_to_string (in_caps);
  out = describe_output (transform, in_caps);
  peer = describe_peer (GST_BASE_TRANSFORM_SRC_PAD (transform));
  error = g_error_new (HOLO_ERROR, HOLO_ERROR_INFERENCE,
                       "no format in common with the next element: from %s this element makes %s, but the next one "
                       "takes %s",
                       in, out, peer);
  gst_holo_element_post_once (transform, error);
}
