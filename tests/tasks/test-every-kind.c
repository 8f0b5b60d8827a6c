/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Walks the registry: whatever is registered is documented, survives nonsense in its settings, and, if
 * synchronous, gives one result however its tensors lie. A new kind is checked the moment it is
 * registered; nothing is listed here. */
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "tasks/task-runner.h"

#define MAX_INPUTS 3
#define MAX_BYTES  (1 << 20)
#define ROUNDS     400

static GRand *random_numbers;

/* ---- documentation ---- */

static void
check_slots (gconstpointer kind, const HoloSlot *slots, guint n_slots)
{
  for (guint i = 0; i < n_slots; i++)
    if (slots[i].name == NULL || slots[i].blurb == NULL || slots[i].dtypes == 0 || slots[i].mem_locs == 0 ||
        slots[i].min_rank > slots[i].max_rank || slots[i].max_rank > HOLO_MAX_RANK)
      g_error ("%s: slot %u is not fully declared", (const gchar *) kind, i);
}

static void
check_texts (const gchar *kind, gpointer klass)
{
  const gchar *summary = holo_task_factory_class_get_summary (klass);
  const gchar *description = holo_task_factory_class_get_description (klass);

  if (summary == NULL || summary[0] == '\0' || g_str_has_suffix (summary, ".") || strchr (summary, '\n') != NULL)
    g_error ("%s: the summary is one line without a full stop, not \"%s\"", kind, summary);
  if (description == NULL || strlen (description) < 20)
    g_error ("%s has no description", kind);
  if (holo_task_factory_class_get_example (klass) == NULL)
    g_error ("%s has no example", kind);
}

static void
test_documented (gconstpointer kind)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HoloTaskFactory) factory = holo_registry_create_factory (holo_registry_get_default (), kind, &error);
  gpointer klass = HOLO_TASK_FACTORY_GET_CLASS (factory);
  guint n_inputs, n_outputs, n_settings;
  const HoloSlot *inputs = holo_task_factory_class_get_inputs (klass, &n_inputs);
  const HoloSlot *outputs = holo_task_factory_class_get_outputs (klass, &n_outputs);
  g_autofree GParamSpec **settings = holo_settings_list (klass, &n_settings);
  g_autoptr (JsonNode) example = NULL;

  check_texts (kind, klass);
  check_slots (kind, inputs, n_inputs);
  check_slots (kind, outputs, n_outputs);
  g_assert_cmpuint (n_inputs + n_outputs, >, 0);
  for (guint i = 0; i < n_settings; i++)
    if (g_param_spec_get_blurb (settings[i]) == NULL || strlen (g_param_spec_get_blurb (settings[i])) < 5)
      g_error ("%s: setting %s has no blurb", (const gchar *) kind, settings[i]->name);
  example = json_from_string (holo_task_factory_class_get_example (klass), &error);
  g_assert_no_error (error);
  g_assert_true (holo_settings_apply_json (factory, json_node_get_object (example), "/example", &error));
  g_assert_true (holo_settings_check_required (factory, &error));
  g_assert_cmpstr (holo_task_factory_get_kind (factory), ==, kind);
}

/* ---- settings ---- */

static const gchar *const nonsense[] = {
  "null",
  "true",
  "false",
  "0",
  "-1",
  "1",
  "3",
  "1e300",
  "-1e300",
  "0.5",
  "9223372036854775807",
  "-9223372036854775808",
  "\"\"",
  "\"Host\"",
  "\"F32\"",
  "\"no such thing\"",
  "\"/\"",
  "[]",
  "[0]",
  "[-1]",
  "[1, 1]",
  "[-1, -1]",
  "[2, 0, -1]",
  "[1e300]",
  "[9223372036854775807, 9223372036854775807]",
  "[-9223372036854775808]",
  "[\"a\"]",
  "[[1]]",
  "[null]",
  "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]",
  "{}",
  "{\"a\": 1}",
};

static JsonNode *
parse (const gchar *text)
{
  g_autoptr (GError) error = NULL;
  JsonNode *node = json_from_string (text, &error);

  g_assert_no_error (error);
  return node;
}

