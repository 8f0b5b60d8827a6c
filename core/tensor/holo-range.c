/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tensor/holo-range.h"

#include <math.h>

#define LANES 64

/* Independent lanes, because a single minimum would make each element wait for the one before; so many that the loop
 * over them stays a loop, which compilers make vectors of. */
#define DEFINE_RANGE(name, type, abs_func, largest)                                                                    \
  static void name (const type *in, gsize n, gdouble *lo, gdouble *hi)                                                 \
  {                                                                                                                    \
    type lows[LANES], highs[LANES];                                                                                    \
    gsize done = 0;                                                                                                    \
                                                                                                                       \
    for (guint lane = 0; lane < LANES; lane++)                                                                         \
      {                                                                                                                \
        lows[lane] = INFINITY;                                                                                         \
        highs[lane] = -INFINITY;                                                                                       \
      }                                                                                                                \
    for (; done < n; done += LANES)                                                                                    \
      {                                                                                                                \
        const type *src = in + done;                                                                                   \
        guint m = (guint) MIN (n - done, LANES);                                                                       \
                                                                                                                       \
        HOLO_INDEPENDENT                                                                                               \
        for (guint lane = 0; lane < m; lane++)                                                                         \
          {                                                                                                            \
            type x = src[lane], size = abs_func (x);                                                                   \
            type low = size <= largest ? x : (type) INFINITY;                                                          \
            type high = size <= largest ? x : (type) -INFINITY;                                                        \
                                                                                                                       \
            lows[lane] = low < lows[lane] ? low : lows[lane];                                                          \
            highs[lane] = high > highs[lane] ? high : highs[lane];                                                     \
          }                                                                                                            \
      }                                                                                                                \
    for (guint lane = 0; lane < LANES; lane++)                                                                         \
      {                                                                                                                \
        *lo = MIN (lows[lane], *lo);                                                                                   \
        *hi = MAX (highs[lane], *hi);                                                                                  \
      }                                                                                                                \
  }

DEFINE_RANGE (widen_f32, gfloat, fabsf, G_MAXFLOAT)
DEFINE_RANGE (widen_f64, gdouble, fabs, G_MAXDOUBLE)

static void
widen (gpointer user_data, gpointer out, gconstpointer const *in, gsize n)
{
  HoloRange *range = user_data;

  if (range->dtype == HOLO_DTYPE_F32)
    widen_f32 (in[0], n, &range->lo, &range->hi);
  else
    widen_f64 (in[0], n, &range->lo, &range->hi);
}

void
_holo_range_init (HoloRange *range, const HoloTensorDesc *desc)
{
  range->dtype = desc->dtype == HOLO_DTYPE_F32 ? HOLO_DTYPE_F32 : HOLO_DTYPE_F64;
  _holo_loop_init (&range->loop, widen, NULL, desc, NULL);
  _holo_loop_convert_input (&range->loop, 0, desc->dtype, range->dtype);
}

void
_holo_range_find (HoloRange *range, gconstpointer data)
{
  range->lo = INFINITY;
  range->hi = -INFINITY;
  _holo_loop_run (&range->loop, range, NULL, data, NULL);
  if (range->lo > range->hi)
    range->lo = range->hi = 0;
}
