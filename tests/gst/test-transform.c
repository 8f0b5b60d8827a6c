/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst-test.h"
#include "toy-kind.h"

#define F32_2X3 "tensor/strided,type=float32,dims=(int)<2,3>,framerate=10/1"

static const gfloat squares[] = { 0, 1, 4, 9, 16, 25 };
static const gfloat roots[] = { 0, 1, 2, 3, 4, 5 };

static GstBuffer *
new_squares (void)
{
  return test_new_buffer (squares, sizeof squares);
}

static void
finish (GstHarness *h)
{
  gst_element_set_bus (h->element, NULL);
  gst_harness_teardown (h);
}

/* ---- memory ---- */

static void
test_in_place (void)
{
  GstHarness *h = gst_harness_new ("holosqrt");
  GstBuffer *in = new_squares ();
  GstMemory *memory = gst_buffer_peek_memory (in, 0);
  g_autoptr (GstBuffer) out = NULL;

  gst_harness_set_src_caps_str (h, F32_2X3);
  out = gst_harness_push_and_pull (h, in);
  g_assert_true (gst_buffer_peek_memory (out, 0) == memory);
  test_assert_bytes (out, roots, sizeof roots);
  g_assert_cmpuint (test_get_stat (h->element, "in-place"), ==, 1);
  g_assert_cmpuint (test_get_stat (h->element, "frames"), ==, 1);
  g_assert_cmpuint (test_get_stat (h->element, "bytes"), ==, sizeof roots);
  finish (h);
}

/* What somebody else holds, the buffer or its memory, is never written to. Time, flags and metas go on. */
static void
test_shared (void)
{
  for (guint i = 0; i < 2; i++)
    {
      GstHarness *h = gst_harness_new ("holosqrt");
      GstBuffer *in = new_squares ();
      g_autoptr (GstBuffer) other = i == 0 ? gst_buffer_ref (in) : gst_buffer_copy (in), out = NULL;
      g_autoptr (GstCaps) reference = gst_caps_new_empty_simple ("timestamp/x-test");

      if (i == 1)
        {
          GST_BUFFER_PTS (in) = 7;
          GST_BUFFER_DURATION (in) = 8;
          GST_BUFFER_OFFSET (in) = 9;
          GST_BUFFER_FLAG_SET (in, GST_BUFFER_FLAG_MARKER);
          gst_buffer_add_reference_timestamp_meta (in, reference, 11, 12);
        }
      gst_harness_set_src_caps_str (h, F32_2X3);
      out = gst_harness_push_and_pull (h, in);
      test_assert_bytes (out, roots, sizeof roots);
      test_assert_bytes (other, squares, sizeof squares);
      g_assert_cmpuint (test_get_stat (h->element, "in-place"), ==, 0);
      if (i == 1)
        {
          g_assert_cmpuint (GST_BUFFER_PTS (out), ==, 7);
          g_assert_cmpuint (GST_BUFFER_DURATION (out), ==, 8);
          g_assert_cmpuint (GST_BUFFER_OFFSET (out), ==, 9);
          g_assert_true (GST_BUFFER_FLAG_IS_SET (out, GST_BUFFER_FLAG_MARKER));
          g_assert_nonnull (gst_buffer_get_reference_timestamp_meta (out, NULL));
        }
      finish (h);
    }
}

static GstBuffer *
new_transposed (gint64 row, gint64 column, gint64 offset)
{
  const gint64 shape[] = { 2, 3 };
  gsize size = (gsize) (offset + row + 2 * column + 4);
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);
  HoloTensorDesc desc;
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  memset (map.data, 0x7f, map.size);
  for (guint y = 0; y < 2; y++)
    for (guint x = 0; x < 3; x++)
      memcpy (map.data + offset + y * row + x * column, &squares[y * 3 + x], 4);
  gst_buffer_unmap (buffer, &map);
  holo_tensor_desc_init_strided (&desc, HOLO_DTYPE_F32, HOLO_MEM_LOC_HOST, 2, shape, (gint64[]){ row, column }, offset);
  gst_buffer_add_holo_tensor_meta (buffer, &desc);
  return buffer;
}

/* Kinds that take strides get them; more layouts than are kept are right too; a kind with a memory gets
 * packed tensors. */
