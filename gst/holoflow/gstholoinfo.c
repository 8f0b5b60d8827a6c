/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <gst/holoflow/gstholoinfo.h>

#define ROW_MAJOR "row-major"

/* ---- tensor/strided ---- */

static gboolean
read_features (const GstCaps *caps, HoloMemLoc *loc, GError **error)
{
  GstCapsFeatures *features = gst_caps_get_features (caps, 0);
  g_autofree gchar *text = NULL;

  *loc = HOLO_MEM_LOC_HOST;
  if (features == NULL || gst_caps_features_is_equal (features, GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY))
    return TRUE;
  *loc = HOLO_MEM_LOC_DEVICE;
  if (gst_caps_features_get_size (features) == 1 && gst_caps_features_contains (features, GST_HOLO_FEATURE_CUDA))
    return TRUE;
  text = gst_caps_features_to_string (features);
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_NOT_SUPPORTED,
               "memory of kind \"%s\" is not supported; host memory and \"%s\" are", text, GST_HOLO_FEATURE_CUDA);
  return FALSE;
}

static gboolean
read_dims (const GstStructure *structure, gint64 *shape, guint *rank, GError **error)
{
  const GValue *dims = gst_structure_get_value (structure, "dims");

  if (dims == NULL || !GST_VALUE_HOLDS_ARRAY (dims))
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE,
                   "the caps have no field \"dims\" that holds an array of int, such as dims=(int)<4,512,512>");
      return FALSE;
    }
  *rank = gst_value_array_get_size (dims);
  if (*rank > HOLO_MAX_RANK)
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE, "the caps have %u dimensions, at most %d are possible",
                   *rank, HOLO_MAX_RANK);
      return FALSE;
    }
  for (guint i = 0; i < *rank; i++)
    {
      const GValue *dim = gst_value_array_get_value (dims, i);

      if (!G_VALUE_HOLDS_INT (dim) || g_value_get_int (dim) < 0)
        {
          g_autofree gchar *text = gst_value_serialize (dim);

          g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE,
                       "dimension %u of the caps is %s; an int that is not negative is expected", i, text);
          return FALSE;
        }
      shape[i] = g_value_get_int (dim);
    }
  return TRUE;
}

static gboolean
read_dtype (const GstStructure *structure, HoloDType *dtype, GError **error)
{
  const gchar *type = gst_structure_get_string (structure, "type");

  if (type != NULL)
    return holo_dtype_from_name (type, dtype, error);
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE,
               "the caps have no field \"type\" that holds one string, such as type=(string)float32");
  return FALSE;
}

static gboolean
check_order (const GstStructure *structure, GError **error)
{
  const gchar *order = gst_structure_get_string (structure, "dims-order");

  if (order == NULL ? !gst_structure_has_field (structure, "dims-order") : g_str_equal (order, ROW_MAJOR))
    return TRUE;
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_NOT_SUPPORTED, "dims-order is %s; only %s is supported",
               order != NULL ? order : "not one string", ROW_MAJOR);
  return FALSE;
}

/**
 * gst_holo_caps_to_desc:
 * @caps: fixed caps of media type %GST_HOLO_TENSOR_MEDIA_TYPE
 * @desc: (out caller-allocates): becomes the dense tensor they describe, with its frame rate (0/1 when
 *   absent)
 * @error: return location
 *
 * Returns: %FALSE with @error naming the field, what it holds and what is expected
 *
 * Since: 0.1
 */
gboolean
gst_holo_caps_to_desc (const GstCaps *caps, HoloTensorDesc *desc, GError **error)
{
  const GstStructure *structure;
  gint64 shape[HOLO_MAX_RANK];
  HoloMemLoc loc;
  HoloDType dtype;
  guint rank;

  if (!gst_caps_is_fixed (caps))
    {
      g_autofree gchar *text = gst_caps_to_string (caps);

      g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE, "the caps are not fixed: %s", text);
      return FALSE;
    }
  structure = gst_caps_get_structure (caps, 0);
  if (!gst_structure_has_name (structure, GST_HOLO_TENSOR_MEDIA_TYPE))
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE, "the media type is %s; %s is expected",
                   gst_structure_get_name (structure), GST_HOLO_TENSOR_MEDIA_TYPE);
      return FALSE;
    }
  if (!read_features (caps, &loc, error) || !read_dtype (structure, &dtype, error) ||
      !read_dims (structure, shape, &rank, error) || !check_order (structure, error))
    return FALSE;
  holo_tensor_desc_init (desc, dtype, loc, rank, shape);
  if (!gst_structure_get_fraction (structure, "framerate", &desc->rate_n, &desc->rate_d))
    desc->rate_n = 0, desc->rate_d = 1;
  return holo_tensor_desc_validate (desc, error);
}

