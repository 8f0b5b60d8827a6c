/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstholohost.h"

#include "gstholohost-private.h"
#include "gstholohostsettings.h"
#include "gstholomessage.h"
#include "gstholotopology.h"

GST_DEBUG_CATEGORY (gst_holo_host_debug);
#define GST_CAT_DEFAULT gst_holo_host_debug

#define REGISTRY_CONTEXT "holoflow.registry"

enum
{
  PROP_0,
  PROP_DEVICE,
  PROP_PAIRING,
  PROP_HOLO_STATS,
};

typedef struct
{
  GstHoloPlace place;
  gint plane; /* of video; GST_HOLO_PLANE_AUTO unless a subclass sets it */
  GstHoloPairing pairing;
  HoloRegistry *registry; /* from the context; guarded by the object lock */
  GstHoloHostSettings *settings;
  GPtrArray *runs; /* from READY on */
  GstHoloPreroll preroll;
  gboolean stale; /* the graph was changed since: build again before PAUSED */
} GstHoloHostPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_CODE (GstHoloHost, gst_holo_host, GST_TYPE_ELEMENT,
                                  G_ADD_PRIVATE (GstHoloHost)
                                      GST_DEBUG_CATEGORY_INIT (gst_holo_host_debug, "holoflow-host", 0,
                                                               "Holoflow: graphs in pipelines"))

#define PRIVATE(host) ((GstHoloHostPrivate *) gst_holo_host_get_instance_private (host))

