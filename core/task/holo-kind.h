/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A kind of task as one page: settings, functions, texts, and at the end one of these macros.
 *
 *   HOLO_MAP (log_f32, gfloat, gfloat, logf (x))
 *
 *   static void
 *   log_class_init (gpointer klass)
 *   {
 *     holo_task_factory_class_set_description (klass, "Natural logarithm of every element", "`out = log (in)`");
 *     holo_task_factory_class_set_example (klass, "{}");
 *     holo_map_factory_class_add (klass, HOLO_DTYPE_F32, HOLO_DTYPE_F32, log_f32);
 *   }
 *
 *   HOLO_DEFINE_MAP_KIND (log, "Log", HoloMapFactory)
 */
#pragma once

#include <math.h>

#include "holo-map-factory.h"
#include "holo-registry.h"

G_BEGIN_DECLS

/**
 * HoloKind:
 * @name: what graphs call it, "Log"
 * @factory_type_name: name of its GType
 * @task_type_name: name of the GType of its tasks
 * @get_base_type: what the factory derives from
 * @settings_size: bytes of a factory, which is the struct of the settings
 * @class_init: declares texts, slots and settings; gets the class of the factory
 * @sync_functions: (nullable): of a synchronous kind
 * @async_functions: (nullable): of an asynchronous kind
 *
 * A kind that the library makes the classes of. Static; defined by the macros below.
 *
 * Since: 0.1
 */
typedef struct
{
  const gchar *name;
  const gchar *factory_type_name;
  const gchar *task_type_name;
  GType (*get_base_type) (void);
  gsize settings_size;
  void (*class_init) (gpointer klass);
  const HoloSyncFunctions *sync_functions;
  const HoloAsyncFunctions *async_functions;
} HoloKind;

HOLO_API gboolean holo_registry_register_kind (HoloRegistry *registry, const HoloKind *kind, GError **error);

/**
 * HOLO_DEFINE_KIND:
 * @prefix: of prefix_class_init(), which is there, and of what this defines
 * @kind: name of the kind, a string
 * @Settings: the struct of the settings
 * @get_base_type: see #HoloKind
 * @sync_functions: see #HoloKind
 * @async_functions: see #HoloKind
 *
 * Defines the static #HoloKind prefix_kind, and prefix_register(), which registers it. The macros below are made of it.
 *
 * Since: 0.1
 */
#define HOLO_DEFINE_KIND(prefix, kind, Settings, get_base_type, sync_functions, async_functions)                       \
  static const HoloKind prefix##_kind = { kind,           "Holo" kind "Factory", "Holo" kind "Task",                   \
                                          get_base_type,  sizeof (Settings),     prefix##_class_init,                  \
                                          sync_functions, async_functions };                                           \
  gboolean prefix##_register (HoloRegistry *registry, GError **error);                                                 \
  gboolean prefix##_register (HoloRegistry *registry, GError **error)                                                  \
  {                                                                                                                    \
    return holo_registry_register_kind (registry, &prefix##_kind, error);                                              \
  }

/**
 * HOLO_DEFINE_MAP_KIND:
 * @prefix: of prefix_class_init(), which is there, and of prefix_register(), which this defines
 * @kind: name of the kind, a string
 * @Settings: the struct of the settings, whose first member is a #HoloMapFactory; #HoloMapFactory where there are none
 *
 * Defines a kind with one input, element by element; its formulas are added in prefix_class_init() with
 * holo_map_factory_class_add().
 *
 * Since: 0.1
 */
#define HOLO_DEFINE_MAP_KIND(prefix, kind, Settings)                                                                   \
  HOLO_DEFINE_KIND (prefix, kind, Settings, holo_map_factory_get_type, NULL, NULL)

/**
 * HOLO_DEFINE_BINARY_KIND:
 * @prefix: as in HOLO_DEFINE_MAP_KIND()
 * @kind: name of the kind, a string
 * @Settings: as in HOLO_DEFINE_MAP_KIND()
 *
 * Defines a kind with two inputs, element by element; its formulas are added in prefix_class_init() with
 * holo_map_factory_class_add_pair().
 *
 * Since: 0.1
 */
#define HOLO_DEFINE_BINARY_KIND(prefix, kind, Settings) HOLO_DEFINE_MAP_KIND (prefix, kind, Settings)

/**
 * HOLO_DEFINE_SYNC_KIND:
 * @prefix: as in HOLO_DEFINE_MAP_KIND()
 * @kind: name of the kind, a string
 * @Settings: the struct of the settings, whose first member is a #HoloSyncTaskFactory
 * @functions: a static #HoloSyncFunctions
 *
 * Defines a kind that is called once per frame.
 *
 * Since: 0.1
 */
#define HOLO_DEFINE_SYNC_KIND(prefix, kind, Settings, functions)                                                       \
  HOLO_DEFINE_KIND (prefix, kind, Settings, holo_sync_task_factory_get_type, &functions, NULL)

/**
 * HOLO_DEFINE_ASYNC_KIND:
 * @prefix: as in HOLO_DEFINE_MAP_KIND()
 * @kind: name of the kind, a string
 * @Settings: the struct of the settings, whose first member is a #HoloAsyncTaskFactory
 * @functions: a static #HoloAsyncFunctions
 *
 * Defines a kind that takes and gives independently.
 *
 * Since: 0.1
 */
#define HOLO_DEFINE_ASYNC_KIND(prefix, kind, Settings, functions)                                                      \
  HOLO_DEFINE_KIND (prefix, kind, Settings, holo_async_task_factory_get_type, NULL, &functions)

G_END_DECLS
