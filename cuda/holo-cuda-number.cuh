/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers of every element type into each other, by the rules of core/tensor/holo-convert.c, bit by bit. */
#pragma once

#include "holo-cuda-launch.cuh"

#include <math_constants.h>

/* ---- half: a pattern of bits, as on the host ---- */

struct HoloHalf
{
  uint16_t bits;
};

__device__ inline double
holo_half_to_double (HoloHalf half)
{
  unsigned exponent = (half.bits >> 10) & 31, fraction = half.bits & 1023;
  double magnitude;

  if (exponent == 31)
    magnitude = fraction != 0 ? CUDART_NAN : CUDART_INF;
  else if (exponent == 0)
    magnitude = fraction * 0x1p-24;
  else
    magnitude = ldexp ((double) (1024 + fraction), (int) exponent - 25);
  return half.bits & 0x8000 ? -magnitude : magnitude;
}

__device__ inline HoloHalf
holo_double_to_half (double x)
{
  uint16_t sign = signbit (x) ? 0x8000 : 0;
  double magnitude = fabs (x);
  int exponent;
  HoloHalf half;

  if (x != x)
    half.bits = sign | 0x7e00;
  else if (magnitude >= 65520) /* halfway to what would follow the largest: even is the latter */
    half.bits = sign | 0x7c00;
  else if (magnitude < 0x1p-14)
    half.bits = sign | (uint16_t) rint (magnitude * 0x1p24);
  else
    {
      frexp (magnitude, &exponent);
      half.bits = sign | (uint16_t) (((exponent + 13) << 10) + (int) rint (ldexp (magnitude, 11 - exponent)));
    }
  return half;
}

/* ---- to integers: the nearest that the type holds ---- */

template <typename T> struct HoloLimits;
#define HOLO_LIMITS(type, lowest, highest)                                                                   \
  template <> struct HoloLimits<type>                                                                        \
  {                                                                                                          \
    static constexpr int64_t lo = lowest;                                                                    \
    static constexpr uint64_t hi = highest;                                                                  \
  };
HOLO_LIMITS (uint8_t, 0, UINT8_MAX)
HOLO_LIMITS (int8_t, INT8_MIN, INT8_MAX)
HOLO_LIMITS (uint16_t, 0, UINT16_MAX)
HOLO_LIMITS (int16_t, INT16_MIN, INT16_MAX)
HOLO_LIMITS (uint32_t, 0, UINT32_MAX)
HOLO_LIMITS (int32_t, INT32_MIN, INT32_MAX)
HOLO_LIMITS (uint64_t, 0, UINT64_MAX)
HOLO_LIMITS (int64_t, INT64_MIN, INT64_MAX)

template <typename T>
__device__ inline T
holo_to_integer (int64_t x)
{
  if (x < HoloLimits<T>::lo)
    return (T) HoloLimits<T>::lo;
  return x > 0 && (uint64_t) x > HoloLimits<T>::hi ? (T) HoloLimits<T>::hi : (T) x;
}

template <typename T>
__device__ inline T
holo_to_integer (uint64_t x)
{
  return x > HoloLimits<T>::hi ? (T) HoloLimits<T>::hi : (T) x;
}

template <typename T>
__device__ inline T
holo_to_integer (double x)
{
  if (x != x)
    return 0;
  if (sizeof (T) == 8)
    {
      if (x >= (HoloLimits<T>::lo < 0 ? 0x1p63 : 0x1p64))
        return (T) HoloLimits<T>::hi;
      return x < (double) HoloLimits<T>::lo ? (T) HoloLimits<T>::lo : (T) rint (x);
    }
  x = fmin (fmax (x, (double) HoloLimits<T>::lo), (double) HoloLimits<T>::hi);
  return (T) rint (x);
}

/* Most GPUs are slow at doubles. */
template <typename T>
__device__ inline T
holo_to_integer (float x)
{
  if (sizeof (T) > 2)
    return holo_to_integer<T> ((double) x);
  if (x != x)
    return 0;
  x = fminf (fmaxf (x, (float) HoloLimits<T>::lo), (float) HoloLimits<T>::hi);
  return (T) (int) rintf (x);
}

/* ---- reading and writing elements of a type that is known when the kernel runs ---- */

