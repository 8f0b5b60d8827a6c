/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "holo-types.h"

G_BEGIN_DECLS

/**
 * HoloError:
 * @HOLO_ERROR_FAILED: any failure that has no code of its own.
 * @HOLO_ERROR_JSON: a text is not the JSON that is expected; the message holds the JSON path.
 * @HOLO_ERROR_GRAPH: a graph is not well formed: unknown node, duplicate or missing edge, cycle.
 * @HOLO_ERROR_UNKNOWN_KIND: no factory is registered under that kind.
 * @HOLO_ERROR_EXISTS: the key is already taken.
 * @HOLO_ERROR_SETTING: unknown setting, wrong type, value out of range.
 * @HOLO_ERROR_INFERENCE: a task refuses the tensors that reach it.
 * @HOLO_ERROR_SLOT: a slot index is out of range or not owned.
 * @HOLO_ERROR_OVERFLOW: a size does not fit 64 bits.
 * @HOLO_ERROR_MEMORY: memory could not be allocated.
 * @HOLO_ERROR_DEVICE: there is no such device, or a device call failed.
 * @HOLO_ERROR_MODULE: a task module could not be loaded.
 * @HOLO_ERROR_TASK: a task failed while it ran, or broke the contract of the task model.
 * @HOLO_ERROR_STATE: the call does not fit the state of the object (for example, not running).
 * @HOLO_ERROR_FILE: a file could not be read or written, or does not hold what is expected.
 * @HOLO_ERROR_NOT_SUPPORTED: the operation is not implemented for these arguments.
 *
 * Codes of the domain %HOLO_ERROR. Messages name node, kind, slot, what was expected and what was found.
 *
 * Since: 0.1
 */
typedef enum
{
  HOLO_ERROR_FAILED,
  HOLO_ERROR_JSON,
  HOLO_ERROR_GRAPH,
  HOLO_ERROR_UNKNOWN_KIND,
  HOLO_ERROR_EXISTS,
  HOLO_ERROR_SETTING,
  HOLO_ERROR_INFERENCE,
  HOLO_ERROR_SLOT,
  HOLO_ERROR_OVERFLOW,
  HOLO_ERROR_MEMORY,
  HOLO_ERROR_DEVICE,
  HOLO_ERROR_MODULE,
  HOLO_ERROR_TASK,
  HOLO_ERROR_STATE,
  HOLO_ERROR_FILE,
  HOLO_ERROR_NOT_SUPPORTED,
} HoloError;

/**
 * HOLO_ERROR:
 *
 * Error domain of the library; its codes are those of #HoloError.
 *
 * Since: 0.1
 */
#define HOLO_ERROR (holo_error_quark ())

HOLO_API GQuark holo_error_quark (void);
HOLO_API const gchar *holo_op_result_get_name (HoloOpResult result);

G_END_DECLS
