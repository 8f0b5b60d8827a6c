/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tasks/holo-npy.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/holo-define-type.h"
#include "base/holo-error.h"

#define MAGIC      "\x93NUMPY"
#define MAGIC_SIZE 6

static gboolean set_error (GError **error, const gchar *path, const gchar *format, ...) G_GNUC_PRINTF (3, 4);

static gboolean
set_error (GError **error, const gchar *path, const gchar *format, ...)
{
  g_autofree gchar *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_FILE, "\"%s\": %s", path, text);
  return FALSE;
}

/* ---- the dictionary ---- */

typedef struct
{
  const gchar *at;
  const gchar *end;
  const gchar *path;
  GError **error;
} Parser;

static void
skip_space (Parser *parser)
{
  while (parser->at < parser->end && strchr (" \t\r\n", *parser->at) != NULL && *parser->at != '\0')
    parser->at++;
}

static gboolean
take (Parser *parser, gchar character)
{
  skip_space (parser);
  if (parser->at == parser->end || *parser->at != character)
    return FALSE;
  parser->at++;
  return TRUE;
}

static gboolean
expect (Parser *parser, gchar character, const gchar *where)
{
  return take (parser, character) ||
         set_error (parser->error, parser->path, "the header is not what NumPy writes: expected '%c' %s", character,
                    where);
}

/* A Python string without escapes. Returns a copy, or NULL without an error. */
static gchar *
take_string (Parser *parser)
{
  const gchar *begin, *quote;

  skip_space (parser);
  if (parser->at == parser->end || (*parser->at != '\'' && *parser->at != '"'))
    return NULL;
  begin = parser->at + 1;
  quote = memchr (begin, *parser->at, (gsize) (parser->end - begin));
  if (quote == NULL || memchr (begin, '\\', (gsize) (quote - begin)) != NULL ||
      memchr (begin, '\0', (gsize) (quote - begin)) != NULL)
    return NULL;
  parser->at = quote + 1;
  return g_strndup (begin, (gsize) (quote - begin));
}

static gboolean
take_word (Parser *parser, const gchar *word)
{
  gsize length = strlen (word);

  skip_space (parser);
  if ((gsize) (parser->end - parser->at) < length || memcmp (parser->at, word, length) != 0)
    return FALSE;
  parser->at += length;
  return TRUE;
}

/* An extent, as Python 2 wrote it too (12L). */
static gboolean
take_extent (Parser *parser, gint64 *value)
{
  const gchar *begin;

  skip_space (parser);
  if (take (parser, '-'))
    return set_error (parser->error, parser->path, "an extent of the shape is negative");
  begin = parser->at;
  for (*value = 0; parser->at < parser->end && g_ascii_isdigit (*parser->at); parser->at++)
    if (__builtin_mul_overflow (*value, 10, value) || __builtin_add_overflow (*value, *parser->at - '0', value))
      return set_error (parser->error, parser->path, "an extent of the shape does not fit 63 bits");
  if (parser->at == begin)
    return set_error (parser->error, parser->path, "the shape is not a tuple of whole numbers");
  if (parser->at < parser->end && *parser->at == 'L')
    parser->at++;
  return TRUE;
}

static gboolean
take_shape (Parser *parser, HoloNpyHeader *header)
{
  header->rank = 0;
  if (!expect (parser, '(', "before the shape"))
    return FALSE;
  while (!take (parser, ')'))
    {
      if (header->rank == HOLO_NPY_MAX_RANK)
        return set_error (parser->error, parser->path, "the array has more than %d dimensions", HOLO_NPY_MAX_RANK);
      if (!take_extent (parser, &header->shape[header->rank++]))
        return FALSE;
      if (!take (parser, ','))
        return expect (parser, ')', "behind the shape")
               /* (3) is a number, no tuple */
               && (header->rank > 1 || set_error (parser->error, parser->path, "the shape is a number, not a tuple"));
    }
  return TRUE;
}

/* Type codes of one element size. */
static const struct
{
  const gchar *code;
  HoloDType dtype;
} type_codes[] = {
  { "b1", HOLO_DTYPE_U8 },   { "u1", HOLO_DTYPE_U8 },    { "i1", HOLO_DTYPE_I8 },  { "u2", HOLO_DTYPE_U16 },
  { "i2", HOLO_DTYPE_I16 },  { "u4", HOLO_DTYPE_U32 },   { "i4", HOLO_DTYPE_I32 }, { "u8", HOLO_DTYPE_U64 },
  { "i8", HOLO_DTYPE_I64 },  { "f2", HOLO_DTYPE_F16 },   { "f4", HOLO_DTYPE_F32 }, { "f8", HOLO_DTYPE_F64 },
  { "c8", HOLO_DTYPE_CF32 }, { "c16", HOLO_DTYPE_CF64 },
};

