/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "call-off.h"

#include <stdlib.h>

#include "operation-log.h"
#include "device/holo-runtime-hooks.h"

/* One call that may be called off: by @cancellable, or by an interrupt of @section. */
typedef struct
{
  GCancellable *cancellable;
  HoloSection *section;
  gboolean asleep;
} Call;

static HoloRuntimeHooks hooks;
static const HoloRuntimeHooks *before;
static __thread Call *current;

static struct
{
  GMutex lock;
  GCond changed;
  GThread *thread;
  Call *call; /* to be called off */
  gboolean quit;
} helper;

/* In the thread that is about to sleep, which may hold locks that the calling off needs. */
static void
on_pause (HoloRuntimePause pause)
{
  if (before != NULL && before->pause != NULL)
    before->pause (pause);
  if (pause != HOLO_RUNTIME_PAUSE_BEFORE_SLEEP || current == NULL || current->asleep)
    return;
  current->asleep = TRUE;
  g_mutex_lock (&helper.lock);
  helper.call = current;
  g_cond_broadcast (&helper.changed);
  g_mutex_unlock (&helper.lock);
}

static void
call_off (Call *call)
{
  if (call->cancellable != NULL)
    g_cancellable_cancel (call->cancellable);
  else
    holo_section_interrupt (call->section);
}

static gpointer
helper_thread (gpointer data)
{
  g_mutex_lock (&helper.lock);
  while (!helper.quit)
    {
      Call *call = helper.call;

      if (call == NULL)
        {
          g_cond_wait (&helper.changed, &helper.lock);
          continue;
        }
      g_mutex_unlock (&helper.lock);
      call_off (call);
      g_mutex_lock (&helper.lock);
      helper.call = NULL;
      g_cond_broadcast (&helper.changed);
    }
  g_mutex_unlock (&helper.lock);
  return NULL;
}

static void
end_call (void)
{
  current = NULL;
  g_mutex_lock (&helper.lock);
  while (helper.call != NULL)
    g_cond_wait (&helper.changed, &helper.lock);
  g_mutex_unlock (&helper.lock);
}

HoloOpResult
call_off_push (HoloEnd *input, HoloFrame *frame, GError **error)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  Call call = { cancellable, NULL, FALSE };
  HoloOpResult result;

  current = &call;
  result = holo_end_push (input, frame, cancellable, error);
  end_call ();
  return result;
}

HoloOpResult
call_off_push_end (HoloEnd *input, HoloSection *section, GError **error)
{
  Call call = { NULL, section, FALSE };
  HoloOpResult result;

  current = &call;
  result = holo_end_push_end (input, error);
  end_call ();
  return result;
}

/* ---- what the kinds of the catalogue do ---- */

static OperationWhat
get_what (HoloRuntimeCall call, HoloOpResult result)
{
  if (call == HOLO_RUNTIME_END_OF_INPUT)
    return OPERATION_END_OF_INPUT;
  if (call == HOLO_RUNTIME_END_OF_OUTPUT)
    return OPERATION_END_OF_OUTPUT;
  if (call == HOLO_RUNTIME_RELEASE_OUTPUT)
    return OPERATION_RELEASE;
  if (call != HOLO_RUNTIME_PUSH && call != HOLO_RUNTIME_POP)
    return OPERATION_NOTHING;
  switch (result)
    {
    case HOLO_OP_OK:
      return call == HOLO_RUNTIME_PUSH ? OPERATION_PUSH : OPERATION_POP;
    case HOLO_OP_NOT_READY:
      return call == HOLO_RUNTIME_PUSH ? OPERATION_REFUSE : OPERATION_NOTHING;
    case HOLO_OP_EOF:
      return call == HOLO_RUNTIME_POP ? OPERATION_EMPTY : OPERATION_NOTHING;
    default:
      return OPERATION_NOTHING;
    }
}

static void
after_call (HoloTask *task, HoloRuntimeCall call, HoloTensorView *const *views, guint n_views, guint n_inputs,
            HoloOpResult result)
{
  OperationEntry entry = { .what = get_what (call, result), .result = result };

  if (before != NULL && before->after_call != NULL)
    before->after_call (task, call, views, n_views, n_inputs, result);
  if (task == NULL || g_str_has_prefix (G_OBJECT_TYPE_NAME (task), "TestEpoch"))
    return;
  if (entry.what == OPERATION_NOTHING || holo_task_get_node_name (task)[0] != 'n')
    return;
  entry.id = (guint) strtoul (holo_task_get_node_name (task) + 1, NULL, 10);
  entry.frame = n_views > 0 ? views[0]->stamp.seq : 0;
  entry.takes_back = entry.what == OPERATION_POP && HOLO_ASYNC_TASK_GET_CLASS (task)->unpop != NULL;
  operation_log_add (&entry);
}

void
call_off_start (void)
{
  before = holo_runtime_hooks;
  if (before != NULL)
    hooks = *before;
  hooks.pause = on_pause;
  hooks.after_call = after_call;
  helper.thread = g_thread_new ("call-off", helper_thread, NULL);
  holo_runtime_set_hooks (&hooks);
}

void
call_off_stop (void)
{
  holo_runtime_set_hooks (before);
  g_mutex_lock (&helper.lock);
  helper.quit = TRUE;
  g_cond_broadcast (&helper.changed);
  g_mutex_unlock (&helper.lock);
  g_thread_join (helper.thread);
  helper.quit = FALSE;
}