static void
test_strided (void)
{
  GstHarness *h = gst_harness_new ("holosqrt"), *toy = gst_harness_new ("holotoy");

  gst_harness_set_src_caps_str (h, F32_2X3);
  gst_harness_set_src_caps_str (toy, F32_2X3);
  for (guint i = 0; i < 14; i++)
    {
      g_autoptr (GstBuffer) out = gst_harness_push_and_pull (h, new_transposed (4, 8 + 4 * (i % 7), 4 * (i % 2)));
      g_autoptr (GstBuffer) plain = gst_harness_push_and_pull (h, new_squares ());

      test_assert_bytes (out, roots, sizeof roots);
      test_assert_bytes (plain, roots, sizeof roots);
      g_assert_null (gst_buffer_get_holo_tensor_meta (out));
    }
  g_assert_cmpuint (test_get_stat (h->element, "copies"), ==, 0);
  finish (h);
  {
    g_autoptr (GstBuffer) out = gst_harness_push_and_pull (toy, new_transposed (4, 8, 4));

    test_assert_bytes (out, squares, sizeof squares);
    g_assert_cmpuint (test_get_stat (toy->element, "copies"), ==, 1);
  }
  finish (toy);
}

/* Reshape gives the memory itself, strided only to somebody who knows. */
static void
test_view (void)
{
  for (gint knows = 0; knows < 2; knows++)
    {
      GstHarness *h = test_harness ("holoreshape shape=<2,1,3>");
      GstBuffer *in = new_squares (), *padded = new_transposed (16, 4, 8);
      GstMemory *memory = gst_buffer_peek_memory (in, 0), *padded_memory = gst_buffer_peek_memory (padded, 0);
      g_autoptr (GstBuffer) out = NULL, strided = NULL;

      if (knows)
        gst_harness_add_propose_allocation_meta (h, GST_HOLO_TENSOR_META_API_TYPE, NULL);
      gst_harness_set_src_caps_str (h, F32_2X3);
      out = gst_harness_push_and_pull (h, in);
      g_assert_true (gst_buffer_peek_memory (out, 0) == memory);
      strided = gst_harness_push_and_pull (h, padded);
      if (knows)
        {
          GstHoloTensorMeta *meta = gst_buffer_get_holo_tensor_meta (strided);

          g_assert_true (gst_buffer_peek_memory (strided, 0) == padded_memory);
          g_assert_cmpuint (meta->desc.rank, ==, 3);
          g_assert_cmpint (meta->desc.strides[0], ==, 16);
          g_assert_cmpint (meta->desc.offset, ==, 8);
        }
      else
        test_assert_bytes (strided, squares, sizeof squares);
      g_assert_cmpuint (test_get_stat (h->element, "copies"), ==, knows ? 0 : 1);
      finish (h);
    }
}

/* A meta that says what is true anyway does not stay on the new shape. */
static void
test_view_of_described (void)
{
  GstHarness *h = test_harness ("holoreshape shape=<6>");
  GstBuffer *in = new_squares ();
  g_autoptr (GstBuffer) out = NULL;
  const gint64 shape[] = { 2, 3 };
  HoloTensorDesc desc;

  gst_buffer_add_holo_tensor_meta (in, holo_tensor_desc_init (&desc, HOLO_DTYPE_F32, HOLO_MEM_LOC_HOST, 2, shape));
  gst_harness_add_propose_allocation_meta (h, GST_HOLO_TENSOR_META_API_TYPE, NULL);
  gst_harness_set_src_caps_str (h, F32_2X3);
  out = gst_harness_push_and_pull (h, in);
  g_assert_null (gst_buffer_get_holo_tensor_meta (out));
  test_assert_bytes (out, squares, sizeof squares);
  finish (h);
}

/* A task that must work on its input's memory gets a copy of what is not its own. */
static void
test_must (void)
{
  GstHarness *h = test_harness ("holotoy must=true");
  g_autoptr (GstBuffer) in = new_squares (), out = NULL, own = NULL;

  gst_harness_set_src_caps_str (h, F32_2X3);
  out = gst_harness_push_and_pull (h, gst_buffer_ref (in));
  test_assert_bytes (out, squares, sizeof squares);
  own = gst_harness_push_and_pull (h, new_squares ());
  g_assert_cmpuint (test_get_stat (h->element, "in-place"), ==, 2);
  test_assert_bytes (in, squares, sizeof squares);
  finish (h);
}

