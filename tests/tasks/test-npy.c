/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kinds NpyReader and NpyWriter, on files made here byte by byte. */
#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "task-runner.h"

static gchar *folder;

static gchar *
get_path (const gchar *name)
{
  return g_build_filename (folder, name, NULL);
}

/* A .npy file of the given version around a dictionary. */
static gchar *
make_file (const gchar *name, guint version, const gchar *dictionary, gconstpointer data, gsize size)
{
  gchar *path = get_path (name);
  GByteArray *bytes = g_byte_array_new ();
  guint8 prefix[12] = { 0x93, 'N', 'U', 'M', 'P', 'Y', (guint8) version, 0 };
  gsize length = strlen (dictionary);

  prefix[8] = (guint8) length;
  prefix[9] = (guint8) (length >> 8);
  prefix[10] = (guint8) (length >> 16);
  g_byte_array_append (bytes, prefix, version == 1 ? 10 : 12);
  g_byte_array_append (bytes, (const guint8 *) dictionary, (guint) length);
  g_byte_array_append (bytes, data, (guint) size);
  g_assert_true (g_file_set_contents (path, (const gchar *) bytes->data, bytes->len, NULL));
  g_byte_array_unref (bytes);
  return path;
}

/* ---- reading ---- */

static TaskRunner *
make_reader (const gchar *path, const gchar *more)
{
  g_autofree gchar *settings = g_strdup_printf ("{\"path\": \"%s\"%s}", path, more);
  g_autoptr (GError) error = NULL;
  TaskRunner *runner = task_runner_new ("NpyReader", settings, &error);

  g_assert_no_error (error);
  return runner;
}

/* Reads every frame; they must be @expected, one behind the other. */
static void
check_frames (const gchar *path, const gchar *more, guint n_frames, HoloDType dtype, guint rank, const gint64 *shape,
              gconstpointer expected)
{
  g_autoptr (TaskRunner) runner = make_reader (path, more);
  g_autoptr (GError) error = NULL;
  gsize frame = holo_dtype_get_size (dtype);

  for (guint i = 0; i < rank; i++)
    frame *= (gsize) shape[i];
  task_runner_infer (runner, NULL, 0, &error);
  g_assert_no_error (error);
  task_runner_create (runner, &error);
  g_assert_no_error (error);
  for (guint round = 0; round < 2; round++)
    {
      for (guint i = 0; i <= n_frames; i++)
        {
          g_autoptr (TaskArray) array = NULL;
          HoloStamp stamp;
          HoloOpResult result = task_runner_execute (runner, TASK_RUN_NORMAL, NULL, 0, &array, &stamp, &error);

          g_assert_no_error (error);
          g_assert_cmpint (result, ==, i < n_frames ? HOLO_OP_OK : HOLO_OP_EOF);
          if (i == n_frames)
            break;
          task_array_assert (array, dtype, rank, shape, (const guint8 *) expected + i * frame, 0);
          g_assert_cmpuint (stamp.seq, ==, i);
          g_assert_cmpuint (stamp.first, ==, i);
          g_assert_cmpuint (stamp.last, ==, i);
        }
      g_assert_true (holo_task_reset (HOLO_TASK (runner->task), &error));
    }
}

static const guint16 numbers[12] = { 0, 1, 2, 3, 256, 257, 258, 65535, 8, 9, 10, 11 };

static void
test_versions (void)
{
  for (guint version = 1; version <= 3; version++)
    {
      g_autofree gchar *path =
          make_file ("v.npy", version, "{'descr': '<u2', 'fortran_order': False, 'shape': (3, 2, 2), }\n", numbers,
                     sizeof numbers);

      check_frames (path, "", 3, HOLO_DTYPE_U16, TASK_SHAPE (2, 2), numbers);
      check_frames (path, ", \"mode\": \"whole\"", 1, HOLO_DTYPE_U16, TASK_SHAPE (3, 2, 2), numbers);
    }
}

