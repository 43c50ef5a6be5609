// Behaviour of the commands of cube cores, vector cores and attention engines: what is legal, what a command touches,
// what it costs and what it computes.  Plain C without time: a simulator decides when a command completes and calls
// core_execute then.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_CORE_CORE_H
#define AMALGAM_CORE_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/config.h"
#include "hal/command.h"
#include "num/engine/num_engine.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum core_kind core_kind_t;

// What a command does with data, and how a pipe carries it out (hal/commands.def).
typedef enum core_data { DATA_NONE, DATA_READ, DATA_COPY, DATA_MOVE, DATA_COMPUTE, DATA_LANES } core_data_t;
typedef enum core_class {
  CLASS_SET,
  CLASS_FLAG_WAIT,
  CLASS_CROSS_WAIT,
  CLASS_BARRIER,
  CLASS_SYNC,
  CLASS_LOOK,
  CLASS_LOAD,
  CLASS_STORE,
  CLASS_ENGINE,
  CLASS_LOCAL
} core_class_t;

// Address spaces.  All but SPACE_GM are private to a core; with the direct path a vector core reaches
// its cube core's L1, and as SPACE_PAIR_L1 that of the other AI core of its pair.  SPACE_KV is addressed
// by rows, not bytes: row r of an attention engine's every block.
typedef enum core_space {
  SPACE_GM,
  SPACE_L1,
  SPACE_L0A,
  SPACE_L0B,
  SPACE_L0C,
  SPACE_UB,
  SPACE_KV,
  SPACE_EB,
  SPACE_PAIR_L1,
  SPACE_COUNT
} core_space_t;

// Memory a command sees.  base[SPACE_GM] stands for address GM_BASE.  Spaces a core does not have
// are NULL with size 0.
// An engine's base[SPACE_KV] is [blocks][rows / blocks] of a key and its value, BF16 [2][d] each.
typedef struct core_memory {
  uint8_t *base[SPACE_COUNT];
  uint64_t bytes[SPACE_COUNT];  // SPACE_KV: rows
  const num_engine_t *engine;   // of an attention engine, what it is; else NULL
} core_memory_t;

// A strided rectangle of bytes that a command reads or writes.
typedef struct core_access {
  core_space_t space;
  bool write;  // an atomic operation is a write
  bool atomic;
  uint64_t base;  // GM: global address; else offset in the buffer
  uint64_t rows;
  uint64_t row_bytes;
  uint64_t pitch;
} core_access_t;

// A repeat of an operand of VINST is at most so many runs of bytes: 64 lanes with gaps between them, and 8 blocks.  It
// has four operands.
enum { CORE_LANE_RUNS = 64 + 8, CORE_MAX_ACCESSES = 4 * CORE_LANE_RUNS, CORE_ERROR_BYTES = 256 };

const char *core_pipe_name(unsigned pipe);       // "MTE2"; "?" if there is none
const char *core_command_name(unsigned opcode);  // "LOAD_NZ"
// "EXP", of a VEC or VINST; NULL of other commands, and if there is no such operation.
const char *core_operation_name(unsigned opcode, uint32_t op);
uint32_t core_operation(const command_t *command);  // 0 of other commands
bool core_instruction_has_scalar(uint32_t op);      // of VINST, VI_*: beside its operands
const char *core_space_name(core_space_t space);
const char *core_kind_name(core_kind_t kind);  // "cube"

// Does this kind of core have that pipe?
bool core_has_pipe(core_kind_t kind, unsigned pipe);
// In how many places of the machine (AI cores, engines) there are cores of that kind, and how many there are.
unsigned core_kind_groups(core_kind_t kind, const config_soc_t *soc);
unsigned core_kind_count(core_kind_t kind, const config_soc_t *soc);

// The kinds of core that take a command, ON_*, and its pipes on any of them, PIPE_BIT_*; 0 if there is no such command.
unsigned core_command_cores(unsigned opcode);
unsigned core_command_pipes(unsigned opcode);
// For an opcode below OP_COUNT.
core_class_t core_command_class(unsigned opcode);
core_data_t core_command_data(unsigned opcode);
// Does it hold its pipe until something has come or is done, and have no effect of its own?
bool core_command_waits(unsigned opcode);

// One line for timelines and messages: "LOAD_NZ gm=0x4000001000 gm_pitch=1152 ...".
void core_disassemble(const command_t *command, char *text, size_t size);

