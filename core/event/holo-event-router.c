/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "event/holo-event-router-private.h"

#include "base/holo-json-private.h"
#include "base/holo-environment.h"
#include "base/holo-error.h"
#include "base/holo-nearest-names-private.h"

/* ---- a mailbox ---- */

typedef struct
{
  GMutex lock;
  GQueue events;
  gint n_events; /* also read without the lock: a task looks for events in every frame */
  guint capacity;
  HoloEventCounters counters;
} Mailbox;

static void
mailbox_init (Mailbox *box, guint capacity)
{
  g_mutex_init (&box->lock);
  g_queue_init (&box->events);
  box->capacity = capacity != 0 ? capacity : HOLO_EVENT_DEFAULT_CAPACITY;
}

static void
mailbox_clear (Mailbox *box)
{
  g_queue_clear_full (&box->events, (GDestroyNotify) holo_event_unref);
  g_mutex_clear (&box->lock);
}

static gboolean
mailbox_is_empty (Mailbox *box)
{
  return g_atomic_int_get (&box->n_events) == 0;
}

/* Takes @event. A full box drops it: what was sent earlier is not lost for what comes later. */
static gboolean
mailbox_push (Mailbox *box, HoloEvent *event)
{
  gboolean accepted;

  g_mutex_lock (&box->lock);
  accepted = box->events.length < box->capacity;
  if (accepted)
    {
      g_queue_push_tail (&box->events, event);
      g_atomic_int_inc (&box->n_events);
      box->counters.sent++;
    }
  else
    box->counters.dropped++;
  g_mutex_unlock (&box->lock);
  if (!accepted)
    holo_event_unref (event);
  return accepted;
}

static HoloEvent *
mailbox_pop (Mailbox *box)
{
  HoloEvent *event;

  if (mailbox_is_empty (box))
    return NULL;
  g_mutex_lock (&box->lock);
  event = g_queue_pop_head (&box->events);
  if (event != NULL)
    {
      g_atomic_int_add (&box->n_events, -1);
      box->counters.received++;
    }
  g_mutex_unlock (&box->lock);
  return event;
}

static guint
mailbox_drop_all (Mailbox *box)
{
  GQueue events = G_QUEUE_INIT;
  guint n;

  g_mutex_lock (&box->lock);
  events = box->events;
  g_queue_init (&box->events);
  n = events.length;
  g_atomic_int_set (&box->n_events, 0);
  box->counters.dropped += n;
  g_mutex_unlock (&box->lock);
  g_queue_clear_full (&events, (GDestroyNotify) holo_event_unref);
  return n;
}

static void
mailbox_get_counters (Mailbox *box, HoloEventCounters *counters)
{
  g_mutex_lock (&box->lock);
  *counters = box->counters;
  g_mutex_unlock (&box->lock);
}

/* ---- the router ---- */

struct _HoloEventReader
{
  Mailbox box;
};

struct _HoloEventWriter
{
  HoloEventRouter *router;
  gchar *node;
};

typedef struct
{
  gint ref_count; /* the router's, and one of each call that uses it */
  HoloEventReader reader;
  HoloEventWriter writer;
} Node;

struct _HoloEventRouter
{
  GObject parent_instance;

  Mailbox app;
  guint node_capacity;
  gboolean logs; /* HOLOFLOW_DEBUG=events */

  GMutex lock;
  GHashTable *nodes; /* name -> Node */
  GPtrArray *sources;
  guint64 n_unknown;
};

G_DEFINE_FINAL_TYPE (HoloEventRouter, holo_event_router, G_TYPE_OBJECT)

static void
node_unref (Node *node)
{
  if (!g_atomic_int_dec_and_test (&node->ref_count))
    return;
  mailbox_clear (&node->reader.box);
  g_free (node->writer.node);
  g_free (node);
}

static void
holo_event_router_finalize (GObject *object)
{
  HoloEventRouter *router = HOLO_EVENT_ROUTER (object);

  for (guint i = 0; i < router->sources->len; i++)
    g_source_destroy (g_ptr_array_index (router->sources, i));
  g_ptr_array_unref (router->sources);
  g_hash_table_unref (router->nodes);
  mailbox_clear (&router->app);
  g_mutex_clear (&router->lock);
  G_OBJECT_CLASS (holo_event_router_parent_class)->finalize (object);
}

