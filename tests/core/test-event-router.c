/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <holoflow/holoflow.h>

static JsonNode *
make_data (const gchar *key, const gchar *value)
{
  JsonObject *object = json_object_new ();
  JsonNode *node = json_node_new (JSON_NODE_OBJECT);

  json_object_set_string_member (object, key, value);
  json_node_take_object (node, object);
  return node;
}

static const gchar *
get_text (HoloEvent *event, const gchar *key)
{
  return json_object_get_string_member (json_node_get_object (event->data), key);
}

static void
bind (HoloEventRouter *router, const gchar *node, HoloEventReader **reader, HoloEventWriter **writer)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (holo_event_router_bind_node (router, node, reader, writer, &error));
  g_assert_no_error (error);
}

/* ---- the original's rows: no tick, delivery is at once ---- */

static void
test_to_node (void)
{
  g_autoptr (HoloEventRouter) router = holo_event_router_new (0, 0);
  g_autoptr (JsonNode) data = make_data ("command", "start");
  g_autoptr (HoloEvent) event = NULL;
  HoloEventReader *reader;
  HoloEventWriter *writer;

  bind (router, "node", &reader, &writer);
  g_assert_true (holo_event_router_send (router, "node", data, NULL));
  /* The event is a copy. */
  json_object_set_string_member (json_node_get_object (data), "command", "changed");
  event = holo_event_reader_pop (reader);
  g_assert_nonnull (event);
  g_assert_cmpstr (event->node, ==, "node");
  g_assert_cmpint (event->direction, ==, HOLO_EVENT_TO_NODE);
  g_assert_cmpstr (get_text (event, "command"), ==, "start");
  g_assert_null (holo_event_reader_pop (reader));
  g_assert_null (holo_event_router_receive (router));
}

static void
test_to_app (void)
{
  g_autoptr (HoloEventRouter) router = holo_event_router_new (0, 0);
  g_autoptr (JsonNode) data = make_data ("state", "ready");
  g_autoptr (HoloEvent) event = NULL;
  HoloEventReader *reader;
  HoloEventWriter *writer;
  gint64 before = g_get_monotonic_time ();

  bind (router, "node", &reader, &writer);
  g_assert_true (holo_event_writer_push (writer, data));
  event = holo_event_router_receive (router);
  g_assert_nonnull (event);
  g_assert_cmpstr (event->node, ==, "node");
  g_assert_cmpint (event->direction, ==, HOLO_EVENT_TO_APP);
  g_assert_cmpstr (get_text (event, "state"), ==, "ready");
  g_assert_cmpint (event->time, >=, before);
  g_assert_cmpint (event->time, <=, g_get_monotonic_time ());
  g_assert_null (holo_event_reader_pop (reader));
}

static void
append_value (HoloEvent *event, gpointer text)
{
  g_string_append (text, get_text (event, "v"));
}

static void
test_budget (void)
{
  g_autoptr (HoloEventRouter) router = holo_event_router_new (0, 0);
  g_autoptr (GString) seen = g_string_new (NULL);
  HoloEventReader *reader;
  HoloEventWriter *writer;

  bind (router, "node", &reader, &writer);
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (JsonNode) data = make_data ("v", i == 0 ? "a" : "b");

      g_assert_true (holo_event_writer_push (writer, data));
    }
  g_assert_cmpuint (holo_event_router_dispatch (router, 0, append_value, seen), ==, 0);
  g_assert_cmpuint (holo_event_router_dispatch (router, 1, append_value, seen), ==, 1);
  g_assert_cmpstr (seen->str, ==, "a");
  g_assert_cmpuint (holo_event_router_dispatch (router, 1, append_value, seen), ==, 1);
  g_assert_cmpstr (seen->str, ==, "ab");
  g_assert_cmpuint (holo_event_router_dispatch (router, 1, append_value, seen), ==, 0);
}