/* A task that publishes its own memory: copied out, and given back each time. */
static void
test_owned (void)
{
  GstHarness *h = test_harness ("holotoy owned=true");

  gst_harness_set_src_caps_str (h, F32_2X3);
  for (guint n = 0; n < 3; n++)
    {
      g_autoptr (GstBuffer) out = gst_harness_push_and_pull (h, new_squares ());
      gfloat first;

      gst_buffer_extract (out, 0, &first, 4);
      g_assert_cmpfloat (first, ==, n);
    }
  g_assert_cmpuint (test_get_stat (h->element, "copies"), ==, 3);
  g_assert_cmpint (toy_n_published, ==, 0);
  finish (h);
}

static void
test_sizes (void)
{
  GstHarness *h = gst_harness_new ("holosqrt");
  g_autoptr (GstBus) bus = test_watch (h);
  g_autofree gchar *error = NULL, *warning = NULL;
  g_autoptr (GstBuffer) out = NULL;
  gfloat longer[8] = { 0, 1, 4, 9, 16, 25, 36, 49 };

  gst_harness_set_src_caps_str (h, F32_2X3);
  out = gst_harness_push_and_pull (h, test_new_buffer (longer, sizeof longer));
  test_assert_bytes (out, roots, sizeof roots);
  warning = test_pop_text (bus, GST_MESSAGE_WARNING);
  test_assert_names (warning, "8 bytes");
  g_assert_cmpint (gst_harness_push (h, test_new_buffer (squares, 20)), ==, GST_FLOW_ERROR);
  error = test_pop_text (bus, GST_MESSAGE_ERROR);
  test_assert_names (error, "20 bytes");
  test_assert_names (error, "needs 24");
  finish (h);
}

/* ---- caps ---- */

static void
assert_out_caps (GstHarness *h, const gchar *expected)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (h->sinkpad), wanted = gst_caps_from_string (expected);

  if (!gst_caps_can_intersect (caps, wanted))
    {
      g_autofree gchar *text = gst_caps_to_string (caps);

      g_error ("caps are %s, not %s", text, expected);
    }
}

static void
test_caps (void)
{
  GstHarness *h = test_harness ("holoconversion target=U16");
  g_autoptr (GstBuffer) out = NULL, second = NULL;
  static const guint16 expected[] = { 0, 1, 4, 9, 16, 25 };

  gst_harness_set_src_caps_str (h, F32_2X3);
  out = gst_harness_push_and_pull (h, new_squares ());
  assert_out_caps (h, "tensor/strided,type=uint16,dims=(int)<2,3>,framerate=10/1");
  test_assert_bytes (out, expected, sizeof expected);
  /* another size in mid-stream */
  gst_harness_set_src_caps_str (h, "tensor/strided,type=float32,dims=(int)<5>,framerate=0/1");
  second = gst_harness_push_and_pull (h, test_new_buffer (squares, 20));
  assert_out_caps (h, "tensor/strided,type=uint16,dims=(int)<5>,framerate=0/1");
  test_assert_bytes (second, expected, 10);
  finish (h);
}

static void
assert_caps_refused (const gchar *element, const gchar *caps, const gchar *first, const gchar *second)
{
  GstHarness *h = test_harness (element);
  g_autoptr (GstBus) bus = test_watch (h);
  g_autofree gchar *text = NULL;

  gst_harness_set_src_caps_str (h, caps);
  g_assert_cmpint (gst_harness_push (h, new_squares ()), ==, GST_FLOW_NOT_NEGOTIATED);
  text = test_pop_text (bus, GST_MESSAGE_ERROR);
  test_assert_names (text, first);
  test_assert_names (text, second);
  g_assert_null (gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR));
  finish (h);
}

/* What a kind refuses is said with its name, the tensor and the reason. */
static void
test_caps_refused (void)
{
  assert_caps_refused ("holoreshape shape=<4,4>", F32_2X3, "Reshape", "F32[2,3]");
  assert_caps_refused ("holofftshift axes=<5>", F32_2X3, "FFTShift", "axes");
  assert_caps_refused ("holotoy minimum=3 maximum=2 name=both", F32_2X3, "both (Toy)", "minimum");
}