/* Order of the keys, quotes, spaces, no commas at ends, Python 2's long integers, the native order's sign. */
static void
test_spellings (void)
{
  static const gchar *const spellings[] = {
    "{'shape': (3, 2, 2), 'fortran_order': False, 'descr': '<u2'}",
    "{\"descr\":\"=u2\",\"fortran_order\":False,\"shape\":(3,2,2)}",
    "  { 'descr' : '<u2' , 'fortran_order' : False , 'shape' : ( 3L , 2L , 2L , ) , }  \n",
    "{'descr': '<u2', 'fortran_order': False, 'shape': (3, 2, 2), }                         \n",
  };

  for (guint i = 0; i < G_N_ELEMENTS (spellings); i++)
    {
      g_autofree gchar *path = make_file ("s.npy", 1, spellings[i], numbers, sizeof numbers);

      check_frames (path, "", 3, HOLO_DTYPE_U16, TASK_SHAPE (2, 2), numbers);
    }
}

static void
test_other_byte_order (void)
{
  static const guint8 integers[] = { 0x01, 0x02, 0x03, 0x04 };
  static const guint8 complexes[] = { 0x3F, 0x80, 0, 0, 0xC0, 0, 0, 0 };
  static const guint8 doubles[] = { 0x3F, 0xF8, 0, 0, 0, 0, 0, 0 };
  g_autofree gchar *a = make_file ("a.npy", 1, "{'descr': '>u2', 'fortran_order': False, 'shape': (2,)}", integers, 4);
  g_autofree gchar *b =
      make_file ("b.npy", 1, "{'descr': '>c8', 'fortran_order': False, 'shape': (1, 1)}", complexes, 8);
  g_autofree gchar *c = make_file ("c.npy", 1, "{'descr': '>f8', 'fortran_order': False, 'shape': (1,)}", doubles, 8);

  check_frames (a, "", 2, HOLO_DTYPE_U16, TASK_SCALAR, ((guint16[]){ 0x0102, 0x0304 }));
  check_frames (b, "", 1, HOLO_DTYPE_CF32, TASK_SHAPE (1), ((gfloat[]){ 1, -2 }));
  check_frames (c, "", 1, HOLO_DTYPE_F64, TASK_SCALAR, ((gdouble[]){ 1.5 }));
}

static void
test_types (void)
{
  static const struct
  {
    const gchar *descr;
    HoloDType dtype;
  } types[] = {
    { "|u1", HOLO_DTYPE_U8 },   { "|i1", HOLO_DTYPE_I8 },    { "|b1", HOLO_DTYPE_U8 },  { "<u2", HOLO_DTYPE_U16 },
    { "<i2", HOLO_DTYPE_I16 },  { "<u4", HOLO_DTYPE_U32 },   { "<i4", HOLO_DTYPE_I32 }, { "<u8", HOLO_DTYPE_U64 },
    { "<i8", HOLO_DTYPE_I64 },  { "<f2", HOLO_DTYPE_F16 },   { "<f4", HOLO_DTYPE_F32 }, { "<f8", HOLO_DTYPE_F64 },
    { "<c8", HOLO_DTYPE_CF32 }, { "<c16", HOLO_DTYPE_CF64 },
  };
  guint8 data[32] = { 1, 0, 1 };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    {
      g_autofree gchar *text =
          g_strdup_printf ("{'descr': '%s', 'fortran_order': False, 'shape': (2,)}", types[i].descr);
      g_autofree gchar *path = make_file ("t.npy", 1, text, data, 2 * holo_dtype_get_size (types[i].dtype));

      check_frames (path, ", \"mode\": \"whole\"", 1, types[i].dtype, TASK_SHAPE (2), data);
    }
}

/* a[i, j, k] = 100 i + 10 j + k, stored with i fastest. */
static void
test_fortran (void)
{
  gint16 stored[24], expected[24];
  g_autofree gchar *path = NULL;

  for (gint i = 0; i < 2; i++)
    for (gint j = 0; j < 3; j++)
      for (gint k = 0; k < 4; k++)
        {
          gint16 value = (gint16) (100 * i + 10 * j + k);

          expected[(i * 3 + j) * 4 + k] = value;
          stored[i + 2 * (j + 3 * k)] = (gint16) GINT16_TO_BE (value);
        }
  path = make_file ("f.npy", 1, "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3, 4)}", stored, sizeof stored);
  check_frames (path, "", 2, HOLO_DTYPE_I16, TASK_SHAPE (3, 4), expected);
  check_frames (path, ", \"mode\": \"whole\"", 1, HOLO_DTYPE_I16, TASK_SHAPE (2, 3, 4), expected);
}

