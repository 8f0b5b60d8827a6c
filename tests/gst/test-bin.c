/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* holoflowbin: graph, pads, settings of nodes, kinds of an application. */
#include "gst-test.h"
#include "host-test.h"

#include <string.h>

#include <glib/gstdio.h>

#define GRAPH_CHAIN                                                                                                    \
  GRAPH (NODE ("in", "Input", "") "," NODE ("x", "RateLimiter", "\"max_fps\": 1000") "," NODE (                        \
             "y", "RateLimiter", "\"max_fps\": 2000") "," NODE ("q", "Queue", "") "," NODE ("out", "Output", ""),      \
         EDGE ("in", 0, "x", 0) "," EDGE ("x", 0, "q", 0) "," EDGE ("q", 0, "y", 0) "," EDGE ("y", 0, "out", 0))

static GstElement *
new_bin (const gchar *graph)
{
  GstElement *bin = gst_element_factory_make ("holoflowbin", NULL);

  g_assert_nonnull (bin);
  gst_object_ref_sink (bin);
  if (graph != NULL)
    g_object_set (bin, "graph", graph, NULL);
  return bin;
}

/* READY must fail, with a message that holds @word. */
static void
assert_refused (GstElement *bin, const gchar *word)
{
  GstBus *bus = gst_bus_new ();
  GstMessage *message;
  g_autofree gchar *text = NULL;

  gst_element_set_bus (bin, bus);
  g_assert_cmpint (gst_element_set_state (bin, GST_STATE_READY), ==, GST_STATE_CHANGE_FAILURE);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  g_assert_nonnull (message);
  text = get_error_text (message);
  if (strstr (text, word) == NULL)
    g_error ("\"%s\" does not name \"%s\"", text, word);
  gst_message_unref (message);
  gst_element_set_bus (bin, NULL);
  gst_element_set_state (bin, GST_STATE_NULL);
  gst_object_unref (bus);
}

static void
assert_graph_refused (const gchar *graph, const gchar *word)
{
  GstElement *bin = new_bin (graph);

  assert_refused (bin, word);
  gst_object_unref (bin);
}

/* ---- graphs ---- */

static void
test_bad_graphs (void)
{
  assert_graph_refused (NULL, "graph-location");
  assert_graph_refused ("", "empty");
  assert_graph_refused ("{", "line 1");
  assert_graph_refused ("[]", "object");
  assert_graph_refused (GRAPH (NODE ("a", "Sqtr", ""), ""), "Sqrt");
  assert_graph_refused (
      GRAPH (NODE ("in", "Input", "") "," NODE ("q", "Queue", "\"capacity\": 0"), EDGE ("in", 0, "q", 0)), "capacity");
  assert_graph_refused (
      GRAPH (NODE ("in", "Input", "") "," NODE ("q", "Queue", "\"capacty\": 1"), EDGE ("in", 0, "q", 0)), "capacity");
  assert_graph_refused (GRAPH (NODE ("in", "Input", "") "," NODE ("s", "Sqrt", ""), EDGE ("in", 0, "s", 99)), "99");
  assert_graph_refused (GRAPH (NODE ("in", "Input", "\"dtype\": \"U8\", \"shape\": [4]") "," NODE (
                                   "s", "Sqrt", "") "," NODE ("o", "Output", ""),
                               EDGE ("in", 0, "s", 0) "," EDGE ("s", 0, "o", 0)),
                        "Sqrt");
}

static void
test_location (void)
{
  GstElement *bin = new_bin (NULL);
  g_autofree gchar *folder = g_dir_make_tmp ("holo-bin-XXXXXX", NULL);
  g_autofree gchar *file = g_build_filename (folder, "graph.json", NULL);

  g_object_set (bin, "graph-location", folder, NULL);
  assert_refused (bin, folder);
  g_object_set (bin, "graph-location", file, NULL);
  assert_refused (bin, file);
  g_assert_true (g_file_set_contents (file, GRAPH_SQRT, -1, NULL));
  g_object_set (bin, "graph-location", file, NULL);
  g_assert_cmpint (gst_element_set_state (bin, GST_STATE_READY), ==, GST_STATE_CHANGE_SUCCESS);
  gst_element_set_state (bin, GST_STATE_NULL);
  gst_object_unref (bin);
  g_unlink (file);
  g_rmdir (folder);
}

