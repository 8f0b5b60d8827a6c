/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of the host share. A host has runs (one per connected part of its graph); a run has inputs,
 * outputs and drivers (threads).
 *
 *   sink pad -> GstHoloInput -> HoloScheduler -> GstHoloOutput -> source pad
 *
 * Locks: GstHoloRun.lock guards what the comments below say and is never held across a push, a query, an
 * event, a message or a call into the scheduler that may block. A buffer on its way through takes it only for
 * the pad. */
#pragma once

#include <gst/holoflow/gstholoflow.h>

#include "gstholohost.h"
#include "gstholopacker.h"
#include "gstholoplace.h"
#include "gstholopreroll.h"

G_BEGIN_DECLS

GST_DEBUG_CATEGORY_EXTERN (gst_holo_host_debug);

typedef struct _GstHoloRun GstHoloRun;
typedef struct _GstHoloInput GstHoloInput;
typedef struct _GstHoloOutput GstHoloOutput;
typedef struct _GstHoloGroup GstHoloGroup;
typedef struct _GstHoloDriver GstHoloDriver;
typedef struct _GstHoloNumbers GstHoloNumbers;

/* A serialized event on its way to an output: it goes out before the first frame whose first number is not
 * smaller. */
typedef struct
{
  guint64 number;
  GstEvent *event;
} GstHoloItem;

/**
 * GstHoloInput:
 *
 * An Input of the graph and the sink pad that feeds it.
 */
struct _GstHoloInput
{
  GstHoloHost *host;
  GstHoloRun *run;
  gchar *name;
  GPtrArray *outputs;    /* that it reaches */
  GPtrArray *followers;  /* that carry its events and metas */
  GstHoloOutput *direct; /* pushed in this input's own thread */
  GstHoloGroup *group;   /* in runs with several inputs */

  /* exchanged with the scheduler: stays for who uses it for an input; others take a reference under the run's lock */
  HoloEnd *end;

  /* guarded by the run's lock */
  GstPad *pad;
  gint gate; /* != 0: look under the lock before anything else (also read without) */
  gboolean flushing;
  gboolean eos;
  gboolean ended; /* the scheduler knows of the end */
  guint32 eos_seqnum;
  gboolean has_info;
  GstHoloTensorInfo info;
  HoloTensorDesc layout; /* what the plan was compiled for */
  HoloFrame slot;
  gboolean full;
  gboolean inside; /* the scheduler has the frame of the slot already */
  GstClockTime slot_time;
  gboolean awaited; /* a seek is on its way up whose flush has not come yet */
  GQueue metas;     /* of GstHoloItem-like entries, see gstholometas.c */

  /* streaming thread */
  GstSegment segment;
  guint64 next; /* number of the next frame */
  guint64 n_packed;
  GstHoloPacker packer; /* of device memory in another layout */
};

/**
 * GstHoloOutput:
 *
 * An Output of the graph and the source pad behind it.
 */
struct _GstHoloOutput
{
  GstHoloHost *host;
  GstHoloRun *run;
  gchar *name;
  HoloEnd *end;          /* as an input's */
  GstHoloInput *leader;  /* whose events and metas it carries: slot 0 of every node decides; NULL: none */
  GPtrArray *inputs;     /* that reach it */
  GstHoloDriver *driver; /* NULL: pushed in the thread of an input */

  gboolean overlaps; /* one frame of the input may be part of several of this output */
  guint64 left;      /* what belongs before a smaller number has left for good; atomic */

  /* guarded by the run's lock */
  GstPad *pad;
  gint pad_serial; /* counts changes of the pad; also read without */
  GQueue items;
  gint n_items;  /* also read without */
  GstCaps *caps; /* to be sent before the next segment or frame */
  guint n_flushing;
  gboolean flush_held; /* FLUSH_STOP waits for the flush of another input, and the driver with it */
  GstBufferPool *pool;
  gsize pool_size;
  GstHoloRecycler *recycler; /* of device memory */

