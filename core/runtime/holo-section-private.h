/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The inside of a running section. */
#pragma once

#include "runtime/holo-part.h"
#include "runtime/holo-section.h"

/* An owned input of a node of the section: acquired before its producer runs. */
typedef struct
{
  HoloTask *task;
  guint slot;
  HoloPart *owner;
  HoloPart *producer;
  HoloBoundary *boundary; /* nullable: owned input of a synchronous node */
  HoloTensorView *view;
  gboolean acquired;
  gboolean handles_fences;
  gpointer spare; /* nullable: memory for the producer when the owner has finished but other readers go on */
  gsize size;
} HoloSectionSlot;

/* Storage that gets a new block in each iteration. */
typedef struct
{
  HoloStorage *storage;
  HoloPool *pool;
  HoloBoundary *output; /* nullable: whose allocator gives the memory */
  HoloPart *producer;
  gsize size;
  gboolean stream_access;
} HoloSectionBlock;

typedef enum
{
  HOLO_PHASE_IDLE,
  HOLO_PHASE_DELIVER,
  HOLO_PHASE_ACQUIRE,
  HOLO_PHASE_POP,
  HOLO_PHASE_EXECUTE,
  HOLO_PHASE_PUSH,
  HOLO_PHASE_RELEASE,
} HoloPhase;

/* Reasons to leave a wait; bits of HoloSection.requests. */
typedef enum
{
  HOLO_REQUEST_STOP = 1 << 0,
  HOLO_REQUEST_REST = 1 << 1, /* leave at the next wait or between two iterations, and stay away */
  HOLO_REQUEST_FLUSH = 1 << 2,
  HOLO_REQUEST_INTERRUPT = 1 << 3, /* leave once */
  HOLO_REQUEST_DELIVER = 1 << 4,   /* with REST: what was made for a task that is being drained goes in first */
} HoloRequest;

/* How far a wait has come. */
typedef enum
{
  HOLO_WAIT_NONE,
  HOLO_WAIT_SPINNING,
  HOLO_WAIT_PREPARED, /* the waiter is armed; nothing found in the next look: sleep */
  HOLO_WAIT_SLEPT,
} HoloWaitStage;

#define HOLO_MIN_IN_FLIGHT 2 /* unless somebody asks for less */
#define HOLO_MAX_IN_FLIGHT 16

/* Device work of one iteration or a few. */
typedef struct
{
  HoloFence fence;
  guint64 n_iterations; /* up to it, since the section was made */
  gint64 started;       /* ns, when the last of them began */
} HoloInFlight;

struct _HoloSection
{
  HoloWorker worker;                /* what ends know of it */
  HoloOwner *owner;                 /* a reference: a shell is left of it when its scheduler has gone */
  gint gone;                        /* atomic: no section of the plan follows it */
  gint iterating;                   /* atomic: a thread is inside holo_section_iterate() */
  GMutex role;                      /* held by whoever drives */
  gint requests;                    /* atomic */
  gint offers;                      /* atomic: counts frames and ends that arrived at its Inputs */
  gint finished;                    /* atomic */
  gint driving;                     /* atomic: a caller is inside an iteration */
  GThread *thread;                  /* the order's */
  GCancellable *cancellable;        /* of tasks: cancelled by stop, flush and the caller's */
  GCancellable *memory_cancellable; /* of allocators: cancelled when the section has to rest, too */