static void
append_dim_range (GValue *dims)
{
  GValue range = G_VALUE_INIT;

  g_value_init (&range, GST_TYPE_INT_RANGE);
  gst_value_set_int_range (&range, 0, G_MAXINT);
  gst_value_array_append_and_take_value (dims, &range);
}

static void
append_dim (GValue *dims, gint extent)
{
  GValue dim = G_VALUE_INIT;

  g_value_init (&dim, G_TYPE_INT);
  g_value_set_int (&dim, extent);
  gst_value_array_append_and_take_value (dims, &dim);
}

static void
set_features (GstCaps *caps, guint index, HoloMemLoc loc)
{
  if (loc == HOLO_MEM_LOC_DEVICE)
    gst_caps_set_features (caps, index, gst_caps_features_new (GST_HOLO_FEATURE_CUDA, NULL));
}

/**
 * gst_holo_caps_from_desc:
 * @desc: a tensor; strides and offset do not matter
 * @error: return location
 *
 * Returns: (transfer full) (nullable): fixed caps of media type %GST_HOLO_TENSOR_MEDIA_TYPE; %NULL when an
 * extent does
 *   not fit an int
 *
 * Since: 0.1
 */
GstCaps *
gst_holo_caps_from_desc (const HoloTensorDesc *desc, GError **error)
{
  GstStructure *structure;
  GValue dims = G_VALUE_INIT;
  GstCaps *caps;

  for (guint i = 0; i < desc->rank; i++)
    if (desc->shape[i] > G_MAXINT)
      {
        g_set_error (error, HOLO_ERROR, HOLO_ERROR_OVERFLOW,
                     "dimension %u has extent %" G_GINT64_FORMAT "; caps hold at most %d", i, desc->shape[i], G_MAXINT);
        return NULL;
      }
  g_value_init (&dims, GST_TYPE_ARRAY);
  for (guint i = 0; i < desc->rank; i++)
    append_dim (&dims, (gint) desc->shape[i]);
  structure = gst_structure_new (GST_HOLO_TENSOR_MEDIA_TYPE, "type", G_TYPE_STRING,
                                 holo_dtype_get_long_name (desc->dtype), "dims-order", G_TYPE_STRING, ROW_MAJOR,
                                 "framerate", GST_TYPE_FRACTION, desc->rate_n, MAX (desc->rate_d, 1), NULL);
  gst_structure_take_value (structure, "dims", &dims);
  caps = gst_caps_new_full (structure, NULL);
  set_features (caps, 0, desc->mem_loc);
  return caps;
}

static void
set_type_list (GstStructure *structure, guint dtypes)
{
  GValue list = G_VALUE_INIT;

  g_value_init (&list, GST_TYPE_LIST);
  for (guint i = 0; i < HOLO_N_DTYPES; i++)
    if (dtypes & HOLO_DTYPE_MASK (i))
      {
        GValue name = G_VALUE_INIT;

        g_value_init (&name, G_TYPE_STRING);
        g_value_set_static_string (&name, holo_dtype_get_long_name (i));
        gst_value_list_append_and_take_value (&list, &name);
      }
  if (gst_value_list_get_size (&list) == 1)
    {
      gst_structure_set_value (structure, "type", gst_value_list_get_value (&list, 0));
      g_value_unset (&list);
    }
  else
    gst_structure_take_value (structure, "type", &list);
}

/* One structure per rank, since arrays intersect element by element and only with arrays of the same length.
 * Not one field with a list of arrays: GStreamer before 1.24 cannot read that back from its registry. */
static void
append_template (GstCaps *caps, guint dtypes, HoloMemLoc loc, gint rank)
{
  GstStructure *structure = gst_structure_new (GST_HOLO_TENSOR_MEDIA_TYPE, "dims-order", G_TYPE_STRING, ROW_MAJOR,
                                               "framerate", GST_TYPE_FRACTION_RANGE, 0, 1, G_MAXINT, 1, NULL);
  GValue dims = G_VALUE_INIT;

  set_type_list (structure, dtypes);
  if (rank >= 0)
    {
      g_value_init (&dims, GST_TYPE_ARRAY);
      for (gint i = 0; i < rank; i++)
        append_dim_range (&dims);
      gst_structure_take_value (structure, "dims", &dims);
    }
  gst_caps_append_structure (caps, structure);
  set_features (caps, gst_caps_get_size (caps) - 1, loc);
}

