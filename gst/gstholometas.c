/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What frame n carried beside its tensor is kept until no output can be made of it any more. */
#include "gstholohost-private.h"

typedef struct
{
  guint64 number;
  GstBuffer *metas; /* without memory */
} MetaItem;

static void
free_meta_item (MetaItem *item)
{
  gst_buffer_unref (item->metas);
  g_free (item);
}

void
gst_holo_input_drop_metas (GstHoloInput *input)
{
  MetaItem *item;

  while ((item = g_queue_pop_head (&input->metas)) != NULL)
    free_meta_item (item);
}

static gboolean
is_layout_meta (const GstMetaInfo *info)
{
  return info->api == GST_VIDEO_META_API_TYPE || info->api == GST_HOLO_TENSOR_META_API_TYPE ||
         info->api == GST_PARENT_BUFFER_META_API_TYPE || gst_meta_api_type_has_tag (info->api, _gst_meta_tag_memory) ||
         gst_meta_api_type_has_tag (info->api, _gst_meta_tag_memory_reference);
}

static gboolean
copy_meta (GstBuffer *buffer, GstMeta **meta, gpointer user_data)
{
  GstMetaTransformCopy copy = { .region = FALSE, .offset = 0, .size = (gsize) -1 };
  const GstMetaInfo *info = (*meta)->info;

  if (!is_layout_meta (info) && info->transform_func != NULL)
    info->transform_func (user_data, *meta, buffer, _gst_meta_transform_copy, &copy);
  return TRUE;
}

void
gst_holo_input_keep_metas (GstHoloInput *input, GstBuffer *buffer, guint64 number)
{
  GstBuffer *metas;
  gpointer state = NULL;
  MetaItem *item;

  if (G_LIKELY (gst_buffer_iterate_meta (buffer, &state) == NULL) || input->followers->len == 0)
    return;
  metas = gst_buffer_new ();
  gst_buffer_foreach_meta (buffer, copy_meta, metas);
  state = NULL;
  if (gst_buffer_iterate_meta (metas, &state) == NULL)
    {
      gst_buffer_unref (metas);
      return;
    }
  item = g_new (MetaItem, 1);
  item->number = number;
  item->metas = metas;
  g_mutex_lock (&input->run->lock);
  g_queue_push_tail (&input->metas, item);
  g_mutex_unlock (&input->run->lock);
}

/* The smallest number that an output may still need. */
static guint64
get_oldest (GstHoloInput *input)
{
  guint64 oldest = G_MAXUINT64;

  for (guint i = 0; i < input->followers->len; i++)
    oldest = MIN (oldest, gst_holo_output_get_left (g_ptr_array_index (input->followers, i)));
  return oldest;
}

/* Adds what frames @first to @last carried to @buffer (taken and given back), unless it has metas: then it is
 * one of them that only passed through. */
GstBuffer *
gst_holo_input_copy_metas (GstHoloInput *input, guint64 first, guint64 last, GstBuffer *buffer)
{
  gpointer state = NULL;
  gboolean passed = gst_buffer_iterate_meta (buffer, &state) != NULL;
  guint64 oldest;

  g_mutex_lock (&input->run->lock);
  for (GList *link = input->metas.head; link != NULL && !passed; link = link->next)
    {
      MetaItem *item = link->data;

      if (item->number < first || item->number > last)
        continue;
      buffer = gst_buffer_make_writable (buffer);
      gst_buffer_foreach_meta (item->metas, copy_meta, buffer);
    }
  oldest = MIN (get_oldest (input), first);
  while (!g_queue_is_empty (&input->metas) && ((MetaItem *) g_queue_peek_head (&input->metas))->number < oldest)
    free_meta_item (g_queue_pop_head (&input->metas));
  g_mutex_unlock (&input->run->lock);
  return buffer;
}
