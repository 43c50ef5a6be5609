// The calls of firmware: pushing commands and reading the machine's registers.
//
// Names follow Ascend C where it has one (DataCopy, LoadData, Mmad, Fixpipe, SetFlag, WaitFlag,
// PipeBarrier, CrossCoreSetFlag, CrossCoreWaitFlag).  Arguments are the command's fields by name,
// see commands.def; fields left out are 0:
//
//   mmad(.l0a = a, .l0b = b, .l0c = c, .m = 128, .n = 128, .k = 96, .type = TYPE_BF16);
//
// A push returns when the command is in its queue, not when it is done; only read_gm and read_ub, read_value wait for
// that.  The same sources build for RV64 (registers are memory) and as a shared object for the host (registers are
// calls).
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_HAL_HAL_H
#define AMALGAM_SW_HAL_HAL_H

#include <stddef.h>
#include <stdint.h>

#include "hal/command.h"
#include "hal/registers.h"

#ifdef __cplusplus
extern "C" {
#endif

// Entry points of a kernel; boot code calls the one of the core it runs on.  A kernel defines those
// of the cores it uses; the others have nothing to do.
#define CORE_KIND(NAME, name, text, groups, each) void name##_main(void);
#include "hal/core_kinds.def"

#ifdef __riscv

static inline uint64_t hal_read(enum scalar_register reg) {
  return *(const volatile uint64_t *)(SCALAR_MMIO_BASE + reg);
}
static inline void hal_write(enum scalar_register reg, uint64_t value) {
  __asm__ volatile("" ::: "memory");  // a command is complete in RAM before it is pushed
  *(volatile uint32_t *)(SCALAR_MMIO_BASE + reg) = (uint32_t)value;
}
// Pointer to bytes of global memory inside this core's window.
static inline const void *hal_gm(uint64_t address) { return (const void *)address; }

__attribute__((always_inline)) static inline uint64_t hal_pc(void) {
  uint64_t pc;
  __asm__ volatile("auipc %0, 0" : "=r"(pc));
  return pc;
}

// Fields that are known to be zero need no write.
__attribute__((always_inline)) static inline void hal_field(uint32_t offset, uint32_t value) {
  if (!__builtin_constant_p(value) || value != 0) {
    *(volatile uint32_t *)(SCALAR_MMIO_BASE + REG_WINDOW + offset) = value;
  }
}
__attribute__((always_inline)) static inline void hal_commit(uint8_t opcode, uint8_t pipe, uint64_t pc) {
  hal_write(REG_PUSH, (pc >> 1) << 9 | (uint32_t)pipe << 5 | opcode);
}

// hal_push_mmad(const cmd_mmad_t *): the fields of a command into the window, and the push.
#define COMMAND(NAME, name, cores, pipes, class, data, cost, entry, text)                      \
  __attribute__((always_inline)) static inline void hal_push_##name(const cmd_##name##_t *c) { \
    typedef cmd_##name##_t command;                                                            \
    (void)sizeof(command);
#define FIELD(type, field, text)                                                   \
  hal_field(offsetof(command, field), (uint32_t)c->field);                         \
  if (sizeof(type) == 8) {                                                         \
    hal_field(offsetof(command, field) + 4, (uint32_t)((uint64_t)c->field >> 32)); \
  }
#define END_COMMAND(name)                   \
  hal_commit(c->opcode_, c->pipe_, c->pc_); \
  }
#include "hal/commands.def"

#else

#include "hal/native.h"

extern const hal_host_t *hal_host;  // set by the simulator before an entry point is called

static inline uint64_t hal_read(enum scalar_register reg) { return hal_host->read(reg); }
static inline void hal_write(enum scalar_register reg, uint64_t value) { hal_host->write(reg, value); }
static inline const void *hal_gm(uint64_t address) { return hal_host->gm(address); }

__attribute__((always_inline)) static inline uint64_t hal_pc(void) {
  uint64_t pc;
#ifdef __aarch64__
  __asm__ volatile("adr %0, ." : "=r"(pc));
#else
  __asm__ volatile("lea 0(%%rip), %0" : "=r"(pc));
#endif
  return pc;
}

