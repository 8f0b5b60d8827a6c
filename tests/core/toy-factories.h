/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The smallest kinds there can be, one of each type: nothing in, nothing out. */
#pragma once

#include <holoflow/holoflow.h>

#define DEFINE_TOY_TASK(Name, name, Base, BASE_TYPE)                                                                   \
  typedef Base Name;                                                                                                   \
  typedef Base##Class Name##Class;                                                                                     \
  static GType name##_get_type (void);                                                                                 \
  G_DEFINE_TYPE (Name, name, BASE_TYPE)                                                                                \
  static void name##_class_init (Name##Class *klass)                                                                   \
  {                                                                                                                    \
  }                                                                                                                    \
  static void name##_init (Name *task)                                                                                 \
  {                                                                                                                    \
  }

DEFINE_TOY_TASK (ToySyncTask, toy_sync_task, HoloSyncTask, HOLO_TYPE_SYNC_TASK)
DEFINE_TOY_TASK (ToyAsyncTask, toy_async_task, HoloAsyncTask, HOLO_TYPE_ASYNC_TASK)

static gboolean
toy_infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  return TRUE;
}

typedef HoloSyncTaskFactory ToySyncFactory;
typedef HoloSyncTaskFactoryClass ToySyncFactoryClass;

static GType toy_sync_factory_get_type (void);
G_DEFINE_TYPE (ToySyncFactory, toy_sync_factory, HOLO_TYPE_SYNC_TASK_FACTORY)

static HoloSyncTask *
toy_create_sync (HoloSyncTaskFactory *factory, const HoloInference *inference, const HoloSyncCreateContext *context,
                 GError **error)
{
  return g_object_new (toy_sync_task_get_type (), NULL);
}

static void
toy_sync_factory_class_init (ToySyncFactoryClass *klass)
{
  HOLO_TASK_FACTORY_CLASS (klass)->infer = toy_infer;
  HOLO_SYNC_TASK_FACTORY_CLASS (klass)->create = toy_create_sync;
}

static void
toy_sync_factory_init (ToySyncFactory *factory)
{
}

typedef HoloAsyncTaskFactory ToyAsyncFactory;
typedef HoloAsyncTaskFactoryClass ToyAsyncFactoryClass;

static GType toy_async_factory_get_type (void);
G_DEFINE_TYPE (ToyAsyncFactory, toy_async_factory, HOLO_TYPE_ASYNC_TASK_FACTORY)

static HoloAsyncTask *
toy_create_async (HoloAsyncTaskFactory *factory, const HoloInference *inference, const HoloAsyncCreateContext *context,
                  GError **error)
{
  return g_object_new (toy_async_task_get_type (), NULL);
}

static void
toy_async_factory_class_init (ToyAsyncFactoryClass *klass)
{
  HOLO_TASK_FACTORY_CLASS (klass)->infer = toy_infer;
  HOLO_ASYNC_TASK_FACTORY_CLASS (klass)->create = toy_create_async;
}

static void
toy_async_factory_init (ToyAsyncFactory *factory)
{
}
