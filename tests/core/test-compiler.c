/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the compiler decides: sections, in-place, copies, sharing of memory; and what it refuses, in which words. */
#include <holoflow/holoflow.h>
#include <stdio.h>
#include <string.h>

/* "a:Kind{settings} b:Kind" and "a.0>b.0 b.0>c.1": short for a graph. Settings hold no blanks. */
static HoloGraph *
build (const gchar *nodes, const gchar *edges)
{
  HoloGraph *graph = holo_graph_new ();
  g_auto (GStrv) node_list = g_strsplit (nodes, " ", -1);
  g_auto (GStrv) edge_list = g_strsplit (edges, " ", -1);
  g_autoptr (GError) error = NULL;

  for (guint i = 0; node_list[i] != NULL && *node_list[i] != '\0'; i++)
    {
      g_auto (GStrv) parts = g_strsplit (node_list[i], ":", 2);
      gchar *brace = strchr (parts[1], '{');
      g_autofree gchar *settings = g_strdup (brace != NULL ? brace : "{}");

      if (brace != NULL)
        *brace = '\0';
      holo_graph_add_node_text (graph, parts[0], parts[1], settings);
    }
  for (guint i = 0; edge_list[i] != NULL && *edge_list[i] != '\0'; i++)
    {
      gchar from[32], to[32];
      gint out, in;

      g_assert_cmpint (sscanf (edge_list[i], "%31[^.].%d>%31[^.].%d", from, &out, to, &in), ==, 4);
      holo_graph_link (graph, from, out, to, in, &error);
      g_assert_no_error (error);
    }
  return graph;
}

static HoloPlan *
compile (const gchar *nodes, const gchar *edges)
{
  g_autoptr (HoloGraph) graph = build (nodes, edges);
  g_autoptr (HoloCompiler) compiler = holo_compiler_new (NULL);
  g_autoptr (GError) error = NULL;
  HoloPlan *plan = holo_compiler_compile (compiler, graph, NULL, &error);

  g_assert_no_error (error);
  return plan;
}

static void
assert_refused (const gchar *nodes, const gchar *edges, const gchar *const *words)
{
  g_autoptr (HoloGraph) graph = build (nodes, edges);
  g_autoptr (HoloCompiler) compiler = holo_compiler_new (NULL);
  g_autoptr (GError) error = NULL;

  g_assert_null (holo_compiler_compile (compiler, graph, NULL, &error));
  g_assert_nonnull (error);
  g_assert_cmpuint (error->domain, ==, HOLO_ERROR);
  for (guint i = 0; words[i] != NULL; i++)
    if (strstr (error->message, words[i]) == NULL)
      g_error ("\"%s\" is not in the message: %s", words[i], error->message);
}
#define WORDS(...) ((const gchar *const[]){ __VA_ARGS__, NULL })

static void
assert_plan_says (HoloPlan *plan, const gchar *words)
{
  g_autofree gchar *text = holo_plan_to_text (plan);

  if (strstr (text, words) == NULL)
    g_error ("\"%s\" is not in the plan:\n%s", words, text);
}

static JsonObject *
get_tensor (JsonNode *root, const gchar *producer)
{
  JsonArray *tensors = json_object_get_array_member (json_node_get_object (root), "tensors");

  for (guint i = 0; i < json_array_get_length (tensors); i++)
    {
      JsonObject *tensor = json_array_get_object_element (tensors, i);

      if (g_str_equal (json_object_get_string_member (tensor, "producer"), producer))
        return tensor;
    }
  g_assert_not_reached ();
}

static gboolean
shares (HoloPlan *plan, const gchar *producer)
{
  g_autoptr (JsonNode) root = holo_plan_to_json (plan);

  return json_object_get_boolean_member (get_tensor (root, producer), "shares");
}

#define SOURCE "src:Sequence{\"shape\":[4,4],\"dtype\":\"F32\",\"count\":3}"

/* ---- sections ---- */

