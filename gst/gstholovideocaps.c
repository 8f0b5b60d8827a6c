/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstholovideocaps.h"

/* ---- formats ---- */

typedef struct
{
  GstVideoFormat format;
  HoloDType dtype;
  gint channels;
} Format;

/* The host's byte order first: it is what a choice falls on. */
static const GstVideoFormat format_order[] = {
#if G_BYTE_ORDER == G_LITTLE_ENDIAN
#define BOTH_ORDERS(name) GST_VIDEO_FORMAT_##name##_LE, GST_VIDEO_FORMAT_##name##_BE
#else
#define BOTH_ORDERS(name) GST_VIDEO_FORMAT_##name##_BE, GST_VIDEO_FORMAT_##name##_LE
#endif
  GST_VIDEO_FORMAT_GRAY8, BOTH_ORDERS (GRAY16),  GST_VIDEO_FORMAT_RGB,  GST_VIDEO_FORMAT_BGR,
  GST_VIDEO_FORMAT_RGBA,  GST_VIDEO_FORMAT_BGRA, GST_VIDEO_FORMAT_ARGB, GST_VIDEO_FORMAT_ABGR,
  GST_VIDEO_FORMAT_RGBx,  GST_VIDEO_FORMAT_BGRx, GST_VIDEO_FORMAT_xRGB, GST_VIDEO_FORMAT_xBGR,
  BOTH_ORDERS (RGBA64),   BOTH_ORDERS (BGRA64),  BOTH_ORDERS (ARGB64),  BOTH_ORDERS (ABGR64),
};
#define N_FORMATS G_N_ELEMENTS (format_order)

static const Format *
get_formats (void)
{
  static Format formats[N_FORMATS];
  static gsize done = 0;

  if (g_once_init_enter (&done))
    {
      for (guint i = 0; i < N_FORMATS; i++)
        {
          GstVideoInfo video;
          GstHoloTensorInfo info;

          gst_video_info_set_format (&video, format_order[i], 4, 4);
          gst_holo_tensor_info_from_video (&info, &video, TRUE, NULL);
          formats[i] = (Format){ format_order[i], info.desc.dtype,
                                 info.desc.rank == 2 ? 1 : (gint) info.desc.shape[2] };
        }
      g_once_init_leave (&done, 1);
    }
  return formats;
}

/* ---- values that may be a list, or absent (anything) ---- */

static gboolean
value_holds_string (const GValue *value, const gchar *text)
{
  if (value == NULL)
    return TRUE;
  if (G_VALUE_HOLDS_STRING (value))
    return g_strcmp0 (g_value_get_string (value), text) == 0;
  for (guint i = 0; GST_VALUE_HOLDS_LIST (value) && i < gst_value_list_get_size (value); i++)
    if (value_holds_string (gst_value_list_get_value (value, i), text))
      return TRUE;
  return FALSE;
}

static gboolean
value_holds_int (const GValue *value, gint number)
{
  GValue wanted = G_VALUE_INIT;

  g_value_init (&wanted, G_TYPE_INT);
  g_value_set_int (&wanted, number);
  return value == NULL || gst_value_intersect (NULL, value, &wanted);
}

static void
append_range (GValue *array)
{
  GValue range = G_VALUE_INIT;

  g_value_init (&range, GST_TYPE_INT_RANGE);
  gst_value_set_int_range (&range, 1, G_MAXINT);
  gst_value_array_append_and_take_value (array, &range);
}

static void
append_int (GValue *array, gint number)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_INT);
  g_value_set_int (&value, number);
  gst_value_array_append_and_take_value (array, &value);
}

static void
append_value (GValue *array, const GValue *value)
{
  if (value != NULL)
    gst_value_array_append_value (array, value);
  else
    append_range (array);
}

/* ---- shapes ---- */

static gboolean
is_many (GstHoloPictureMode mode)
{
  return mode >= GST_HOLO_PICTURE_ANY;
}

/* How a tensor of some rank is read: index of its N and C dimension, or -1. FALSE when that rank is no
 * picture. */
static gboolean
read_rank (GstHoloPictureMode mode, guint rank, gint *n_dim, gint *c_dim)
{
  gboolean squeeze = mode == GST_HOLO_PICTURE_SQUEEZED || mode == GST_HOLO_PICTURE_ANY_SQUEEZED;

  *n_dim = *c_dim = -1;
  switch (rank)
    {
    case 2:
      return mode != GST_HOLO_PICTURE_ONE;
    case 3:
      if (squeeze)
        *c_dim = 2;
      else
        *n_dim = 0;
      return TRUE;
    case 4:
      *n_dim = 0;
      *c_dim = 3;
      return mode != GST_HOLO_PICTURE_SQUEEZED;
    default:
      return FALSE;
    }
}

/**
 * gst_holo_pictures_from_desc:
 * @pictures: (out caller-allocates): filled in
 * @desc: a tensor
 * @mode: which shapes are pictures
 * @error: return location
 *
 * Returns: %FALSE when @desc is no picture; the message says what to do about its type or shape
 */
