/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <holoflow/holoflow.h>

G_BEGIN_DECLS

typedef struct _HoloCudaRetirer HoloCudaRetirer;

HoloCudaRetirer *holo_cuda_retirer_new (void);
void holo_cuda_retirer_add (HoloCudaRetirer *retirer, HoloDevice *device, HoloBlock *block);
void holo_cuda_retirer_finish (HoloCudaRetirer *retirer);

G_END_DECLS
