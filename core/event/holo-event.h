/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <json-glib/json-glib.h>

#include "../base/holo-types.h"

G_BEGIN_DECLS

/**
 * HoloEventDirection:
 * @HOLO_EVENT_TO_NODE: from the application to a node
 * @HOLO_EVENT_TO_APP: from a node to the application
 *
 * Where an event goes.
 *
 * Since: 0.1
 */
typedef enum
{
  HOLO_EVENT_TO_NODE,
  HOLO_EVENT_TO_APP,
} HoloEventDirection;

/**
 * HoloEvent:
 * @direction: where it goes
 * @node: name of the node it goes to or comes from (the router fills it in)
 * @data: (nullable): any JSON
 * @time: monotonic time of sending in microseconds
 *
 * An application event. Reference counted, immutable.
 *
 * Since: 0.1
 */
struct _HoloEvent
{
  gint ref_count;
  HoloEventDirection direction;
  gchar *node;
  JsonNode *data;
  gint64 time;
};

#define HOLO_TYPE_EVENT (holo_event_get_type ())
HOLO_API GType holo_event_get_type (void);

HOLO_API HoloEvent *holo_event_new (HoloEventDirection direction, const gchar *node, JsonNode *data);
HOLO_API HoloEvent *holo_event_ref (HoloEvent *event);
HOLO_API void holo_event_unref (HoloEvent *event);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HoloEvent, holo_event_unref)

HOLO_API HoloEvent *holo_event_reader_pop (HoloEventReader *reader);
HOLO_API guint64 holo_event_reader_get_dropped (HoloEventReader *reader);
HOLO_API guint holo_event_reader_drop_all (HoloEventReader *reader);
HOLO_API gboolean holo_event_writer_push (HoloEventWriter *writer, JsonNode *data);

G_END_DECLS
