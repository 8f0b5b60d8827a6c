/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of test kinds share: tasks and factories that know each other, and a macro that defines
 * both. */
#pragma once

#include <holoflow/holoflow.h>

#include "test-kinds.h"

G_BEGIN_DECLS

/* A factory that makes tasks of one type; tasks that know their factory. */
typedef struct
{
  HoloTaskFactory *factory;
  HoloInference inference;
  HoloDevice *device;
  gboolean had_stream;
  gint n_calls, n_pushes, n_pops, n_push_refusals, n_pop_refusals;
} TestTaskCommon;

typedef struct
{
  HoloSyncTask parent_instance;
  TestTaskCommon common;
} TestSyncTask;
typedef struct
{
  HoloSyncTaskClass parent_class;
} TestSyncTaskClass;
GType test_sync_task_get_type (void);

typedef struct
{
  HoloAsyncTask parent_instance;
  TestTaskCommon common;
} TestAsyncTask;
typedef struct
{
  HoloAsyncTaskClass parent_class;
  gboolean (*prepare) (TestAsyncTask *task, GError **error);
} TestAsyncTaskClass;
GType test_async_task_get_type (void);

typedef struct
{
  HoloSyncTaskFactory parent_instance;
} TestSyncFactory;
typedef struct
{
  HoloSyncTaskFactoryClass parent_class;
  GType task_type;
} TestSyncFactoryClass;
GType test_sync_factory_get_type (void);

typedef struct
{
  HoloAsyncTaskFactory parent_instance;
} TestAsyncFactory;
typedef struct
{
  HoloAsyncTaskFactoryClass parent_class;
  GType task_type;
} TestAsyncFactoryClass;
GType test_async_factory_get_type (void);

/* Defines TestNameFactory (with FIELDS) and TestNameTask (with STATE); the caller writes the two class_init
 * functions. */
#define DEFINE_KIND(Name, name, sync, SYNC, FIELDS, STATE)                                                             \
  typedef struct                                                                                                       \
  {                                                                                                                    \
    Test##sync##Factory parent_instance;                                                                               \
    FIELDS                                                                                                             \
  } Test##Name##Factory;                                                                                               \
  typedef struct                                                                                                       \
  {                                                                                                                    \
    Test##sync##FactoryClass parent_class;                                                                             \
  } Test##Name##FactoryClass;                                                                                          \
  GType test_##name##_factory_get_type (void);                                                                         \
  G_DEFINE_TYPE (Test##Name##Factory, test_##name##_factory, test_##SYNC##_factory_get_type ())                        \
  typedef struct                                                                                                       \
  {                                                                                                                    \
    Test##sync##Task parent_instance;                                                                                  \
    STATE                                                                                                              \
  } Test##Name##Task;                                                                                                  \
  typedef struct                                                                                                       \
  {                                                                                                                    \
    Test##sync##TaskClass parent_class;                                                                                \
  } Test##Name##TaskClass;                                                                                             \
  GType test_##name##_task_get_type (void);                                                                            \
  G_DEFINE_TYPE (Test##Name##Task, test_##name##_task, test_##SYNC##_task_get_type ())                                 \
  static void test_##name##_factory_init (Test##Name##Factory *factory)                                                \
  {                                                                                                                    \
  }                                                                                                                    \
  static void test_##name##_task_init (Test##Name##Task *task)                                                         \
  {                                                                                                                    \
  }

#define DEFINE_SYNC_KIND(Name, name, FIELDS, STATE)  DEFINE_KIND (Name, name, Sync, sync, FIELDS, STATE)
#define DEFINE_ASYNC_KIND(Name, name, FIELDS, STATE) DEFINE_KIND (Name, name, Async, async, FIELDS, STATE)

void test_kind_declare (gpointer klass, GType task_type, const gchar *summary, guint n_inputs, guint n_outputs,
                        guint places);
gfloat *test_floats (HoloTensorView *view);
guint test_length (HoloTensorView *view);
void test_count_call (gpointer task);
/* A dense tensor of the shape and place of input 0. */
HoloInferredOutput *test_add_output_like_input (HoloInference *inference);
gboolean test_infer_like_input (HoloTaskFactory *factory, HoloInference *inference, GError **error);
gboolean test_infer_in_place (HoloTaskFactory *factory, HoloInference *inference, GError **error);
gboolean test_infer_sink (HoloTaskFactory *factory, HoloInference *inference, GError **error);
gboolean test_may_update (GError **error);

/* Every kind: name, and the middle of its type's name. */
#define TEST_SYNC_KINDS(K)                                                                                             \
  K ("VectorSource", vector_source)                                                                                    \
  K ("SequenceSource", sequence_source)                                                                                \
  K ("TestAdd", add)                                                                                                   \
  K ("Scale", scale)                                                                                                   \
  K ("Bump", bump)                                                                                                     \
  K ("View", view)                                                                                                     \
  K ("Sum", sum)                                                                                                       \
  K ("EndAt", end_at)                                                                                                  \
  K ("FailAt", fail_at)                                                                                                \
  K ("Transfer", transfer)                                                                                             \
  K ("Gate", gate)                                                                                                     \
  K ("Random", random)                                                                                                 \
  K ("Result", result)                                                                                                 \
  K ("Collect", collect)                                                                                               \
  K ("HistoryCollect", history)                                                                                        \
  K ("Null", null)                                                                                                     \
  K ("Relay", relay)                                                                                                   \
  K ("OwnedSource", owned_source)
#define TEST_ASYNC_KINDS(K)                                                                                            \
  K ("Bridge", bridge)                                                                                                 \
  K ("TestQueue", queue)                                                                                               \
  K ("TestBatch", batch)                                                                                               \
  K ("Pair", pair)                                                                                                     \
  K ("Mailbox", mailbox)

/* Those that there are once more with the name "Epoch" + theirs, see test-kinds-epoch.c. */
#define TEST_EPOCH_SYNC_KINDS(K)                                                                                       \
  K ("SequenceSource", sequence_source)                                                                                \
  K ("TestAdd", add)                                                                                                   \
  K ("Scale", scale)                                                                                                   \
  K ("Bump", bump)                                                                                                     \
  K ("View", view)                                                                                                     \
  K ("Sum", sum)                                                                                                       \
  K ("EndAt", end_at)                                                                                                  \
  K ("HistoryCollect", history)
#define TEST_EPOCH_ASYNC_KINDS(K)                                                                                      \
  K ("Bridge", bridge)                                                                                                 \
  K ("TestQueue", queue)                                                                                               \
  K ("TestBatch", batch)

void test_kinds_add_epoch (HoloRegistry *registry);

G_END_DECLS