gboolean
gst_holo_pictures_from_desc (GstHoloPictures *pictures, const HoloTensorDesc *desc, GstHoloPictureMode mode,
                             GError **error)
{
  g_autofree gchar *text = holo_tensor_desc_to_string (desc);
  gint n_dim, c_dim;
  guint row_dim;

  if (desc->dtype != HOLO_DTYPE_U8 && desc->dtype != HOLO_DTYPE_U16)
    {
      g_set_error (
          error, HOLO_ERROR, HOLO_ERROR_INFERENCE,
          "a picture needs elements of type U8 or U16, but the tensor is %s; put a Conversion before it "
          "(holoconversion target=U8)",
          text);
      return FALSE;
    }
  if (!read_rank (mode, desc->rank, &n_dim, &c_dim))
    {
      g_set_error (
          error, HOLO_ERROR, HOLO_ERROR_INFERENCE,
          "a picture is a tensor of shape [H,W], [N,H,W], [N,H,W,C] or (with squeeze=true) [H,W,C], but it "
          "is %s; put a Reshape before it",
          text);
      return FALSE;
    }
  row_dim = n_dim + 1;
  *pictures = (GstHoloPictures){
    .n = n_dim >= 0 ? desc->shape[n_dim] : 1,
    .height = desc->shape[row_dim],
    .width = desc->shape[row_dim + 1],
    .channels = c_dim >= 0 ? desc->shape[c_dim] : 1,
    .n_dim = n_dim,
    .row_dim = row_dim,
  };
  if (pictures->n > 0 && pictures->height > 0 && pictures->width > 0 &&
      (pictures->channels == 1 || pictures->channels == 4 ||
       (pictures->channels == 3 && desc->dtype == HOLO_DTYPE_U8)))
    return TRUE;
  g_set_error (
      error, HOLO_ERROR, HOLO_ERROR_INFERENCE,
      "the tensor %s is no picture: no extent may be 0, and a pixel has 1 or 4 samples, or 3 of type U8",
      text);
  return FALSE;
}

/* ---- frame rate ---- */

/* Each tensor is @n pictures (NULL: not known), so the pictures' rate is that many times the tensors'. */
static void
set_rate (GstStructure *to, const GstStructure *from, const GValue *n, gboolean many)
{
  const GValue *rate = gst_structure_get_value (from, "framerate");
  gint rate_n, rate_d;

  if (rate == NULL)
    return;
  if (!many || (n != NULL && G_VALUE_HOLDS_INT (n) && g_value_get_int (n) == 1))
    gst_structure_set_value (to, "framerate", rate);
  else if (n != NULL && G_VALUE_HOLDS_INT (n) && GST_VALUE_HOLDS_FRACTION (rate) &&
           gst_util_fraction_multiply (gst_value_get_fraction_numerator (rate),
                                       gst_value_get_fraction_denominator (rate), g_value_get_int (n), 1,
                                       &rate_n, &rate_d))
    gst_structure_set (to, "framerate", GST_TYPE_FRACTION, rate_n, rate_d, NULL);
}

/* ---- video to tensor ---- */

static void
append_tensor (GstCaps *caps, const GstStructure *video, const Format *format, GstHoloPictureMode mode,
               guint rank)
{
  GstStructure *structure;
  GValue dims = G_VALUE_INIT;
  gint n_dim, c_dim;

  if (!read_rank (mode, rank, &n_dim, &c_dim) || (c_dim < 0 && format->channels != 1) ||
      (c_dim >= 0 && format->channels == 1 && !is_many (mode)))
    return;
  g_value_init (&dims, GST_TYPE_ARRAY);
  if (n_dim >= 0 && is_many (mode))
    append_range (&dims);
  else if (n_dim >= 0)
    append_int (&dims, 1);
  append_value (&dims, gst_structure_get_value (video, "height"));
  append_value (&dims, gst_structure_get_value (video, "width"));
  if (c_dim >= 0)
    append_int (&dims, format->channels);
  structure = gst_structure_new (GST_HOLO_TENSOR_MEDIA_TYPE, "type", G_TYPE_STRING,
                                 holo_dtype_get_long_name (format->dtype), "dims-order", G_TYPE_STRING,
                                 "row-major", NULL);
  gst_structure_take_value (structure, "dims", &dims);
  if (n_dim < 0 || !is_many (mode))
    set_rate (structure, video, NULL, FALSE);
  gst_caps_append_structure (caps, structure);
}

/**
 * gst_holo_video_caps_to_tensor:
 * @caps: video/x-raw, any number of structures, fixed or not
 * @mode: which shapes stand for pictures
 *
 * Returns: (transfer full): the tensors that such pictures are; empty when none
 */