static gboolean
set_type (Parser *parser, const gchar *descr, HoloNpyHeader *header)
{
  gboolean little = descr[0] == '<', big = descr[0] == '>';

  if (descr[0] != '\0' && strchr ("<>=|", descr[0]) != NULL)
    for (guint i = 0; i < G_N_ELEMENTS (type_codes); i++)
      if (g_str_equal (descr + 1, type_codes[i].code))
        {
          header->dtype = type_codes[i].dtype;
          header->swaps = G_BYTE_ORDER == G_LITTLE_ENDIAN ? big : little;
          return TRUE;
        }
  if (strchr (descr, 'O') != NULL)
    return set_error (parser->error, parser->path,
                      "it holds Python objects (\"%s\"), which only Python can read; save an array of numbers", descr);
  return set_error (parser->error, parser->path,
                    "element type \"%s\" is not supported; integers of 1 to 8 bytes, floats of 2, 4 and 8 "
                    "and complex numbers of 8 and 16 are",
                    descr);
}

static gboolean
take_type (Parser *parser, HoloNpyHeader *header)
{
  g_autofree gchar *descr = take_string (parser);

  if (descr == NULL)
    return set_error (parser->error, parser->path,
                      "its elements are structures (or its type is not written as NumPy does); save one "
                      "array for each field");
  return set_type (parser, descr, header);
}

static gboolean
take_order (Parser *parser, HoloNpyHeader *header)
{
  header->fortran_order = take_word (parser, "True");
  return header->fortran_order || take_word (parser, "False") ||
         set_error (parser->error, parser->path, "\"fortran_order\" in the header is neither True nor False");
}

enum
{
  HAS_DESCR = 1 << 0,
  HAS_ORDER = 1 << 1,
  HAS_SHAPE = 1 << 2,
};

static gboolean
take_entry (Parser *parser, HoloNpyHeader *header, guint *seen)
{
  g_autofree gchar *key = take_string (parser);
  guint flag;
  gboolean ok;

  if (key == NULL || !take (parser, ':'))
    return set_error (parser->error, parser->path, "the header is not a dictionary as NumPy writes it");
  if (g_str_equal (key, "descr"))
    {
      flag = HAS_DESCR;
      ok = take_type (parser, header);
    }
  else if (g_str_equal (key, "fortran_order"))
    {
      flag = HAS_ORDER;
      ok = take_order (parser, header);
    }
  else if (g_str_equal (key, "shape"))
    {
      flag = HAS_SHAPE;
      ok = take_shape (parser, header);
    }
  else
    return set_error (parser->error, parser->path, "the header has an unknown key \"%s\"", key);
  if (ok && (*seen & flag))
    return set_error (parser->error, parser->path, "the header says \"%s\" twice", key);
  *seen |= flag;
  return ok;
}

static gboolean
take_dictionary (Parser *parser, HoloNpyHeader *header)
{
  guint seen = 0;

  if (!expect (parser, '{', "at the start"))
    return FALSE;
  while (!take (parser, '}'))
    {
      if (!take_entry (parser, header, &seen))
        return FALSE;
      if (!take (parser, ','))
        {
          if (!expect (parser, '}', "at the end"))
            return FALSE;
          break;
        }
    }
  skip_space (parser);
  if (parser->at != parser->end)
    return set_error (parser->error, parser->path, "the header goes on behind its dictionary");
  if (seen != (HAS_DESCR | HAS_ORDER | HAS_SHAPE))
    return set_error (parser->error, parser->path, "the header does not say \"%s\"",
                      (seen & HAS_DESCR) == 0   ? "descr"
                      : (seen & HAS_ORDER) == 0 ? "fortran_order"
                                                : "shape");
  return TRUE;
}

