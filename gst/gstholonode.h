/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One synchronous task at work in an element: what the transform, the source and the sink of a kind share. */
#pragma once

#include "gstholokind.h"
#include "gstholoplace.h"

G_BEGIN_DECLS

/* Layouts of the input for which a task is kept; more are packed. */
#define GST_HOLO_NODE_MAX_LAYOUTS 4

/**
 * GstHoloLayout:
 * @input: the tensor as it lies
 * @inference: what the kind says about it
 * @task: the running task
 * @out_size: bytes of the output
 * @may_share: the task may write over its input, and the output is as large
 * @is_view: the output shows the input's memory
 * @is_plain: input and output are dense, and each has memory of its own or may share it
 *
 * A task for one layout of the input.
 */
typedef struct
{
  HoloTensorDesc input;
  HoloInference inference;
  HoloSyncTask *task;
  gsize out_size;
  gboolean may_share;
  gboolean is_view;
  gboolean is_plain;
  gboolean owned_in;
  gboolean owned_out;
} GstHoloLayout;

/**
 * GstHoloNode:
 *
 * Settings, inference, task and numbers. Members above the line are guarded by @lock, those below belong to
 * the streaming thread.
 */
typedef struct
{
  GstElement *element; /* borrowed */
  const GstHoloKind *kind;
  GstHoloPlace *place; /* borrowed, (nullable): tensors may lie on a device */
  GMutex lock;
  HoloTaskFactory *factory; /* settings in force; never changed, only replaced */
  GHashTable *pending;      /* name of a setting -> GValue that was refused */
  gint serial;              /* counts replaced factories; also read without the lock */
  gboolean has_input;
  HoloTensorDesc input; /* what comes in, for trying settings */

  /* --- streaming thread --- */
  gint applied; /* serial of the factory the tasks were made by */
  HoloTaskFactory *applied_factory;
  HoloDevice *device; /* where the tasks work: the host unless a tensor lies elsewhere */
  HoloStream *stream; /* of that device */
  HoloEventRouter *router;
  HoloEventReader *reader;
  HoloEventWriter *writer;
  GCancellable *cancellable;
  GstHoloLayout *layouts[GST_HOLO_NODE_MAX_LAYOUTS]; /* the first is the dense one that the caps mean */
  guint next_layout;
  HoloTensorDesc output;      /* as the kind gives it for the first layout */
  const GstHoloLayout *bound; /* layout that the views describe */
  gboolean needs_finish;
  HoloStorage in_storage, out_storage;
  HoloTensorView in_view, out_view;
  HoloTensorView *in_views[1], *out_views[1];

  /* numbers for holo-stats, written by the streaming thread with relaxed atomics */
  guint64 n_frames;
  guint64 n_bytes;
  guint64 n_in_place;
  guint64 n_copies;
  guint64 n_waits; /* of the host for the device, before a frame went to an element that knows no fences */
  guint64 time;
} GstHoloNode;

void gst_holo_node_init (GstHoloNode *node, gpointer element, const GstHoloKind *kind);
void gst_holo_node_clear (GstHoloNode *node);

/* ---- settings, any thread ---- */
gboolean gst_holo_node_set_property (GstHoloNode *node, guint id, const GValue *value);
gboolean gst_holo_node_get_property (GstHoloNode *node, guint id, GValue *value);
gboolean gst_holo_node_check_settings (GstHoloNode *node, GError **error);
GstStructure *gst_holo_node_make_stats (GstHoloNode *node);

/* ---- what the elements of one kind share ---- */
/* Number of the property holo-stats. */
#define GST_HOLO_NODE_PROP_STATS 1
void gst_holo_node_install_properties (const GstHoloKind *kind, GObjectClass *klass, const gchar *numbers);
void gst_holo_node_get_object_property (GstHoloNode *node, GObject *object, guint id, GValue *value, GParamSpec *pspec);
void gst_holo_node_set_object_property (GstHoloNode *node, GObject *object, guint id, const GValue *value,
                                        GParamSpec *pspec);
gboolean gst_holo_node_allows_change (GstHoloNode *node, GstStateChange transition);

/* ---- inference, any thread ---- */
/* @input NULL for sources. @output NULL: only whether it is taken. */
gboolean gst_holo_node_infer (GstHoloNode *node, const HoloTensorDesc *input, HoloTensorDesc *output, GError **error);
GstCaps *gst_holo_node_infer_caps (GstHoloNode *node, GstCaps *caps, GError **error);

/* ---- running, streaming thread ---- */
gboolean gst_holo_node_start (GstHoloNode *node, GError **error);
void gst_holo_node_stop (GstHoloNode *node);
gboolean gst_holo_node_configure (GstHoloNode *node, const HoloTensorDesc *input, GError **error);
/* Takes changed settings into use between two frames. @new_output: the output is another tensor now:
 * negotiate. */
gboolean gst_holo_node_update (GstHoloNode *node, gboolean *new_output, GError **error);
/* Forgets changed settings that the next element does not take: they become pending. */
void gst_holo_node_revert (GstHoloNode *node);
/* The task for @input; NULL when the kind does not take that layout: pack it. */
GstHoloLayout *gst_holo_node_find_layout (GstHoloNode *node, const HoloTensorDesc *input);
HoloOpResult gst_holo_node_execute (GstHoloNode *node, GstHoloLayout *layout, gpointer in_data, gsize in_size,
                                    gpointer out_data, gsize out_size, HoloStamp *stamp, GError **error);
void gst_holo_node_count_copy (GstHoloNode *node);
void gst_holo_node_count_wait (GstHoloNode *node);
gboolean gst_holo_node_reset (GstHoloNode *node, GError **error);
gboolean gst_holo_node_finish (GstHoloNode *node, HoloOpResult result, GError **error);
/* What a flow return says about @result; posts @error. */
GstFlowReturn gst_holo_node_to_flow (GstHoloNode *node, HoloOpResult result, GError *error);

/* Whether settings have changed since the tasks were made. */
static inline gboolean
gst_holo_node_is_stale (GstHoloNode *node)
{
  return G_UNLIKELY (g_atomic_int_get (&node->serial) != node->applied);
}

G_END_DECLS
