/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls one asynchronous task with one input and one output as a scheduler would, step by step. */
#pragma once

#include <holoflow/holoflow.h>

typedef struct
{
  HoloTaskFactory *factory;
  HoloInference inference;
  HoloAsyncTask *task;
  HoloStorage in_storage;
  HoloStorage out_storage;
  HoloTensorView in;
  HoloTensorView out;
  HoloTensorView *in_views[1];
  HoloTensorView *out_views[1];
  HoloPushContext push;
  HoloPopContext pop;
} AsyncDriver;

HoloTaskFactory *async_driver_make_factory (const gchar *kind, const gchar *settings_json, GError **error);
void async_driver_init (AsyncDriver *driver, const gchar *kind, const gchar *settings_json,
                        const HoloTensorDesc *input);
void async_driver_clear (AsyncDriver *driver);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AsyncDriver, async_driver_clear)

HoloOpResult async_driver_acquire (AsyncDriver *driver);
HoloOpResult async_driver_push (AsyncDriver *driver);
HoloOpResult async_driver_pop (AsyncDriver *driver);
void async_driver_release (AsyncDriver *driver);
guint64 async_driver_get_discarded (AsyncDriver *driver);

/* Whether inference of @kind with these settings refuses @input; the message must hold @word. */
void assert_inference_refused (const gchar *kind, const gchar *settings_json, const HoloTensorDesc *input,
                               const gchar *word);
/* Whether the settings are refused before that. */
void assert_settings_refused (const gchar *kind, const gchar *settings_json, const gchar *word);