static void
test_empty_arrays (void)
{
  g_autofree gchar *none = make_file ("n.npy", 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (0, 5)}", "", 0);
  g_autofree gchar *hollow =
      make_file ("h.npy", 1, "{'descr': '<f4', 'fortran_order': True, 'shape': (3, 0, 5)}", "", 0);
  g_autofree gchar *number =
      make_file ("m.npy", 1, "{'descr': '<f4', 'fortran_order': False, 'shape': ()}", ((gfloat[]){ 2.5f }), 4);

  check_frames (none, "", 0, HOLO_DTYPE_F32, TASK_SHAPE (5), "");
  check_frames (none, ", \"loop\": true", 0, HOLO_DTYPE_F32, TASK_SHAPE (5), "");
  check_frames (hollow, "", 3, HOLO_DTYPE_F32, TASK_SHAPE (0, 5), "");
  check_frames (number, ", \"mode\": \"whole\"", 1, HOLO_DTYPE_F32, TASK_SCALAR, ((gfloat[]){ 2.5f }));
}

static void
test_loop (void)
{
  g_autofree gchar *path =
      make_file ("l.npy", 1, "{'descr': '|u1', 'fortran_order': False, 'shape': (3,)}", "\1\2\3", 3);
  g_autoptr (TaskRunner) runner = make_reader (path, ", \"loop\": true");

  g_assert_true (task_runner_infer (runner, NULL, 0, NULL));
  g_assert_true (task_runner_create (runner, NULL));
  for (guint i = 0; i < 10; i++)
    {
      g_autoptr (TaskArray) array = NULL;
      guint8 expected = (guint8) (1 + i % 3);
      HoloStamp stamp;

      g_assert_cmpint (task_runner_execute (runner, TASK_RUN_NORMAL, NULL, 0, &array, &stamp, NULL), ==, HOLO_OP_OK);
      task_array_assert (array, HOLO_DTYPE_U8, TASK_SCALAR, &expected, 0);
      g_assert_cmpuint (stamp.seq, ==, i);
    }
}

static void
check_file_refused (const gchar *path, const gchar *more, const gchar *text)
{
  g_autofree gchar *settings = g_strdup_printf ("{\"path\": \"%s\"%s}", path, more);

  task_check_refused ("NpyReader", settings, NULL, 0, HOLO_ERROR_FILE, text);
}

static void
check_header_refused (const gchar *dictionary, const gchar *text)
{
  guint8 data[64] = { 0 };
  g_autofree gchar *path = make_file ("bad.npy", 1, dictionary, data, sizeof data);

  check_file_refused (path, "", text);
}

static void
test_hostile_headers (void)
{
  check_header_refused ("", "'{'");
  check_header_refused ("{", "dictionary");
  check_header_refused ("{}", "descr");
  check_header_refused ("[]", "'{'");
  check_header_refused ("{'descr': '<f4', 'fortran_order': False}", "\"shape\"");
  check_header_refused ("{'descr': '<f4', 'shape': (2,)}", "fortran_order");
  check_header_refused ("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", "twice");
  check_header_refused ("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'more': 1}", "more");
  check_header_refused ("{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}", "True nor False");
  check_header_refused ("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} x", "behind");
  check_header_refused ("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)", "'}'");
  check_header_refused ("{'descr': '<f4', 'fortran_order': False, 'shape': (2", "')'");
  check_header_refused ("{'descr': '<f4', 'fortran_order': False, 'shape': (2)}", "tuple");
  check_header_refused ("{'descr': '<f4', 'fortran_order': False, 'shape': 2}", "'('");
  check_header_refused ("{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}", "negative");
  check_header_refused ("{'descr': '<f4', 'fortran_order': False, 'shape': (2.5,)}", "')'");
  check_header_refused ("{'descr': '<f4', 'fortran_order': False, 'shape': (,)}", "whole numbers");
  check_header_refused ("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", "63 bits");
  check_header_refused ("{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807,)}", "63 bits");
  check_header_refused ("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", "63 bits");
  check_header_refused ("{'descr': '<f4', 'fortran_order': False, 'shape': (0, 4294967296, 4294967296)}", "63 bits");
  check_header_refused ("{'descr': '<f4', 'fortran_order': False, 'shape': (0, 4294967296)}", "no frames");
  check_header_refused ("{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000, 1000000)}", "cut off");
  check_header_refused ("{'descr': '<f4', 'fortran_order': False, 'shape': (17,)}", "has 68 bytes, but only 64");
  check_header_refused ("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 1, 1, 1, 1, 1, 1, 1, 1)}",
                        "dimensions");
  check_header_refused ("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", "Python objects");
  check_header_refused ("{'descr': [('x', '<f4'), ('y', '<f4')], 'fortran_order': False, 'shape': (1,)}", "structures");
  check_header_refused ("{'descr': '<U5', 'fortran_order': False, 'shape': (1,)}", "<U5");
  check_header_refused ("{'descr': '<f16', 'fortran_order': False, 'shape': (1,)}", "<f16");
  check_header_refused ("{'descr': '<M8[ns]', 'fortran_order': False, 'shape': (1,)}", "<M8[ns]");
  check_header_refused ("{'descr': 'f4', 'fortran_order': False, 'shape': (1,)}", "\"f4\"");
  check_header_refused ("{'descr': '', 'fortran_order': False, 'shape': (1,)}", "\"\"");
  check_header_refused ("{'descr': '<f4', 'fortran_order': False, 'shape': ()}", "\"mode\": \"whole\"");
}

