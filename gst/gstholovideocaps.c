/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstholovideocaps.h"

#include "gstholonegotiation.h"

static gboolean value_holds_string (const GValue *value, const gchar *text);

/* ---- formats ---- */

/* One plane of a format, in one place; no channels: it is no tensor there. */
typedef struct
{
  GstVideoFormat format;
  HoloDType dtype;
  gint channels;
  guint w_sub;
  guint h_sub;
} Format;

/* The host's byte order first: it is what a choice falls on. Planes come last. */
static const GstVideoFormat format_order[] = {
#if G_BYTE_ORDER == G_LITTLE_ENDIAN
#define BOTH_ORDERS(name) GST_VIDEO_FORMAT_##name##_LE, GST_VIDEO_FORMAT_##name##_BE
#else
#define BOTH_ORDERS(name) GST_VIDEO_FORMAT_##name##_BE, GST_VIDEO_FORMAT_##name##_LE
#endif
  GST_VIDEO_FORMAT_GRAY8, BOTH_ORDERS (GRAY16),  GST_VIDEO_FORMAT_RGB,  GST_VIDEO_FORMAT_BGR,  GST_VIDEO_FORMAT_RGBA,
  GST_VIDEO_FORMAT_BGRA,  GST_VIDEO_FORMAT_ARGB, GST_VIDEO_FORMAT_ABGR, GST_VIDEO_FORMAT_RGBx, GST_VIDEO_FORMAT_BGRx,
  GST_VIDEO_FORMAT_xRGB,  GST_VIDEO_FORMAT_xBGR, BOTH_ORDERS (RGBA64),  BOTH_ORDERS (BGRA64),  BOTH_ORDERS (ARGB64),
  BOTH_ORDERS (ABGR64),   GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_NV21, GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_YV12,
  GST_VIDEO_FORMAT_Y42B,  GST_VIDEO_FORMAT_Y444,
};
#define N_FORMATS G_N_ELEMENTS (format_order)
#define N_PLANES  (GST_VIDEO_MAX_PLANES + 2) /* GST_HOLO_PLANE_ONLY first */

/* GStreamer's CUDA elements know no others. */
static gboolean
is_on_device (GstVideoFormat format)
{
  g_autoptr (GstCaps) caps = gst_holo_caps_new_video_template_full (HOLO_MEM_LOCS_DEVICE, 0);
  const gchar *name = gst_video_format_to_string (format);

  for (guint i = 0; i < gst_caps_get_size (caps); i++)
    if (value_holds_string (gst_structure_get_value (gst_caps_get_structure (caps, i), "format"), name))
      return TRUE;
  return FALSE;
}

static Format
describe (GstVideoFormat format, HoloMemLoc mem_loc, gint plane)
{
  Format described = { .format = format };
  GstHoloTensorInfo info;
  GstVideoInfo video;

  gst_video_info_set_format (&video, format, 16, 16);
  if ((mem_loc == HOLO_MEM_LOC_DEVICE && !is_on_device (format)) ||
      !gst_holo_tensor_info_from_video_plane (&info, &video, mem_loc, plane, TRUE, NULL))
    return described;
  described.dtype = info.desc.dtype;
  described.channels = info.desc.rank == 2 ? 1 : (gint) info.desc.shape[2];
  described.h_sub = info.desc.shape[0] < 16;
  described.w_sub = info.desc.shape[1] < 16;
  return described;
}

static const Format *
get_formats (HoloMemLoc mem_loc, gint plane)
{
  static Format formats[2][N_PLANES][N_FORMATS];
  static gsize done = 0;

  if (g_once_init_enter (&done))
    {
      for (guint loc = 0; loc < 2; loc++)
        for (gint p = 0; p < N_PLANES; p++)
          for (guint i = 0; i < N_FORMATS; i++)
            formats[loc][p][i] = describe (format_order[i], loc, p + GST_HOLO_PLANE_ONLY);
      g_once_init_leave (&done, 1);
    }
  return formats[mem_loc][plane - GST_HOLO_PLANE_ONLY];
}

/* FALSE: memory of a kind that is not taken. */
static gboolean
get_place (const GstCaps *caps, guint index, HoloMemLoc *mem_loc)
{
  guint places = gst_holo_caps_get_place (caps, index);

  *mem_loc = places == HOLO_MEM_LOCS_HOST ? HOLO_MEM_LOC_HOST : HOLO_MEM_LOC_DEVICE;
  return places != 0;
}

static void
append_structure (GstCaps *caps, GstStructure *structure, HoloMemLoc mem_loc)
{
  gst_caps_append_structure (caps, structure);
  if (mem_loc == HOLO_MEM_LOC_DEVICE)
    gst_caps_set_features (caps, gst_caps_get_size (caps) - 1, gst_caps_features_new (GST_HOLO_FEATURE_CUDA, NULL));
}

