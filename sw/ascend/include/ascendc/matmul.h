// The Matmul object: products that a vector core asks its block's cube core for.
//
// Both kinds of core run the source.  At REGIST_MATMUL_OBJ the cube core becomes a server: it takes requests, one after
// the other, until End, and leaves the function.  A request is a message in memory that the layer has of its own, with
// a cross-core flag; the answer is another.  Tiles are those of the source's tiling (baseM, baseN, baseK), and are
// computed when they are asked for, one strip of baseK after the other.  There is one vector core a block
// (KERNEL_TYPE_MIX_AIC_1_1), and one object at a time; 16-bit operands in rows (ND, VECTOR), no bias.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_ASCEND_INCLUDE_ASCENDC_MATMUL_H
#define AMALGAM_SW_ASCEND_INCLUDE_ASCENDC_MATMUL_H

#include "ascendc/launch.h"
#include "ascendc/sync.h"

enum class CubeFormat { ND = 0, NZ, ZN, ZZ, NN, VECTOR, ND_ALIGN };

namespace AscendC {
namespace tiling {

// As a host's tiling data has it.
struct TCubeTiling {
  int32_t usedCoreNum, M, N, Ka, Kb, singleCoreM, singleCoreN, singleCoreK, baseM, baseN, baseK, depthA1, depthB1,
      stepM, stepN, isBias, transLength, iterateOrder, shareMode, shareL1Size, shareL0CSize, shareUbSize, batchM,
      batchN, singleBatchM, singleBatchN, stepKa, stepKb, depthAL1CacheUB, depthBL1CacheUB, dbL0A, dbL0B, dbL0C,
      layouts[15], BatchNum, reserved;
};

}  // namespace tiling

constexpr int32_t Ceil(int32_t x, int32_t by) { return (x + by - 1) / by; }

template <TPosition where, CubeFormat layout, typename type, bool turned = false>
struct MatmulType {
  static constexpr TPosition position = where;
  static constexpr CubeFormat format = layout;
  using T = type;
};

struct MatmulConfig {
  bool doNorm;
};

}  // namespace AscendC

constexpr AscendC::MatmulConfig CFG_NORM = {true};
constexpr AscendC::MatmulConfig CFG_MDL = {false};
using AscendC::tiling::TCubeTiling;

