/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kinds that tests and benchmarks on a GPU need, for host and device.
 *
 *   Delay     ms, target, fault  keeps the device busy, then copies the tensor (to target, when it is set); the
 *                                call number `fault` (0: none) enqueues a kernel that fails
 *   Unfilled  shape, target, count  F32 frames that nobody fills; EOF after `count` (0: never)
 *   Unread                       takes frames and does nothing
 *   Cached    shape, target, count, loops  F32 frames that it owns, and shows again in every loop
 */
#pragma once

#include <holoflow/holoflow.h>

G_BEGIN_DECLS

void cuda_kinds_register (HoloRegistry *registry);
void cuda_kinds_register_cached (HoloRegistry *registry);

/* A graph that is a chain, "Kind {settings}" one a line; node i is called ni. */
HoloGraph *cuda_make_chain (const gchar *text);
HoloPlan *cuda_compile_chain (const gchar *text, HoloRegistry *registry, HoloDevice *device);

G_END_DECLS
