/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "event/holo-event.h"

#include "base/holo-json-private.h"

/**
 * holo_event_new:
 * @direction: where it goes
 * @node: name of the node it goes to or comes from
 * @data: (nullable) (transfer none): any JSON; copied, so that no two threads share it
 *
 * Returns: (transfer full): an event stamped with the monotonic time of now
 */
HoloEvent *
holo_event_new (HoloEventDirection direction, const gchar *node, JsonNode *data)
{
  HoloEvent *event = g_new0 (HoloEvent, 1);

  event->ref_count = 1;
  event->direction = direction;
  event->node = g_strdup (node);
  if (data != NULL)
    {
      event->data = _holo_json_copy (data);
      json_node_seal (event->data);
    }
  event->time = g_get_monotonic_time ();
  return event;
}

HoloEvent *
holo_event_ref (HoloEvent *event)
{
  g_atomic_int_inc (&event->ref_count);
  return event;
}

void
holo_event_unref (HoloEvent *event)
{
  if (!g_atomic_int_dec_and_test (&event->ref_count))
    return;
  g_free (event->node);
  g_clear_pointer (&event->data, json_node_unref);
  g_free (event);
}