static void
test_sections (void)
{
  g_autoptr (HoloPlan) plan =
      compile (SOURCE " q1:Queue a:Sqrt q2:Queue b:Sqrt", "src.0>q1.0 q1.0>a.0 a.0>q2.0 q2.0>b.0");
  guint a, q1;

  g_assert_cmpuint (holo_plan_get_n_sections (plan), ==, 3);
  g_assert_true (holo_plan_find_node (plan, "a", &a));
  g_assert_true (holo_plan_find_node (plan, "q1", &q1));
  g_assert_cmpint (holo_plan_get_node_section (plan, q1, TRUE), ==, holo_plan_get_node_section (plan, a, FALSE));
  g_assert_cmpint (holo_plan_get_node_section (plan, q1, FALSE), !=, holo_plan_get_node_section (plan, q1, TRUE));
}

static void
test_adjacent_queues_get_a_forwarding_section (void)
{
  g_autoptr (HoloPlan) plan =
      compile (SOURCE " q1:Queue q2:Queue q3:Queue b:Sqrt", "src.0>q1.0 q1.0>q2.0 q2.0>q3.0 q3.0>b.0");

  g_assert_cmpuint (holo_plan_get_n_sections (plan), ==, 4);
  assert_plan_says (plan, "forwards");
  g_assert_cmpuint (holo_plan_get_n_copies (plan), ==, 0);
}

static void
test_bypass_is_refused (void)
{
  assert_refused (SOURCE " q:Queue add:Add", "src.0>q.0 q.0>add.0 src.0>add.1",
                  WORDS ("\"q\"", "Queue", "\"src\":0 -> \"add\":1"));
  assert_refused (SOURCE " q1:Queue a:Sqrt q2:Queue add:Add", "src.0>q1.0 q1.0>a.0 a.0>q2.0 q2.0>add.0 src.0>add.1",
                  WORDS ("\"q1\"", "\"q2\"", "\"src\":0 -> \"add\":1"));
}

static void
test_bypass_with_queue_is_accepted (void)
{
  g_autoptr (HoloPlan) plan =
      compile (SOURCE " q1:Queue q2:Queue add:Add", "src.0>q1.0 q1.0>add.0 src.0>q2.0 q2.0>add.1");

  g_assert_cmpuint (holo_plan_get_n_sections (plan), ==, 2);
}

/* ---- refusals ---- */

static void
test_refusals (void)
{
  assert_refused ("a:Sqrt b:Sqrt", "a.0>b.0 b.0>a.0", WORDS ("cycle", "\"a\"", "\"b\""));
  assert_refused ("a:Sqrt", "a.0>a.0", WORDS ("cycle", "\"a\""));
  assert_refused ("q:Queue", "q.0>q.0", WORDS ("cycle", "\"q\""));
  assert_refused (SOURCE " a:Sqrt", "src.5>a.0", WORDS ("\"src\"", "no output 5", "1 output"));
  assert_refused (SOURCE " a:Sqrt", "src.0>a.-1", WORDS ("\"a\"", "-1"));
  assert_refused (SOURCE " a:Sqrt", "src.0>a.3", WORDS ("\"a\"", "numbered 0 to 0"));
  assert_refused (SOURCE " a:Sqrt", "src.0>a.0 src.0>a.0", WORDS ("input 0", "\"a\""));
  assert_refused (SOURCE " a:Add", "src.0>a.0", WORDS ("\"a\" (Add)", "input 1", "not connected"));
  assert_refused (SOURCE " a:Sqrt", "", WORDS ("\"a\" (Sqrt)", "not connected"));
  assert_refused (SOURCE " a:Sqrrt", "src.0>a.0", WORDS ("/nodes/a/type: ", "\"Sqrt\""));
  assert_refused (SOURCE " a:FFT2", "src.0>a.0", WORDS ("\"a\" (FFT2)", "CF32", "F32[4,4]"));
  assert_refused ("a:Queue{\"capacity\":0}", "", WORDS ("/nodes/a/params/capacity", "0"));
  assert_refused ("a:Queue{\"capacitee\":3}", "", WORDS ("/nodes/a/params", "capacitee", "capacity"));
  assert_refused ("src:Sequence{\"shape\":[9223372036854775807,4],\"dtype\":\"F32\"}", "", WORDS ("src"));
}