// A command is read where it stands.
#define COMMAND(NAME, name, cores, pipes, class, data, cost, entry, text) \
  static inline void hal_push_##name(const cmd_##name##_t *command) {     \
    hal_write(REG_PUSH, (uint64_t)(uintptr_t)command);                    \
  }
#include "hal/commands.def"

#endif

// Stops this core's program; a code other than 0 ends the run as a panic.
static inline void hal_halt(uint64_t code) { hal_write(REG_HALT, code); }

#ifdef __cplusplus
}
#else  // C++ has no compound literals: there commands are structures, which hal_push_NAME takes

// FP32 bits, as fields of commands take them: .scalar = F32(1e-6).  Of a constant they are one; anything else is
// computed without floating-point instructions, which scalar cores lack.
#define F32(x)              \
  (((const union {          \
     float value;           \
     uint32_t bits;         \
   }){.value = (float)(x)}) \
       .bits)

#define HAL_PUSH(NAME, name, on_pipe, ...)                                                              \
  do {                                                                                                  \
    cmd_##name##_t command_ = {.opcode_ = OP_##NAME, .pipe_ = (on_pipe), .pc_ = hal_pc(), __VA_ARGS__}; \
    hal_push_##name(&command_);                                                                         \
  } while (0)

#define data_copy_gm_to_l1(...) HAL_PUSH(LOAD_NZ, load_nz, PIPE_MTE2, __VA_ARGS__)
#define load_data_a(...) HAL_PUSH(LOAD_A, load_a, PIPE_MTE1, __VA_ARGS__)
#define load_data_b(...) HAL_PUSH(LOAD_B, load_b, PIPE_MTE1, __VA_ARGS__)
#define load_data_2d(...) HAL_PUSH(LOAD_FRACTALS, load_fractals, PIPE_MTE1, __VA_ARGS__)
#define mmad(...) HAL_PUSH(MMAD, mmad, PIPE_M, __VA_ARGS__)
#define fixpipe(...) HAL_PUSH(FIXPIPE, fixpipe, PIPE_FIX, __VA_ARGS__)
#define fixpipe_to_l1(...) HAL_PUSH(FIX_L1, fix_l1, PIPE_FIX, __VA_ARGS__)
#define data_copy_gm_to_ub(...) HAL_PUSH(COPY_IN, copy_in, PIPE_MTE2, __VA_ARGS__)
#define data_gather_gm_to_ub(...) HAL_PUSH(GATHER_IN, gather_in, PIPE_MTE2, __VA_ARGS__)
#define data_copy_ub_to_gm(...) HAL_PUSH(COPY_OUT, copy_out, PIPE_MTE3, __VA_ARGS__)
#define data_copy_ub_to_l1(...) HAL_PUSH(COPY_L1, copy_l1, PIPE_MTE3, __VA_ARGS__)
#define vector_op(...) HAL_PUSH(VEC, vec, PIPE_V, __VA_ARGS__)
// Its fields may also come as a structure, which needs no C: hal_push_vinst(const cmd_vinst_t *).
#define vector_instruction(...) HAL_PUSH(VINST, vinst, PIPE_V, __VA_ARGS__)
#define load_kv(...) HAL_PUSH(LOAD_KV, load_kv, PIPE_LOAD, __VA_ARGS__)
#define data_copy_gm_to_eb(...) HAL_PUSH(LOAD_EB, load_eb, PIPE_LOAD, __VA_ARGS__)
#define attention_op(...) HAL_PUSH(ATTN, attn, PIPE_ATTN, __VA_ARGS__)
#define data_copy_eb_to_gm(...) HAL_PUSH(STORE_EB, store_eb, PIPE_STORE, __VA_ARGS__)

// Holds this program until MTE2 has done all commands so far; then bytes at hal_gm(address) are as commands have left
// them.
#define read_gm(address, count) HAL_PUSH(READ_GM, read_gm, PIPE_MTE2, .gm = (address), .bytes = (count))

