/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A graph with a node Input and a node Output, run on one picture, without GStreamer. */

#include <holoflow/holoflow.h>
#include <stdio.h>
#include <string.h>

/* Reads an 8-bit binary PGM without comments into a tensor [height, width]. */
static gboolean
read_pgm (const gchar *path, HoloFrame *frame, GError **error)
{
  g_autofree gchar *text = NULL;
  guint width = 0, height = 0;
  gsize size, length;
  gint header = 0;
  HoloTensorDesc desc;

  if (!g_file_get_contents (path, &text, &length, error))
    return FALSE;
  sscanf (text, "P5 %5u %5u 255%*1[ \t\r\n]%n", &width, &height, &header);
  size = (gsize) width * height;
  if (header == 0 || size == 0 || length - (gsize) header != size)
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_FILE, "%s is not a whole 8-bit binary PGM picture", path);
      return FALSE;
    }
  holo_tensor_desc_init (&desc, HOLO_DTYPE_U8, HOLO_MEM_LOC_HOST, 2, (const gint64[]){ height, width });
  if (!holo_frame_init_alloc (frame, &desc, error))
    return FALSE;
  memcpy (holo_frame_get_data (frame), text + header, size);
  return TRUE;
}

static gboolean
write_pgm (const gchar *path, const HoloFrame *frame, GError **error)
{
  const gint64 *shape = frame->desc.shape;
  g_autoptr (GString) text = g_string_new (NULL);

  g_string_printf (text, "P5\n%d %d\n255\n", (gint) shape[1], (gint) shape[0]);
  g_string_append_len (text, holo_frame_get_data (frame), (gssize) (shape[0] * shape[1]));
  return g_file_set_contents (path, text->str, (gssize) text->len, error);
}

/* Graph and layout of the picture -> plan -> a run of one frame in, one frame out. */
static gboolean
run_graph (const gchar *path, HoloFrame *in, HoloFrame *out, GError **error)
{
  g_autoptr (HoloGraph) graph = holo_graph_new_from_file (path, error);
  g_autoptr (HoloCompiler) compiler = holo_compiler_new (holo_registry_get_default ());
  g_autoptr (HoloScheduler) scheduler = NULL;
  g_autoptr (HoloPlan) plan = NULL;
  g_autoptr (HoloEnd) input = NULL;
  g_autoptr (HoloEnd) output = NULL;
  gboolean ok;

  if (graph == NULL)
    return FALSE;
  holo_compiler_set_input_desc (compiler, "Input", &in->desc);
  plan = holo_compiler_compile (compiler, graph, NULL, error);
  if (plan == NULL)
    return FALSE;
  scheduler = holo_scheduler_new (plan);
  input = holo_scheduler_get_input (scheduler, "Input", error);
  output = input != NULL ? holo_scheduler_get_output (scheduler, "Output", error) : NULL;
  if (output == NULL)
    return FALSE;
  ok = holo_scheduler_start (scheduler, error) && holo_end_push (input, in, NULL, error) == HOLO_OP_OK &&
       holo_end_push_end (input, error) == HOLO_OP_OK && holo_end_pull (output, out, NULL, error) == HOLO_OP_OK;
  if (!ok)
    holo_scheduler_stop (scheduler);
  return holo_scheduler_wait (scheduler, ok ? error : NULL) && ok;
}

int
main (int argc, char **argv)
{
  g_auto (HoloFrame) in = HOLO_FRAME_INIT, out = HOLO_FRAME_INIT;
  g_autoptr (GError) error = NULL;

  if (argc != 4)
    g_printerr ("Usage: %s GRAPH.json IN.pgm OUT.pgm\n", argv[0]);
  else if (read_pgm (argv[2], &in, &error) && run_graph (argv[1], &in, &out, &error) &&
           write_pgm (argv[3], &out, &error))
    return 0;
  else
    g_printerr ("embed: %s\n", error != NULL ? error->message : "the graph ended without a picture");
  return argc == 4 ? 1 : 2;
}
