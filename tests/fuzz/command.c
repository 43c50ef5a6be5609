// Command words, one after the other, for the core that the first byte names: what passes core_check stays
// inside of the core's memories, has a price and can be carried out.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "fuzz.h"
#include "hal/registers.h"

enum { GM_BYTES = 64 << 10, KEYS = 64, DIM = 16, BLOCKS = 2, MOST_COMMANDS = 64 };

static const uint64_t bytes_of[CORE_KIND_COUNT][SPACE_COUNT] = {
    [CORE_CUBE] = {[SPACE_GM] = GM_BYTES,
                   [SPACE_L1] = 64 << 10,
                   [SPACE_L0A] = 8 << 10,
                   [SPACE_L0B] = 8 << 10,
                   [SPACE_L0C] = 16 << 10},
    [CORE_VECTOR] = {[SPACE_GM] = GM_BYTES, [SPACE_UB] = 24 << 10, [SPACE_L1] = 64 << 10, [SPACE_PAIR_L1] = 64 << 10},
    [CORE_ENGINE] = {[SPACE_GM] = GM_BYTES, [SPACE_KV] = KEYS / BLOCKS, [SPACE_EB] = 16 << 10},
};

static void make(core_kind_t kind, const num_engine_t *engine, core_memory_t *memory) {
  *memory = (core_memory_t){.engine = kind == CORE_ENGINE ? engine : NULL};
  for (unsigned space = 0; space < SPACE_COUNT; ++space) {
    const uint64_t unit = space == SPACE_KV ? (uint64_t)BLOCKS * 2 * DIM * 2 : 1;
    memory->bytes[space] = bytes_of[kind][space];
    if (memory->bytes[space] > 0) {
      memory->base[space] = calloc(memory->bytes[space], unit);
      FUZZ_EXPECT(memory->base[space] != NULL);
    }
  }
}

static void release(core_memory_t *memory) {
  for (unsigned space = 0; space < SPACE_COUNT; ++space) {
    free(memory->base[space]);
  }
}

// Private memories are core_check's to hold; is global memory held, too?
static bool is_inside(const core_memory_t *memory, const command_t *command) {
  core_access_t list[CORE_MAX_ACCESSES];
  const size_t count = core_accesses(command, list);
  bool inside = true;
  FUZZ_EXPECT(count <= CORE_MAX_ACCESSES);
  for (size_t i = 0; i < count; ++i) {
    const core_access_t *a = &list[i];
    const uint64_t base = a->space == SPACE_GM ? a->base - GM_BASE : a->base;
    const uint64_t room = memory->bytes[a->space];
    const bool fits = a->rows == 0 || a->row_bytes == 0 ||
                      (base <= room && a->row_bytes <= room - base &&
                       (a->rows == 1 || a->pitch <= (room - base - a->row_bytes) / (a->rows - 1)));
    FUZZ_EXPECT(fits || a->space == SPACE_GM);
    inside = inside && fits;
  }
  for (uint32_t row = 0; inside && command->header.opcode_ == OP_GATHER_IN && row < command->gather_in.rows; ++row) {
    uint64_t address = 0;
    const core_gather_t what = core_gather_row(memory, &command->gather_in, row, &address);
    const uint64_t from = address - GM_BASE;
    inside = what != CORE_GATHER_WRONG &&
             (what == CORE_GATHER_NOTHING || (from <= GM_BYTES && command->gather_in.row_bytes <= GM_BYTES - from));
  }
  return inside;
}

static void try(core_kind_t kind, const core_memory_t *memory, const config_t *config, const command_t *command) {
  char error[CORE_ERROR_BYTES] = "", text[512];
  core_move_t move;
  core_disassemble(command, text, sizeof text);
  FUZZ_EXPECT(strlen(text) < sizeof text && strchr(text, '\n') == NULL);
  if (!core_check(kind, memory, command, error)) {
    FUZZ_EXPECT(error[0] != '\0' && strchr(error, '\n') == NULL);
    return;
  }
  core_cycles(config, command);
  core_flops(command);
  core_is_atomic(command);
  core_moves(config, command, &move);
  if (is_inside(memory, command)) {
    core_execute(memory, command);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  static config_t config;
  static num_engine_t engine;
  base_error_t message;
  core_memory_t memory;
  command_t command;
  if (config.soc.clock_mhz == 0) {
    FUZZ_EXPECT(config_load(CONFIG_FILE, &config, &message));
    engine = (num_engine_t){.design = NUM_DESIGN_FA2, .d = DIM, .blocks = BLOCKS, .rows = KEYS};
  }
  if (size == 0) {
    return 0;
  }
  const core_kind_t kind = (core_kind_t)(bytes[0] % CORE_KIND_COUNT);
  make(kind, &engine, &memory);
  for (size_t at = 1, done = 0; at < size && done < MOST_COMMANDS; at += sizeof command, ++done) {
    memset(&command, 0, sizeof command);
    memcpy(&command, bytes + at, size - at < sizeof command ? size - at : sizeof command);
    try(kind, &memory, &config, &command);
  }
  release(&memory);
  return 0;
}