/**
 * gst_holo_caps_new_template:
 * @dtypes: set of #HoloDType
 * @mem_locs: set of #HoloMemLoc
 * @min_rank: smallest rank
 * @max_rank: largest rank
 *
 * Returns: (transfer full): what a pad takes or gives before anything is negotiated. Pads with such a
 * template need both
 *   %GST_PAD_FLAG_ACCEPT_INTERSECT and %GST_PAD_FLAG_ACCEPT_TEMPLATE: before 1.28 GStreamer does not see that
 *   fixed dims are a subset of ranges.
 *
 * Since: 0.1
 */
GstCaps *
gst_holo_caps_new_template (guint dtypes, guint mem_locs, guint min_rank, guint max_rank)
{
  GstCaps *caps = gst_caps_new_empty ();

  for (guint loc = HOLO_MEM_LOC_HOST; loc <= HOLO_MEM_LOC_DEVICE; loc++)
    if ((mem_locs & HOLO_MEM_LOC_MASK (loc)) == 0)
      continue;
    else if (min_rank == 0 && max_rank >= HOLO_MAX_RANK)
      append_template (caps, dtypes, loc, -1); /* no field: any rank */
    else
      for (guint rank = min_rank; rank <= MIN (max_rank, HOLO_MAX_RANK); rank++)
        append_template (caps, dtypes, loc, (gint) rank);
  return caps;
}

/* ---- video/x-raw ---- */

/**
 * gst_holo_caps_new_video_template:
 *
 * Returns: (transfer full): video/x-raw in host memory with the formats of %GST_HOLO_VIDEO_FORMATS
 *
 * Since: 0.1
 */
GstCaps *
gst_holo_caps_new_video_template (void)
{
  return gst_caps_from_string (GST_VIDEO_CAPS_MAKE (GST_HOLO_VIDEO_FORMATS));
}

static void
append_video (GstCaps *caps, const gchar *text, HoloMemLoc mem_loc)
{
  GstCaps *more = gst_caps_from_string (text);

  for (guint i = 0; i < gst_caps_get_size (more); i++)
    set_features (more, i, mem_loc);
  gst_caps_append (caps, more);
}

/**
 * gst_holo_caps_new_video_template_full:
 * @mem_locs: set of #HoloMemLoc
 * @plane: which plane is wanted, %GST_HOLO_PLANE_AUTO or %GST_HOLO_PLANE_ONLY
 *
 * Returns: (transfer full): video/x-raw with the formats of which that plane is a tensor; host memory first
 *
 * Since: 0.1
 */
GstCaps *
gst_holo_caps_new_video_template_full (guint mem_locs, gint plane)
{
  GstCaps *caps = gst_caps_new_empty ();

  if (mem_locs & HOLO_MEM_LOCS_HOST)
    {
      if (plane <= 0)
        append_video (caps, GST_VIDEO_CAPS_MAKE (GST_HOLO_VIDEO_FORMATS), HOLO_MEM_LOC_HOST);
      if (plane >= 0)
        append_video (caps, GST_VIDEO_CAPS_MAKE (GST_HOLO_PLANAR_VIDEO_FORMATS), HOLO_MEM_LOC_HOST);
    }
  if (mem_locs & HOLO_MEM_LOCS_DEVICE)
    {
      if (plane <= 0)
        append_video (caps, GST_VIDEO_CAPS_MAKE (GST_HOLO_CUDA_VIDEO_FORMATS), HOLO_MEM_LOC_DEVICE);
      if (plane != GST_HOLO_PLANE_ONLY)
        append_video (caps, GST_VIDEO_CAPS_MAKE (GST_HOLO_PLANAR_VIDEO_FORMATS), HOLO_MEM_LOC_DEVICE);
    }
  return caps;
}

/* What one plane holds: samples per pixel, bytes per sample, and how much smaller it is than the picture. */
typedef struct
{
  guint n_channels;
  guint sample_size;
  guint w_sub;
  guint h_sub;
} Plane;

