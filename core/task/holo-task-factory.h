/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "../device/holo-device.h"
#include "holo-inference.h"
#include "holo-settings.h"
#include "holo-slot.h"
#include "holo-sync-task.h"
#include "holo-async-task.h"

G_BEGIN_DECLS

/**
 * HoloTaskFactory:
 *
 * The settings of a node, and what is known about its kind: slots, texts, how tensors follow from tensors.
 *
 * Since: 0.1
 */
#define HOLO_TYPE_TASK_FACTORY (holo_task_factory_get_type ())
HOLO_API
G_DECLARE_DERIVABLE_TYPE (HoloTaskFactory, holo_task_factory, HOLO, TASK_FACTORY, GObject)

typedef struct _HoloFactoryClassData HoloFactoryClassData;

/**
 * HoloTaskFactoryClass:
 * @infer: checks settings and input descriptors and declares outputs and memory semantics. @inference already holds
 *   the inputs, which agree with the declared slots. Depends on the properties and the descriptors alone, may read files,
 *   never touches a device, may run in any thread.
 * @data: private to the library
 *
 * Knows one kind of task. Every node has an instance of its own, whose properties are the node's settings.
 *
 * Since: 0.1
 */
struct _HoloTaskFactoryClass
{
  GObjectClass parent_class;

  gboolean (*infer) (HoloTaskFactory *factory, HoloInference *inference, GError **error);

  HoloFactoryClassData *data;
  gpointer padding[8];
};

/* Declarations of a class, called in class_init. Strings are static. */
HOLO_API void holo_task_factory_class_set_description (gpointer klass, const gchar *summary, const gchar *description);
HOLO_API void holo_task_factory_class_set_example (gpointer klass, const gchar *settings_json);
HOLO_API void holo_task_factory_class_add_input (gpointer klass, const gchar *name, guint dtypes, guint mem_locs,
                                                 guint min_rank, guint max_rank, guint flags, const gchar *blurb);
HOLO_API void holo_task_factory_class_add_output (gpointer klass, const gchar *name, guint dtypes, guint mem_locs,
                                                  guint min_rank, guint max_rank, guint flags, const gchar *blurb);

HOLO_API const gchar *holo_task_factory_class_get_summary (gpointer klass);
HOLO_API const gchar *holo_task_factory_class_get_description (gpointer klass);
HOLO_API const gchar *holo_task_factory_class_get_example (gpointer klass);
HOLO_API const HoloSlot *holo_task_factory_class_get_inputs (gpointer klass, guint *n_inputs);
HOLO_API const HoloSlot *holo_task_factory_class_get_outputs (gpointer klass, guint *n_outputs);
HOLO_API HoloTaskType holo_task_factory_class_get_task_type (gpointer klass);

HOLO_API const gchar *holo_task_factory_get_kind (HoloTaskFactory *factory);
HOLO_API HoloTaskFactory *holo_task_factory_copy (HoloTaskFactory *factory);
HOLO_API gboolean holo_task_factory_infer (HoloTaskFactory *factory, const HoloTensorDesc *inputs, guint n_inputs,
                                           HoloInference *inference, GError **error);

/**
 * HoloSyncCreateContext:
 * @stream: the section's stream
 * @device: the device of the plan; the host device when there is none
 *
 * What the create() and update() of a synchronous kind may use. Filled in by the library; valid during the call.
 *
 * Since: 0.1
 */
typedef struct
{
  HoloStream *stream;
  HoloDevice *device;
} HoloSyncCreateContext;

/**
 * HoloAsyncCreateContext:
 * @producer_stream: (nullable): stream of the section that pushes; %NULL for tasks without inputs
 * @consumer_stream: (nullable): stream of the section that pops; %NULL for tasks without outputs
 * @device: the device of the plan
 *
 * What the create() and update() of an asynchronous kind may use. Filled in by the library; valid during the call.
 *
 * Since: 0.1
 */
typedef struct
{
  HoloStream *producer_stream;
  HoloStream *consumer_stream;
  HoloDevice *device;
} HoloAsyncCreateContext;

/**
 * HoloSyncTaskFactory:
 *
 * Base of the factories of synchronous kinds.
 *
 * Since: 0.1
 */
#define HOLO_TYPE_SYNC_TASK_FACTORY (holo_sync_task_factory_get_type ())
HOLO_API
G_DECLARE_DERIVABLE_TYPE (HoloSyncTaskFactory, holo_sync_task_factory, HOLO, SYNC_TASK_FACTORY, HoloTaskFactory)

/**
 * HoloChange:
 * @HOLO_CHANGE_STAGED: the change waits in the task for commit() or rollback()
 * @HOLO_CHANGE_NEW_TASK: it takes a new task
 * @HOLO_CHANGE_REFUSED: neither will do; the error is set
 *
 * What a running task makes of new settings or tensors.
 *
 * Since: 0.1
 */
