/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tools/tool.h"

#include <stdio.h>

static void
print_slots (const gchar *title, const HoloSlot *slots, guint n)
{
  printf ("\n%s:\n", title);
  if (n == 0)
    printf ("  none\n");
  for (guint i = 0; i < n; i++)
    {
      g_autofree gchar *dtypes = holo_dtype_mask_to_string (slots[i].dtypes);

      printf ("  %u  %s%s%s\n", i, slots[i].name, slots[i].flags & HOLO_SLOT_OPTIONAL ? " (optional)" : "",
              slots[i].flags & HOLO_SLOT_REPEATED ? " (one or more)" : "");
      if (slots[i].blurb != NULL)
        printf ("       %s\n", slots[i].blurb);
      printf ("       types: %s\n", slots[i].dtypes == HOLO_DTYPES_ALL ? "any" : dtypes);
      if (slots[i].min_rank == slots[i].max_rank)
        printf ("       rank:  %u\n", slots[i].min_rank);
      else
        printf ("       rank:  %u to %u\n", slots[i].min_rank, slots[i].max_rank);
      printf ("       place: %s%s\n",
              slots[i].mem_locs == HOLO_MEM_LOCS_ANY    ? "host or device"
              : slots[i].mem_locs == HOLO_MEM_LOCS_HOST ? "host"
                                                        : "device",
              slots[i].flags & HOLO_SLOT_DENSE ? ", dense only" : "");
    }
}

static void
print_setting (GParamSpec *pspec)
{
  HoloSettingFlags flags = holo_setting_get_flags (pspec);
  g_autoptr (JsonNode) value = holo_setting_to_json (pspec, g_param_spec_get_default_value (pspec));
  g_autofree gchar *default_text = value != NULL ? holo_json_to_text (value, FALSE) : NULL;
  g_autofree gchar *allowed = holo_setting_describe_allowed (pspec);
  const gchar *unit = holo_setting_get_unit (pspec);

  printf ("  %-18s %s%s%s%s\n", g_param_spec_get_name (pspec), g_param_spec_get_blurb (pspec), unit != NULL ? " [" : "",
          unit != NULL ? unit : "", unit != NULL ? "]" : "");
  printf ("  %-18s %s", "", allowed);
  if (flags & HOLO_SETTING_REQUIRED)
    printf ("; required");
  else if (flags & HOLO_SETTING_NULLABLE)
    printf ("; may be left out");
  else
    printf ("; default %s", default_text != NULL ? default_text : "none");
  if (flags & HOLO_SETTING_LIVE)
    printf ("; may change while running");
  printf ("\n");
}

static void
print_kind (const gchar *kind, HoloTaskFactoryClass *klass)
{
  const gchar *description = holo_task_factory_class_get_description (klass);
  const gchar *example = holo_task_factory_class_get_example (klass);
  g_autofree GParamSpec **settings = NULL;
  const HoloSlot *slots;
  guint n;

  printf ("%s: %s (%s)\n", kind, holo_task_factory_class_get_summary (klass),
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
  printf ("\nSettings:\n");
  settings = holo_settings_list (klass, &n);
  for (guint i = 0; i < n; i++)
    print_setting (settings[i]);
  if (n == 0)
    printf ("  none\n");
  if (example != NULL)
    printf ("\nExample:\n  \"node\": { \"type\": \"%s\", \"params\": %s }\n", kind, example);
}

static void
print_slots_markdown (const gchar *title, const HoloSlot *slots, guint n)
{
  printf ("\n## %s\n\n", title);
  if (n == 0)
    {
      printf ("None.\n");
      return;
    }
  printf ("| slot | name | element types | rank | place | meaning |\n|---|---|---|---|---|---|\n");
  for (guint i = 0; i < n; i++)
    {
      g_autofree gchar *dtypes = holo_dtype_mask_to_string (slots[i].dtypes);

      printf ("| %u | %s%s%s | %s | %u to %u | %s%s | %s |\n", i, slots[i].name,
              slots[i].flags & HOLO_SLOT_OPTIONAL ? " (optional)" : "",
              slots[i].flags & HOLO_SLOT_REPEATED ? " (one or more)" : "",
              slots[i].dtypes == HOLO_DTYPES_ALL ? "any" : dtypes, slots[i].min_rank, slots[i].max_rank,
              slots[i].mem_locs == HOLO_MEM_LOCS_ANY    ? "host or device"
              : slots[i].mem_locs == HOLO_MEM_LOCS_HOST ? "host"
                                                        : "device",
              slots[i].flags & HOLO_SLOT_DENSE ? ", dense only" : "", slots[i].blurb != NULL ? slots[i].blurb : "");
    }
}

static void
print_setting_markdown (GParamSpec *pspec)
{
  HoloSettingFlags flags = holo_setting_get_flags (pspec);
  g_autoptr (JsonNode) value = holo_setting_to_json (pspec, g_param_spec_get_default_value (pspec));
  g_autofree gchar *default_text = value != NULL ? holo_json_to_text (value, FALSE) : NULL;
  g_autofree gchar *allowed = holo_setting_describe_allowed (pspec);

  printf ("| `%s` | %s | %s | %s | %s |\n", g_param_spec_get_name (pspec), g_param_spec_get_blurb (pspec), allowed,
          flags & HOLO_SETTING_REQUIRED   ? "required"
          : flags & HOLO_SETTING_NULLABLE ? "may be left out"
          : default_text != NULL          ? default_text
                                          : "",
          flags & HOLO_SETTING_LIVE ? "yes" : "no");
}

/* The page of a kind in docs/tasks/. */
static void
print_markdown (const gchar *kind, HoloTaskFactoryClass *klass)
{
  const gchar *description = holo_task_factory_class_get_description (klass);
  const gchar *example = holo_task_factory_class_get_example (klass);
  g_autofree GParamSpec **settings = NULL;
  const HoloSlot *slots;
  guint n;

  printf ("<!-- Generated by docs/generate.sh from the library; change core/tasks/ instead. -->\n");
  printf ("# %s\n\n%s. %s task.\n", kind, holo_task_factory_class_get_summary (klass),
          holo_task_factory_class_get_task_type (klass) == HOLO_TASK_SYNC ? "Synchronous" : "Asynchronous");
  if (description != NULL)
    printf ("\n%s\n", description);
  slots = holo_task_factory_class_get_inputs (klass, &n);
  print_slots_markdown ("Inputs", slots, n);
  slots = holo_task_factory_class_get_outputs (klass, &n);
  print_slots_markdown ("Outputs", slots, n);
  settings = holo_settings_list (klass, &n);
  printf ("\n## Settings\n\n");
  if (n > 0)
    printf ("| setting | what it does | allowed | default | may change while running |\n|---|---|---|---|---|\n");
  else
    printf ("None.\n");
  for (guint i = 0; i < n; i++)
    print_setting_markdown (settings[i]);
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