GType
gst_holo_pairing_get_type (void)
{
  static GType type;
  static const GEnumValue values[] = {
    { GST_HOLO_PAIRING_ORDER, "The n-th frames of all inputs belong together", "order" },
    { GST_HOLO_PAIRING_TIME, "Frames of the same running time belong together, others are dropped", "time" },
    { 0, NULL, NULL },
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstHoloPairing", values));
  return type;
}

/* ---- what other files ask ---- */

/* (transfer none): the registry of the context, or the default one. */
HoloRegistry *
gst_holo_host_get_registry (GstHoloHost *host)
{
  GstHoloHostPrivate *priv = PRIVATE (host);
  HoloRegistry *registry;

  GST_OBJECT_LOCK (host);
  registry = priv->registry;
  GST_OBJECT_UNLOCK (host);
  return registry != NULL ? registry : holo_registry_get_default ();
}

GPtrArray *
gst_holo_host_get_runs (GstHoloHost *host)
{
  return PRIVATE (host)->runs;
}

/* (transfer full) (nullable): the runs of this moment, for calls that come in any state. */
GPtrArray *
gst_holo_host_ref_runs (GstHoloHost *host)
{
  GstHoloHostPrivate *priv = PRIVATE (host);
  GPtrArray *runs;

  GST_OBJECT_LOCK (host);
  runs = priv->runs != NULL ? g_ptr_array_ref (priv->runs) : NULL;
  GST_OBJECT_UNLOCK (host);
  return runs;
}

GstHoloHostSettings *
gst_holo_host_get_settings (GstHoloHost *host)
{
  return PRIVATE (host)->settings;
}

GstHoloPlace *
gst_holo_host_get_place (GstHoloHost *host)
{
  return &PRIVATE (host)->place;
}

/* Which plane of video the inputs show. */
gint
gst_holo_host_get_plane (GstHoloHost *host)
{
  return g_atomic_int_get (&PRIVATE (host)->plane);
}

void
gst_holo_host_set_plane (GstHoloHost *host, gint plane)
{
  g_atomic_int_set (&PRIVATE (host)->plane, plane);
}

GstHoloPairing
gst_holo_host_get_pairing (GstHoloHost *host)
{
  return PRIVATE (host)->pairing;
}

GstHoloPreroll *
gst_holo_host_get_preroll (GstHoloHost *host)
{
  return &PRIVATE (host)->preroll;
}

void
gst_holo_host_set_pairing (GstHoloHost *host, GstHoloPairing pairing)
{
  PRIVATE (host)->pairing = pairing;
}

void
gst_holo_host_post_error (GstHoloHost *host, const GError *error)
{
  gst_holo_element_post_error (host, error);
}

/* The graph is another one now: used from the next READY on. */
void
gst_holo_host_graph_changed (GstHoloHost *host)
{
  PRIVATE (host)->stale = TRUE;
}

/* ---- the graph ---- */

/* One that was asked for by name. Otherwise the host, until something in the graph needs a device. */
static HoloDevice *
make_device (GstHoloHost *host, GError **error)
{
  GstHoloPlace *place = gst_holo_host_get_place (host);
  HoloRegistry *registry = gst_holo_host_get_registry (host);
  g_autofree gchar *name = gst_holo_place_dup_name (place);

  if (g_str_equal (name, "auto") || g_str_equal (name, "host"))
    return g_object_ref (holo_device_get_host ());
  return gst_holo_place_open (place, registry, error) ? gst_holo_place_get_device (place, registry, error) : NULL;
}

/* (nullable). Changes of settings look at them from any thread. */
static void
set_runs (GstHoloHost *host, GPtrArray *runs)
{
  GstHoloHostPrivate *priv = PRIVATE (host);
  GPtrArray *old;

  gst_holo_host_settings_lock (priv->settings);
  GST_OBJECT_LOCK (host);
  old = priv->runs;
  priv->runs = runs;
  GST_OBJECT_UNLOCK (host);
  gst_holo_host_settings_unlock (priv->settings);
  g_clear_pointer (&old, g_ptr_array_unref);
}

static void
tear_down (GstHoloHost *host)
{
  GstHoloHostPrivate *priv = PRIVATE (host);

  gst_holo_host_unbind_pads (host);
  set_runs (host, NULL);
  gst_holo_place_close (&priv->place);
}

static gboolean
check_runs (GPtrArray *runs, GError **error)
{
  for (guint i = 0; i < runs->len; i++)
    if (!gst_holo_run_check (g_ptr_array_index (runs, i), error))
      return FALSE;
  return TRUE;
}

static GPtrArray *
make_runs (GstHoloHost *host, HoloGraph *graph, HoloDevice *device)
{
  g_autoptr (GPtrArray) parts = gst_holo_graph_split (graph);
  GPtrArray *runs = g_ptr_array_new_with_free_func ((GDestroyNotify) gst_holo_run_free);

  for (guint i = 0; i < parts->len; i++)
    g_ptr_array_add (runs, gst_holo_run_new (host, holo_graph_ref (g_ptr_array_index (parts, i)), device));
  return runs;
}

/* NULL to READY: everything that can be wrong without data is found here. */
static gboolean
set_up (GstHoloHost *host, GError **error)
{
  GstHoloHostPrivate *priv = PRIVATE (host);
  GstHoloHostClass *klass = GST_HOLO_HOST_GET_CLASS (host);
  HoloRegistry *registry = gst_holo_host_get_registry (host);
  g_autoptr (HoloDevice) device = NULL;
  g_autoptr (HoloGraph) graph = NULL;
  g_autoptr (HoloGraph) wish = klass->build_graph (host, error);

  priv->stale = FALSE;
  if (wish == NULL || (klass->check != NULL && !klass->check (host, error)))
    return FALSE;
  graph = gst_holo_host_settings_apply (priv->settings, wish, registry, error);
  if (graph == NULL || !gst_holo_graph_check (graph, registry, error))
    return FALSE;
  device = make_device (host, error);
  if (device == NULL)
    return FALSE;
  gst_holo_host_set_roles (host, graph);
  set_runs (host, make_runs (host, graph, device));
  return check_runs (priv->runs, error) && gst_holo_host_bind_pads (host, error);
}

/* ---- states ---- */

static gboolean
rebuild_if_stale (GstHoloHost *host, GError **error)
{
  if (!PRIVATE (host)->stale)
    return TRUE;
  tear_down (host);
  return set_up (host, error);
}

static gboolean
activate_runs (GstHoloHost *host, GError **error)
{
  GPtrArray *runs = PRIVATE (host)->runs;

  for (guint i = 0; i < runs->len; i++)
    if (!gst_holo_run_activate (g_ptr_array_index (runs, i), error))
      return FALSE;
  return TRUE;
}

static void
for_each_run (GstHoloHost *host, void (*func) (GstHoloRun *run))
{
  GPtrArray *runs = PRIVATE (host)->runs;

  for (guint i = 0; runs != NULL && i < runs->len; i++)
    func (g_ptr_array_index (runs, i));
}

static gboolean
prepare (GstHoloHost *host, GstStateChange transition, GError **error)
{
  switch (transition)
    {
    case GST_STATE_CHANGE_NULL_TO_READY:
      return set_up (host, error);
    case GST_STATE_CHANGE_READY_TO_PAUSED:
      return rebuild_if_stale (host, error) && activate_runs (host, error);
    case GST_STATE_CHANGE_PAUSED_TO_READY:
      for_each_run (host, gst_holo_run_interrupt);
      return TRUE;
    default:
      return TRUE;
    }
}

static void
give_up (GstHoloHost *host, GstStateChange transition)
{
  if (transition == GST_STATE_CHANGE_NULL_TO_READY)
    tear_down (host);
  else
    {
      for_each_run (host, gst_holo_run_interrupt);
      for_each_run (host, gst_holo_run_stop);
    }
}

/* After the parent class. */
static void
follow (GstHoloHost *host, GstStateChange transition)
{
  switch (transition)
    {
    case GST_STATE_CHANGE_READY_TO_PAUSED:
      gst_holo_host_accept_settings (host);
      for_each_run (host, gst_holo_run_begin);
      break;
    case GST_STATE_CHANGE_PAUSED_TO_PLAYING:
      for_each_run (host, gst_holo_run_play);
      break;
    case GST_STATE_CHANGE_PLAYING_TO_PAUSED:
      for_each_run (host, gst_holo_run_hold);
      break;
    case GST_STATE_CHANGE_PAUSED_TO_READY:
      for_each_run (host, gst_holo_run_stop);
      break;
    case GST_STATE_CHANGE_READY_TO_NULL:
      tear_down (host);
      break;
    default:
      break;
    }
}

static GstStateChangeReturn
gst_holo_host_change_state (GstElement *element, GstStateChange transition)
{
  GstHoloHost *host = GST_HOLO_HOST (element);
  GstHoloPreroll *preroll = &PRIVATE (host)->preroll;
  g_autoptr (GError) error = NULL;
  GstStateChangeReturn result, up, down;

  if (!prepare (host, transition, &error))
    {
      gst_holo_host_post_error (host, error);
      give_up (host, transition);
      return GST_STATE_CHANGE_FAILURE;
    }
  up = gst_holo_preroll_go_up (preroll, transition);
  result = GST_ELEMENT_CLASS (gst_holo_host_parent_class)->change_state (element, transition);
  if (result == GST_STATE_CHANGE_FAILURE && transition == GST_STATE_CHANGE_READY_TO_PAUSED)
    return result;
  down = gst_holo_preroll_go_down (preroll, transition);
  follow (host, transition);
  return up == GST_STATE_CHANGE_ASYNC || down == GST_STATE_CHANGE_ASYNC ? GST_STATE_CHANGE_ASYNC : result;
}

/* ---- events for the element itself ---- */

/* @event is a seek that all sink pads get, or have got. */
static void
mark_seek (GstHoloHost *host, GstEvent *event, gboolean begin)
{
  GPtrArray *runs = PRIVATE (host)->runs;

  for (guint i = 0; runs != NULL && i < runs->len; i++)
    {
      GstHoloRun *run = g_ptr_array_index (runs, i);

      if (begin)
        gst_holo_run_begin_seek (run, run->inputs, event);
      else
        gst_holo_run_end_seek (run, run->inputs, event);
    }
}

/* An event of the application goes to all that feed a sink. */
static gboolean
send_upstream (GstHoloHost *host, GstEvent *event)
{
  gboolean is_seek = GST_EVENT_TYPE (event) == GST_EVENT_SEEK;
  GList *pads = gst_holo_host_list_pads (host);
  gboolean ok = pads != NULL;

  if (is_seek)
    mark_seek (host, event, TRUE);
  for (GList *item = pads; item != NULL; item = item->next)
    if (GST_PAD_DIRECTION (item->data) == GST_PAD_SINK)
      ok &= gst_pad_push_event (item->data, gst_event_ref (event));
  if (is_seek)
    mark_seek (host, event, FALSE);
  g_list_free_full (pads, gst_object_unref);
  gst_event_unref (event);
  return ok;
}

static gboolean
gst_holo_host_send_event (GstElement *element, GstEvent *event)
{
  GstHoloHost *host = GST_HOLO_HOST (element);

  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS && GST_OBJECT_FLAG_IS_SET (host, GST_ELEMENT_FLAG_SOURCE))
    {
      for_each_run (host, gst_holo_run_end);
      gst_event_unref (event);
      return TRUE;
    }
  if (GST_EVENT_IS_UPSTREAM (event) && element->numsrcpads == 0)
    return send_upstream (host, event);
  return GST_ELEMENT_CLASS (gst_holo_host_parent_class)->send_event (element, event);
}

