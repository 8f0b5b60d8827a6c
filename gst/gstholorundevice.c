/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The device of a run: looked for when something in the graph needs one, and what it means for the memory of inputs. */
#include "gstholohost-private.h"
#include "gstholokind.h"
#include "gstholotopology.h"

#define GST_CAT_DEFAULT gst_holo_host_debug

/* Whether a plan for the host failed because something lies on a device, and one may be looked for. */
gboolean
gst_holo_run_lacks_device (GstHoloRun *run, const GError *error)
{
  return holo_device_is_host (run->device) && g_error_matches (error, HOLO_ERROR, HOLO_ERROR_DEVICE) &&
         gst_holo_place_is_auto (gst_holo_host_get_place (run->host));
}

/* Asks neighbours: no locks are held. */
gboolean
gst_holo_run_find_device (GstHoloRun *run, GError **error)
{
  HoloDevice *device =
      gst_holo_place_get_device (gst_holo_host_get_place (run->host), gst_holo_host_get_registry (run->host), error);
  HoloDevice *old;

  if (device == NULL)
    return FALSE;
  g_mutex_lock (&run->lock);
  old = run->device;
  run->device = device;
  g_mutex_unlock (&run->lock);
  g_object_unref (old);
  return TRUE;
}

/* (transfer full) */
HoloDevice *
gst_holo_run_ref_device (GstHoloRun *run)
{
  HoloDevice *device;

  g_mutex_lock (&run->lock);
  device = g_object_ref (run->device);
  g_mutex_unlock (&run->lock);
  return device;
}

/* ---- device memory that comes ---- */

typedef struct
{
  gboolean moves; /* a node that takes both may put it elsewhere */
  gboolean all_take;
} Taken;

static void
look_at_node (GstHoloRun *run, const HoloGraphNode *node, Taken *taken)
{
  GType type = holo_registry_get_factory_type (gst_holo_host_get_registry (run->host), node->kind, NULL);
  g_autoptr (GTypeClass) klass = type != G_TYPE_INVALID ? g_type_class_ref (type) : NULL;
  guint n;
  const HoloSlot *slots;

  if (klass == NULL || g_str_equal (node->kind, "Input"))
    return;
  taken->moves |= gst_holo_kind_may_move (klass);
  slots = holo_task_factory_class_get_inputs (klass, &n);
  for (guint i = 0; i < n; i++)
    if ((slots[i].mem_locs & HOLO_MEM_LOCS_DEVICE) == 0)
      taken->all_take = FALSE;
}

static gboolean
peer_takes_device_memory (GstHoloOutput *output)
{
  g_autoptr (GstCaps) filter = gst_holo_caps_new_template (HOLO_DTYPES_ALL, HOLO_MEM_LOCS_DEVICE, 0, HOLO_MAX_RANK);
  g_autoptr (GstCaps) caps = NULL;
  GstPad *pad = gst_holo_output_ref_pad (output);

  if (pad == NULL)
    return TRUE;
  caps = gst_pad_peer_query_caps (pad, filter);
  gst_object_unref (pad);
  return !gst_caps_is_empty (caps);
}

/**
 * gst_holo_run_takes_device_memory:
 * @run: a run
 * @input: one of its inputs
 *
 * Asks downstream. Before the tensors are known this is a guess: tensors stay where they are unless a kind says
 * otherwise, so that all behind @input must take device memory.
 *
 * Returns: whether device memory may be offered to @input
 */
gboolean
gst_holo_run_takes_device_memory (GstHoloRun *run, GstHoloInput *input)
{
  g_autofree gchar *name = gst_holo_place_dup_name (gst_holo_host_get_place (run->host));
  g_autoptr (HoloGraph) wish = gst_holo_run_ref_wish (run);
  Taken taken = { .all_take = TRUE };
  guint from;

  if (g_str_equal (name, "host"))
    return FALSE;
  holo_graph_find_node (wish, input->name, &from);
  for (guint i = 0; i < holo_graph_get_n_nodes (wish); i++)
    if (gst_holo_graph_reaches (wish, from, i))
      look_at_node (run, holo_graph_get_node (wish, i), &taken);
  if (taken.moves)
    return TRUE;
  for (guint i = 0; taken.all_take && i < input->outputs->len; i++)
    taken.all_take = peer_takes_device_memory (g_ptr_array_index (input->outputs, i));
  return taken.all_take;
}

/* ---- memory that is held ---- */

/* Sections run at most that far ahead of the device. */
#define MAX_AHEAD 4

static guint
count_held_behind (GstHoloRun *run, HoloPlan *plan, guint node)
{
  guint held = 0;

  for (guint i = 0; i < holo_graph_get_n_edges (run->graph); i++)
    {
      const HoloGraphEdge *edge = holo_graph_get_edge (run->graph, i);
      const HoloInference *inference;
      guint number;

      if (edge->from != node || !holo_plan_find_node (plan, holo_graph_get_node (run->graph, edge->to)->name, &number))
        continue;
      inference = holo_plan_get_node_inference (plan, number);
      for (guint o = 0; o < holo_inference_get_n_outputs (inference); o++)
        {
          const HoloInferredOutput *output = holo_inference_get_output (inference, o);

          if (output->lends_input == edge->in)
            held = MAX (held, MIN (output->held_max, 64) + 1 + count_held_behind (run, plan, edge->to));
        }
    }
  return held;
}

/* Buffers of @input that the graph may hold at a time. */
guint
gst_holo_run_count_held (GstHoloRun *run, GstHoloInput *input)
{
  g_autoptr (HoloScheduler) scheduler = gst_holo_run_ref_scheduler (run);
  g_autoptr (HoloPlan) plan = NULL;
  guint node, held;

  if (scheduler == NULL)
    return 2;
  g_mutex_lock (&run->compile_lock);
  plan = holo_scheduler_get_plan (scheduler);
  holo_graph_find_node (run->graph, input->name, &node);
  held = 1 + count_held_behind (run, plan, node);
  if (!holo_device_is_host (run->device))
    held += MAX_AHEAD;
  g_mutex_unlock (&run->compile_lock);
  return MAX (held, 2);
}