/* Next element's caps do not fit: both are named. */
static void
test_caps_mismatch (void)
{
  GstHarness *h = gst_harness_new ("holosqrt");
  g_autoptr (GstBus) bus = test_watch (h);
  g_autofree gchar *text = NULL;

  gst_harness_set_caps_str (h, F32_2X3, "tensor/strided,type=float32,dims=(int)<3,2>");
  g_assert_cmpint (gst_harness_push (h, new_squares ()), ==, GST_FLOW_NOT_NEGOTIATED);
  text = test_pop_text (bus, GST_MESSAGE_ERROR);
  test_assert_names (text, "< 2, 3 >");
  test_assert_names (text, "< 3, 2 >");
  finish (h);
}

/* ---- settings ---- */

static GstStateChangeReturn
try_ready (const gchar *text, gchar **error)
{
  g_autoptr (GstElement) element = gst_object_ref_sink (test_launch (text));
  g_autoptr (GstBus) bus = gst_bus_new ();
  GstStateChangeReturn result;

  gst_element_set_bus (element, bus);
  result = gst_element_set_state (element, GST_STATE_READY);
  *error = result == GST_STATE_CHANGE_FAILURE ? test_pop_text (bus, GST_MESSAGE_ERROR) : NULL;
  gst_element_set_state (element, GST_STATE_NULL);
  gst_element_set_bus (element, NULL);
  return result;
}

static void
assert_not_ready (const gchar *text, const gchar *first, const gchar *second)
{
  g_autofree gchar *error = NULL;

  g_assert_cmpint (try_ready (text, &error), ==, GST_STATE_CHANGE_FAILURE);
  test_assert_names (error, first);
  test_assert_names (error, second);
}

/* A bad value is an error at READY that names it and what is allowed; GObject does not clamp it before. */
static void
test_bad_settings (void)
{
  g_autofree gchar *error = NULL;

  assert_not_ready ("holotoy minimum=-1", "minimum: -1", "from 0 to 1000");
  assert_not_ready ("holofftshift axes=<-99>", "axes", "-99");
  assert_not_ready ("holonormalize maximum=1e301", "maximum", "1e+301");
  assert_not_ready ("holofouriermask r-outer=-2", "r-outer: -2", "at least 0");
  assert_not_ready ("holoreshape", "shape", "must be given");
  g_assert_cmpint (try_ready ("holotoy minimum=1", &error), ==, GST_STATE_CHANGE_SUCCESS);
  /* a good value takes the place of the bad one before */
  g_assert_cmpint (try_ready ("holotoy minimum=-1 minimum=1", &error), ==, GST_STATE_CHANGE_SUCCESS);
}

static void
test_property_values (void)
{
  g_autoptr (GstElement) element = gst_object_ref_sink (test_launch ("holoreshape shape=<2,-1>"));
  GValue value = G_VALUE_INIT;

  g_value_init (&value, GST_TYPE_ARRAY);
  g_object_get_property (G_OBJECT (element), "shape", &value);
  g_assert_cmpuint (gst_value_array_get_size (&value), ==, 2);
  g_assert_cmpint (g_value_get_int64 (gst_value_array_get_value (&value, 1)), ==, -1);
  g_value_unset (&value);
}

static void
assert_first (GstHarness *h, gfloat expected)
{
  g_autoptr (GstBuffer) out = gst_harness_push_and_pull (h, new_squares ());
  gfloat first;

  gst_buffer_extract (out, 0, &first, 4);
  g_assert_cmpfloat (first, ==, expected);
}

/* While playing: a value that fits is in force with the next frame; one that does not is a warning and the
 * old one stays; values that fit only together are taken once both are there. */
static void
test_settings_while_playing (void)
{
  GstHarness *h = gst_harness_new ("holotoy");
  g_autoptr (GstBus) bus = test_watch (h);
  g_autofree gchar *text = NULL;
  gint64 value;

  gst_harness_set_src_caps_str (h, F32_2X3);
  assert_first (h, 0);
  g_object_set (h->element, "add", (gint64) 10, NULL);
  assert_first (h, 10 + 1); /* the task counts its frames: update kept it */
  g_object_set (h->element, "minimum", (gint64) 7, NULL);
  text = test_pop_text (bus, GST_MESSAGE_WARNING);
  test_assert_names (text, "minimum");
  g_object_get (h->element, "minimum", &value, NULL);
  g_assert_cmpint (value, ==, 0);
  assert_first (h, 10 + 2);
  /* an unrelated change does not wait for the pending one */
  g_object_set (h->element, "add", (gint64) 20, NULL);
  g_assert_null (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING));
  assert_first (h, 20 + 3);
  g_object_set (h->element, "maximum", (gint64) 9, NULL);
  g_assert_null (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING));
  g_object_get (h->element, "minimum", &value, NULL);
  g_assert_cmpint (value, ==, 7);
  assert_first (h, 20 + 4);
  finish (h);
}

