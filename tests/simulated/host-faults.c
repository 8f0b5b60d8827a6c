/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "host-faults.h"

static gpointer (*real_alloc) (HoloDevice *device, gsize size, GError **error);
static gint n_allocations, fail_allocation;

static gpointer
faulty_alloc (HoloDevice *device, gsize size, GError **error)
{
  g_atomic_int_inc (&n_allocations);
  if (g_atomic_int_get (&fail_allocation) > 0 && g_atomic_int_dec_and_test (&fail_allocation))
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_MEMORY,
                   "could not allocate %" G_GSIZE_FORMAT " bytes of host memory (the test made it fail)", size);
      return NULL;
    }
  return real_alloc (device, size, error);
}

static void
watch (void)
{
  HoloDeviceClass *klass = HOLO_DEVICE_GET_CLASS (holo_device_get_host ());

  if (klass->alloc_host == faulty_alloc)
    return;
  real_alloc = klass->alloc_host;
  klass->alloc_host = faulty_alloc;
}

void
host_faults_fail_allocation (guint n)
{
  watch ();
  g_atomic_int_set (&fail_allocation, (gint) n);
}

guint
host_faults_get_n_allocations (void)
{
  watch ();
  return (guint) g_atomic_int_get (&n_allocations);
}
