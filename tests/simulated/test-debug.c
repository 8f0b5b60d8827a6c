/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the environment variables for finding mistakes do. Each case runs in a process of its own. */
#include <holoflow/holoflow.h>

#include "device/holo-runtime-hooks.h"
#include "sim-device.h"

/* ---- kinds ---- */

typedef enum
{
  SOURCE,      /* no input: fills its output with 1, 2, 3 ... and ends after 3 frames */
  LAZY_SOURCE, /* as SOURCE, but writes its first frame only */
  SINK,        /* no output: remembers the first element */
} Role;

typedef struct
{
  HoloSyncTask parent_instance;
  Role role;
  guint n_frames;
} ToyTask;
typedef HoloSyncTaskClass ToyTaskClass;

static GType toy_task_get_type (void);
G_DEFINE_TYPE (ToyTask, toy_task, HOLO_TYPE_SYNC_TASK)

static guint32 seen[3];
static guint n_seen;

static HoloOpResult
toy_execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  ToyTask *toy = (ToyTask *) task;

  if (toy->role == SINK)
    {
      g_assert_cmpuint (n_seen, <, G_N_ELEMENTS (seen));
      seen[n_seen++] = *(guint32 *) holo_tensor_view_get_data (context->inputs[0]);
      return HOLO_OP_OK;
    }
  if (toy->n_frames++ == 3)
    return HOLO_OP_EOF;
  if (toy->role == SOURCE || toy->n_frames == 1)
    *(guint32 *) holo_tensor_view_get_data (context->outputs[0]) = toy->n_frames;
  return HOLO_OP_OK;
}

static void
toy_task_class_init (ToyTaskClass *klass)
{
  klass->execute = toy_execute;
}

static void
toy_task_init (ToyTask *toy)
{
}

typedef struct
{
  HoloSyncTaskFactory parent_instance;
} ToyFactory;
typedef struct
{
  HoloSyncTaskFactoryClass parent_class;
  Role role;
} ToyFactoryClass;

static GType toy_factory_get_type (void);
G_DEFINE_TYPE (ToyFactory, toy_factory, HOLO_TYPE_SYNC_TASK_FACTORY)

#define ROLE(factory) (((ToyFactoryClass *) G_OBJECT_GET_CLASS (factory))->role)

static gboolean
toy_infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  const gint64 shape[] = { 1 };
  HoloTensorDesc desc;

  if (ROLE (factory) != SINK)
    holo_inference_add_output (inference, holo_tensor_desc_init (&desc, HOLO_DTYPE_U32, HOLO_MEM_LOC_HOST, 1, shape));
  return TRUE;
}

static HoloSyncTask *
toy_create (HoloSyncTaskFactory *factory, const HoloInference *inference, const HoloSyncCreateContext *context,
            GError **error)
{
  ToyTask *task = g_object_new (toy_task_get_type (), NULL);

  task->role = ROLE (factory);
  return HOLO_SYNC_TASK (task);
}

static void
toy_factory_class_init (ToyFactoryClass *klass)
{
  HOLO_TASK_FACTORY_CLASS (klass)->infer = toy_infer;
  HOLO_SYNC_TASK_FACTORY_CLASS (klass)->create = toy_create;
}

static void
toy_factory_init (ToyFactory *factory)
{
}

static void
init_role (gpointer klass, gpointer role)
{
  ((ToyFactoryClass *) klass)->role = (Role) GPOINTER_TO_INT (role);
  if (GPOINTER_TO_INT (role) == SINK)
    holo_task_factory_class_add_input (klass, "in", HOLO_DTYPES_ALL, HOLO_MEM_LOCS_ANY, 0, HOLO_MAX_RANK, 0, NULL);
  else
    holo_task_factory_class_add_output (klass, "out", HOLO_DTYPES_ALL, HOLO_MEM_LOCS_ANY, 0, HOLO_MAX_RANK, 0, NULL);
}

static HoloRegistry *
make_registry (void)
{
  static const gchar *const names[] = { "Source", "LazySource", "Sink" };
  HoloRegistry *registry = holo_registry_new ();

  holo_registry_add_builtin (registry);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      GTypeInfo info = {
        .class_size = sizeof (ToyFactoryClass),
        .class_init = init_role,
        .class_data = GINT_TO_POINTER (i),
        .instance_size = sizeof (ToyFactory),
      };

      g_assert_true (holo_registry_register_sync (
          registry, names[i], g_type_register_static (toy_factory_get_type (), names[i], &info, 0), NULL));
    }
  return registry;
}

/* ---- running ---- */

static gboolean
run (const gchar *graph_text, HoloDevice *device, GError **error)
{
  g_autoptr (HoloRegistry) registry = make_registry ();
  g_autoptr (HoloGraph) graph = holo_graph_new_from_text (graph_text, -1, error);
  g_autoptr (HoloCompiler) compiler = holo_compiler_new (registry);
  g_autoptr (HoloPlan) plan = NULL;
  g_autoptr (HoloScheduler) scheduler = NULL;

  g_assert_nonnull (graph);
  holo_compiler_set_device (compiler, device);
  plan = holo_compiler_compile (compiler, graph, NULL, error);
  if (plan == NULL)
    return FALSE;
  scheduler = holo_scheduler_new (plan);
  return holo_scheduler_start (scheduler, error) && holo_scheduler_wait (scheduler, error);
}