typedef struct
{
  GstElement *element;
  gint stop;
} Setter;

static gpointer
set_settings (gpointer data)
{
  Setter *setter = data;

  for (gint64 n = 0; !g_atomic_int_get (&setter->stop); n++)
    {
      g_autoptr (GstStructure) stats = NULL;

      g_object_set (setter->element, "add", 10 * (n % 10), NULL);
      g_object_get (setter->element, "holo-stats", &stats, NULL);
    }
  return NULL;
}

/* Another thread sets values and reads statistics all the time: each frame is made with one of the values,
 * and the task forgets nothing. */
static void
test_settings_from_another_thread (void)
{
  GstHarness *h = gst_harness_new ("holotoy");
  Setter setter = { h->element, 0 };
  GThread *thread;

  gst_harness_set_src_caps_str (h, F32_2X3);
  assert_first (h, 0);
  thread = g_thread_new ("setter", set_settings, &setter);
  for (guint n = 1; n < 2000; n++)
    {
      g_autoptr (GstBuffer) out = gst_harness_push_and_pull (h, new_squares ());
      gfloat first;

      gst_buffer_extract (out, 0, &first, 4);
      g_assert_cmpint ((gint) (first - n) % 10, ==, 0);
      g_assert_cmpfloat (first - n, <=, 90);
      g_assert_cmpfloat (first - n, >=, 0);
    }
  g_atomic_int_set (&setter.stop, 1);
  g_thread_join (thread);
  g_assert_cmpuint (test_get_stat (h->element, "frames"), ==, 2000);
  finish (h);
}

static void
set_shape (GstElement *element, const gchar *text)
{
  gst_util_set_object_arg (G_OBJECT (element), "shape", text);
}

/* A setting that changes the tensor: new caps, if the next element takes them. */
static void
test_new_shape_while_playing (void)
{
  GstHarness *h = test_harness ("holoreshape shape=<3,2>");
  g_autoptr (GstBus) bus = test_watch (h);
  g_autofree gchar *text = NULL;

  gst_harness_set_caps_str (h, F32_2X3,
                            "tensor/strided,type=float32,dims=(int)<3,2>;tensor/strided,type=float32,dims=(int)<6>");
  gst_buffer_unref (gst_harness_push_and_pull (h, new_squares ()));
  assert_out_caps (h, "tensor/strided,dims=(int)<3,2>");
  set_shape (h->element, "<6>");
  gst_buffer_unref (gst_harness_push_and_pull (h, new_squares ()));
  assert_out_caps (h, "tensor/strided,dims=(int)<6>");
  set_shape (h->element, "<6,1>");
  gst_buffer_unref (gst_harness_push_and_pull (h, new_squares ()));
  assert_out_caps (h, "tensor/strided,dims=(int)<6>");
  text = test_pop_text (bus, GST_MESSAGE_WARNING);
  test_assert_names (text, "< 6, 1 >");
  finish (h);
}

/* ---- events and ends ---- */

static void
test_flush_resets (void)
{
  GstHarness *h = gst_harness_new ("holotoy");
  GstSegment segment;

  gst_harness_set_src_caps_str (h, F32_2X3);
  assert_first (h, 0);
  assert_first (h, 1);
  g_assert_true (gst_harness_push_event (h, gst_event_new_flush_start ()));
  g_assert_true (gst_harness_push_event (h, gst_event_new_flush_stop (TRUE)));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  g_assert_true (gst_harness_push_event (h, gst_event_new_segment (&segment)));
  assert_first (h, 0);
  finish (h);
}