/* Caps that the graph cannot take end in an error that names node, kind and tensor. */
static void
test_bad_caps (void)
{
  GstHarness *harness = new_bin_harness (GRAPH_SQRT, "sink_in", "src_out");
  GstBus *bus = gst_bus_new ();
  g_autoptr (GstMessage) message = NULL;
  g_autofree gchar *text = NULL;

  gst_element_set_bus (harness->element, bus);
  gst_harness_set_src_caps_str (harness, "tensor/strided,type=(string)uint8,dims=(int)<4>,dims-order=(string)row-major,"
                                         "framerate=(fraction)30/1");
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  g_assert_nonnull (message);
  text = get_error_text (message);
  g_assert_nonnull (strstr (text, "\"sqrt\""));
  g_assert_nonnull (strstr (text, "U8[4]"));
  g_assert_cmpint (gst_harness_push (harness, gst_buffer_new_allocate (NULL, 4, NULL)), ==, GST_FLOW_NOT_NEGOTIATED);
  gst_element_set_bus (harness->element, NULL);
  gst_object_unref (bus);
  test_teardown (harness);
}

/* ---- pads ---- */

static void
test_pads (void)
{
  GstElement *bin = new_bin (GRAPH_ADD);
  GstPad *a = gst_element_request_pad_simple (bin, "sink_a"), *b, *out;

  g_assert_nonnull (a);
  g_assert_null (gst_element_request_pad_simple (bin, "sink_nobody"));
  g_assert_null (gst_element_request_pad_simple (bin, "src_add"));
  /* Without a name: what is left. */
  b = gst_element_request_pad_simple (bin, "sink");
  g_assert_nonnull (b);
  g_assert_null (gst_element_request_pad_simple (bin, "sink_b"));
  g_assert_null (gst_element_request_pad_simple (bin, "sink_%s"));
  out = gst_element_request_pad_simple (bin, "src_%s");
  g_assert_nonnull (out);
  g_assert_cmpstr (GST_PAD_NAME (out), ==, "src_out");
  g_assert_cmpint (gst_element_set_state (bin, GST_STATE_READY), ==, GST_STATE_CHANGE_SUCCESS);
  gst_element_set_state (bin, GST_STATE_NULL);
  gst_element_release_request_pad (bin, a);
  gst_object_unref (a);
  a = gst_element_request_pad_simple (bin, "sink_a");
  g_assert_nonnull (a);
  gst_object_unref (a);
  gst_object_unref (b);
  gst_object_unref (out);
  gst_object_unref (bin);
}

/* Any pad is given before there is a graph; it must be the graph's when there is one. */
static void
test_placeholders (void)
{
  GstElement *bin = new_bin (NULL);
  GstPad *in = gst_element_request_pad_simple (bin, "sink_in"), *any = gst_element_request_pad_simple (bin, "src_%s");

  g_assert_nonnull (in);
  g_assert_nonnull (any);
  assert_refused (bin, "there is no graph");
  g_object_set (bin, "graph", GRAPH_ADD, NULL);
  assert_refused (bin, "sink_in");
  g_object_set (bin, "graph", GRAPH_SQRT, NULL);
  g_assert_cmpint (gst_element_set_state (bin, GST_STATE_READY), ==, GST_STATE_CHANGE_SUCCESS);
  gst_element_set_state (bin, GST_STATE_NULL);
  gst_object_unref (in);
  gst_object_unref (any);
  gst_object_unref (bin);
}

/* ---- a kind of the application's own ---- */

typedef struct
{
  HoloSyncTask parent_instance;
} NegateTask;

typedef struct
{
  HoloSyncTaskClass parent_class;
} NegateTaskClass;

GType negate_task_get_type (void);
G_DEFINE_TYPE (NegateTask, negate_task, HOLO_TYPE_SYNC_TASK)

static HoloOpResult
negate_execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  const gfloat *in = holo_tensor_view_get_data (context->inputs[0]);
  gfloat *out = holo_tensor_view_get_data (context->outputs[0]);

  for (guint64 i = 0; i < holo_tensor_desc_count (&context->inputs[0]->desc); i++)
    out[i] = -in[i];
  return HOLO_OP_OK;
}

static void
negate_task_class_init (NegateTaskClass *klass)
{
  HOLO_SYNC_TASK_CLASS (klass)->execute = negate_execute;
}

