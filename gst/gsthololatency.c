/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How long frames stay in a graph: what batches hold back (minimum), what queues may hold (maximum). */
#include "gstholohost-private.h"

#define GST_CAT_DEFAULT gst_holo_host_debug

typedef struct
{
  HoloPlan *plan;
  HoloGraph *graph;
  GstClockTime *minimum; /* by node of the graph; GST_CLOCK_TIME_NONE = not computed */
  GstClockTime *maximum;
  guint depth;
} Walk;

static GstClockTime
get_frame_duration (const HoloTensorDesc *desc)
{
  if (desc->rate_n <= 0)
    return GST_CLOCK_TIME_NONE;
  return gst_util_uint64_scale_int (GST_SECOND, desc->rate_d, desc->rate_n);
}

/* What the node itself adds, on the way to its output @out. */
static void
get_own (Walk *walk, guint node, gint64 out, GstClockTime *minimum, GstClockTime *maximum)
{
  const HoloInference *inference = holo_plan_get_node_inference (walk->plan, node);
  const HoloInferredOutput *output;
  GstClockTime duration;

  *minimum = *maximum = 0;
  if (out >= holo_inference_get_n_outputs (inference) || holo_inference_get_n_inputs (inference) == 0)
    return;
  output = holo_inference_get_output (inference, (guint) out);
  duration = get_frame_duration (holo_inference_get_input_desc (inference, 0));
  if (GST_CLOCK_TIME_IS_VALID (duration))
    *minimum = output->held_min * duration;
  if (output->held_max == G_MAXUINT || (!GST_CLOCK_TIME_IS_VALID (duration) && output->held_max > 0))
    *maximum = GST_CLOCK_TIME_NONE;
  else if (output->held_max > 0)
    *maximum = output->held_max * duration;
}

static GstClockTime
add (GstClockTime a, GstClockTime b)
{
  return GST_CLOCK_TIME_IS_VALID (a) && GST_CLOCK_TIME_IS_VALID (b) ? a + b : GST_CLOCK_TIME_NONE;
}

/* Time up to the input of @node, by the slowest way. */
static void
measure (Walk *walk, guint node, GstClockTime *minimum, GstClockTime *maximum)
{
  *minimum = *maximum = 0;
  for (guint i = 0; i < holo_graph_get_n_edges (walk->graph); i++)
    {
      const HoloGraphEdge *edge = holo_graph_get_edge (walk->graph, i);
      const gchar *name = holo_graph_get_node (walk->graph, edge->from)->name;
      GstClockTime own_minimum, own_maximum;
      guint plan_node;

      if (edge->to != node)
        continue;
      if (!GST_CLOCK_TIME_IS_VALID (walk->minimum[edge->from]))
        measure (walk, edge->from, &walk->minimum[edge->from], &walk->maximum[edge->from]);
      holo_plan_find_node (walk->plan, name, &plan_node);
      get_own (walk, plan_node, edge->out, &own_minimum, &own_maximum);
      *minimum = MAX (*minimum, walk->minimum[edge->from] + own_minimum);
      *maximum = MAX (*maximum, add (walk->maximum[edge->from], own_maximum));
    }
}

static gboolean
measure_output (GstHoloOutput *output, GstClockTime *minimum, GstClockTime *maximum)
{
  GstHoloRun *run = output->run;
  g_autoptr (HoloGraph) graph = gst_holo_run_ref_graph (run);
  g_autoptr (HoloPlan) plan = NULL;
  g_autofree GstClockTime *minima = NULL, *maxima = NULL;
  guint n_nodes = holo_graph_get_n_nodes (graph), node;

  g_mutex_lock (&run->lock);
  plan = run->plan != NULL ? holo_plan_ref (run->plan) : NULL;
  g_mutex_unlock (&run->lock);
  *minimum = 0;
  *maximum = GST_CLOCK_TIME_NONE;
  if (plan == NULL)
    return FALSE;
  minima = g_new (GstClockTime, n_nodes);
  maxima = g_new (GstClockTime, n_nodes);
  for (guint i = 0; i < n_nodes; i++)
    minima[i] = GST_CLOCK_TIME_NONE;
  holo_graph_find_node (graph, output->name, &node);
  measure (&(Walk){ .plan = plan, .graph = graph, .minimum = minima, .maximum = maxima }, node, minimum, maximum);
  return TRUE;
}

static gboolean
query_upstream (GstHoloOutput *output, gboolean *live, GstClockTime *minimum, GstClockTime *maximum)
{
  *live = FALSE;
  *minimum = 0;
  *maximum = GST_CLOCK_TIME_NONE;
  for (guint i = 0; i < output->inputs->len; i++)
    {
      GstHoloInput *input = g_ptr_array_index (output->inputs, i);
      g_autoptr (GstQuery) query = gst_query_new_latency ();
      GstClockTime peer_minimum, peer_maximum;
      gboolean peer_live, ok;
      GstPad *pad;

      g_mutex_lock (&input->run->lock);
      pad = input->pad != NULL ? gst_object_ref (input->pad) : NULL;
      g_mutex_unlock (&input->run->lock);
      if (pad == NULL)
        continue;
      ok = gst_pad_peer_query (pad, query);
      gst_object_unref (pad);
      if (!ok)
        return FALSE;
      gst_query_parse_latency (query, &peer_live, &peer_minimum, &peer_maximum);
      *live |= peer_live;
      *minimum = MAX (*minimum, peer_minimum);
      *maximum = MIN (*maximum, peer_maximum);
    }
  return TRUE;
}

gboolean
gst_holo_output_query_latency (GstHoloOutput *output, GstQuery *query)
{
  GstClockTime minimum, maximum, own_minimum, own_maximum;
  gboolean live;

  if (!query_upstream (output, &live, &minimum, &maximum))
    return FALSE;
  measure_output (output, &own_minimum, &own_maximum);
  GST_DEBUG_OBJECT (output->host, "output \"%s\" adds %" GST_TIME_FORMAT " to %" GST_TIME_FORMAT, output->name,
                    GST_TIME_ARGS (own_minimum), GST_TIME_ARGS (own_maximum));
  gst_query_set_latency (query, live, minimum + own_minimum, add (maximum, own_maximum));
  return TRUE;
}