namespace amalgam {

enum { FLAG_OF_MATMUL = 14, HALF_L0 = 32 * 1024, HALF_L1 = 128 * 1024 };

// C = A x B: rows lda, ldb and ldc elements apart, in tiles.
struct product {
  uint64_t goes_on, a, b, c;  // goes_on 0: nothing to compute, the last one
  uint32_t m, n, k, turned_a, turned_b, lda, ldb, ldc, base_m, base_n, base_k, op;
};
static_assert(sizeof(product) <= ASCEND_MESSAGE);

inline uint64_t message_address() { return arguments()->messages + hal_read(REG_CORE_INDEX) * ASCEND_MESSAGE; }
inline uint64_t tile_address() { return arguments()->tiles + hal_read(REG_CORE_INDEX) * ASCEND_TILE; }

// The program is held until it is done.
AMALGAM_INLINE void request(uint64_t pc, const product &p) {
  uint64_t words[sizeof(product) / 8];
  __builtin_memcpy(words, &p, sizeof p);
  for (uint32_t i = 0; i < sizeof words / 8; ++i) {
    write_value(pc, message_address() + i * 8, 0, 8, words[i]);
  }
  clean_lines(pc, 0);
  order(pc, PIPE_S, PIPE_MTE2, EVENT_UNIT);
  cross_set(pc, PIPE_MTE2, FLAG_OF_MATMUL);  // what has been loaded of the tile before is loaded
  cross_wait(pc, PIPE_S, FLAG_OF_MATMUL);
}

AMALGAM_INLINE product receive(uint64_t pc) {
  cross_wait(pc, PIPE_MTE2, FLAG_OF_MATMUL);
  auto c = begin<cmd_read_gm_t>(OP_READ_GM, PIPE_MTE2, pc);
  c.gm = message_address();
  c.bytes = sizeof(product);
  hal_push_read_gm(&c);
  product p;
  const auto *from = static_cast<const volatile uint64_t *>(hal_gm(c.gm));
  uint64_t words[sizeof p / 8];
  for (uint64_t &word : words) {
    word = *from++;
  }
  __builtin_memcpy(&p, words, sizeof p);
  return p;
}

// One of two buffers in L1, and in L0A or L0B.
constexpr uint32_t in_l1(bool right, uint32_t side) {
  return uint32_t{IN_L1} << MEMORY_BIT | ((right ? 2 : 0) + side) * HALF_L1;
}

AMALGAM_INLINE void load_left(uint64_t pc, const product &p, uint64_t from, uint32_t m, uint32_t k, uint32_t side) {
  const auto rows = static_cast<uint32_t>(round_up(p.turned_a != 0 ? k : m, STRIP));
  load_matrix(pc, from, p.lda * 2, in_l1(false, side), rows * BLOCK, p.turned_a != 0 ? k : m,
              (p.turned_a != 0 ? m : k) * 2);
}
AMALGAM_INLINE void load_right(uint64_t pc, const product &p, uint64_t from, uint32_t n, uint32_t k, uint32_t side) {
  const auto rows = static_cast<uint32_t>(round_up(p.turned_b != 0 ? n : k, STRIP));
  load_matrix(pc, from, p.ldb * 2, in_l1(true, side), rows * BLOCK, p.turned_b != 0 ? n : k,
              (p.turned_b != 0 ? k : n) * 2);
}

// Rows of fractals of L0A; columns of those of L0B.
AMALGAM_INLINE void split(uint64_t pc, const product &p, uint32_t m, uint32_t n, uint32_t k, uint32_t side) {
  const uint32_t ms = (m + 15) / 16, ns = (n + 15) / 16, ks = (k + 15) / 16;
  const uint32_t l0a = uint32_t{IN_L0A} << MEMORY_BIT | side * HALF_L0;
  const uint32_t l0b = uint32_t{IN_L0B} << MEMORY_BIT | side * HALF_L0;
  for (uint32_t i = 0; i < ms; ++i) {
    const bool turned = p.turned_a != 0;
    load_fractals(pc, in_l1(false, side) + (turned ? i * ks : i) * 512, turned ? 512 : ms * 512, l0a + i * ks * 512,
                  512, ks, turned, ELEMENT_16);
  }
  for (uint32_t i = 0; i < ks; ++i) {
    const bool turned = p.turned_b != 0;
    load_fractals(pc, in_l1(true, side) + (turned ? i * ns : i) * 512, turned ? 512 : ks * 512, l0b + i * ns * 512, 512,
                  ns, !turned, ELEMENT_16);
  }
}

// A tile of the result, from its first element in C.
template <typename T, typename C>
AMALGAM_INLINE void compute_tile(uint64_t pc, const product &p, uint32_t m0, uint32_t n0, uint32_t &step) {
  const uint32_t m = ::min(p.m - m0, p.base_m), n = ::min(p.n - n0, p.base_n);
  for (uint32_t k0 = 0; k0 < p.k; k0 += p.base_k, ++step) {
    const uint32_t k = ::min(p.k - k0, p.base_k), side = step % 2;
    wait_flag(pc, PIPE_MTE1, PIPE_MTE2, side);
    load_left(pc, p, p.a + (p.turned_a != 0 ? uint64_t{k0} * p.lda + m0 : uint64_t{m0} * p.lda + k0) * 2, m, k, side);
    load_right(pc, p, p.b + (p.turned_b != 0 ? uint64_t{n0} * p.ldb + k0 : uint64_t{k0} * p.ldb + n0) * 2, n, k, side);
    order(pc, PIPE_MTE2, PIPE_MTE1, side);
    wait_flag(pc, PIPE_M, PIPE_MTE1, side);
    split(pc, p, m, n, k, side);
    set_flag(pc, PIPE_MTE1, PIPE_MTE2, side);
    order(pc, PIPE_MTE1, PIPE_M, side);
    if (k0 == 0) {
      wait_flag(pc, PIPE_FIX, PIPE_M, 0);
    }
    auto c = begin<cmd_mmad_t>(OP_MMAD, PIPE_M, pc);
    c.l0a = c.l0b = side * HALF_L0;
    c.m = m;
    c.n = n;
    c.k = k;
    c.accumulate = k0 > 0;
    c.type = type_of<T>();
    c.fractals = 1;
    hal_push_mmad(&c);
    set_flag(pc, PIPE_M, PIPE_MTE1, side);
  }
  order(pc, PIPE_M, PIPE_FIX, 0);
  auto c = begin<cmd_fixpipe_t>(OP_FIXPIPE, PIPE_FIX, pc);
  c.m = m;
  c.n = n;
  c.gm = p.c + (uint64_t{m0} * p.ldc + n0) * sizeof(C);
  c.gm_pitch = p.ldc * static_cast<uint32_t>(sizeof(C));
  c.type = type_of<C>();
  c.op = p.op;
  c.strip_pitch = static_cast<uint32_t>(round_up(m, STRIP)) * STRIP * 4;
  fix(pc, c);
  set_flag(pc, PIPE_FIX, PIPE_M, 0);
}

// The cube core's part.  Both buffers, and L0C, are free at its begin and at its end.
template <typename T, typename C>
AMALGAM_INLINE void serve() {
  const uint64_t pc = hal_pc();
  uint32_t step = 0;
  for (uint32_t side = 0; side < 2; ++side) {
    set_flag(pc, PIPE_MTE1, PIPE_MTE2, side);
    set_flag(pc, PIPE_M, PIPE_MTE1, side);
  }
  set_flag(pc, PIPE_FIX, PIPE_M, 0);
  for (bool goes_on = true; goes_on;) {
    const product p = receive(pc);
    goes_on = p.goes_on != 0;
    require(p.base_m * p.base_k * 2 <= HALF_L0 && p.base_n * p.base_k * 2 <= HALF_L0 &&
                round_up(p.base_m, STRIP) * round_up(p.base_n, STRIP) * 4 <= memory_bytes[IN_L0C],
            PANIC_BUFFERS);
    for (uint32_t m0 = 0; m0 < p.m; m0 += p.base_m) {
      for (uint32_t n0 = 0; n0 < p.n; n0 += p.base_n) {
        compute_tile<T, C>(pc, p, m0, n0, step);
      }
    }
    order(pc, PIPE_MTE2, PIPE_FIX, EVENT_UNIT);  // the message has been read
    cross_set(pc, PIPE_FIX, FLAG_OF_MATMUL);
  }
  for (uint32_t side = 0; side < 2; ++side) {
    wait_flag(pc, PIPE_MTE1, PIPE_MTE2, side);
    wait_flag(pc, PIPE_M, PIPE_MTE1, side);
  }
  wait_flag(pc, PIPE_FIX, PIPE_M, 0);
}

}  // namespace amalgam

