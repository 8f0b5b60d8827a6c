/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A kind that the library makes the classes of: its state is made, changed and freed. */
#include <string.h>

#include <holoflow/holoflow.h>

/* ---- a source of numbers ---- */

typedef struct
{
  HoloSyncTaskFactory parent_instance;

  gint64 start;
  gint64 limit;
} Settings;

typedef struct
{
  gint64 next;
  gint64 staged;
  gboolean is_set_up;
} State;

static guint n_cleared;

static gboolean
infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  HoloTensorDesc desc;

  holo_inference_add_output (inference, holo_tensor_desc_init (&desc, HOLO_DTYPE_I64, HOLO_MEM_LOC_HOST, 0, NULL));
  return TRUE;
}

static gboolean
set_up (HoloSyncTaskFactory *factory, HoloSyncTask *task, const HoloInference *inference,
        const HoloSyncCreateContext *context, GError **error)
{
  const Settings *settings = (const Settings *) factory;
  State *state = holo_task_get_state (task);

  g_assert_cmpint (state->next, ==, 0);
  g_assert_false (state->is_set_up);
  state->is_set_up = TRUE;
  state->next = state->staged = settings->start;
  if (settings->start <= settings->limit)
    return TRUE;
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_TASK, "beyond the limit");
  return FALSE;
}

static HoloOpResult
execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  State *state = holo_task_get_state (task);

  *(gint64 *) holo_tensor_view_get_data (context->outputs[0]) = state->next++;
  return HOLO_OP_OK;
}

static void
clear (HoloTask *task)
{
  g_assert_true (((State *) holo_task_get_state (task))->is_set_up);
  n_cleared++;
}

static HoloChange
change (HoloSyncTaskFactory *factory, HoloSyncTask *task, const HoloInference *inference,
        const HoloSyncCreateContext *context, GError **error)
{
  const Settings *settings = (const Settings *) factory;

  if (settings->start < 0)
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_TASK, "below 0");
      return HOLO_CHANGE_REFUSED;
    }
  ((State *) holo_task_get_state (task))->staged = settings->start;
  return settings->limit == 100 ? HOLO_CHANGE_STAGED : HOLO_CHANGE_NEW_TASK;
}

static void
commit (HoloTask *task)
{
  State *state = holo_task_get_state (task);

  state->next = state->staged;
}

static void
count_class_init (gpointer klass)
{
  holo_task_factory_class_set_description (klass, "Counts", NULL);
  holo_task_factory_class_add_output (klass, "out", HOLO_DTYPES (I64), HOLO_MEM_LOCS_ANY, 0, 0, HOLO_SLOT_NONE,
                                      "number");
  holo_settings_install_int64 (klass, "start", "First", NULL, -1, 1000, 0, HOLO_SETTING_LIVE,
                               G_STRUCT_OFFSET (Settings, start));
  holo_settings_install_int64 (klass, "limit", "Last", NULL, 0, 1000, 100, HOLO_SETTING_NONE,
                               G_STRUCT_OFFSET (Settings, limit));
}

static const HoloSyncFunctions functions = {
  .state_size = sizeof (State),
  .infer = infer,
  .set_up = set_up,
  .execute = execute,
  .clear = clear,
  .change = change,
  .commit = commit,
};

HOLO_DEFINE_SYNC_KIND (count, "Count", Settings, functions)

/* The same name, by somebody else. */
static void
other_class_init (gpointer klass)
{
}

HOLO_DEFINE_SYNC_KIND (other, "Count", Settings, functions)

HOLO_BINARY (difference, gint64, gint64, x - y)

static void
difference_class_init (gpointer klass)
{
  holo_task_factory_class_set_description (klass, "Difference of two tensors", NULL);
  holo_map_factory_class_add_pair (klass, HOLO_DTYPE_I64, HOLO_DTYPE_I64, HOLO_DTYPE_I64, difference);
}

HOLO_DEFINE_BINARY_KIND (difference, "Difference", HoloMapFactory)

/* ---- tests ---- */

typedef struct
{
  HoloRegistry *registry;
  HoloTaskFactory *factory;
  HoloInference inference;
  HoloSyncCreateContext context;
} Fixture;

static void
fixture_set_up (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  n_cleared = 0;
  fixture->registry = holo_registry_new ();
  g_assert_true (count_register (fixture->registry, &error));
  fixture->factory = holo_registry_create_factory (fixture->registry, "Count", &error);
  g_assert_no_error (error);
  g_assert_true (holo_task_factory_infer (fixture->factory, NULL, 0, &fixture->inference, &error));
  fixture->context.device = holo_device_get_host ();
}

static void
fixture_tear_down (Fixture *fixture, gconstpointer data)
{
  holo_inference_clear (&fixture->inference);
  g_object_unref (fixture->factory);
  g_object_unref (fixture->registry);
}