/* ---- the property "plane" ---- */

GParamSpec *
gst_holo_plane_new_param_spec (void)
{
  return g_param_spec_int ("plane", "Plane",
                           "Which plane of video in several planes (NV12, I420, ...) is the tensor, 0 is the "
                           "luminance; -1: the first of pictures in device memory, none in host memory",
                           GST_HOLO_PLANE_AUTO, GST_VIDEO_MAX_PLANES - 1, GST_HOLO_PLANE_AUTO,
                           G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY);
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

/* What is left of an extent of the picture in a plane of half the size. */
static void
append_extent (GValue *array, const GValue *value, guint sub)
{
  if (sub == 0)
    append_value (array, value);
  else if (value != NULL && G_VALUE_HOLDS_INT (value))
    append_int (array, GST_VIDEO_SUB_SCALE (sub, g_value_get_int (value)));
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
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE,
                   "a picture needs elements of type U8 or U16, but the tensor is %s; put a Conversion before it "
                   "(holoconversion target=U8)",
                   text);
      return FALSE;
    }
  if (!read_rank (mode, desc->rank, &n_dim, &c_dim))
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE,
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
      (pictures->channels == 1 || pictures->channels == 4 || (pictures->channels == 3 && desc->dtype == HOLO_DTYPE_U8)))
    return TRUE;
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE,
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
                                       gst_value_get_fraction_denominator (rate), g_value_get_int (n), 1, &rate_n,
                                       &rate_d))
    gst_structure_set (to, "framerate", GST_TYPE_FRACTION, rate_n, rate_d, NULL);
}

/* ---- video to tensor ---- */

static void
append_tensor (GstCaps *caps, const GstStructure *video, HoloMemLoc mem_loc, const Format *format,
               GstHoloPictureMode mode, guint rank)
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
  append_extent (&dims, gst_structure_get_value (video, "height"), format->h_sub);
  append_extent (&dims, gst_structure_get_value (video, "width"), format->w_sub);
  if (c_dim >= 0)
    append_int (&dims, format->channels);
  structure =
      gst_structure_new (GST_HOLO_TENSOR_MEDIA_TYPE, "type", G_TYPE_STRING, holo_dtype_get_long_name (format->dtype),
                         "dims-order", G_TYPE_STRING, "row-major", NULL);
  gst_structure_take_value (structure, "dims", &dims);
  if (n_dim < 0 || !is_many (mode))
    set_rate (structure, video, NULL, FALSE);
  append_structure (caps, structure, mem_loc);
}

/**
 * gst_holo_video_caps_to_tensor:
 * @caps: video/x-raw, any number of structures, fixed or not
 * @mode: which shapes stand for pictures
 * @plane: which plane is meant
 *
 * Returns: (transfer full): the tensors that such pictures are; empty when none
 */
GstCaps *
gst_holo_video_caps_to_tensor (GstCaps *caps, GstHoloPictureMode mode, gint plane)
{
  GstCaps *result = gst_caps_new_empty ();

  for (guint i = 0; i < gst_caps_get_size (caps); i++)
    {
      const GstStructure *video = gst_caps_get_structure (caps, i);
      const GValue *format = gst_structure_get_value (video, "format");
      const Format *formats;
      HoloMemLoc mem_loc;

      if (!get_place (caps, i, &mem_loc))
        continue;
      formats = get_formats (mem_loc, plane);
      for (guint f = 0; f < N_FORMATS; f++)
        if (formats[f].channels > 0 && value_holds_string (format, gst_video_format_to_string (formats[f].format)))
          for (guint rank = 2; rank <= 4; rank++)
            append_tensor (result, video, mem_loc, &formats[f], mode, rank);
    }
  return gst_caps_simplify (result);
}

/* ---- tensor to video ---- */

/* Half an extent may come from an even or an odd one. */
static void
set_extent (GstStructure *structure, const gchar *name, const GValue *value, guint sub)
{
  if (value == NULL || (sub > 0 && (!G_VALUE_HOLDS_INT (value) || g_value_get_int (value) > G_MAXINT / 2)))
    gst_structure_set (structure, name, GST_TYPE_INT_RANGE, 1, G_MAXINT, NULL);
  else if (sub == 0)
    gst_structure_set_value (structure, name, value);
  else
    gst_structure_set (structure, name, GST_TYPE_INT_RANGE, 2 * g_value_get_int (value) - 1,
                       2 * g_value_get_int (value), NULL);
}

/* What is asked for of a picture, by the tensor that it is to be. */
typedef struct
{
  const GstStructure *tensor;
  HoloMemLoc mem_loc;
  gint plane;
  const GValue *n, *height, *width, *channels;
  gboolean has_n;
  gboolean has_channels;
  gboolean many;
} Wanted;