static void
negate_task_init (NegateTask *task)
{
}

/* Changes the sign; "low" must not be above "high". */
typedef struct
{
  HoloSyncTaskFactory parent_instance;
  gint64 low;
  gint64 high;
} NegateFactory;

typedef struct
{
  HoloSyncTaskFactoryClass parent_class;
} NegateFactoryClass;

GType negate_factory_get_type (void);
G_DEFINE_TYPE (NegateFactory, negate_factory, HOLO_TYPE_SYNC_TASK_FACTORY)

static gboolean
negate_infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  NegateFactory *self = (NegateFactory *) factory;
  HoloTensorDesc desc;

  if (self->low > self->high)
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_SETTING, "low is %" G_GINT64_FORMAT ", above high, %" G_GINT64_FORMAT,
                   self->low, self->high);
      return FALSE;
    }
  holo_tensor_desc_init_dense_like (&desc, holo_inference_get_input_desc (inference, 0));
  holo_inference_add_output (inference, &desc);
  return TRUE;
}

static HoloSyncTask *
negate_create (HoloSyncTaskFactory *factory, const HoloInference *inference, const HoloSyncCreateContext *context,
               GError **error)
{
  return g_object_new (negate_task_get_type (), NULL);
}

static void
negate_factory_class_init (NegateFactoryClass *klass)
{
  HOLO_TASK_FACTORY_CLASS (klass)->infer = negate_infer;
  HOLO_SYNC_TASK_FACTORY_CLASS (klass)->create = negate_create;
  holo_task_factory_class_set_description (klass, "Changes the sign", "out = -in");
  holo_task_factory_class_add_input (klass, "in", HOLO_DTYPES (F32), HOLO_MEM_LOCS_HOST, 0, HOLO_MAX_RANK,
                                     HOLO_SLOT_DENSE, NULL);
  holo_task_factory_class_add_output (klass, "out", HOLO_DTYPES (F32), HOLO_MEM_LOCS_HOST, 0, HOLO_MAX_RANK,
                                      HOLO_SLOT_NONE, NULL);
  holo_settings_install_int64 (klass, "low", "A limit", NULL, 0, 100, 1, HOLO_SETTING_NONE,
                               G_STRUCT_OFFSET (NegateFactory, low));
  holo_settings_install_int64 (klass, "high", "Another", NULL, 0, 100, 2, HOLO_SETTING_NONE,
                               G_STRUCT_OFFSET (NegateFactory, high));
}

static void
negate_factory_init (NegateFactory *factory)
{
}

static GstContext *
new_context (void)
{
  g_autoptr (HoloRegistry) registry = holo_registry_new ();
  GstContext *context = gst_context_new ("holoflow.registry", TRUE);

  holo_registry_add_builtin (registry);
  g_assert_true (holo_registry_register_sync (registry, "Negate", negate_factory_get_type (), NULL));
  gst_structure_set (gst_context_writable_structure (context), "registry", HOLO_TYPE_REGISTRY, registry, NULL);
  return context;
}

#define GRAPH_NEGATE                                                                                                   \
  GRAPH (NODE ("in", "Input", "") "," NODE ("n", "Negate", "") "," NODE ("q", "Queue", "") "," NODE ("out", "Output",  \
                                                                                                     ""),              \
         EDGE ("in", 0, "n", 0) "," EDGE ("n", 0, "q", 0) "," EDGE ("q", 0, "out", 0))

static GstHarness *
new_negate_harness (GstBus *bus)
{
  g_autoptr (GstContext) context = new_context ();
  GstElement *bin = new_bin (NULL);
  GstHarness *harness;

  gst_element_set_context (bin, context);
  g_object_set (bin, "graph", GRAPH_NEGATE, NULL);
  gst_element_set_bus (bin, bus);
  harness = gst_harness_new_with_element (bin, "sink_in", "src_out");
  gst_object_unref (bin);
  gst_harness_set_src_caps_str (harness, CAPS);
  g_assert_cmpint (gst_harness_push (harness, new_frame (5, 0)), ==, GST_FLOW_OK);
  assert_frame (gst_harness_pull (harness), -5);
  return harness;
}

/* ---- settings of nodes ---- */

static gint quit;

