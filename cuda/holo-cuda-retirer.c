/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The completion thread of a device: releases blocks when their fences have passed, and sleeps when there are
 * none. */
#include "holo-cuda-retirer.h"

/* Blocks are to be back within 1 ms of their fence. */
#define POLL_US 250

struct _HoloCudaRetirer
{
  gint ref_count; /* the device's, and the thread's: the thread may drop the last reference to the device */
  GMutex lock;
  GCond cond;
  GThread *thread;   /* (nullable): made for the first block */
  HoloBlock *blocks; /* chain by next; each holds a reference to the device */
  HoloDevice *device;
  gboolean finished;
  gboolean asleep; /* the thread: a wake costs more than the block does */
};

static void
retirer_unref (HoloCudaRetirer *retirer)
{
  if (!g_atomic_int_dec_and_test (&retirer->ref_count))
    return;
  g_mutex_clear (&retirer->lock);
  g_cond_clear (&retirer->cond);
  g_free (retirer);
}

/* Cuts the blocks whose fences have passed out of @chain. */
static HoloBlock *
take_passed (HoloBlock **chain)
{
  HoloBlock *passed = NULL, **link = chain;

  while (*link != NULL)
    {
      HoloBlock *block = *link;

      if (!holo_fence_set_is_passed (&block->fences))
        {
          link = &block->next;
          continue;
        }
      *link = block->next;
      block->next = passed;
      passed = block;
    }
  return passed;
}

static guint
release_all (HoloBlock *block)
{
  guint n = 0;

  while (block != NULL)
    {
      HoloBlock *next = block->next;

      block->next = NULL;
      holo_fence_set_clear (&block->fences);
      block->release (block);
      block = next;
      n++;
    }
  return n;
}

static gpointer
retirer_thread (gpointer data)
{
  HoloCudaRetirer *retirer = data;

  g_mutex_lock (&retirer->lock);
  for (;;)
    {
      HoloBlock *passed;
      HoloDevice *device = retirer->device;
      guint n;

      if (retirer->blocks == NULL)
        {
          if (retirer->finished)
            break;
          retirer->asleep = TRUE;
          g_cond_wait (&retirer->cond, &retirer->lock);
          retirer->asleep = FALSE;
          continue;
        }
      passed = take_passed (&retirer->blocks);
      g_mutex_unlock (&retirer->lock);
      n = release_all (passed);
      if (n == 0)
        g_usleep (POLL_US);
      /* the last one may end the device, which only says "finished" here */
      while (n-- > 0)
        g_object_unref (device);
      g_mutex_lock (&retirer->lock);
    }
  g_mutex_unlock (&retirer->lock);
  retirer_unref (retirer);
  return NULL;
}

HoloCudaRetirer *
holo_cuda_retirer_new (void)
{
  HoloCudaRetirer *retirer = g_new0 (HoloCudaRetirer, 1);

  retirer->ref_count = 1;
  g_mutex_init (&retirer->lock);
  g_cond_init (&retirer->cond);
  return retirer;
}

void
holo_cuda_retirer_add (HoloCudaRetirer *retirer, HoloDevice *device, HoloBlock *block)
{
  g_mutex_lock (&retirer->lock);
  retirer->device = device;
  g_object_ref (device);
  block->next = retirer->blocks;
  retirer->blocks = block;
  if (retirer->thread == NULL)
    {
      g_atomic_int_inc (&retirer->ref_count);
      retirer->thread = g_thread_new ("holo-retire", retirer_thread, retirer);
    }
  if (retirer->asleep)
    g_cond_signal (&retirer->cond);
  g_mutex_unlock (&retirer->lock);
}

/* The device is being finalised: no block is left, since each holds it. */
void
holo_cuda_retirer_finish (HoloCudaRetirer *retirer)
{
  GThread *thread;

  g_mutex_lock (&retirer->lock);
  retirer->finished = TRUE;
  thread = retirer->thread;
  g_cond_signal (&retirer->cond);
  g_mutex_unlock (&retirer->lock);
  if (thread != NULL && thread != g_thread_self ())
    g_thread_join (thread);
  else if (thread != NULL)
    g_thread_unref (thread);
  retirer_unref (retirer);
}
