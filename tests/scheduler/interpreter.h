/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A graph of test kinds as plain numbers, and a sequential interpreter of it: no threads, no memory plan,
 * only the rules of
 * how frames pass and how a run ends. What it collects is what every way of running the graph must collect.
 * */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  MODEL_SOURCE, /* number: end */
  MODEL_ADD,
  MODEL_SCALE, /* number: factor */
  MODEL_BUMP,  /* number: amount */
  MODEL_VIEW,  /* number: elements skipped */
  MODEL_SUM,
  MODEL_END_AT,  /* number: frames */
  MODEL_COLLECT, /* number: count, 0 for no end */
  MODEL_BRIDGE,  /* number: seed */
  MODEL_QUEUE,   /* number: mode */
  MODEL_BATCH,   /* number: size */
  MODEL_WINDOW,  /* number: size, limit: stride; along the leading dimension */
  MODEL_INPUT,   /* what an application pushes into and pulls from: only where operations are tried */
  MODEL_OUTPUT,
} ModelKind;

#define MODEL_MAX_NODES 20
#define MODEL_MAX_RANK  4

typedef struct
{
  ModelKind kind;
  gint64 number;
  guint capacity; /* asynchronous kinds: frames, or batches */
  guint limit;    /* queue: says EOF by itself after that many frames, 0: never; window: stride */
  guint room;     /* window: elements its ring must hold */
  guint n_inputs;
  guint inputs[2]; /* nodes before this one */
  guint rank;
  guint shape[MODEL_MAX_RANK]; /* of the output; of a collector: of the input */
  gboolean on_device;
  guint id;       /* what the node is called, whatever its place */
  guint epoch;    /* 0: the plain kind */
  gboolean renew; /* an update makes a new task of it */
  gboolean leaky; /* queue: drops frames instead of waiting */
  gboolean fixed; /* keeps its name and its task */
} ModelNode;

typedef struct
{
  guint n_nodes;
  ModelNode nodes[MODEL_MAX_NODES];
  guint section[MODEL_MAX_NODES]; /* synchronous: its section; asynchronous: the section that pops */
  guint n_sections;
  gboolean is_logged; /* only of kinds that write what they do into the log of operations, but for the ends */
} Model;

typedef enum
{
  INTERPRETER_ENDED,
  INTERPRETER_STUCK,   /* the capacities are too small for this graph */
  INTERPRETER_ENDLESS, /* it would go on for ever */
} InterpreterResult;

/* What a node remembers between two frames, and of an asynchronous one what it holds. */
typedef struct
{
  GQueue held;      /* of GArray: what can be popped */
  GArray *part;     /* batch, window: what is gathered */
  GArray *state;    /* sum */
  gint64 count;     /* frames so far: source, end-at, collector, batch (in part) */
  guint64 taken_in; /* window: elements that came */
} InterpreterMemory;

gboolean model_is_async (ModelKind kind);
/* Whether @section pushes into the asynchronous node @index. */
gboolean model_is_pushed_by (const Model *model, guint index, guint section);
guint model_count (const ModelNode *node);
/* Finds the sections; FALSE when asynchronous nodes are by-passed: such a graph must be refused. */
gboolean model_find_sections (Model *model);

/* What a synchronous node does with one frame; NULL: it has ended (a collector that ends has taken its frame). */
GArray *interpreter_execute (const ModelNode *node, InterpreterMemory *memory, GArray *a, GArray *b);
void interpreter_push (const ModelNode *node, InterpreterMemory *memory, GArray *frame);
void interpreter_forget (InterpreterMemory *memory);

/* @frames: per node; for collectors an array of frames (GArray of float), which the caller frees. */
InterpreterResult interpreter_run (const Model *model, GPtrArray *frames[MODEL_MAX_NODES]);

G_END_DECLS
