// DataCopy and DataCopyPad: between global memory and UB, and within UB.
//
// Copies from global memory are COPY_IN, those to it COPY_OUT; a copy within UB is one of pipe V.  On a cube core
// copies from global memory are LOAD_NZ, to L1.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_ASCEND_INCLUDE_ASCENDC_DATA_COPY_H
#define AMALGAM_SW_ASCEND_INCLUDE_ASCENDC_DATA_COPY_H

#include "ascendc/vector.h"

namespace AscendC {

// Lengths and gaps in blocks of 32 bytes; of DataCopyPad lengths and gaps in global memory in bytes.
struct DataCopyParams {
  uint16_t blockCount = 1, blockLen = 0, srcStride = 0, dstStride = 0;
  DataCopyParams() = default;
  constexpr DataCopyParams(uint16_t count, uint16_t length, uint16_t source, uint16_t target)
      : blockCount(count), blockLen(length), srcStride(source), dstStride(target) {}
};

// Length in bytes; gaps in global memory in bytes, those in UB in blocks of 32 bytes.
struct DataCopyExtParams {
  uint16_t blockCount = 1;
  uint32_t blockLen = 0;
  int64_t srcStride = 0, dstStride = 0;
  uint32_t rsv = 0;
  DataCopyExtParams() = default;
  constexpr DataCopyExtParams(uint16_t count, uint32_t length, int64_t source, int64_t target, uint32_t)
      : blockCount(count), blockLen(length), srcStride(source), dstStride(target) {}
};

struct DataCopyPadParams {
  bool isPad = false;
  uint8_t leftPadding = 0, rightPadding = 0;
  uint64_t paddingValue = 0;
};

template <typename T>
struct DataCopyPadExtParams {
  bool isPad = false;
  uint8_t leftPadding = 0, rightPadding = 0;
  T paddingValue = {};
  DataCopyPadExtParams() = default;
  constexpr DataCopyPadExtParams(bool pad, uint8_t left, uint8_t right, T value)
      : isPad(pad), leftPadding(left), rightPadding(right), paddingValue(value) {}
};

}  // namespace AscendC

