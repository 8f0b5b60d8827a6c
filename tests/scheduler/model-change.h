/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an update changes in a random graph. */
#pragma once

#include "interpreter.h"

G_BEGIN_DECLS

typedef enum
{
  CHANGE_NOTHING,
  CHANGE_ALL,     /* a new epoch everywhere */
  CHANGE_ONE,     /* at one node */
  CHANGE_INSERT,  /* a node into an edge */
  CHANGE_REMOVE,  /* a node that gives what it gets, in number and shape */
  CHANGE_RENAME,  /* which is removal and addition */
  CHANGE_RESHAPE, /* other tensors from some node on */
  CHANGE_ROOM,    /* the capacity of a queue */
  N_CHANGES,
} ModelChange;

/* A graph of @seed for operations: with Inputs and Outputs, all nodes of epoch 1. */
void model_make_operable (Model *model, guint seed);
/* The same, of logged kinds; @leaky: with queues that drop frames. */
void model_make_logged (Model *model, guint seed, gboolean leaky);
/* FALSE: there is nothing to change so, or the graph would be no graph any more; @model is then as it was. @id and
 * @epoch: the last ones that were used; they go up. */
gboolean model_change (Model *model, ModelChange change, GRand *rand, guint *id, guint *epoch);
/* A new epoch for a node that is always there; each update has one, and its commit says in the log where it came. */
void model_touch_witness (Model *model, guint *epoch);
guint model_get_witness (const Model *model); /* its id */
const gchar *model_change_get_name (ModelChange change);

G_END_DECLS