static void
check_bytes_refused (const gchar *bytes, gsize size, const gchar *text)
{
  g_autofree gchar *path = get_path ("bytes.npy");

  g_assert_true (g_file_set_contents (path, bytes, (gssize) size, NULL));
  check_file_refused (path, "", text);
}

static void
test_hostile_files (void)
{
  g_autofree gchar *missing = get_path ("missing.npy");
  g_autofree gchar *pipe = get_path ("pipe.npy");
  g_autofree gchar *nine =
      make_file ("nine.npy", 1, "{'descr': '|u1', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1)}", "x", 1);

  check_bytes_refused ("", 0, "empty");
  check_bytes_refused ("\x93", 1, "not a .npy file");
  check_bytes_refused ("\x93NUMPY\x01", 7, "not a .npy file");
  check_bytes_refused ("PK\3\4 an archive of arrays", 20, "not a .npy file");
  check_bytes_refused ("\x93NUMPY\x01\x00\xFF\xFF{", 11, "its header alone has 65545");
  check_bytes_refused ("\x93NUMPY\x02\x00\xFF\xFF\xFF\xFF", 12, "at most 1048576");
  check_bytes_refused ("\x93NUMPY\x02\x00\x10\x00", 10, "its header alone");
  check_bytes_refused ("\x93NUMPY\x04\x00\x01\x00{", 11, "version 4.0");
  check_bytes_refused ("\x93NUMPY\x01\x01\x01\x00{", 11, "version 1.1");
  check_file_refused (missing, "", "cannot be opened");
  check_file_refused (folder, "", "folder");
  check_file_refused ("", "", "cannot be opened");
  g_assert_cmpint (mkfifo (pipe, 0600), ==, 0);
  check_file_refused (pipe, "", "not a regular file");
  check_file_refused (nine, ", \"mode\": \"whole\"", "at most 8 can be read as a whole");
  check_frames (nine, "", 1, HOLO_DTYPE_U8, TASK_SHAPE (1, 1, 1, 1, 1, 1, 1, 1), "x");
}