#define NODE(name, kind, params) "\"" name "\": {\"type\": \"" kind "\", \"params\": " params "}"
#define EDGE(from, to)           "{\"from\": \"" from "\", \"out\": 0, \"to\": \"" to "\", \"in\": 0}"

/* clang-format off */
static const gchar *const lazy =
    "{\"nodes\": {" NODE ("a", "LazySource", "{}") "," NODE ("b", "Sink", "{}") "},"
    " \"edges\": [" EDGE ("a", "b") "]}";
static const gchar *const queued =
    "{\"nodes\": {" NODE ("a", "Source", "{}") "," NODE ("q", "Queue", "{}") "," NODE ("b", "Sink", "{}") "},"
    " \"edges\": [" EDGE ("a", "q") "," EDGE ("q", "b") "]}";
static const gchar *const device_work =
    "{\"nodes\": {" NODE ("a", "Source", "{}") "," NODE ("up", "Memcpy", "{\"target\": \"Device\"}") ","
    NODE ("down", "Memcpy", "{\"target\": \"Host\"}") "," NODE ("b", "Sink", "{}") "},"
    " \"edges\": [" EDGE ("a", "up") "," EDGE ("up", "down") "," EDGE ("down", "b") "]}";
/* clang-format on */

static void
run_well (const gchar *graph)
{
  g_autoptr (GError) error = NULL;

  run (graph, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (n_seen, ==, 3);
}

/* ---- tests ---- */

/* A task that does not write leaves the last frame, or poison. */
static void
test_poison (void)
{
  if (g_test_subprocess ())
    {
      g_setenv ("HOLOFLOW_POISON", "1", TRUE);
      run_well (lazy);
      g_assert_cmphex (seen[0], ==, 1);
      g_assert_cmphex (seen[1], ==, 0xa5a5a5a5);
      g_assert_cmphex (seen[2], ==, 0xa5a5a5a5);
      return;
    }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_passed ();
}

static void
test_no_poison (void)
{
  if (g_test_subprocess ())
    {
      g_unsetenv ("HOLOFLOW_POISON");
      run_well (lazy);
      g_assert_cmphex (seen[2], ==, 1);
      return;
    }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_passed ();
}

static void
test_stall (void)
{
  if (g_test_subprocess ())
    {
      g_setenv ("HOLOFLOW_STALL", "3", TRUE);
      run_well (queued);
      g_assert_cmpuint (seen[2], ==, 3);
      g_assert_true (holo_runtime_pause_func != NULL);
      return;
    }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_passed ();
}

static void
test_topics (void)
{
  if (g_test_subprocess ())
    {
      g_setenv ("HOLOFLOW_DEBUG", "infer,place,storage,schedule", TRUE);
      run_well (queued);
      return;
    }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_passed ();
  g_test_trap_assert_stderr ("*infer:\n*U32?1? Host in s0*from \"a\":0*");
  g_test_trap_assert_stderr ("*place:\n*\"q\" (Queue) runs on the host*");
  g_test_trap_assert_stderr ("*storage:\n*s0 *");
  g_test_trap_assert_stderr ("*schedule:\n*execute \"a\" (Source)*pop*\"q\" (Queue)*");
}

static void
test_events (void)
{
  if (g_test_subprocess ())
    {
      g_autoptr (HoloEventRouter) router = NULL;
      g_autoptr (JsonNode) data = holo_json_parse ("{\"v\": 1}", -1, NULL);
      HoloEventReader *reader;
      HoloEventWriter *writer;

      g_setenv ("HOLOFLOW_DEBUG", "events", TRUE);
      router = holo_event_router_new (0, 0);
      holo_event_router_bind_node (router, "node", &reader, &writer, NULL);
      holo_event_router_send (router, "node", data, NULL);
      holo_event_writer_push (writer, NULL);
      return;
    }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_passed ();
  g_test_trap_assert_stderr ("*event to node \"node\": {\"v\":1}*event from node \"node\": nothing*");
}

/* The upload fails on the device. With HOLOFLOW_SYNC the error names it. */
static void
test_sync (void)
{
  if (g_test_subprocess ())
    {
      HoloDevice *device = sim_device_new (1, 0);
      g_autoptr (GError) error = NULL;

      g_setenv ("HOLOFLOW_SYNC", "1", TRUE);
      sim_device_fail_work ((SimDevice *) device, 1);
      g_assert_false (run (device_work, device, &error));
      g_assert_error (error, HOLO_ERROR, HOLO_ERROR_DEVICE);
      g_printerr ("%s\n", error->message);
      sim_device_fail_work ((SimDevice *) device, 0);
      return;
    }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_passed ();
  g_test_trap_assert_stderr ("*node \"up\" (Memcpy), execute in section-0: *");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/holo/debug/poison", test_poison);
  g_test_add_func ("/holo/debug/no-poison", test_no_poison);
  g_test_add_func ("/holo/debug/stall", test_stall);
  g_test_add_func ("/holo/debug/topics", test_topics);
  g_test_add_func ("/holo/debug/events", test_events);
  g_test_add_func ("/holo/debug/sync", test_sync);
  return g_test_run ();
}