  /* What follows belongs to whoever has the role. */
  const gchar *name; /* interned; atomic, any thread reads it */
  guint id;          /* in its plan */
  gboolean is_bound; /* FALSE: the section is gone from the plan, or not in one yet */
  gboolean may_spin; /* caller-driven: the caller has nothing better to do */
  HoloStream *stream;
  HoloDevice *device; /* borrowed from the plan */
  gboolean sync_each; /* the host waits for the device after each node, to name the culprit of an error */
  gboolean uses_device;
  HoloPart *parts;
  guint n_parts;
  HoloPart *pops; /* slices of parts */
  guint n_pops;
  HoloPart *nodes;
  guint n_nodes;
  HoloPart *pushes;
  guint n_pushes;
  HoloSectionSlot *slots;
  guint n_slots;
  HoloSectionBlock *blocks;
  guint n_blocks;
  HoloPhase phase;
  guint next_node;
  guint64 iteration;
  gboolean worked;      /* something was done in this iteration */
  gboolean has_pending; /* some boundary it pushes into keeps a frame that goes first */
  gint64 clock;         /* ns; the last look */
  gboolean wakes_due;   /* some part has put off waking the other side */
  HoloWaitStage wait_stage;
  gboolean patient;    /* the coming sleep is a short one, for room */
  guint spin_failures; /* spins in a row that found nothing */
  guint spin_skip;     /* waits to go before the next spin */
  gint64 spin_start;   /* ns */
  guint64 work;        /* ns spent in tasks in this iteration */
  guint64 work_time;   /* the same of the last iterations: rises at once, falls slowly; forwarding sections only */
  guint depth;         /* borrowers between a thread of its own and this section */
  gint64 wake_time;    /* ns, mean of the last wakes: from the call to our being awake */
  HoloFence fence;     /* of all device work of this iteration; without stream: not recorded yet */
  gint64 started;      /* ns, when this iteration began */
  gboolean gives_back; /* memory goes back at the end of an iteration, with its fence */
  HoloInFlight in_flight[HOLO_MAX_IN_FLIGHT];
  guint n_in_flight;
  guint64 n_fenced; /* iterations before the last fence */
  guint64 n_passed; /* iterations that the device is known to be done with */
  guint max_in_flight;
  gboolean fixed_depth; /* somebody has set max_in_flight */
  gint64 throttled_at;  /* ns, the end of the last throttle wait */
  guint64 n_throttled;  /* n_passed after it */
  gint64 device_time;   /* ns, what the device takes for an iteration, or a bound; 0: not known */

  gchar *stall_text;  /* nullable: what it has been waiting for all the time; with `control` */
  gint sleep_kind;    /* atomic: 0 awake, 1 waits for the graph, 2 for the application or a time */
  gint64 sleep_since; /* atomic, µs */
  HoloSectionStatistics statistics;
};

HoloSection *_holo_section_new (HoloOwner *owner);
/* Bind: gives a section the inside of section @id of a plan; unbind: takes it away. With the role, or nothing runs. */
void _holo_section_bind (HoloSection *section, const HoloWiring *wiring, guint id);
void _holo_section_unbind (HoloSection *section);
/* By what the owner says. */
void _holo_section_choose_driver (HoloSection *section);
void _holo_section_choose_depth (HoloSection *section);
/* Another task for a node, everything else as before. */
void _holo_section_replace_task (HoloSection *section, HoloTask *task, guint node);

void _holo_section_read_environment (HoloSection *section, HoloPlan *plan);
void _holo_runtime_read_environment (void);

/* All with the role held. */
HoloOpResult _holo_section_run (HoloSection *section, gboolean may_wait, GCancellable *cancellable, GError **error);
void _holo_section_restart (HoloSection *section);
void _holo_section_forget_in_flight (HoloSection *section);
gboolean _holo_section_inputs_are_ready (HoloSection *section);
void _holo_section_finish_part (HoloSection *section, HoloPart *part, HoloFinish why);
gboolean _holo_section_all_finished (HoloSection *section);
/* Brings back the parts of @nodes (by node). */
void _holo_section_revive (HoloSection *section, const gboolean *nodes);
/* Finishes what gets nothing any more or has no reader (@beyond: also behind its pushes); whether anything was. */
gboolean _holo_section_close_ends (HoloSection *section, gboolean beyond);
/* Notes whether boundaries keep frames that go first. */
void _holo_section_look_for_pending (HoloSection *section);

/* holo-section-rest.c */
/* An iteration under way will not go on: slots, frames and blocks go back and are lost. */
void _holo_section_abort (HoloSection *section);
/* The same for a flush that reaches @nodes: what came from elsewhere is kept where that is possible. */
gboolean _holo_section_fold_flushed (HoloSection *section, const gboolean *nodes, GError **error);
/* What an iteration under way has in hand, kept by its boundaries: first the memory for it (FALSE: nothing has been touched),
 * then the frames. */
gboolean _holo_section_prepare_fold (HoloSection *section, GError **error);
gboolean _holo_section_fold (HoloSection *section, GError **error);
void _holo_section_cancel_fold (HoloSection *section);
/* Pushes once more what was made for tasks that are being drained; whether all is in. */
gboolean _holo_section_deliver_drained (HoloSection *section, gint64 deadline, GError **error);

/* Any thread. */
void _holo_section_request (HoloSection *section, gint bits);
void _holo_section_clear_request (HoloSection *section, gint bits);
/* Takes the role and drives while the Inputs are ready; the result of the last iteration driven here, OK when somebody
 * else drives. */
HoloOpResult _holo_section_drive (HoloSection *section, gboolean end, GCancellable *cancellable, GError **error);

/* Sections of all running schedulers of the process that are not asleep (atomic): with more of them than processors nobody
 * spins. */
extern gint _holo_awake_sections;
