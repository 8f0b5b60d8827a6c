/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions that files of the library share and nobody else sees. */
#pragma once

#include "task/holo-async-task.h"
#include "task/holo-kind.h"

void _holo_task_bind (HoloTask *task, const gchar *node_name, const gchar *kind, guint n_inputs,
                      HoloStorage **input_storages, guint n_outputs, HoloStorage **output_storages);
void _holo_task_reset_counters (HoloTask *task);
gboolean _holo_task_begin_change (HoloTask *task, GError **error);
void _holo_task_end_change (HoloTask *task);
void _holo_task_factory_set_kind (HoloTaskFactory *factory, const gchar *kind);
GHashTable *_holo_task_factory_get_set_names (HoloTaskFactory *factory);
GHashTable *_holo_factory_class_get_aliases (gpointer klass);
GHashTable *_holo_factory_class_get_ignored (gpointer klass);
void _holo_settings_init_members (HoloTaskFactory *factory);
void _holo_settings_free_members (HoloTaskFactory *factory);
gboolean _holo_registry_claim_module (HoloRegistry *registry, const gchar *file_name);
void _holo_factory_class_widen_input (gpointer klass, guint index, guint dtypes);
void _holo_factory_class_defer_device (gpointer klass);
void _holo_factory_class_add_device (gpointer klass);
void _holo_factory_class_widen_output (gpointer klass, guint index, guint dtypes);
/* One kind has one type, however many registries know it. G_TYPE_INVALID with @error: another has taken its name. */
GType _holo_kind_get_factory_type (const HoloKind *kind, GError **error);
/* Offers that @output is written over input @index, where both have the same dense layout. */
void _holo_inference_offer_in_place (const HoloInference *inference, HoloInferredOutput *output, guint index);
/* Adds the one output of a kind whose frames do not depend on earlier ones: shape and place of input 0, dense. */
HoloInferredOutput *_holo_inference_add_dense_output (HoloInference *inference, HoloDType dtype);