  /* pushing thread */
  GstPad *push_pad; /* the pad as this thread saw it last */
  gint push_serial;
  HoloTensorDesc desc; /* that the caps sent last describe */
  gboolean has_desc;
  gboolean stream_started;
  gboolean segment_sent;
  GstEvent *segment;     /* of the leader, for when downstream has forgotten it */
  gint reconfigure;      /* downstream may know another pool; atomic */
  gboolean takes_meta;   /* downstream lists GstHoloTensorMeta */
  gboolean takes_fences; /* downstream waits for fences itself */
  GstHoloPacker packer;  /* of device memory that cannot leave as it is */
  gint eos_sent;
  gint flow; /* GstFlowReturn of the last push */
  guint64 n_packed;
  guint64 n_waits; /* of the host, for downstream */
};

/* Inputs that one section takes from in each iteration. */
struct _GstHoloGroup
{
  GPtrArray *inputs;
  gboolean driving;
  guint64 n_unpaired;
};

/* A thread that drives a section no sink pad drives. */
struct _GstHoloDriver
{
  gint ref_count;
  GstHoloRun *run;
  HoloSection *section;
  GstHoloOutput *output; /* whose pad it pushes; NULL: the section has none */
  GPtrArray *inputs;     /* that reach the section */
  GstTask *task;
  GRecMutex task_lock;
  /* guarded by the run's lock */
  gboolean ended;
  gboolean stopped;
};

struct _GstHoloRun
{
  GstHoloHost *host;
  HoloGraph *wish;    /* this part of what the user asked for; changes with the compile lock and lock */
  HoloGraph *graph;   /* with the queues that the threads need; likewise */
  HoloDevice *device; /* the host as long as nothing needs another; changes only while a plan is made */
  gboolean is_sink;   /* something ends in it */
  GPtrArray *inputs;
  GPtrArray *outputs;
  GPtrArray *drivers; /* guarded by lock */
  GPtrArray *groups;

  GMutex start_lock;   /* a scheduler starts, or is told to flush or stop: never both; taken before lock */
  GMutex compile_lock; /* held while a plan is made or exchanged; taken before lock */
  GMutex lock;
  GCond cond;
  /* guarded by lock */
  HoloPlan *plan;
  HoloScheduler *scheduler;
  gint gate;             /* != 0: frames look under the lock first (also read without) */
  gint n_users;          /* threads that use the scheduler for an input (atomic) */
  gint fed;              /* a frame has gone in since the start (atomic) */
  GPtrArray *kept_plans; /* for the layouts that came last, see gsthololayouts.c */
  GHashTable *flushed;   /* node -> frames that flushes have removed from it */
  gboolean active;
  gboolean draining;
  gboolean failed;
  gboolean stale;  /* some inputs were ended for a drain that was interrupted: start anew after the flush */
  gboolean held;   /* a part without pads waits for PLAYING */
  gboolean ending; /* it was told to end */
  gboolean ended;  /* all its nodes have finished */
  gint done;       /* and nothing will come any more, which is what the application hears (also read without) */
  GstFlowReturn failure;
  guint n_updating;     /* exchanges of the plan that are not reported yet */
  gboolean behind;      /* graph has settings that came meanwhile; changes with the compile lock too */
  GstHoloNumbers *past; /* what earlier starts of schedulers have counted */
  gboolean counting;    /* what the scheduler says is not part of that */

  /* whoever exchanges the plan */
  gboolean remembers; /* its results depend on earlier frames */
  guint64 n_compiled;
};

/* ---- gstholorun.c ---- */
GstHoloRun *gst_holo_run_new (GstHoloHost *host, HoloGraph *wish, HoloDevice *device);
void gst_holo_run_free (GstHoloRun *run);
gboolean gst_holo_run_activate (GstHoloRun *run, GError **error);
void gst_holo_run_begin (GstHoloRun *run);
void gst_holo_run_play (GstHoloRun *run);
void gst_holo_run_hold (GstHoloRun *run);
void gst_holo_run_flush_start (GstHoloRun *run, GstHoloInput *input);
void gst_holo_run_set_plan (GstHoloRun *run, HoloPlan *plan, HoloScheduler *scheduler);
HoloScheduler *gst_holo_run_ref_scheduler (GstHoloRun *run);
HoloGraph *gst_holo_run_ref_wish (GstHoloRun *run);
HoloGraph *gst_holo_run_ref_graph (GstHoloRun *run);
HoloScheduler *gst_holo_input_ref_scheduler (GstHoloInput *input, HoloEnd **end);
gboolean gst_holo_run_start_scheduler (GstHoloRun *run, GError **error);
void gst_holo_run_stop_scheduler (GstHoloRun *run);
void gst_holo_run_interrupt (GstHoloRun *run);
void gst_holo_run_stop (GstHoloRun *run);
void gst_holo_run_update_gates (GstHoloRun *run);
void gst_holo_run_open_gate (GstHoloRun *run);

