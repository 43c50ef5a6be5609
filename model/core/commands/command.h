// Shared by the files of commands.  Each defines the functions that its row in hal/commands.def asks for and
// core_internal.h declares; the linker names those that are missing.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_CORE_COMMANDS_COMMAND_H
#define AMALGAM_CORE_COMMANDS_COMMAND_H

#include "base/size.h"
#include "core/core_internal.h"

// --- checks: false, and the error is written, if it is not so -------------------------------------

__attribute__((format(printf, 2, 3))) bool core_wrong(const core_checker_t *check, const char *format, ...);
bool core_one_or_more(const core_checker_t *check, const char *field, uint32_t value);
bool core_below(const core_checker_t *check, const char *field, uint32_t value, uint32_t limit);
bool core_expect(const core_checker_t *check, bool right, const char *field, uint32_t value, const char *expected);
// Alignment, distinct rows, and the end of the buffer: of all operands of a command, when core_NAME_check is content.
bool core_check_operands(const core_checker_t *check, const core_operand_t *operand, size_t count);
// "a cube core"
const char *core_kind_text(core_kind_t kind);

// --- operands -------------------------------------------------------------------------------------

enum {
  CORE_FRACTAL = STRIP * STRIP_ROW,  // bytes
  CORE_SUM_ROW = STRIP * 4,          // bytes of a row of a strip of L0C
  CORE_SUMS = STRIP * CORE_SUM_ROW,  // bytes of a fractal there
};

// A rectangle whose pitch is a field of the command.
static inline core_operand_t core_rectangle(core_space_t space, bool write, const char *field, uint64_t base,
                                            const char *pitch_field, uint64_t pitch, uint64_t rows,
                                            uint64_t row_bytes) {
  core_operand_t operand;  // field by field, which a compiler puts where it is to be: three times as fast as a literal
  operand.field = field;
  operand.pitch_field = pitch_field;
  operand.access.space = space;
  operand.access.write = write;
  operand.access.atomic = false;
  operand.access.base = base;
  operand.access.rows = rows;
  operand.access.row_bytes = row_bytes;
  operand.access.pitch = pitch;
  operand.extent = core_add(core_mul(rows - (rows != 0), pitch), row_bytes);
  operand.align = 32;
  return operand;
}

// A run of bytes.
static inline core_operand_t core_run(core_space_t space, bool write, const char *field, uint64_t base,
                                      uint64_t bytes) {
  return core_rectangle(space, write, field, base, NULL, bytes, 1, bytes);
}

static inline core_operand_t core_global(bool write, uint64_t base, uint64_t pitch, uint64_t rows, uint64_t row_bytes,
                                         uint32_t align) {
  core_operand_t operand = core_rectangle(SPACE_GM, write, "gm", base, "gm_pitch", pitch, rows, row_bytes);
  operand.align = align;
  return operand;
}

// Strips written with their rows padded to a multiple of 16.
static inline core_operand_t core_padded_strips(core_space_t space, const char *field, uint64_t base, uint32_t rows,
                                                uint64_t strips) {
  return core_run(space, true, field, base, core_mul(strips, core_round_16(rows) * STRIP_ROW));
}

// The same strips read without the padding.
static inline core_operand_t core_strip_rows(core_space_t space, const char *field, uint64_t base, uint32_t rows,
                                             uint64_t strips) {
  const uint64_t strip_bytes = core_round_16(rows) * STRIP_ROW;
  core_operand_t operand =
      core_rectangle(space, false, field, base, NULL, strip_bytes, strips, (uint64_t)rows * STRIP_ROW);
  operand.extent = core_mul(strips, strip_bytes);
  return operand;
}

// The tile of an MMAD: rows padded to a multiple of 16 floats, and a multiple of 16 of them.
static inline core_operand_t core_accumulator(bool write, uint64_t base, uint32_t m, uint32_t n) {
  const uint64_t pitch = core_round_16(n) * 4;
  core_operand_t operand = core_rectangle(SPACE_L0C, write, "l0c", base, NULL, pitch, m, (uint64_t)n * 4);
  operand.extent = core_mul(core_round_16(m), pitch);
  return operand;
}