static void
gst_holo_host_set_context (GstElement *element, GstContext *context)
{
  GstHoloHostPrivate *priv = PRIVATE (GST_HOLO_HOST (element));
  HoloRegistry *registry = NULL;

  gst_holo_place_set_context (&priv->place, context);
  if (gst_context_has_context_type (context, REGISTRY_CONTEXT) &&
      gst_structure_get (gst_context_get_structure (context), "registry", HOLO_TYPE_REGISTRY, &registry, NULL))
    {
      GST_OBJECT_LOCK (element);
      /* An older one stays referenced: somebody may be using it without a reference. */
      if (priv->registry == registry)
        g_object_unref (registry);
      else
        {
          if (priv->registry != NULL)
            g_object_set_data_full (G_OBJECT (element), "holo-old-registry", priv->registry, g_object_unref);
          priv->registry = registry;
        }
      GST_OBJECT_UNLOCK (element);
      gst_holo_host_graph_changed (GST_HOLO_HOST (element));
    }
  GST_ELEMENT_CLASS (gst_holo_host_parent_class)->set_context (element, context);
}

/* ---- numbers ---- */

/* Frames that the asynchronous node @node holds now. */
guint64
gst_holo_host_get_level (GstHoloHost *host, const gchar *node)
{
  g_autoptr (GPtrArray) runs = gst_holo_host_ref_runs (host);
  guint64 level = 0;

  for (guint i = 0; runs != NULL && i < runs->len; i++)
    level += gst_holo_run_get_level (g_ptr_array_index (runs, i), node);
  return level;
}

