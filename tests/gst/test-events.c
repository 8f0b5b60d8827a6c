/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What travels beside frames: events and metas keep their place, queries their meaning, results of pushes
 * their way back. */
#include "gst-test.h"
#include "host-test.h"

#include <string.h>

#include <gst/video/video.h>

/* A query of nobody's that must keep its place. */
#define SERIALIZED_QUERY                                                                                               \
  ((GstQueryType) GST_QUERY_MAKE_TYPE (250, GST_QUERY_TYPE_DOWNSTREAM | GST_QUERY_TYPE_SERIALIZED))

/* ---- a record of what comes out, in order ---- */

typedef struct
{
  GMutex lock;
  GString *text;
} Record;

G_GNUC_PRINTF (2, 3)
static void
note (Record *record, const gchar *format, ...)
{
  g_autofree gchar *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  g_mutex_lock (&record->lock);
  if (record->text->len > 0)
    g_string_append_c (record->text, ' ');
  g_string_append (record->text, text);
  g_mutex_unlock (&record->lock);
}

static GstPadProbeReturn
on_data (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  Record *record = user_data;
  GstEvent *event;

  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER)
    {
      note (record, "%.0f", get_element (GST_PAD_PROBE_INFO_BUFFER (info), 0));
      return GST_PAD_PROBE_OK;
    }
  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_QUERY_BOTH)
    {
      GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);

      if (GST_QUERY_TYPE (query) == SERIALIZED_QUERY)
        note (record, "query");
      return GST_PAD_PROBE_OK;
    }
  event = GST_PAD_PROBE_INFO_EVENT (info);
  if (GST_EVENT_TYPE (event) == GST_EVENT_CUSTOM_DOWNSTREAM)
    note (record, "%s", gst_structure_get_name (gst_event_get_structure (event)));
  else
    note (record, "%s", gst_event_type_get_name (GST_EVENT_TYPE (event)));
  return GST_PAD_PROBE_OK;
}

static void
start_record (Record *record, GstPad *pad)
{
  g_mutex_init (&record->lock);
  record->text = g_string_new ("");
  gst_pad_add_probe (pad,
                     GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM |
                         GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM | GST_PAD_PROBE_TYPE_PUSH,
                     on_data, record, NULL);
}

static gboolean
record_ends_with (Record *record, const gchar *end)
{
  gboolean ends;

  g_mutex_lock (&record->lock);
  ends = g_str_has_suffix (record->text->str, end);
  g_mutex_unlock (&record->lock);
  return ends;
}

/* Waits until @last has come, then compares all of it. */
static void
assert_record (Record *record, const gchar *last, const gchar *expected)
{
  wait_until (record_ends_with (record, last));
  g_assert_cmpstr (record->text->str, ==, expected);
  g_string_truncate (record->text, 0);
}

static void
clear_record (Record *record)
{
  g_string_free (record->text, TRUE);
  g_mutex_clear (&record->lock);
}

static GstEvent *
new_custom (const gchar *name)
{
  return gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM, gst_structure_new_empty (name));
}

static void
push_frames (GstHarness *harness, guint first, guint n)
{
  for (guint i = first; i < first + n; i++)
    g_assert_cmpint (gst_harness_push (harness, new_frame (i, i)), ==, GST_FLOW_OK);
}

static GstHarness *
new_harness (const gchar *element, const gchar *caps, Record *record)
{
  GstHarness *harness = gst_harness_new_parse (element);

  start_record (record, harness->sinkpad);
  gst_harness_set_src_caps_str (harness, caps);
  return harness;
}

/* ---- events ---- */

#define START "stream-start caps segment"

static void
test_order (void)
{
  Record record;
  GstHarness *harness = new_harness ("holoqueue", CAPS, &record);

  /* Before any frame: what is sticky goes out at once. */
  assert_record (&record, "segment", START);
  for (guint i = 0; i < 100; i++)
    {
      g_autofree gchar *name = g_strdup_printf ("event-%u", i);

      g_assert_true (gst_harness_push_event (harness, new_custom (name)));
      push_frames (harness, i, 1);
    }
  g_assert_true (gst_harness_push_event (harness, gst_event_new_eos ()));
  wait_until (record_ends_with (&record, "eos"));
  for (guint i = 0; i < 100; i++)
    {
      g_autofree gchar *pair = g_strdup_printf ("event-%u %u ", i, i);

      g_assert_nonnull (strstr (record.text->str, pair));
    }
  test_teardown (harness);
  clear_record (&record);
}

