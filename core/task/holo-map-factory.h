/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "holo-task-factory.h"

G_BEGIN_DECLS

/**
 * HoloMapFactory:
 *
 * Base of the factories of kinds that work element by element: see #HoloMapFactoryClass.
 *
 * Since: 0.1
 */
#define HOLO_TYPE_MAP_FACTORY (holo_map_factory_get_type ())
HOLO_API
G_DECLARE_DERIVABLE_TYPE (HoloMapFactory, holo_map_factory, HOLO, MAP_FACTORY, HoloSyncTaskFactory)

/**
 * HoloMapFunc:
 * @factory: the running task's frozen factory, for formulas with settings
 * @out: @n dense elements
 * @in: the inputs, @n dense elements each, in the type the formula takes; one may equal @out where its elements have
 *   the same size
 * @n: number of elements
 *
 * One dense run of an element-wise function of one or two tensors.
 *
 * Since: 0.1
 */
typedef void (*HoloMapFunc) (gpointer factory, gpointer out, gconstpointer const *in, gsize n);

/**
 * HoloMapFactoryClass:
 * @pair_hint: (nullable): two inputs: what to do about a pair of element types that has no rule, for the message
 *
 * Base of element-wise kinds with one or two inputs and one output. It declares the slots from the added element types,
 * takes any strides (the base walks them) and gives dense output, written over an input where one has the shape and
 * element size of the output. The shapes of two inputs are broadcast as NumPy does: aligned at the last dimension;
 * extents must be equal or 1.
 *
 * Since: 0.1
 */
struct _HoloMapFactoryClass
{
  HoloSyncTaskFactoryClass parent_class;

  GArray *rules;
  const gchar *pair_hint;
  gpointer padding[4];
};

HOLO_API void holo_map_factory_class_add (gpointer klass, HoloDType in, HoloDType out, HoloMapFunc func);
HOLO_API void holo_map_factory_class_add_pair (gpointer klass, HoloDType a, HoloDType b, HoloDType out,
                                               HoloMapFunc func);
HOLO_API void holo_map_factory_class_add_converted_pair (gpointer klass, HoloDType a, HoloDType b, HoloDType a_as,
                                                         HoloDType b_as, HoloDType out, HoloMapFunc func);

/**
 * HOLO_MAP:
 * @function: name of the #HoloMapFunc
 * @out_type: C type of an output element
 * @in_type: C type of an input element
 * @expression: the formula of an input element `x`
 *
 * Defines a formula of one input: HOLO_MAP (sqrt_f32, gfloat, gfloat, sqrtf (x))
 *
 * Since: 0.1
 */
#define HOLO_MAP(function, out_type, in_type, expression)                                                              \
  static void function (gpointer factory G_GNUC_UNUSED, gpointer out, gconstpointer const *in, gsize n)                \
  {                                                                                                                    \
    const in_type *src = (const in_type *) in[0];                                                                      \
    out_type *dst = (out_type *) out;                                                                                  \
                                                                                                                       \
    HOLO_INDEPENDENT                                                                                                   \
    for (gsize i = 0; i < n; i++)                                                                                      \
      {                                                                                                                \
        const in_type x = src[i];                                                                                      \
                                                                                                                       \
        dst[i] = (out_type) (expression);                                                                              \
      }                                                                                                                \
  }

/**
 * HOLO_MAP_WITH_SETTINGS:
 * @function: name of the #HoloMapFunc
 * @out_type: C type of an output element
 * @in_type: C type of an input element
 * @Settings: the struct of the kind's settings
 * @expression: the formula of an input element `x` and of `settings`, a pointer to them
 *
 * As HOLO_MAP().
 *
 * Since: 0.1
 */
#define HOLO_MAP_WITH_SETTINGS(function, out_type, in_type, Settings, expression)                                      \
  static void function (gpointer factory, gpointer out, gconstpointer const *in, gsize n)                              \
  {                                                                                                                    \
    const Settings *settings = (const Settings *) factory;                                                             \
    const in_type *src = (const in_type *) in[0];                                                                      \
    out_type *dst = (out_type *) out;                                                                                  \
                                                                                                                       \
    HOLO_INDEPENDENT                                                                                                   \
    for (gsize i = 0; i < n; i++)                                                                                      \
      {                                                                                                                \
        const in_type x = src[i];                                                                                      \
                                                                                                                       \
        dst[i] = (out_type) (expression);                                                                              \
      }                                                                                                                \
  }

/**
 * HOLO_BINARY:
 * @function: name of the #HoloMapFunc
 * @out_type: C type of an output element
 * @in_type: C type of the input elements
 * @expression: the formula of the input elements `x` and `y`
 *
 * Defines a formula of two inputs: HOLO_BINARY (add_f32, gfloat, gfloat, x + y)
 *
 * Since: 0.1
 */
#define HOLO_BINARY(function, out_type, in_type, expression)                                                           \
  static void function (gpointer factory G_GNUC_UNUSED, gpointer out, gconstpointer const *in, gsize n)                \
  {                                                                                                                    \
    const in_type *a = (const in_type *) in[0], *b = (const in_type *) in[1];                                          \
    out_type *dst = (out_type *) out;                                                                                  \
                                                                                                                       \
    HOLO_INDEPENDENT                                                                                                   \
    for (gsize i = 0; i < n; i++)                                                                                      \
      {                                                                                                                \
        const in_type x = a[i], y = b[i];                                                                              \
                                                                                                                       \
        dst[i] = (out_type) (expression);                                                                              \
      }                                                                                                                \
  }

G_END_DECLS
