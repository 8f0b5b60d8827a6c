/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

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

G_END_DECLS
