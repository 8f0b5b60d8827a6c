/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Several inputs: frames meet here before they enter the graph. */
#include "gstholohost-private.h"

#define GST_CAT_DEFAULT gst_holo_host_debug

static GstHoloInput *
get_member (GstHoloGroup *group, guint i)
{
  return g_ptr_array_index (group->inputs, i);
}

static gboolean
is_complete (GstHoloGroup *group)
{
  for (guint i = 0; i < group->inputs->len; i++)
    {
      GstHoloInput *input = get_member (group, i);

      if (!input->full || input->flushing)
        return FALSE;
    }
  return !gst_holo_run_awaits_flush (get_member (group, 0)->run);
}

/* By time: frames that are more than half a frame older than the youngest have no partner. TRUE when some
 * went. */
static gboolean
drop_unpaired (GstHoloGroup *group)
{
  GstClockTime youngest = 0, tolerance = GST_CLOCK_TIME_NONE;
  gboolean dropped = FALSE;

  for (guint i = 0; i < group->inputs->len; i++)
    {
      GstHoloInput *input = get_member (group, i);
      guint64 duration = input->slot.stamp.duration;

      if (!GST_CLOCK_TIME_IS_VALID (input->slot_time))
        return FALSE;
      youngest = MAX (youngest, input->slot_time);
      if (!GST_CLOCK_TIME_IS_VALID (duration) && input->info.desc.rate_n > 0)
        duration = gst_util_uint64_scale_int (GST_SECOND, input->info.desc.rate_d, input->info.desc.rate_n);
      if (GST_CLOCK_TIME_IS_VALID (duration))
        tolerance = MIN (tolerance, duration / 2);
    }
  if (!GST_CLOCK_TIME_IS_VALID (tolerance))
    tolerance = 0;
  for (guint i = 0; i < group->inputs->len; i++)
    {
      GstHoloInput *input = get_member (group, i);

      if (input->slot_time + tolerance >= youngest)
        continue;
      GST_DEBUG_OBJECT (input->host, "input \"%s\": frame at %" GST_TIME_FORMAT " has no partner", input->name,
                        GST_TIME_ARGS (input->slot_time));
      gst_holo_input_drop_slot (input);
      group->n_unpaired++;
      dropped = TRUE;
    }
  return dropped;
}

/* The slots keep their frames until the set has been used: a flush or new caps on one input must not cost
 * another its frame. */
static HoloOpResult
push_set (GstHoloGroup *group)
{
  HoloOpResult result = HOLO_OP_OK;

  for (guint i = 0; i < group->inputs->len; i++)
    {
      GstHoloInput *input = get_member (group, i);
      HoloFrame frame = input->slot;

      if (input->inside)
        continue;
      holo_block_ref (frame.block);
      result = gst_holo_input_push_frame (input, &frame);
      input->inside = frame.block == NULL;
      holo_frame_clear (&frame);
      if (gst_holo_is_interruption (result) || result == HOLO_OP_ERROR)
        break;
    }
  return result;
}

static void
empty_slots (GstHoloGroup *group)
{
  for (guint i = 0; i < group->inputs->len; i++)
    gst_holo_input_drop_slot (get_member (group, i));
}

/* Under the lock: ends of stream that waited for the frame before them. */
static void
end_waiting (GstHoloGroup *group)
{
  for (guint i = 0; i < group->inputs->len; i++)
    {
      GstHoloInput *input = get_member (group, i);

      if (input->eos && !input->full && !input->ended)
        {
          g_mutex_unlock (&input->run->lock);
          gst_holo_input_end (input);
          g_mutex_lock (&input->run->lock);
        }
    }
}

/* A complete set whose rows lie otherwise than the plan was made for: exchanges the plan if the graph takes that. The
 * caller counts as a user of the scheduler, and does no more when the answer is TRUE. */
static gboolean
adopt_layouts (GstHoloGroup *group, GstHoloInput *caller)
{
  GstHoloRun *run = caller->run;
  g_autofree HoloTensorDesc *layouts = NULL;
  gboolean same = TRUE;

  for (guint i = 0; i < group->inputs->len; i++)
    same = same && gst_holo_same_layout (&get_member (group, i)->slot.desc, &get_member (group, i)->layout);
  if (G_LIKELY (same))
    return FALSE;
  layouts = gst_holo_run_copy_layouts (run);
  for (guint i = 0; i < run->inputs->len; i++)
    if (g_ptr_array_find (group->inputs, g_ptr_array_index (run->inputs, i), NULL))
      layouts[i] = ((GstHoloInput *) g_ptr_array_index (run->inputs, i))->slot.desc;
  if (!gst_holo_run_takes_layouts (run, layouts))
    return FALSE;
  gst_holo_input_leave (caller);
  gst_holo_run_adopt_layouts (run, caller, layouts);
  return TRUE;
}

