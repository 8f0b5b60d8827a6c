/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "holo-cuda-number.cuh"

struct Operand
{
  const char *data;
  int dtype;
  int size;
  bool aligned;
};

/* ---- real ---- */

/* Of unsigned numbers of at least 32 bits, as integers wrap around. */
__device__ inline uint32_t
product (uint8_t a, uint8_t b)
{
  return (uint32_t) a * b;
}
__device__ inline uint32_t
product (uint16_t a, uint16_t b)
{
  return (uint32_t) a * b;
}
__device__ inline uint32_t
product (uint32_t a, uint32_t b)
{
  return a * b;
}
__device__ inline uint64_t
product (uint64_t a, uint64_t b)
{
  return a * b;
}
__device__ inline float
product (float a, float b)
{
  return a * b;
}
__device__ inline double
product (double a, double b)
{
  return a * b;
}

template <typename T>
__global__ void
multiply_real (HoloCudaLoop loop, char *out, bool aligned, Operand a, Operand b)
{
  const int sizes[3] = { sizeof (T), a.size, b.size };
  int64_t offsets[3];

  for (uint64_t i = HOLO_CUDA_FIRST; i < loop.count; i += HOLO_CUDA_STEP)
    {
      holo_find<3> (loop, i, sizes, offsets);
      holo_store<T> (out + offsets[0], aligned,
                     (T) product (holo_read<T> (a.data + offsets[1], a.dtype, a.aligned),
                                  holo_read<T> (b.data + offsets[2], b.dtype, b.aligned)));
    }
}

/* ---- complex ---- */

__device__ inline void
read_complex (const char *at, const Operand &operand, float2 *value)
{
  *value = holo_load<float2> (at, operand.aligned);
}

__device__ inline void
read_complex (const char *at, const Operand &operand, double2 *value)
{
  if (operand.dtype == HOLO_CUDA_CF64)
    *value = holo_load<double2> (at, operand.aligned);
  else
    {
      float2 single = holo_load<float2> (at, operand.aligned);

      *value = make_double2 (single.x, single.y);
    }
}

/* @b may be real: it multiplies both parts then. */
template <typename C, typename T>
__global__ void
multiply_complex (HoloCudaLoop loop, char *out, bool aligned, Operand a, Operand b, int b_at)
{
  const int sizes[3] = { sizeof (C), b_at == 2 ? a.size : b.size, b_at == 2 ? b.size : a.size };
  int64_t offsets[3];

  for (uint64_t i = HOLO_CUDA_FIRST; i < loop.count; i += HOLO_CUDA_STEP)
    {
      C x, y, result;

      holo_find<3> (loop, i, sizes, offsets);
      read_complex (a.data + offsets[3 - b_at], a, &x);
      if (b.dtype >= HOLO_CUDA_CF32)
        {
          read_complex (b.data + offsets[b_at], b, &y);
          result.x = x.x * y.x - x.y * y.y;
          result.y = x.x * y.y + x.y * y.x;
        }
      else
        {
          T factor = holo_read<T> (b.data + offsets[b_at], b.dtype, b.aligned);

          result.x = x.x * factor;
          result.y = x.y * factor;
        }
      holo_store<C> (out + offsets[0], aligned, result);
    }
}

/* ---- launch ---- */

static Operand
make_operand (const HoloCudaLoop *loop, int index, const void *data, int dtype)
{
  Operand operand = { (const char *) data, dtype, holo_dtype_size (dtype), false };

  operand.aligned = holo_is_aligned (loop, index, data, (size_t) operand.size);
  return operand;
}

static cudaError_t
launch (HoloCudaKernel *kernel, const void *symbol, const HoloCudaLoop *loop, void *out, int out_dtype,
        Operand a, Operand b, int b_at, cudaStream_t stream)
{
  bool aligned = holo_is_aligned (loop, 0, out, (size_t) holo_dtype_size (out_dtype));
  void *args[] = { (void *) loop, &out, &aligned, &a, &b, &b_at };

  if (loop->count == 0)
    return cudaSuccess;
  return holo_launch (kernel, symbol, loop->count, args, stream);
}

/* Integers are read as unsigned ones of the output's size: the low bits of the product are the same. */
static const void *
find_kernel (int out_dtype)
{
  switch (out_dtype)
    {
    case HOLO_CUDA_U8:
    case HOLO_CUDA_I8:
      return (const void *) multiply_real<uint8_t>;
    case HOLO_CUDA_U16:
    case HOLO_CUDA_I16:
      return (const void *) multiply_real<uint16_t>;
    case HOLO_CUDA_U32:
    case HOLO_CUDA_I32:
      return (const void *) multiply_real<uint32_t>;
    case HOLO_CUDA_U64:
    case HOLO_CUDA_I64:
      return (const void *) multiply_real<uint64_t>;
    case HOLO_CUDA_F32:
      return (const void *) multiply_real<float>;
    case HOLO_CUDA_F64:
      return (const void *) multiply_real<double>;
    case HOLO_CUDA_CF32:
      return (const void *) multiply_complex<float2, float>;
    case HOLO_CUDA_CF64:
      return (const void *) multiply_complex<double2, double>;
    default:
      return NULL;
    }
}

cudaError_t
holo_cuda_multiply (const HoloCudaLoop *loop, int out_dtype, int a_dtype, int b_dtype, void *out,
                    const void *a, const void *b, HoloCudaKernel *kernel, cudaStream_t stream)
{
  const void *symbol = find_kernel (out_dtype);
  Operand first = make_operand (loop, 1, a, a_dtype), second = make_operand (loop, 2, b, b_dtype);

  if (symbol == NULL)
    return cudaErrorInvalidValue;
  if (out_dtype >= HOLO_CUDA_CF32 && a_dtype < HOLO_CUDA_CF32)
    return launch (kernel, symbol, loop, out, out_dtype, second, first, 1, stream);
  return launch (kernel, symbol, loop, out, out_dtype, first, second, 2, stream);
}