// The same in strips of 16 columns: rows of 64 bytes, those of the last strip whole.
static inline core_operand_t core_accumulator_strips(bool write, uint64_t base, uint64_t pitch, uint32_t m,
                                                     uint32_t n) {
  return core_rectangle(SPACE_L0C, write, "l0c", base, NULL, pitch, core_strips(n), core_mul(m, CORE_SUM_ROW));
}

// Rows of the KV SRAM.
static inline core_operand_t core_kv_rows(bool write, uint32_t row, uint32_t stride) {
  core_operand_t operand = core_run(SPACE_KV, write, "row", row, stride);
  operand.align = 1;
  return operand;
}

// --- shapes ---------------------------------------------------------------------------------------

static inline core_shape_t core_in_rows(uint32_t type, uint64_t rows, uint64_t cols) {
  return (core_shape_t){.type = type, .layout = CORE_ROWS, .rows = rows, .cols = cols};
}

static inline core_shape_t core_in_strips(uint32_t type, uint64_t rows, uint64_t cols) {
  return (core_shape_t){.type = type, .layout = CORE_STRIPS, .rows = rows, .cols = cols};
}

static inline core_shape_t core_in_fractals(uint32_t type, uint64_t rows, uint64_t cols, uint64_t pitch,
                                            uint64_t block_pitch) {
  return (core_shape_t){
      .type = type, .layout = CORE_FRACTALS, .rows = rows, .cols = cols, .pitch = pitch, .block_pitch = block_pitch};
}

// Elements of a cube core's operands, whatever they mean.
static inline uint32_t core_element_type(uint32_t element) {
  return element == ELEMENT_8 ? CORE_TYPE_U8 : CORE_TYPE_U16;
}

// Bytes that a command moves whatever they mean.
static inline core_shape_t core_in_bytes(uint64_t rows, uint64_t row_bytes) {
  return core_in_rows(CORE_TYPE_U8, rows, row_bytes);
}

// --- where elements come from ---------------------------------------------------------------------

static inline core_source_t core_element(size_t tensor, uint64_t r, uint64_t c) {
  return (core_source_t){.tensor = tensor, .row = r, .rows = 1, .col = c, .cols = 1};
}

static inline core_source_t core_row_of(size_t tensor, const core_tensor_t *tensors, uint64_t r) {
  return (core_source_t){.tensor = tensor, .row = r, .rows = 1, .cols = tensors[tensor].cols};
}

// --- strips ---------------------------------------------------------------------------------------

enum {
  CORE_BLOCK = STRIP,  // rows of a strip that are moved at a time
  CORE_BLOCK_BYTES = CORE_FRACTAL,
};

static inline uint64_t core_strip_bytes(uint32_t rows, uint64_t strips) {
  return core_round_16(rows) * strips * STRIP_ROW;
}

// Strips as they are, the rows up to the next multiple of 16 zero.
void core_copy_strips(uint8_t *to, const uint8_t *from, size_t from_pitch, uint32_t rows, uint64_t strips);
// Rows as they are.
void core_copy_rows(uint8_t *to, size_t to_pitch, const uint8_t *from, size_t from_pitch, size_t rows,
                    size_t row_bytes);

// The key of block b's row in an engine's SRAM; its value follows it.
static inline uint16_t *core_kv_at(const core_memory_t *memory, size_t block, size_t row) {
  const size_t rows = memory->bytes[SPACE_KV];
  return (uint16_t *)(void *)memory->base[SPACE_KV] + (block * rows + row) * 2 * memory->engine->d;
}
// Keys of a chunk: all of the engine's blocks can hold them, and they are of its dimension.
bool core_check_dim(const core_checker_t *check, uint32_t dim);
bool core_check_keys(const core_checker_t *check, uint32_t keys, uint32_t stride);

#endif