/* The example with random members replaced by anything. */
static JsonObject *
make_nonsense (gpointer klass)
{
  g_autoptr (JsonNode) example = parse (holo_task_factory_class_get_example (klass));
  JsonObject *object = json_object_ref (json_node_get_object (example));
  guint n_settings;
  g_autofree GParamSpec **settings = holo_settings_list (klass, &n_settings);

  for (guint i = 0; i < n_settings; i++)
    if (g_rand_int_range (random_numbers, 0, 3) == 0)
      json_object_set_member (object, settings[i]->name,
                              parse (nonsense[g_rand_int_range (random_numbers, 0, G_N_ELEMENTS (nonsense))]));
  return object;
}

static void
assert_explained (const gchar *kind, const GError *error)
{
  if (error == NULL || error->domain != HOLO_ERROR || strlen (error->message) < 10)
    g_error ("%s refuses without a reason: %s", kind, error != NULL ? error->message : "(no error)");
}

static guint random_inputs (gpointer klass, TaskArray **inputs);

static void
free_arrays (TaskArray **arrays, guint n)
{
  for (guint i = 0; i < n; i++)
    task_array_free (arrays[i]);
}

/* Settings are taken or refused with a reason, and so are tensors with these settings; nothing else
 * happens. */
static void
test_settings (gconstpointer kind)
{
  for (guint round = 0; round < ROUNDS; round++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TaskRunner) runner = task_runner_new (kind, "{}", &error);
      g_autoptr (JsonObject) object = make_nonsense (HOLO_TASK_FACTORY_GET_CLASS (runner->factory));
      TaskArray *inputs[MAX_INPUTS];
      guint n_inputs;

      if (!holo_settings_apply_json (runner->factory, object, "/nodes/test/params", &error))
        {
          assert_explained (kind, error);
          continue;
        }
      n_inputs = random_inputs (HOLO_TASK_FACTORY_GET_CLASS (runner->factory), inputs);
      if (!task_runner_infer (runner, inputs, n_inputs, &error))
        assert_explained (kind, error);
      free_arrays (inputs, n_inputs);
    }
}

static void
test_unknown_setting (gconstpointer kind)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (task_runner_new (kind, "{\"no_such_setting\": 1}", &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_SETTING);
  g_assert_nonnull (strstr (error->message, "no_such_setting"));
}

/* A plan freezes a copy: it must hold the same settings. */
static void
test_copy (gconstpointer kind)
{
  g_autoptr (TaskRunner) runner = task_runner_new (kind, "{}", NULL);
  gpointer klass = HOLO_TASK_FACTORY_GET_CLASS (runner->factory);
  g_autoptr (HoloTaskFactory) copy = NULL;
  g_autoptr (JsonNode) before = json_node_new (JSON_NODE_OBJECT), after = json_node_new (JSON_NODE_OBJECT);

  g_assert_true (task_runner_set (runner, holo_task_factory_class_get_example (klass), NULL));
  copy = holo_task_factory_copy (runner->factory);
  json_node_take_object (before, holo_settings_get_json (runner->factory));
  json_node_take_object (after, holo_settings_get_json (copy));
  g_assert_true (json_node_equal (before, after));
}

/* ---- tensors ---- */

static HoloDType
random_dtype (guint mask)
{
  guint dtype;

  do
    dtype = (guint) g_rand_int_range (random_numbers, 0, HOLO_N_DTYPES);
  while ((mask & HOLO_DTYPE_MASK (dtype)) == 0);
  return (HoloDType) dtype;
}

/* Extents from 0 to 6, seldom 0, and smaller where there are many. */
static void
random_shape (guint rank, gint64 *shape)
{
  for (guint i = 0; i < rank; i++)
    shape[i] =
        g_rand_int_range (random_numbers, 0, 12) == 0 ? 0 : g_rand_int_range (random_numbers, 1, rank > 4 ? 4 : 7);
}

