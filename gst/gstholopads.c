/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pads of the host, and the Inputs and Outputs of the graph that they stand for. */
#include "gstholohost-private.h"

#define GST_CAT_DEFAULT gst_holo_host_debug

typedef struct
{
  gchar *node;
  GstHoloInput *input;
  GstHoloOutput *output;
} PadLink;

static void
free_pad_link (PadLink *link)
{
  g_free (link->node);
  g_free (link);
}

GstHoloInput *
gst_holo_pad_get_input (GstPad *pad)
{
  return ((PadLink *) gst_pad_get_element_private (pad))->input;
}

GstHoloOutput *
gst_holo_pad_get_output (GstPad *pad)
{
  return ((PadLink *) gst_pad_get_element_private (pad))->output;
}

/* Runs go only after their pads have been unbound. */
GstHoloInput *
gst_holo_pad_ref_input (GstPad *pad, GstObject *parent, GPtrArray **runs)
{
  GstHoloInput *input;

  GST_OBJECT_LOCK (parent);
  input = gst_holo_pad_get_input (pad);
  *runs = input != NULL ? g_ptr_array_ref (gst_holo_host_get_runs (GST_HOLO_HOST (parent))) : NULL;
  GST_OBJECT_UNLOCK (parent);
  return input;
}

GstHoloOutput *
gst_holo_pad_ref_output (GstPad *pad, GstObject *parent, GPtrArray **runs)
{
  GstHoloOutput *output;

  GST_OBJECT_LOCK (parent);
  output = gst_holo_pad_get_output (pad);
  *runs = output != NULL ? g_ptr_array_ref (gst_holo_host_get_runs (GST_HOLO_HOST (parent))) : NULL;
  GST_OBJECT_UNLOCK (parent);
  return output;
}

const gchar *
gst_holo_pad_get_node (GstPad *pad)
{
  return ((PadLink *) gst_pad_get_element_private (pad))->node;
}

static GstHoloInput *
find_input (GstHoloHost *host, const gchar *node)
{
  GPtrArray *runs = gst_holo_host_get_runs (host);

  for (guint r = 0; r < runs->len; r++)
    {
      GstHoloRun *run = g_ptr_array_index (runs, r);

      for (guint i = 0; i < run->inputs->len; i++)
        {
          GstHoloInput *input = g_ptr_array_index (run->inputs, i);

          if (node == NULL ? input->pad == NULL : g_str_equal (input->name, node))
            return input;
        }
    }
  return NULL;
}

static GstHoloOutput *
find_output (GstHoloHost *host, const gchar *node)
{
  GPtrArray *runs = gst_holo_host_get_runs (host);

  for (guint r = 0; r < runs->len; r++)
    {
      GstHoloRun *run = g_ptr_array_index (runs, r);

      for (guint i = 0; i < run->outputs->len; i++)
        {
          GstHoloOutput *output = g_ptr_array_index (run->outputs, i);

          if (node == NULL ? output->pad == NULL : g_str_equal (output->name, node))
            return output;
        }
    }
  return NULL;
}

static void
add_name (GPtrArray *names, const gchar *name)
{
  g_ptr_array_add (names, (gpointer) name);
}

/* Names of the graph's inputs or outputs, for a message. */
static gchar *
list_ends (GstHoloHost *host, GstPadDirection direction)
{
  GPtrArray *runs = gst_holo_host_get_runs (host);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (guint r = 0; r < runs->len; r++)
    {
      GstHoloRun *run = g_ptr_array_index (runs, r);

      for (guint i = 0; direction == GST_PAD_SINK && i < run->inputs->len; i++)
        add_name (names, ((GstHoloInput *) g_ptr_array_index (run->inputs, i))->name);
      for (guint i = 0; direction == GST_PAD_SRC && i < run->outputs->len; i++)
        add_name (names, ((GstHoloOutput *) g_ptr_array_index (run->outputs, i))->name);
    }
  g_ptr_array_add (names, NULL);
  return g_strjoinv (", ", (gchar **) names->pdata);
}

static void
set_link (GstHoloHost *host, PadLink *link, GstHoloInput *input, GstHoloOutput *output)
{
  GST_OBJECT_LOCK (host);
  link->input = input;
  link->output = output;
  GST_OBJECT_UNLOCK (host);
}

static gboolean
bind_pad (GstHoloHost *host, GstPad *pad, GError **error)
{
  PadLink *link = gst_pad_get_element_private (pad);
  gboolean is_sink = GST_PAD_DIRECTION (pad) == GST_PAD_SINK;
  GstHoloInput *input = is_sink ? find_input (host, link->node) : NULL;
  GstHoloOutput *output = is_sink ? NULL : find_output (host, link->node);
  g_autofree gchar *ends = NULL;

  if (input != NULL)
    gst_holo_input_set_pad (input, pad);
  if (output != NULL)
    gst_holo_output_set_pad (output, pad);
  set_link (host, link, input, output);
  if (input == NULL && output == NULL)
    {
      ends = list_ends (host, GST_PAD_DIRECTION (pad));
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_GRAPH, "pad \"%s\" belongs to no node of kind %s; the graph has: %s",
                   GST_PAD_NAME (pad), is_sink ? "Input" : "Output", *ends != '\0' ? ends : "none");
      return FALSE;
    }
  return TRUE;
}

