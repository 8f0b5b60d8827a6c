/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <json-glib/json-glib.h>

#include "holo-dtype.h"

G_BEGIN_DECLS

/**
 * HoloTensorDesc:
 * @dtype: element type
 * @mem_loc: where the tensor lies
 * @rank: number of dimensions, 0 to %HOLO_MAX_RANK; rank 0 is one element
 * @shape: extent of each dimension in elements, outermost first; 0 is legal
 * @strides: distance of neighbours along each dimension in bytes, not negative; 0 repeats an element (broadcast)
 * @offset: distance of the first element from the start of the storage in bytes
 * @rate_n: frames per second, numerator; 0 means unknown
 * @rate_d: frames per second, denominator, at least 1
 *
 * Shape, type, layout and place of a tensor: a plain value. The model (shape, strides, element type) is DLPack's, with
 * strides in bytes. Initialise with holo_tensor_desc_init() or holo_tensor_desc_init_strided(); values from outside are
 * checked with holo_tensor_desc_validate().
 *
 * Since: 0.1
 */
struct _HoloTensorDesc
{
  HoloDType dtype;
  HoloMemLoc mem_loc;
  guint rank;
  gint rate_n;
  gint rate_d;
  gint64 shape[HOLO_MAX_RANK];
  gint64 strides[HOLO_MAX_RANK];
  gint64 offset;

  /*< private >*/
  gpointer padding[2];
};

/**
 * HOLO_TENSOR_DESC_INIT:
 *
 * Initialiser of a #HoloTensorDesc that describes nothing yet; holo_tensor_desc_validate() refuses it. For C and C++.
 *
 * Since: 0.1
 */
#define HOLO_TENSOR_DESC_INIT                                                                                          \
  {                                                                                                                    \
    HOLO_DTYPE_U8, HOLO_MEM_LOC_HOST, 0, 0, 1, { 0 }, { 0 }, 0,                                                        \
    {                                                                                                                  \
      NULL, NULL                                                                                                       \
    }                                                                                                                  \
  }

#define HOLO_TYPE_TENSOR_DESC (holo_tensor_desc_get_type ())
HOLO_API GType holo_tensor_desc_get_type (void);

/**
 * holo_tensor_desc_copy:
 * @desc: a description
 *
 * Any thread.
 *
 * Returns: (transfer full): a copy, to be freed with holo_tensor_desc_free()
 *
 * Since: 0.1
 */
HOLO_API HoloTensorDesc *holo_tensor_desc_copy (const HoloTensorDesc *desc);
/**
 * holo_tensor_desc_free:
 * @desc: (transfer full): what holo_tensor_desc_copy() gave
 *
 * Any thread.
 *
 * Since: 0.1
 */
HOLO_API void holo_tensor_desc_free (HoloTensorDesc *desc);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HoloTensorDesc, holo_tensor_desc_free)
HOLO_API HoloTensorDesc *holo_tensor_desc_init (HoloTensorDesc *desc, HoloDType dtype, HoloMemLoc mem_loc, guint rank,
                                                const gint64 *shape);
HOLO_API HoloTensorDesc *holo_tensor_desc_init_strided (HoloTensorDesc *desc, HoloDType dtype, HoloMemLoc mem_loc,
                                                        guint rank, const gint64 *shape, const gint64 *strides,
                                                        gint64 offset);
HOLO_API HoloTensorDesc *holo_tensor_desc_init_dense_like (HoloTensorDesc *desc, const HoloTensorDesc *other);
HOLO_API gboolean holo_tensor_desc_validate (const HoloTensorDesc *desc, GError **error);
HOLO_API gboolean holo_tensor_desc_get_n_elements (const HoloTensorDesc *desc, guint64 *n_elements, GError **error);
HOLO_API guint64 holo_tensor_desc_count (const HoloTensorDesc *desc);
HOLO_API gint64 holo_tensor_desc_get_num_bytes (const HoloTensorDesc *desc);
HOLO_API gboolean holo_tensor_desc_get_span (const HoloTensorDesc *desc, gsize *span, GError **error);
HOLO_API gsize holo_tensor_desc_get_size (const HoloTensorDesc *desc);
HOLO_API gsize holo_tensor_desc_get_payload (const HoloTensorDesc *desc);
HOLO_API gboolean holo_tensor_desc_is_dense (const HoloTensorDesc *desc);
HOLO_API gboolean holo_tensor_desc_is_empty (const HoloTensorDesc *desc);
HOLO_API gboolean holo_tensor_desc_equal (const HoloTensorDesc *a, const HoloTensorDesc *b);
HOLO_API gboolean holo_tensor_desc_same_shape (const HoloTensorDesc *a, const HoloTensorDesc *b);
HOLO_API gchar *holo_tensor_desc_to_string (const HoloTensorDesc *desc);
HOLO_API JsonNode *holo_tensor_desc_to_json (const HoloTensorDesc *desc);
HOLO_API gboolean holo_tensor_desc_from_json (HoloTensorDesc *desc, JsonNode *node, GError **error);

G_END_DECLS
