/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstholoplace.h"

#include <string.h>

#include "holoflow/gstholocuda-private.h"

GST_DEBUG_CATEGORY_STATIC (place_debug);
#define GST_CAT_DEFAULT place_debug

static void
init_debug (void)
{
  static gsize done = 0;

  if (g_once_init_enter (&done))
    {
      GST_DEBUG_CATEGORY_INIT (place_debug, "holoflow-place", 0, "Holoflow: GPUs and CUDA contexts of elements");
      g_once_init_leave (&done, 1);
    }
}

void
gst_holo_place_init (GstHoloPlace *place, gpointer element)
{
  init_debug ();
  place->element = element;
  place->name = g_strdup ("auto");
  g_mutex_init (&place->lock);
}

void
gst_holo_place_clear (GstHoloPlace *place)
{
  gst_holo_place_close (place);
  g_free (place->name);
  g_mutex_clear (&place->lock);
}

/* ---- the property ---- */

GParamSpec *
gst_holo_place_new_param_spec (void)
{
  return g_param_spec_string ("device", "Device",
                              "Where device work is done: \"cuda:N\", \"host\" (nowhere), or \"auto\": the GPU of "
                              "the pipeline, else the first one, if anything needs one",
                              "auto", G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY);
}

void
gst_holo_place_set_name (GstHoloPlace *place, const gchar *name)
{
  g_mutex_lock (&place->lock);
  g_free (place->name);
  place->name = g_strdup (name != NULL ? name : "auto");
  g_mutex_unlock (&place->lock);
}

gchar *
gst_holo_place_dup_name (GstHoloPlace *place)
{
  gchar *name;

  g_mutex_lock (&place->lock);
  name = g_strdup (place->name);
  g_mutex_unlock (&place->lock);
  return name;
}

gboolean
gst_holo_place_is_auto (GstHoloPlace *place)
{
  g_autofree gchar *name = gst_holo_place_dup_name (place);

  return g_str_equal (name, "auto");
}

/* The number of "cuda:N"; -1 when any will do. */
static gint
get_number (const gchar *name)
{
  guint64 number;

  if (g_str_equal (name, "cuda"))
    return 0;
  if (g_str_has_prefix (name, "cuda:") &&
      g_ascii_string_to_unsigned (name + strlen ("cuda:"), 10, 0, G_MAXINT, &number, NULL))
    return (gint) number;
  return -1;
}

/* ---- contexts of others ---- */

void
gst_holo_place_set_context (GstHoloPlace *place, GstContext *context)
{
  g_autofree gchar *name = gst_holo_place_dup_name (place);
  GstObject *found = _gst_holo_cuda_context_from (place->element, context, get_number (name));

  if (found == NULL)
    return;
  g_mutex_lock (&place->lock);
  /* what is in use stays until the element is stopped */
  if (place->device == NULL)
    {
      gst_clear_object (&place->context);
      place->context = gst_object_ref (found);
    }
  g_mutex_unlock (&place->lock);
  GST_DEBUG_OBJECT (place->element, "was given %" GST_PTR_FORMAT, found);
  gst_object_unref (found);
}

gboolean
gst_holo_place_answer_context (GstHoloPlace *place, GstQuery *query)
{
  g_autoptr (GstObject) context = NULL;
  const gchar *type;

  if (!gst_query_parse_context_type (query, &type) || g_strcmp0 (type, GST_HOLO_CUDA_CONTEXT_TYPE) != 0)
    return FALSE;
  context = gst_holo_place_ref_context (place);
  return context != NULL && _gst_holo_cuda_context_answer (place->element, query, context);
}

GstObject *
gst_holo_place_ref_context (GstHoloPlace *place)
{
  GstObject *context;

  g_mutex_lock (&place->lock);
  context = place->context != NULL ? gst_object_ref (place->context) : NULL;
  g_mutex_unlock (&place->lock);
  return context;
}

static gboolean
has_context (GstHoloPlace *place)
{
  gboolean has;

  g_mutex_lock (&place->lock);
  has = place->context != NULL;
  g_mutex_unlock (&place->lock);
  return has;
}

static void
ask_pad (const GValue *item, gpointer user_data)
{
  GstHoloPlace *place = user_data;
  GstPad *pad = g_value_get_object (item);
  g_autoptr (GstQuery) query = NULL;
  GstContext *context = NULL;

  if (has_context (place))
    return;
  query = gst_query_new_context (GST_HOLO_CUDA_CONTEXT_TYPE);
  if (!gst_pad_peer_query (pad, query))
    return;
  gst_query_parse_context (query, &context);
  if (context == NULL)
    return;
  gst_element_set_context (place->element, context);
}

static void
ask_pads (GstHoloPlace *place, GstIterator *pads)
{
  while (gst_iterator_foreach (pads, ask_pad, place) == GST_ITERATOR_RESYNC)
    gst_iterator_resync (pads);
  gst_iterator_free (pads);
}

/* As GStreamer's own elements do: downstream, upstream, then whoever holds the pipeline. */
static void
ask_others (GstHoloPlace *place)
{
  g_autoptr (GstContext) known = gst_element_get_context (place->element, GST_HOLO_CUDA_CONTEXT_TYPE);

  if (known != NULL)
    gst_holo_place_set_context (place, known);
  ask_pads (place, gst_element_iterate_src_pads (place->element));
  ask_pads (place, gst_element_iterate_sink_pads (place->element));
  if (has_context (place))
    return;
  gst_element_post_message (place->element,
                            gst_message_new_need_context (GST_OBJECT (place->element), GST_HOLO_CUDA_CONTEXT_TYPE));
}

