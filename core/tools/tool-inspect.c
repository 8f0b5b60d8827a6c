/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tools/tool.h"

#include <stdio.h>

/* ---- the pieces, for both forms ---- */

static gchar *
describe_name (const HoloSlot *slot)
{
  return g_strconcat (slot->name, slot->flags & HOLO_SLOT_OPTIONAL ? " (optional)" : "",
                      slot->flags & HOLO_SLOT_REPEATED ? " (one or more)" : "", NULL);
}

static gchar *
describe_dtypes (const HoloSlot *slot)
{
  return slot->dtypes == HOLO_DTYPES_ALL ? g_strdup ("any") : holo_dtype_mask_to_string (slot->dtypes);
}

/* @by_module: what a module may add, rather than whether one has. */
static gchar *
describe_place (const HoloSlot *slot, gboolean by_module)
{
  gboolean is_deferred =
      slot->flags & HOLO_SLOT_DEVICE_BY_MODULE && (by_module || slot->mem_locs == HOLO_MEM_LOCS_HOST);

  return g_strconcat (is_deferred                            ? "host, and devices whose module has the kind"
                      : slot->mem_locs == HOLO_MEM_LOCS_ANY  ? "host or device"
                      : slot->mem_locs == HOLO_MEM_LOCS_HOST ? "host"
                                                             : "device",
                      slot->flags & HOLO_SLOT_DENSE ? ", dense only" : "", NULL);
}

static gchar *
describe_default (GParamSpec *pspec, const gchar *before)
{
  HoloSettingFlags flags = holo_setting_get_flags (pspec);
  g_autoptr (JsonNode) value = holo_setting_to_json (pspec, g_param_spec_get_default_value (pspec));
  g_autofree gchar *text = holo_json_to_text (value, FALSE);

  return flags & HOLO_SETTING_REQUIRED   ? g_strdup ("required")
         : flags & HOLO_SETTING_NULLABLE ? g_strdup ("may be left out")
                                         : g_strconcat (before, text, NULL);
}

/* The second names, each after @before and before @after. */
static gchar *
describe_aliases (gpointer klass, GParamSpec *pspec, const gchar *before, const gchar *after)
{
  g_auto (GStrv) aliases = holo_settings_list_aliases (klass, pspec->name);
  GString *text = g_string_new (NULL);

  for (guint i = 0; aliases[i] != NULL; i++)
    g_string_append_printf (text, "%s%s%s", before, aliases[i], after);
  return g_string_free (text, FALSE);
}

static gchar *
describe_kind_aliases (const gchar *kind, const gchar *before, const gchar *after)
{
  HoloRegistry *registry = holo_registry_get_default ();
  g_auto (GStrv) names = holo_registry_list_names (registry);
  GString *text = g_string_new (NULL);

  for (guint i = 0; names[i] != NULL; i++)
    if (!g_str_equal (names[i], kind) && g_str_equal (holo_registry_resolve_alias (registry, names[i]), kind))
      g_string_append_printf (text, "%s%s%s", before, names[i], after);
  return g_string_free (text, FALSE);
}

/* ---- for the terminal ---- */

static void
print_slots (const gchar *title, const HoloSlot *slots, guint n)
{
  printf ("\n%s:\n%s", title, n == 0 ? "  none\n" : "");
  for (guint i = 0; i < n; i++)
    {
      g_autofree gchar *name = describe_name (&slots[i]), *dtypes = describe_dtypes (&slots[i]);
      g_autofree gchar *place = describe_place (&slots[i], FALSE);

      printf ("  %u  %s\n", i, name);
      if (slots[i].blurb != NULL)
        printf ("       %s\n", slots[i].blurb);
      printf ("       types: %s\n", dtypes);
      if (slots[i].min_rank == slots[i].max_rank)
        printf ("       rank:  %u\n", slots[i].min_rank);
      else
        printf ("       rank:  %u to %u\n", slots[i].min_rank, slots[i].max_rank);
      printf ("       place: %s\n", place);
    }
}

static void
print_setting (gpointer klass, GParamSpec *pspec)
{
  g_autofree gchar *allowed = holo_setting_describe_allowed (pspec), *value = describe_default (pspec, "default ");
  g_autofree gchar *aliases = describe_aliases (klass, pspec, "; also called ", "");
  const gchar *unit = holo_setting_get_unit (pspec);

  printf ("  %-18s %s%s%s%s\n", g_param_spec_get_name (pspec), g_param_spec_get_blurb (pspec), unit != NULL ? " [" : "",
          unit != NULL ? unit : "", unit != NULL ? "]" : "");
  printf ("  %-18s %s; %s%s%s\n", "", allowed, value,
          holo_setting_get_flags (pspec) & HOLO_SETTING_LIVE ? "; may change while running" : "", aliases);
}

static void
print_kind (const gchar *kind, HoloTaskFactoryClass *klass)
{
  const gchar *description = holo_task_factory_class_get_description (klass);
  const gchar *example = holo_task_factory_class_get_example (klass);
  g_autofree gchar *aliases = describe_kind_aliases (kind, ", also called ", "");
  g_autofree GParamSpec **settings = NULL;
  const HoloSlot *slots;
  guint n;

  printf ("%s%s: %s (%s)\n", kind, aliases, holo_task_factory_class_get_summary (klass),
          holo_task_factory_class_get_task_type (klass) == HOLO_TASK_SYNC ? "synchronous" : "asynchronous");
  if (description != NULL)
    {
      printf ("\n");
      tool_print_wrapped (description);
    }
  slots = holo_task_factory_class_get_inputs (klass, &n);
  print_slots ("Inputs", slots, n);
  slots = holo_task_factory_class_get_outputs (klass, &n);
  print_slots ("Outputs", slots, n);
  settings = holo_settings_list (klass, &n);
  printf ("\nSettings:\n%s", n == 0 ? "  none\n" : "");
  for (guint i = 0; i < n; i++)
    print_setting (klass, settings[i]);
  if (example != NULL)
    printf ("\nExample:\n  \"node\": { \"type\": \"%s\", \"params\": %s }\n", kind, example);
}