GstCaps *
gst_holo_video_caps_to_tensor (GstCaps *caps, GstHoloPictureMode mode)
{
  const Format *formats = get_formats ();
  GstCaps *result = gst_caps_new_empty ();

  for (guint i = 0; i < gst_caps_get_size (caps); i++)
    {
      const GstStructure *video = gst_caps_get_structure (caps, i);
      const GValue *format = gst_structure_get_value (video, "format");

      for (guint f = 0; f < N_FORMATS; f++)
        if (value_holds_string (format, gst_video_format_to_string (formats[f].format)))
          for (guint rank = 2; rank <= 4; rank++)
            append_tensor (result, video, &formats[f], mode, rank);
    }
  return gst_caps_simplify (result);
}

/* ---- tensor to video ---- */

static void
append_video (GstCaps *caps, const GstStructure *tensor, const GValue *formats, const GValue *n,
              const GValue *height, const GValue *width, gboolean many)
{
  GstStructure *structure = gst_structure_new_empty ("video/x-raw");

  gst_structure_set_value (structure, "format", formats);
  if (height != NULL)
    gst_structure_set_value (structure, "height", height);
  else
    gst_structure_set (structure, "height", GST_TYPE_INT_RANGE, 1, G_MAXINT, NULL);
  if (width != NULL)
    gst_structure_set_value (structure, "width", width);
  else
    gst_structure_set (structure, "width", GST_TYPE_INT_RANGE, 1, G_MAXINT, NULL);
  set_rate (structure, tensor, n, many);
  if (!gst_structure_has_field (structure, "framerate"))
    gst_structure_set (structure, "framerate", GST_TYPE_FRACTION_RANGE, 0, 1, G_MAXINT, 1, NULL);
  gst_caps_append_structure (caps, structure);
}

/* The formats of pictures with the element type and samples per pixel that are asked for. */
static void
collect_formats (GValue *list, const GValue *type, gboolean has_channels, const GValue *channels,
                 gboolean many)
{
  const Format *formats = get_formats ();

  g_value_init (list, GST_TYPE_LIST);
  for (guint i = 0; i < N_FORMATS; i++)
    {
      GValue name = G_VALUE_INIT;

      if (!value_holds_string (type, holo_dtype_get_long_name (formats[i].dtype)))
        continue;
      if (has_channels
              ? !value_holds_int (channels, formats[i].channels) || (formats[i].channels == 1 && !many)
              : formats[i].channels != 1)
        continue;
      g_value_init (&name, G_TYPE_STRING);
      g_value_set_static_string (&name, gst_video_format_to_string (formats[i].format));
      gst_value_list_append_and_take_value (list, &name);
    }
}

/* @dims is an array, or NULL for any tensor of that @rank. */
static void
append_video_of_rank (GstCaps *caps, const GstStructure *tensor, const GValue *dims, guint rank,
                      GstHoloPictureMode mode)
{
  const GValue *dim[4] = { NULL };
  GValue formats = G_VALUE_INIT;
  gboolean many = is_many (mode);
  gint n_dim, c_dim;

  if (!read_rank (mode, rank, &n_dim, &c_dim))
    return;
  for (guint i = 0; dims != NULL && i < rank; i++)
    dim[i] = gst_value_array_get_value (dims, i);
  if (n_dim >= 0 && !many && !value_holds_int (dim[n_dim], 1))
    return;
  collect_formats (&formats, gst_structure_get_value (tensor, "type"), c_dim >= 0,
                   c_dim >= 0 ? dim[c_dim] : NULL, many);
  if (gst_value_list_get_size (&formats) > 0)
    append_video (caps, tensor, &formats, n_dim >= 0 ? dim[n_dim] : NULL, dim[n_dim + 1], dim[n_dim + 2],
                  many && n_dim >= 0);
  g_value_unset (&formats);
}

/**
 * gst_holo_video_caps_from_tensor:
 * @caps: tensor/strided, any number of structures, fixed or not
 * @mode: which shapes stand for pictures
 *
 * Returns: (transfer full): the pictures that such tensors are, formats in the host's byte order first; empty
 * when none
 */
GstCaps *
gst_holo_video_caps_from_tensor (GstCaps *caps, GstHoloPictureMode mode)
{
  GstCaps *result = gst_caps_new_empty ();

  for (guint i = 0; i < gst_caps_get_size (caps); i++)
    {
      const GstStructure *tensor = gst_caps_get_structure (caps, i);
      const GValue *dims = gst_structure_get_value (tensor, "dims");

      if (dims == NULL)
        for (guint rank = 2; rank <= 4; rank++)
          append_video_of_rank (result, tensor, NULL, rank, mode);
      else if (GST_VALUE_HOLDS_ARRAY (dims))
        append_video_of_rank (result, tensor, dims, gst_value_array_get_size (dims), mode);
      else if (GST_VALUE_HOLDS_LIST (dims))
        for (guint d = 0; d < gst_value_list_get_size (dims); d++)
          {
            const GValue *one = gst_value_list_get_value (dims, d);

            if (GST_VALUE_HOLDS_ARRAY (one))
              append_video_of_rank (result, tensor, one, gst_value_array_get_size (one), mode);
          }
    }
  return result;
}