/* ---- gstholocompile.c ---- */
gboolean gst_holo_run_get_input_desc (GstHoloRun *run, GstHoloInput *input, HoloTensorDesc *desc);
gboolean gst_holo_run_can_compile (GstHoloRun *run);
gboolean gst_holo_run_check (GstHoloRun *run, GError **error);
gboolean gst_holo_run_infer (GstHoloRun *run, const HoloTensorDesc *layouts, GError **error);
gboolean gst_holo_run_use_layouts (GstHoloRun *run, GError **error);
gboolean gst_holo_run_compile (GstHoloRun *run, GError **error);
HoloCompiler *gst_holo_run_new_compiler (GstHoloRun *run, const HoloTensorDesc *layouts);

/* ---- gstholodrain.c ---- */
gboolean gst_holo_run_drain (GstHoloRun *run, GstHoloInput *caller);
gboolean gst_holo_run_resume (GstHoloRun *run, GError **error);
gboolean gst_holo_run_restart (GstHoloRun *run, GError **error);

/* ---- gstholoupdate.c ---- */
gboolean gst_holo_run_update (GstHoloRun *run, HoloGraph *wish, GError **error);
gboolean gst_holo_run_catch_up (GstHoloRun *run, GError **error);
void gst_holo_run_wait_updated (GstHoloRun *run);

/* ---- gstholorundevice.c ---- */
gboolean gst_holo_run_lacks_device (GstHoloRun *run, const GError *error);
gboolean gst_holo_run_find_device (GstHoloRun *run, GError **error);
gboolean gst_holo_run_takes_device_memory (GstHoloRun *run, GstHoloInput *input);
guint gst_holo_run_count_held (GstHoloRun *run, GstHoloInput *input);
HoloDevice *gst_holo_run_ref_device (GstHoloRun *run);

/* ---- gstholoend.c ---- */
void gst_holo_run_ended (HoloScheduler *scheduler, const GError *error, gpointer user_data);
void gst_holo_run_end (GstHoloRun *run);
void gst_holo_run_check_end (GstHoloRun *run);
void gst_holo_run_fail (GstHoloRun *run, const GError *error);
void gst_holo_run_fail_flow (GstHoloRun *run, GstFlowReturn flow, const GError *error);

/* ---- gsthololayouts.c ---- */
gboolean gst_holo_same_layout (const HoloTensorDesc *a, const HoloTensorDesc *b);
HoloTensorDesc *gst_holo_run_copy_layouts (GstHoloRun *run);
void gst_holo_run_set_layouts (GstHoloRun *run, const HoloTensorDesc *layouts);
gboolean gst_holo_run_takes_layouts (GstHoloRun *run, const HoloTensorDesc *layouts);
void gst_holo_run_adopt_layouts (GstHoloRun *run, GstHoloInput *caller, const HoloTensorDesc *layouts);
GPtrArray *gst_holo_kept_plans_new (void);
gboolean gst_holo_run_find_plan (GstHoloRun *run, const HoloTensorDesc *layouts, HoloPlan **plan,
                                 HoloScheduler **scheduler);
void gst_holo_run_keep_plan (GstHoloRun *run, const HoloTensorDesc *layouts, HoloPlan *plan, HoloScheduler *scheduler);
void gst_holo_run_forget_plans (GstHoloRun *run);

/* ---- gstholopreroll.c ---- */
void gst_holo_preroll_wait (GstHoloPreroll *preroll, GstHoloInput *input);
void gst_holo_preroll_flush_start (GstHoloPreroll *preroll, GstHoloInput *input);
void gst_holo_preroll_flush_stop (GstHoloPreroll *preroll, gboolean reset_time);

