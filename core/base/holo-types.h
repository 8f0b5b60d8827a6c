/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every type of the library, declared once, so that the other headers never include each other in circles. */
#pragma once

#include <gio/gio.h>
#include <glib-object.h>

#include "holo-version.h"

G_BEGIN_DECLS

/**
 * HOLO_MAX_RANK:
 *
 * The largest number of dimensions of a tensor.
 *
 * Since: 0.1
 */
#define HOLO_MAX_RANK 8

/**
 * HOLO_TIME_NONE:
 *
 * A time that is not known. Equal to GST_CLOCK_TIME_NONE.
 *
 * Since: 0.1
 */
#define HOLO_TIME_NONE G_MAXUINT64

/**
 * HOLO_INDEPENDENT:
 *
 * The iterations of the loop that follows depend on each other in no way: input and output are the same elements or
 * apart. Without it the compilers leave loops unvectorised that run in place. Nothing in a module that clang compiles: it
 * warns of each formula that it cannot vectorise, unless -Wno-pass-failed says that it need not (define
 * HOLO_PASS_MAY_FAIL then).
 *
 * Since: 0.1
 */
#if defined(__clang__) && !defined(HOLO_COMPILATION) && !defined(HOLO_PASS_MAY_FAIL)
#define HOLO_INDEPENDENT
#elif defined(__clang__)
#define HOLO_INDEPENDENT _Pragma ("clang loop vectorize(assume_safety)")
#else
#define HOLO_INDEPENDENT _Pragma ("GCC ivdep")
#endif

typedef struct _HoloTensorDesc HoloTensorDesc;
typedef struct _HoloStorage HoloStorage;
typedef struct _HoloTensorView HoloTensorView;
typedef struct _HoloBlock HoloBlock;
typedef struct _HoloFrame HoloFrame;
typedef struct _HoloStamp HoloStamp;
typedef struct _HoloFence HoloFence;
typedef struct _HoloFenceSet HoloFenceSet;
typedef struct _HoloDevice HoloDevice;
typedef struct _HoloStream HoloStream;
typedef struct _HoloTask HoloTask;
typedef struct _HoloSyncTask HoloSyncTask;
typedef struct _HoloAsyncTask HoloAsyncTask;
typedef struct _HoloTaskFactory HoloTaskFactory;
typedef struct _HoloSyncTaskFactory HoloSyncTaskFactory;
typedef struct _HoloAsyncTaskFactory HoloAsyncTaskFactory;
typedef struct _HoloInference HoloInference;
typedef struct _HoloSlot HoloSlot;
typedef struct _HoloRegistry HoloRegistry;
typedef struct _HoloEventRouter HoloEventRouter;
/**
 * HoloEventReader:
 *
 * Where a task finds the events that were sent to its node. Owned by the event router; one thread at a time.
 *
 * Since: 0.1
 */
typedef struct _HoloEventReader HoloEventReader;
/**
 * HoloEventWriter:
 *
 * How a task sends events to the application. Owned by the event router; any thread.
 *
 * Since: 0.1
 */
typedef struct _HoloEventWriter HoloEventWriter;
typedef struct _HoloEvent HoloEvent;
typedef struct _HoloGraph HoloGraph;
typedef struct _HoloCompiler HoloCompiler;
typedef struct _HoloPlan HoloPlan;
typedef struct _HoloScheduler HoloScheduler;
typedef struct _HoloSection HoloSection;
typedef struct _HoloEnd HoloEnd;

/**
 * HoloOpResult:
 * @HOLO_OP_OK: the operation completed and its outputs are available.
 * @HOLO_OP_NOT_READY: asynchronous operations only: nothing was taken or given; try again after a wake, or at the
 *   context's retry_at.
 * @HOLO_OP_CANCELLED: the operation stopped because cancellation was requested.
 * @HOLO_OP_EOF: the task has reached the end of its stream.
 * @HOLO_OP_ERROR: the operation failed; the #GError is set exactly in this case.
 * @HOLO_OP_FLUSHED: only from waiting functions (holo_section_iterate(), holo_end_push(), holo_end_pull()): a
 *   flush is going on. Tasks never return it.
 *
 * Control flow of tasks and of the runtime. Failure is reported beside it, as GIOStatus does.
 *
 * Since: 0.1
 */
typedef enum
{
  HOLO_OP_OK,
  HOLO_OP_NOT_READY,
  HOLO_OP_CANCELLED,
  HOLO_OP_EOF,
  HOLO_OP_ERROR,
  HOLO_OP_FLUSHED,
} HoloOpResult;

/**
 * HoloTaskType:
 * @HOLO_TASK_SYNC: called once per frame; output belongs to the input of the same call.
 * @HOLO_TASK_ASYNC: input and output progress independently; a border between sections.
 *
 * When a task is called.
 *
 * Since: 0.1
 */
typedef enum
{
  HOLO_TASK_SYNC,
  HOLO_TASK_ASYNC,
} HoloTaskType;

G_END_DECLS