/* The product over all extents that are not zero must fit too, so that no part of the array can overflow. */
static gboolean
set_data_size (const gchar *path, HoloNpyHeader *header, GError **error)
{
  gint64 size = (gint64) holo_dtype_get_size (header->dtype);
  gboolean empty = FALSE;

  for (guint i = 0; i < header->rank; i++)
    if (header->shape[i] == 0)
      empty = TRUE;
    else if (__builtin_mul_overflow (size, header->shape[i], &size))
      return set_error (error, path, "the size of the array does not fit 63 bits");
  header->data_size = empty ? 0 : size;
  return TRUE;
}

/* ---- the file ---- */

/**
 * _holo_npy_open:
 * @path: a file
 * @error: return location
 *
 * Returns: a file descriptor of a regular file, or -1
 */
gint
_holo_npy_open (const gchar *path, GError **error)
{
  struct stat info;
  /* Not blocking: opening a pipe would wait for its writer. */
  gint fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

  if (fd < 0)
    {
      set_error (error, path, "cannot be opened: %s", g_strerror (errno));
      return -1;
    }
  if (fstat (fd, &info) == 0 && S_ISREG (info.st_mode))
    return fd;
  set_error (error, path, S_ISDIR (info.st_mode) ? "is a folder, not a file" : "is not a regular file");
  close (fd);
  return -1;
}

/**
 * _holo_npy_read:
 * @fd: an open file
 * @path: its name
 * @offset: where to read
 * @data: gets @size bytes
 * @cancellable: (nullable): looked at every few MiB
 * @error: return location
 *
 * Returns: %FALSE with %HOLO_ERROR_FILE, or with %G_IO_ERROR_CANCELLED
 */