static void
test_drops (void)
{
  g_autoptr (HoloEventRouter) router = holo_event_router_new (1, 1);
  g_autoptr (JsonNode) first = make_data ("v", "first"), second = make_data ("v", "second");
  g_autoptr (HoloEvent) event = NULL;
  g_autoptr (GError) error = NULL;
  HoloEventCounters counters;
  HoloEventReader *reader;
  HoloEventWriter *writer;

  bind (router, "node", &reader, &writer);
  g_assert_false (holo_event_router_send (router, "mode", first, &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_GRAPH);
  g_assert_cmpstr (error->message, ==, "there is no node \"mode\" to send an event to; did you mean \"node\"?");
  g_clear_error (&error);
  g_assert_cmpuint (holo_event_router_get_unknown (router), ==, 1);

  g_assert_true (holo_event_router_send (router, "node", first, NULL));
  g_assert_false (holo_event_router_send (router, "node", second, &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_STATE);
  g_assert_true (holo_event_router_get_node_counters (router, "node", &counters));
  g_assert_cmpuint (counters.sent, ==, 1);
  g_assert_cmpuint (counters.received, ==, 0);
  g_assert_cmpuint (counters.dropped, ==, 1);
  /* The newest one is dropped. */
  event = holo_event_reader_pop (reader);
  g_assert_cmpstr (get_text (event, "v"), ==, "first");

  g_assert_true (holo_event_writer_push (writer, first));
  g_assert_false (holo_event_writer_push (writer, second));
  holo_event_router_get_app_counters (router, &counters);
  g_assert_cmpuint (counters.sent, ==, 1);
  g_assert_cmpuint (counters.dropped, ==, 1);
  g_assert_false (holo_event_router_get_node_counters (router, "missing", &counters));
}

static void
test_drop_all (void)
{
  g_autoptr (HoloEventRouter) router = holo_event_router_new (0, 0);
  HoloEventCounters counters;
  HoloEventReader *reader;
  HoloEventWriter *writer;

  bind (router, "node", &reader, &writer);
  g_assert_true (holo_event_router_send (router, "node", NULL, NULL));
  g_assert_true (holo_event_router_send (router, "node", NULL, NULL));
  g_assert_cmpuint (holo_event_reader_drop_all (reader), ==, 2);
  g_assert_cmpuint (holo_event_reader_get_dropped (reader), ==, 2);
  g_assert_null (holo_event_reader_pop (reader));
  holo_event_router_get_node_counters (router, "node", &counters);
  g_assert_cmpuint (counters.sent, ==, 2);
  g_assert_cmpuint (counters.received, ==, 0);
  g_assert_cmpuint (holo_event_reader_drop_all (reader), ==, 0);
}

/* ---- ours ---- */

static void
test_bind_twice (void)
{
  g_autoptr (HoloEventRouter) router = holo_event_router_new (0, 0);
  g_autoptr (GError) error = NULL;
  HoloEventReader *reader;
  HoloEventWriter *writer;

  bind (router, "node", &reader, &writer);
  g_assert_false (holo_event_router_bind_node (router, "node", &reader, &writer, &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_EXISTS);
}

typedef struct
{
  HoloEventRouter *router;
  GMainLoop *loop;
  guint n_calls;
  guint n_events;
  guint n_expected;
} Receiver;

/* Takes one event per call: the source must call again for the rest. */
static gboolean
receive_one (gpointer data)
{
  Receiver *receiver = data;
  g_autoptr (HoloEvent) event = holo_event_router_receive (receiver->router);

  g_assert_nonnull (event);
  receiver->n_calls++;
  if (++receiver->n_events == receiver->n_expected)
    g_main_loop_quit (receiver->loop);
  return G_SOURCE_CONTINUE;
}

static gpointer
push_many (gpointer data)
{
  HoloEventWriter *writer = data;

  for (guint i = 0; i < 500; i++)
    while (!holo_event_writer_push (writer, NULL))
      g_thread_yield ();
  return NULL;
}

static void
test_source (void)
{
  g_autoptr (HoloEventRouter) router = holo_event_router_new (0, 0);
  g_autoptr (GMainContext) context = g_main_context_new ();
  g_autoptr (GMainLoop) loop = g_main_loop_new (context, FALSE);
  g_autoptr (GSource) source = NULL;
  Receiver receiver = { router, loop, 0, 0, 1001 };
  HoloEventReader *reader;
  HoloEventWriter *writer;
  GThread *threads[2];

  bind (router, "node", &reader, &writer);
  /* One event waits already when the source is made. */
  g_assert_true (holo_event_writer_push (writer, NULL));
  source = holo_event_router_create_source (router);
  g_source_set_callback (source, receive_one, &receiver, NULL);
  g_source_attach (source, context);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("push", push_many, writer);
  g_main_loop_run (loop);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  g_assert_cmpuint (receiver.n_events, ==, 1001);
  g_assert_false (g_main_context_iteration (context, FALSE));
  /* A source that was destroyed is not called any more. */
  g_source_destroy (source);
  g_assert_true (holo_event_writer_push (writer, NULL));
  g_assert_false (g_main_context_iteration (context, FALSE));
}

static void
count_call (gpointer data)
{
  ++*(guint *) data;
}

/* The source does not keep its router, and ends with it. */
static void
test_source_outlives_router (void)
{
  HoloEventRouter *router = holo_event_router_new (0, 0);
  g_autoptr (GMainContext) context = g_main_context_new ();
  g_autoptr (GSource) source = holo_event_router_create_source (router);
  gpointer watched = router;
  guint n_destroyed = 0;

  g_object_add_weak_pointer (G_OBJECT (router), &watched);
  g_source_set_callback (source, receive_one, &n_destroyed, count_call);
  g_source_attach (source, context);
  g_object_unref (router);
  g_assert_null (watched);
  g_assert_true (g_source_is_destroyed (source));
  g_assert_cmpuint (n_destroyed, ==, 1);
}

typedef struct
{
  HoloEventRouter *router;
  HoloEventReader *reader;
  gint done;
} Stress;

static gpointer
send_many (gpointer data)
{
  Stress *stress = data;

  for (guint i = 0; i < 5000; i++)
    holo_event_router_send (stress->router, "node", NULL, NULL);
  g_atomic_int_inc (&stress->done);
  return NULL;
}

/* Two threads send into a small mailbox, one reads: every event is received, dropped or still there. */
static void
test_threads (void)
{
  g_autoptr (HoloEventRouter) router = holo_event_router_new (8, 0);
  Stress stress = { router, NULL, 0 };
  HoloEventWriter *writer;
  HoloEventCounters counters;
  GThread *threads[2];
  guint n_received = 0;

  bind (router, "node", &stress.reader, &writer);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("send", send_many, &stress);
  for (gboolean last = FALSE; !last;)
    {
      HoloEvent *event;

      last = g_atomic_int_get (&stress.done) == 2;
      while ((event = holo_event_reader_pop (stress.reader)) != NULL)
        {
          holo_event_unref (event);
          n_received++;
        }
    }
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  holo_event_router_get_node_counters (router, "node", &counters);
  g_assert_cmpuint (counters.received, ==, n_received);
  g_assert_cmpuint (counters.sent, ==, n_received);
  g_assert_cmpuint (counters.sent + counters.dropped, ==, 10000);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/holo/event-router/to-node", test_to_node);
  g_test_add_func ("/holo/event-router/to-app", test_to_app);
  g_test_add_func ("/holo/event-router/budget", test_budget);
  g_test_add_func ("/holo/event-router/drops", test_drops);
  g_test_add_func ("/holo/event-router/drop-all", test_drop_all);
  g_test_add_func ("/holo/event-router/bind-twice", test_bind_twice);
  g_test_add_func ("/holo/event-router/source", test_source);
  g_test_add_func ("/holo/event-router/source-outlives-router", test_source_outlives_router);
  g_test_add_func ("/holo/event-router/threads", test_threads);
  return g_test_run ();
}