static void
offer_to_others (GstHoloPlace *place, GstObject *context)
{
  GstContext *packed = _gst_holo_cuda_context_pack (context);

  gst_element_set_context (place->element, packed);
  gst_element_post_message (place->element, gst_message_new_have_context (GST_OBJECT (place->element), packed));
}

/* ---- the device ---- */

static HoloDevice *
ref_device (GstHoloPlace *place)
{
  HoloDevice *device;

  g_mutex_lock (&place->lock);
  device = place->device != NULL ? g_object_ref (place->device) : NULL;
  g_mutex_unlock (&place->lock);
  return device;
}

/* Two threads may have come here: the first one decides. Takes @device and @context. */
static HoloDevice *
keep (GstHoloPlace *place, HoloDevice *device, GstObject *context)
{
  g_mutex_lock (&place->lock);
  if (place->device == NULL)
    {
      place->device = g_object_ref (device);
      if (context != NULL)
        {
          gst_clear_object (&place->context);
          place->context = gst_object_ref (context);
        }
    }
  else
    g_set_object (&device, place->device);
  g_mutex_unlock (&place->lock);
  gst_clear_object (&context);
  return device;
}

/* The primary context, for all elements of the pipeline that need one from now on. */
static HoloDevice *
open_own (GstHoloPlace *place, HoloRegistry *registry, const gchar *name, GError **error)
{
  HoloDevice *device = holo_registry_create_device (registry, name, error);
  GstObject *context = NULL;

  if (device == NULL)
    return NULL;
  if (holo_device_get_native_context (device, NULL) != NULL)
    {
      g_autoptr (GError) local = NULL;

      context = _gst_holo_cuda_context_of_device (device, &local);
      /* device memory cannot pass the pads then; inside a graph it can be used all the same */
      if (context == NULL)
        GST_WARNING_OBJECT (place->element, "%s", local->message);
    }
  GST_INFO_OBJECT (place->element, "works on %s in a context of its own", name);
  device = keep (place, device, context != NULL ? gst_object_ref (context) : NULL);
  if (context != NULL)
    offer_to_others (place, context);
  gst_clear_object (&context);
  return device;
}

static HoloDevice *
open_shared (GstHoloPlace *place, HoloRegistry *registry, GError **error)
{
  GstObject *context = gst_holo_place_ref_context (place);
  HoloDevice *device = _gst_holo_cuda_context_get_device (context, registry, error);

  if (device == NULL)
    {
      gst_object_unref (context);
      return NULL;
    }
  GST_INFO_OBJECT (place->element, "works on %s in %" GST_PTR_FORMAT, holo_device_get_name (device), context);
  return keep (place, device, context);
}

HoloDevice *
gst_holo_place_get_device (GstHoloPlace *place, HoloRegistry *registry, GError **error)
{
  g_autofree gchar *name = gst_holo_place_dup_name (place);
  HoloDevice *device = ref_device (place);
  gboolean is_auto = g_str_equal (name, "auto");

  if (device != NULL)
    return device;
  if (g_str_equal (name, "host"))
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_DEVICE,
                   "device memory is needed, but the property \"device\" of this element is \"host\"");
      return NULL;
    }
  if (is_auto || get_number (name) >= 0)
    {
      ask_others (place);
      if (has_context (place))
        return open_shared (place, registry, error);
    }
  return open_own (place, registry, is_auto ? "cuda:0" : name, error);
}

gboolean
gst_holo_place_open (GstHoloPlace *place, HoloRegistry *registry, GError **error)
{
  g_autofree gchar *name = gst_holo_place_dup_name (place);
  g_autoptr (HoloDevice) device = NULL;

  if (g_str_equal (name, "auto") || g_str_equal (name, "host"))
    return TRUE;
  /* first whether there is such a device at all: the answer has words */
  device = holo_registry_create_device (registry, name, error);
  if (device == NULL)
    return FALSE;
  g_clear_object (&device);
  device = gst_holo_place_get_device (place, registry, error);
  return device != NULL;
}

GstHoloRecycler *
gst_holo_place_new_recycler (GstHoloPlace *place, HoloDevice *device, gsize size, GError **error)
{
  g_autoptr (GstObject) context = NULL;
  GstMiniObject *stream = NULL;
  GstHoloRecycler *recycler;

  if (holo_device_get_native_context (device, NULL) != NULL)
    {
      context = gst_holo_place_ref_context (place);
      if (context == NULL)
        context = _gst_holo_cuda_context_of_device (device, error);
      if (context == NULL)
        return NULL;
      stream = _gst_holo_cuda_stream_new (context);
    }
  recycler = _gst_holo_recycler_new (device, context, stream, size);
  gst_clear_mini_object (&stream);
  return recycler;
}

gboolean
gst_holo_frame_check_device (const HoloFrame *frame, HoloDevice *device, const gchar *worker, const gchar *remedy,
                             GError **error)
{
  const gchar *found, *expected;

  if (frame->desc.mem_loc == HOLO_MEM_LOC_HOST || frame->block->device == device)
    return TRUE;
  found = holo_device_get_name (frame->block->device);
  expected = holo_device_get_name (device);
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_DEVICE, "the buffer lies on %s%s, but %s works on %s; %s", found,
               g_str_equal (found, expected) ? " in another CUDA context" : "", worker, expected, remedy);
  return FALSE;
}

void
gst_holo_place_close (GstHoloPlace *place)
{
  HoloDevice *device;
  GstObject *context;

  g_mutex_lock (&place->lock);
  device = g_steal_pointer (&place->device);
  context = g_steal_pointer (&place->context);
  g_mutex_unlock (&place->lock);
  g_clear_object (&device);
  gst_clear_object (&context);
}