/* An event behind the last frame does not wait for another one. */
static void
test_nothing_in_flight (void)
{
  Record record;
  GstHarness *harness = new_harness ("holoqueue ! holoratelimiter max-fps=10000", CAPS, &record);

  assert_record (&record, "segment", START);
  for (guint i = 0; i < 50; i++)
    {
      g_autofree gchar *expected = g_strdup_printf ("%u custom gap", i);

      push_frames (harness, i, 1);
      g_assert_true (gst_harness_push_event (harness, new_custom ("custom")));
      g_assert_true (gst_harness_push_event (harness, gst_event_new_gap (i, 1)));
      assert_record (&record, "gap", expected);
    }
  test_teardown (harness);
  clear_record (&record);
}

/* In a batch: before the first output whose first frame is not older. */
static void
test_batches (void)
{
  Record record;
  GstHarness *harness = new_harness ("holobatchqueue output-size=4", CAPS_1X4, &record);

  g_assert_true (gst_harness_push_event (harness, new_custom ("a")));
  push_frames (harness, 0, 2);
  g_assert_true (gst_harness_push_event (harness, new_custom ("b")));
  push_frames (harness, 2, 2);
  g_assert_true (gst_harness_push_event (harness, new_custom ("c")));
  g_assert_true (gst_harness_push_event (harness, gst_event_new_tag (gst_tag_list_new (GST_TAG_TITLE, "t", NULL))));
  push_frames (harness, 4, 4);
  g_assert_true (gst_harness_push_event (harness, new_custom ("d")));
  push_frames (harness, 8, 2);
  g_assert_true (gst_harness_push_event (harness, new_custom ("e")));
  g_assert_true (gst_harness_push_event (harness, gst_event_new_eos ()));
  assert_record (&record, "eos", START " a 0 b c tag 4 d e eos");
  test_teardown (harness);
  clear_record (&record);
}

/* Windows that overlap: each event once, at its place. */
static void
test_overlap (void)
{
  Record record;
  GstHarness *harness = new_harness ("holobatchqueue output-size=4 output-stride=1", CAPS_1X4, &record);

  for (guint i = 0; i < 6; i++)
    {
      g_autofree gchar *name = g_strdup_printf ("e%u", i);

      g_assert_true (gst_harness_push_event (harness, new_custom (name)));
      push_frames (harness, i, 1);
    }
  g_assert_true (gst_harness_push_event (harness, gst_event_new_eos ()));
  assert_record (&record, "eos", START " e0 0 e1 1 e2 2 e3 e4 e5 eos");
  test_teardown (harness);
  clear_record (&record);
}

/* In the thread of the sink pad. */
static void
test_synchronous (void)
{
  GstHarness *harness = new_bin_harness (GRAPH_SQRT, "sink_in", "src_out");
  Record record;

  start_record (&record, harness->sinkpad);
  gst_harness_set_src_caps_str (harness, CAPS);
  g_assert_true (gst_harness_push_event (harness, new_custom ("a")));
  g_assert_cmpint (gst_harness_push (harness, new_frame (4, 0)), ==, GST_FLOW_OK);
  g_assert_true (gst_harness_push_event (harness, new_custom ("b")));
  g_assert_cmpint (gst_harness_push (harness, new_frame (9, 0)), ==, GST_FLOW_OK);
  g_assert_true (gst_harness_push_event (harness, gst_event_new_eos ()));
  g_assert_cmpstr (record.text->str, ==, START " a 2 b 3 eos");
  test_teardown (harness);
  clear_record (&record);
}

/* Of two inputs the one at slot 0 leads. */
static void
test_leader (void)
{
  GstHarness *a = new_bin_harness (GRAPH_ADD, "sink_a", "src_out");
  GstHarness *b = gst_harness_new_with_element (a->element, "sink_b", NULL);
  Record record;

  start_record (&record, a->sinkpad);
  gst_harness_set_src_caps_str (a, CAPS);
  gst_harness_set_src_caps_str (b, CAPS);
  g_assert_true (gst_harness_push_event (b, new_custom ("from-b")));
  g_assert_true (gst_harness_push_event (a, new_custom ("from-a")));
  push_frames (a, 1, 1);
  push_frames (b, 1, 1);
  assert_record (&record, " 2", START " from-a 2");
  g_assert_true (gst_harness_push_event (a, gst_event_new_eos ()));
  g_assert_true (gst_harness_push_event (b, gst_event_new_eos ()));
  assert_record (&record, "eos", "eos");
  test_teardown (b);
  test_teardown (a);
  clear_record (&record);
}