static gboolean
can_drive (GstHoloGroup *group, GstHoloRun *run)
{
  return !group->driving && !run->gate && is_complete (group);
}

/* Under the lock: drives complete sets, as long as there are some, unless another thread is at it. */
static void
drive_sets (GstHoloInput *input)
{
  GstHoloGroup *group = input->group;
  GstHoloRun *run = input->run;

  while (can_drive (group, run))
    {
      HoloOpResult result;

      if (gst_holo_host_get_pairing (input->host) == GST_HOLO_PAIRING_TIME && drop_unpaired (group))
        {
          g_cond_broadcast (&run->cond);
          end_waiting (group);
          continue;
        }
      group->driving = TRUE;
      g_atomic_int_inc (&run->n_users);
      g_mutex_unlock (&run->lock);
      if (G_UNLIKELY (adopt_layouts (group, input)))
        {
          g_mutex_lock (&run->lock);
          group->driving = FALSE;
          continue;
        }
      result = push_set (group);
      g_mutex_lock (&run->lock);
      group->driving = FALSE;
      if (!gst_holo_is_interruption (result))
        empty_slots (group);
      g_atomic_int_add (&run->n_users, -1);
      g_cond_broadcast (&run->cond);
      if (gst_holo_is_interruption (result))
        break;
      end_waiting (group);
    }
}

void
gst_holo_input_try_drive (GstHoloInput *input)
{
  if (input->group == NULL)
    return;
  g_mutex_lock (&input->run->lock);
  drive_sets (input);
  g_mutex_unlock (&input->run->lock);
}

/* No set can be complete any more. */
static gboolean
is_over (GstHoloGroup *group)
{
  if (gst_holo_run_awaits_flush (get_member (group, 0)->run))
    return FALSE;
  for (guint i = 0; i < group->inputs->len; i++)
    if (get_member (group, i)->ended && !get_member (group, i)->full)
      return TRUE;
  return FALSE;
}

static GstClockTime
get_running_time (GstHoloInput *input, GstClockTime pts)
{
  if (input->segment.format != GST_FORMAT_TIME)
    return pts;
  return gst_segment_to_running_time (&input->segment, GST_FORMAT_TIME, pts);
}

/* Under the lock. A set that was interrupted on its way into the graph waits in the slots for whoever comes next. */
static GstFlowReturn
wait_for_slot (GstHoloInput *input)
{
  GstHoloRun *run = input->run;
  GstFlowReturn flow;

  while ((flow = gst_holo_input_check_locked (input)) == GST_FLOW_OK)
    {
      if (gst_holo_run_awaits_flush (run))
        g_cond_wait (&run->cond, &run->lock);
      else if (!input->full || is_over (input->group))
        break;
      else if (can_drive (input->group, run))
        drive_sets (input);
      else
        g_cond_wait (&run->cond, &run->lock);
    }
  return flow;
}

/* Puts @frame into the slot, and takes it in any case; blocks only while the slot is full. */
GstFlowReturn
gst_holo_input_put_into_slot (GstHoloInput *input, HoloFrame *frame)
{
  GstHoloRun *run = input->run;
  GstFlowReturn flow;

  g_mutex_lock (&run->lock);
  flow = wait_for_slot (input);
  if (flow == GST_FLOW_OK && is_over (input->group))
    flow = GST_FLOW_EOS;
  if (flow != GST_FLOW_OK)
    {
      g_mutex_unlock (&run->lock);
      holo_frame_clear (frame);
      return flow;
    }
  input->slot = *frame;
  input->slot_time = get_running_time (input, frame->stamp.pts);
  input->full = TRUE;
  drive_sets (input);
  flow = run->failed ? run->failure : GST_FLOW_OK;
  g_mutex_unlock (&run->lock);
  return flow == GST_FLOW_OK ? gst_holo_input_combine_flows (input) : flow;
}
