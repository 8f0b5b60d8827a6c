/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "holo-task-factory.h"

G_BEGIN_DECLS

#define HOLO_TYPE_MAP_FACTORY (holo_map_factory_get_type ())
HOLO_API G_DECLARE_DERIVABLE_TYPE (HoloMapFactory, holo_map_factory, HOLO, MAP_FACTORY, HoloSyncTaskFactory)

    /**
 * HoloMapFunc:
 * @factory_settings: the running task's frozen factory, for formulas with settings
 * @out: @n dense elements
 * @in: @n dense elements; may equal @out when input and output have the same size
 *
 * One dense run of an element-wise function of one tensor.
 */
    typedef void (*HoloMapFunc) (HoloMapFactory *factory, gpointer out, gconstpointer in, gsize n);

/**
 * HoloMapFactoryClass:
 *
 * Base of element-wise kinds with one input and one output of the same shape: it declares the slots from the added
 * dtype pairs, offers in-place where the sizes agree, accepts any strides (the base walks them) and gives dense output.
 */
struct _HoloMapFactoryClass
{
  HoloSyncTaskFactoryClass parent_class;

  GArray *entries;
  gpointer padding[4];
};

HOLO_API void holo_map_factory_class_add (gpointer klass, HoloDType in, HoloDType out, HoloMapFunc func);

G_END_DECLS