namespace AscendC {

template <class A, class B, class C, class Bias = C, const MatmulConfig &config = CFG_NORM>
class Matmul {
 public:
  using T = typename A::T;
  using TC = typename C::T;
  static_assert(sizeof(T) == 2 && std::is_same_v<T, typename B::T>, "Matmul: operands of 16 bits are there");
  static_assert(A::position == TPosition::GM && B::position == TPosition::GM, "Matmul: operands are in global memory");
  static_assert((A::format == CubeFormat::ND || A::format == CubeFormat::VECTOR) && B::format == CubeFormat::ND &&
                    C::format == CubeFormat::ND,
                "Matmul: matrices lie in rows");

  AMALGAM_INLINE void Init(const TCubeTiling *tiling, TPipe * = nullptr) {
    tiling_ = *tiling;
    SetOrgShape(tiling->M, tiling->N, tiling->Ka, tiling->Kb);
    SetSingleShape(tiling->singleCoreM, tiling->singleCoreN, tiling->singleCoreK);
  }
  AMALGAM_INLINE void SetOrgShape(int m, int n, int ka, int kb = 0) {
    org_m_ = m;
    org_n_ = n;
    org_ka_ = ka;
    org_kb_ = kb != 0 ? kb : ka;
  }
  AMALGAM_INLINE void SetSingleShape(int m, int n, int k) {
    m_ = static_cast<uint32_t>(m);
    n_ = static_cast<uint32_t>(n);
    k_ = static_cast<uint32_t>(k);
  }
  AMALGAM_INLINE void SetTail(int m = -1, int n = -1, int k = -1) {
    m_ = m >= 0 ? static_cast<uint32_t>(m) : m_;
    n_ = n >= 0 ? static_cast<uint32_t>(n) : n_;
    k_ = k >= 0 ? static_cast<uint32_t>(k) : k_;
  }
  AMALGAM_INLINE void SetTensorA(const GlobalTensor<T> &a, bool turned = false) {
    a_ = a;
    turned_a_ = turned;
    next_ = 0;
  }
  AMALGAM_INLINE void SetTensorB(const GlobalTensor<T> &b, bool turned = false) {
    b_ = b;
    turned_b_ = turned;
    next_ = 0;
  }
  AMALGAM_INLINE void DisableBias() {}
  template <typename U>
  AMALGAM_INLINE void SetWorkspace(const GlobalTensor<U> &) {}  // tiles go through memory of the layer