static const gchar *
get_stream_id (GstPad *pad, guint *group)
{
  g_autoptr (GstEvent) event = gst_pad_get_sticky_event (pad, GST_EVENT_STREAM_START, 0);
  const gchar *id;

  g_assert_nonnull (event);
  gst_event_parse_stream_start (event, &id);
  g_assert_true (gst_event_parse_group_id (event, group));
  return g_intern_string (id);
}

/* Two outputs are two streams of one group. */
static void
test_stream_ids (void)
{
  GstHarness *x = new_bin_harness (GRAPH_TWO_OUTPUTS, "sink_in", "src_x");
  GstHarness *y = gst_harness_new_with_element (x->element, NULL, "src_y");
  GstEvent *start = gst_event_new_stream_start ("camera");
  guint group_x, group_y;

  gst_event_set_group_id (start, 77);
  g_assert_true (gst_harness_push_event (x, start));
  gst_harness_set_src_caps_str (x, CAPS);
  push_frames (x, 1, 1);
  gst_buffer_unref (gst_harness_pull (x));
  gst_buffer_unref (gst_harness_pull (y));
  g_assert_cmpstr (get_stream_id (x->sinkpad, &group_x), !=, get_stream_id (y->sinkpad, &group_y));
  g_assert_cmpuint (group_x, ==, 77);
  g_assert_cmpuint (group_y, ==, 77);
  test_teardown (y);
  test_teardown (x);
}

/* Everything that was held comes before the end. */
static void
test_end_drains (void)
{
  Record record;
  GstHarness *harness = new_harness ("holoqueue max-size-buffers=8", CAPS, &record);
  GstPad *src = gst_pad_get_peer (harness->sinkpad);
  gulong probe = gst_pad_add_probe (src, GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_BUFFER, NULL, NULL, NULL);

  push_frames (harness, 0, 6);
  g_assert_true (gst_harness_push_event (harness, gst_event_new_eos ()));
  wait_until (gst_pad_is_blocking (src));
  gst_pad_remove_probe (src, probe);
  assert_record (&record, "eos", START " 0 1 2 3 4 5 eos");
  gst_object_unref (src);
  test_teardown (harness);
  clear_record (&record);
}

/* ---- queries ---- */

static gboolean
drain (GstHarness *harness)
{
  g_autoptr (GstQuery) query = gst_query_new_drain ();

  return gst_pad_peer_query (harness->srcpad, query);
}

/* When it is answered, everything has left. */
static void
test_drain (void)
{
  Record record;
  GstHarness *harness = new_harness ("holoqueue max-size-buffers=8", CAPS, &record);

  for (guint round = 0; round < 50; round++)
    {
      push_frames (harness, 0, 5);
      g_assert_true (drain (harness));
      g_assert_true (record_ends_with (&record, "0 1 2 3 4"));
    }
  g_assert_true (drain (harness));
  test_teardown (harness);
  clear_record (&record);
}

/* What can never leave is no reason to wait. */
static void
test_drain_incomplete (void)
{
  Record record;
  GstHarness *harness = new_harness ("holobatchqueue output-size=4", CAPS_1X4, &record);

  push_frames (harness, 0, 6);
  g_assert_true (drain (harness));
  assert_record (&record, " 0", START " 0");
  push_frames (harness, 10, 4);
  g_assert_true (gst_harness_push_event (harness, gst_event_new_eos ()));
  assert_record (&record, "eos", "10 eos");
  test_teardown (harness);
  clear_record (&record);
}

static void
test_custom_query (void)
{
  Record record;
  GstHarness *harness = new_harness ("holoqueue max-size-buffers=8", CAPS, &record);

  for (guint round = 0; round < 20; round++)
    {
      g_autoptr (GstQuery) query = gst_query_new_custom (SERIALIZED_QUERY, gst_structure_new_empty ("what-is-this"));

      push_frames (harness, 0, 3);
      gst_pad_peer_query (harness->srcpad, query);
      push_frames (harness, 3, 1);
      wait_until (record_ends_with (&record, "0 1 2 query 3"));
    }
  test_teardown (harness);
  clear_record (&record);
}