/* Without any, its threads work in PLAYING only. */
static inline gboolean
gst_holo_run_has_pads (GstHoloRun *run)
{
  return run->inputs->len > 0 || run->outputs->len > 0;
}

/* ---- gstholonumbers.c ---- */
GstHoloNumbers *gst_holo_numbers_new (void);
void gst_holo_numbers_free (GstHoloNumbers *numbers);
void gst_holo_run_save_numbers (GstHoloRun *run);
void gst_holo_run_begin_counting (GstHoloRun *run);
guint64 gst_holo_run_get_level (GstHoloRun *run, const gchar *node);
void gst_holo_run_note_flush (GstHoloRun *run, GstHoloInput *input, HoloScheduler *scheduler);

/* ---- gstholodriver.c ---- */
GstHoloDriver *gst_holo_driver_new (GstHoloRun *run, HoloPlan *plan, guint section, GstHoloOutput *output);
void gst_holo_driver_unref (GstHoloDriver *driver);
GPtrArray *gst_holo_run_list_drivers (GstHoloRun *run);
void gst_holo_run_add_driver (GstHoloRun *run, GstHoloDriver *driver);
void gst_holo_run_drop_drivers (GstHoloRun *run);
void gst_holo_run_start_drivers (GstHoloRun *run);
void gst_holo_driver_wait_idle (GstHoloDriver *driver);
void gst_holo_driver_wake (GstHoloDriver *driver);

/* ---- gstholoinput.c ---- */
GstHoloInput *gst_holo_input_new (GstHoloRun *run, const gchar *name);
void gst_holo_input_free (GstHoloInput *input);
void gst_holo_input_set_pad (GstHoloInput *input, GstPad *pad);
void gst_holo_input_drop_slot (GstHoloInput *input);
void gst_holo_pad_setup_sink (GstPad *pad);
GstFlowReturn gst_holo_input_combine_flows (GstHoloInput *input);
gboolean gst_holo_input_is_flushing (GstHoloInput *input);
gboolean gst_holo_input_is_wanted (GstHoloInput *input);
GstFlowReturn gst_holo_input_check_locked (GstHoloInput *input);
void gst_holo_input_leave (GstHoloInput *input);
HoloOpResult gst_holo_input_push_frame (GstHoloInput *input, HoloFrame *frame);

/* ---- gsthologroup.c ---- */
GstFlowReturn gst_holo_input_put_into_slot (GstHoloInput *input, HoloFrame *frame);
void gst_holo_input_try_drive (GstHoloInput *input);

/* An answer of the scheduler that may concern another input: nothing went wrong with this one. */
static inline gboolean
gst_holo_is_interruption (HoloOpResult result)
{
  return result == HOLO_OP_FLUSHED || result == HOLO_OP_CANCELLED;
}

/* ---- gstholometas.c ---- */
void gst_holo_input_keep_metas (GstHoloInput *input, GstBuffer *buffer, guint64 number);
void gst_holo_input_drop_metas (GstHoloInput *input);
GstBuffer *gst_holo_input_copy_metas (GstHoloInput *input, guint64 first, guint64 last, GstBuffer *buffer);

/* ---- gstholoinputevents.c ---- */
GstFlowReturn gst_holo_input_event (GstPad *pad, GstObject *parent, GstEvent *event);
gboolean gst_holo_input_query (GstPad *pad, GstObject *parent, GstQuery *query);
gboolean gst_holo_input_end (GstHoloInput *input);
/* The caps an input takes; (transfer full). */
GstCaps *gst_holo_input_get_caps (GstHoloInput *input);

/* ---- gstholoflush.c ---- */
void gst_holo_input_flush_start (GstHoloInput *input, GstEvent *event);
gboolean gst_holo_input_flush_stop (GstHoloInput *input, GstEvent *event);
void gst_holo_input_flush (GstHoloInput *input);
void gst_holo_run_begin_seek (GstHoloRun *run, GPtrArray *inputs, GstEvent *event);
void gst_holo_run_end_seek (GstHoloRun *run, GPtrArray *inputs, GstEvent *event);
gboolean gst_holo_run_awaits_flush (GstHoloRun *run);

