/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The inside of a plan: what the passes fill in and the runtime reads. Ids are indices into the plan's arrays. */
#pragma once

#include "compiler/holo-plan.h"
#include "graph/holo-graph.h"
#include "device/holo-pool.h"

/* Memory and streams that two plans may share, so that a recompiled graph keeps what fits. */
typedef struct
{
  gint ref_count;
  HoloDevice *device;
  HoloMemLoc mem_loc;
  gsize size;
  gpointer data;
} HoloPlanMemory;

typedef struct
{
  gint ref_count;
  HoloDevice *device;
  HoloStream *stream;
} HoloPlanStream;

HoloPlanMemory *_holo_plan_memory_new (HoloDevice *device, HoloMemLoc mem_loc, gsize size, GError **error);
HoloPlanMemory *_holo_plan_memory_ref (HoloPlanMemory *memory);
void _holo_plan_memory_unref (HoloPlanMemory *memory);
HoloPlanStream *_holo_plan_stream_new (HoloDevice *device, GError **error);
HoloPlanStream *_holo_plan_stream_ref (HoloPlanStream *stream);
void _holo_plan_stream_unref (HoloPlanStream *stream);

typedef struct
{
  guint node;
  guint slot;
} HoloPlanPort;

typedef struct
{
  gchar *name;
  gchar *kind;
  gboolean implicit; /* inserted by the compiler */
  gboolean debug;
  HoloTaskFactory *factory; /* frozen */
  HoloInference inference;
  gboolean inferred;
  HoloTask *task; /* NULL in a plan that was only inferred */
  guint n_inputs;
  guint n_outputs;
  guint *inputs;    /* tensor ids */
  guint *outputs;   /* tensor ids */
  gint section_in;  /* synchronous: its section; asynchronous: the one that pushes, -1 = none */
  gint section_out; /* synchronous: the same; asynchronous: the one that pops, -1 = none */
  gchar *note;      /* why it was inserted */
} HoloPlanNode;

typedef struct
{
  HoloTensorDesc desc;
  HoloPlanPort producer;
  GArray *consumers; /* HoloPlanPort, in edge order */
  guint storage;
  gboolean shares;  /* lies in the storage of an input of its producer */
  gboolean written; /* shares, and the producer writes over it (not a view) */
  gchar *note;      /* why it shares or does not */
} HoloPlanTensor;

/**
 * HoloStorageClass:
 * @HOLO_STORAGE_PLAN: allocated with the plan; storages whose uses never overlap may share memory
 * @HOLO_STORAGE_POOL: a block of a pool, or of an Output's allocator, for each frame; adopting tasks keep it
 * @HOLO_STORAGE_OWNED_INPUT: a slot that the consuming task publishes in acquire_input()
 * @HOLO_STORAGE_OWNED_OUTPUT: a slot that the producing task publishes
 * @HOLO_STORAGE_LENT: a block that the producing task publishes
 */
typedef enum
{
  HOLO_STORAGE_PLAN,
  HOLO_STORAGE_POOL,
  HOLO_STORAGE_OWNED_INPUT,
  HOLO_STORAGE_OWNED_OUTPUT,
  HOLO_STORAGE_LENT,
} HoloStorageClass;

typedef struct
{
  HoloStorageClass storage_class;
  HoloStorage *storage; /* stable address; what all views point to */
  gsize size;
  HoloMemLoc mem_loc;
  gboolean writable;
  gint section;
  HoloPlanPort owner; /* of owned and lent storage */
  gint memory;        /* index into plan->memories, -1 = none */
  HoloPool *pool;     /* POOL */
  gint pool_output;   /* node of kind Output whose allocator the blocks come from, -1 = none */
  guint pool_blocks;  /* blocks that can be under way at once */
  gint first_use;     /* positions in the section, for sharing: -1 pops, 0.. synchronous nodes, n pushes */
  gint last_use;
  gboolean host_access;   /* a host task touches it */
  gboolean stream_access; /* device work touches it */
  gboolean async_access;  /* an asynchronous task fills or reads it itself */
  gboolean pinned;        /* host memory that device copies touch, here or where its blocks go */
} HoloPlanStorage;

typedef struct
{
  gchar *name;
  GArray *nodes;  /* guint: synchronous nodes in order of execution */
  GArray *pops;   /* guint: asynchronous nodes it takes from */
  GArray *pushes; /* guint: asynchronous nodes it gives to, synchronising ones first */
  HoloPlanStream *stream;
  gint inherits; /* the section of the previous plan that it shares most nodes with, and goes on from; -1 = none */
  gboolean uses_device;
  gboolean host_waits; /* some host task must wait for device work */
  GArray *waits;       /* gboolean per node: the host waits for the section's stream before it */
  GArray *pop_waits;   /* the same per pop, for those that fill host memory which device work reads */
  gboolean synchronizing_push;
} HoloPlanSection;

struct _HoloPlan
{
  gint ref_count;
  HoloRegistry *registry;
  HoloDevice *device;
  HoloGraph *graph; /* what it was made of: a copy, to change a setting of. NULL in a plan that is not runnable */
  GHashTable *input_descs; /* the same: name -> HoloTensorDesc */
  gboolean storage_sharing;
  gboolean in_place;
  gboolean runnable;
  guint64 serial;        /* of no other plan of the process, also once this one has gone */
  guint64 compiled_from; /* serial of the previous plan; 0: none */
  GArray *nodes;         /* HoloPlanNode */
  GArray *tensors;       /* HoloPlanTensor */
  GArray *storages;      /* HoloPlanStorage */
  GArray *sections;      /* HoloPlanSection */
  GPtrArray *memories;   /* HoloPlanMemory */
  GArray *memory_sizes;  /* gsize, planned sizes by memory index */
  GArray *memory_locs;   /* HoloMemLoc */
  GPtrArray *staged;     /* HoloTask: reused tasks with a change to commit */
  guint n_copies;
};

const gchar *_holo_storage_class_get_name (HoloStorageClass storage_class);
HoloPlan *_holo_plan_new (HoloRegistry *registry, HoloDevice *device);
/* Takes the staged changes into use; once. */
void _holo_plan_commit (HoloPlan *plan);
void _holo_plan_append_sections (GString *text, HoloPlan *plan);
void _holo_plan_append_tensors (GString *text, HoloPlan *plan);
void _holo_plan_append_storages (GString *text, HoloPlan *plan);
void _holo_plan_log (HoloPlan *plan);
gboolean _holo_plan_has_task (HoloPlan *plan, HoloTask *task);
gboolean _holo_plan_node_pushes_on_stream (HoloPlan *plan, const HoloPlanNode *node);

static inline HoloPlanNode *
_holo_plan_node (const HoloPlan *plan, guint index)
{
  return &g_array_index (plan->nodes, HoloPlanNode, index);
}

static inline HoloPlanTensor *
_holo_plan_tensor (const HoloPlan *plan, guint index)
{
  return &g_array_index (plan->tensors, HoloPlanTensor, index);
}

static inline HoloPlanStorage *
_holo_plan_storage (const HoloPlan *plan, guint index)
{
  return &g_array_index (plan->storages, HoloPlanStorage, index);
}

static inline HoloPlanSection *
_holo_plan_section (const HoloPlan *plan, guint index)
{
  return &g_array_index (plan->sections, HoloPlanSection, index);
}

static inline gboolean
_holo_plan_node_is_sync (const HoloPlanNode *node)
{
  return node->inference.type == HOLO_TASK_SYNC;
}
