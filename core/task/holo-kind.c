/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr() */
#endif
#include "task/holo-kind.h"

#include <dlfcn.h>

#include "base/holo-error.h"
#include "task/holo-task-private.h"

/* ---- tasks from functions ---- */

/* The state goes while the task is still whole: a thread of the kind that clear() joins may wake it until then. */
static void
finalize_task (GObject *object)
{
  GObjectClass *klass = G_OBJECT_GET_CLASS (object);

  if (HOLO_TASK_CLASS (klass)->clear != NULL)
    HOLO_TASK_CLASS (klass)->clear (HOLO_TASK (object));
  G_OBJECT_CLASS (g_type_class_peek_parent (klass))->finalize (object);
}

#define INIT_TASK_CLASS(klass, functions)                                                                              \
  G_OBJECT_CLASS (klass)->finalize = finalize_task;                                                                    \
  HOLO_TASK_CLASS (klass)->clear = (functions)->clear;                                                                 \
  HOLO_TASK_CLASS (klass)->finish = (functions)->finish;                                                               \
  HOLO_TASK_CLASS (klass)->commit = (functions)->commit;                                                               \
  HOLO_TASK_CLASS (klass)->rollback = (functions)->rollback;                                                           \
  HOLO_TASK_CLASS (klass)->reset = (functions)->reset != NULL ? (functions)->reset : HOLO_TASK_CLASS (klass)->reset

static void
init_sync_class (gpointer klass, gpointer class_data)
{
  const HoloSyncFunctions *functions = class_data;

  INIT_TASK_CLASS (klass, functions);
  HOLO_SYNC_TASK_CLASS (klass)->execute = functions->execute;
}

static void
init_async_class (gpointer klass, gpointer class_data)
{
  const HoloAsyncFunctions *functions = class_data;
  HoloTaskClass *task_class = HOLO_TASK_CLASS (klass);
  HoloAsyncTaskClass *async_class = HOLO_ASYNC_TASK_CLASS (klass);

  INIT_TASK_CLASS (klass, functions);
  if (functions->acquire_input != NULL)
    task_class->acquire_input = functions->acquire_input;
  task_class->abort_input = functions->abort_input;
  task_class->release_output = functions->release_output;
  async_class->try_push = functions->try_push;
  async_class->try_pop = functions->try_pop;
  async_class->end_of_input = functions->end_of_input;
  async_class->end_of_output = functions->end_of_output;
  async_class->unpop = functions->unpop;
  async_class->bind_end = functions->bind_end;
}

static GType
make_type (GType parent, const gchar *name, gsize size, GClassInitFunc class_init, gconstpointer class_data)
{
  GTypeInfo info = { .class_init = class_init, .class_data = class_data, .instance_size = (guint16) size };
  GTypeQuery query;

  g_type_query (parent, &query);
  info.class_size = (guint16) query.class_size;
  g_assert (size >= query.instance_size && size <= 0x8000);
  return g_type_register_static (parent, name, &info, G_TYPE_FLAG_FINAL);
}

/* The state begins where the instances of both end. */
G_STATIC_ASSERT (sizeof (HoloSyncTask) <= HOLO_TASK_STATE_OFFSET && sizeof (HoloAsyncTask) <= HOLO_TASK_STATE_OFFSET);

/**
 * holo_sync_task_factory_class_set_functions:
 * @klass: the class of a factory, in its class_init
 * @task_type_name: name for the GType of its tasks
 * @functions: static
 *
 * For factories with a class of their own; the macros for kinds do it for the others.
 *
 * Since: 0.1
 */
void
holo_sync_task_factory_class_set_functions (gpointer klass, const gchar *task_type_name,
                                            const HoloSyncFunctions *functions)
{
  HoloSyncTaskFactoryClass *sync_class = HOLO_SYNC_TASK_FACTORY_CLASS (klass);

  HOLO_TASK_FACTORY_CLASS (klass)->infer = functions->infer;
  sync_class->functions = functions;
  sync_class->task_type = make_type (HOLO_TYPE_SYNC_TASK, task_type_name,
                                     HOLO_TASK_STATE_OFFSET + functions->state_size, init_sync_class, functions);
}

/**
 * holo_async_task_factory_class_set_functions:
 * @klass: the class of a factory, in its class_init
 * @task_type_name: name for the GType of its tasks
 * @functions: static
 *
 * As holo_sync_task_factory_class_set_functions().
 *
 * Since: 0.1
 */
void
holo_async_task_factory_class_set_functions (gpointer klass, const gchar *task_type_name,
                                             const HoloAsyncFunctions *functions)
{
  HoloAsyncTaskFactoryClass *async_class = HOLO_ASYNC_TASK_FACTORY_CLASS (klass);

  HOLO_TASK_FACTORY_CLASS (klass)->infer = functions->infer;
  async_class->functions = functions;
  async_class->task_type = make_type (HOLO_TYPE_ASYNC_TASK, task_type_name,
                                      HOLO_TASK_STATE_OFFSET + functions->state_size, init_async_class, functions);
}

/* ---- kinds ---- */

static void
init_factory_class (gpointer klass, gpointer class_data)
{
  const HoloKind *kind = class_data;

  if (kind->sync_functions != NULL)
    holo_sync_task_factory_class_set_functions (klass, kind->task_type_name, kind->sync_functions);
  if (kind->async_functions != NULL)
    holo_async_task_factory_class_set_functions (klass, kind->task_type_name, kind->async_functions);
  kind->class_init (klass);
  if (HOLO_IS_SYNC_TASK_FACTORY_CLASS (klass) && !HOLO_SYNC_TASK_FACTORY_CLASS (klass)->creates_device_tasks)
    _holo_factory_class_defer_device (klass);
}

/* The file that @kind is in, for messages. */
static const gchar *
get_file (const HoloKind *kind)
{
  Dl_info info;

  return kind != NULL && dladdr (kind, &info) != 0 ? info.dli_fname : "the program";
}

/* One kind has one type, however many registries know it. */
GType
_holo_kind_get_factory_type (const HoloKind *kind, GError **error)
{
  static GMutex lock;
  GQuark quark = g_quark_from_static_string ("holo-kind");
  GType type;

  g_mutex_lock (&lock);
  type = g_type_from_name (kind->factory_type_name);
  if (type == G_TYPE_INVALID)
    {
      type = make_type (kind->get_base_type (), kind->factory_type_name, kind->settings_size, init_factory_class, kind);
      g_type_set_qdata (type, quark, (gpointer) kind);
    }
  g_mutex_unlock (&lock);
  if (g_type_get_qdata (type, quark) == kind)
    return type;
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_EXISTS,
               "the kind \"%s\" is defined twice in this process, by \"%s\" and by \"%s\"", kind->name,
               get_file (g_type_get_qdata (type, quark)), get_file (kind));
  return G_TYPE_INVALID;
}

/**
 * holo_registry_register_kind:
 * @registry: a registry
 * @kind: static
 * @error: return location
 *
 * As holo_registry_register_sync() and holo_registry_register_async(), for a kind whose classes the library makes.
 *
 * Returns: %FALSE with @error set; two modules that define one kind are both named
 *
 * Since: 0.1
 */
gboolean
holo_registry_register_kind (HoloRegistry *registry, const HoloKind *kind, GError **error)
{
  GType type = _holo_kind_get_factory_type (kind, error);

  if (type == G_TYPE_INVALID)
    return FALSE;
  return g_type_is_a (type, HOLO_TYPE_SYNC_TASK_FACTORY)
             ? holo_registry_register_sync (registry, kind->name, type, error)
             : holo_registry_register_async (registry, kind->name, type, error);
}
