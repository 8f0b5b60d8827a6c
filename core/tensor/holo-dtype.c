/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tensor/holo-dtype.h"

#include "base/holo-error.h"

typedef struct
{
  const gchar *name;
  const gchar *long_name;
  guint8 size;
  guint8 dlpack_code; /* kDLInt 0, kDLUInt 1, kDLFloat 2, kDLComplex 5 */
} DTypeInfo;

static const DTypeInfo dtypes[HOLO_N_DTYPES] = {
  [HOLO_DTYPE_U8] = { "U8", "uint8", 1, 1 },           [HOLO_DTYPE_I8] = { "I8", "int8", 1, 0 },
  [HOLO_DTYPE_U16] = { "U16", "uint16", 2, 1 },        [HOLO_DTYPE_I16] = { "I16", "int16", 2, 0 },
  [HOLO_DTYPE_U32] = { "U32", "uint32", 4, 1 },        [HOLO_DTYPE_I32] = { "I32", "int32", 4, 0 },
  [HOLO_DTYPE_U64] = { "U64", "uint64", 8, 1 },        [HOLO_DTYPE_I64] = { "I64", "int64", 8, 0 },
  [HOLO_DTYPE_F16] = { "F16", "float16", 2, 2 },       [HOLO_DTYPE_F32] = { "F32", "float32", 4, 2 },
  [HOLO_DTYPE_F64] = { "F64", "float64", 8, 2 },       [HOLO_DTYPE_CF32] = { "CF32", "complex64", 8, 5 },
  [HOLO_DTYPE_CF64] = { "CF64", "complex128", 16, 5 },
};

static const gchar *const mem_locs[] = { "Host", "Device" };

#define DTYPE_VALUE(name, nick)                                                                                        \
  {                                                                                                                    \
    HOLO_DTYPE_##name, "HOLO_DTYPE_" #name, nick                                                                       \
  }

GType
holo_dtype_get_type (void)
{
  static GType type;
  static const GEnumValue values[] = {
    DTYPE_VALUE (U8, "U8"),     DTYPE_VALUE (I8, "I8"),   DTYPE_VALUE (U16, "U16"), DTYPE_VALUE (I16, "I16"),
    DTYPE_VALUE (U32, "U32"),   DTYPE_VALUE (I32, "I32"), DTYPE_VALUE (U64, "U64"), DTYPE_VALUE (I64, "I64"),
    DTYPE_VALUE (F16, "F16"),   DTYPE_VALUE (F32, "F32"), DTYPE_VALUE (F64, "F64"), DTYPE_VALUE (CF32, "CF32"),
    DTYPE_VALUE (CF64, "CF64"), { 0, NULL, NULL },
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("HoloDType", values));
  return type;
}

GType
holo_mem_loc_get_type (void)
{
  static GType type;
  static const GEnumValue values[] = {
    { HOLO_MEM_LOC_HOST, "HOLO_MEM_LOC_HOST", "Host" },
    { HOLO_MEM_LOC_DEVICE, "HOLO_MEM_LOC_DEVICE", "Device" },
    { 0, NULL, NULL },
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("HoloMemLoc", values));
  return type;
}

/**
 * holo_dtype_get_size:
 * @dtype: an element type
 *
 * Returns: bytes of one element; 0 for a value that is no element type
 *
 * Since: 0.1
 */
gsize
holo_dtype_get_size (HoloDType dtype)
{
  return (guint) dtype < HOLO_N_DTYPES ? dtypes[dtype].size : 0;
}

/**
 * holo_dtype_get_name:
 * @dtype: an element type
 *
 * Returns: the name that JSON uses, "F32"
 *
 * Since: 0.1
 */
const gchar *
holo_dtype_get_name (HoloDType dtype)
{
  return (guint) dtype < HOLO_N_DTYPES ? dtypes[dtype].name : "invalid";
}

/**
 * holo_dtype_get_long_name:
 * @dtype: an element type
 *
 * Returns: the name that caps use, "float32"
 *
 * Since: 0.1
 */