/* ---- the page of a kind in docs/tasks/ ---- */

static void
print_slots_markdown (const gchar *title, const HoloSlot *slots, guint n)
{
  printf ("\n## %s\n\n%s", title,
          n == 0 ? "None.\n" : "| slot | name | element types | rank | place | meaning |\n|---|---|---|---|---|---|\n");
  for (guint i = 0; i < n; i++)
    {
      g_autofree gchar *name = describe_name (&slots[i]), *dtypes = describe_dtypes (&slots[i]);
      g_autofree gchar *place = describe_place (&slots[i], TRUE);

      printf ("| %u | %s | %s | %u to %u | %s | %s |\n", i, name, dtypes, slots[i].min_rank, slots[i].max_rank, place,
              slots[i].blurb != NULL ? slots[i].blurb : "");
    }
}

static void
print_setting_markdown (gpointer klass, GParamSpec *pspec)
{
  g_autofree gchar *allowed = holo_setting_describe_allowed (pspec), *value = describe_default (pspec, "");
  g_autofree gchar *aliases = describe_aliases (klass, pspec, " or `", "`");

  printf ("| `%s`%s | %s | %s | %s | %s |\n", g_param_spec_get_name (pspec), aliases, g_param_spec_get_blurb (pspec),
          allowed, value, holo_setting_get_flags (pspec) & HOLO_SETTING_LIVE ? "yes" : "no");
}

static void
print_markdown (const gchar *kind, HoloTaskFactoryClass *klass)
{
  const gchar *description = holo_task_factory_class_get_description (klass);
  const gchar *example = holo_task_factory_class_get_example (klass);
  g_autofree gchar *aliases = describe_kind_aliases (kind, " Graphs may call it `", "` too.");
  g_autofree GParamSpec **settings = NULL;
  const HoloSlot *slots;
  guint n;

  printf ("<!-- Generated by docs/generate.sh from the library; change core/tasks/ instead. -->\n");
  printf ("# %s\n\n%s. %s task.%s\n", kind, holo_task_factory_class_get_summary (klass),
          holo_task_factory_class_get_task_type (klass) == HOLO_TASK_SYNC ? "Synchronous" : "Asynchronous", aliases);
  if (description != NULL)
    printf ("\n%s\n", description);
  slots = holo_task_factory_class_get_inputs (klass, &n);
  print_slots_markdown ("Inputs", slots, n);
  slots = holo_task_factory_class_get_outputs (klass, &n);
  print_slots_markdown ("Outputs", slots, n);
  settings = holo_settings_list (klass, &n);
  printf ("\n## Settings\n\n%s",
          n == 0
              ? "None.\n"
              : "| setting | what it does | allowed | default | may change while running |\n|---|---|---|---|---|\n");
  for (guint i = 0; i < n; i++)
    print_setting_markdown (klass, settings[i]);
  if (example != NULL)
    printf ("\n## Example\n\n```json\n\"node\": { \"type\": \"%s\", \"params\": %s }\n```\n", kind, example);
}

int
tool_inspect (int argc, char **argv)
{
  gboolean json_schema = FALSE, markdown = FALSE;
  const GOptionEntry entries[] = {
    { "json-schema", 0, 0, G_OPTION_ARG_NONE, &json_schema,
      "Print a JSON Schema of the settings (of graph files without KIND)", NULL },
    { "markdown", 0, 0, G_OPTION_ARG_NONE, &markdown, "Print the documentation page of the kind", NULL },
    { NULL, 0, 0, 0, NULL, NULL, NULL },
  };
  HoloRegistry *registry = holo_registry_get_default ();
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) schema = NULL;
  g_autofree gchar *text = NULL;
  GTypeClass *klass;
  GType type;
  int status;

  if (!tool_parse (&argc, &argv, "KIND", "Describes a kind of task.", entries, 1, TRUE, &status))
    return status;
  if (argc < 2 && !json_schema)
    {
      fprintf (stderr, "holoflow inspect: which kind? \"holoflow list\" shows them\n");
      return TOOL_USAGE;
    }
  if (argc < 2)
    schema = holo_graph_get_json_schema (registry);
  else
    {
      type = holo_registry_get_factory_type (registry, argv[1], &error);
      if (type == G_TYPE_INVALID)
        return tool_fail (error);
      klass = g_type_class_ref (type);
      if (json_schema)
        schema = holo_settings_to_json_schema (klass);
      else if (markdown)
        print_markdown (argv[1], HOLO_TASK_FACTORY_CLASS (klass));
      else
        print_kind (argv[1], HOLO_TASK_FACTORY_CLASS (klass));
      g_type_class_unref (klass);
    }
  if (schema != NULL)
    {
      text = holo_json_to_text (schema, TRUE);
      printf ("%s\n", text);
    }
  return TOOL_OK;
}