typedef enum
{
  HOLO_CHANGE_STAGED,
  HOLO_CHANGE_NEW_TASK,
  HOLO_CHANGE_REFUSED,
} HoloChange;

/**
 * HoloSyncFunctions:
 * @state_size: bytes of the task's state, a plain struct that holo_task_get_state() gives; at most 32 KiB
 * @infer: see #HoloTaskFactoryClass
 * @set_up: (nullable): fills the state in, which is all zeros: prepares what every frame needs (tables, plans, blocks)
 * @execute: see #HoloSyncTaskClass
 * @clear: (nullable): frees what the state holds; also after a set_up() that failed
 * @reset: (nullable): see #HoloTaskClass
 * @finish: (nullable): see #HoloTaskClass
 * @change: (nullable): stages the settings of @factory and the tensors of @inference in a running task, which behaves as
 *   before until the commit. Without it every change makes a new task.
 * @commit: (nullable): see #HoloTaskClass
 * @rollback: (nullable): see #HoloTaskClass
 *
 * What a synchronous kind does. The library makes and frees the task and its state.
 *
 * Since: 0.1
 */
typedef struct
{
  gsize state_size;
  gboolean (*infer) (HoloTaskFactory *factory, HoloInference *inference, GError **error);
  gboolean (*set_up) (HoloSyncTaskFactory *factory, HoloSyncTask *task, const HoloInference *inference,
                      const HoloSyncCreateContext *context, GError **error);
  HoloOpResult (*execute) (HoloSyncTask *task, HoloSyncContext *context, GError **error);
  void (*clear) (HoloTask *task);
  gboolean (*reset) (HoloTask *task, GError **error);
  gboolean (*finish) (HoloTask *task, HoloOpResult result, GError **error);
  HoloChange (*change) (HoloSyncTaskFactory *factory, HoloSyncTask *task, const HoloInference *inference,
                        const HoloSyncCreateContext *context, GError **error);
  void (*commit) (HoloTask *task);
  void (*rollback) (HoloTask *task);

  gpointer padding[6];
} HoloSyncFunctions;

/**
 * HoloSyncTaskFactoryClass:
 * @create: makes the running task for host tensors and for tensors its own code handles; @inference is what infer()
 *   declared. When a tensor lies on a device and the class does not set @creates_device_tasks, the library asks
 *   holo_device_create_task() instead.
 * @update: (transfer full): returns a new task, or @old with the change staged (HoloTaskClass.commit). @old behaves as
 *   before until the commit. @old may be %NULL. The default creates a new task.
 * @creates_device_tasks: create() also makes tasks for device tensors (through the device interface)
 * @functions: (nullable): what the default create() and update() make the task of, see
 *   holo_sync_task_factory_class_set_functions()
 * @task_type: the type of that task
 *
 * Makes the tasks of a synchronous kind.
 *
 * Since: 0.1
 */
struct _HoloSyncTaskFactoryClass
{
  HoloTaskFactoryClass parent_class;

  HoloSyncTask *(*create) (HoloSyncTaskFactory *factory, const HoloInference *inference,
                           const HoloSyncCreateContext *context, GError **error);
  HoloSyncTask *(*update) (HoloSyncTaskFactory *factory, HoloSyncTask *old, const HoloInference *old_inference,
                           const HoloInference *inference, const HoloSyncCreateContext *context, GError **error);
  gboolean creates_device_tasks;
  const HoloSyncFunctions *functions;
  GType task_type;

  gpointer padding[4];
};

HOLO_API void holo_sync_task_factory_class_set_functions (gpointer klass, const gchar *task_type_name,
                                                          const HoloSyncFunctions *functions);

HOLO_API HoloSyncTask *holo_sync_task_factory_create (HoloSyncTaskFactory *factory, const HoloInference *inference,
                                                      const HoloSyncCreateContext *context, GError **error);
HOLO_API HoloSyncTask *holo_sync_task_factory_update (HoloSyncTaskFactory *factory, HoloSyncTask *old,
                                                      const HoloInference *old_inference,
                                                      const HoloInference *inference,
                                                      const HoloSyncCreateContext *context, GError **error);

/**
 * HoloAsyncTaskFactory:
 *
 * Base of the factories of asynchronous kinds.
 *
 * Since: 0.1
 */
#define HOLO_TYPE_ASYNC_TASK_FACTORY (holo_async_task_factory_get_type ())
HOLO_API
G_DECLARE_DERIVABLE_TYPE (HoloAsyncTaskFactory, holo_async_task_factory, HOLO, ASYNC_TASK_FACTORY, HoloTaskFactory)