  template <bool sync = true>
  AMALGAM_INLINE void IterateAll(const GlobalTensor<TC> &c, uint8_t atomic = 0) {
    ask(amalgam::hal_pc(), 0, 0, m_, n_, c.address(), static_cast<uint32_t>(org_n_), atomic);
  }
  // The next tile; without sync GetTensorC goes through all of them.
  template <bool sync = true>
  AMALGAM_INLINE bool Iterate(bool = false) {
    walks_ = !sync;
    at_ = next_;
    next_ += sync ? 1 : 0;
    return at_ < rows() * columns();
  }
  template <bool sync = true>
  AMALGAM_INLINE void GetTensorC(const LocalTensor<TC> &c, uint8_t = 0, bool = false) {
    const uint64_t pc = amalgam::hal_pc();
    const uint32_t m = tile_m(), n = tile_n();
    const auto pitch = static_cast<uint32_t>(amalgam::round_up(base_n() * sizeof(TC), 32));
    ask(pc, first_m(), first_n(), m, n, amalgam::tile_address(), pitch / static_cast<uint32_t>(sizeof(TC)), 0);
    amalgam::order(pc, amalgam::PIPE_S, amalgam::PIPE_MTE2, amalgam::EVENT_UNIT);
    amalgam::copy_in(pc, amalgam::tile_address(), pitch, c.address(), pitch, m, n * static_cast<uint32_t>(sizeof(TC)));
    walk();
  }
  template <bool sync = true>
  AMALGAM_INLINE void GetTensorC(const GlobalTensor<TC> &c, uint8_t atomic = 0, bool = false) {
    const auto pitch = static_cast<uint32_t>(org_n_);
    ask(amalgam::hal_pc(), first_m(), first_n(), tile_m(), tile_n(),
        c.address() + (uint64_t{first_m()} * pitch + first_n()) * sizeof(TC), pitch, atomic);
    walk();
  }
  AMALGAM_INLINE void WaitGetTensorC() {}
  AMALGAM_INLINE void WaitIterateAll() {}
  AMALGAM_INLINE void End() { amalgam::request(amalgam::hal_pc(), amalgam::product{}); }