/* ---- object ---- */

static void
gst_holo_host_set_property (GObject *object, guint property_id, const GValue *value, GParamSpec *pspec)
{
  GstHoloHostPrivate *priv = PRIVATE (GST_HOLO_HOST (object));

  switch (property_id)
    {
    case PROP_DEVICE:
      gst_holo_place_set_name (&priv->place, g_value_get_string (value));
      priv->stale = TRUE;
      break;
    case PROP_PAIRING:
      priv->pairing = g_value_get_enum (value);
      priv->stale = TRUE;
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
      break;
    }
}

static void
gst_holo_host_get_property (GObject *object, guint property_id, GValue *value, GParamSpec *pspec)
{
  GstHoloHostPrivate *priv = PRIVATE (GST_HOLO_HOST (object));

  switch (property_id)
    {
    case PROP_DEVICE:
      g_value_take_string (value, gst_holo_place_dup_name (&priv->place));
      break;
    case PROP_PAIRING:
      g_value_set_enum (value, priv->pairing);
      break;
    case PROP_HOLO_STATS:
      g_value_take_boxed (value, gst_holo_host_get_statistics (GST_HOLO_HOST (object)));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
      break;
    }
}

static void
gst_holo_host_finalize (GObject *object)
{
  GstHoloHostPrivate *priv = PRIVATE (GST_HOLO_HOST (object));

  g_clear_object (&priv->registry);
  gst_holo_host_settings_free (priv->settings);
  g_clear_pointer (&priv->runs, g_ptr_array_unref);
  gst_holo_place_clear (&priv->place);
  gst_holo_preroll_clear (&priv->preroll);
  G_OBJECT_CLASS (gst_holo_host_parent_class)->finalize (object);
}

static void
gst_holo_host_class_init (GstHoloHostClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  object_class->set_property = gst_holo_host_set_property;
  object_class->get_property = gst_holo_host_get_property;
  object_class->finalize = gst_holo_host_finalize;
  element_class->change_state = gst_holo_host_change_state;
  element_class->send_event = gst_holo_host_send_event;
  element_class->set_context = gst_holo_host_set_context;

  g_object_class_install_property (object_class, PROP_DEVICE, gst_holo_place_new_param_spec ());
  g_object_class_install_property (
      object_class, PROP_PAIRING,
      g_param_spec_enum ("pairing", "Pairing", "How frames of several inputs find each other", GST_TYPE_HOLO_PAIRING,
                         GST_HOLO_PAIRING_ORDER, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY));
  g_object_class_install_property (
      object_class, PROP_HOLO_STATS,
      g_param_spec_boxed ("holo-stats", "Statistics",
                          "copies, packed frames, compiled plans, sleeps, unpaired frames, and the numbers of each "
                          "node (times in ns)",
                          GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  gst_type_mark_as_plugin_api (GST_TYPE_HOLO_PAIRING, 0);
}

static void
gst_holo_host_init (GstHoloHost *host)
{
  GstHoloHostPrivate *priv = PRIVATE (host);

  gst_holo_place_init (&priv->place, host);
  priv->plane = GST_HOLO_PLANE_AUTO;
  priv->settings = gst_holo_host_settings_new (host);
  gst_holo_preroll_init (&priv->preroll, host);
}