static void
holo_event_router_class_init (HoloEventRouterClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = holo_event_router_finalize;
}

static void
holo_event_router_init (HoloEventRouter *router)
{
  g_mutex_init (&router->lock);
  router->nodes = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) node_unref);
  router->sources = g_ptr_array_new_with_free_func ((GDestroyNotify) g_source_unref);
}

/**
 * holo_event_router_new:
 * @node_capacity: events that the mailbox of each node holds; 0 for %HOLO_EVENT_DEFAULT_CAPACITY
 * @app_capacity: events that the mailbox of the application holds; 0 for %HOLO_EVENT_DEFAULT_CAPACITY
 *
 * Returns: (transfer full): a router without nodes
 *
 * Since: 0.1
 */
HoloEventRouter *
holo_event_router_new (guint node_capacity, guint app_capacity)
{
  HoloEventRouter *router = g_object_new (HOLO_TYPE_EVENT_ROUTER, NULL);

  mailbox_init (&router->app, app_capacity);
  router->node_capacity = node_capacity;
  router->logs = holo_environment_has_debug ("events");
  return router;
}

static Node *find_node (HoloEventRouter *router, const gchar *name);

/**
 * holo_event_router_bind_node:
 * @router: a router
 * @node: a name
 * @reader: (out) (transfer none): where the node finds its events
 * @writer: (out) (transfer none): how the node sends to the application
 * @error: return location
 *
 * Reader and writer live as long as @router.
 *
 * Returns: %FALSE with %HOLO_ERROR_EXISTS when @node is already bound
 *
 * Since: 0.1
 */
gboolean
holo_event_router_bind_node (HoloEventRouter *router, const gchar *node, HoloEventReader **reader,
                             HoloEventWriter **writer, GError **error)
{
  Node *bound;

  g_mutex_lock (&router->lock);
  if (g_hash_table_contains (router->nodes, node))
    {
      g_mutex_unlock (&router->lock);
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_EXISTS, "the events of node \"%s\" are already bound", node);
      return FALSE;
    }
  bound = g_new0 (Node, 1);
  bound->ref_count = 1;
  mailbox_init (&bound->reader.box, router->node_capacity);
  bound->writer.router = router;
  bound->writer.node = g_strdup (node);
  g_hash_table_insert (router->nodes, bound->writer.node, bound);
  g_mutex_unlock (&router->lock);
  *reader = &bound->reader;
  *writer = &bound->writer;
  return TRUE;
}

/* For a scheduler, whose nodes keep their mailboxes from run to run and from plan to plan: binds @node, or finds it bound. */
void
_holo_event_router_attach_node (HoloEventRouter *router, const gchar *node, HoloEventReader **reader,
                                HoloEventWriter **writer)
{
  Node *bound = find_node (router, node);

  if (bound == NULL)
    {
      holo_event_router_bind_node (router, node, reader, writer, NULL);
      return;
    }
  *reader = &bound->reader;
  *writer = &bound->writer;
  node_unref (bound); /* the router keeps it until the node goes */
}

/* The node has gone, and no task of it will be called. What waits for it is dropped. */
void
_holo_event_router_detach_node (HoloEventRouter *router, const gchar *node)
{
  g_mutex_lock (&router->lock);
  g_hash_table_remove (router->nodes, node);
  g_mutex_unlock (&router->lock);
}

static void
log_event (HoloEventRouter *router, HoloEventDirection direction, const gchar *node, JsonNode *data)
{
  g_autofree gchar *text = NULL;

  if (G_LIKELY (!router->logs))
    return;
  text = data != NULL ? _holo_json_to_short_text (data) : g_strdup ("nothing");
  g_message ("event %s node \"%s\": %s", direction == HOLO_EVENT_TO_NODE ? "to" : "from", node, text);
}

/* A reference, nullable. */
static Node *
find_node (HoloEventRouter *router, const gchar *name)
{
  Node *node;

  g_mutex_lock (&router->lock);
  node = g_hash_table_lookup (router->nodes, name);
  if (node != NULL)
    g_atomic_int_inc (&node->ref_count);
  g_mutex_unlock (&router->lock);
  return node;
}

