/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstholoallocator-private.h"

#include "gstholocuda-private.h"

struct _GstHoloAllocator
{
  GstAllocator parent_instance;

  HoloDevice *device;
  HoloMemLoc mem_loc;
};

typedef struct
{
  GstMemory parent;
  gpointer data;
} Memory;

G_DEFINE_FINAL_TYPE (GstHoloAllocator, gst_holo_allocator, GST_TYPE_ALLOCATOR)

static Memory *
make_memory (GstHoloAllocator *self, GstMemoryFlags flags, GstMemory *parent, gpointer data, gsize maxsize, gsize align,
             gsize offset, gsize size)
{
  Memory *memory = g_new0 (Memory, 1);

  gst_memory_init (&memory->parent, flags, GST_ALLOCATOR_CAST (self), parent, maxsize, align, offset, size);
  memory->data = data;
  return memory;
}

/* The device aligns to more than anybody asks for here. */
static GstMemory *
gst_holo_allocator_alloc (GstAllocator *allocator, gsize size, GstAllocationParams *params)
{
  GstHoloAllocator *self = GST_HOLO_ALLOCATOR (allocator);
  gsize maxsize = size + params->prefix + params->padding;
  g_autoptr (GError) error = NULL;
  gpointer data = holo_device_alloc (self->device, self->mem_loc, maxsize, &error);

  if (data == NULL)
    {
      GST_WARNING_OBJECT (allocator, "%s", error->message);
      return NULL;
    }
  return &make_memory (self, params->flags, NULL, data, maxsize, HOLO_MEMORY_ALIGNMENT - 1, params->prefix, size)
              ->parent;
}

static void
gst_holo_allocator_free (GstAllocator *allocator, GstMemory *memory)
{
  GstHoloAllocator *self = GST_HOLO_ALLOCATOR (allocator);

  if (memory->parent == NULL)
    holo_device_free (self->device, self->mem_loc, ((Memory *) memory)->data);
  g_free (memory);
}

/* Device memory shows its address to those who ask for one on the device. */
static gpointer
map (GstMemory *memory, GstMapInfo *info, gsize maxsize)
{
  gboolean on_device = GST_HOLO_ALLOCATOR (memory->allocator)->mem_loc == HOLO_MEM_LOC_DEVICE;

  if (on_device && (info->flags & GST_HOLO_MAP_DEVICE) == 0)
    return NULL;
  return ((Memory *) memory)->data;
}

static void
unmap (GstMemory *memory, GstMapInfo *info)
{
}

static GstMemory *
share (GstMemory *memory, gssize offset, gssize size)
{
  GstMemory *parent = memory->parent != NULL ? memory->parent : memory;
  GstMemoryFlags flags = GST_MINI_OBJECT_FLAGS (parent) | GST_MINI_OBJECT_FLAG_LOCK_READONLY;

  if (size == -1)
    size = (gssize) memory->size - offset;
  return &make_memory (GST_HOLO_ALLOCATOR (memory->allocator), flags, parent, ((Memory *) memory)->data,
                       memory->maxsize, memory->align, memory->offset + (gsize) offset, (gsize) size)
              ->parent;
}

static void
gst_holo_allocator_finalize (GObject *object)
{
  g_clear_object (&GST_HOLO_ALLOCATOR (object)->device);
  G_OBJECT_CLASS (gst_holo_allocator_parent_class)->finalize (object);
}

static void
gst_holo_allocator_class_init (GstHoloAllocatorClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = gst_holo_allocator_finalize;
  GST_ALLOCATOR_CLASS (klass)->alloc = gst_holo_allocator_alloc;
  GST_ALLOCATOR_CLASS (klass)->free = gst_holo_allocator_free;
}

static void
gst_holo_allocator_init (GstHoloAllocator *self)
{
  GstAllocator *allocator = GST_ALLOCATOR_CAST (self);

  allocator->mem_type = "HoloMemory";
  allocator->mem_map_full = map;
  allocator->mem_unmap_full = unmap;
}

/**
 * _gst_holo_allocator_new:
 * @device: a device
 * @mem_loc: its own memory, or host memory for its copies
 *
 * Returns: (transfer full): an allocator
 */
GstAllocator *
_gst_holo_allocator_new (HoloDevice *device, HoloMemLoc mem_loc)
{
  GstHoloAllocator *self = gst_object_ref_sink (g_object_new (GST_TYPE_HOLO_ALLOCATOR, NULL));

  self->device = g_object_ref (device);
  self->mem_loc = mem_loc;
  /* parts of device memory would be copied by the host: as with CUDA memory there are none */
  if (mem_loc == HOLO_MEM_LOC_HOST)
    GST_ALLOCATOR_CAST (self)->mem_share = share;
  return GST_ALLOCATOR_CAST (self);
}

gboolean
_gst_holo_allocator_is_device_memory (GstMemory *memory, HoloDevice **device)
{
  GstHoloAllocator *self;

  if (!GST_IS_HOLO_ALLOCATOR (memory->allocator))
    return FALSE;
  self = GST_HOLO_ALLOCATOR (memory->allocator);
  *device = self->device;
  return self->mem_loc == HOLO_MEM_LOC_DEVICE;
}