static void
test_children (void)
{
  GstElement *bin = new_bin (GRAPH_CHAIN);
  GstChildProxy *proxy = GST_CHILD_PROXY (bin);
  gdouble x, y;

  g_assert_cmpuint (gst_child_proxy_get_children_count (proxy), ==, 5);
  gst_child_proxy_get (proxy, "x::max-fps", &x, "y::max-fps", &y, NULL);
  g_assert_cmpfloat (x, ==, 1000);
  g_assert_cmpfloat (y, ==, 2000);
  /* Two nodes of one kind have settings of their own. */
  gst_child_proxy_set (proxy, "x::max-fps", 500.0, NULL);
  gst_child_proxy_get (proxy, "x::max-fps", &x, "y::max-fps", &y, NULL);
  g_assert_cmpfloat (x, ==, 500);
  g_assert_cmpfloat (y, ==, 2000);
  g_assert_cmpint (gst_element_set_state (bin, GST_STATE_READY), ==, GST_STATE_CHANGE_SUCCESS);
  gst_element_set_state (bin, GST_STATE_NULL);
  gst_child_proxy_set (proxy, "q::capacity", (gint64) 0, NULL);
  assert_refused (bin, "node \"q\"");
  gst_child_proxy_set (proxy, "q::capacity", (gint64) 4, NULL);
  g_assert_cmpint (gst_element_set_state (bin, GST_STATE_READY), ==, GST_STATE_CHANGE_SUCCESS);
  gst_element_set_state (bin, GST_STATE_NULL);
  gst_object_unref (bin);
}

static void
test_unknown_node (void)
{
  GstElement *bin = new_bin (GRAPH_CHAIN);
  GObject *target = NULL;
  GParamSpec *pspec = NULL;

  g_assert_false (gst_child_proxy_lookup (GST_CHILD_PROXY (bin), "qq::capacity", &target, &pspec));
  assert_refused (bin, "did you mean \"q\"");
  gst_object_unref (bin);

  /* Asked for before the graph was there, and then it is in the graph. */
  bin = new_bin (NULL);
  g_assert_false (gst_child_proxy_lookup (GST_CHILD_PROXY (bin), "q::capacity", &target, &pspec));
  g_object_set (bin, "graph", GRAPH_CHAIN, NULL);
  g_assert_cmpint (gst_element_set_state (bin, GST_STATE_READY), ==, GST_STATE_CHANGE_SUCCESS);
  gst_element_set_state (bin, GST_STATE_NULL);
  gst_object_unref (bin);
}

static guint
count_warnings (GstBus *bus)
{
  GstMessage *message;
  guint n = 0;

  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING)) != NULL)
    {
      n++;
      gst_message_unref (message);
    }
  return n;
}

static void
assert_limits (GstHarness *harness, gint64 low, gint64 high)
{
  gint64 found_low, found_high;

  gst_child_proxy_get (GST_CHILD_PROXY (harness->element), "n::low", &found_low, "n::high", &found_high, NULL);
  g_assert_cmpint (found_low, ==, low);
  g_assert_cmpint (found_high, ==, high);
}

/* While playing: a good value is taken, a bad one gives a warning and stays pending until the others fit it.
 */
static void
test_live (void)
{
  GstBus *bus = gst_bus_new ();
  GstHarness *harness = new_negate_harness (bus);
  GstChildProxy *proxy = GST_CHILD_PROXY (harness->element);

  gst_child_proxy_set (proxy, "n::high", (gint64) 3, NULL);
  g_assert_cmpuint (count_warnings (bus), ==, 0);
  assert_limits (harness, 1, 3);
  /* Above the other limit: refused, until that is higher too. */
  gst_child_proxy_set (proxy, "n::low", (gint64) 5, NULL);
  g_assert_cmpuint (count_warnings (bus), ==, 1);
  assert_limits (harness, 1, 3);
  gst_child_proxy_set (proxy, "n::high", (gint64) 9, NULL);
  g_assert_cmpuint (count_warnings (bus), ==, 0);
  assert_limits (harness, 5, 9);
  /* Out of range: never taken, and not clamped either. */
  gst_child_proxy_set (proxy, "n::high", (gint64) 1000, NULL);
  g_assert_cmpuint (count_warnings (bus), ==, 1);
  assert_limits (harness, 5, 9);
  for (guint i = 0; i < 20; i++)
    {
      g_assert_cmpint (gst_harness_push (harness, new_frame (i, i)), ==, GST_FLOW_OK);
      assert_frame (gst_harness_pull (harness), -(gfloat) i);
    }
  gst_element_set_bus (harness->element, NULL);
  gst_object_unref (bus);
  test_teardown (harness);
}

