/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "holo-plan.h"
#include "../task/holo-registry.h"

G_BEGIN_DECLS

#define HOLO_TYPE_COMPILER (holo_compiler_get_type ())
HOLO_API
G_DECLARE_FINAL_TYPE (HoloCompiler, holo_compiler, HOLO, COMPILER, GObject)

/**
 * HoloCompiler:
 *
 * Turns a graph into a plan. Its passes are listed in compiler/holo-compiler.c, one file each. A compiler may be used
 * again; it keeps nothing of earlier plans. Not thread safe; several compilers may work at once.
 *
 * Since: 0.1
 */
HOLO_API HoloCompiler *holo_compiler_new (HoloRegistry *registry);
HOLO_API void holo_compiler_set_device (HoloCompiler *compiler, HoloDevice *device);
HOLO_API void holo_compiler_set_storage_sharing (HoloCompiler *compiler, gboolean enabled);
HOLO_API void holo_compiler_set_in_place (HoloCompiler *compiler, gboolean enabled);
/* The tensor that an Input of the graph will receive; overrides what its settings say. @desc NULL forgets it. */
/**
 * holo_compiler_set_input_desc:
 * @compiler: a compiler
 * @input: name of a node of kind Input
 * @desc: (nullable): the tensor that will be pushed there, whatever the settings say; copied. %NULL forgets it
 *
 * Since: 0.1
 */
HOLO_API void holo_compiler_set_input_desc (HoloCompiler *compiler, const gchar *input, const HoloTensorDesc *desc);
/* Checks what can be checked before the tensors are known: kinds, settings, edges, cycles. */
HOLO_API gboolean holo_compiler_check (HoloCompiler *compiler, HoloGraph *graph, GError **error);
/* Infers everything and allocates nothing: the plan can be printed, not run. */
HOLO_API HoloPlan *holo_compiler_infer (HoloCompiler *compiler, HoloGraph *graph, GError **error);
/* @previous (nullable): a plan whose tasks, memory and streams may be reused. It is left as it was and may go on running:
 * changes are staged until the new plan is first scheduled. */
HOLO_API HoloPlan *holo_compiler_compile (HoloCompiler *compiler, HoloGraph *graph, HoloPlan *previous, GError **error);

G_END_DECLS
