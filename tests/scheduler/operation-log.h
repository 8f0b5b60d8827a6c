/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the kinds of test-kinds-epoch.c did, in one order for the whole process. They write it themselves, so
 * that the counters of a scheduler can be compared with it. Appending takes no lock: ThreadSanitizer sees no
 * order between tasks that is not the runtime's. */
#pragma once

#include <holoflow/holoflow.h>

G_BEGIN_DECLS

typedef enum
{
  OPERATION_NOTHING,
  OPERATION_EXECUTE, /* every call, that which says EOF too */
  OPERATION_PUSH,    /* those that returned OK */
  OPERATION_REFUSE,  /* those that found no room */
  OPERATION_POP,
  OPERATION_RELEASE, /* of a slot that was popped; kinds of the catalogue only */
  OPERATION_EMPTY,   /* a pop that said EOF */
  OPERATION_END_OF_INPUT,
  OPERATION_END_OF_OUTPUT,
  OPERATION_RESET,
  OPERATION_COMMIT, /* of a change that was staged: no section is at work */
} OperationWhat;

#define OPERATION_MAX_IDS 256

/* @id: setting of the node, its number in the model; @instance: number of the task, in the order in which they
 * were made; @hash: of the values that an execution was given (of a source: gave); @takes_back: a pop that may be undone */
typedef struct
{
  OperationWhat what;
  HoloOpResult result;
  guint id;
  guint epoch;
  guint instance;
  guint32 hash;
  guint64 frame;
  gboolean takes_back;
} OperationEntry;

void operation_log_add (const OperationEntry *entry);
guint operation_log_get_length (void);
/* Waits until whoever took that place has written it. */
OperationEntry operation_log_get (guint index);
/* Forgets everything, the numbers of tasks too: while no task is at work. */
void operation_log_clear (void);
guint operation_log_next_instance (void);
/* The first commit of node @id at @from or behind; G_MAXUINT: not yet. */
guint operation_log_find_commit (guint from, guint id);

/* Of the bytes of @n floats, going on from @hash; 0 to begin with. */
guint32 operation_hash (guint32 hash, const gfloat *values, guint n);

G_END_DECLS
