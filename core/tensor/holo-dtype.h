/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "../base/holo-types.h"

G_BEGIN_DECLS

/**
 * HoloDType:
 *
 * Element type of a tensor, in host byte order. Names in JSON are `U8` .. `CF64`; holo_dtype_from_name() also takes the
 * long names (`uint8`, `float32`, `complex64`) that the caps use. F16 is for storage only: no task computes in it.
 *
 * Since: 0.1
 */
typedef enum
{
  HOLO_DTYPE_U8,
  HOLO_DTYPE_I8,
  HOLO_DTYPE_U16,
  HOLO_DTYPE_I16,
  HOLO_DTYPE_U32,
  HOLO_DTYPE_I32,
  HOLO_DTYPE_U64,
  HOLO_DTYPE_I64,
  HOLO_DTYPE_F16,
  HOLO_DTYPE_F32,
  HOLO_DTYPE_F64,
  HOLO_DTYPE_CF32, /* two F32: real, imaginary */
  HOLO_DTYPE_CF64, /* two F64: real, imaginary */
} HoloDType;

/**
 * HOLO_N_DTYPES:
 *
 * Number of element types.
 *
 * Since: 0.1
 */
#define HOLO_N_DTYPES (HOLO_DTYPE_CF64 + 1)

/**
 * HOLO_DTYPE_MASK:
 * @dtype: an element type
 *
 * The set of one element type. Sets are joined with `|`.
 *
 * Since: 0.1
 */
#define HOLO_DTYPE_MASK(dtype) (1u << (dtype))
/**
 * HOLO_DTYPES:
 * @name: the name of an element type: HOLO_DTYPES (U8) | HOLO_DTYPES (F32)
 *
 * The set of one element type, for slot declarations.
 *
 * Since: 0.1
 */
#define HOLO_DTYPES(name) HOLO_DTYPE_MASK (HOLO_DTYPE_##name)
/**
 * HOLO_DTYPES_ALL:
 *
 * Every element type.
 *
 * Since: 0.1
 */
#define HOLO_DTYPES_ALL ((1u << HOLO_N_DTYPES) - 1)
/**
 * HOLO_DTYPES_REAL_FLOAT:
 *
 * F32 and F64.
 *
 * Since: 0.1
 */
#define HOLO_DTYPES_REAL_FLOAT (HOLO_DTYPES (F32) | HOLO_DTYPES (F64))
/**
 * HOLO_DTYPES_COMPLEX:
 *
 * CF32 and CF64.
 *
 * Since: 0.1
 */
#define HOLO_DTYPES_COMPLEX (HOLO_DTYPES (CF32) | HOLO_DTYPES (CF64))

/**
 * HoloMemLoc:
 * @HOLO_MEM_LOC_HOST: memory that the processor reads and writes.
 * @HOLO_MEM_LOC_DEVICE: memory of the device a plan is compiled for.
 *
 * Where a tensor lies. JSON names are `Host` and `Device`.
 *
 * Since: 0.1
 */
typedef enum
{
  HOLO_MEM_LOC_HOST,
  HOLO_MEM_LOC_DEVICE,
} HoloMemLoc;

/**
 * HOLO_MEM_LOC_MASK:
 * @loc: a #HoloMemLoc
 *
 * The set of one place, for slot declarations.
 *
 * Since: 0.1
 */
#define HOLO_MEM_LOC_MASK(loc) (1u << (loc))
/**
 * HOLO_MEM_LOCS_HOST:
 *
 * Host memory alone.
 *
 * Since: 0.1
 */
#define HOLO_MEM_LOCS_HOST HOLO_MEM_LOC_MASK (HOLO_MEM_LOC_HOST)
/**
 * HOLO_MEM_LOCS_DEVICE:
 *
 * Device memory alone.
 *
 * Since: 0.1
 */
#define HOLO_MEM_LOCS_DEVICE HOLO_MEM_LOC_MASK (HOLO_MEM_LOC_DEVICE)
/**
 * HOLO_MEM_LOCS_ANY:
 *
 * Host and device memory.
 *
 * Since: 0.1
 */
#define HOLO_MEM_LOCS_ANY (HOLO_MEM_LOCS_HOST | HOLO_MEM_LOCS_DEVICE)

HOLO_API GType holo_dtype_get_type (void);
#define HOLO_TYPE_DTYPE (holo_dtype_get_type ())
HOLO_API GType holo_mem_loc_get_type (void);
#define HOLO_TYPE_MEM_LOC (holo_mem_loc_get_type ())

HOLO_API gsize holo_dtype_get_size (HoloDType dtype);
HOLO_API const gchar *holo_dtype_get_name (HoloDType dtype);
HOLO_API const gchar *holo_dtype_get_long_name (HoloDType dtype);
HOLO_API gboolean holo_dtype_from_name (const gchar *name, HoloDType *dtype, GError **error);
HOLO_API gboolean holo_dtype_is_complex (HoloDType dtype);
HOLO_API gboolean holo_dtype_is_float (HoloDType dtype);
HOLO_API gchar *holo_dtype_mask_to_string (guint mask);
HOLO_API void holo_dtype_get_dlpack (HoloDType dtype, guint8 *code, guint8 *bits);

HOLO_API const gchar *holo_mem_loc_get_name (HoloMemLoc loc);
HOLO_API gboolean holo_mem_loc_from_name (const gchar *name, HoloMemLoc *loc, GError **error);

G_END_DECLS