#define GRAPH_SCALE                                                                                                    \
  GRAPH (NODE ("in", "Input", "") "," NODE ("a", "Normalize", "") "," NODE ("q", "Queue", "") "," NODE (               \
             "b", "Normalize", "") "," NODE ("out", "Output", ""),                                                     \
         EDGE ("in", 0, "a", 0) "," EDGE ("a", 0, "q", 0) "," EDGE ("q", 0, "b", 0) "," EDGE ("b", 0, "out", 0))

static gfloat
push_and_get_largest (GstHarness *harness)
{
  const gfloat values[] = { 1, 2, 3, 4 };
  g_autoptr (GstBuffer) in = new_frame (0, 0), out = NULL;
  gfloat largest;

  g_assert_cmpuint (gst_buffer_fill (in, 0, values, sizeof values), ==, sizeof values);
  g_assert_cmpint (gst_harness_push (harness, g_steal_pointer (&in)), ==, GST_FLOW_OK);
  out = gst_harness_pull (harness);
  gst_buffer_extract (out, 3 * sizeof (gfloat), &largest, sizeof largest);
  return largest;
}

static gpointer
keep_pushing (gpointer data)
{
  GstHarness *harness = data;

  while (!g_atomic_int_get (&quit))
    push_and_get_largest (harness);
  return NULL;
}

/* Each value comes while the one before is on its way; the last one wins, and a bad one among them is refused at once. */
static void
test_quick_changes (void)
{
  GstBus *bus = gst_bus_new ();
  GstHarness *harness = new_bin_harness (GRAPH_SCALE, "sink_in", "src_out");
  GstChildProxy *proxy = GST_CHILD_PROXY (harness->element);
  gdouble maximum;

  gst_element_set_bus (harness->element, bus);
  gst_harness_set_src_caps_str (harness, CAPS);
  for (gdouble round = 1; round <= 5; round++)
    {
      GThread *thread;

      g_atomic_int_set (&quit, FALSE);
      thread = g_thread_new ("pusher", keep_pushing, harness);
      for (guint i = 1; i <= 30; i++)
        {
          gst_child_proxy_set (proxy, "b::maximum", round * 1000 + i, "q::capacity", (gint64) (2 + i % 3), NULL);
          gst_child_proxy_get (proxy, "b::maximum", &maximum, NULL);
          g_assert_cmpfloat (maximum, ==, round * 1000 + i);
          if (i == 15)
            {
              gst_child_proxy_set (proxy, "a::maximum", 1e301, NULL);
              g_assert_cmpuint (count_warnings (bus), ==, 1);
            }
          if (i % 4 == 0)
            g_thread_yield ();
        }
      g_atomic_int_set (&quit, TRUE);
      g_thread_join (thread);
      for (guint n = 0; push_and_get_largest (harness) != (gfloat) (round * 1000 + 30); n++)
        {
          g_assert_cmpuint (n, <, 5000);
          g_usleep (100);
        }
      for (guint n = 0; n < 4; n++)
        g_assert_cmpfloat (push_and_get_largest (harness), ==, (gfloat) (round * 1000 + 30));
      g_assert_cmpuint (count_warnings (bus), ==, 0);
    }
  gst_element_set_bus (harness->element, NULL);
  gst_object_unref (bus);
  test_teardown (harness);
}

/* The element may stop at any moment of all that; what was set is there at the next start. */
static void
test_change_and_stop (void)
{
  GstHarness *harness = new_bin_harness (GRAPH_SCALE, "sink_in", "src_out");

  for (guint round = 1; round <= 50; round++)
    {
      gst_element_set_state (harness->element, GST_STATE_PLAYING);
      gst_harness_set_src_caps_str (harness, CAPS);
      g_assert_cmpfloat (push_and_get_largest (harness), ==, round == 1 ? 1 : (gfloat) (round - 1 + 10));
      for (guint i = 1; i <= 10; i++)
        gst_child_proxy_set (GST_CHILD_PROXY (harness->element), "b::maximum", (gdouble) (round + i), NULL);
      gst_element_set_state (harness->element, round % 2 ? GST_STATE_READY : GST_STATE_NULL);
    }
  test_teardown (harness);
}