/* A second stream after the end of the first is like the first. */
static void
test_stream_after_end (void)
{
  GstHarness *h = gst_harness_new ("holotoy");
  g_autoptr (GstCaps) caps = gst_caps_from_string (F32_2X3);
  GstSegment segment;

  gst_harness_set_src_caps_str (h, F32_2X3);
  assert_first (h, 0);
  assert_first (h, 1);
  g_assert_true (gst_harness_push_event (h, gst_event_new_eos ()));
  g_assert_true (gst_harness_push_event (h, gst_event_new_stream_start ("second")));
  g_assert_true (gst_harness_push_event (h, gst_event_new_caps (caps)));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  g_assert_true (gst_harness_push_event (h, gst_event_new_segment (&segment)));
  assert_first (h, 0);
  finish (h);
}

static gboolean
saw_event (GstHarness *h, GstEventType type)
{
  gboolean found = FALSE;

  for (GstEvent *event; (event = gst_harness_try_pull_event (h)) != NULL; gst_event_unref (event))
    found |= GST_EVENT_TYPE (event) == type;
  return found;
}

/* A task that ends: end of stream behind it, EOS before it. */
static void
test_end (void)
{
  GstHarness *h = test_harness ("holotoy end-after=2");

  gst_harness_set_src_caps_str (h, F32_2X3);
  assert_first (h, 0);
  assert_first (h, 1);
  g_assert_false (saw_event (h, GST_EVENT_EOS));
  g_assert_cmpint (gst_harness_push (h, new_squares ()), ==, GST_FLOW_EOS);
  g_assert_true (saw_event (h, GST_EVENT_EOS));
  finish (h);
}

static void
test_failures (void)
{
  static const struct
  {
    const gchar *element, *word;
  } cases[] = { { "holotoy fail-after=1", "the toy broke" }, { "holotoy not-ready-after=1", "NOT_READY" } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      GstHarness *h = test_harness (cases[i].element);
      g_autoptr (GstBus) bus = test_watch (h);
      g_autofree gchar *text = NULL;

      gst_harness_set_src_caps_str (h, F32_2X3);
      assert_first (h, 0);
      g_assert_cmpint (gst_harness_push (h, new_squares ()), ==, GST_FLOW_ERROR);
      text = test_pop_text (bus, GST_MESSAGE_ERROR);
      test_assert_names (text, cases[i].word);
      test_assert_names (text, "(Toy)");
      finish (h);
    }
}

/* What a task tells the application arrives on the bus. */
static void
test_application_events (void)
{
  GstHarness *h = test_harness ("holotoy tell=true name=talker");
  g_autoptr (GstBus) bus = test_watch (h);

  gst_harness_set_src_caps_str (h, F32_2X3);
  for (guint n = 0; n < 3; n++)
    {
      g_autoptr (GstMessage) message = NULL;
      g_autofree gchar *number = g_strdup_printf ("%u", n);

      assert_first (h, n);
      message = gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT);
      g_assert_nonnull (message);
      g_assert_true (gst_message_has_name (message, "holoflow-event"));
      g_assert_cmpstr (gst_structure_get_string (gst_message_get_structure (message), "node"), ==, "talker");
      g_assert_cmpstr (gst_structure_get_string (gst_message_get_structure (message), "data"), ==, number);
    }
  finish (h);
}

/* Frames may be left out for lateness only where that changes nothing else. */
static void
test_qos (void)
{
  GstHarness *h = gst_harness_new ("holosqrt"), *toy = gst_harness_new ("holotoy");

  gst_harness_set_src_caps_str (h, F32_2X3);
  gst_harness_set_src_caps_str (toy, F32_2X3);
  assert_first (toy, 0);
  gst_buffer_unref (gst_harness_push_and_pull (h, new_squares ()));
  g_assert_true (gst_base_transform_is_qos_enabled (GST_BASE_TRANSFORM (h->element)));
  g_assert_false (gst_base_transform_is_qos_enabled (GST_BASE_TRANSFORM (toy->element)));
  finish (h);
  finish (toy);
}

/* The pipeline ends within 100 ms although the task is busy: it watches its cancellable. */
static void
test_stop_while_busy (void)
{
  g_autoptr (GstElement) pipeline = test_launch ("holosequence shape=<2,3> count=3 ! holotoy busy=true ! fakesink");
  gint64 begin;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  toy_wait_busy ();
  begin = g_get_monotonic_time ();
  gst_element_set_state (pipeline, GST_STATE_NULL);
  g_assert_cmpint (g_get_monotonic_time () - begin, <, TEST_HAVE_SANITIZER ? 2000000 : 100000);
}