static HoloSyncTask *
update (Fixture *fixture, HoloSyncTask *old, gint64 start, gint64 limit, GError **error)
{
  g_object_set (fixture->factory, "start", start, "limit", limit, NULL);
  return holo_sync_task_factory_update (HOLO_SYNC_TASK_FACTORY (fixture->factory), old,
                                        old != NULL ? &fixture->inference : NULL, &fixture->inference,
                                        &fixture->context, error);
}

static gint64
run (HoloSyncTask *task)
{
  gint64 value = -1;
  HoloStorage storage;
  HoloTensorDesc desc;
  HoloTensorView view, *views[1] = { &view };
  HoloSyncContext context = { .outputs = views, .n_outputs = 1 };

  holo_tensor_desc_init (&desc, HOLO_DTYPE_I64, HOLO_MEM_LOC_HOST, 0, NULL);
  holo_storage_init (&storage, &value, sizeof value);
  holo_tensor_view_init (&view, &desc, &storage);
  g_assert_cmpint (holo_sync_task_execute (task, &context, NULL), ==, HOLO_OP_OK);
  return value;
}

static void
test_state (Fixture *fixture, gconstpointer data)
{
  HoloSyncTask *task = update (fixture, NULL, 7, 100, NULL);

  g_assert_cmpint (run (task), ==, 7);
  g_assert_cmpint (run (task), ==, 8);
  g_assert_true (holo_task_reset (HOLO_TASK (task), NULL));
  g_assert_cmpuint (n_cleared, ==, 0);
  g_object_unref (task);
  g_assert_cmpuint (n_cleared, ==, 1);
}

static void
test_set_up_fails (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (update (fixture, NULL, 7, 6, &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_TASK);
  g_assert_cmpuint (n_cleared, ==, 1);
}

static void
test_change (Fixture *fixture, gconstpointer data)
{
  g_autoptr (HoloSyncTask) task = update (fixture, NULL, 1, 100, NULL);
  g_autoptr (HoloSyncTask) kept = update (fixture, task, 5, 100, NULL);
  g_autoptr (HoloSyncTask) other = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (kept == task);
  g_assert_cmpint (run (task), ==, 1);
  holo_task_commit (HOLO_TASK (task));
  g_assert_cmpint (run (task), ==, 5);
  g_assert_null (update (fixture, task, -1, 100, &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_TASK);
  other = update (fixture, task, 9, 99, NULL);
  g_assert_true (other != task);
  g_assert_cmpint (run (other), ==, 9);
  g_assert_cmpint (run (task), ==, 6);
}

static void
test_defined_twice (Fixture *fixture, gconstpointer data)
{
  g_autoptr (HoloRegistry) registry = holo_registry_new ();
  g_autoptr (GError) error = NULL;

  g_assert_true (count_register (registry, NULL));
  g_assert_true (holo_registry_get_factory_type (registry, "Count", NULL) == G_OBJECT_TYPE (fixture->factory));
  g_assert_false (other_register (registry, &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_EXISTS);
  g_assert_nonnull (strstr (strstr (error->message, "test-kind") + 1, "test-kind"));
}

/* Once before the kind is known, once after. */
static void
test_device_kind (Fixture *fixture, gconstpointer data)
{
  gpointer klass = HOLO_TASK_FACTORY_GET_CLASS (fixture->factory);
  g_autoptr (HoloTaskFactory) difference_factory = NULL;
  guint n;

  g_assert_cmpuint (holo_task_factory_class_get_outputs (klass, &n)->mem_locs, ==, HOLO_MEM_LOCS_HOST);
  holo_registry_add_device_kind (fixture->registry, "Count");
  g_assert_cmpuint (holo_task_factory_class_get_outputs (klass, &n)->mem_locs, ==, HOLO_MEM_LOCS_ANY);

  holo_registry_add_device_kind (fixture->registry, "Difference");
  g_assert_true (difference_register (fixture->registry, NULL));
  difference_factory = holo_registry_create_factory (fixture->registry, "Difference", NULL);
  klass = HOLO_TASK_FACTORY_GET_CLASS (difference_factory);
  g_assert_cmpuint (holo_task_factory_class_get_inputs (klass, &n)->mem_locs, ==, HOLO_MEM_LOCS_ANY);
  g_assert_cmpuint (n, ==, 2);
}

#define ADD(path, func) g_test_add (path, Fixture, NULL, fixture_set_up, func, fixture_tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("/holo/kind/state", test_state);
  ADD ("/holo/kind/set-up-fails", test_set_up_fails);
  ADD ("/holo/kind/change", test_change);
  ADD ("/holo/kind/defined-twice", test_defined_twice);
  ADD ("/holo/kind/device-kind", test_device_kind);
  return g_test_run ();
}
