/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "holo-event.h"

G_BEGIN_DECLS

#define HOLO_TYPE_EVENT_ROUTER (holo_event_router_get_type ())
HOLO_API
G_DECLARE_FINAL_TYPE (HoloEventRouter, holo_event_router, HOLO, EVENT_ROUTER, GObject)

/**
 * HOLO_EVENT_DEFAULT_CAPACITY:
 *
 * Events that a mailbox holds unless another number is given.
 *
 * Since: 0.1
 */
#define HOLO_EVENT_DEFAULT_CAPACITY 1024

/**
 * HoloEventCounters:
 * @sent: events accepted into the mailbox
 * @received: events taken out
 * @dropped: events refused because the mailbox was full or the node unknown, and those of drop_all
 *
 * What became of the events of one mailbox.
 *
 * Since: 0.1
 */
typedef struct
{
  guint64 sent;
  guint64 received;
  guint64 dropped;

  /*< private >*/
  gpointer padding[4];
} HoloEventCounters;

/**
 * HoloEventRouter:
 *
 * Bounded mailboxes between an application and the nodes: one per node, and one towards the application. Sending delivers at
 * once (no thread polls), so what a task sends in its last call is there after the run. A full mailbox drops the newest
 * event and counts it. All functions may be called from any thread.
 *
 * Since: 0.1
 */
HOLO_API HoloEventRouter *holo_event_router_new (guint node_capacity, guint app_capacity);
/* Reader and writer of a node; they live as long as the router. FALSE when @node is already bound. */
HOLO_API gboolean holo_event_router_bind_node (HoloEventRouter *router, const gchar *node, HoloEventReader **reader,
                                               HoloEventWriter **writer, GError **error);
HOLO_API gboolean holo_event_router_send (HoloEventRouter *router, const gchar *node, JsonNode *data, GError **error);
HOLO_API HoloEvent *holo_event_router_receive (HoloEventRouter *router);

/**
 * HoloEventFunc:
 * @event: the event; the caller keeps its reference
 * @user_data: what was given with the function
 *
 * Takes an event in the thread of the caller of holo_event_router_dispatch().
 *
 * Since: 0.1
 */
typedef void (*HoloEventFunc) (HoloEvent *event, gpointer user_data);
/* Hands at most @budget waiting events to @func; returns how many. */
HOLO_API guint holo_event_router_dispatch (HoloEventRouter *router, guint budget, HoloEventFunc func,
                                           gpointer user_data);
/* A source that dispatches while events for the application wait. */
HOLO_API GSource *holo_event_router_create_source (HoloEventRouter *router);
HOLO_API void holo_event_router_get_app_counters (HoloEventRouter *router, HoloEventCounters *counters);
HOLO_API gboolean holo_event_router_get_node_counters (HoloEventRouter *router, const gchar *node,
                                                       HoloEventCounters *counters);
/* Counts of sends to unknown nodes. */
HOLO_API guint64 holo_event_router_get_unknown (HoloEventRouter *router);

G_END_DECLS
