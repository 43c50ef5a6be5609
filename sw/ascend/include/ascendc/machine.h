// The machine below Ascend C: commands, what a core keeps while a kernel runs, and the order of its scalar accesses.
//
// Users' compilers order scalar accesses of UB and commands of V, MTE2 and MTE3 by themselves (on vector cores, unless
// told not to).  So does this layer, by flags with event AUTO between a pipe and pipe S, where one of the two has been
// given something since the last such flag; -DAMALGAM_AUTO_SYNC=0 leaves it to the source.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_ASCEND_INCLUDE_ASCENDC_MACHINE_H
#define AMALGAM_SW_ASCEND_INCLUDE_ASCENDC_MACHINE_H

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <type_traits>

namespace amalgam {
#include "ascend/ascend_args.h"
#include "hal/hal.h"
}  // namespace amalgam

namespace amalgam {
enum panic_code : uint32_t {
#define PANIC(name, code, text) PANIC_##name = (code),
#include "hal/panics.def"
#undef PANIC
};
}  // namespace amalgam

// Everything that pushes a command is inlined into the source's own function, so that the command's program counter
// names its line.
#define AMALGAM_INLINE __attribute__((always_inline)) inline

// What a block is, of ascend_cores.
#ifndef AMALGAM_MIXED
#define AMALGAM_MIXED 0
#endif

#ifndef AMALGAM_AUTO_SYNC
#define AMALGAM_AUTO_SYNC 1
#endif

#define __aicore__
#define __global__ __attribute__((section(".text.ascend_kernel")))
#define __gm__
#define __ubuf__
#define __ca__
#define __cb__
#define __cc__
#define __cbuf__
#define __fbuf__
#ifndef GM_ADDR
#define GM_ADDR __gm__ uint8_t *
#endif
#define __CCE_AICORE__ 220
#define __DAV_C220__ 1