/* Several values at once, of which each alone would be refused or not, depending on the order. */
static void
test_set_settings (void)
{
  GstBus *bus = gst_bus_new ();
  GstHarness *harness = new_negate_harness (bus);
  g_autoptr (GstStructure) settings =
      gst_structure_new ("settings", "low", G_TYPE_INT, 50, "high", G_TYPE_INT64, G_GINT64_CONSTANT (60), NULL);

  g_signal_emit_by_name (harness->element, "set-settings", "n", settings);
  g_assert_cmpuint (count_warnings (bus), ==, 0);
  assert_limits (harness, 50, 60);
  gst_structure_set (settings, "low", G_TYPE_INT, 70, NULL);
  g_signal_emit_by_name (harness->element, "set-settings", "n", settings);
  g_assert_cmpuint (count_warnings (bus), ==, 1);
  assert_limits (harness, 50, 60);
  gst_element_set_bus (harness->element, NULL);
  gst_object_unref (bus);
  test_teardown (harness);
}

/* A larger queue while frames wait in it: they stay. */
static void
test_live_capacity (void)
{
  GstHarness *harness = gst_harness_new_parse ("holoqueue max-size-buffers=2");
  GstElement *queue = gst_harness_find_element (harness, "holoqueue");
  GstPad *src = gst_element_get_static_pad (queue, "src");
  gulong probe = gst_pad_add_probe (src, GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_BUFFER, NULL, NULL, NULL);

  gst_harness_set_src_caps_str (harness, CAPS);
  for (guint i = 0; i < 3; i++)
    {
      g_assert_cmpint (gst_harness_push (harness, new_frame (i, i)), ==, GST_FLOW_OK);
      if (i == 0)
        wait_until (gst_pad_is_blocking (src));
    }
  g_object_set (queue, "max-size-buffers", 10, NULL);
  gst_pad_remove_probe (src, probe);
  for (guint i = 3; i < 9; i++)
    g_assert_cmpint (gst_harness_push (harness, new_frame (i, i)), ==, GST_FLOW_OK);
  for (guint i = 0; i < 9; i++)
    assert_frame (gst_harness_pull (harness), i);
  gst_object_unref (src);
  gst_object_unref (queue);
  test_teardown (harness);
}

#define GRAPH_JOIN                                                                                                     \
  GRAPH (NODE ("a", "Input", "") "," NODE ("qa", "Queue", "\"capacity\": 2") "," NODE ("b", "Input", "") "," NODE (    \
             "qb", "Queue", "\"capacity\": 4") "," NODE ("add", "Add", "") "," NODE ("out", "Output", ""),             \
         EDGE ("a", 0, "qa", 0) "," EDGE ("qa", 0, "add", 0) "," EDGE ("b", 0, "qb", 0) "," EDGE (                     \
             "qb", 0, "add", 1) "," EDGE ("add", 0, "out", 0))

/* Other settings take effect while the graph waits for a partner of the frame it has in hand; the frame stays. */
static void
test_live_join (void)
{
  GstHarness *a = new_bin_harness (GRAPH_JOIN, "sink_a", "src_out");
  GstHarness *b = gst_harness_new_with_element (a->element, "sink_b", NULL);

  gst_harness_set_src_caps_str (a, CAPS);
  gst_harness_set_src_caps_str (b, CAPS);
  for (guint i = 0; i < 20; i++)
    {
      guint64 n_compiled = get_stat (a->element, "compiled");

      g_assert_cmpint (gst_harness_push (a, new_frame (i, i)), ==, GST_FLOW_OK);
      wait_until (get_calls (a->element, "qa", "pop") == i + 1);
      gst_child_proxy_set (GST_CHILD_PROXY (a->element), "qa::capacity", (gint64) (3 + i % 2), NULL);
      wait_until (get_stat (a->element, "compiled") > n_compiled);
      g_assert_cmpint (gst_harness_push (b, new_frame (100, i)), ==, GST_FLOW_OK);
      assert_frame (gst_harness_pull (a), 100 + i);
    }
  gst_harness_teardown (b);
  test_teardown (a);
}

/* ---- questions in any state ---- */

typedef struct
{
  GstElement *bin;
  GstPad *sink, *src;
  gint over;
} Asker;