/* What happens to the file after the graph was compiled. */
static void
test_changed_files (void)
{
  const gchar *text = "{'descr': '|u1', 'fortran_order': False, 'shape': (4,)}";
  g_autofree gchar *path = make_file ("c.npy", 1, text, "abcd", 4);
  g_autoptr (TaskRunner) runner = make_reader (path, ""), late = make_reader (path, ""),
                         shaped = make_reader (path, "");
  g_autoptr (TaskArray) array = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (task_runner_infer (runner, NULL, 0, NULL));
  g_assert_true (task_runner_infer (late, NULL, 0, NULL));
  g_assert_true (task_runner_create (runner, NULL));
  g_assert_cmpint (truncate (path, (off_t) (10 + strlen (text) + 0)), ==, 0);
  g_assert_cmpint (task_runner_execute (runner, TASK_RUN_NORMAL, NULL, 0, &array, NULL, &error), ==, HOLO_OP_ERROR);
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_FILE);
  g_clear_error (&error);
  g_assert_false (task_runner_create (late, &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_FILE);
  g_clear_error (&error);
  g_free (make_file ("c.npy", 1, text, "abcd", 4));
  g_assert_true (task_runner_infer (shaped, NULL, 0, NULL));
  g_free (make_file ("c.npy", 1, "{'descr': '|u1', 'fortran_order': False, 'shape': (2,2)}", "abcd", 4));
  g_assert_false (task_runner_create (shaped, &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_FILE);
  g_assert_nonnull (strstr (error->message, "changed"));
}

/* The same file goes on where it was; another one starts. */
static void
test_reader_update (void)
{
  g_autofree gchar *a = make_file ("u.npy", 1, "{'descr': '|u1', 'fortran_order': False, 'shape': (2,)}", "ab", 2);
  g_autofree gchar *b = make_file ("w.npy", 1, "{'descr': '|u1', 'fortran_order': False, 'shape': (2,)}", "xy", 2);
  g_autofree gchar *to_b = g_strdup_printf ("{\"path\": \"%s\"}", b);
  g_autoptr (TaskRunner) runner = make_reader (a, "");
  static const gchar expected[] = "ababx";

  g_assert_true (task_runner_infer (runner, NULL, 0, NULL));
  g_assert_true (task_runner_create (runner, NULL));
  for (guint i = 0; i < 5; i++)
    {
      g_autoptr (TaskArray) array = NULL;

      if (i == 1)
        {
          g_assert_true (task_runner_set (runner, "{\"loop\": true}", NULL));
          g_assert_true (task_runner_update (runner, NULL, 0, NULL));
        }
      if (i == 4)
        {
          g_assert_true (task_runner_set (runner, to_b, NULL));
          g_assert_true (task_runner_update (runner, NULL, 0, NULL));
        }
      g_assert_cmpint (task_runner_execute (runner, TASK_RUN_NORMAL, NULL, 0, &array, NULL, NULL), ==, HOLO_OP_OK);
      g_assert_cmpint (array->data[0], ==, expected[i]);
    }
}

/* ---- writing ---- */

static TaskRunner *
make_writer (const gchar *path, const gchar *more, TaskArray *array)
{
  g_autofree gchar *settings = g_strdup_printf ("{\"path\": \"%s\"%s}", path, more);
  g_autoptr (GError) error = NULL;
  TaskRunner *runner = task_runner_new ("NpyWriter", settings, &error);

  g_assert_no_error (error);
  task_runner_infer (runner, &array, 1, &error);
  g_assert_no_error (error);
  task_runner_create (runner, &error);
  g_assert_no_error (error);
  return runner;
}

static HoloOpResult
write_array (TaskRunner *runner, TaskArray *array)
{
  g_autoptr (GError) error = NULL;
  HoloOpResult result = task_runner_execute (runner, TASK_RUN_NORMAL, &array, 1, NULL, NULL, &error);

  g_assert_no_error (error);
  return result;
}

static void
finish (TaskRunner *runner, HoloOpResult result)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (holo_task_finish (HOLO_TASK (runner->task), result, &error));
  g_assert_no_error (error);
}

static gboolean
is_there (const gchar *path, const gchar *suffix)
{
  g_autofree gchar *full = g_strconcat (path, suffix, NULL);

  return g_file_test (full, G_FILE_TEST_EXISTS);
}