// Holds this program until a pipe has done all commands so far, as a flag from that pipe to the program would; then
// reads a number of so many bytes in UB, or in any array. A number that is written to UB comes after the pipe's
// commands so far and before those that follow, as if the program had waited for a flag from the pipe and raised one
// for it.  PIPE_S is the program itself, which then says by flags to and from that pipe what its numbers are ordered
// with; whatever it pushes after a wait of PIPE_S comes after what it has waited for.
#define HAL_VALUE(on_pipe, ...)                                                                          \
  (hal_push_read_value(                                                                                  \
       &(cmd_read_value_t){.opcode_ = OP_READ_VALUE, .pipe_ = (on_pipe), .pc_ = hal_pc(), __VA_ARGS__}), \
   hal_read(REG_VALUE))
#define read_ub(on_pipe, address, count) HAL_VALUE(on_pipe, .ub = (address), .bytes = (count))
#define read_value(on_pipe, address, count) HAL_VALUE(on_pipe, .gm = (address), .bytes = (count))
#define write_ub(on_pipe, address, count, number) \
  HAL_PUSH(WRITE_VALUE, write_value, on_pipe, .ub = (address), .bytes = (count), .value = (number))
#define write_value(on_pipe, address, count, number) \
  HAL_PUSH(WRITE_VALUE, write_value, on_pipe, .gm = (address), .bytes = (count), .value = (number))
// Global memory is seen through the scalar core's cache, which nothing keeps up to date: before numbers that others
// have written are read again, and after others' are written, clean_lines(pipe, address), or of all lines with address
// 0.
#define clean_lines(on_pipe, address) HAL_PUSH(CLEAN_LINES, clean_lines, on_pipe, .gm = (address))

// Pipe from raises a flag for pipe to; pipe to waits for it.  Both are queued commands.
#define set_flag(from_pipe, to_pipe, event_id) \
  HAL_PUSH(SET_FLAG, set_flag, from_pipe, .to = (to_pipe), .event = (event_id))
#define wait_flag(from_pipe, to_pipe, event_id) \
  HAL_PUSH(WAIT_FLAG, wait_flag, to_pipe, .from = (from_pipe), .event = (event_id))
// Later commands of pipe to begin when the earlier ones of pipe from are done.
#define order_pipes(from_pipe, to_pipe, event_id) \
  do {                                            \
    set_flag(from_pipe, to_pipe, event_id);       \
    wait_flag(from_pipe, to_pipe, event_id);      \
  } while (0)
#define cross_core_set_flag(on_pipe, flag_id) HAL_PUSH(CROSS_SET, cross_set, on_pipe, .flag = (flag_id))
#define cross_core_wait_flag(on_pipe, flag_id) HAL_PUSH(CROSS_WAIT, cross_wait, on_pipe, .flag = (flag_id))
#define pair_set_flag(on_pipe, flag_id) HAL_PUSH(PAIR_SET, pair_set, on_pipe, .flag = (flag_id))
#define pair_wait_flag(on_pipe, flag_id) HAL_PUSH(PAIR_WAIT, pair_wait, on_pipe, .flag = (flag_id))
#define sync_all(on_pipe) HAL_PUSH(SYNC_ALL, sync_all, on_pipe, .zero_ = 0)
// Words of flags (soc_buffer_t.flags), in memory of any die: the only way to another die. A signal comes after all that
// its pipe has stored so far; whoever awaits the word that it made large enough comes after that, too.
#define signal_word(on_pipe, address, number) \
  HAL_PUSH(SIGNAL, signal, on_pipe, .gm = (address), .value = (number), .op = GM_STORE)
#define signal_add(on_pipe, address, number) \
  HAL_PUSH(SIGNAL, signal, on_pipe, .gm = (address), .value = (number), .op = GM_ADD_S32_RAW)
#define await_word(on_pipe, address, least) HAL_PUSH(AWAIT, await, on_pipe, .gm = (address), .value = (least))
#define mark(on_pipe, as_number) HAL_PUSH(MARK, mark, on_pipe, .number = (as_number))
// Of PIPE_S: holds the program until all pipes of the core have done all commands so far.
#define pipe_barrier(on_pipe) HAL_PUSH(PIPE_BARRIER, pipe_barrier, on_pipe, .zero_ = 0)

#endif

#endif