/* ---- every element ---- */

static void
assert_same_default (GParamSpec *property, GParamSpec *setting)
{
  if (G_IS_PARAM_SPEC_INT64 (setting))
    g_assert_cmpint (G_PARAM_SPEC_INT64 (property)->default_value, ==, G_PARAM_SPEC_INT64 (setting)->default_value);
  else if (G_IS_PARAM_SPEC_DOUBLE (setting))
    g_assert_cmpfloat (G_PARAM_SPEC_DOUBLE (property)->default_value, ==, G_PARAM_SPEC_DOUBLE (setting)->default_value);
  else if (G_IS_PARAM_SPEC_ENUM (setting))
    g_assert_cmpint (G_PARAM_SPEC_ENUM (property)->default_value, ==, G_PARAM_SPEC_ENUM (setting)->default_value);
}

/* Every setting of every kind is a property with the same default, a blurb, and readable and writable. */
static void
test_every_setting (void)
{
  g_auto (GStrv) kinds = holo_registry_list_kinds (holo_registry_get_default ());
  guint n_elements = 0;

  for (guint k = 0; kinds[k] != NULL; k++)
    {
      g_autofree gchar *lower = g_ascii_strdown (kinds[k], -1), *name = g_strconcat ("holo", lower, NULL);
      g_autoptr (GstElement) element = gst_element_factory_make (name, NULL);
      g_autoptr (HoloTaskFactory) factory = holo_registry_create_factory (holo_registry_get_default (), kinds[k], NULL);
      g_autofree GParamSpec **settings = NULL;
      guint n;

      if (element == NULL)
        continue; /* Input, Output */
      gst_object_ref_sink (element);
      n_elements++;
      settings = holo_settings_list (HOLO_TASK_FACTORY_GET_CLASS (factory), &n);
      for (guint i = 0; i < n; i++)
        {
          GParamSpec *property = g_object_class_find_property (G_OBJECT_GET_CLASS (element), settings[i]->name);

          g_assert_nonnull (property);
          g_assert_nonnull (g_param_spec_get_blurb (property));
          g_assert_cmpint (property->flags & G_PARAM_READWRITE, ==, G_PARAM_READWRITE);
          assert_same_default (property, settings[i]);
        }
      g_assert_nonnull (g_object_class_find_property (G_OBJECT_GET_CLASS (element), "holo-stats"));
    }
  g_assert_cmpuint (n_elements, >=, 12);
}

int
main (int argc, char **argv)
{
  /* the plugin makes an element of it when it is loaded: now, if there is no registry file, or below */
  toy_kind_register (holo_registry_get_default ());
  test_init_gst (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  gst_object_unref (gst_plugin_load_by_name ("holoflow"));

  g_test_add_func ("/memory/in-place", test_in_place);
  g_test_add_func ("/memory/shared", test_shared);
  g_test_add_func ("/memory/strided", test_strided);
  g_test_add_func ("/memory/view", test_view);
  g_test_add_func ("/memory/view-of-described", test_view_of_described);
  g_test_add_func ("/memory/must", test_must);
  g_test_add_func ("/memory/owned", test_owned);
  g_test_add_func ("/memory/sizes", test_sizes);
  g_test_add_func ("/caps/follow", test_caps);
  g_test_add_func ("/caps/refused", test_caps_refused);
  g_test_add_func ("/caps/mismatch", test_caps_mismatch);
  g_test_add_func ("/settings/bad", test_bad_settings);
  g_test_add_func ("/settings/values", test_property_values);
  g_test_add_func ("/settings/while-playing", test_settings_while_playing);
  g_test_add_func ("/settings/from-another-thread", test_settings_from_another_thread);
  g_test_add_func ("/settings/new-shape", test_new_shape_while_playing);
  g_test_add_func ("/events/flush", test_flush_resets);
  g_test_add_func ("/events/stream-after-end", test_stream_after_end);
  g_test_add_func ("/events/end", test_end);
  g_test_add_func ("/events/failures", test_failures);
  g_test_add_func ("/events/application", test_application_events);
  g_test_add_func ("/events/qos", test_qos);
  g_test_add_func ("/events/stop-while-busy", test_stop_while_busy);
  g_test_add_func ("/every/setting", test_every_setting);
  return g_test_run ();
}