static gpointer
ask (gpointer data)
{
  Asker *asker = data;

  while (!g_atomic_int_get (&asker->over))
    {
      GstStructure *stats = NULL;
      gint64 position;

      g_object_get (asker->bin, "holo-stats", &stats, NULL);
      g_assert_nonnull (stats);
      gst_structure_free (stats);
      gst_caps_unref (gst_pad_query_caps (asker->sink, NULL));
      gst_caps_unref (gst_pad_query_caps (asker->src, NULL));
      gst_pad_query_position (asker->src, GST_FORMAT_TIME, &position);
    }
  return NULL;
}

static void
test_ask_in_any_state (void)
{
  Asker asker = { new_bin (GRAPH_QUEUE), NULL, NULL, FALSE };
  GThread *thread;

  asker.sink = gst_element_request_pad_simple (asker.bin, "sink_in");
  asker.src = gst_element_request_pad_simple (asker.bin, "src_out");
  thread = g_thread_new ("ask", ask, &asker);
  for (guint i = 0; i < 1000; i++)
    {
      gst_element_set_state (asker.bin, i % 10 == 0 ? GST_STATE_PLAYING : GST_STATE_READY);
      gst_element_set_state (asker.bin, GST_STATE_NULL);
    }
  g_atomic_int_set (&asker.over, TRUE);
  g_thread_join (thread);
  gst_object_unref (asker.sink);
  gst_object_unref (asker.src);
  gst_object_unref (asker.bin);
}

/* From inside the stream: neither a new graph nor a new setting may hang. */
static GstPadProbeReturn
change_everything (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  GstElement *bin = user_data;

  g_object_set (bin, "graph", GRAPH_QUEUE, NULL);
  gst_child_proxy_set (GST_CHILD_PROXY (bin), "q::capacity", (gint64) 5, NULL);
  return GST_PAD_PROBE_OK;
}

static void
test_change_from_probe (void)
{
  GstHarness *harness = new_bin_harness (GRAPH_QUEUE, "sink_in", "src_out");
  GstPad *src = gst_pad_get_peer (harness->sinkpad);

  gst_pad_add_probe (src, GST_PAD_PROBE_TYPE_BUFFER, change_everything, harness->element, NULL);
  gst_pad_add_probe (harness->srcpad, GST_PAD_PROBE_TYPE_BUFFER, change_everything, harness->element, NULL);
  gst_harness_set_src_caps_str (harness, CAPS);
  for (guint i = 0; i < 20; i++)
    {
      g_assert_cmpint (gst_harness_push (harness, new_frame (i, i)), ==, GST_FLOW_OK);
      assert_frame (gst_harness_pull (harness), i);
    }
  gst_object_unref (src);
  test_teardown (harness);
}

/* ---- pads that come and go while others are at work ---- */

#define GRAPH_THREE                                                                                                    \
  GRAPH (NODE ("a", "Input", "") "," NODE ("b", "Input", "") "," NODE ("c", "Input", "") "," NODE (                    \
             "q", "Queue", "") "," NODE ("sa", "Sqrt", "") "," NODE ("x", "Output",                                    \
                                                                     "") "," NODE ("y", "Output",                      \
                                                                                   "") "," NODE ("z", "Output", ""),   \
         EDGE ("a", 0, "sa", 0) "," EDGE ("sa", 0, "x", 0) "," EDGE ("b", 0, "q", 0) "," EDGE (                        \
             "q", 0, "y", 0) "," EDGE ("c", 0, "z", 0))

typedef struct
{
  GstHarness *harness;
  guint n_frames;
} Stream;

static gpointer
stream (gpointer data)
{
  Stream *self = data;

  for (guint i = 0; i < self->n_frames; i++)
    {
      g_assert_cmpint (gst_harness_push (self->harness, new_frame (i, i)), ==, GST_FLOW_OK);
      gst_buffer_unref (gst_harness_pull (self->harness));
    }
  return NULL;
}