// Is this command well formed for this core: known opcode, right pipe, values in range,
// alignments, private buffers not left?  (GM ranges are the caller's to check, with core_accesses.)
// False: error says which field and what was expected.
__attribute__((warn_unused_result)) bool core_check(core_kind_t kind, const core_memory_t *memory,
                                                    const command_t *command, char error[CORE_ERROR_BYTES]);

// The rectangles that a command that passed core_check reads and writes, source operands first and all that is written
// last.  Commands that
// move no data have none.  GATHER_IN's rows in global memory are not among them: core_gather_row.
// Returns the number of accesses.
size_t core_accesses(const command_t *command, core_access_t access[CORE_MAX_ACCESSES]);

// A command's move between a core and global memory.
typedef struct core_move {
  bool store;              // core to GM, else GM to core
  uint64_t bytes;          // on their way; with GM_RESCALE one integer a row
  double bytes_per_cycle;  // of the pipe, alone on the machine
} core_move_t;

// Is it combined by the memory? The operation that combines it (GM_STORE: none does).
bool core_is_atomic(const command_t *command);
uint32_t core_gm_op(const command_t *command);

// Is it a FIXPIPE or FIX_L1? Then *tile is the FIXPIPE that does the same to its tile; of FIX_L1, whereto is missing.
bool core_tile_out(const command_t *command, cmd_fixpipe_t *tile);

// False if the command moves nothing to or from global memory.
bool core_moves(const config_t *config, const command_t *command, core_move_t *move);

// Cycles a command keeps its pipe busy, GM latency and waiting aside; moves at the full rate of
// their pipe.  0 for ATTN, which takes what the engine takes (engine/engine_control.h).
uint64_t core_cycles(const config_t *config, const command_t *command);
// Those of them that operands of a VINST cost which meet in banks of UB.
uint64_t core_bank_conflicts(const config_t *config, const command_t *command);

// Where a row of a GATHER_IN is: somewhere in global memory, nowhere (zeros), or its number is below
// -1.  The list is read as it is now.
typedef enum core_gather { CORE_GATHER_ROW, CORE_GATHER_NOTHING, CORE_GATHER_WRONG } core_gather_t;
core_gather_t core_gather_row(const core_memory_t *memory, const cmd_gather_in_t *command, uint32_t row,
                              uint64_t *address);

// Does the program that pushes it read what it brings?
static inline bool core_reads_value(const command_t *command) {
  return command->header.opcode_ == OP_READ_GM || command->header.opcode_ == OP_READ_VALUE;
}
// Does it hold the program until it is done? These do, and waits of pipe S.
bool core_holds_program(const command_t *command);
// Is it for pipe S, or a flag to or from it?
bool core_names_scalar(const command_t *command);

// What a READ_VALUE reads.
uint64_t core_value(const core_memory_t *memory, const cmd_read_value_t *command);

// Rows of a COPY_OUT that are sent to global memory: all but, with skip_zero, those whose operands
// are all 0 in memory as it is.  0 for other commands.
bool core_row_sent(const core_memory_t *memory, const cmd_copy_out_t *command, uint32_t row);
uint64_t core_rows_sent(const core_memory_t *memory, const command_t *command);

// The operands of an atomic command for a row of global memory, with RESCALE one word: where they are, or in room,
// which has as many words as that row, if they are converted on the way.
const uint32_t *core_atomic_row(const core_memory_t *memory, const command_t *command, uint64_t row, uint32_t *room);

// Carries out a command that passed core_check.  Atomic GM operations are applied element by
// element in row order (a simulator with atomic slices applies those itself).
void core_execute(const core_memory_t *memory, const command_t *command);

// What an ATTN asks the engine for, query by query: keys of the chunk below which some take part, rows
// streamed for `queries` of them side by side (at least one), and whether a key does take part.
uint32_t core_attn_limit(const cmd_attn_t *command, size_t query);
uint32_t core_attn_rows(const cmd_attn_t *command, size_t first, size_t queries);
bool core_attn_key(const core_memory_t *memory, const cmd_attn_t *command, size_t query, size_t key);

// A query's triplet in EB.
void core_triplet_get(const core_memory_t *memory, const cmd_attn_t *command, size_t query, num_triplet_t *triplet);
void core_triplet_put(const core_memory_t *memory, const cmd_attn_t *command, size_t query,
                      const num_triplet_t *triplet);

// FLOPs of a command: 2*m*n*k for MMAD, 0 for others.
uint64_t core_flops(const command_t *command);

#ifdef __cplusplus
}
#endif

#endif
