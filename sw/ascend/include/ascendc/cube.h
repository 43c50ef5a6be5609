// The cube: DataCopy with Nd2NzParams, LoadData, Mmad, Fixpipe.
//
//   global memory --DataCopy--> L1 (A1, B1) --LoadData--> L0A, L0B (A2, B2) --Mmad--> L0C (CO1)
//                                L0C --Fixpipe--> global memory, or L1 again
//
// A fractal is 16 rows of 32 bytes.  L1 has them strip by strip (NZ), L0A row by row (zZ), L0B [n][k] strip by strip
// (nZ), L0C in strips of 16 columns (zN); hal/commands.def draws them.  A source places fractals itself, so strides and
// gaps here are those of the chip, in its units: 512 bytes for LoadData, 32 bytes in Nd2NzParams, rows of 16 elements
// in L0C.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_ASCEND_INCLUDE_ASCENDC_CUBE_H
#define AMALGAM_SW_ASCEND_INCLUDE_ASCENDC_CUBE_H

#include "ascendc/data_copy.h"

enum class QuantMode_t { NoQuant, F322F16, F322BF16, DEQF16, VDEQF16, QF322B8_PRE, VQF322B8_PRE, REQ8, VREQ8 };

namespace AscendC {

// Matrices [nValue][dValue], srcDValue elements from row to row, to strips dstNzC0Stride rows apart.
struct Nd2NzParams {
  uint16_t ndNum = 1, nValue = 0, dValue = 0, srcNdMatrixStride = 0, srcDValue = 0, dstNzC0Stride = 0, dstNzNStride = 1,
           dstNzMatrixStride = 0;
  Nd2NzParams() = default;
  constexpr Nd2NzParams(uint16_t matrices, uint16_t rows, uint16_t columns, uint16_t source_matrix, uint16_t source_row,
                        uint16_t strip, uint16_t row, uint16_t matrix)
      : ndNum(matrices),
        nValue(rows),
        dValue(columns),
        srcNdMatrixStride(source_matrix),
        srcDValue(source_row),
        dstNzC0Stride(strip),
        dstNzNStride(row),
        dstNzMatrixStride(matrix) {}
};

// Fractals: from start to start in the source, from end to start in the target.
struct LoadData2DParams {
  uint16_t startIndex = 0;
  uint8_t repeatTimes = 0;
  uint16_t srcStride = 0;
  uint8_t sid = 0;
  uint16_t dstGap = 0;
  bool ifTranspose = false;
  uint8_t addrMode = 0;
  LoadData2DParams() = default;
  constexpr LoadData2DParams(uint16_t start, uint8_t repeats, uint16_t source, uint8_t stream, uint16_t gap,
                             bool transpose, uint8_t mode)
      : startIndex(start),
        repeatTimes(repeats),
        srcStride(source),
        sid(stream),
        dstGap(gap),
        ifTranspose(transpose),
        addrMode(mode) {}
};
using LoadData2dParams = LoadData2DParams;

// Squares: of 16-bit elements a fractal, of 8-bit ones two, which lie dstFracGap fractals apart in the target.
struct LoadData2dTransposeParams {
  uint16_t startIndex = 0;
  uint8_t repeatTimes = 0;
  uint16_t srcStride = 0, dstGap = 0, dstFracGap = 0;
  uint8_t addrMode = 0;
  LoadData2dTransposeParams() = default;
  constexpr LoadData2dTransposeParams(uint16_t start, uint8_t repeats, uint16_t source, uint16_t gap, uint16_t fractal,
                                      uint8_t mode = 0)
      : startIndex(start), repeatTimes(repeats), srcStride(source), dstGap(gap), dstFracGap(fractal), addrMode(mode) {}
};

// unitFlag: 0, or 2 and 3 (the last of a sum), with which Mmad and Fixpipe wait for each other without flags of the
// source.
struct MmadParams {
  uint16_t m = 0, n = 0, k = 0;
  bool isBias = false;  // adds to what is in L0C, as does cmatrixInitVal = false
  int32_t fmOffset = 0;
  bool enSsparse = false, enWinogradA = false, enWinogradB = false;
  uint8_t unitFlag = 0;
  bool kDirectionAlign = false, cmatrixSource = false, cmatrixInitVal = true, disableGemv = false;
  MmadParams() = default;
  constexpr MmadParams(uint16_t rows, uint16_t columns, uint16_t inner, bool adds, int32_t, bool = false, bool = false,
                       bool = false)
      : m(rows), n(columns), k(inner), isBias(adds) {}
  constexpr MmadParams(uint16_t rows, uint16_t columns, uint16_t inner, uint8_t unit, bool source, bool starts)
      : m(rows), n(columns), k(inner), unitFlag(unit), cmatrixSource(source), cmatrixInitVal(starts) {}
};

// srcStride: rows of 16 elements from strip to strip of L0C; dstStride: elements from row to row, of NZ 32 bytes from
// strip to strip.
struct FixpipeParamsV220 {
  uint16_t nSize = 0, mSize = 0, srcStride = 0;
  uint32_t dstStride = 0;
  uint16_t ndNum = 1, srcNdStride = 0, dstNdStride = 0;
  QuantMode_t quantPre = QuantMode_t::NoQuant;
  uint64_t deqScalar = 0;  // a float's bits
  bool reluEn = false;
  uint8_t unitFlag = 0;
  bool isChannelSplit = false;
  FixpipeParamsV220() = default;
  constexpr FixpipeParamsV220(uint16_t columns, uint16_t rows, uint16_t source, uint32_t target, bool relu)
      : nSize(columns), mSize(rows), srcStride(source), dstStride(target), reluEn(relu) {}
};

enum class CO2Layout : uint8_t { NZ, ROW_MAJOR, COLUMN_MAJOR };
struct FixpipeConfig {
  CO2Layout format;
};
constexpr FixpipeConfig CFG_NZ = {CO2Layout::NZ};
constexpr FixpipeConfig CFG_ROW_MAJOR = {CO2Layout::ROW_MAJOR};

}  // namespace AscendC