static void
test_pads_come_and_go (void)
{
  GstHarness *a = new_bin_harness (GRAPH_THREE, "sink_a", "src_x");
  GstHarness *b = gst_harness_new_with_element (a->element, "sink_b", "src_y");
  Stream streams[2] = { { a, 2000 }, { b, 2000 } };
  GThread *threads[2];

  gst_harness_set_src_caps_str (a, CAPS);
  gst_harness_set_src_caps_str (b, CAPS);
  threads[0] = g_thread_new ("a", stream, &streams[0]);
  threads[1] = g_thread_new ("b", stream, &streams[1]);
  for (guint i = 0; i < 200; i++)
    {
      GstPad *sink = gst_element_request_pad_simple (a->element, "sink_c");
      GstPad *src = gst_element_request_pad_simple (a->element, "src_z");

      g_assert_nonnull (sink);
      g_assert_nonnull (src);
      if (i % 2 == 0)
        {
          g_autoptr (GstCaps) caps = gst_caps_from_string (CAPS);
          GstSegment segment;

          gst_segment_init (&segment, GST_FORMAT_TIME);
          gst_pad_send_event (sink, gst_event_new_stream_start ("c"));
          gst_pad_send_event (sink, gst_event_new_caps (caps));
          gst_pad_send_event (sink, gst_event_new_segment (&segment));
          g_assert_cmpint (gst_pad_chain (sink, new_frame (1, 0)), ==, GST_FLOW_NOT_LINKED);
        }
      gst_element_release_request_pad (a->element, sink);
      gst_element_release_request_pad (a->element, src);
      gst_object_unref (sink);
      gst_object_unref (src);
    }
  g_thread_join (threads[0]);
  g_thread_join (threads[1]);
  test_teardown (b);
  test_teardown (a);
}

/* ---- a kind of the application's own in a graph ---- */

static void
test_own_kind (void)
{
  g_autoptr (GstContext) context = new_context ();
  GstElement *bin = new_bin (GRAPH_NEGATE);
  GstHarness *harness;

  assert_refused (bin, "Negate");
  gst_element_set_context (bin, context);
  harness = gst_harness_new_with_element (bin, "sink_in", "src_out");
  gst_harness_set_src_caps_str (harness, CAPS);
  g_assert_cmpint (gst_harness_push (harness, new_frame (5, 0)), ==, GST_FLOW_OK);
  assert_frame (gst_harness_pull (harness), -5);
  test_teardown (harness);
  gst_object_unref (bin);
}

/* ---- graphs without an Input or without an Output ---- */

static void
test_source (void)
{
  g_autoptr (GError) error = NULL;
  GstElement *pipeline = gst_parse_launch ("holoflowbin name=h ! fakesink", &error);
  g_autoptr (GstElement) bin = gst_bin_get_by_name (GST_BIN (pipeline), "h");

  g_assert_no_error (error);
  g_object_set (
      bin, "graph",
      GRAPH (NODE ("s", "Sequence", "\"shape\": [4], \"dtype\": \"F32\", \"count\": 10") "," NODE ("out", "Output", ""),
             EDGE ("s", 0, "out", 0)),
      NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  assert_eos (pipeline);
  g_assert_cmpuint (get_calls (bin, "s", "execute"), ==, 10);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

gint
main (gint argc, gchar **argv)
{
  test_init_gst (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/gst/bin/bad-graphs", test_bad_graphs);
  g_test_add_func ("/gst/bin/location", test_location);
  g_test_add_func ("/gst/bin/bad-caps", test_bad_caps);
  g_test_add_func ("/gst/bin/pads", test_pads);
  g_test_add_func ("/gst/bin/placeholders", test_placeholders);
  g_test_add_func ("/gst/bin/children", test_children);
  g_test_add_func ("/gst/bin/unknown-node", test_unknown_node);
  g_test_add_func ("/gst/bin/live", test_live);
  g_test_add_func ("/gst/bin/quick-changes", test_quick_changes);
  g_test_add_func ("/gst/bin/change-and-stop", test_change_and_stop);
  g_test_add_func ("/gst/bin/set-settings", test_set_settings);
  g_test_add_func ("/gst/bin/live-capacity", test_live_capacity);
  g_test_add_func ("/gst/bin/live-join", test_live_join);
  g_test_add_func ("/gst/bin/ask-in-any-state", test_ask_in_any_state);
  g_test_add_func ("/gst/bin/change-from-probe", test_change_from_probe);
  g_test_add_func ("/gst/bin/pads-come-and-go", test_pads_come_and_go);
  g_test_add_func ("/gst/bin/own-kind", test_own_kind);
  g_test_add_func ("/gst/bin/source", test_source);
  return g_test_run ();
}
