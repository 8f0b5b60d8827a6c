/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "event/holo-event-router.h"

void _holo_event_router_attach_node (HoloEventRouter *router, const gchar *node, HoloEventReader **reader,
                                     HoloEventWriter **writer);
void _holo_event_router_detach_node (HoloEventRouter *router, const gchar *node);