/* Stores @x, an int64_t, uint64_t, float or double, as @dtype. */
template <typename X>
__device__ inline void
holo_write (char *at, int dtype, bool aligned, X x)
{
  switch (dtype)
    {
    case HOLO_CUDA_U8:
      return holo_store<uint8_t> (at, aligned, holo_to_integer<uint8_t> (x));
    case HOLO_CUDA_I8:
      return holo_store<int8_t> (at, aligned, holo_to_integer<int8_t> (x));
    case HOLO_CUDA_U16:
      return holo_store<uint16_t> (at, aligned, holo_to_integer<uint16_t> (x));
    case HOLO_CUDA_I16:
      return holo_store<int16_t> (at, aligned, holo_to_integer<int16_t> (x));
    case HOLO_CUDA_U32:
      return holo_store<uint32_t> (at, aligned, holo_to_integer<uint32_t> (x));
    case HOLO_CUDA_I32:
      return holo_store<int32_t> (at, aligned, holo_to_integer<int32_t> (x));
    case HOLO_CUDA_U64:
      return holo_store<uint64_t> (at, aligned, holo_to_integer<uint64_t> (x));
    case HOLO_CUDA_I64:
      return holo_store<int64_t> (at, aligned, holo_to_integer<int64_t> (x));
    case HOLO_CUDA_F16:
      return holo_store<HoloHalf> (at, aligned, holo_double_to_half ((double) x));
    case HOLO_CUDA_F32:
      return holo_store<float> (at, aligned, (float) x);
    case HOLO_CUDA_F64:
      return holo_store<double> (at, aligned, (double) x);
    case HOLO_CUDA_CF32:
      return holo_store<float2> (at, aligned, make_float2 ((float) x, 0));
    case HOLO_CUDA_CF64:
      return holo_store<double2> (at, aligned, make_double2 ((double) x, 0));
    }
}

/* A real element as @X, which holds it or is the nearest float. */
template <typename X>
__device__ inline X
holo_read (const char *at, int dtype, bool aligned)
{
  switch (dtype)
    {
    case HOLO_CUDA_U8:
      return (X) holo_load<uint8_t> (at, aligned);
    case HOLO_CUDA_I8:
      return (X) holo_load<int8_t> (at, aligned);
    case HOLO_CUDA_U16:
      return (X) holo_load<uint16_t> (at, aligned);
    case HOLO_CUDA_I16:
      return (X) holo_load<int16_t> (at, aligned);
    case HOLO_CUDA_U32:
      return (X) holo_load<uint32_t> (at, aligned);
    case HOLO_CUDA_I32:
      return (X) holo_load<int32_t> (at, aligned);
    case HOLO_CUDA_U64:
      return (X) holo_load<uint64_t> (at, aligned);
    case HOLO_CUDA_I64:
      return (X) holo_load<int64_t> (at, aligned);
    case HOLO_CUDA_F16:
      return (X) holo_half_to_double (holo_load<HoloHalf> (at, aligned));
    case HOLO_CUDA_F32:
      return (X) holo_load<float> (at, aligned);
    case HOLO_CUDA_F64:
      return (X) holo_load<double> (at, aligned);
    default:
      return 0;
    }
}

__host__ __device__ inline int
holo_dtype_size (int dtype)
{
  switch (dtype)
    {
    case HOLO_CUDA_U8:
    case HOLO_CUDA_I8:
      return 1;
    case HOLO_CUDA_U16:
    case HOLO_CUDA_I16:
    case HOLO_CUDA_F16:
      return 2;
    case HOLO_CUDA_U32:
    case HOLO_CUDA_I32:
    case HOLO_CUDA_F32:
      return 4;
    case HOLO_CUDA_CF64:
      return 16;
    default:
      return 8;
    }
}

/* Byte offsets of element @index, the short way where everything is dense. */
template <int N>
__device__ inline void
holo_find (const HoloCudaLoop &loop, uint64_t index, const int *sizes, int64_t *offsets)
{
  if (loop.is_dense)
    for (int k = 0; k < N; k++)
      offsets[k] = (int64_t) index * sizes[k];
  else
    holo_locate<N> (loop, index, offsets);
}
