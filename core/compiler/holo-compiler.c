/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "compiler/holo-compiler.h"

#include "compiler/holo-compilation.h"
#include "base/holo-error.h"
#include "graph/holo-graph-private.h"
#include "task/holo-task-private.h"

struct _HoloCompiler
{
  GObject parent_instance;

  HoloRegistry *registry;
  HoloDevice *device;
  GHashTable *input_descs; /* name -> HoloTensorDesc */
  gboolean storage_sharing;
  gboolean in_place;
};

G_DEFINE_FINAL_TYPE (HoloCompiler, holo_compiler, G_TYPE_OBJECT)

typedef gboolean (*Pass) (HoloCompilation *compilation, GError **error);

/* From wish to plan. */
static const Pass form_passes[] = { _holo_pass_validate, _holo_pass_order };
static const Pass inference_passes[] = {
  _holo_pass_infer,    _holo_pass_sections,   _holo_pass_tensors, _holo_pass_storage,
  _holo_pass_schedule, _holo_pass_host_waits, _holo_pass_pinned,  _holo_pass_sharing,
};
static const Pass resource_passes[] = { _holo_pass_allocate, _holo_pass_instantiate };

static void
holo_compiler_finalize (GObject *object)
{
  HoloCompiler *self = HOLO_COMPILER (object);

  g_clear_object (&self->registry);
  g_clear_object (&self->device);
  g_hash_table_unref (self->input_descs);
  G_OBJECT_CLASS (holo_compiler_parent_class)->finalize (object);
}

static void
holo_compiler_class_init (HoloCompilerClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = holo_compiler_finalize;
}

static void
holo_compiler_init (HoloCompiler *self)
{
  self->input_descs = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->storage_sharing = TRUE;
  self->in_place = TRUE;
}

/**
 * holo_compiler_new:
 * @registry: (nullable): knows the kinds; %NULL for the default registry
 *
 * Returns: (transfer full): a compiler for the host
 *
 * Since: 0.1
 */
HoloCompiler *
holo_compiler_new (HoloRegistry *registry)
{
  HoloCompiler *self = g_object_new (HOLO_TYPE_COMPILER, NULL);

  self->registry = g_object_ref (registry != NULL ? registry : holo_registry_get_default ());
  self->device = g_object_ref (holo_device_get_host ());
  return self;
}

/**
 * holo_compiler_set_device:
 * @compiler: a compiler
 * @device: (nullable): where device tensors lie; %NULL for the host alone
 *
 * Since: 0.1
 */
void
holo_compiler_set_device (HoloCompiler *compiler, HoloDevice *device)
{
  g_return_if_fail (HOLO_IS_COMPILER (compiler));

  if (device == NULL)
    device = holo_device_get_host ();
  g_set_object (&compiler->device, device);
}

/**
 * holo_compiler_set_storage_sharing:
 * @compiler: a compiler
 * @enabled: whether tensors whose lifetimes do not overlap may share memory (the default)
 *
 * Since: 0.1
 */
void
holo_compiler_set_storage_sharing (HoloCompiler *compiler, gboolean enabled)
{
  compiler->storage_sharing = enabled;
}

/**
 * holo_compiler_set_in_place:
 * @compiler: a compiler
 * @enabled: whether tasks may overwrite their inputs where that is proven right (the default)
 *
 * Since: 0.1
 */
void
holo_compiler_set_in_place (HoloCompiler *compiler, gboolean enabled)
{
  compiler->in_place = enabled;
}

void
holo_compiler_set_input_desc (HoloCompiler *compiler, const gchar *input, const HoloTensorDesc *desc)
{
  g_return_if_fail (HOLO_IS_COMPILER (compiler) && input != NULL);

  if (desc != NULL)
    g_hash_table_replace (compiler->input_descs, g_strdup (input), g_memdup2 (desc, sizeof *desc));
  else
    g_hash_table_remove (compiler->input_descs, input);
}

static gboolean
run_passes (HoloCompilation *c, const Pass *passes, guint n_passes, GError **error)
{
  for (guint i = 0; i < n_passes; i++)
    if (!passes[i](c, error))
      return FALSE;
  return TRUE;
}

static gboolean
check_input_descs (HoloCompiler *compiler, GError **error)
{
  GHashTableIter iter;
  gpointer name, desc;

  g_hash_table_iter_init (&iter, compiler->input_descs);
  while (g_hash_table_iter_next (&iter, &name, &desc))
    if (!holo_tensor_desc_validate (desc, error))
      {
        g_prefix_error (error, "/nodes/%s: the tensor for Input \"%s\": ", (const gchar *) name, (const gchar *) name);
        return FALSE;
      }
  return TRUE;
}