static void
test_allocation (void)
{
  Record record;
  GstHarness *harness = new_harness ("holoqueue", CAPS, &record);
  g_autoptr (GstCaps) caps = gst_caps_from_string (CAPS);
  g_autoptr (GstQuery) query = gst_query_new_allocation (caps, TRUE);
  GstAllocationParams params;
  guint size, minimum, maximum;

  g_assert_true (gst_pad_peer_query (harness->srcpad, query));
  g_assert_cmpuint (gst_query_get_n_allocation_pools (query), >, 0);
  gst_query_parse_nth_allocation_pool (query, 0, NULL, &size, &minimum, &maximum);
  g_assert_cmpuint (size, ==, 16);
  g_assert_cmpuint (maximum, ==, 0);
  gst_query_parse_nth_allocation_param (query, 0, NULL, &params);
  g_assert_cmpuint (params.align, >=, 63);
  g_assert_true (gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL));
  test_teardown (harness);
  clear_record (&record);
}

/* ---- metas ---- */

static void
add_mark (GstBuffer *buffer, guint64 number)
{
  static GstCaps *reference;

  if (reference == NULL)
    {
      reference = gst_caps_new_empty_simple ("timestamp/x-frame-number");
      GST_MINI_OBJECT_FLAG_SET (reference, GST_MINI_OBJECT_FLAG_MAY_BE_LEAKED);
    }
  gst_buffer_add_reference_timestamp_meta (buffer, reference, number, GST_CLOCK_TIME_NONE);
}

static gchar *
get_marks (GstBuffer *buffer)
{
  GString *text = g_string_new ("");
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta_filtered (buffer, &state, GST_REFERENCE_TIMESTAMP_META_API_TYPE)) != NULL)
    g_string_append_printf (text, "%" G_GUINT64_FORMAT " ", ((GstReferenceTimestampMeta *) meta)->timestamp);
  return g_string_free (text, FALSE);
}

static void
assert_marks (GstHarness *harness, const gchar *expected)
{
  GstBuffer *buffer = gst_harness_pull (harness);
  g_autofree gchar *marks = NULL;

  g_assert_nonnull (buffer);
  marks = get_marks (buffer);
  g_assert_cmpstr (marks, ==, expected);
  gst_buffer_unref (buffer);
}

static void
push_marked (GstHarness *harness, guint number)
{
  GstBuffer *buffer = new_frame (number, number);

  add_mark (buffer, number);
  g_assert_cmpint (gst_harness_push (harness, buffer), ==, GST_FLOW_OK);
}

static void
test_metas (void)
{
  GstHarness *harness = gst_harness_new_parse ("holoqueue");

  gst_harness_set_src_caps_str (harness, CAPS);
  push_marked (harness, 3);
  assert_marks (harness, "3 ");
  push_frames (harness, 0, 1);
  assert_marks (harness, "");
  test_teardown (harness);

  harness = new_bin_harness (GRAPH_SQRT, "sink_in", "src_out");
  gst_harness_set_src_caps_str (harness, CAPS);
  for (guint i = 0; i < 20; i++)
    {
      g_autofree gchar *expected = g_strdup_printf ("%u ", i);

      push_marked (harness, i);
      assert_marks (harness, expected);
    }
  test_teardown (harness);

  harness = gst_harness_new_parse ("holobatchqueue output-size=3");
  gst_harness_set_src_caps_str (harness, CAPS_1X4);
  for (guint i = 0; i < 6; i++)
    push_marked (harness, i);
  assert_marks (harness, "0 1 2 ");
  assert_marks (harness, "3 4 5 ");
  test_teardown (harness);
}

/* ---- results of pushes ---- */

static GstFlowReturn result_of_chain;

static GstFlowReturn
refuse (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  gst_buffer_unref (buffer);
  return g_atomic_int_get (&result_of_chain);
}

/* Pushes until something else than OK comes back. */
static GstFlowReturn
push_until_refused (GstHarness *harness)
{
  for (guint i = 0; i < 1000; i++)
    {
      GstFlowReturn flow = gst_harness_push (harness, new_frame (i, i));

      if (flow != GST_FLOW_OK)
        return flow;
    }
  return GST_FLOW_OK;
}

static void
test_flow_upstream (gconstpointer data)
{
  static const GstFlowReturn flows[] = { GST_FLOW_EOS, GST_FLOW_NOT_LINKED, GST_FLOW_ERROR, GST_FLOW_NOT_NEGOTIATED };

  for (guint i = 0; i < G_N_ELEMENTS (flows); i++)
    {
      GstHarness *harness = gst_harness_new_parse (data);

      gst_harness_set_src_caps_str (harness, CAPS);
      gst_pad_set_chain_function (harness->sinkpad, refuse);
      result_of_chain = flows[i];
      g_assert_cmpint (push_until_refused (harness), ==, flows[i]);
      /* The end still gets through, or a program that waits for it would wait for ever. */
      gst_harness_push_event (harness, gst_event_new_eos ());
      if (flows[i] != GST_FLOW_NOT_LINKED)
        wait_eos (harness);
      test_teardown (harness);
    }
}