namespace amalgam {

template <typename T>
constexpr uint32_t element_of() {
  return sizeof(T) == 1 ? ELEMENT_8 : ELEMENT_16;  // of wider ones, two and more halves
}

// A row-major matrix, rows of so many bytes.
AMALGAM_INLINE void load_matrix(uint64_t pc, uint64_t gm, uint32_t gm_pitch, uint32_t l1, uint32_t strip_pitch,
                                uint32_t rows, uint32_t row_bytes) {
  auto c = begin<cmd_load_nz_t>(OP_LOAD_NZ, PIPE_MTE2, pc);
  c.gm = gm;
  c.gm_pitch = gm_pitch;
  c.l1 = within(l1);
  c.rows = rows;
  c.cols = row_bytes;
  c.element = ELEMENT_8;
  c.strip_pitch = strip_pitch;
  hal_push_load_nz(&c);
}

// The pitches are of fractals; of 8-bit elements that are turned of two.
AMALGAM_INLINE void load_fractals(uint64_t pc, uint32_t from, uint32_t from_pitch, uint32_t to, uint32_t to_pitch,
                                  uint32_t repeats, bool transpose, uint32_t element) {
  if (repeats == 0) {
    return;
  }
  require(memory_of(from) == IN_L1 && (memory_of(to) == IN_L0A || memory_of(to) == IN_L0B), PANIC_FORM);
  auto c = begin<cmd_load_fractals_t>(OP_LOAD_FRACTALS, PIPE_MTE1, pc);
  c.l1 = within(from);
  c.l1_pitch = from_pitch;
  c.l0 = within(to);
  c.l0_pitch = to_pitch;
  c.right = memory_of(to) == IN_L0B;
  c.repeats = repeats;
  c.transpose = transpose;
  c.element = element;
  hal_push_load_fractals(&c);
}

// Unit flags: Fixpipe waits for the last Mmad of a sum, the next Mmad for Fixpipe.
AMALGAM_INLINE void wait_unit(uint64_t pc) {
  if (here()->unit_is_free) {
    wait_flag(pc, PIPE_FIX, PIPE_M, EVENT_UNIT);
    here()->unit_is_free = false;
  }
}

template <typename T>
constexpr bool is_sum() {
  return std::is_same_v<T, float> || std::is_same_v<T, int32_t>;
}

constexpr bool has_scale(QuantMode_t mode) {
  return mode != QuantMode_t::NoQuant && mode != QuantMode_t::F322F16 && mode != QuantMode_t::F322BF16;
}
constexpr bool has_scales(QuantMode_t mode) {
  return mode == QuantMode_t::VDEQF16 || mode == QuantMode_t::VQF322B8_PRE || mode == QuantMode_t::VREQ8;
}

AMALGAM_INLINE void fix(uint64_t pc, const cmd_fixpipe_t &all) {
  require(all.op == GM_STORE || all.nz == 0, PANIC_FORM);
  cmd_fixpipe_t c = all;
  hal_push_fixpipe(&c);
}

// What FIXPIPE and FIX_L1 do to their tile.
template <typename T, typename U, typename C>
AMALGAM_INLINE void take_tile(C &c, uint32_t from, uint32_t scales, const AscendC::FixpipeParamsV220 &p) {
  static_assert(is_sum<U>(), "Fixpipe: CO1 holds float or int32_t");
  require(memory_of(from) == IN_L0C && !p.isChannelSplit, PANIC_FORM);
  c.l0c = within(from);
  c.m = p.mSize;
  c.n = p.nSize;
  c.type = type_of<T>();
  c.from = type_of<U>();
  c.relu = p.reluEn;
  c.strip_pitch = p.srcStride * STRIP * 4u;
  if (has_scale(p.quantPre)) {
    c.quant = has_scales(p.quantPre) ? QUANT_COLUMNS : QUANT_SCALE;
    c.scale = has_scales(p.quantPre) ? 0 : static_cast<uint32_t>(p.deqScalar);
    c.scales = within(scales);
  }
}

// One matrix to global memory.
template <typename T, typename U, bool nz>
AMALGAM_INLINE void fix_matrix(uint64_t pc, uint64_t gm, uint32_t from, uint32_t scales,
                               const AscendC::FixpipeParamsV220 &p) {
  auto c = begin<cmd_fixpipe_t>(OP_FIXPIPE, PIPE_FIX, pc);
  take_tile<T, U>(c, from, scales, p);
  c.gm = gm;
  c.gm_pitch = nz ? p.dstStride * BLOCK : p.dstStride * static_cast<uint32_t>(sizeof(T));
  c.op = here()->atomic;
  c.nz = nz;
  fix(pc, c);
}

// each(), between the unit's flags if there are any.
template <typename F>
AMALGAM_INLINE void in_unit(uint64_t pc, const AscendC::FixpipeParamsV220 &p, const F &each) {
  if (p.unitFlag != 0) {
    wait_flag(pc, PIPE_M, PIPE_FIX, EVENT_UNIT);
  }
  each();
  if (p.unitFlag != 0) {
    set_flag(pc, PIPE_FIX, PIPE_M, EVENT_UNIT);
    here()->unit_is_free = true;
  }
}

template <typename T, typename U, bool nz>
AMALGAM_INLINE void fix_all(uint64_t pc, uint64_t gm, uint32_t from, uint32_t scales,
                            const AscendC::FixpipeParamsV220 &p) {
  in_unit(
      pc, p, [&]() __attribute__((always_inline)) {
        for (uint32_t i = 0; i < (nz ? 1 : p.ndNum); ++i) {
          fix_matrix<T, U, nz>(pc, gm + uint64_t{i} * p.dstNdStride * sizeof(T), from + i * p.srcNdStride * 1024u,
                               scales, p);
        }
      });
}

// To L1, strips of 16 columns, of 8-bit results of 32.
template <typename T, typename U, bool nz>
AMALGAM_INLINE void fix_to_l1(uint64_t pc, uint32_t to, uint32_t from, uint32_t scales,
                              const AscendC::FixpipeParamsV220 &p) {
  static_assert(nz, "Fixpipe: what goes to L1 is in NZ (CFG_NZ)");
  require(memory_of(to) == IN_L1 && here()->atomic == GM_STORE, PANIC_FORM);
  in_unit(
      pc, p, [&]() __attribute__((always_inline)) {
        auto c = begin<cmd_fix_l1_t>(OP_FIX_L1, PIPE_FIX, pc);
        take_tile<T, U>(c, from, scales, p);
        c.l1 = within(to);
        c.l1_pitch = p.dstStride * BLOCK;
        hal_push_fix_l1(&c);
      });
}

}  // namespace amalgam