/**
 * HoloAsyncFunctions:
 * @state_size: bytes of the task's state, a plain struct that holo_task_get_state() gives; at most 32 KiB
 * @infer: see #HoloTaskFactoryClass
 * @set_up: (nullable): fills the state in, which is all zeros
 * @try_push: see #HoloAsyncTaskClass
 * @try_pop: see #HoloAsyncTaskClass
 * @end_of_input: (nullable): see #HoloAsyncTaskClass
 * @end_of_output: (nullable): see #HoloAsyncTaskClass
 * @reset: see #HoloTaskClass
 * @clear: (nullable): frees what the state holds; also after a set_up() that failed
 * @acquire_input: (nullable): kinds that own an input, see #HoloTaskClass
 * @abort_input: (nullable): see #HoloTaskClass
 * @release_output: (nullable): kinds that own an output, see #HoloTaskClass
 * @unpop: (nullable): see #HoloAsyncTaskClass
 * @bind_end: (nullable): see #HoloAsyncTaskClass
 * @finish: (nullable): see #HoloTaskClass
 * @change: (nullable): stages the settings of @factory and the tensors of @inference in a running task, which behaves as
 *   before until the commit and keeps its frames. Without it every change makes a new task.
 * @commit: (nullable): see #HoloTaskClass
 * @rollback: (nullable): see #HoloTaskClass
 *
 * What an asynchronous kind does. The library makes and frees the task and its state.
 *
 * Since: 0.1
 */
typedef struct
{
  gsize state_size;
  gboolean (*infer) (HoloTaskFactory *factory, HoloInference *inference, GError **error);
  gboolean (*set_up) (HoloAsyncTaskFactory *factory, HoloAsyncTask *task, const HoloInference *inference,
                      const HoloAsyncCreateContext *context, GError **error);
  HoloOpResult (*try_push) (HoloAsyncTask *task, HoloPushContext *context, GError **error);
  HoloOpResult (*try_pop) (HoloAsyncTask *task, HoloPopContext *context, GError **error);
  void (*end_of_input) (HoloAsyncTask *task);
  void (*end_of_output) (HoloAsyncTask *task);
  gboolean (*reset) (HoloTask *task, GError **error);
  void (*clear) (HoloTask *task);
  HoloOpResult (*acquire_input) (HoloTask *task, guint index, HoloTensorView *view, GError **error);
  void (*abort_input) (HoloTask *task, guint index);
  void (*release_output) (HoloTask *task, guint index, const HoloFence *fence);
  void (*unpop) (HoloAsyncTask *task, HoloPopContext *context);
  void (*bind_end) (HoloAsyncTask *task, HoloEnd *end);
  gboolean (*finish) (HoloTask *task, HoloOpResult result, GError **error);
  HoloChange (*change) (HoloAsyncTaskFactory *factory, HoloAsyncTask *task, const HoloInference *old_inference,
                        const HoloInference *inference, const HoloAsyncCreateContext *context, GError **error);
  void (*commit) (HoloTask *task);
  void (*rollback) (HoloTask *task);

  gpointer padding[6];
} HoloAsyncFunctions;

/**
 * HoloAsyncTaskFactoryClass:
 * @create: as in #HoloSyncTaskFactoryClass; asynchronous tasks that only hold memory work with any device through the
 *   device interface, so create() is always called
 * @update: (transfer full): as in #HoloSyncTaskFactoryClass; returning @old keeps the frames it holds
 * @set_desc: (nullable): kinds that the application feeds: before infer(), what it will push; %NULL: not known
 * @is_pulled: the application takes the frames away
 * @functions: (nullable): what the default create() and update() make the task of, see
 *   holo_async_task_factory_class_set_functions()
 * @task_type: the type of that task
 *
 * Makes the tasks of an asynchronous kind.
 *
 * Since: 0.1
 */
struct _HoloAsyncTaskFactoryClass
{
  HoloTaskFactoryClass parent_class;

  HoloAsyncTask *(*create) (HoloAsyncTaskFactory *factory, const HoloInference *inference,
                            const HoloAsyncCreateContext *context, GError **error);
  HoloAsyncTask *(*update) (HoloAsyncTaskFactory *factory, HoloAsyncTask *old, const HoloInference *old_inference,
                            const HoloInference *inference, const HoloAsyncCreateContext *context, GError **error);

  void (*set_desc) (HoloAsyncTaskFactory *factory, const HoloTensorDesc *desc);
  gboolean is_pulled;
  const HoloAsyncFunctions *functions;
  GType task_type;

  gpointer padding[4];
};

HOLO_API void holo_async_task_factory_class_set_functions (gpointer klass, const gchar *task_type_name,
                                                           const HoloAsyncFunctions *functions);

HOLO_API HoloAsyncTask *holo_async_task_factory_create (HoloAsyncTaskFactory *factory, const HoloInference *inference,
                                                        const HoloAsyncCreateContext *context, GError **error);
HOLO_API HoloAsyncTask *holo_async_task_factory_update (HoloAsyncTaskFactory *factory, HoloAsyncTask *old,
                                                        const HoloInference *old_inference,
                                                        const HoloInference *inference,
                                                        const HoloAsyncCreateContext *context, GError **error);

G_END_DECLS