namespace amalgam {

// Strips of rows of 32 bytes to L1.
AMALGAM_INLINE void copy_strips(uint64_t pc, uint64_t gm, uint32_t gm_pitch, uint32_t l1, uint32_t l1_pitch,
                                uint32_t strips, uint32_t rows) {
  auto c = begin<cmd_load_nz_t>(OP_LOAD_NZ, PIPE_MTE2, pc);
  c.gm = gm;
  c.gm_pitch = gm_pitch;
  c.l1 = within(l1);
  c.rows = rows;
  c.cols = strips * STRIP_ROW;
  c.strips = 1;
  c.element = ELEMENT_8;
  c.strip_pitch = l1_pitch;
  hal_push_load_nz(&c);
}

AMALGAM_INLINE void copy_in(uint64_t pc, uint64_t gm, uint32_t gm_pitch, uint32_t ub, uint32_t ub_pitch, uint32_t rows,
                            uint32_t row_bytes) {
  if (rows == 0 || row_bytes == 0) {
    return;
  }
  if (is_cube && memory_of(ub) != IN_UB) {
    require(memory_of(ub) == IN_L1 && row_bytes % BLOCK == 0, PANIC_FORM);
    return copy_strips(pc, gm, gm_pitch, ub, ub_pitch, rows, row_bytes / BLOCK);
  }
  before<PIPE_MTE2>(pc);
  auto c = begin<cmd_copy_in_t>(OP_COPY_IN, PIPE_MTE2, pc);
  c.gm = gm;
  c.gm_pitch = gm_pitch;
  c.ub = ub;
  c.ub_pitch = ub_pitch;
  c.rows = rows;
  c.row_bytes = row_bytes;
  hal_push_copy_in(&c);
}

AMALGAM_INLINE void copy_out(uint64_t pc, uint32_t ub, uint32_t ub_pitch, uint64_t gm, uint32_t gm_pitch, uint32_t rows,
                             uint32_t row_bytes, uint32_t op) {
  if (rows == 0 || row_bytes == 0) {
    return;
  }
  before<PIPE_MTE3>(pc);
  auto c = begin<cmd_copy_out_t>(OP_COPY_OUT, PIPE_MTE3, pc);
  c.ub = ub;
  c.ub_pitch = ub_pitch;
  c.gm = gm;
  c.gm_pitch = gm_pitch;
  c.rows = rows;
  c.row_bytes = row_bytes;
  c.op = op;
  hal_push_copy_out(&c);
}

// Bytes of an even number, as words of two; otherwise as 32-bit ones.
AMALGAM_INLINE void copy_within(uint64_t pc, uint32_t to, uint32_t from, uint32_t bytes) {
  auto c = begin<cmd_vinst_t>(OP_VINST, PIPE_V, pc);
  c.op = VI_COPY;
  c.type = bytes % 4 == 0 ? TYPE_U32 : TYPE_U16;
  c.count = bytes % 4 == 0 ? bytes / 4 : bytes / 2;
  c.dst = to;
  c.dst_step = c.a_step = VECTOR_STEP(1, 8);
  c.a = from;
  push(c);
}

// Bytes of UB from one address up to another, which the pipe writes in its order: value, of 8 bytes, again and again.
AMALGAM_INLINE void pad(uint64_t pc, uint32_t from, uint32_t to, uint64_t value) {
  for (uint32_t width = 8; from < to; from += width) {
    for (width = 8; from % width != 0 || from + width > to;) {
      width /= 2;
    }
    auto c = begin<cmd_write_value_t>(OP_WRITE_VALUE, PIPE_MTE2, pc);
    c.ub = from;
    c.bytes = width;
    c.value = value & ~uint64_t{0} >> (64 - 8 * width);
    hal_push_write_value(&c);
  }
}

// Rows of bytes with elements of a value behind them; before them none are there, as rows begin with a block.
template <typename T>
AMALGAM_INLINE void copy_in_padded(uint64_t pc, uint64_t gm, uint32_t gm_pitch, uint32_t ub, uint32_t ub_gap,
                                   uint32_t rows, uint32_t row_bytes, uint32_t left, uint32_t right, uint64_t value) {
  const uint32_t all = row_bytes + right * static_cast<uint32_t>(sizeof(T));
  const auto ub_pitch = static_cast<uint32_t>(round_up(all, BLOCK)) + ub_gap;
  require(left == 0, PANIC_FORM);
  copy_in(pc, gm, gm_pitch, ub, ub_pitch, rows, row_bytes);
  value &= ~uint64_t{0} >> (64 - 8 * sizeof(T));
  for (uint32_t width = sizeof(T); width < 8; width *= 2) {
    value |= value << 8 * width;
  }
  for (uint32_t row = 0; right > 0 && row < rows; ++row) {
    pad(pc, ub + row * ub_pitch + row_bytes, ub + row * ub_pitch + all, value);
  }
}

}  // namespace amalgam

