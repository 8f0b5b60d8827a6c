/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "holo-task-factory.h"

G_BEGIN_DECLS

#define HOLO_TYPE_BINARY_FACTORY (holo_binary_factory_get_type ())
HOLO_API G_DECLARE_DERIVABLE_TYPE (HoloBinaryFactory, holo_binary_factory, HOLO, BINARY_FACTORY, HoloSyncTaskFactory)

    /**
 * HoloBinaryFunc:
 * @factory: the running task's frozen factory, for formulas with settings
 * @out: @n dense elements
 * @a: @n dense elements of the first input, in the type the pair is worked in; may equal @out
 * @b: @n dense elements of the second input; may equal @out
 * @n: number of elements
 *
 * One dense run of an element-wise function of two tensors.
 */
    typedef void (*HoloBinaryFunc) (HoloBinaryFactory *factory, gpointer out, gconstpointer a, gconstpointer b,
                                    gsize n);

/**
 * HoloBinaryFactoryClass:
 * @pair_hint: (nullable): what to do about a pair of element types that has no rule, for the message
 *
 * Base of element-wise kinds with two inputs and one output. Shapes are broadcast as NumPy does: aligned at
 * the last dimension; extents must be equal or 1. It declares the slots from the added pairs, takes any
 * strides (the base walks them) and gives dense output, written over an input where one has the shape and
 * size of the output.
 */
struct _HoloBinaryFactoryClass
{
  HoloSyncTaskFactoryClass parent_class;

  GArray *entries;
  const gchar *pair_hint;
  gpointer padding[4];
};

HOLO_API void holo_binary_factory_class_add (gpointer klass, HoloDType a, HoloDType b, HoloDType out,
                                             HoloBinaryFunc func);
HOLO_API void holo_binary_factory_class_add_converted (gpointer klass, HoloDType a, HoloDType b, HoloDType a_as,
                                                       HoloDType b_as, HoloDType out, HoloBinaryFunc func);

G_END_DECLS