/* Byte for byte what NumPy's own writer would make, apart from the padding for the growing number. */
static void
test_bytes (void)
{
  g_autofree gchar *path = get_path ("bytes-out.npy"), *contents = NULL;
  g_autoptr (TaskArray) array = task_array_new (HOLO_DTYPE_U8, TASK_SHAPE (2, 3), "abcdef");
  g_autoptr (TaskRunner) runner = make_writer (path, "", array);
  const gchar *text = "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 2, 3), }";
  gsize size;

  g_assert_cmpint (write_array (runner, array), ==, HOLO_OP_OK);
  g_assert_cmpint (write_array (runner, array), ==, HOLO_OP_OK);
  g_assert_false (is_there (path, ""));
  finish (runner, HOLO_OP_EOF);
  g_assert_false (is_there (path, ".part"));
  g_assert_true (g_file_get_contents (path, &contents, &size, NULL));
  g_assert_cmpuint (size, ==, 128 + 12);
  g_assert_cmpmem (contents, 10, "\x93NUMPY\x01\x00\x76\x00", 10);
  g_assert_cmpmem (contents + 10, strlen (text), text, strlen (text));
  for (gsize i = 10 + strlen (text); i < 127; i++)
    g_assert_cmpint (contents[i], ==, ' ');
  g_assert_cmpint (contents[127], ==, '\n');
  g_assert_cmpmem (contents + 128, 12, "abcdefabcdef", 12);
}

/* Every type, rank and layout, there and back. */
static void
test_round_trip (void)
{
  static const gint64 shape[8] = { 2, 3, 1, 2, 2, 1, 3, 2 };
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);
  g_autofree gchar *path = get_path ("round.npy");

  for (gint dtype = 0; dtype < HOLO_N_DTYPES; dtype++)
    for (guint rank = 0; rank <= 8; rank += rank < 3 ? 1 : 5)
      for (gint layout = 0; layout < TASK_N_LAYOUTS; layout++)
        for (guint whole = 0; whole < 2; whole++)
          {
            g_autoptr (TaskArray) dense = task_array_new_random ((HoloDType) dtype, rank, shape, rand);
            g_autoptr (TaskArray) array = task_array_copy (dense, (TaskLayout) layout);
            const gchar *more = whole ? ", \"mode\": \"whole\"" : "";
            g_autoptr (TaskRunner) runner = make_writer (path, more, array);
            gsize size = holo_tensor_desc_get_payload (&array->desc);
            g_autofree guint8 *packed = task_array_pack (array), *expected = g_malloc (3 * size);

            for (guint i = 0; i < (whole ? 1 : 3); i++)
              {
                g_assert_cmpint (write_array (runner, array), ==, HOLO_OP_OK);
                memcpy (expected + i * size, packed, size);
              }
            finish (runner, HOLO_OP_EOF);
            check_frames (path, more, whole ? 1 : 3, (HoloDType) dtype, rank, shape, expected);
          }
}

static void
test_whole_ends (void)
{
  g_autofree gchar *path = get_path ("whole.npy");
  g_autoptr (TaskArray) array = task_array_new (HOLO_DTYPE_U8, TASK_SHAPE (2), "ab");
  g_autoptr (TaskRunner) runner = make_writer (path, ", \"mode\": \"whole\"", array);

  g_assert_cmpint (write_array (runner, array), ==, HOLO_OP_OK);
  g_assert_cmpint (write_array (runner, array), ==, HOLO_OP_EOF);
  finish (runner, HOLO_OP_EOF);
  check_frames (path, ", \"mode\": \"whole\"", 1, HOLO_DTYPE_U8, TASK_SHAPE (2), "ab");
}

/* At every moment the unfinished file is an array of whole frames; a stop completes it, an error does not. */
static void
test_interrupted (void)
{
  g_autofree gchar *path = get_path ("stop.npy"), *part = get_path ("stop.npy.part");
  g_autoptr (TaskArray) array = task_array_new (HOLO_DTYPE_U8, TASK_SHAPE (2), "ab");

  for (guint n = 1; n < 12; n++)
    {
      g_autoptr (TaskRunner) runner = make_writer (path, "", array);

      for (guint i = 0; i < n; i++)
        g_assert_cmpint (write_array (runner, array), ==, HOLO_OP_OK);
      check_frames (part, "", n, HOLO_DTYPE_U8, TASK_SHAPE (2), "abababababababababababab");
      if (n % 3 == 0)
        {
          finish (runner, HOLO_OP_CANCELLED);
          check_frames (path, "", n, HOLO_DTYPE_U8, TASK_SHAPE (2), "abababababababababababab");
          g_assert_cmpint (g_unlink (path), ==, 0);
        }
      else if (n % 3 == 1)
        {
          finish (runner, HOLO_OP_ERROR);
          g_assert_false (is_there (path, ""));
          check_frames (part, "", n, HOLO_DTYPE_U8, TASK_SHAPE (2), "abababababababababababab");
        }
      /* else: nobody tells the task */
    }
}