gboolean
_holo_npy_read (gint fd, const gchar *path, gint64 offset, gpointer data, gsize size, GCancellable *cancellable,
                GError **error)
{
  guint8 *to = data;

  while (size > 0)
    {
      gssize n;

      if (g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      n = pread (fd, to, MIN (size, 8 << 20), (off_t) offset);
      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        return set_error (error, path, "cannot be read: %s", g_strerror (errno));
      if (n == 0)
        return set_error (error, path, "ends %" G_GSIZE_FORMAT " bytes too early; it was cut off while it was read",
                          size);
      to += n;
      offset += n;
      size -= (gsize) n;
    }
  return TRUE;
}

/* Magic, version and length of the header: where the dictionary begins, and its length. */
static gboolean
read_prefix (gint fd, const gchar *path, gint64 file_size, gsize *start, gsize *length, GError **error)
{
  guint8 prefix[12] = { 0 };

  if (file_size == 0)
    return set_error (error, path, "is empty");
  if (!_holo_npy_read (fd, path, 0, prefix, (gsize) MIN (file_size, (gint64) sizeof prefix), NULL, error))
    return FALSE;
  if (file_size < 10 || memcmp (prefix, MAGIC, MAGIC_SIZE) != 0)
    return set_error (error, path, "is not a .npy file");
  if (prefix[6] < 1 || prefix[6] > 3 || prefix[7] != 0)
    return set_error (error, path, "is a .npy file of version %u.%u; versions 1.0, 2.0 and 3.0 can be read", prefix[6],
                      prefix[7]);
  *start = prefix[6] == 1 ? 10 : 12;
  *length = prefix[8] | (gsize) prefix[9] << 8;
  if (prefix[6] > 1)
    *length |= (gsize) prefix[10] << 16 | (gsize) prefix[11] << 24;
  if (*length > HOLO_NPY_MAX_HEADER)
    return set_error (error, path, "has a header of %" G_GSIZE_FORMAT " bytes; at most %d are read", *length,
                      HOLO_NPY_MAX_HEADER);
  if ((gint64) (*start + *length) > file_size)
    return set_error (error, path, "has %" G_GINT64_FORMAT " bytes, but its header alone has %" G_GSIZE_FORMAT,
                      file_size, *start + *length);
  return TRUE;
}

/**
 * _holo_npy_read_header:
 * @fd: an open file
 * @path: its name
 * @header: (out caller-allocates): filled in on success
 * @error: return location
 *
 * Reads and checks the header, and that the file is long enough for what it says.
 *
 * Returns: whether the array can be read
 */
gboolean
_holo_npy_read_header (gint fd, const gchar *path, HoloNpyHeader *header, GError **error)
{
  g_autofree gchar *text = NULL;
  gsize start = 0, length = 0;
  Parser parser;
  struct stat info;

  memset (header, 0, sizeof *header);
  if (fstat (fd, &info) != 0)
    return set_error (error, path, "cannot be read: %s", g_strerror (errno));
  if (!read_prefix (fd, path, info.st_size, &start, &length, error))
    return FALSE;
  text = g_malloc (length + 1);
  if (!_holo_npy_read (fd, path, (gint64) start, text, length, NULL, error))
    return FALSE;
  parser = (Parser){ text, text + length, path, error };
  if (!take_dictionary (&parser, header) || !set_data_size (path, header, error))
    return FALSE;
  header->data_offset = (gint64) (start + length);
  if (header->data_size > info.st_size - header->data_offset)
    return set_error (error, path,
                      "is cut off: its array has %" G_GINT64_FORMAT " bytes, but only %" G_GINT64_FORMAT
                      " follow the header",
                      header->data_size, (gint64) info.st_size - header->data_offset);
  return TRUE;
}

/**
 * _holo_npy_swap:
 * @data: elements
 * @n_elements: their number
 * @dtype: their type
 *
 * Reverses the byte order of every number.
 */
void
_holo_npy_swap (gpointer data, gsize n_elements, HoloDType dtype)
{
  gsize size = holo_dtype_get_size (dtype), n = n_elements;

  if (holo_dtype_is_complex (dtype))
    {
      size /= 2;
      n *= 2;
    }
  for (gsize i = 0; i < n; i++)
    {
      guint8 *number = (guint8 *) data + i * size;

      for (gsize k = 0; k < size / 2; k++)
        {
          guint8 byte = number[k];

          number[k] = number[size - 1 - k];
          number[size - 1 - k] = byte;
        }
    }
}

static const gchar *
get_type_code (HoloDType dtype)
{
  /* From the end: the first entry of U8 is the boolean. */
  for (guint i = G_N_ELEMENTS (type_codes); i-- > 0;)
    if (type_codes[i].dtype == dtype)
      return type_codes[i].code;
  g_return_val_if_reached ("");
}

/* Room for the longest first extent, so that it can grow in place. */
#define FIRST_EXTENT_DIGITS 19
#define HEADER_ALIGNMENT    64

static gsize append (gchar *buffer, gsize length, const gchar *format, ...) G_GNUC_PRINTF (3, 4);

static gsize
append (gchar *buffer, gsize length, const gchar *format, ...)
{
  va_list args;
  gint n;

  va_start (args, format);
  n = g_vsnprintf (buffer + length, HOLO_NPY_WRITTEN_HEADER - length, format, args);
  va_end (args);
  return length + (gsize) n;
}

/**
 * _holo_npy_format_header:
 * @buffer: (array fixed-size=384): gets a header of version 1.0
 * @dtype: element type
 * @rank: number of dimensions
 * @shape: (array length=rank): extents
 *
 * Returns: its bytes, the same for every value of the first extent
 */
gsize
_holo_npy_format_header (gchar *buffer, HoloDType dtype, guint rank, const gint64 *shape)
{
  gchar order = holo_dtype_get_size (dtype) == 1 ? '|' : G_BYTE_ORDER == G_LITTLE_ENDIAN ? '<' : '>';
  gsize length = 10, size, first_length = 0;

  memcpy (buffer, MAGIC "\x01\x00\x00\x00", length);
  length =
      append (buffer, length, "{'descr': '%c%s', 'fortran_order': False, 'shape': (", order, get_type_code (dtype));
  for (guint i = 0; i < rank; i++)
    {
      gsize before = length;

      length = append (buffer, length, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "", shape[i]);
      if (i == 0)
        first_length = length - before;
    }
  length = append (buffer, length, rank == 1 ? ",), }" : "), }");
  size = length + 1 + (rank > 0 ? FIRST_EXTENT_DIGITS - first_length : 0);
  size = (size + HEADER_ALIGNMENT - 1) / HEADER_ALIGNMENT * HEADER_ALIGNMENT;
  memset (buffer + length, ' ', size - length - 1);
  buffer[size - 1] = '\n';
  buffer[8] = (gchar) ((size - 10) & 0xFF);
  buffer[9] = (gchar) ((size - 10) >> 8);
  return size;
}

HOLO_DEFINE_ENUM_TYPE (HoloNpyMode, npy_mode,
                       { HOLO_NPY_MODE_FRAMES, "frames: one tensor for each leading index of the array", "frames" },
                       { HOLO_NPY_MODE_WHOLE, "whole: the array is one tensor", "whole" })

GType
_holo_npy_mode_get_type (void)
{
  return npy_mode_get_type ();
}
