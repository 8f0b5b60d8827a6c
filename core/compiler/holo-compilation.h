/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* State of one compilation, handed from pass to pass. */
#pragma once

#include "compiler/holo-compiler.h"
#include "compiler/holo-plan-private.h"

typedef struct
{
  guint from;
  guint out;
  guint to;
  guint in;
} HoloCompilationEdge;

typedef struct
{
  HoloGraph *graph;
  HoloPlan *plan;
  HoloPlan *previous;      /* nullable */
  GHashTable *input_descs; /* name -> HoloTensorDesc */
  GArray *edges;           /* HoloCompilationEdge: checked edges; copies are spliced in */
  GArray *order;           /* guint: all nodes in topological order */
  GArray *orderings;       /* HoloCompilationEdge (from before to, slots unused): readers before in-place writers */
} HoloCompilation;

/* The passes, in order; each FALSE with @error. See holo-compiler.c. */
gboolean _holo_pass_validate (HoloCompilation *c, GError **error);
gboolean _holo_pass_order (HoloCompilation *c, GError **error);
gboolean _holo_pass_infer (HoloCompilation *c, GError **error);
gboolean _holo_pass_sections (HoloCompilation *c, GError **error);
gboolean _holo_pass_tensors (HoloCompilation *c, GError **error);
gboolean _holo_pass_storage (HoloCompilation *c, GError **error);
gboolean _holo_pass_schedule (HoloCompilation *c, GError **error);
gboolean _holo_pass_host_waits (HoloCompilation *c, GError **error);
gboolean _holo_pass_pinned (HoloCompilation *c, GError **error);
gboolean _holo_pass_sharing (HoloCompilation *c, GError **error);
gboolean _holo_pass_allocate (HoloCompilation *c, GError **error);
gboolean _holo_pass_instantiate (HoloCompilation *c, GError **error);

/* Helpers that several passes use. */
HoloTaskFactory *_holo_compilation_new_factory (HoloRegistry *registry, const HoloGraphNode *node, GError **error);
/* (transfer full): numbers of the edges by the node they come from, in edge order; those from node i are at (*first)[i] up to
 * (*first)[i + 1]. */
guint *_holo_compilation_sort_edges (HoloCompilation *c, guint **first);
/* Frames per second of the outputs of a node that has been inferred. */
void _holo_inference_set_rates (HoloInference *inference);
/* Makes the task of @node: a new one, or what the factory makes of the one of @previous (nullable), which then is marked as
 * changing until a commit or rollback if the result is the same task. */
HoloTask *_holo_plan_make_task (HoloPlan *plan, HoloPlanNode *node, HoloPlanNode *previous, GError **error);
/* Messages about a node or an edge say where the graph has it. @member (nullable): "type" or "out", which part of it. */
void _holo_compilation_prefix_node (GError **error, const HoloPlanNode *node);
void _holo_compilation_prefix_edge (GError **error, guint edge, const gchar *member);
guint _holo_compilation_add_tensor (HoloCompilation *c, const HoloTensorDesc *desc, guint node, guint slot);
guint _holo_compilation_add_storage (HoloCompilation *c, HoloStorageClass storage_class, const HoloTensorDesc *desc,
                                     gint section);
/* Puts a copy between tensor @tensor and input @slot of @node; returns the tensor the node reads now. */
gboolean _holo_compilation_insert_copy (HoloCompilation *c, guint tensor, guint node, guint slot, const gchar *why,
                                        guint *copy_tensor, GError **error);
