/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kind Stubborn: a task that comes back neither for a stop nor for anything else. */
#include <holoflow/holoflow.h>

typedef HoloSyncTask StubbornTask;
typedef HoloSyncTaskClass StubbornTaskClass;

static GType stubborn_task_get_type (void);
G_DEFINE_TYPE (StubbornTask, stubborn_task, HOLO_TYPE_SYNC_TASK)

typedef struct
{
  HoloSyncTaskFactory parent_instance;

  gboolean at_once;
  gchar *mark;
} StubbornFactory;
typedef HoloSyncTaskFactoryClass StubbornFactoryClass;

static GType stubborn_factory_get_type (void);
G_DEFINE_TYPE (StubbornFactory, stubborn_factory, HOLO_TYPE_SYNC_TASK_FACTORY)

static void
stay (const gchar *mark)
{
  g_assert_true (g_file_set_contents (mark, "here", -1, NULL));
  for (;;)
    g_usleep (G_USEC_PER_SEC);
}

static HoloOpResult
stubborn_task_execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  stay (g_object_get_data (G_OBJECT (task), "mark"));
  return HOLO_OP_EOF;
}

static void
stubborn_task_class_init (StubbornTaskClass *klass)
{
  klass->execute = stubborn_task_execute;
}

static void
stubborn_task_init (StubbornTask *task)
{
}

static gboolean
stubborn_factory_infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  return TRUE;
}

static HoloSyncTask *
stubborn_factory_create (HoloSyncTaskFactory *factory, const HoloInference *inference,
                         const HoloSyncCreateContext *context, GError **error)
{
  StubbornFactory *self = (StubbornFactory *) factory;
  HoloSyncTask *task = g_object_new (stubborn_task_get_type (), NULL);

  g_object_set_data_full (G_OBJECT (task), "mark", g_strdup (self->mark), g_free);
  if (self->at_once)
    stay (self->mark);
  return task;
}

static void
stubborn_factory_class_init (StubbornFactoryClass *klass)
{
  HOLO_TASK_FACTORY_CLASS (klass)->infer = stubborn_factory_infer;
  klass->create = stubborn_factory_create;

  holo_task_factory_class_set_description (HOLO_TASK_FACTORY_CLASS (klass), "Never comes back", NULL);
  holo_settings_install_boolean (klass, "at-once", "While it is made, not only in its first frame", FALSE,
                                 HOLO_SETTING_NONE, G_STRUCT_OFFSET (StubbornFactory, at_once));
  holo_settings_install_string (klass, "mark", "File that says that it has come there", NULL, HOLO_SETTING_REQUIRED,
                                G_STRUCT_OFFSET (StubbornFactory, mark));
}

static void
stubborn_factory_init (StubbornFactory *self)
{
}

static gboolean
register_kinds (HoloRegistry *registry, GError **error)
{
  return holo_registry_register_sync (registry, "Stubborn", stubborn_factory_get_type (), error);
}

HOLO_MODULE_DEFINE ("stubborn", register_kinds)