/* An old file stays until the new one is complete, and without a new one. */
static void
test_replaces (void)
{
  g_autofree gchar *path = make_file ("old.npy", 1, "{'descr': '|u1', 'fortran_order': False, 'shape': (1,)}", "x", 1);
  g_autoptr (TaskArray) array = task_array_new (HOLO_DTYPE_U8, TASK_SCALAR, "y");

  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (TaskRunner) runner = make_writer (path, "", array);

      if (i > 0)
        g_assert_cmpint (write_array (runner, array), ==, HOLO_OP_OK);
      check_frames (path, "", 1, HOLO_DTYPE_U8, TASK_SCALAR, "x");
      if (i == 0)
        finish (runner, HOLO_OP_CANCELLED);
      else if (i == 1)
        g_assert_true (holo_task_reset (HOLO_TASK (runner->task), NULL));
      else
        finish (runner, HOLO_OP_EOF);
      check_frames (path, "", 1, HOLO_DTYPE_U8, TASK_SCALAR, i == 2 ? "y" : "x");
      g_assert_false (is_there (path, ".part"));
    }
}

static void
test_no_frames (void)
{
  g_autofree gchar *path = get_path ("none.npy");
  g_autoptr (TaskArray) array = task_array_new (HOLO_DTYPE_F32, TASK_SHAPE (3, 2), NULL);
  g_autoptr (TaskRunner) frames = make_writer (path, "", array);

  finish (frames, HOLO_OP_EOF);
  check_frames (path, "", 0, HOLO_DTYPE_F32, TASK_SHAPE (3, 2), "");
  finish (frames, HOLO_OP_EOF);
  g_assert_cmpint (g_unlink (path), ==, 0);
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (TaskRunner) whole = make_writer (path, ", \"mode\": \"whole\"", array);

      finish (whole, i == 0 ? HOLO_OP_EOF : HOLO_OP_ERROR);
      g_assert_false (is_there (path, ""));
      g_assert_false (is_there (path, ".part"));
    }
}

/* Run, reset, run. */
static void
test_again (void)
{
  g_autofree gchar *path = get_path ("again.npy");
  g_autoptr (TaskArray) array = task_array_new (HOLO_DTYPE_U8, TASK_SCALAR, "z");
  g_autoptr (TaskRunner) runner = make_writer (path, "", array);

  for (guint n = 3; n > 0; n--)
    {
      for (guint i = 0; i < n; i++)
        g_assert_cmpint (write_array (runner, array), ==, HOLO_OP_OK);
      finish (runner, HOLO_OP_EOF);
      check_frames (path, "", n, HOLO_DTYPE_U8, TASK_SCALAR, "zzz");
      g_assert_true (holo_task_reset (HOLO_TASK (runner->task), NULL));
    }
}

static void
test_writer_refused (void)
{
  g_autoptr (TaskArray) array = task_array_new (HOLO_DTYPE_U8, TASK_SCALAR, "z");
  g_autofree gchar *to_folder = g_strdup_printf ("{\"path\": \"%s\"}", folder);
  g_autofree gchar *slash = g_strdup_printf ("{\"path\": \"%s/new/\"}", folder);
  g_autofree gchar *missing = g_strdup_printf ("{\"path\": \"%s/no/such/file.npy\"}", folder);

  task_check_refused ("NpyWriter", "{}", &array, 1, HOLO_ERROR_SETTING, "path");
  task_check_refused ("NpyWriter", "{\"path\": \"\"}", &array, 1, HOLO_ERROR_FILE, "must name a file");
  task_check_refused ("NpyWriter", to_folder, &array, 1, HOLO_ERROR_FILE, "folder");
  task_check_refused ("NpyWriter", slash, &array, 1, HOLO_ERROR_FILE, "folder");
  task_check_refused ("NpyWriter", missing, &array, 1, HOLO_ERROR_FILE, "no folder");
  task_check_refused ("NpyWriter", "{\"path\": \"/dev/null\"}", &array, 1, HOLO_ERROR_FILE, "regular file");
}