/* (transfer full) */
GList *
gst_holo_host_list_pads (GstHoloHost *host)
{
  GList *pads;

  GST_OBJECT_LOCK (host);
  pads = g_list_copy_deep (GST_ELEMENT_PADS (host), (GCopyFunc) gst_object_ref, NULL);
  GST_OBJECT_UNLOCK (host);
  return pads;
}

/* Pads with a name first: what has none takes an end that is left. */
gboolean
gst_holo_host_bind_pads (GstHoloHost *host, GError **error)
{
  GList *pads = gst_holo_host_list_pads (host);
  gboolean ok = TRUE;

  for (gint named = 1; named >= 0; named--)
    for (GList *item = pads; item != NULL && ok; item = item->next)
      if ((gst_holo_pad_get_node (item->data) != NULL) == named)
        ok = bind_pad (host, item->data, error);
  g_list_free_full (pads, gst_object_unref);
  return ok;
}

void
gst_holo_host_unbind_pads (GstHoloHost *host)
{
  GList *pads = gst_holo_host_list_pads (host);

  for (GList *item = pads; item != NULL; item = item->next)
    set_link (host, gst_pad_get_element_private (item->data), NULL, NULL);
  g_list_free_full (pads, gst_object_unref);
}

/**
 * gst_holo_host_add_pad:
 * @host: the element
 * @templ: template of the pad
 * @pad_name: its name
 * @node: (nullable): the Input or Output it stands for; %NULL takes one that has no pad
 *
 * Returns: (transfer none): the pad, added to the element
 */
GstPad *
gst_holo_host_add_pad (GstHoloHost *host, GstPadTemplate *templ, const gchar *pad_name, const gchar *node)
{
  GstPad *pad = gst_pad_new_from_template (templ, pad_name);
  PadLink *link = g_new0 (PadLink, 1);
  g_autoptr (GError) error = NULL;

  link->node = g_strdup (node);
  gst_pad_set_element_private (pad, link);
  g_object_set_data_full (G_OBJECT (pad), "holo-pad-link", link, (GDestroyNotify) free_pad_link);
  if (GST_PAD_DIRECTION (pad) == GST_PAD_SINK)
    gst_holo_pad_setup_sink (pad);
  else
    gst_holo_pad_setup_src (pad);
  if (gst_holo_host_get_runs (host) != NULL && !bind_pad (host, pad, &error))
    GST_WARNING_OBJECT (host, "%s", error->message);
  if (GST_STATE (host) > GST_STATE_READY || GST_STATE_NEXT (host) == GST_STATE_PAUSED)
    gst_pad_set_active (pad, TRUE);
  gst_element_add_pad (GST_ELEMENT (host), pad);
  return pad;
}

/* While data flows: wakes whoever waits in the pad, waits for it, and leaves the rest of the graph alone. */
void
gst_holo_host_remove_pad (GstHoloHost *host, GstPad *pad)
{
  PadLink *link = gst_pad_get_element_private (pad);

  gst_pad_set_active (pad, FALSE);
  if (link->input != NULL)
    {
      gst_holo_input_set_pad (link->input, NULL);
      gst_holo_input_flush (link->input);
    }
  if (link->output != NULL)
    gst_holo_output_set_pad (link->output, NULL);
  gst_element_remove_pad (GST_ELEMENT (host), pad);
}

/* Whether data that passes one of the two pads may come out of the other. */
static gint
compare_links (gconstpointer item, gconstpointer user_data)
{
  GstPad *other = g_value_get_object (item), *pad = g_value_get_object (user_data);
  GstPad *sink = GST_PAD_DIRECTION (pad) == GST_PAD_SINK ? pad : other;
  GstObject *parent = gst_pad_get_parent (pad);
  g_autoptr (GPtrArray) input_runs = NULL, output_runs = NULL;
  GstHoloOutput *output;
  GstHoloInput *input;
  gboolean linked;

  if (parent == NULL)
    return 1;
  input = gst_holo_pad_ref_input (sink, parent, &input_runs);
  output = gst_holo_pad_ref_output (sink == pad ? other : pad, parent, &output_runs);
  linked = input != NULL && output != NULL && g_ptr_array_find (input->outputs, output, NULL);
  gst_object_unref (parent);
  return linked ? 0 : 1;
}

GstIterator *
gst_holo_host_iterate_links (GstPad *pad, GstObject *parent)
{
  GstIterator *pads = GST_PAD_DIRECTION (pad) == GST_PAD_SINK ? gst_element_iterate_src_pads (GST_ELEMENT (parent))
                                                              : gst_element_iterate_sink_pads (GST_ELEMENT (parent));
  GValue value = G_VALUE_INIT;
  GstIterator *links;

  g_value_init (&value, GST_TYPE_PAD);
  g_value_set_object (&value, pad);
  links = gst_iterator_filter (pads, compare_links, &value);
  g_value_unset (&value);
  return links;
}