/* The formats with the element type and samples per pixel that are asked for, and planes of one size. */
static void
collect_formats (GValue *list, const Wanted *wanted, guint w_sub, guint h_sub)
{
  const Format *formats = get_formats (wanted->mem_loc, wanted->plane);
  const GValue *type = gst_structure_get_value (wanted->tensor, "type");

  g_value_init (list, GST_TYPE_LIST);
  for (guint i = 0; i < N_FORMATS; i++)
    {
      GValue name = G_VALUE_INIT;

      if (formats[i].channels == 0 || formats[i].w_sub != w_sub || formats[i].h_sub != h_sub ||
          !value_holds_string (type, holo_dtype_get_long_name (formats[i].dtype)))
        continue;
      if (wanted->has_channels
              ? !value_holds_int (wanted->channels, formats[i].channels) || (formats[i].channels == 1 && !wanted->many)
              : formats[i].channels != 1)
        continue;
      g_value_init (&name, G_TYPE_STRING);
      g_value_set_static_string (&name, gst_video_format_to_string (formats[i].format));
      gst_value_list_append_and_take_value (list, &name);
    }
}

static void
append_video (GstCaps *caps, const Wanted *wanted, guint w_sub, guint h_sub)
{
  GValue formats = G_VALUE_INIT;
  GstStructure *structure;

  collect_formats (&formats, wanted, w_sub, h_sub);
  if (gst_value_list_get_size (&formats) > 0)
    {
      structure = gst_structure_new_empty ("video/x-raw");
      gst_structure_set_value (structure, "format", &formats);
      set_extent (structure, "height", wanted->height, h_sub);
      set_extent (structure, "width", wanted->width, w_sub);
      set_rate (structure, wanted->tensor, wanted->n, wanted->many && wanted->has_n);
      if (!gst_structure_has_field (structure, "framerate"))
        gst_structure_set (structure, "framerate", GST_TYPE_FRACTION_RANGE, 0, 1, G_MAXINT, 1, NULL);
      append_structure (caps, structure, wanted->mem_loc);
    }
  g_value_unset (&formats);
}

/* @dims is an array, or NULL for any tensor of that @rank. */
static void
append_video_of_rank (GstCaps *caps, Wanted wanted, const GValue *dims, guint rank, GstHoloPictureMode mode)
{
  const GValue *dim[4] = { NULL };
  gint n_dim, c_dim;

  if (!read_rank (mode, rank, &n_dim, &c_dim))
    return;
  for (guint i = 0; dims != NULL && i < rank; i++)
    dim[i] = gst_value_array_get_value (dims, i);
  wanted.many = is_many (mode);
  if (n_dim >= 0 && !wanted.many && !value_holds_int (dim[n_dim], 1))
    return;
  wanted.has_n = n_dim >= 0;
  wanted.n = n_dim >= 0 ? dim[n_dim] : NULL;
  wanted.height = dim[n_dim + 1];
  wanted.width = dim[n_dim + 2];
  wanted.has_channels = c_dim >= 0;
  wanted.channels = c_dim >= 0 ? dim[c_dim] : NULL;
  for (guint h_sub = 0; h_sub < 2; h_sub++)
    for (guint w_sub = 0; w_sub < 2; w_sub++)
      append_video (caps, &wanted, w_sub, h_sub);
}

/**
 * gst_holo_video_caps_from_tensor:
 * @caps: tensor/strided, any number of structures, fixed or not
 * @mode: which shapes stand for pictures
 * @plane: which plane is meant
 *
 * Returns: (transfer full): the pictures that such tensors are, formats in the host's byte order first; empty
 * when none
 */
GstCaps *
gst_holo_video_caps_from_tensor (GstCaps *caps, GstHoloPictureMode mode, gint plane)
{
  GstCaps *result = gst_caps_new_empty ();

  for (guint i = 0; i < gst_caps_get_size (caps); i++)
    {
      const GstStructure *tensor = gst_caps_get_structure (caps, i);
      const GValue *dims = gst_structure_get_value (tensor, "dims");
      Wanted wanted = { .tensor = tensor, .plane = plane };

      if (!get_place (caps, i, &wanted.mem_loc))
        continue;
      if (dims == NULL)
        for (guint rank = 2; rank <= 4; rank++)
          append_video_of_rank (result, wanted, NULL, rank, mode);
      else if (GST_VALUE_HOLDS_ARRAY (dims))
        append_video_of_rank (result, wanted, dims, gst_value_array_get_size (dims), mode);
      else if (GST_VALUE_HOLDS_LIST (dims))
        for (guint d = 0; d < gst_value_list_get_size (dims); d++)
          {
            const GValue *one = gst_value_list_get_value (dims, d);

            if (GST_VALUE_HOLDS_ARRAY (one))
              append_video_of_rank (result, wanted, one, gst_value_array_get_size (one), mode);
          }
    }
  return result;
}