namespace amalgam {

// A source is compiled once for each kind of core that it has a part for.
#ifdef __DAV_C220_CUBE__
constexpr bool is_cube = true;
#else
constexpr bool is_cube = false;
#endif
// Is a block an AI core, with its cube core and its vector cores?
constexpr bool is_mixed = AMALGAM_MIXED != 0;

// Events of a pair of pipes: 0 to 7 are the source's, then the queues', that of unit flags (cube.h) and that of scalar
// accesses.
enum { EVENTS_OF_QUEUES = 8, EVENT_UNIT = 30, EVENT_AUTO = 31 };

enum {
  UB_BYTES = 192 * 1024 - 256,  // that a kernel has
  UB_OWN = UB_BYTES,            // 256 bytes behind them are the layer's
  BLOCK = 32,
};

// Memories in which a LocalTensor may be: the upper bits of its address.  All of UB's are 0.
enum memory : uint32_t { IN_UB, IN_L1, IN_L0A, IN_L0B, IN_L0C, MEMORIES };
enum { MEMORY_BIT = 24 };
constexpr uint32_t memory_bytes[MEMORIES] = {UB_BYTES, 512 * 1024, 64 * 1024, 64 * 1024, 128 * 1024};
constexpr uint32_t memory_of(uint32_t address) { return address >> MEMORY_BIT; }
constexpr uint32_t within(uint32_t address) { return address & ((1u << MEMORY_BIT) - 1); }

// Pairs of pipes between which queues pass buffers on.
enum queue_pair { MTE2_TO_V, V_TO_MTE3, MTE2_TO_MTE3, MTE2_TO_MTE1, MTE1_TO_M, M_TO_FIX, QUEUE_PAIRS };

// State of a core, which firmware has no globals for.
struct context {
  uint32_t block, blocks;         // GetBlockIdx, GetBlockNum
  uint32_t sub;                   // GetSubBlockIdx
  uint32_t waves;                 // blocks that a core takes one after the other
  void *pipe;                     // the kernel's TPipe
  uint32_t taken[MEMORIES];       // bytes that TPipe has given away
  uint32_t pushed;                // pipes with commands that scalar accesses have not been ordered after
  uint32_t behind;                // pipes that have to be ordered after scalar accesses
  uint32_t atomic;                // gm_op of stores to global memory
  uint32_t events[QUEUE_PAIRS];   // that queues have taken
  uint32_t is_free[QUEUE_PAIRS];  // buffers, by event, whose flag "free" nobody has waited for
  uint32_t event_ids[16];         // taken by AllocEventID, by hard event
  uint64_t mask[2];               // SetVectorMask
  bool counted;                   // SetMaskCount: mask[0] is a number of elements
  bool unit_is_free;              // a unit flag of FIX to M is up
  uint8_t all_pipe[16];           // by cross-core flag: 1 + the pipe on which all cores meet (mode 0)
};

#ifdef __riscv
AMALGAM_INLINE context *here() {
  context *at;
  __asm__("mv %0, tp" : "=r"(at));
  return at;
}
AMALGAM_INLINE void stand_at(context *at) { __asm__ volatile("mv tp, %0" ::"r"(at) : "memory"); }
#else
inline thread_local context *native_context;
AMALGAM_INLINE context *here() { return native_context; }
AMALGAM_INLINE void stand_at(context *at) { native_context = at; }
#endif

// A call's mistake is told at its line.
AMALGAM_INLINE void require(bool good, uint32_t code) {
  if (__builtin_expect(!good, false)) {
    hal_halt(code);
    for (;;) {  // the machine stops at the register write
    }
  }
}

template <typename command>
AMALGAM_INLINE command begin(opcode op, pipe on, uint64_t pc) {
  command c = {};
  c.opcode_ = static_cast<uint8_t>(op);
  c.pipe_ = static_cast<uint8_t>(on);
  c.pc_ = pc;
  return c;
}

AMALGAM_INLINE void set_flag(uint64_t pc, pipe from, pipe to, uint32_t event) {
  auto c = begin<cmd_set_flag_t>(OP_SET_FLAG, from, pc);
  c.to = to;
  c.event = event;
  hal_push_set_flag(&c);
}

AMALGAM_INLINE void wait_flag(uint64_t pc, pipe from, pipe to, uint32_t event) {
  auto c = begin<cmd_wait_flag_t>(OP_WAIT_FLAG, to, pc);
  c.from = from;
  c.event = event;
  hal_push_wait_flag(&c);
}

AMALGAM_INLINE void order(uint64_t pc, pipe from, pipe to, uint32_t event) {
  set_flag(pc, from, to, event);
  wait_flag(pc, from, to, event);
}

AMALGAM_INLINE void barrier(uint64_t pc, pipe on) {
  auto c = begin<cmd_pipe_barrier_t>(OP_PIPE_BARRIER, on, pc);
  hal_push_pipe_barrier(&c);
}

constexpr bool orders_scalars = AMALGAM_AUTO_SYNC != 0 && !is_cube;

// Before a command of V, MTE2 or MTE3.
template <pipe on>
AMALGAM_INLINE void before(uint64_t pc) {
  if constexpr (orders_scalars) {
    context *at = here();
    if ((at->behind & 1u << on) != 0) {
      order(pc, PIPE_S, on, EVENT_AUTO);
      at->behind &= ~(1u << on);
    }
    at->pushed |= 1u << on;
  }
}

// Before a scalar access; after: the pipes whose commands it comes after.
AMALGAM_INLINE void before_scalar(uint64_t pc, uint32_t after) {
  if constexpr (orders_scalars) {
    context *at = here();
    const uint32_t wanted = at->pushed & after;
    for (const pipe on : {PIPE_V, PIPE_MTE2, PIPE_MTE3}) {
      if ((wanted & 1u << on) != 0) {
        order(pc, on, PIPE_S, EVENT_AUTO);
      }
    }
    at->pushed &= ~wanted;
    at->behind |= after;
  }
}

// All pipes of the core meet, and the program waits for them.
AMALGAM_INLINE void meet(uint64_t pc) {
  barrier(pc, PIPE_S);
  here()->pushed = here()->behind = 0;
}

// Global memory: the scalar core's pointers, and addresses of commands.
AMALGAM_INLINE uint64_t gm_address(const volatile void *pointer) {
  return reinterpret_cast<uint64_t>(pointer) - reinterpret_cast<uint64_t>(hal_gm(GM_BASE)) + GM_BASE;
}

template <typename T>
struct same {
  using type = T;
};
template <typename T>
using same_t = typename same<T>::type;  // of a parameter from which nothing is deduced

constexpr uint64_t round_up(uint64_t n, uint64_t to) { return (n + to - 1) / to * to; }

}  // namespace amalgam

#endif