const gchar *
holo_dtype_get_long_name (HoloDType dtype)
{
  return (guint) dtype < HOLO_N_DTYPES ? dtypes[dtype].long_name : "invalid";
}

/**
 * holo_dtype_from_name:
 * @name: "F32" or "float32"
 * @dtype: (out): the element type
 * @error: return location
 *
 * Returns: whether @name is an element type
 *
 * Since: 0.1
 */
gboolean
holo_dtype_from_name (const gchar *name, HoloDType *dtype, GError **error)
{
  g_autofree gchar *all = NULL;

  g_return_val_if_fail (name != NULL && dtype != NULL, FALSE);

  for (guint i = 0; i < HOLO_N_DTYPES; i++)
    if (g_str_equal (name, dtypes[i].name) || g_str_equal (name, dtypes[i].long_name))
      {
        *dtype = (HoloDType) i;
        return TRUE;
      }

  all = holo_dtype_mask_to_string (HOLO_DTYPES_ALL);
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_SETTING, "\"%s\" is not an element type; known: %s", name, all);
  return FALSE;
}

/**
 * holo_dtype_is_complex:
 * @dtype: an element type
 *
 * Returns: whether it is CF32 or CF64
 *
 * Since: 0.1
 */
gboolean
holo_dtype_is_complex (HoloDType dtype)
{
  return dtype == HOLO_DTYPE_CF32 || dtype == HOLO_DTYPE_CF64;
}

/**
 * holo_dtype_is_float:
 * @dtype: an element type
 *
 * Returns: whether it is F16, F32 or F64
 *
 * Since: 0.1
 */
gboolean
holo_dtype_is_float (HoloDType dtype)
{
  return dtype == HOLO_DTYPE_F16 || dtype == HOLO_DTYPE_F32 || dtype == HOLO_DTYPE_F64;
}

/**
 * holo_dtype_mask_to_string:
 * @mask: set of element types
 *
 * Returns: (transfer full): "U8, F32", for messages
 *
 * Since: 0.1
 */
gchar *
holo_dtype_mask_to_string (guint mask)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < HOLO_N_DTYPES; i++)
    if (mask & HOLO_DTYPE_MASK (i))
      g_string_append_printf (text, "%s%s", text->len ? ", " : "", dtypes[i].name);
  return g_string_free (text, FALSE);
}

/**
 * holo_dtype_get_dlpack:
 * @dtype: an element type
 * @code: (out): DLDataTypeCode
 * @bits: (out): bits of one element
 *
 * The same type in DLPack's terms (one lane).
 *
 * Since: 0.1
 */
void
holo_dtype_get_dlpack (HoloDType dtype, guint8 *code, guint8 *bits)
{
  g_return_if_fail ((guint) dtype < HOLO_N_DTYPES);

  *code = dtypes[dtype].dlpack_code;
  *bits = (guint8) (dtypes[dtype].size * 8);
}

/**
 * holo_mem_loc_get_name:
 * @loc: a place
 *
 * Returns: the name that JSON uses, "Host" or "Device"
 *
 * Since: 0.1
 */
const gchar *
holo_mem_loc_get_name (HoloMemLoc loc)
{
  return (guint) loc < G_N_ELEMENTS (mem_locs) ? mem_locs[loc] : "invalid";
}

/**
 * holo_mem_loc_from_name:
 * @name: "Host" or "Device"
 * @loc: (out): the place
 * @error: return location
 *
 * Returns: %FALSE with %HOLO_ERROR_JSON when @name is neither
 *
 * Since: 0.1
 */
gboolean
holo_mem_loc_from_name (const gchar *name, HoloMemLoc *loc, GError **error)
{
  g_return_val_if_fail (name != NULL && loc != NULL, FALSE);

  for (guint i = 0; i < G_N_ELEMENTS (mem_locs); i++)
    if (g_str_equal (name, mem_locs[i]))
      {
        *loc = (HoloMemLoc) i;
        return TRUE;
      }
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_SETTING, "\"%s\" is not a place of memory; known: Host, Device", name);
  return FALSE;
}
