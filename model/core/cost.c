// Cycles a command keeps its pipe busy.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "core_internal.h"

// The next whole cycle; a quotient that misses a whole number by rounding alone is that number.
static uint64_t whole_cycles(double cycles) {
  const double nearest = rint(cycles);
  return (uint64_t)(fabs(cycles - nearest) <= 1e-9 * cycles ? nearest : ceil(cycles));
}

static uint64_t transfer(uint64_t bytes, double bytes_per_cycle) {
  const uint64_t cycles = whole_cycles((double)bytes / bytes_per_cycle);
  return cycles > 0 ? cycles : 1;
}

static uint64_t strip_bytes(uint32_t rows, uint32_t cols) {
  return core_round_16(rows) * core_strips(cols) * STRIP_ROW;
}

static uint64_t mmad(const config_cube_t *cube, const cmd_mmad_t *c) {
  return cube->mmad_startup +
         core_ceil_div(c->m, cube->mac_m) * core_ceil_div(c->k, cube->mac_k) * core_ceil_div(c->n, cube->mac_n);
}

bool core_is_atomic(const command_t *command) {
  const unsigned opcode = command->header.opcode_;
  return (opcode == OP_FIXPIPE && command->fixpipe.op != GM_STORE) ||
         (opcode == OP_COPY_OUT && command->copy_out.op != GM_STORE);
}

static core_move_t move_of(const config_t *config, uint64_t bytes, double gbps, bool store) {
  return (core_move_t){.store = store, .bytes = bytes, .bytes_per_cycle = config_bytes_per_cycle(config, gbps)};
}

bool core_moves(const config_t *config, const command_t *command, core_move_t *move) {
  switch (command->header.opcode_) {
    case OP_LOAD_NZ: {
      const cmd_load_nz_t *c = &command->load_nz;
      const uint64_t cols = c->strips == 0 ? c->cols : core_strips(c->cols) * STRIP;
      *move = move_of(config, c->rows * cols * 2, config->cube.load_gbps, false);
      return true;
    }
    case OP_FIXPIPE: {
      const cmd_fixpipe_t *c = &command->fixpipe;
      *move = move_of(config, (uint64_t)c->m * c->n * core_type_bytes(c->type), config->cube.store_gbps, true);
      return true;
    }
    case OP_COPY_IN: {
      const cmd_copy_in_t *c = &command->copy_in;
      *move = move_of(config, (uint64_t)c->rows * c->row_bytes, config->vector.load_gbps, false);
      return true;
    }
    case OP_GATHER_IN: {
      const cmd_gather_in_t *c = &command->gather_in;
      *move = move_of(config, (uint64_t)c->rows * c->row_bytes, config->vector.load_gbps, false);
      return true;
    }
    case OP_COPY_OUT: {
      const cmd_copy_out_t *c = &command->copy_out;
      const uint64_t row_bytes = c->op == GM_RESCALE ? 4 : c->row_bytes;
      *move = move_of(config, c->rows * row_bytes, config->vector.store_gbps, true);
      return true;
    }
    case OP_LOAD_KV: {
      const cmd_load_kv_t *c = &command->load_kv;
      *move = move_of(config, (uint64_t)c->keys * c->dim * 4, config->engine.load_gbps, false);
      return true;
    }
    case OP_LOAD_EB: {
      const cmd_load_eb_t *c = &command->load_eb;
      *move = move_of(config, (uint64_t)c->rows * c->row_bytes, config->engine.load_gbps, false);
      return true;
    }
    case OP_STORE_EB: {
      const cmd_store_eb_t *c = &command->store_eb;
      *move = move_of(config, (uint64_t)c->rows * c->row_bytes, config->engine.store_gbps, true);
      return true;
    }
    default:
      return false;
  }
}

// Repeats over elements of so many bytes.
static uint64_t repeats_of(const config_vector_t *vector, const cmd_vec_t *c, uint64_t bytes) {
  const uint64_t row_bytes = c->cols * bytes;
  return core_vec_is_packed(c) ? core_ceil_div(c->rows * row_bytes, vector->repeat_bytes)
                               : c->rows * core_ceil_div(row_bytes, vector->repeat_bytes);
}

