// Element by element: the result's valid part says how much.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_ASCEND_INCLUDE_PTO_ARITHMETIC_H
#define AMALGAM_SW_ASCEND_INCLUDE_PTO_ARITHMETIC_H

#include "pto/walk.h"

namespace amalgam {

// Bits of integers, of which the hardware takes 16 at a time; all operands lie as the tile does.
template <typename D>
AMALGAM_INLINE void push_bits(uint64_t pc, vector_instruction op, const D &like, uint32_t dst, uint32_t a, uint32_t b) {
  constexpr uint32_t words = sizeof(typename D::DType) / 2;
  static_assert(words >= 1 && std::is_integral_v<typename D::DType>, "bits: integers of 16 bits and more are there");
  const uint32_t pitch = rows_of_tile(like).pitch;
  push_tile(vinst(pc, op, TYPE_U16), valid_rows(like), valid_columns(like) * words, {dst, pitch, 2}, {a, pitch, 2},
            {b, pitch, 2});
}

}  // namespace amalgam

namespace pto {

using RoundMode = AscendC::RoundMode;

#define AMALGAM_TILES(T, U) \
  static_assert(std::is_same_v<typename T::DType, typename U::DType>, "operands have the result's type")

// CALL(dst, a, b)
#define AMALGAM_TILE_BINARY(CALL, VI_NAME)                                                            \
  template <typename D, typename A, typename B>                                                       \
  AMALGAM_INLINE void CALL(const D &dst, const A &a, const B &b) {                                    \
    using T = typename D::DType;                                                                      \
    AMALGAM_HAS(CALL, VI_NAME, T);                                                                    \
    AMALGAM_TILES(D, A);                                                                              \
    AMALGAM_TILES(D, B);                                                                              \
    amalgam::push_as(dst, amalgam::vinst(amalgam::hal_pc(), amalgam::VI_NAME, amalgam::type_of<T>()), \
                     amalgam::rows_of_tile(a), amalgam::rows_of_tile(b));                             \
  }
// CALL(dst, a)
#define AMALGAM_TILE_UNARY(CALL, VI_NAME)                                                             \
  template <typename D, typename A>                                                                   \
  AMALGAM_INLINE void CALL(const D &dst, const A &a) {                                                \
    using T = typename D::DType;                                                                      \
    AMALGAM_HAS(CALL, VI_NAME, T);                                                                    \
    AMALGAM_TILES(D, A);                                                                              \
    amalgam::push_as(dst, amalgam::vinst(amalgam::hal_pc(), amalgam::VI_NAME, amalgam::type_of<T>()), \
                     amalgam::rows_of_tile(a));                                                       \
  }
// CALL(dst, a, scalar)
#define AMALGAM_TILE_SCALAR(CALL, VI_NAME)                                               \
  template <typename D, typename A>                                                      \
  AMALGAM_INLINE void CALL(const D &dst, const A &a, typename D::DType scalar) {         \
    using T = typename D::DType;                                                         \
    AMALGAM_HAS(CALL, VI_NAME, T);                                                       \
    AMALGAM_TILES(D, A);                                                                 \
    auto c = amalgam::vinst(amalgam::hal_pc(), amalgam::VI_NAME, amalgam::type_of<T>()); \
    c.scalar = static_cast<uint32_t>(amalgam::to_bits<T>(scalar));                       \
    amalgam::push_as(dst, c, amalgam::rows_of_tile(a));                                  \
  }

AMALGAM_TILE_BINARY(TADD, VI_ADD)
AMALGAM_TILE_BINARY(TSUB, VI_SUB)
AMALGAM_TILE_BINARY(TMUL, VI_MUL)
AMALGAM_TILE_BINARY(TDIV, VI_DIV)
AMALGAM_TILE_BINARY(TMAX, VI_MAX)
AMALGAM_TILE_BINARY(TMIN, VI_MIN)
AMALGAM_TILE_UNARY(TEXP, VI_EXP)
AMALGAM_TILE_UNARY(TLOG, VI_LN)
AMALGAM_TILE_UNARY(TABS, VI_ABS)
AMALGAM_TILE_UNARY(TNEG, VI_NEG)
AMALGAM_TILE_UNARY(TRECIP, VI_RECIP)
AMALGAM_TILE_UNARY(TSQRT, VI_SQRT)
AMALGAM_TILE_UNARY(TRSQRT, VI_RSQRT)
AMALGAM_TILE_UNARY(TRELU, VI_RELU)
AMALGAM_TILE_SCALAR(TADDS, VI_ADDS)
AMALGAM_TILE_SCALAR(TMULS, VI_MULS)
AMALGAM_TILE_SCALAR(TMAXS, VI_MAXS)
AMALGAM_TILE_SCALAR(TMINS, VI_MINS)
AMALGAM_TILE_SCALAR(TLRELU, VI_LEAKY_RELU)
AMALGAM_TILE_SCALAR(TAXPY, VI_AXPY)

template <typename D, typename A>
AMALGAM_INLINE void TSUBS(const D &dst, const A &a, typename D::DType scalar) {
  TADDS(dst, a, static_cast<typename D::DType>(-scalar));
}

// By a block that holds the scalar.
template <typename D, typename A>
AMALGAM_INLINE void TDIVS(const D &dst, const A &a, typename D::DType scalar) {
  using T = typename D::DType;
  AMALGAM_HAS(TDIVS, VI_DIV, T);
  const uint64_t pc = amalgam::hal_pc();
  amalgam::fill<T>(pc, amalgam::UB_OWN, scalar, amalgam::lanes_of_block<T>);
  amalgam::barrier(pc, amalgam::PIPE_V);
  amalgam::push_as(dst, amalgam::vinst(pc, amalgam::VI_DIV, amalgam::type_of<T>()), amalgam::rows_of_tile(a),
                   {amalgam::UB_OWN, 0, sizeof(T), true});
}

// By bits.
template <typename D, typename A>
AMALGAM_INLINE void shift_tile(uint64_t pc, amalgam::vector_instruction op, const D &dst, const A &a, uint32_t by) {
  auto c = amalgam::vinst(pc, op, amalgam::type_of<typename D::DType>());
  c.scalar = by;
  amalgam::push_as(dst, c, amalgam::rows_of_tile(a));
}
template <typename D, typename A>
AMALGAM_INLINE void TSHLS(const D &dst, const A &a, typename D::DType by) {
  AMALGAM_HAS(TSHLS, VI_SHL, typename D::DType);
  shift_tile(amalgam::hal_pc(), amalgam::VI_SHL, dst, a, static_cast<uint32_t>(by));
}
template <typename D, typename A>
AMALGAM_INLINE void TSHRS(const D &dst, const A &a, typename D::DType by) {
  AMALGAM_HAS(TSHRS, VI_SHR, typename D::DType);
  shift_tile(amalgam::hal_pc(), amalgam::VI_SHR, dst, a, static_cast<uint32_t>(by));
}

// Bits; all operands are tiles of one type.
template <typename D>
AMALGAM_INLINE void TAND(const D &dst, const D &a, const D &b) {
  amalgam::push_bits(amalgam::hal_pc(), amalgam::VI_AND, dst, dst.address(), a.address(), b.address());
}
template <typename D>
AMALGAM_INLINE void TOR(const D &dst, const D &a, const D &b) {
  amalgam::push_bits(amalgam::hal_pc(), amalgam::VI_OR, dst, dst.address(), a.address(), b.address());
}
template <typename D>
AMALGAM_INLINE void TNOT(const D &dst, const D &a) {
  amalgam::push_bits(amalgam::hal_pc(), amalgam::VI_NOT, dst, dst.address(), a.address(), a.address());
}
// (a or b) and not (a and b); dst may be one of them.
template <typename D, typename W>
AMALGAM_INLINE void TXOR(const D &dst, const D &a, const D &b, const W &work) {
  static_assert(W::bytes >= D::bytes, "TXOR: the temporary tile is as large as the result");
  const uint64_t pc = amalgam::hal_pc();
  const uint32_t both = work.address();
  amalgam::push_bits(pc, amalgam::VI_AND, dst, both, a.address(), b.address());
  amalgam::barrier(pc, amalgam::PIPE_V);
  amalgam::push_bits(pc, amalgam::VI_OR, dst, dst.address(), a.address(), b.address());
  amalgam::push_bits(pc, amalgam::VI_NOT, dst, both, both, both);
  amalgam::barrier(pc, amalgam::PIPE_V);
  amalgam::push_bits(pc, amalgam::VI_AND, dst, dst.address(), dst.address(), both);
}

template <typename D>
AMALGAM_INLINE void TEXPANDS(const D &dst, typename D::DType scalar) {
  using T = typename D::DType;
  AMALGAM_HAS(TEXPANDS, VI_DUPLICATE, T);
  auto c = amalgam::vinst(amalgam::hal_pc(), amalgam::VI_DUPLICATE, amalgam::type_of<T>());
  c.scalar = static_cast<uint32_t>(amalgam::to_bits<T>(scalar));
  amalgam::push_as(dst, c);
}

template <typename D, typename A>
AMALGAM_INLINE void TCVT(const D &dst, const A &a, RoundMode mode = RoundMode::CAST_NONE) {
  using T = typename D::DType;
  using U = typename A::DType;
  AMALGAM_HAS(TCVT, VI_CAST, T);
  AMALGAM_HAS(TCVT, VI_CAST, U);
  amalgam::push_as(dst, amalgam::cast<T, U>(amalgam::hal_pc(), 0, 0, mode), amalgam::rows_of_tile(a));
}

// first, and each next element one more, or less.
template <typename D, typename T, int descending>
AMALGAM_INLINE void TCI(const D &dst, T first) {
  using U = std::conditional_t<std::is_same_v<T, uint32_t>, int32_t, T>;
  static_assert(std::is_same_v<T, typename D::DType> && amalgam::is_list<D>,
                "TCI: of one row it is there, in its type");
  AMALGAM_HAS(TCI, VI_ADDS, U);
  amalgam::count_up<U>(amalgam::hal_pc(), dst.address(), static_cast<U>(first), U(descending != 0 ? -1 : 1),
                       amalgam::valid_rows(dst) * amalgam::valid_columns(dst));
}

}  // namespace pto

#endif