static void
test_long_chain_compiles (void)
{
  g_autoptr (HoloGraph) graph = build (SOURCE, "");
  g_autoptr (HoloCompiler) compiler = holo_compiler_new (NULL);
  g_autoptr (HoloPlan) plan = NULL;
  g_autoptr (HoloScheduler) scheduler = NULL;
  g_autoptr (GError) error = NULL;
  guint last = 0;
  gint64 start = g_get_monotonic_time ();

  for (guint i = 0; i < 10000; i++)
    {
      g_autofree gchar *name = g_strdup_printf ("n%05u", i);
      guint node = holo_graph_add_node_text (graph, name, "Sqrt", "{}");

      holo_graph_add_edge (graph, last, 0, node, 0);
      last = node;
    }
  plan = holo_compiler_compile (compiler, graph, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (holo_plan_get_n_sections (plan), ==, 1);
  g_assert_cmpuint (holo_plan_get_n_storages (plan), ==, 1);
  scheduler = holo_scheduler_new (plan);
  g_assert_true (holo_scheduler_start (scheduler, &error));
  g_assert_true (holo_scheduler_wait (scheduler, &error));
  g_assert_no_error (error);
  g_assert_cmpint (g_get_monotonic_time () - start, <, 30 * G_USEC_PER_SEC);
}

/* ---- in place ---- */

static void
test_chain_is_in_place (void)
{
  g_autoptr (HoloPlan) plan = compile (SOURCE " a:Sqrt b:Sqrt c:Sqrt", "src.0>a.0 a.0>b.0 b.0>c.0");

  g_assert_true (shares (plan, "a"));
  g_assert_true (shares (plan, "b"));
  g_assert_true (shares (plan, "c"));
  g_assert_cmpuint (holo_plan_get_n_storages (plan), ==, 1);
}

/* A reader beside the writer runs first, whatever the order of the edges. */
static void
test_readers_run_before_the_writer (void)
{
  static const gchar *const edges[] = { "src.0>a.0 src.0>r.0 r.0>x.0", "src.0>r.0 src.0>a.0 r.0>x.0" };

  for (guint i = 0; i < G_N_ELEMENTS (edges); i++)
    {
      g_autoptr (HoloPlan) plan =
          compile (SOURCE " a:Sqrt r:Conversion{\"target\":\"U8\",\"strategy\":\"Real\"} x:Queue", edges[i]);
      g_autofree gchar *text = holo_plan_to_text (plan);

      g_assert_true (shares (plan, "a"));
      g_assert_true (strstr (text, "execute \"r\"") < strstr (text, "execute \"a\""));
    }
}

/* Two writers of one tensor: only one of them may be the last. */
static void
test_two_writers (void)
{
  g_autoptr (HoloPlan) plan = compile (SOURCE " a:Sqrt b:Sqrt", "src.0>a.0 src.0>b.0");

  g_assert_cmpint (shares (plan, "a") + shares (plan, "b"), ==, 1);
  assert_plan_says (plan, "not in place: \"");
}

/* The writer's own result is needed by the other reader: it cannot run after it. */
static void
test_reader_behind_the_writer (void)
{
  g_autoptr (HoloPlan) plan = compile (SOURCE " a:Sqrt add:Add", "src.0>a.0 src.0>add.0 a.0>add.1");

  g_assert_false (shares (plan, "a"));
  assert_plan_says (plan, "\"add\" still reads the input afterwards");
}

/* A view is another name for the same memory. */
static void
test_reader_through_a_view (void)
{
  g_autoptr (HoloPlan) plan =
      compile (SOURCE " v:Reshape{\"shape\":[16]} a:Sqrt b:Abs q:Queue", "src.0>v.0 v.0>q.0 src.0>a.0 v.0>b.0");

  g_assert_true (shares (plan, "v"));
  g_assert_false (shares (plan, "a"));
  g_assert_false (shares (plan, "b"));
  assert_plan_says (plan, "\"q\" still reads");
}

static void
test_same_tensor_twice (void)
{
  g_autoptr (HoloPlan) plan = compile (SOURCE " add:Add", "src.0>add.0 src.0>add.1");

  g_assert_false (shares (plan, "add"));
}

static void
test_input_is_read_only (void)
{
  g_autoptr (HoloPlan) plan =
      compile ("in:Input{\"dtype\":\"F32\",\"shape\":[4]} a:Sqrt out:Output", "in.0>a.0 a.0>out.0");
  g_autoptr (HoloPlan) writable =
      compile ("in:Input{\"dtype\":\"F32\",\"shape\":[4],\"writable\":true} a:Sqrt out:Output", "in.0>a.0 a.0>out.0");

  g_assert_false (shares (plan, "a"));
  g_assert_true (shares (writable, "a"));
}

/* What comes out of a queue may be overwritten if nobody else holds it, and never if an application's memory went in. */
static void
test_in_place_behind_a_queue (void)
{
  g_autoptr (HoloPlan) alone = compile (SOURCE " q:Queue a:Sqrt", "src.0>q.0 q.0>a.0");
  g_autoptr (HoloPlan) two = compile (SOURCE " q:Queue p:Queue a:Sqrt b:Sqrt", "src.0>q.0 src.0>p.0 q.0>a.0 p.0>b.0");
  g_autoptr (HoloPlan) lent =
      compile ("in:Input{\"dtype\":\"F32\",\"shape\":[4]} q:Queue a:Sqrt out:Output", "in.0>q.0 q.0>a.0 a.0>out.0");

  g_assert_true (shares (alone, "a"));
  g_assert_false (shares (two, "a"));
  g_assert_false (shares (two, "b"));
  g_assert_false (shares (lent, "a"));
}

/* ---- copies ---- */

static void
test_two_owners_get_a_copy (void)
{
  g_autoptr (HoloPlan) slots = compile ("src:Sequence{\"shape\":[1,4],\"dtype\":\"F32\",\"count\":3} "
                                        "a:BatchQueue{\"target_capacity\":4,\"output_size\":1,\"output_stride\":1} "
                                        "b:BatchQueue{\"target_capacity\":4,\"output_size\":1,\"output_stride\":1}",
                                        "src.0>a.0 src.0>b.0");
  g_autoptr (HoloPlan) ring =
      compile ("src:Sequence{\"shape\":[1,4],\"dtype\":\"F32\",\"count\":3} "
               "a:BatchQueue{\"target_capacity\":4,\"output_size\":1,\"output_stride\":1} out:Output",
               "src.0>a.0 a.0>out.0");

  g_assert_cmpuint (holo_plan_get_n_copies (slots), ==, 1);
  assert_plan_says (slots, "two owners: \"b\"");
  g_assert_cmpuint (holo_plan_get_n_copies (ring), ==, 1);
  assert_plan_says (ring, "two owners: \"out\"");
}

/* A task between two owners writes into the second one's memory: no copy. */
static void
test_no_copy_where_a_task_moves_the_data (void)
{
  g_autoptr (HoloPlan) plan =
      compile ("src:Sequence{\"shape\":[1,4],\"dtype\":\"F32\",\"count\":3} "
               "a:BatchQueue{\"target_capacity\":4,\"output_size\":1,\"output_stride\":1} s:Sqrt out:Output",
               "src.0>a.0 a.0>s.0 s.0>out.0");

  g_assert_cmpuint (holo_plan_get_n_copies (plan), ==, 0);
  g_assert_false (shares (plan, "s"));
}

/* ---- sharing ---- */

static void
test_lifetimes_share_memory (void)
{
  const gchar *nodes =
      "src:Sequence{\"shape\":[64],\"dtype\":\"F32\",\"count\":3} "
      "a:Conversion{\"target\":\"F64\"} b:Conversion{\"target\":\"F32\"} c:Conversion{\"target\":\"F64\"} "
      "d:Conversion{\"target\":\"F32\"}";
  g_autoptr (HoloGraph) graph = build (nodes, "src.0>a.0 a.0>b.0 b.0>c.0 c.0>d.0");
  g_autoptr (HoloCompiler) compiler = holo_compiler_new (NULL);
  g_autoptr (HoloPlan) shared = NULL, apart = NULL;
  g_autoptr (GError) error = NULL;

  holo_compiler_set_in_place (compiler, FALSE);
  shared = holo_compiler_compile (compiler, graph, NULL, &error);
  g_assert_no_error (error);
  holo_compiler_set_storage_sharing (compiler, FALSE);
  apart = holo_compiler_compile (compiler, graph, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (holo_plan_get_peak_bytes (apart, HOLO_MEM_LOC_HOST), ==, 64 * (4 + 8 + 4 + 8 + 4));
  g_assert_cmpuint (holo_plan_get_peak_bytes (shared, HOLO_MEM_LOC_HOST), <, 64 * (4 + 8 + 4 + 8 + 4));
}

static void
test_zero_sizes_are_legal (void)
{
  g_autoptr (HoloPlan) plan = compile (
      "src:Sequence{\"shape\":[0,8],\"dtype\":\"F32\",\"count\":2} a:Sqrt q:Queue b:Sqrt", "src.0>a.0 a.0>q.0 q.0>b.0");
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);
  g_autoptr (GError) error = NULL;

  g_assert_true (holo_scheduler_start (scheduler, &error));
  g_assert_true (holo_scheduler_wait (scheduler, &error));
  g_assert_no_error (error);
}

static void
test_check_without_tensors (void)
{
  g_autoptr (HoloGraph) good = build ("in:Input a:Sqrt out:Output", "in.0>a.0 a.0>out.0");
  g_autoptr (HoloGraph) bad = build ("in:Input a:Sqrtt out:Output", "in.0>a.0 a.0>out.0");
  g_autoptr (HoloCompiler) compiler = holo_compiler_new (NULL);
  g_autoptr (GError) error = NULL;

  g_assert_true (holo_compiler_check (compiler, good, &error));
  g_assert_no_error (error);
  g_assert_false (holo_compiler_check (compiler, bad, &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_UNKNOWN_KIND);
}

/* ---- what an update of the graph would do ---- */

/* A Sqrt holds nothing from one frame to the next: there is nothing to say of it. */
static void
test_states_in_the_text (void)
{
  g_autoptr (HoloPlan) plan = compile (SOURCE " q:Queue a:Sqrt limit:RateLimiter{\"max-fps\":25} b:Sqrt",
                                       "src.0>q.0 q.0>a.0 a.0>limit.0 limit.0>b.0");
  g_autofree gchar *text = holo_plan_to_text (plan);

  g_assert_cmpstr (
      strstr (text, "an update of the graph"), ==,
      "an update of the graph and what nodes hold:\n"
      "  \"src\" (Sequence): kept while nothing of the node changes; otherwise it starts anew\n"
      "  \"q\" (Queue): kept while nothing of the node changes, and while only these change: capacity, leaky;"
      " otherwise drained first\n"
      "  \"limit\" (RateLimiter): kept while nothing of the node changes, and while only these change: max-fps;"
      " otherwise drained first\n");
}

#define ADD(path, func) g_test_add_func ("/holo/compiler/" path, func)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("sections", test_sections);
  ADD ("adjacent-queues-get-a-forwarding-section", test_adjacent_queues_get_a_forwarding_section);
  ADD ("bypass-is-refused", test_bypass_is_refused);
  ADD ("bypass-with-queue-is-accepted", test_bypass_with_queue_is_accepted);
  ADD ("refusals", test_refusals);
  ADD ("long-chain-compiles", test_long_chain_compiles);
  ADD ("chain-is-in-place", test_chain_is_in_place);
  ADD ("readers-run-before-the-writer", test_readers_run_before_the_writer);
  ADD ("two-writers", test_two_writers);
  ADD ("reader-behind-the-writer", test_reader_behind_the_writer);
  ADD ("reader-through-a-view", test_reader_through_a_view);
  ADD ("same-tensor-twice", test_same_tensor_twice);
  ADD ("input-is-read-only", test_input_is_read_only);
  ADD ("in-place-behind-a-queue", test_in_place_behind_a_queue);
  ADD ("two-owners-get-a-copy", test_two_owners_get_a_copy);
  ADD ("no-copy-where-a-task-moves-the-data", test_no_copy_where_a_task_moves_the_data);
  ADD ("lifetimes-share-memory", test_lifetimes_share_memory);
  ADD ("zero-sizes-are-legal", test_zero_sizes_are_legal);
  ADD ("check-without-tensors", test_check_without_tensors);
  ADD ("states-in-the-text", test_states_in_the_text);
  return g_test_run ();
}