/* Often alike, since kinds with several inputs want that; else broadcast, or anything. */
static guint
random_inputs (gpointer klass, TaskArray **inputs)
{
  guint n_slots;
  const HoloSlot *slots = holo_task_factory_class_get_inputs (klass, &n_slots);
  gint64 shape[HOLO_MAX_RANK];
  HoloDType dtype = HOLO_DTYPE_U8;
  guint rank = 0;

  g_assert_cmpuint (n_slots, <=, MAX_INPUTS);
  for (guint i = 0; i < n_slots; i++)
    {
      gboolean is_alike = i > 0 && g_rand_int_range (random_numbers, 0, 4) != 0;

      if (!is_alike || (slots[i].dtypes & HOLO_DTYPE_MASK (dtype)) == 0)
        dtype = random_dtype (slots[i].dtypes);
      if (!is_alike)
        {
          rank = (guint) g_rand_int_range (random_numbers, (gint) slots[i].min_rank, (gint) slots[i].max_rank + 1);
          random_shape (rank, shape);
        }
      else if (rank > 0 && g_rand_boolean (random_numbers))
        shape[g_rand_int_range (random_numbers, 0, (gint) rank)] = 1;
      inputs[i] = task_array_new_random (dtype, rank, shape, random_numbers);
    }
  return n_slots;
}

/* The example, with other values for what has few: booleans and enumerations. */
static void
vary_settings (TaskRunner *runner)
{
  gpointer klass = HOLO_TASK_FACTORY_GET_CLASS (runner->factory);
  guint n_settings;
  g_autofree GParamSpec **settings = holo_settings_list (klass, &n_settings);

  g_assert_true (task_runner_set (runner, holo_task_factory_class_get_example (klass), NULL));
  for (guint i = 0; i < n_settings; i++)
    {
      gboolean is_required = (holo_setting_get_flags (settings[i]) & HOLO_SETTING_REQUIRED) != 0;

      if (!is_required && g_rand_boolean (random_numbers))
        continue;
      if (G_IS_PARAM_SPEC_BOOLEAN (settings[i]))
        g_object_set (runner->factory, settings[i]->name, g_rand_boolean (random_numbers), NULL);
      else if (G_IS_PARAM_SPEC_ENUM (settings[i]))
        {
          GEnumClass *values = G_PARAM_SPEC_ENUM (settings[i])->enum_class;

          g_object_set (runner->factory, settings[i]->name,
                        values->values[g_rand_int_range (random_numbers, 0, (gint) values->n_values)].value, NULL);
        }
    }
}

/* ---- running ---- */

static gboolean
can_run_here (TaskRunner *runner)
{
  for (guint i = 0; i < holo_inference_get_n_inputs (&runner->inference); i++)
    if (holo_inference_get_input (&runner->inference, i)->owned)
      return FALSE;
  for (guint i = 0; i < holo_inference_get_n_outputs (&runner->inference); i++)
    {
      const HoloInferredOutput *output = holo_inference_get_output (&runner->inference, i);

      if (output->owned || output->desc.mem_loc != HOLO_MEM_LOC_HOST ||
          holo_tensor_desc_get_size (&output->desc) > MAX_BYTES)
        return FALSE;
    }
  return TRUE;
}

/* Results may differ by rounding where a library chooses its code by the layout. */
static gdouble
get_tolerance (const TaskArray *array)
{
  gdouble largest = 1;

  if (!holo_dtype_is_complex (array->desc.dtype) && array->desc.dtype != HOLO_DTYPE_F32 &&
      array->desc.dtype != HOLO_DTYPE_F64)
    return 0;
  for (guint64 i = 0; i < holo_tensor_desc_count (&array->desc); i++)
    {
      gdouble re, im, modulus;

      task_array_get (array, i, &re, &im);
      modulus = hypot (re, im);
      if (isfinite (modulus))
        largest = MAX (modulus, largest);
    }
  return 1e-6 * largest;
}

typedef struct
{
  guint n;
  TaskArray *arrays[MAX_INPUTS];
} Results;

