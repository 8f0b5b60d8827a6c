/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs one synchronous task on arrays of host memory, without graph, compiler or scheduler.
 *
 *   g_autoptr (TaskArray) in = task_array_new (HOLO_DTYPE_F32, TASK_SHAPE (2, 2), four_numbers);
 *
 *   task_check ("Sqrt", "{}", &in, 1, HOLO_DTYPE_F32, TASK_SHAPE (2, 2), their_roots, 0);
 *
 * task_check() runs the task on every layout of the inputs and in place where the task offers it. Programming
 * errors of a test end it; what the task refuses comes back as a GError. */
#pragma once

#include <holoflow/holoflow.h>

G_BEGIN_DECLS

#define TASK_SHAPE(...)                                                                                                \
  G_N_ELEMENTS (((const gint64[]){ __VA_ARGS__ })), (const gint64[])                                                   \
  {                                                                                                                    \
    __VA_ARGS__                                                                                                        \
  }
#define TASK_SCALAR 0, NULL

/* ---- arrays ---- */

/**
 * TaskArray:
 * @desc: layout; @desc.offset counts from @data
 * @data: the storage
 * @size: its bytes
 *
 * A tensor of host memory. Bytes of the storage that are no elements hold a pattern, and 64 bytes before and
 * behind the storage are watched: task_array_free() ends the test when somebody has written there.
 */
typedef struct
{
  HoloTensorDesc desc;
  guint8 *data;
  gsize size;
  guint8 *guarded;
} TaskArray;

typedef enum
{
  TASK_LAYOUT_DENSE,
  TASK_LAYOUT_PADDED,     /* rows with a gap behind, and an offset of three elements */
  TASK_LAYOUT_SPACED,     /* every second element */
  TASK_LAYOUT_TRANSPOSED, /* the first dimension is the dense one */
  TASK_LAYOUT_UNALIGNED,  /* dense, at an odd address */
  TASK_N_LAYOUTS,
} TaskLayout;

/* @elements are dense; NULL leaves zeros. */
TaskArray *task_array_new (HoloDType dtype, guint rank, const gint64 *shape, gconstpointer elements);
TaskArray *task_array_new_for_desc (const HoloTensorDesc *desc);
TaskArray *task_array_new_random (HoloDType dtype, guint rank, const gint64 *shape, GRand *rand);
TaskArray *task_array_copy (const TaskArray *array, TaskLayout layout);
/* The dense elements. */
gpointer task_array_pack (const TaskArray *array);
/* Element @index in row-major order. */
void task_array_get (const TaskArray *array, guint64 index, gdouble *re, gdouble *im);
gdouble task_array_get_real (const TaskArray *array, guint64 index);
void task_array_free (TaskArray *array);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TaskArray, task_array_free)

/* Ends the test unless type, shape and elements agree: bit by bit for @tolerance 0 (every NaN equals every
 * other), else to @tolerance * max (1, |expected|). */
void task_array_assert (const TaskArray *array, HoloDType dtype, guint rank, const gint64 *shape,
                        gconstpointer expected, gdouble tolerance);
void task_array_assert_same (const TaskArray *array, const TaskArray *expected, gdouble tolerance);
gboolean task_array_is_same (const TaskArray *array, const TaskArray *expected, gdouble tolerance);

/* ---- running ---- */

/**
 * TaskRunner:
 * @factory: from the default registry
 * @inference: valid after task_runner_infer() returned TRUE
 * @task: (nullable): made by task_runner_create()
 *
 * A node on its own.
 */
typedef struct
{
  HoloTaskFactory *factory;
  gboolean is_inferred;
  HoloInference inference;
  HoloSyncTask *task;
  HoloStream *stream;
} TaskRunner;

typedef enum
{
  TASK_RUN_NORMAL,
  TASK_RUN_IN_PLACE, /* outputs that may share an input's storage do; the caller's array stays as it is */
} TaskRunMode;

/* NULL when the settings are refused. An unknown kind ends the test. */
TaskRunner *task_runner_new (const gchar *kind, const gchar *settings_json, GError **error);
void task_runner_free (TaskRunner *runner);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TaskRunner, task_runner_free)

gboolean task_runner_set (TaskRunner *runner, const gchar *settings_json, GError **error);
gboolean task_runner_infer (TaskRunner *runner, TaskArray *const *inputs, guint n_inputs, GError **error);
gboolean task_runner_create (TaskRunner *runner, GError **error);
/* Infers again with the settings now, and asks the factory to update the task; commits. */
gboolean task_runner_update (TaskRunner *runner, TaskArray *const *inputs, guint n_inputs, GError **error);
gboolean task_runner_can_run_in_place (TaskRunner *runner);
/* @outputs gets one new array per output when the result is OK. @stamps is one per output, or NULL. */
HoloOpResult task_runner_execute (TaskRunner *runner, TaskRunMode mode, TaskArray *const *inputs, guint n_inputs,
                                  TaskArray **outputs, HoloStamp *stamps, GError **error);

/* All of it once; the first output. */
TaskArray *task_run (const gchar *kind, const gchar *settings_json, TaskArray *const *inputs, guint n_inputs,
                     TaskRunMode mode, GError **error);
/* Runs a kind with one output in every layout and mode. */
void task_check (const gchar *kind, const gchar *settings_json, TaskArray *const *inputs, guint n_inputs,
                 HoloDType dtype, guint rank, const gint64 *shape, gconstpointer expected, gdouble tolerance);
/* Ends the test unless settings or inference are refused with @code and a message that contains @text. */
void task_check_refused (const gchar *kind, const gchar *settings_json, TaskArray *const *inputs, guint n_inputs,
                         gint code, const gchar *text);

G_END_DECLS