/* One of two outputs may end or go away; only when both have does upstream learn of it. */
static void
test_flow_of_two (void)
{
  GstHarness *x = new_bin_harness (GRAPH_TWO_OUTPUTS, "sink_in", "src_x");
  GstHarness *y = gst_harness_new_with_element (x->element, NULL, "src_y");

  gst_harness_set_src_caps_str (x, CAPS);
  gst_harness_set_drop_buffers (x, TRUE);
  gst_pad_set_chain_function (y->sinkpad, refuse);
  result_of_chain = GST_FLOW_EOS;
  g_assert_cmpint (push_until_refused (x), ==, GST_FLOW_OK);
  wait_until (gst_harness_buffers_received (x) == 1000);
  gst_pad_set_chain_function (x->sinkpad, refuse);
  g_assert_cmpint (push_until_refused (x), ==, GST_FLOW_EOS);
  test_teardown (y);
  test_teardown (x);
}

/* Before 1.23 a queue keeps what it holds when downstream fails, and a pool never gets it back. */
static void
test_error_frees (void)
{
  GstHarness *harness = gst_harness_new_parse ("holoqueue max-size-buffers=8");
  GstBuffer *buffers[20];
  guint n = 0;

  gst_harness_set_src_caps_str (harness, CAPS);
  gst_pad_set_chain_function (harness->sinkpad, refuse);
  result_of_chain = GST_FLOW_ERROR;
  for (; n < G_N_ELEMENTS (buffers); n++)
    {
      buffers[n] = new_frame (n, n);
      gst_harness_push (harness, gst_buffer_ref (buffers[n]));
    }
  for (guint i = 0; i < n; i++)
    {
      wait_until (GST_MINI_OBJECT_REFCOUNT_VALUE (buffers[i]) == 1);
      gst_buffer_unref (buffers[i]);
    }
  test_teardown (harness);
}

/* ---- from downstream ---- */

static GstPadProbeReturn
count_event (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_QOS)
    g_atomic_int_inc ((gint *) user_data);
  return GST_PAD_PROBE_OK;
}

/* What goes upstream reaches every input that the output depends on. */
static void
test_upstream (void)
{
  GstHarness *a = new_bin_harness (GRAPH_ADD, "sink_a", "src_out");
  GstHarness *b = gst_harness_new_with_element (a->element, "sink_b", NULL);
  gint n_a = 0, n_b = 0;

  gst_pad_add_probe (a->srcpad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, count_event, &n_a, NULL);
  gst_pad_add_probe (b->srcpad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, count_event, &n_b, NULL);
  gst_harness_push_upstream_event (a, gst_event_new_qos (GST_QOS_TYPE_OVERFLOW, 1.0, 0, 0));
  g_assert_cmpint (n_a, ==, 1);
  g_assert_cmpint (n_b, ==, 1);
  test_teardown (b);
  test_teardown (a);
}

gint
main (gint argc, gchar **argv)
{
  test_init_gst (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/gst/events/order", test_order);
  g_test_add_func ("/gst/events/nothing-in-flight", test_nothing_in_flight);
  g_test_add_func ("/gst/events/batches", test_batches);
  g_test_add_func ("/gst/events/overlap", test_overlap);
  g_test_add_func ("/gst/events/synchronous", test_synchronous);
  g_test_add_func ("/gst/events/leader", test_leader);
  g_test_add_func ("/gst/events/stream-ids", test_stream_ids);
  g_test_add_func ("/gst/events/end-drains", test_end_drains);
  g_test_add_func ("/gst/events/upstream", test_upstream);
  g_test_add_func ("/gst/queries/drain", test_drain);
  g_test_add_func ("/gst/queries/drain-incomplete", test_drain_incomplete);
  g_test_add_func ("/gst/queries/custom", test_custom_query);
  g_test_add_func ("/gst/queries/allocation", test_allocation);
  g_test_add_func ("/gst/metas", test_metas);
  g_test_add_data_func ("/gst/flow/queue", "holoqueue", test_flow_upstream);
  g_test_add_data_func ("/gst/flow/two-queues", "holoqueue ! holoqueue", test_flow_upstream);
  g_test_add_func ("/gst/flow/two-outputs", test_flow_of_two);
  g_test_add_func ("/gst/flow/error-frees", test_error_frees);
  return g_test_run ();
}