namespace AscendC {

template <typename T>
AMALGAM_INLINE void DataCopy(const LocalTensor<T> &to, const GlobalTensor<T> &from, const Nd2NzParams &p) {
  const uint64_t pc = amalgam::hal_pc();
  amalgam::require(amalgam::memory_of(to.address()) == amalgam::IN_L1 && p.dstNzNStride == 1, amalgam::PANIC_FORM);
  for (uint32_t i = 0; i < p.ndNum && p.nValue > 0 && p.dValue > 0; ++i) {
    amalgam::load_matrix(pc, from.address() + uint64_t{i} * p.srcNdMatrixStride * sizeof(T),
                         static_cast<uint32_t>(p.srcDValue * sizeof(T)),
                         to.address() + i * p.dstNzMatrixStride * static_cast<uint32_t>(sizeof(T)),
                         p.dstNzC0Stride * amalgam::STRIP_ROW, p.nValue, static_cast<uint32_t>(p.dValue * sizeof(T)));
  }
}

template <typename T>
AMALGAM_INLINE void LoadData(const LocalTensor<T> &to, const LocalTensor<T> &from, const LoadData2DParams &p) {
  amalgam::require(!p.ifTranspose || sizeof(T) == 2, amalgam::PANIC_FORM);
  amalgam::load_fractals(amalgam::hal_pc(), from.address() + p.startIndex * 512u, p.srcStride * 512u, to.address(),
                         (p.dstGap + 1u) * 512u, p.repeatTimes, p.ifTranspose, amalgam::element_of<T>());
}

// Fractals of global memory, to L1 alone.
template <typename T>
AMALGAM_INLINE void LoadData(const LocalTensor<T> &to, const GlobalTensor<T> &from, const LoadData2DParams &p) {
  amalgam::require(!p.ifTranspose && amalgam::memory_of(to.address()) == amalgam::IN_L1, amalgam::PANIC_FORM);
  if (p.repeatTimes > 0) {
    amalgam::copy_strips(amalgam::hal_pc(), from.address() + p.startIndex * 512u, p.srcStride * 512u, to.address(),
                         (p.dstGap + 1u) * 512u, p.repeatTimes, amalgam::STRIP);
  }
}

template <typename T>
AMALGAM_INLINE void LoadDataWithTranspose(const LocalTensor<T> &to, const LocalTensor<T> &from,
                                          const LoadData2dTransposeParams &p) {
  static_assert(sizeof(T) <= 2, "LoadDataWithTranspose: elements of 8 and 16 bits are there");
  constexpr uint32_t square = sizeof(T) == 1 ? 1024 : 512;
  amalgam::require(sizeof(T) == 2 || p.dstFracGap == 0, amalgam::PANIC_FORM);
  amalgam::load_fractals(amalgam::hal_pc(), from.address() + p.startIndex * square, p.srcStride * square, to.address(),
                         (p.dstGap + 1u) * 512u, p.repeatTimes, true, amalgam::element_of<T>());
}

template <typename C, typename A, typename B>
AMALGAM_INLINE void Mmad(const LocalTensor<C> &to, const LocalTensor<A> &left, const LocalTensor<B> &right,
                         const MmadParams &p) {
  constexpr bool integers = std::is_same_v<C, int32_t> && std::is_same_v<B, int8_t> && sizeof(A) == 1;
  constexpr bool floats = std::is_same_v<C, float> && std::is_same_v<A, B> &&
                          (std::is_same_v<A, ::half> || std::is_same_v<A, ::bfloat16_t>);
  static_assert(integers || floats,
                "Mmad: half or bfloat16_t to float, int8_t (left also uint8_t) to int32_t; other types are not there");
  const uint64_t pc = amalgam::hal_pc();
  amalgam::require(amalgam::memory_of(to.address()) == amalgam::IN_L0C &&
                       amalgam::memory_of(left.address()) == amalgam::IN_L0A &&
                       amalgam::memory_of(right.address()) == amalgam::IN_L0B &&
                       (!p.cmatrixSource || p.cmatrixInitVal) && !p.enSsparse,
                   amalgam::PANIC_FORM);
  if (p.unitFlag != 0) {
    amalgam::wait_unit(pc);
  }
  auto c = amalgam::begin<amalgam::cmd_mmad_t>(amalgam::OP_MMAD, amalgam::PIPE_M, pc);
  c.l0a = amalgam::within(left.address());
  c.l0b = amalgam::within(right.address());
  c.l0c = amalgam::within(to.address());
  c.m = p.m;
  c.n = p.n;
  c.k = p.k;
  c.accumulate = p.isBias || !p.cmatrixInitVal;
  c.type = amalgam::type_of<A>();
  c.fractals = 1;
  amalgam::hal_push_mmad(&c);
  if (p.unitFlag == 3) {
    amalgam::set_flag(pc, amalgam::PIPE_M, amalgam::PIPE_FIX, amalgam::EVENT_UNIT);
  }
}

// Scales for each column, 64 bits each, are in L1.
template <typename T, typename U, const FixpipeConfig &config = CFG_ROW_MAJOR>
AMALGAM_INLINE void Fixpipe(const GlobalTensor<T> &to, const LocalTensor<U> &from, const FixpipeParamsV220 &p) {
  amalgam::require(!amalgam::has_scales(p.quantPre), amalgam::PANIC_FORM);
  amalgam::fix_all<T, U, config.format == CO2Layout::NZ>(amalgam::hal_pc(), to.address(), from.address(), 0, p);
}
template <typename T, typename U, const FixpipeConfig &config = CFG_ROW_MAJOR>
AMALGAM_INLINE void Fixpipe(const GlobalTensor<T> &to, const LocalTensor<U> &from, const LocalTensor<uint64_t> &scales,
                            const FixpipeParamsV220 &p) {
  amalgam::require(amalgam::memory_of(scales.address()) == amalgam::IN_L1, amalgam::PANIC_FORM);
  amalgam::fix_all<T, U, config.format == CO2Layout::NZ>(amalgam::hal_pc(), to.address(), from.address(),
                                                         scales.address(), p);
}
template <typename T, typename U, const FixpipeConfig &config = CFG_ROW_MAJOR>
AMALGAM_INLINE void Fixpipe(const LocalTensor<T> &to, const LocalTensor<U> &from, const FixpipeParamsV220 &p) {
  amalgam::require(!amalgam::has_scales(p.quantPre), amalgam::PANIC_FORM);
  amalgam::fix_to_l1<T, U, config.format == CO2Layout::NZ>(amalgam::hal_pc(), to.address(), from.address(), 0, p);
}
template <typename T, typename U, const FixpipeConfig &config = CFG_ROW_MAJOR>
AMALGAM_INLINE void Fixpipe(const LocalTensor<T> &to, const LocalTensor<U> &from, const LocalTensor<uint64_t> &scales,
                            const FixpipeParamsV220 &p) {
  amalgam::require(amalgam::memory_of(scales.address()) == amalgam::IN_L1, amalgam::PANIC_FORM);
  amalgam::fix_to_l1<T, U, config.format == CO2Layout::NZ>(amalgam::hal_pc(), to.address(), from.address(),
                                                           scales.address(), p);
}

}  // namespace AscendC

#endif