/* Infers, creates and runs; FALSE when the kind refuses, with a reason. */
static gboolean
run_once (const gchar *kind, TaskRunner *runner, TaskRunMode mode, TaskArray **inputs, guint n_inputs, Results *results)
{
  g_autoptr (GError) error = NULL;
  HoloOpResult result;

  results->n = 0;
  if (!task_runner_infer (runner, inputs, n_inputs, &error))
    {
      assert_explained (kind, error);
      return FALSE;
    }
  if (!can_run_here (runner))
    return FALSE;
  if (!task_runner_create (runner, &error))
    {
      assert_explained (kind, error);
      return FALSE;
    }
  result = task_runner_execute (runner, mode, inputs, n_inputs, results->arrays, NULL, &error);
  g_assert_true ((result == HOLO_OP_ERROR) == (error != NULL));
  if (result != HOLO_OP_OK)
    return FALSE;
  results->n = holo_inference_get_n_outputs (&runner->inference);
  return TRUE;
}

static void
compare (const gchar *kind, const Results *results, const Results *expected, guint layout, guint mode)
{
  g_assert_cmpuint (results->n, ==, expected->n);
  for (guint i = 0; i < expected->n; i++)
    if (!task_array_is_same (results->arrays[i], expected->arrays[i], get_tolerance (expected->arrays[i])))
      g_error ("%s: layout %u, mode %u gives another result than dense tensors", kind, layout, mode);
}

/* One set of tensors: dense and apart is what every other way is compared with. A kind may refuse strided
 * tensors. */
static gboolean
check_layouts (const gchar *kind, TaskRunner *runner, TaskArray **inputs, guint n_inputs)
{
  Results expected, results;

  if (!run_once (kind, runner, TASK_RUN_NORMAL, inputs, n_inputs, &expected))
    return FALSE;
  for (guint layout = 0; layout < TASK_N_LAYOUTS; layout++)
    {
      TaskArray *laid_out[MAX_INPUTS];

      for (guint i = 0; i < n_inputs; i++)
        laid_out[i] = task_array_copy (inputs[i], (TaskLayout) layout);
      for (guint mode = TASK_RUN_NORMAL; mode <= TASK_RUN_IN_PLACE; mode++)
        if (run_once (kind, runner, (TaskRunMode) mode, laid_out, n_inputs, &results))
          {
            compare (kind, &results, &expected, layout, mode);
            free_arrays (results.arrays, results.n);
          }
        else
          g_assert_cmpuint (layout, !=, TASK_LAYOUT_DENSE);
      free_arrays (laid_out, n_inputs);
    }
  free_arrays (expected.arrays, expected.n);
  return TRUE;
}

static void
test_layouts (gconstpointer kind)
{
  guint n_accepted = 0, n_runnable = 0;

  for (guint round = 0; round < ROUNDS; round++)
    {
      g_autoptr (TaskRunner) runner = task_runner_new (kind, "{}", NULL);
      TaskArray *inputs[MAX_INPUTS];
      guint n_inputs = random_inputs (HOLO_TASK_FACTORY_GET_CLASS (runner->factory), inputs);

      vary_settings (runner);
      if (check_layouts (kind, runner, inputs, n_inputs))
        n_accepted++;
      if (runner->is_inferred && can_run_here (runner))
        n_runnable++;
      free_arrays (inputs, n_inputs);
    }
  g_test_message ("%u of %d random sets of tensors ran", n_accepted, ROUNDS);
  if (n_runnable > 0)
    g_assert_cmpuint (n_accepted, >, 0);
}

/* ---- double precision ---- */

static HoloDType
get_double (HoloDType dtype)
{
  return dtype == HOLO_DTYPE_CF32 ? HOLO_DTYPE_CF64 : HOLO_DTYPE_F64;
}

static TaskArray *
widen (TaskArray *array)
{
  g_autofree gchar *settings =
      g_strdup_printf ("{\"target\": \"%s\"}", holo_dtype_get_name (get_double (array->desc.dtype)));
  TaskArray *wide = task_run ("Conversion", settings, &array, 1, TASK_RUN_NORMAL, NULL);

  g_assert_nonnull (wide);
  return wide;
}

