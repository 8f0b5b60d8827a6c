/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes allocations of host memory fail that go through the host device. */
#pragma once

#include <holoflow/holoflow.h>

G_BEGIN_DECLS

/* The @n-th allocation from now fails (1 = the next); 0: none. */
void host_faults_fail_allocation (guint n);
guint host_faults_get_n_allocations (void);

G_END_DECLS
