/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The header of a .npy file: "\x93NUMPY", version, length, and a Python dictionary that says type, order and
 * shape. */
#pragma once

#include "tensor/holo-tensor-desc.h"

G_BEGIN_DECLS

/* A file of frames has one dimension more than its frames. */
#define HOLO_NPY_MAX_RANK (HOLO_MAX_RANK + 1)

/* Versions 2 and 3 allow 4 GiB; no array we read needs more than a fraction of this. */
#define HOLO_NPY_MAX_HEADER (1 << 20)

/* The longest one we write: 66 bytes of text, nine extents of 21, padding. */
#define HOLO_NPY_WRITTEN_HEADER 384

/**
 * HoloNpyHeader:
 * @dtype: element type; booleans are read as U8
 * @swaps: the file has the other byte order
 * @fortran_order: the first index is the fastest one
 * @rank: number of dimensions
 * @shape: extents; their product and its bytes fit 63 bits
 * @data_offset: where the elements begin
 * @data_size: bytes of all elements
 */
typedef struct
{
  HoloDType dtype;
  gboolean swaps;
  gboolean fortran_order;
  guint rank;
  gint64 shape[HOLO_NPY_MAX_RANK];
  gint64 data_offset;
  gint64 data_size;
} HoloNpyHeader;

/**
 * HoloNpyMode:
 * @HOLO_NPY_MODE_FRAMES: one tensor for each leading index of the array
 * @HOLO_NPY_MODE_WHOLE: the array is one tensor
 *
 * How tensors and the array of a file belong together.
 */
typedef enum
{
  HOLO_NPY_MODE_FRAMES,
  HOLO_NPY_MODE_WHOLE,
} HoloNpyMode;

GType _holo_npy_mode_get_type (void);
#define HOLO_TYPE_NPY_MODE (_holo_npy_mode_get_type ())

gint _holo_npy_open (const gchar *path, GError **error);
gboolean _holo_npy_read_header (gint fd, const gchar *path, HoloNpyHeader *header, GError **error);
gboolean _holo_npy_read (gint fd, const gchar *path, gint64 offset, gpointer data, gsize size,
                         GCancellable *cancellable, GError **error);
void _holo_npy_swap (gpointer data, gsize n_elements, HoloDType dtype);
gsize _holo_npy_format_header (gchar *buffer, HoloDType dtype, guint rank, const gint64 *shape);

G_END_DECLS