static gboolean
is_single (HoloDType dtype)
{
  return dtype == HOLO_DTYPE_F32 || dtype == HOLO_DTYPE_CF32;
}

static gboolean
are_all_single (TaskArray **arrays, guint n)
{
  for (guint i = 0; i < n; i++)
    if (!is_single (arrays[i]->desc.dtype))
      return FALSE;
  return n > 0;
}

static void
compare_precisions (const gchar *kind, const Results *single, const Results *wide)
{
  g_assert_cmpuint (single->n, ==, wide->n);
  for (guint i = 0; i < single->n; i++)
    if (is_single (single->arrays[i]->desc.dtype))
      {
        g_autoptr (TaskArray) widened = widen (single->arrays[i]);

        if (!task_array_is_same (widened, wide->arrays[i], 4 * get_tolerance (wide->arrays[i])))
          g_error ("%s: single and double precision disagree", kind);
      }
}

/* The kind's own double precision is the reference of its single precision. */
static void
test_precision (gconstpointer kind)
{
  for (guint round = 0; round < ROUNDS; round++)
    {
      g_autoptr (TaskRunner) runner = task_runner_new (kind, "{}", NULL);
      gpointer klass = HOLO_TASK_FACTORY_GET_CLASS (runner->factory);
      TaskArray *inputs[MAX_INPUTS], *wide_inputs[MAX_INPUTS];
      guint n_inputs = random_inputs (klass, inputs);
      Results single = { 0 }, wide = { 0 };

      g_assert_true (task_runner_set (runner, holo_task_factory_class_get_example (klass), NULL));
      if (are_all_single (inputs, n_inputs) && run_once (kind, runner, TASK_RUN_NORMAL, inputs, n_inputs, &single))
        {
          for (guint i = 0; i < n_inputs; i++)
            wide_inputs[i] = widen (inputs[i]);
          if (run_once (kind, runner, TASK_RUN_NORMAL, wide_inputs, n_inputs, &wide))
            {
              compare_precisions (kind, &single, &wide);
              free_arrays (wide.arrays, wide.n);
            }
          free_arrays (wide_inputs, n_inputs);
          free_arrays (single.arrays, single.n);
        }
      free_arrays (inputs, n_inputs);
    }
}

/* ---- references ---- */

typedef struct
{
  gdouble re, im;
} Number;

static Number
reference_sqrt (Number a, Number b)
{
  return (Number){ sqrt (a.re), 0 };
}

static Number
reference_abs (Number a, Number b)
{
  return (Number){ hypot (a.re, a.im), 0 };
}

static Number
reference_add (Number a, Number b)
{
  return (Number){ a.re + b.re, a.im + b.im };
}

static Number
reference_multiply (Number a, Number b)
{
  return (Number){ a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re };
}

static const struct
{
  const gchar *kind;
  Number (*func) (Number a, Number b);
} references[] = {
  { "Sqrt", reference_sqrt },
  { "Abs", reference_abs },
  { "Add", reference_add },
  { "Multiply", reference_multiply },
};

/* Element @index of an output of @shape, in an input that is broadcast to it. */
static Number
get_broadcast (const TaskArray *array, const HoloTensorDesc *shape, guint64 index)
{
  guint64 own_index = 0, own_step = 1;
  Number number;

  for (guint i = 0; i < shape->rank; i++)
    {
      guint dim = shape->rank - 1 - i;
      guint64 at = index % (guint64) shape->shape[dim];

      index /= (guint64) shape->shape[dim];
      if (i < array->desc.rank)
        {
          guint64 extent = (guint64) array->desc.shape[array->desc.rank - 1 - i];

          own_index += own_step * (extent == 1 ? 0 : at);
          own_step *= extent;
        }
    }
  task_array_get (array, own_index, &number.re, &number.im);
  return number;
}

static gboolean
is_floating (HoloDType dtype)
{
  return holo_dtype_is_complex (dtype) || dtype == HOLO_DTYPE_F32 || dtype == HOLO_DTYPE_F64;
}

