/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "test-kinds-private.h"

#define DECLARE(kind, name)        GType test_##name##_factory_get_type (void);
#define REGISTER_SYNC(kind, name)  holo_registry_register_sync (fresh, kind, test_##name##_factory_get_type (), NULL);
#define REGISTER_ASYNC(kind, name) holo_registry_register_async (fresh, kind, test_##name##_factory_get_type (), NULL);

TEST_SYNC_KINDS (DECLARE)
TEST_ASYNC_KINDS (DECLARE)

/* The catalogue and the test kinds, whose names it does not take. */
HoloRegistry *
test_kinds_get_registry (void)
{
  static HoloRegistry *registry;
  HoloRegistry *fresh;

  if (!g_once_init_enter (&registry))
    return registry;
  fresh = holo_registry_new ();
  holo_registry_add_builtin (fresh);
  TEST_SYNC_KINDS (REGISTER_SYNC)
  TEST_ASYNC_KINDS (REGISTER_ASYNC)
  test_kinds_add_epoch (fresh);
  g_once_init_leave (&registry, fresh);
  return registry;
}
