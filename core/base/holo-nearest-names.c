/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/holo-nearest-names-private.h"

#include <string.h>

#define MAX_LENGTH  64 /* longer names are not compared */
#define MAX_ANSWERS 3

typedef struct
{
  const gchar *name;
  guint distance;
} Candidate;

/* Upper and lower case, '_' and '-' do not count: a wrong one is the likeliest mistake. */
static gchar
fold (gchar c)
{
  return c == '_' ? '-' : g_ascii_tolower (c);
}

/* Edit distance where swapping two neighbours is one step. */
static guint
get_distance (const gchar *a, const gchar *b)
{
  gsize n_a = strlen (a), n_b = strlen (b);
  guint rows[3][MAX_LENGTH + 1];

  for (gsize j = 0; j <= n_b; j++)
    rows[0][j] = (guint) j;
  for (gsize i = 1; i <= n_a; i++)
    {
      guint *row = rows[i % 3], *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];

      row[0] = (guint) i;
      for (gsize j = 1; j <= n_b; j++)
        {
          gchar x = fold (a[i - 1]), y = fold (b[j - 1]);

          row[j] = MIN (above[j - 1] + (x != y), MIN (above[j], row[j - 1]) + 1);
          if (i > 1 && j > 1 && x == fold (b[j - 2]) && y == fold (a[i - 2]))
            row[j] = MIN (row[j], two_above[j - 2] + 1);
        }
    }
  return rows[n_a % 3][n_b];
}

static gboolean
begins_with (const gchar *text, const gchar *prefix)
{
  while (*prefix != '\0')
    if (fold (*text++) != fold (*prefix++))
      return FALSE;
  return TRUE;
}

/* A third of the letters may be wrong; the beginning of a longer name is near too. */
static gboolean
is_near (const gchar *name, const gchar *candidate, guint *distance)
{
  gsize length = strlen (name), other = strlen (candidate);

  if (length > MAX_LENGTH || other > MAX_LENGTH)
    return FALSE;
  *distance = get_distance (name, candidate);
  return *distance <= MAX (1, MAX (length, other) / 3) ||
         (MIN (length, other) >= 3 && (begins_with (candidate, name) || begins_with (name, candidate)));
}

static gint
compare_candidates (gconstpointer a, gconstpointer b)
{
  const Candidate *x = a, *y = b;

  return x->distance != y->distance ? (x->distance < y->distance ? -1 : 1) : strcmp (x->name, y->name);
}

/* Those hardly worse than the best; the best alone when nothing but case is wrong. */
static guint
count_best (GArray *sorted)
{
  guint best = g_array_index (sorted, Candidate, 0).distance, limit = best == 0 ? 0 : best + 1, n = 0;

  while (n < MIN (sorted->len, MAX_ANSWERS) && g_array_index (sorted, Candidate, n).distance <= limit)
    n++;
  return n;
}

/**
 * holo_nearest_names:
 * @name: a name that is not known
 * @names: (array zero-terminated=1): the names that are
 *
 * Returns: (transfer full) (nullable): up to three of @names that @name may have been meant to be, the
 *   nearest first, as text for a message: `"FFT2" or "IFFT2"`; %NULL when none is near
 *
 * Since: 0.1
 */
gchar *
holo_nearest_names (const gchar *name, const gchar *const *names)
{
  g_autoptr (GArray) near_names = g_array_new (FALSE, FALSE, sizeof (Candidate));
  GString *text;
  guint n;

  g_return_val_if_fail (name != NULL && names != NULL, NULL);

  for (; *names != NULL; names++)
    {
      Candidate candidate = { *names, 0 };

      if (is_near (name, *names, &candidate.distance))
        g_array_append_val (near_names, candidate);
    }
  if (near_names->len == 0)
    return NULL;
  g_array_sort (near_names, compare_candidates);
  n = count_best (near_names);
  text = g_string_new (NULL);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s\"%s\"",
                            i == 0       ? ""
                            : i + 1 == n ? " or "
                                         : ", ",
                            g_array_index (near_names, Candidate, i).name);
  return g_string_free (text, FALSE);
}

gchar *
_holo_did_you_mean (const gchar *name, const gchar *const *names)
{
  g_autofree gchar *nearest = holo_nearest_names (name, names);

  return nearest != NULL ? g_strdup_printf ("; did you mean %s?", nearest) : g_strdup ("");
}