// To 16 bits, and from there to FP32; or the way back.
static uint64_t cast_e4m3(const config_vector_t *vector, const cmd_vec_t *c) {
  const double narrow = vector->e4m3_emulated ? vector->e4m3_emulated_cycles : vector->e4m3_native_cycles;
  const double wide = c->to == TYPE_E4M3 ? vector->cast_cycles : vector->widen_cycles;
  return vector->cast_startup +
         whole_cycles((double)repeats_of(vector, c, 2) * narrow + (double)repeats_of(vector, c, 4) * wide);
}

static uint64_t vec(const config_vector_t *vector, const cmd_vec_t *c) {
  if (c->op == VOP_CAST && (c->from == TYPE_E4M3 || c->to == TYPE_E4M3)) {
    return cast_e4m3(vector, c);
  }
  const double *per_repeat = NULL;
  uint32_t startup = 0;
  switch (c->op) {
#define VOP(name, config, text)            \
  case VOP_##name:                         \
    per_repeat = &vector->config##_cycles; \
    startup = vector->config##_startup;    \
    break;
#include "hal/vector_ops.def"
#undef VOP
    default:
      return 0;
  }
  if (per_repeat == &vector->alu_cycles && c->b_kind == OPERAND_SCALAR) {
    per_repeat = &vector->scalar_cycles;
    startup = vector->scalar_startup;
  }
  if (c->op == VOP_CAST && core_type_is_int4(c->from)) {
    per_repeat = &vector->cast_int4_cycles;
  }
  // The widest operand of an operation has 4 bytes an element, unless all have 2 or less.
  const bool narrow = core_vec_from(c) != TYPE_F32 && core_vec_to(c) == TYPE_F16;
  const uint64_t repeats = repeats_of(vector, c, narrow ? 2 : 4);
  return startup + whole_cycles((double)repeats * *per_repeat);
}

uint64_t core_cycles(core_kind_t kind, const config_t *config, const command_t *command) {
  const config_cube_t *cube = &config->cube;
  const config_vector_t *vector = &config->vector;
  switch (command->header.opcode_) {
    case OP_PIPE_BARRIER:
      return kind == CORE_VECTOR && command->header.pipe_ == PIPE_V ? vector->drain : config->soc.flag_cycles;
    case OP_LOAD_NZ:
    case OP_FIXPIPE:
    case OP_COPY_IN:
    case OP_GATHER_IN:
    case OP_COPY_OUT:
    case OP_LOAD_KV:
    case OP_LOAD_EB:
    case OP_STORE_EB: {
      core_move_t move;
      core_moves(config, command, &move);
      return transfer(move.bytes, move.bytes_per_cycle);
    }
    case OP_LOAD_A: {
      const cmd_load_a_t *c = &command->load_a;
      return transfer(strip_bytes(c->m, c->k), cube->l0a_bytes_per_cycle);
    }
    case OP_LOAD_B: {
      const cmd_load_b_t *c = &command->load_b;
      return transfer(strip_bytes(c->k, c->n), cube->l0b_bytes_per_cycle);
    }
    case OP_COPY_L1: {
      const cmd_copy_l1_t *c = &command->copy_l1;
      return transfer(core_strips(c->cols) * c->rows * STRIP_ROW, vector->direct_bytes_per_cycle);
    }
    case OP_MMAD:
      return mmad(cube, &command->mmad);
    case OP_VEC:
      return vec(vector, &command->vec);
    case OP_ATTN:
      return 0;  // the engine's handshakes decide
    default:
      return config->soc.flag_cycles;
  }
}

uint64_t core_flops(const command_t *command) {
  const cmd_mmad_t *c = &command->mmad;
  return command->header.opcode_ == OP_MMAD ? (uint64_t)2 * c->m * c->n * c->k : 0;
}
