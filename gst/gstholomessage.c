/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstholomessage.h"

/* GStreamer's domain and code for a HoloError, so that applications can tell bad settings from
 * bad streams. */
static GQuark
get_domain (const GError *error, gint *code)
{
  if (error->domain == HOLO_ERROR)
    switch (error->code)
      {
      case HOLO_ERROR_JSON:
      case HOLO_ERROR_GRAPH:
      case HOLO_ERROR_SETTING:
      case HOLO_ERROR_UNKNOWN_KIND:
        *code = GST_LIBRARY_ERROR_SETTINGS;
        return GST_LIBRARY_ERROR;
      case HOLO_ERROR_MODULE:
        *code = GST_LIBRARY_ERROR_INIT;
        return GST_LIBRARY_ERROR;
      case HOLO_ERROR_MEMORY:
        *code = GST_RESOURCE_ERROR_NO_SPACE_LEFT;
        return GST_RESOURCE_ERROR;
      case HOLO_ERROR_DEVICE:
        *code = GST_RESOURCE_ERROR_FAILED;
        return GST_RESOURCE_ERROR;
      case HOLO_ERROR_FILE:
        *code = GST_RESOURCE_ERROR_FAILED;
        return GST_RESOURCE_ERROR;
      case HOLO_ERROR_INFERENCE:
      case HOLO_ERROR_OVERFLOW:
      case HOLO_ERROR_NOT_SUPPORTED:
        *code = GST_STREAM_ERROR_FORMAT;
        return GST_STREAM_ERROR;
      default:
        break;
      }
  *code = GST_STREAM_ERROR_FAILED;
  return GST_STREAM_ERROR;
}

static void
post (gpointer element, GstMessageType type, const GError *error)
{
  gint code;
  GQuark domain = get_domain (error, &code);

  gst_element_message_full (GST_ELEMENT (element), type, domain, code, g_strdup (error->message), NULL, __FILE__,
                            G_STRFUNC, __LINE__);
}

/**
 * gst_holo_element_post_error:
 * @element: an element
 * @error: why it stops; its text names node, kind, what was expected and found
 */
void
gst_holo_element_post_error (gpointer element, const GError *error)
{
  post (element, GST_MESSAGE_ERROR, error);
}

/**
 * gst_holo_element_report:
 * @element: an element
 * @ok: what a step gave
 * @error: (inout): why it failed. A pointer, so that the step may be called among the arguments
 *
 * Posts @error if the step failed, for functions whose base class has no words for that.
 *
 * Returns: @ok
 */
gboolean
gst_holo_element_report (gpointer element, gboolean ok, GError **error)
{
  if (!ok)
    gst_holo_element_post_error (element, *error);
  return ok;
}

static G_DEFINE_QUARK (gst - holo - posted, posted)

    /**
 * gst_holo_element_post_once:
 * @element: an element
 * @error: why it refuses what comes in
 *
 * As gst_holo_element_post_error(), but the same words only once until gst_holo_element_forget_posted():
 * GStreamer offers refused caps again with every buffer.
 */
    void gst_holo_element_post_once (gpointer element, const GError *error)
{
  if (g_strcmp0 (g_object_get_qdata (element, posted_quark ()), error->message) == 0)
    return;
  g_object_set_qdata_full (element, posted_quark (), g_strdup (error->message), g_free);
  gst_holo_element_post_error (element, error);
}

void
gst_holo_element_forget_posted (gpointer element)
{
  g_object_set_qdata (element, posted_quark (), NULL);
}

void
gst_holo_element_post_warning (gpointer element, const GError *error)
{
  post (element, GST_MESSAGE_WARNING, error);
}

/**
 * gst_holo_element_warn_trailing:
 * @element: an element
 * @trailing: bytes behind the tensor of a buffer
 * @warned: whether it has been said; set
 *
 * Says once that the bytes a producer added behind each tensor are ignored.
 */
void
gst_holo_element_warn_trailing (gpointer element, gsize trailing, gboolean *warned)
{
  if (G_LIKELY (trailing == 0) || *warned)
    return;
  *warned = TRUE;
  gst_element_message_full (GST_ELEMENT (element), GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
                            g_strdup_printf ("a buffer has %" G_GSIZE_FORMAT
                                             " bytes behind its tensor; they are ignored, also in later buffers",
                                             trailing),
                            NULL, __FILE__, G_STRFUNC, __LINE__);
}

/**
 * gst_holo_element_log_copy:
 * @element: an element
 * @size: bytes
 * @reason: why the tensor cannot be used as it is
 *
 * Every copy that nobody asked for is said in GST_PERFORMANCE.
 */
void
gst_holo_element_log_copy (gpointer element, gsize size, const gchar *reason)
{
  static GstDebugCategory *category = NULL;

  if (g_once_init_enter (&category))
    {
      GstDebugCategory *found = NULL;

      GST_DEBUG_CATEGORY_GET (found, "GST_PERFORMANCE");
      g_once_init_leave (&category, found);
    }
  GST_CAT_LOG_OBJECT (category, element, "copying a tensor of %" G_GSIZE_FORMAT " bytes: %s", size, reason);
}
