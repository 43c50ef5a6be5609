// Private to model/core: what its files share.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_CORE_CORE_INTERNAL_H
#define AMALGAM_CORE_CORE_INTERNAL_H

#include "core/core.h"
#include "hal/registers.h"

static inline uint64_t core_ceil_div(uint64_t x, uint64_t y) { return x / y + (x % y != 0); }
static inline uint64_t core_strips(uint32_t x) { return core_ceil_div(x, STRIP); }
static inline uint64_t core_round_16(uint32_t x) { return core_strips(x) * 16; }

// Products and sums that stick at the largest value instead of wrapping: what they describe fits
// into no memory, and is refused for that.
static inline uint64_t core_mul(uint64_t x, uint64_t y) {
  uint64_t product;
  return __builtin_mul_overflow(x, y, &product) ? UINT64_MAX : product;
}
static inline uint64_t core_add(uint64_t x, uint64_t y) {
  uint64_t sum;
  return __builtin_add_overflow(x, y, &sum) ? UINT64_MAX : sum;
}

static inline uint8_t *core_at(const core_memory_t *memory, core_space_t space, uint64_t address) {
  return memory->base[space] + (space == SPACE_GM ? address - GM_BASE : address);
}

// Bytes of an element; 0 if there is no such type, or several elements share a byte.
uint32_t core_type_bytes(uint32_t type);

// Nibbles?
static inline bool core_type_is_int4(uint32_t type) { return type == TYPE_S4 || type == TYPE_U4; }

// Bytes of a row of elements.
uint64_t core_row_bytes(uint32_t type, uint64_t cols);

// What a vector operation reads (a, and b and c if there are) and writes; the operations that have
// no choice of types: TYPE_F32.
uint32_t core_vec_from(const cmd_vec_t *command);
uint32_t core_vec_to(const cmd_vec_t *command);

// Bytes of a triplet in EB: the maximum, then the elements.
static inline uint64_t core_triplet_bytes(uint32_t dim) { return 4 * ((uint64_t)dim + 2); }

// One side of a command in memory: the bytes it touches and the rules its fields obey.
typedef struct core_operand {
  const char *field;        // the command's field that holds base
  const char *pitch_field;  // likewise; NULL if the pitch follows from the layout
  core_access_t access;     // exactly what is read or written
  uint64_t extent;          // bytes from base to the end of what it takes, padding included
  uint32_t align;           // of base and of a pitch that is a field
} core_operand_t;

// The operands of a command with a known opcode (VEC: and a known op), sources first; sizes are as
// the fields say, checked or not, and never wrap. Returns their number.
size_t core_operands(const command_t *command, core_operand_t operand[CORE_MAX_ACCESSES]);

// What a vector operation uses.
typedef struct core_vec_form {
  bool a, b;        // b: a tile, one value a row or a scalar, as b_kind says
  bool b_groups;    // b: one value for each VEC_SCALE_COLS columns of a row, whatever b_kind says
  bool c;           // third FP32 tile
  bool mask;        // c is a bit mask
  bool dst_mask;    // dst is a bit mask
  bool dst_column;  // dst is one FP32 a row, packed
} core_vec_form_t;

extern const core_vec_form_t core_vec_forms[VOP_COUNT];

// All rows lie end to end in every operand, so that the tile may be taken as one long row.
bool core_vec_is_packed(const cmd_vec_t *command);

// The commands themselves; each has passed core_check.
void core_load_nz(const core_memory_t *memory, const cmd_load_nz_t *command);
void core_load_a(const core_memory_t *memory, const cmd_load_a_t *command);
void core_load_b(const core_memory_t *memory, const cmd_load_b_t *command);
void core_mmad(const core_memory_t *memory, const cmd_mmad_t *command);
void core_fixpipe(const core_memory_t *memory, const cmd_fixpipe_t *command);
void core_copy_in(const core_memory_t *memory, const cmd_copy_in_t *command);
void core_gather_in(const core_memory_t *memory, const cmd_gather_in_t *command);
void core_copy_out(const core_memory_t *memory, const cmd_copy_out_t *command);
// The L1 that a COPY_L1 writes.
core_space_t core_copy_l1_to(const cmd_copy_l1_t *command);
void core_copy_l1(const core_memory_t *memory, const cmd_copy_l1_t *command);
void core_vec(const core_memory_t *memory, const cmd_vec_t *command);
// Rows of some vector operations, see vector_half.c; tile: b has an element for each of a's.
void core_cast_int4_row(const cmd_vec_t *command, uint8_t *dst, const uint8_t *a, size_t n);
void core_combine_half_row(unsigned op, uint8_t *dst, const uint8_t *a, const uint8_t *b, size_t n);
void core_fma_half_row(bool tile, uint8_t *dst, const float *a, const float *b, const float *c, size_t n);
void core_load_kv(const core_memory_t *memory, const cmd_load_kv_t *command);
void core_load_eb(const core_memory_t *memory, const cmd_load_eb_t *command);
void core_attn(const core_memory_t *memory, const cmd_attn_t *command);
void core_store_eb(const core_memory_t *memory, const cmd_store_eb_t *command);

#endif
