/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "event/holo-event.h"

#include "base/holo-json-private.h"

G_DEFINE_BOXED_TYPE (HoloEvent, holo_event, holo_event_ref, holo_event_unref)

/**
 * holo_event_new:
 * @direction: where it goes
 * @node: name of the node it goes to or comes from
 * @data: (nullable) (transfer none): any JSON; copied, so that no two threads share it
 *
 * Returns: (transfer full): an event stamped with the monotonic time of now
 *
 * Since: 0.1
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

/**
 * holo_event_ref:
 * @event: an event
 *
 * Any thread.
 *
 * Returns: (transfer full): @event, with one reference more
 *
 * Since: 0.1
 */
HoloEvent *
holo_event_ref (HoloEvent *event)
{
  g_atomic_int_inc (&event->ref_count);
  return event;
}

/**
 * holo_event_unref:
 * @event: (transfer full): an event
 *
 * Drops a reference; the last one frees the event. Any thread.
 *
 * Since: 0.1
 */
void
holo_event_unref (HoloEvent *event)
{
  if (!g_atomic_int_dec_and_test (&event->ref_count))
    return;
  g_free (event->node);
  g_clear_pointer (&event->data, json_node_unref);
  g_free (event);
}