static void
set_unknown_error (HoloEventRouter *router, const gchar *name, GError **error)
{
  g_autofree const gchar **names = NULL;
  g_autofree gchar *suggestion = NULL;

  g_mutex_lock (&router->lock);
  router->n_unknown++;
  names = (const gchar **) g_hash_table_get_keys_as_array (router->nodes, NULL);
  g_mutex_unlock (&router->lock);
  suggestion = _holo_did_you_mean (name, names);
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_GRAPH, "there is no node \"%s\" to send an event to%s", name, suggestion);
}

/**
 * holo_event_router_send:
 * @router: a router
 * @node: name of a node
 * @data: (nullable) (transfer none): any JSON
 * @error: return location
 *
 * Puts an event into the node's mailbox, at once.
 *
 * Returns: %FALSE with %HOLO_ERROR_GRAPH when the node is unknown and %HOLO_ERROR_STATE when its mailbox is
 *   full; both are counted
 *
 * Since: 0.1
 */
gboolean
holo_event_router_send (HoloEventRouter *router, const gchar *node, JsonNode *data, GError **error)
{
  Node *target = find_node (router, node);
  gboolean sent;

  if (target == NULL)
    {
      set_unknown_error (router, node, error);
      return FALSE;
    }
  log_event (router, HOLO_EVENT_TO_NODE, node, data);
  sent = mailbox_push (&target->reader.box, holo_event_new (HOLO_EVENT_TO_NODE, node, data));
  if (!sent)
    g_set_error (error, HOLO_ERROR, HOLO_ERROR_STATE,
                 "the mailbox of node \"%s\" is full: it has not read its %u events; the new one is dropped", node,
                 target->reader.box.capacity);
  node_unref (target);
  return sent;
}

/**
 * holo_event_router_receive:
 * @router: a router
 *
 * Returns: (transfer full) (nullable): the oldest event for the application; %NULL when there is none
 *
 * Since: 0.1
 */
HoloEvent *
holo_event_router_receive (HoloEventRouter *router)
{
  return mailbox_pop (&router->app);
}

/**
 * holo_event_router_dispatch:
 * @router: a router
 * @budget: most events to hand out
 * @func: (scope call): gets each event, which it may keep with holo_event_ref()
 * @user_data: for @func
 *
 * Returns: how many were handed out
 *
 * Since: 0.1
 */
guint
holo_event_router_dispatch (HoloEventRouter *router, guint budget, HoloEventFunc func, gpointer user_data)
{
  guint n;

  for (n = 0; n < budget; n++)
    {
      g_autoptr (HoloEvent) event = mailbox_pop (&router->app);

      if (event == NULL)
        break;
      func (event, user_data);
    }
  return n;
}

/**
 * holo_event_router_get_app_counters:
 * @router: a router
 * @counters: (out caller-allocates): of the mailbox towards the application
 *
 * Any thread.
 *
 * Since: 0.1
 */
void
holo_event_router_get_app_counters (HoloEventRouter *router, HoloEventCounters *counters)
{
  mailbox_get_counters (&router->app, counters);
}

/**
 * holo_event_router_get_node_counters:
 * @router: a router
 * @node: name of a node
 * @counters: (out): of its mailbox
 *
 * Returns: %FALSE when the node is not bound
 *
 * Since: 0.1
 */
gboolean
holo_event_router_get_node_counters (HoloEventRouter *router, const gchar *node, HoloEventCounters *counters)
{
  Node *bound = find_node (router, node);

  if (bound == NULL)
    return FALSE;
  mailbox_get_counters (&bound->reader.box, counters);
  node_unref (bound);
  return TRUE;
}

/**
 * holo_event_router_get_unknown:
 * @router: a router
 *
 * Returns: how many sends went to nodes that are not bound. Any thread
 *
 * Since: 0.1
 */
guint64
holo_event_router_get_unknown (HoloEventRouter *router)
{
  guint64 n_unknown;

  g_mutex_lock (&router->lock);
  n_unknown = router->n_unknown;
  g_mutex_unlock (&router->lock);
  return n_unknown;
}

/* ---- sources ---- */

/* Ready time 0 means that events wait. It is taken back before the callback runs and set again after it when
 * events are left; whoever pushes sets it after the push. So no event is overlooked, and nothing is polled. */
typedef struct
{
  GSource parent;
  GWeakRef router;
} RouterSource;

