/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A registered kind as an element: names, pad templates, properties. */
#pragma once

#include <gst/holoflow/gstholoflow.h>

G_BEGIN_DECLS

/* Ids of the properties that are settings; an element's own properties come before. */
#define GST_HOLO_KIND_FIRST_SETTING 100

/**
 * GstHoloKind:
 * @kind: name in the registry
 * @element: name of the element
 * @factory_class: its factory's class
 * @inputs: declared slots
 * @outputs: declared slots
 * @settings: in the order of the properties
 *
 * What an element class is made from: its class_data. Lives as long as the process.
 */
typedef struct
{
  const gchar *kind;
  const gchar *element;
  GType factory_type;
  gpointer factory_class;
  HoloTaskType task_type;
  const HoloSlot *inputs;
  guint n_inputs;
  const HoloSlot *outputs;
  guint n_outputs;
  GParamSpec **settings;
  guint n_settings;
} GstHoloKind;

GstHoloKind *gst_holo_kind_new (HoloRegistry *registry, const gchar *kind);
/* Whether the kind has just one mandatory slot (or none) on either side, so that a plain base class does. */
gboolean gst_holo_kind_is_simple (const GstHoloKind *kind);
/* Whether a setting says where the output lies; otherwise it lies where the input does. */
gboolean gst_holo_kind_may_move (gpointer factory_class);
/* Whether @index is the id of a setting's property; which one. */
GParamSpec *gst_holo_kind_get_setting (const GstHoloKind *kind, guint property_id);
HoloTaskFactory *gst_holo_kind_create_factory (const GstHoloKind *kind);

/* For class_init: properties of the settings, name and description, and pad templates of slots. */
void gst_holo_kind_install_properties (const GstHoloKind *kind, GObjectClass *klass);
void gst_holo_kind_set_metadata (const GstHoloKind *kind, GstElementClass *klass, const gchar *classification);
/* @mem_locs: the places that the element can handle. */
GstPadTemplate *gst_holo_slot_new_pad_template (const HoloSlot *slot, guint mem_locs, const gchar *name,
                                                GstPadDirection direction, GstPadPresence presence);

/* One GType per kind: derived from @base, with @class_init (klass, kind). Registering it again gives the same
 * type. */
GType gst_holo_kind_register_type (const GstHoloKind *kind, GType base, GClassInitFunc class_init);
/* All elements of the kinds in the default registry. A kind that cannot be an element is logged and
 * left out. */
void gst_holo_kinds_register (GstPlugin *plugin);

G_END_DECLS
