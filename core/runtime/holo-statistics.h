/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "../base/holo-types.h"

G_BEGIN_DECLS

/**
 * HoloCallStatistics:
 * @calls: calls that returned OK
 * @bytes: payload bytes of the tensors of these calls
 * @time: host time inside the calls, ns
 * @wait_input: time the section waited for this node to give input, ns
 * @wait_room: time the section waited for this node to take output, ns
 * @retries: calls repeated on a timer because the task does not signal readiness
 *
 * Numbers of one sort of call of a node since the start of the run.
 *
 * Since: 0.1
 */
typedef struct
{
  guint64 calls;
  guint64 bytes;
  guint64 time;
  guint64 wait_input;
  guint64 wait_room;
  guint64 retries;

  /*< private >*/
  gpointer padding[4];
} HoloCallStatistics;

/**
 * HoloNodeStatistics:
 * @kind: its kind; interned, so that it stays valid for ever
 * @type: synchronous or asynchronous
 * @execute: synchronous nodes: execute()
 * @push: asynchronous nodes: try_push()
 * @pop: asynchronous nodes: try_pop()
 * @discarded: frames that a rule of the model made undeliverable here
 * @dropped: frames that the node dropped because it was told to (leaky)
 *
 * Numbers since the start of the run. Frames in = frames out + discarded + dropped once the run has ended (for kinds
 * that give one frame per frame).
 *
 * Since: 0.1
 */
typedef struct
{
  const gchar *kind;
  HoloTaskType type;
  HoloCallStatistics execute;
  HoloCallStatistics push;
  HoloCallStatistics pop;
  guint64 discarded;
  guint64 dropped;

  /*< private >*/
  gpointer padding[4];
} HoloNodeStatistics;

#define HOLO_TYPE_NODE_STATISTICS (holo_node_statistics_get_type ())
HOLO_API GType holo_node_statistics_get_type (void);

/**
 * holo_node_statistics_copy:
 * @statistics: numbers of a node
 *
 * Any thread.
 *
 * Returns: (transfer full): a copy, to be freed with holo_node_statistics_free()
 *
 * Since: 0.1
 */
HOLO_API HoloNodeStatistics *holo_node_statistics_copy (const HoloNodeStatistics *statistics);
/**
 * holo_node_statistics_free:
 * @statistics: (transfer full): what holo_node_statistics_copy() gave
 *
 * Any thread.
 *
 * Since: 0.1
 */
HOLO_API void holo_node_statistics_free (HoloNodeStatistics *statistics);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HoloNodeStatistics, holo_node_statistics_free)

/**
 * HoloSectionStatistics:
 * @name: its name; interned
 * @iterations: iterations completed
 * @sleeps: times the section slept for want of input or room
 * @waits_order: host waits for device work because a host task touches its memory
 * @waits_throttle: host waits because too many iterations were in flight
 * @waits_foreign: host waits towards elements that know no fences
 * @copies: implicit copies executed
 *
 * Numbers of a section since the start of the run.
 *
 * Since: 0.1
 */
typedef struct
{
  const gchar *name;
  guint64 iterations;
  guint64 sleeps;
  guint64 waits_order;
  guint64 waits_throttle;
  guint64 waits_foreign;
  guint64 copies;

  /*< private >*/
  gpointer padding[4];
} HoloSectionStatistics;

#define HOLO_TYPE_SECTION_STATISTICS (holo_section_statistics_get_type ())
HOLO_API GType holo_section_statistics_get_type (void);

/**
 * holo_section_statistics_copy:
 * @statistics: numbers of a section
 *
 * Any thread.
 *
 * Returns: (transfer full): a copy, to be freed with holo_section_statistics_free()
 *
 * Since: 0.1
 */
HOLO_API HoloSectionStatistics *holo_section_statistics_copy (const HoloSectionStatistics *statistics);
/**
 * holo_section_statistics_free:
 * @statistics: (transfer full): what holo_section_statistics_copy() gave
 *
 * Any thread.
 *
 * Since: 0.1
 */
HOLO_API void holo_section_statistics_free (HoloSectionStatistics *statistics);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HoloSectionStatistics, holo_section_statistics_free)

G_END_DECLS