namespace AscendC {

template <typename T>
AMALGAM_INLINE void DataCopy(const LocalTensor<T> &to, const GlobalTensor<T> &from, uint32_t count) {
  const auto bytes = static_cast<uint32_t>(count * sizeof(T));
  amalgam::copy_in(amalgam::hal_pc(), from.address(), bytes, to.address(),
                   static_cast<uint32_t>(amalgam::round_up(bytes, 32)), 1,
                   static_cast<uint32_t>(amalgam::round_up(bytes, 32)));
}

template <typename T>
AMALGAM_INLINE void DataCopy(const GlobalTensor<T> &to, const LocalTensor<T> &from, uint32_t count) {
  const auto bytes = static_cast<uint32_t>(amalgam::round_up(count * sizeof(T), 32));
  amalgam::copy_out(amalgam::hal_pc(), from.address(), bytes, to.address(), bytes, 1, bytes, amalgam::here()->atomic);
}

template <typename T>
AMALGAM_INLINE void DataCopy(const LocalTensor<T> &to, const LocalTensor<T> &from, uint32_t count) {
  amalgam::copy_within(amalgam::hal_pc(), to.address(), from.address(),
                       static_cast<uint32_t>(amalgam::round_up(count * sizeof(T), 32)));
}

template <typename T>
AMALGAM_INLINE void DataCopy(const LocalTensor<T> &to, const GlobalTensor<T> &from, const DataCopyParams &p) {
  amalgam::copy_in(amalgam::hal_pc(), from.address(), (p.blockLen + p.srcStride) * 32u, to.address(),
                   (p.blockLen + p.dstStride) * 32u, p.blockCount, p.blockLen * 32u);
}

template <typename T>
AMALGAM_INLINE void DataCopy(const GlobalTensor<T> &to, const LocalTensor<T> &from, const DataCopyParams &p) {
  amalgam::copy_out(amalgam::hal_pc(), from.address(), (p.blockLen + p.srcStride) * 32u, to.address(),
                    (p.blockLen + p.dstStride) * 32u, p.blockCount, p.blockLen * 32u, amalgam::here()->atomic);
}

template <typename T>
AMALGAM_INLINE void DataCopy(const LocalTensor<T> &to, const LocalTensor<T> &from, const DataCopyParams &p) {
  const uint64_t pc = amalgam::hal_pc();
  for (uint32_t i = 0; i < p.blockCount; ++i) {
    amalgam::copy_within(pc, to.address() + i * (p.blockLen + p.dstStride) * 32u,
                         from.address() + i * (p.blockLen + p.srcStride) * 32u, p.blockLen * 32u);
  }
}

// What is behind a row's padding, up to 32 bytes, is not defined.
template <typename T>
AMALGAM_INLINE void DataCopyPad(const LocalTensor<T> &to, const GlobalTensor<T> &from, const DataCopyExtParams &p,
                                const DataCopyPadExtParams<amalgam::same_t<T>> &pad) {
  amalgam::copy_in_padded<T>(amalgam::hal_pc(), from.address(), static_cast<uint32_t>(p.blockLen + p.srcStride),
                             to.address(), static_cast<uint32_t>(p.dstStride * 32), p.blockCount, p.blockLen,
                             pad.isPad ? pad.leftPadding : 0, pad.isPad ? pad.rightPadding : 0,
                             amalgam::to_bits<T>(pad.paddingValue));
}

template <typename T>
AMALGAM_INLINE void DataCopyPad(const LocalTensor<T> &to, const GlobalTensor<T> &from, const DataCopyParams &p,
                                const DataCopyPadParams &pad) {
  amalgam::copy_in_padded<T>(amalgam::hal_pc(), from.address(), uint32_t{p.blockLen} + p.srcStride, to.address(),
                             p.dstStride * 32u, p.blockCount, p.blockLen, pad.isPad ? pad.leftPadding : 0,
                             pad.isPad ? pad.rightPadding : 0, pad.paddingValue);
}

template <typename T>
AMALGAM_INLINE void DataCopyPad(const GlobalTensor<T> &to, const LocalTensor<T> &from, const DataCopyExtParams &p) {
  amalgam::copy_out(amalgam::hal_pc(), from.address(),
                    static_cast<uint32_t>(amalgam::round_up(p.blockLen, 32) + p.srcStride * 32), to.address(),
                    static_cast<uint32_t>(p.blockLen + p.dstStride), p.blockCount, p.blockLen, amalgam::here()->atomic);
}

template <typename T>
AMALGAM_INLINE void DataCopyPad(const GlobalTensor<T> &to, const LocalTensor<T> &from, const DataCopyParams &p) {
  amalgam::copy_out(amalgam::hal_pc(), from.address(),
                    static_cast<uint32_t>(amalgam::round_up(p.blockLen, 32)) + p.srcStride * 32u, to.address(),
                    uint32_t{p.blockLen} + p.dstStride, p.blockCount, p.blockLen, amalgam::here()->atomic);
}

}  // namespace AscendC

#endif
