/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#include "holo-statistics.h"

G_BEGIN_DECLS

/**
 * HoloDriving:
 * @HOLO_DRIVING_THREADS: every section has a thread of its own
 * @HOLO_DRIVING_INPUTS: a section with an Input is driven by the threads that push into it, all others have a thread
 * @HOLO_DRIVING_CALLER: no section has a thread: those with an Input are driven by the threads that push into it, and any
 *   by holo_section_iterate()
 *
 * Who runs the sections of a graph. A policy, so that it holds for the sections that an update makes.
 *
 * Since: 0.1
 */
typedef enum
{
  HOLO_DRIVING_THREADS,
  HOLO_DRIVING_INPUTS,
  HOLO_DRIVING_CALLER,
} HoloDriving;

/**
 * HoloSection:
 *
 * A part of a running plan that works in step: acquire slots, pop, execute, push, release. After an update a section goes on
 * as the new plan's section that shares most nodes with it. One that no section of the new plan follows is gone: its
 * functions give EOF, and a reference keeps only the handle.
 *
 * All functions may be called from any thread. One thread at a time iterates: the second gets ERROR with
 * %HOLO_ERROR_STATE.
 *
 * Since: 0.1
 */
#define HOLO_TYPE_SECTION (holo_section_get_type ())
HOLO_API GType holo_section_get_type (void);

HOLO_API HoloSection *holo_section_ref (HoloSection *section);
HOLO_API void holo_section_unref (HoloSection *section);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HoloSection, holo_section_unref)

HOLO_API HoloOpResult holo_section_iterate (HoloSection *section, GCancellable *cancellable, GError **error);
HOLO_API HoloOpResult holo_section_try_iterate (HoloSection *section, GError **error);
HOLO_API void holo_section_interrupt (HoloSection *section);
HOLO_API const gchar *holo_section_get_name (HoloSection *section);
HOLO_API gboolean holo_section_is_finished (HoloSection *section);

G_END_DECLS