static gboolean
router_source_dispatch (GSource *source, GSourceFunc callback, gpointer user_data)
{
  g_autoptr (HoloEventRouter) router = g_weak_ref_get (&((RouterSource *) source)->router);
  gboolean goes_on;

  g_source_set_ready_time (source, -1);
  if (router == NULL)
    return G_SOURCE_REMOVE;
  /* The wake of a push may come after its event was taken. */
  if (mailbox_is_empty (&router->app))
    return G_SOURCE_CONTINUE;
  goes_on = callback != NULL ? callback (user_data) : G_SOURCE_CONTINUE;
  if (callback != NULL && !mailbox_is_empty (&router->app))
    g_source_set_ready_time (source, 0);
  return goes_on;
}

static void
router_source_finalize (GSource *source)
{
  g_weak_ref_clear (&((RouterSource *) source)->router);
}

/* The router holds a reference to each source, since a push may come while somebody else drops his; destroyed
 * ones are let go here. */
static void
wake_sources (HoloEventRouter *router)
{
  g_mutex_lock (&router->lock);
  for (guint i = router->sources->len; i-- > 0;)
    {
      GSource *source = g_ptr_array_index (router->sources, i);

      if (g_source_is_destroyed (source))
        g_ptr_array_remove_index_fast (router->sources, i);
      else
        g_source_set_ready_time (source, 0);
    }
  g_mutex_unlock (&router->lock);
}

/**
 * holo_event_router_create_source:
 * @router: a router
 *
 * Returns: (transfer full): a source for a main loop. Its callback, a #GSourceFunc, is called while events
 *   for the application wait, and takes them with holo_event_router_receive() or
 *   holo_event_router_dispatch(). The source ends with the router and does not keep it alive.
 *
 * Since: 0.1
 */
GSource *
holo_event_router_create_source (HoloEventRouter *router)
{
  static GSourceFuncs funcs = { .dispatch = router_source_dispatch, .finalize = router_source_finalize };
  GSource *source = g_source_new (&funcs, sizeof (RouterSource));

  g_source_set_name (source, "HoloEventRouter");
  g_weak_ref_init (&((RouterSource *) source)->router, router);
  g_mutex_lock (&router->lock);
  g_ptr_array_add (router->sources, g_source_ref (source));
  g_mutex_unlock (&router->lock);
  if (!mailbox_is_empty (&router->app))
    g_source_set_ready_time (source, 0);
  return source;
}

/* ---- the node's ends ---- */

/**
 * holo_event_reader_pop:
 * @reader: a node's reader
 *
 * Returns: (transfer full) (nullable): the oldest event for the node; %NULL when there is none. Costs next to
 *   nothing then, so a task may ask in every frame.
 *
 * Since: 0.1
 */
HoloEvent *
holo_event_reader_pop (HoloEventReader *reader)
{
  return mailbox_pop (&reader->box);
}

/**
 * holo_event_reader_get_dropped:
 * @reader: a node's reader
 *
 * Returns: events that were refused because the mailbox was full, and those of holo_event_reader_drop_all()
 *
 * Since: 0.1
 */
guint64
holo_event_reader_get_dropped (HoloEventReader *reader)
{
  HoloEventCounters counters;

  mailbox_get_counters (&reader->box, &counters);
  return counters.dropped;
}

/**
 * holo_event_reader_drop_all:
 * @reader: a node's reader
 *
 * Returns: how many waiting events were dropped
 *
 * Since: 0.1
 */
guint
holo_event_reader_drop_all (HoloEventReader *reader)
{
  return mailbox_drop_all (&reader->box);
}

/**
 * holo_event_writer_push:
 * @writer: a node's writer
 * @data: (nullable) (transfer none): any JSON
 *
 * Sends an event to the application, at once.
 *
 * Returns: %FALSE when the application's mailbox is full; the event is dropped and counted
 *
 * Since: 0.1
 */
gboolean
holo_event_writer_push (HoloEventWriter *writer, JsonNode *data)
{
  log_event (writer->router, HOLO_EVENT_TO_APP, writer->node, data);
  if (!mailbox_push (&writer->router->app, holo_event_new (HOLO_EVENT_TO_APP, writer->node, data)))
    return FALSE;
  wake_sources (writer->router);
  return TRUE;
}