/* ---- gstholooutputmemory.c ---- */
HoloBlock *gst_holo_output_allocate (gsize size, GCancellable *cancellable, gpointer user_data, GError **error);
void gst_holo_output_negotiate_memory (GstHoloOutput *output, GstPad *pad, GstCaps *caps);
void gst_holo_output_renegotiate_memory (GstHoloOutput *output, GstPad *pad);
void gst_holo_output_clear_pool (GstHoloOutput *output);
gboolean gst_holo_output_make_leavable (GstHoloOutput *output, HoloFrame *frame, GError **error);
gboolean gst_holo_output_settle (GstHoloOutput *output, GstBuffer *buffer, GError **error);

/* ---- gstholooutput.c ---- */
GstHoloOutput *gst_holo_output_new (GstHoloRun *run, const gchar *name);
void gst_holo_output_free (GstHoloOutput *output);
void gst_holo_output_set_pad (GstHoloOutput *output, GstPad *pad);
void gst_holo_output_set_desc (GstHoloOutput *output, const HoloTensorDesc *desc);
void gst_holo_output_queue_event (GstHoloOutput *output, guint64 number, GstEvent *event);
void gst_holo_output_send_due (GstHoloOutput *output, guint64 number);
GstFlowReturn gst_holo_output_push_next (GstHoloOutput *output);
gboolean gst_holo_output_push_event (GstHoloOutput *output, GstEvent *event);
gboolean gst_holo_output_peer_query (GstHoloOutput *output, GstQuery *query);
void gst_holo_output_send_eos (GstHoloOutput *output);
void gst_holo_output_reset (GstHoloOutput *output, gboolean keep_sticky);
void gst_holo_output_flushed (GstHoloOutput *output);
GstPad *gst_holo_output_ref_pad (GstHoloOutput *output);
guint64 gst_holo_output_get_left (GstHoloOutput *output);
void gst_holo_output_set_left (GstHoloOutput *output, guint64 number);
void gst_holo_pad_setup_src (GstPad *pad);

/* ---- gstholohostsettings.c ---- */
void gst_holo_host_catch_up (GstHoloHost *host);

/* ---- gstholohost.c ---- */
void gst_holo_host_accept_settings (GstHoloHost *host);
void gst_holo_host_graph_changed (GstHoloHost *host);
void gst_holo_host_post_error (GstHoloHost *host, const GError *error);
GPtrArray *gst_holo_host_get_runs (GstHoloHost *host);
GPtrArray *gst_holo_host_ref_runs (GstHoloHost *host);
GstHoloPairing gst_holo_host_get_pairing (GstHoloHost *host);
GstHoloPreroll *gst_holo_host_get_preroll (GstHoloHost *host);

/* ---- gstholopads.c ---- */
const gchar *gst_holo_pad_get_node (GstPad *pad);
/* The input or output that @pad is bound to; NULL while it is a placeholder. */
GstHoloInput *gst_holo_pad_get_input (GstPad *pad);
GstHoloOutput *gst_holo_pad_get_output (GstPad *pad);
/* The same for calls that come in any state: what they give stays as long as @runs (transfer full, nullable). */
GstHoloInput *gst_holo_pad_ref_input (GstPad *pad, GstObject *parent, GPtrArray **runs);
GstHoloOutput *gst_holo_pad_ref_output (GstPad *pad, GstObject *parent, GPtrArray **runs);
GstHoloPlace *gst_holo_host_get_place (GstHoloHost *host);
gint gst_holo_host_get_plane (GstHoloHost *host);
GList *gst_holo_host_list_pads (GstHoloHost *host);
gboolean gst_holo_host_bind_pads (GstHoloHost *host, GError **error);
void gst_holo_host_unbind_pads (GstHoloHost *host);
GstIterator *gst_holo_host_iterate_links (GstPad *pad, GstObject *parent);

/* ---- gstholoinputmemory.c ---- */
gboolean gst_holo_input_answer_allocation (GstHoloInput *input, GstQuery *query);
gboolean gst_holo_input_pack_on_device (GstHoloInput *input, HoloFrame *frame, GError **error);
gboolean gst_holo_input_check_place (GstHoloInput *input, const HoloFrame *frame, GError **error);

/* ---- gsthololatency.c ---- */
gboolean gst_holo_output_query_latency (GstHoloOutput *output, GstQuery *query);

G_END_DECLS
