/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A plan bound to what runs it. Reference counted: who looks at it (statistics, flushes) takes a reference under `control` and
 * looks in peace, whatever is exchanged meanwhile. */
#pragma once

#include "runtime/holo-boundary.h"
#include "runtime/holo-node-record.h"
#include "runtime/holo-section-private.h"

typedef struct
{
  gint ref_count;
  HoloPlan *plan; /* replaced under `control` when a setting changes; who has no role takes a reference there */
  guint n_nodes;
  guint n_sections;
  guint n_views;
  HoloTensorView **views;    /* by tensor */
  HoloBoundary **boundaries; /* by node, references; NULL for synchronous ones */
  HoloNodeRecord **records;  /* by node, references */
  HoloEventRouter *router;   /* borrowed */
  HoloEventReader **readers; /* by node; the router's */
  HoloEventWriter **writers;
  HoloSection **sections; /* by section of the plan, references */
} HoloBound;

/* @before (nullable): what was bound until now; its sections, boundaries and records go on here. Nothing is touched yet that
 * @before uses. */
HoloBound *_holo_bound_new (HoloOwner *owner, HoloEventRouter *router, HoloPlan *plan, HoloBound *before);
HoloBound *_holo_bound_ref (HoloBound *bound);
void _holo_bound_unref (HoloBound *bound);

/* With all roles (or nothing runs): gives tasks, boundaries and sections what the plan says. */
void _holo_bound_attach (HoloBound *bound);
void _holo_bound_detach (HoloBound *bound);
void _holo_bound_attach_task (HoloBound *bound, guint index);

/* The rule of what has ended, see holo-bound-ended.c. With all roles. */
void _holo_bound_remember_ended (HoloBound *bound);
void _holo_bound_close_ended (HoloBound *bound);
/* Sections with something left to do; tells the others that they have finished. */
guint _holo_bound_count_unfinished (HoloBound *bound);

/* By name; -1: there is none. */
gint _holo_bound_find (HoloBound *bound, const gchar *name);

/* All that frames from node @index can get to. */
typedef struct
{
  gboolean *nodes;    /* by node, the first included */
  gboolean *sections; /* by section: holds such a node or a side of one */
} HoloReach;

void _holo_bound_find_reach (HoloBound *bound, guint index, HoloReach *reach);
void _holo_reach_clear (HoloReach *reach);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HoloReach, _holo_reach_clear)