typedef enum
{
  DEPTH_CHECK,
  DEPTH_INFER,
  DEPTH_COMPILE,
} Depth;

static GHashTable *
copy_descs (GHashTable *descs)
{
  GHashTable *copy = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  GHashTableIter iter;
  gpointer name, desc;

  g_hash_table_iter_init (&iter, descs);
  while (g_hash_table_iter_next (&iter, &name, &desc))
    g_hash_table_insert (copy, g_strdup (name), g_memdup2 (desc, sizeof (HoloTensorDesc)));
  return copy;
}

static HoloPlan *
compile (HoloCompiler *compiler, HoloGraph *graph, HoloPlan *previous, Depth depth, GError **error)
{
  g_autoptr (HoloPlan) plan = _holo_plan_new (compiler->registry, compiler->device);
  HoloCompilation c = {
    .graph = graph,
    .plan = plan,
    .previous = previous != NULL && previous->runnable ? previous : NULL,
    .input_descs = compiler->input_descs,
    .edges = g_array_new (FALSE, FALSE, sizeof (HoloCompilationEdge)),
    .order = g_array_new (FALSE, FALSE, sizeof (guint)),
    .orderings = g_array_new (FALSE, FALSE, sizeof (HoloCompilationEdge)),
  };
  gboolean success;

  plan->compiled_from = c.previous != NULL ? c.previous->serial : 0;
  plan->storage_sharing = compiler->storage_sharing;
  plan->in_place = compiler->in_place;
  success = check_input_descs (compiler, error) && run_passes (&c, form_passes, G_N_ELEMENTS (form_passes), error) &&
            (depth < DEPTH_INFER || run_passes (&c, inference_passes, G_N_ELEMENTS (inference_passes), error)) &&
            (depth < DEPTH_COMPILE || run_passes (&c, resource_passes, G_N_ELEMENTS (resource_passes), error));
  g_array_unref (c.edges);
  g_array_unref (c.order);
  g_array_unref (c.orderings);
  if (!success)
    {
      _holo_graph_prefix_file (graph, error);
      return NULL;
    }
  plan->runnable = depth == DEPTH_COMPILE;
  if (plan->runnable)
    {
      plan->graph = holo_graph_copy (graph);
      plan->input_descs = copy_descs (compiler->input_descs);
      _holo_plan_log (plan);
    }
  return g_steal_pointer (&plan);
}

/**
 * holo_compiler_check:
 * @compiler: a compiler
 * @graph: a graph
 * @error: return location
 *
 * Checks names, kinds, settings, edges and cycles, without knowing the tensors: what can be said before the first caps.
 *
 * Returns: %FALSE when no tensor at all could make @graph run
 *
 * Since: 0.1
 */
gboolean
holo_compiler_check (HoloCompiler *compiler, HoloGraph *graph, GError **error)
{
  g_autoptr (HoloPlan) plan = NULL;

  g_return_val_if_fail (HOLO_IS_COMPILER (compiler) && graph != NULL, FALSE);

  plan = compile (compiler, graph, NULL, DEPTH_CHECK, error);
  return plan != NULL;
}

/**
 * holo_compiler_infer:
 * @compiler: a compiler
 * @graph: a graph
 * @error: return location
 *
 * Returns: (transfer full) (nullable): a plan to look at; nothing is allocated and no task is made
 *
 * Since: 0.1
 */
HoloPlan *
holo_compiler_infer (HoloCompiler *compiler, HoloGraph *graph, GError **error)
{
  g_return_val_if_fail (HOLO_IS_COMPILER (compiler) && graph != NULL, NULL);

  return compile (compiler, graph, NULL, DEPTH_INFER, error);
}

/**
 * holo_compiler_compile:
 * @compiler: a compiler
 * @graph: a graph; not kept
 * @previous: (nullable): the plan at work, to take tasks, memory and streams from; left as it was. %HOLO_ERROR_STATE while
 *   another plan that was compiled beside it holds changes of the same tasks: until the update to that one has been
 *   reported, or it is freed
 * @error: return location; messages name node, kind, slot, expected and found
 *
 * Returns: (transfer full) (nullable): a plan to run
 *
 * Since: 0.1
 */
HoloPlan *
holo_compiler_compile (HoloCompiler *compiler, HoloGraph *graph, HoloPlan *previous, GError **error)
{
  g_return_val_if_fail (HOLO_IS_COMPILER (compiler) && graph != NULL, NULL);

  return compile (compiler, graph, previous, DEPTH_COMPILE, error);
}