static void
check_reference (guint which, TaskArray **inputs, guint n_inputs, const TaskArray *output)
{
  for (guint64 i = 0; i < holo_tensor_desc_count (&output->desc); i++)
    {
      Number a = get_broadcast (inputs[0], &output->desc, i);
      Number b = n_inputs > 1 ? get_broadcast (inputs[1], &output->desc, i) : a;
      Number expected = references[which].func (a, b), found;
      gdouble scale = MAX (1, hypot (expected.re, expected.im));

      if (isnan (expected.re))
        scale = 1;
      task_array_get (output, i, &found.re, &found.im);
      if (isnan (expected.re) ? !isnan (found.re)
                              : !(fabs (found.re - expected.re) <= 1e-6 * scale * 200 &&
                                  fabs (found.im - expected.im) <= 1e-6 * scale * 200))
        g_error ("%s: element %" G_GUINT64_FORMAT ": expected %g%+gi, found %g%+gi", references[which].kind, i,
                 expected.re, expected.im, found.re, found.im);
    }
}

static void
test_references (void)
{
  for (guint which = 0; which < G_N_ELEMENTS (references); which++)
    {
      guint n_checked = 0;

      for (guint round = 0; round < ROUNDS; round++)
        {
          g_autoptr (TaskRunner) runner = task_runner_new (references[which].kind, "{}", NULL);
          TaskArray *inputs[MAX_INPUTS];
          guint n_inputs = random_inputs (HOLO_TASK_FACTORY_GET_CLASS (runner->factory), inputs);
          Results results = { 0 };

          if (run_once (references[which].kind, runner, TASK_RUN_NORMAL, inputs, n_inputs, &results) &&
              is_floating (results.arrays[0]->desc.dtype))
            {
              check_reference (which, inputs, n_inputs, results.arrays[0]);
              n_checked++;
            }
          free_arrays (results.arrays, results.n);
          free_arrays (inputs, n_inputs);
        }
      g_assert_cmpuint (n_checked, >, 10);
    }
}

/* ---- main ---- */

static void
add_test (const gchar *kind, const gchar *what, GTestDataFunc func)
{
  g_autofree gchar *path = g_strdup_printf ("/tasks/every-kind/%s/%s", kind, what);

  g_test_add_data_func (path, kind, func);
}

static void
add_tests (const gchar *kind)
{
  add_test (kind, "documented", test_documented);
  add_test (kind, "settings", test_settings);
  add_test (kind, "unknown-setting", test_unknown_setting);
  add_test (kind, "copy", test_copy);
  if (!holo_registry_is_sync (holo_registry_get_default (), kind))
    return;
  add_test (kind, "layouts", test_layouts);
  add_test (kind, "precision", test_precision);
}

/* Kinds that write files do it here. */
static gchar *
enter_folder (void)
{
  g_autoptr (GError) error = NULL;
  gchar *folder = g_dir_make_tmp ("holoflow-every-kind-XXXXXX", &error);

  g_assert_no_error (error);
  g_assert_cmpint (g_chdir (folder), ==, 0);
  return folder;
}

static void
leave_folder (const gchar *folder)
{
  g_autoptr (GDir) dir = g_dir_open (".", 0, NULL);
  const gchar *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    g_unlink (name);
  g_assert_cmpint (g_chdir ("/"), ==, 0);
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  g_auto (GStrv) kinds = NULL;
  g_autofree gchar *folder = NULL;
  int status;

  g_test_init (&argc, &argv, NULL);
  folder = enter_folder ();
  random_numbers = g_rand_new_with_seed (g_test_rand_int ());
  kinds = holo_registry_list_kinds (holo_registry_get_default ());
  for (guint i = 0; kinds[i] != NULL; i++)
    add_tests (kinds[i]);
  g_test_add_func ("/tasks/every-kind/references", test_references);
  status = g_test_run ();
  g_rand_free (random_numbers);
  leave_folder (folder);
  return status;
}
