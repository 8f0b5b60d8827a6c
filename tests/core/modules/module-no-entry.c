/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A shared object that is no task module. */
__attribute__ ((visibility ("default"))) int other_function (void);

int
other_function (void)
{
  return 1;
}
