/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "holo-cuda-number.cuh"

/* Of a complex number: what becomes a real one. */
enum
{
  PART_REAL,
  PART_MODULUS,
  PART_ARGUMENT,
};

/* ---- one element, by type of the input ---- */

template <typename In> struct Reader /* integers */
{
  __device__ static void
  convert (const char *in, bool in_aligned, char *out, int dtype, bool aligned, int part)
  {
    In x = holo_load<In> (in, in_aligned);

    if (dtype == HOLO_CUDA_F32)
      holo_store<float> (out, aligned, (float) x);
    else if (HoloLimits<In>::lo == 0)
      holo_write (out, dtype, aligned, (uint64_t) x);
    else
      holo_write (out, dtype, aligned, (int64_t) x);
  }
};

template <> struct Reader<HoloHalf>
{
  __device__ static void
  convert (const char *in, bool in_aligned, char *out, int dtype, bool aligned, int part)
  {
    HoloHalf x = holo_load<HoloHalf> (in, in_aligned);

    if (dtype == HOLO_CUDA_F16)
      holo_store<HoloHalf> (out, aligned, x);
    else
      holo_write (out, dtype, aligned, holo_half_to_double (x));
  }
};

template <> struct Reader<float>
{
  __device__ static void
  convert (const char *in, bool in_aligned, char *out, int dtype, bool aligned, int part)
  {
    holo_write (out, dtype, aligned, holo_load<float> (in, in_aligned));
  }
};

template <> struct Reader<double>
{
  __device__ static void
  convert (const char *in, bool in_aligned, char *out, int dtype, bool aligned, int part)
  {
    holo_write (out, dtype, aligned, holo_load<double> (in, in_aligned));
  }
};

__device__ inline float
get_modulus (float2 x)
{
  double re = x.x, im = x.y;

  return isinf (x.x) || isinf (x.y) ? CUDART_INF_F : (float) __dsqrt_rn (re * re + im * im);
}

__device__ inline double
get_modulus (double2 x)
{
  return hypot (x.x, x.y);
}

__device__ inline float
get_argument (float2 x)
{
  return atan2f (x.y, x.x);
}

__device__ inline double
get_argument (double2 x)
{
  return atan2 (x.y, x.x);
}

template <typename C>
__device__ inline void
convert_complex (C x, char *out, int dtype, bool aligned, int part)
{
  if (dtype == HOLO_CUDA_CF32)
    holo_store<float2> (out, aligned, make_float2 ((float) x.x, (float) x.y));
  else if (dtype == HOLO_CUDA_CF64)
    holo_store<double2> (out, aligned, make_double2 ((double) x.x, (double) x.y));
  else
    holo_write (out, dtype, aligned,
                part == PART_MODULUS    ? get_modulus (x)
                : part == PART_ARGUMENT ? get_argument (x)
                                        : x.x);
}

template <> struct Reader<float2>
{
  __device__ static void
  convert (const char *in, bool in_aligned, char *out, int dtype, bool aligned, int part)
  {
    convert_complex (holo_load<float2> (in, in_aligned), out, dtype, aligned, part);
  }
};

template <> struct Reader<double2>
{
  __device__ static void
  convert (const char *in, bool in_aligned, char *out, int dtype, bool aligned, int part)
  {
    convert_complex (holo_load<double2> (in, in_aligned), out, dtype, aligned, part);
  }
};

/* ---- all ---- */

template <typename In>
__global__ void
convert (HoloCudaLoop loop, char *out, int dtype, int size, bool aligned, const char *in, bool in_aligned,
         int part)
{
  const int sizes[2] = { size, sizeof (In) };
  int64_t offsets[2];

  for (uint64_t i = HOLO_CUDA_FIRST; i < loop.count; i += HOLO_CUDA_STEP)
    {
      holo_find<2> (loop, i, sizes, offsets);
      Reader<In>::convert (in + offsets[1], in_aligned, out + offsets[0], dtype, aligned, part);
    }
}

static const void *
find_kernel (int in_dtype)
{
  static const void *const kernels[] = {
    (const void *) convert<uint8_t>,  (const void *) convert<int8_t>,   (const void *) convert<uint16_t>,
    (const void *) convert<int16_t>,  (const void *) convert<uint32_t>, (const void *) convert<int32_t>,
    (const void *) convert<uint64_t>, (const void *) convert<int64_t>,  (const void *) convert<HoloHalf>,
    (const void *) convert<float>,    (const void *) convert<double>,   (const void *) convert<float2>,
    (const void *) convert<double2>,
  };

  return kernels[in_dtype];
}

cudaError_t
holo_cuda_conversion (const HoloCudaLoop *loop, int out_dtype, int in_dtype, int option, void *out,
                      const void *in, HoloCudaKernel *kernel, cudaStream_t stream)
{
  int size = holo_dtype_size (out_dtype);
  bool aligned = holo_is_aligned (loop, 0, out, (size_t) size);
  bool in_aligned = holo_is_aligned (loop, 1, in, (size_t) holo_dtype_size (in_dtype));
  void *args[] = { (void *) loop, &out, &out_dtype, &size, &aligned, &in, &in_aligned, &option };

  if (loop->count == 0)
    return cudaSuccess;
  return holo_launch (kernel, find_kernel (in_dtype), loop->count, args, stream);
}