static gboolean
add_component (Plane *plane, const GstVideoFormatInfo *format, guint component)
{
  guint depth = GST_VIDEO_FORMAT_INFO_DEPTH (format, component);
  Plane own = { .sample_size = depth / 8,
                .w_sub = GST_VIDEO_FORMAT_INFO_W_SUB (format, component),
                .h_sub = GST_VIDEO_FORMAT_INFO_H_SUB (format, component) };

  if (depth != 8 && depth != 16)
    return FALSE;
  own.n_channels = (guint) GST_VIDEO_FORMAT_INFO_PSTRIDE (format, component) / own.sample_size;
  if (plane->n_channels == 0)
    *plane = own;
  return own.n_channels >= 1 && own.n_channels <= 4 && own.n_channels == plane->n_channels &&
         own.sample_size == plane->sample_size && own.w_sub == plane->w_sub && own.h_sub == plane->h_sub;
}

static gboolean
describe_plane (const GstVideoFormatInfo *format, guint index, Plane *plane)
{
  *plane = (Plane){ 0 };
  if (GST_VIDEO_FORMAT_INFO_IS_COMPLEX (format) || GST_VIDEO_FORMAT_INFO_IS_TILED (format))
    return FALSE;
  for (guint i = 0; i < GST_VIDEO_FORMAT_INFO_N_COMPONENTS (format); i++)
    if (GST_VIDEO_FORMAT_INFO_PLANE (format, i) == index && !add_component (plane, format, i))
      return FALSE;
  return plane->n_channels > 0;
}

static gboolean
is_other_byte_order (const GstVideoFormatInfo *format)
{
  return GST_VIDEO_FORMAT_INFO_IS_LE (format) ? G_BYTE_ORDER == G_BIG_ENDIAN : G_BYTE_ORDER == G_LITTLE_ENDIAN;
}

static gboolean
choose_plane (const GstVideoFormatInfo *format, HoloMemLoc mem_loc, gint wanted, Plane *plane, guint *index,
              GError **error)
{
  guint n_planes = GST_VIDEO_FORMAT_INFO_N_PLANES (format);

  *index = (guint) MAX (wanted, 0);
  if (*index >= n_planes)
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_SETTING, "video format %s has %u plane%s, there is no plane %u",
                   GST_VIDEO_FORMAT_INFO_NAME (format), n_planes, n_planes == 1 ? "" : "s", *index);
      return FALSE;
    }
  if ((n_planes == 1 || wanted >= 0 || (wanted == GST_HOLO_PLANE_AUTO && mem_loc == HOLO_MEM_LOC_DEVICE)) &&
      describe_plane (format, *index, plane))
    return TRUE;
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_NOT_SUPPORTED,
               "video format %s is not a tensor; put a videoconvert before it to one of %s%s",
               GST_VIDEO_FORMAT_INFO_NAME (format), GST_HOLO_VIDEO_FORMATS,
               n_planes > 1 ? ", or choose one of its planes with the property \"plane\"" : "");
  return FALSE;
}

/* [1,] H, W [,C]. The rows are as far apart as @video says. */
static void
set_plane_desc (GstHoloTensorInfo *info, const Plane *plane, HoloMemLoc mem_loc, gboolean squeeze)
{
  const GstVideoInfo *video = &info->video;
  guint first = squeeze ? 1 : 0, size = plane->sample_size;
  gint64 row = GST_VIDEO_INFO_PLANE_STRIDE (video, info->plane);
  gint64 shape[4] = { 1, GST_VIDEO_SUB_SCALE (plane->h_sub, GST_VIDEO_INFO_HEIGHT (video)),
                      GST_VIDEO_SUB_SCALE (plane->w_sub, GST_VIDEO_INFO_WIDTH (video)), plane->n_channels };
  gint64 strides[4] = { row * shape[1], row, (gint64) plane->n_channels * size, size };

  info->row_dim = 1 - first;
  holo_tensor_desc_init_strided (&info->desc, size == 1 ? HOLO_DTYPE_U8 : HOLO_DTYPE_U16, mem_loc,
                                 (plane->n_channels == 1 ? 3 : 4) - first, shape + first, strides + first,
                                 (gint64) GST_VIDEO_INFO_PLANE_OFFSET (video, info->plane));
  info->desc.rate_n = GST_VIDEO_INFO_FPS_N (video);
  info->desc.rate_d = MAX (GST_VIDEO_INFO_FPS_D (video), 1);
}

/**
 * gst_holo_tensor_info_from_video_plane:
 * @info: (out caller-allocates): filled in
 * @video: a video format
 * @mem_loc: where the pictures lie
 * @plane: number of the plane, %GST_HOLO_PLANE_AUTO or %GST_HOLO_PLANE_ONLY
 * @squeeze: drop the leading 1
 * @error: return location
 *
 * As gst_holo_tensor_info_from_video(), for one plane of a picture. How far apart the rows are in device memory
 * only its buffers say.
 *
 * Returns: %FALSE when there is no such plane or it is not a tensor
 *
 * Since: 0.1
 */
