/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the CUDA back end costs, as a table: rates against the same calls of CUDA in one run, CPU, and what
 * overlaps. bench-cuda [upload|chain|boundary|idle|band-pass]... runs some parts only. */
#include "bench-cuda.h"

#include <sys/resource.h>

#include "cuda-kinds.h"
#include "cuda-test.h"

gdouble
bench_get_cpu_seconds (void)
{
  struct rusage usage;

  getrusage (RUSAGE_SELF, &usage);
  return (gdouble) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         (gdouble) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

gdouble
bench_run (HoloScheduler *scheduler, gdouble *cpu)
{
  g_autoptr (GError) error = NULL;
  gint64 start = g_get_monotonic_time ();

  *cpu = bench_get_cpu_seconds ();
  holo_scheduler_start (scheduler, &error);
  g_assert_no_error (error);
  holo_scheduler_wait (scheduler, &error);
  g_assert_no_error (error);
  *cpu = bench_get_cpu_seconds () - *cpu;
  return (gdouble) (g_get_monotonic_time () - start) / 1e6;
}

void
bench_print_waits (const gchar *part, HoloScheduler *scheduler)
{
  g_autoptr (HoloPlan) plan = holo_scheduler_get_plan (scheduler);

  for (guint i = 0; i < holo_plan_get_n_sections (plan); i++)
    {
      HoloSectionStatistics s;

      holo_scheduler_get_section_statistics (scheduler, i, &s);
      g_print ("%s: %s: waits per frame: %.3f order, %.3f throttle, %.3f foreign; %.3f sleeps\n", part, s.name,
               (gdouble) s.waits_order / (gdouble) s.iterations, (gdouble) s.waits_throttle / (gdouble) s.iterations,
               (gdouble) s.waits_foreign / (gdouble) s.iterations, (gdouble) s.sleeps / (gdouble) s.iterations);
    }
}

static const struct
{
  const gchar *name;
  void (*run) (HoloDevice *device);
} parts[] = {
  { "upload", bench_upload }, { "chain", bench_chain },         { "boundary", bench_boundary },
  { "idle", bench_idle },     { "band-pass", bench_band_pass },
};

static gboolean
is_asked_for (const gchar *name, int argc, char **argv)
{
  for (int i = 1; i < argc; i++)
    if (g_str_equal (argv[i], name))
      return TRUE;
  return argc < 2;
}

int
main (int argc, char **argv)
{
  HoloDevice *device = cuda_test_open ();

  cuda_kinds_register (holo_registry_get_default ());
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    if (is_asked_for (parts[i].name, argc, argv))
      parts[i].run (device);
  g_object_unref (device);
  return 0;
}