 private:
  AMALGAM_INLINE uint32_t base_m() const { return ::min(static_cast<uint32_t>(tiling_.baseM), m_); }
  AMALGAM_INLINE uint32_t base_n() const { return ::min(static_cast<uint32_t>(tiling_.baseN), n_); }
  AMALGAM_INLINE uint32_t rows() const { return (m_ + base_m() - 1) / base_m(); }
  AMALGAM_INLINE uint32_t columns() const { return (n_ + base_n() - 1) / base_n(); }
  AMALGAM_INLINE bool by_rows() const { return tiling_.iterateOrder == 0; }  // down a column of tiles
  AMALGAM_INLINE uint32_t first_m() const { return (by_rows() ? at_ % rows() : at_ / columns()) * base_m(); }
  AMALGAM_INLINE uint32_t first_n() const { return (by_rows() ? at_ / rows() : at_ % columns()) * base_n(); }
  AMALGAM_INLINE uint32_t tile_m() const { return ::min(m_ - first_m(), base_m()); }
  AMALGAM_INLINE uint32_t tile_n() const { return ::min(n_ - first_n(), base_n()); }
  AMALGAM_INLINE void walk() { at_ += walks_ ? 1 : 0; }

  // Has a part of the result computed, and waits for it.
  AMALGAM_INLINE void ask(uint64_t pc, uint32_t m0, uint32_t n0, uint32_t m, uint32_t n, uint64_t c, uint32_t ldc,
                          uint8_t atomic) {
    amalgam::require(atomic <= 1 && (atomic == 0 || std::is_same_v<TC, float>), amalgam::PANIC_FORM);
    amalgam::product p = {};
    p.goes_on = 1;
    p.lda = static_cast<uint32_t>(turned_a_ ? org_m_ : org_ka_);
    p.ldb = static_cast<uint32_t>(turned_b_ ? org_kb_ : org_n_);
    p.a = a_.address() + (turned_a_ ? m0 : uint64_t{m0} * p.lda) * sizeof(T);
    p.b = b_.address() + (turned_b_ ? uint64_t{n0} * p.ldb : n0) * sizeof(T);
    p.c = c;
    p.m = m;
    p.n = n;
    p.k = k_;
    p.turned_a = turned_a_;
    p.turned_b = turned_b_;
    p.ldc = ldc;
    p.base_m = base_m();
    p.base_n = base_n();
    p.base_k = static_cast<uint32_t>(tiling_.baseK);
    p.op = atomic != 0 ? amalgam::GM_ADD_F32 : amalgam::GM_STORE;
    amalgam::request(pc, p);
  }

  TCubeTiling tiling_;
  GlobalTensor<T> a_, b_;
  int org_m_ = 0, org_n_ = 0, org_ka_ = 0, org_kb_ = 0;
  uint32_t m_ = 0, n_ = 0, k_ = 0, at_ = 0, next_ = 0;
  bool turned_a_ = false, turned_b_ = false, walks_ = false;
};

}  // namespace AscendC

AMALGAM_INLINE GM_ADDR GetSysWorkSpacePtr() {
  return amalgam::is_mixed ? static_cast<GM_ADDR>(const_cast<void *>(amalgam::hal_gm(amalgam::arguments()->messages)))
                           : nullptr;
}

#define REGIST_MATMUL_OBJ(pipe, workspace, object, ...)                            \
  if constexpr (ASCEND_IS_AIC) {                                                   \
    amalgam::serve<typename decltype(object)::T, typename decltype(object)::TC>(); \
    return;                                                                        \
  } else                                                                           \
    amalgam::start(object __VA_OPT__(, ) __VA_ARGS__)

namespace amalgam {

template <typename O>
AMALGAM_INLINE void start(O &) {}
template <typename O>
AMALGAM_INLINE void start(O &object, const TCubeTiling *tiling) {
  object.Init(tiling);
}

}  // namespace amalgam

#endif
