/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "holo-types.h"

G_BEGIN_DECLS

/**
 * HoloSection:
 *
 * A part of a running plan that works in step: acquire slots, pop, execute, push, release. Belongs to its scheduler.
 */

/* Runs one iteration in the caller's thread. Blocks as a scheduler thread would; @cancellable ends this call only, and the next
 * call goes on where it stopped. OK, EOF (the section has finished), CANCELLED, FLUSHED or ERROR. One driver at a time. */
HOLO_API HoloOpResult holo_section_iterate (HoloSection *section, GCancellable *cancellable, GError **error);
/* The same, but returns NOT_READY instead of waiting. */
HOLO_API HoloOpResult holo_section_try_iterate (HoloSection *section, GError **error);
/* Who drives a caller-driven section has nothing better to do than to look again for a moment before it sleeps. */
HOLO_API void holo_section_set_may_spin (HoloSection *section, gboolean may_spin);
/* The iterate that waits now, or else the next one that would, returns NOT_READY once. Any thread; nothing is lost. */
HOLO_API void holo_section_interrupt (HoloSection *section);
HOLO_API guint holo_section_get_id (HoloSection *section);
HOLO_API const gchar *holo_section_get_name (HoloSection *section);
HOLO_API gboolean holo_section_is_finished (HoloSection *section);

G_END_DECLS