gboolean
gst_holo_tensor_info_from_video_plane (GstHoloTensorInfo *info, const GstVideoInfo *video, HoloMemLoc mem_loc,
                                       gint plane, gboolean squeeze, GError **error)
{
  Plane chosen;
  guint index;

  if (!choose_plane (video->finfo, mem_loc, plane, &chosen, &index, error))
    return FALSE;
  *info = (GstHoloTensorInfo){ .is_video = TRUE, .video = *video, .size = GST_VIDEO_INFO_SIZE (video), .plane = index };
  info->swap_bytes = chosen.sample_size == 2 && is_other_byte_order (video->finfo);
  set_plane_desc (info, &chosen, mem_loc, squeeze);
  return holo_tensor_desc_validate (&info->desc, error);
}

/**
 * gst_holo_tensor_info_from_video:
 * @info: (out caller-allocates): filled in
 * @video: a video format
 * @squeeze: drop the leading 1
 * @error: return location
 *
 * A gray picture is [1,H,W], one with channels [1,H,W,C]; with @squeeze [H,W] and [H,W,C]. Rows are as far
 * apart as
 * @video says.
 *
 * Returns: %FALSE when the format is not a tensor
 *
 * Since: 0.1
 */
gboolean
gst_holo_tensor_info_from_video (GstHoloTensorInfo *info, const GstVideoInfo *video, gboolean squeeze, GError **error)
{
  return gst_holo_tensor_info_from_video_plane (info, video, HOLO_MEM_LOC_HOST, GST_HOLO_PLANE_AUTO, squeeze, error);
}

/* ---- either ---- */

/**
 * gst_holo_tensor_info_from_desc:
 * @info: (out caller-allocates): filled in
 * @desc: a tensor
 *
 * For buffers that hold exactly this tensor.
 *
 * Since: 0.1
 */
void
gst_holo_tensor_info_from_desc (GstHoloTensorInfo *info, const HoloTensorDesc *desc)
{
  *info = (GstHoloTensorInfo){ .desc = *desc, .size = holo_tensor_desc_get_size (desc) };
}

static gboolean
info_from_video_caps (GstHoloTensorInfo *info, const GstCaps *caps, gint plane, GError **error)
{
  GstVideoInfo video;
  HoloMemLoc mem_loc;

  if (!read_features (caps, &mem_loc, error))
    return FALSE;
  if (gst_video_info_from_caps (&video, caps))
    return gst_holo_tensor_info_from_video_plane (info, &video, mem_loc, plane, FALSE, error);
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_NOT_SUPPORTED, "the caps are no raw video: %s",
               gst_structure_get_name (gst_caps_get_structure (caps, 0)));
  return FALSE;
}

/**
 * gst_holo_tensor_info_from_caps_with_plane:
 * @info: (out caller-allocates): filled in
 * @caps: fixed caps: tensor/strided, or video/x-raw of a format that is a tensor
 * @plane: which plane of video is meant, %GST_HOLO_PLANE_AUTO or %GST_HOLO_PLANE_ONLY
 * @error: return location
 *
 * Returns: %FALSE with @error naming what the caps hold and what is expected
 *
 * Since: 0.1
 */
gboolean
gst_holo_tensor_info_from_caps_with_plane (GstHoloTensorInfo *info, const GstCaps *caps, gint plane, GError **error)
{
  HoloTensorDesc desc;

  if (gst_caps_is_fixed (caps) && gst_structure_has_name (gst_caps_get_structure (caps, 0), "video/x-raw"))
    return info_from_video_caps (info, caps, plane, error);
  if (!gst_holo_caps_to_desc (caps, &desc, error))
    return FALSE;
  gst_holo_tensor_info_from_desc (info, &desc);
  return TRUE;
}

/**
 * gst_holo_tensor_info_from_caps:
 * @info: (out caller-allocates): filled in
 * @caps: fixed caps: tensor/strided, or video/x-raw of a format that is a tensor
 * @error: return location
 *
 * Returns: %FALSE with @error naming what the caps hold and what is expected
 *
 * Since: 0.1
 */
gboolean
gst_holo_tensor_info_from_caps (GstHoloTensorInfo *info, const GstCaps *caps, GError **error)
{
  return gst_holo_tensor_info_from_caps_with_plane (info, caps, GST_HOLO_PLANE_AUTO, error);
}