/* Two nodes with one path. */
static void
test_two_writers (void)
{
  g_autofree gchar *path = get_path ("two.npy");
  g_autoptr (TaskArray) array = task_array_new (HOLO_DTYPE_U8, TASK_SCALAR, "z");
  g_autoptr (TaskRunner) first = make_writer (path, "", array), second = make_writer (path, "", array);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (write_array (first, array), ==, HOLO_OP_OK);
  g_assert_cmpint (task_runner_execute (second, TASK_RUN_NORMAL, &array, 1, NULL, NULL, &error), ==, HOLO_OP_ERROR);
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_FILE);
  g_assert_nonnull (strstr (error->message, "somebody else"));
  finish (second, HOLO_OP_ERROR);
  finish (first, HOLO_OP_EOF);
  check_frames (path, "", 1, HOLO_DTYPE_U8, TASK_SCALAR, "z");
}

/* A full disk is an error that names the file. */
static void
test_full_disk (void)
{
  g_autofree gchar *path = get_path ("full.npy"), *part = get_path ("full.npy.part");
  g_autoptr (TaskArray) array = task_array_new (HOLO_DTYPE_U8, TASK_SCALAR, "z");
  g_autoptr (TaskRunner) runner = make_writer (path, "", array);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (symlink ("/dev/full", part), ==, 0);
  g_assert_cmpint (task_runner_execute (runner, TASK_RUN_NORMAL, &array, 1, NULL, NULL, &error), ==, HOLO_OP_ERROR);
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_FILE);
  g_assert_nonnull (strstr (error->message, part));
}

static void
test_writer_update (void)
{
  g_autofree gchar *path = get_path ("update.npy");
  g_autoptr (TaskArray) array = task_array_new (HOLO_DTYPE_U8, TASK_SCALAR, "z");
  g_autoptr (TaskArray) other = task_array_new (HOLO_DTYPE_U8, TASK_SHAPE (2), "zz");
  g_autoptr (TaskRunner) runner = make_writer (path, "", array);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (write_array (runner, array), ==, HOLO_OP_OK);
  g_assert_true (task_runner_update (runner, &array, 1, NULL));
  g_assert_cmpint (write_array (runner, array), ==, HOLO_OP_OK);
  g_assert_false (task_runner_update (runner, &other, 1, &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_STATE);
  finish (runner, HOLO_OP_EOF);
  check_frames (path, "", 2, HOLO_DTYPE_U8, TASK_SCALAR, "zz");
}

static void
remove_folder (void)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const gchar *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree gchar *path = get_path (name);

      g_unlink (path);
    }
  g_rmdir (folder);
  g_free (folder);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("holo-npy-XXXXXX", NULL);
  g_test_add_func ("/holo/npy/versions", test_versions);
  g_test_add_func ("/holo/npy/spellings", test_spellings);
  g_test_add_func ("/holo/npy/other-byte-order", test_other_byte_order);
  g_test_add_func ("/holo/npy/types", test_types);
  g_test_add_func ("/holo/npy/fortran", test_fortran);
  g_test_add_func ("/holo/npy/empty-arrays", test_empty_arrays);
  g_test_add_func ("/holo/npy/loop", test_loop);
  g_test_add_func ("/holo/npy/hostile-headers", test_hostile_headers);
  g_test_add_func ("/holo/npy/hostile-files", test_hostile_files);
  g_test_add_func ("/holo/npy/changed-files", test_changed_files);
  g_test_add_func ("/holo/npy/reader-update", test_reader_update);
  g_test_add_func ("/holo/npy/bytes", test_bytes);
  g_test_add_func ("/holo/npy/round-trip", test_round_trip);
  g_test_add_func ("/holo/npy/whole-ends", test_whole_ends);
  g_test_add_func ("/holo/npy/interrupted", test_interrupted);
  g_test_add_func ("/holo/npy/replaces", test_replaces);
  g_test_add_func ("/holo/npy/no-frames", test_no_frames);
  g_test_add_func ("/holo/npy/again", test_again);
  g_test_add_func ("/holo/npy/writer-refused", test_writer_refused);
  g_test_add_func ("/holo/npy/two-writers", test_two_writers);
  g_test_add_func ("/holo/npy/full-disk", test_full_disk);
  g_test_add_func ("/holo/npy/writer-update", test_writer_update);
  status = g_test_run ();
  remove_folder ();
  return status;
}
