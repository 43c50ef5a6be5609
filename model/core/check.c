// Is a command well formed?  Nothing of the command is believed here: sizes are computed with
// arithmetic that sticks instead of wrapping (core_operands).
// SPDX-License-Identifier: Apache-2.0
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core_internal.h"

typedef struct checker {
  core_kind_t kind;
  const core_memory_t *memory;
  const command_t *command;
  bool known_vop;  // a VEC of a known operation
  char *error;
} checker_t;

__attribute__((format(printf, 2, 3))) static bool wrong(const checker_t *check, const char *format, ...) {
  const char *name = core_command_name(check->command->header.opcode_);
  const int length = check->known_vop ? snprintf(check->error, CORE_ERROR_BYTES, "%s %s ", name,
                                                 core_vector_op_name(check->command->vec.op))
                                      : snprintf(check->error, CORE_ERROR_BYTES, "%s ", name);
  va_list args;
  va_start(args, format);
  vsnprintf(check->error + length, CORE_ERROR_BYTES - (size_t)length, format, args);
  va_end(args);
  return false;
}

static const char *a_core(core_kind_t kind) {
  static const char *const names[CORE_KIND_COUNT] = {
#define CORE_KIND(NAME, name, text, groups, each) text,
#include "hal/core_kinds.def"
#undef CORE_KIND
  };
  return names[kind];
}

static bool has_pipe(core_kind_t kind, uint32_t pipe) {
  return pipe < PIPE_COUNT && (core_kind_pipes(kind) >> pipe & 1) != 0;
}

static bool one_or_more(const checker_t *check, const char *field, uint32_t value) {
  return value > 0 || wrong(check, "%s=0: expected 1 or more", field);
}

static bool below(const checker_t *check, const char *field, uint32_t value, uint32_t limit) {
  return value < limit || wrong(check, "%s=%u: expected 0 to %u", field, value, limit - 1);
}

static bool expect(const checker_t *check, bool right, const char *field, uint32_t value, const char *expected) {
  return right || wrong(check, "%s=%u: expected %s", field, value, expected);
}

// Alignment, distinct rows, and the end of the buffer.
static bool check_operand(const checker_t *check, const core_operand_t *operand) {
  const core_access_t *access = &operand->access;
  const unsigned long long base = access->base;
  const unsigned long long pitch = access->pitch;
  if (base % operand->align != 0) {
    return wrong(check, "%s=0x%llx: expected a multiple of %u", operand->field, base, operand->align);
  }
  if (operand->pitch_field != NULL && pitch % operand->align != 0) {
    return wrong(check, "%s=%llu: expected a multiple of %u", operand->pitch_field, pitch, operand->align);
  }
  if (access->write && access->rows > 1 && access->pitch < access->row_bytes) {
    return wrong(check, "%s=%llu: expected %llu or more, the rows written would overlap", operand->pitch_field, pitch,
                 (unsigned long long)access->row_bytes);
  }
  const unsigned long long extent = operand->extent;
  if (access->space == SPACE_GM) {
    return extent <= UINT64_MAX - base ||
           wrong(check, "%s=0x%llx: tile of %llu bytes leaves the address space", operand->field, base, extent);
  }
  const unsigned long long size = check->memory->bytes[access->space];
  const char *unit = access->space == SPACE_KV ? "rows" : "bytes";
  return (extent <= size && base <= size - extent) ||
         wrong(check, "%s=0x%llx: tile of %llu %s leaves %s of %llu %s", operand->field, base, extent, unit,
               core_space_name(access->space), size, unit);
}

static bool check_operands(const checker_t *check) {
  core_operand_t operand[CORE_MAX_ACCESSES];
  const size_t count = core_operands(check->command, operand);
  for (size_t i = 0; i < count; ++i) {
    if (!check_operand(check, &operand[i])) {
      return false;
    }
  }
  return true;
}

static bool check_other_pipe(const checker_t *check, const char *field, uint32_t pipe, uint32_t event) {
  if (!has_pipe(check->kind, pipe)) {
    return wrong(check, "%s=%u: expected a pipe of %s", field, pipe, a_core(check->kind));
  }
  if (pipe == check->command->header.pipe_) {
    return wrong(check, "%s=%s: expected another pipe than its own", field, core_pipe_name(pipe));
  }
  return below(check, "event", event, FLAG_EVENTS);
}

static bool check_load_nz(const checker_t *check, const cmd_load_nz_t *c) {
  return one_or_more(check, "rows", c->rows) && one_or_more(check, "cols", c->cols) &&
         below(check, "strips", c->strips, 2) && check_operands(check);
}

static bool check_load_a(const checker_t *check, const cmd_load_a_t *c) {
  return one_or_more(check, "m", c->m) && one_or_more(check, "k", c->k) && check_operands(check);
}

static bool check_load_b(const checker_t *check, const cmd_load_b_t *c) {
  return one_or_more(check, "k", c->k) && one_or_more(check, "n", c->n) && below(check, "transpose", c->transpose, 2) &&
         check_operands(check);
}

static bool check_mmad(const checker_t *check, const cmd_mmad_t *c) {
  return one_or_more(check, "m", c->m) && one_or_more(check, "n", c->n) && one_or_more(check, "k", c->k) &&
         below(check, "accumulate", c->accumulate, 2) &&
         expect(check, c->type == TYPE_BF16 || c->type == TYPE_F16, "type", c->type, "TYPE_BF16 or TYPE_F16") &&
         check_operands(check);
}

static bool check_fixpipe(const checker_t *check, const cmd_fixpipe_t *c) {
  return one_or_more(check, "m", c->m) && one_or_more(check, "n", c->n) &&
         expect(check, c->type == TYPE_F32 || c->type == TYPE_BF16 || c->type == TYPE_F16, "type", c->type,
                "TYPE_F32, TYPE_BF16 or TYPE_F16") &&
         expect(check, c->op == GM_STORE || (c->op == GM_ADD_F32 && c->type == TYPE_F32), "op", c->op,
                "GM_STORE, or GM_ADD_F32 with TYPE_F32") &&
         check_operands(check);
}

static bool check_copy_in(const checker_t *check, const cmd_copy_in_t *c) {
  return one_or_more(check, "rows", c->rows) && one_or_more(check, "row_bytes", c->row_bytes) && check_operands(check);
}

static bool check_gather_in(const checker_t *check, const cmd_gather_in_t *c) {
  return one_or_more(check, "rows", c->rows) && one_or_more(check, "row_bytes", c->row_bytes) &&
         one_or_more(check, "page", c->page) &&
         expect(check, c->rows - 1 <= UINT32_MAX - c->first, "first", c->first, "places below 2^32") &&
         check_operands(check);
}

static bool check_copy_out(const checker_t *check, const cmd_copy_out_t *c) {
  return one_or_more(check, "rows", c->rows) && one_or_more(check, "row_bytes", c->row_bytes) &&
         below(check, "op", c->op, GM_OP_COUNT) &&
         expect(check, c->op == GM_STORE || c->row_bytes % 4 == 0, "row_bytes", c->row_bytes,
                "a multiple of 4 with an atomic operation") &&
         below(check, "skip_zero", c->skip_zero, 2) &&
         expect(check, c->skip_zero == 0 || (c->op != GM_STORE && c->op != GM_ADD_F32), "skip_zero", c->skip_zero,
                "0 without an operation on integers") &&
         check_operands(check);
}

static bool check_copy_l1(const checker_t *check, const cmd_copy_l1_t *c) {
  if (check->memory->bytes[SPACE_L1] == 0) {
    return wrong(check, "needs the direct path to L1: soc.direct_path is 0");
  }
  return one_or_more(check, "rows", c->rows) && one_or_more(check, "cols", c->cols) &&
         below(check, "pair", c->pair, 2) &&
         expect(check, check->memory->bytes[core_copy_l1_to(c)] != 0, "pair", c->pair,
                "0 in a run that is not one of pairs") &&
         check_operands(check);
}

static bool check_read_gm(const checker_t *check, const cmd_read_gm_t *c) {
  return one_or_more(check, "bytes", c->bytes) && check_operands(check);
}

// Nibbles are widened, whole words of them.
static bool check_cast_int4(const checker_t *check, const cmd_vec_t *c) {
  return expect(check, c->to == TYPE_F16 || c->to == TYPE_F32, "to", c->to, "TYPE_F16 or TYPE_F32 from nibbles") &&
         expect(check, c->cols % 8 == 0, "cols", c->cols, "a multiple of 8 from nibbles");
}

// FP32, or FP16: the sums and products of FP16 operands, and what an FMA of FP32 is rounded to.
static bool check_types(const checker_t *check, const cmd_vec_t *c) {
  const uint32_t from = core_vec_from(c);
  const uint32_t to = core_vec_to(c);
  if (from == TYPE_F32 && to == TYPE_F32) {
    return true;
  }
  return expect(check, to == TYPE_F16, "to", to, "TYPE_F32 or TYPE_F16") &&
         expect(check, from == (c->op == VOP_FMA ? TYPE_F32 : TYPE_F16), "from", from, "TYPE_F16 as to") &&
         expect(check, c->op == VOP_FMA || c->b_kind == OPERAND_TILE, "b_kind", c->b_kind,
                "OPERAND_TILE with TYPE_F16");
}

static bool check_cast(const checker_t *check, const cmd_vec_t *c) {
  if (!below(check, "from", c->from, TYPE_COUNT) || !below(check, "to", c->to, TYPE_COUNT) ||
      !below(check, "round", c->round, ROUND_COUNT)) {
    return false;
  }
  if (core_type_is_int4(c->from)) {
    return check_cast_int4(check, c);
  }
  if (!expect(check, !core_type_is_int4(c->to), "to", c->to, "a type that is not nibbles")) {
    return false;
  }
  if (c->from != TYPE_F32 && c->to != TYPE_F32) {
    return wrong(check, "from=%u to=%u: expected TYPE_F32 on one side", c->from, c->to);
  }
  // Widening from 16 or 8 bits is exact, whatever the rounding.
  const bool may_cut = c->to == TYPE_S32 || core_type_bytes(c->from) <= 2;
  return expect(check, c->round == ROUND_NEAREST || may_cut, "round", c->round,
                "ROUND_NEAREST (ROUND_TRUNC is for TYPE_S32)");
}

static bool check_vec(checker_t *check, const cmd_vec_t *c) {
  if (!below(check, "op", c->op, VOP_COUNT)) {
    return false;
  }
  const core_vec_form_t form = core_vec_forms[c->op];
  check->known_vop = true;
  return one_or_more(check, "rows", c->rows) && one_or_more(check, "cols", c->cols) &&
         (!form.b || form.b_groups || below(check, "b_kind", c->b_kind, OPERAND_COUNT)) &&
         expect(check, c->op != VOP_BROADCAST || c->b_kind != OPERAND_TILE, "b_kind", c->b_kind,
                "OPERAND_ROW or OPERAND_SCALAR") &&
         expect(check, c->op != VOP_SWAP || c->cols % 2 == 0, "cols", c->cols, "an even number") &&
         (c->op == VOP_CAST ? check_cast(check, c) : check_types(check, c)) && check_operands(check);
}

// --- attention engines ------------------------------------------------------------------------

static bool check_dim(const checker_t *check, uint32_t dim) {
  return dim == check->memory->engine->d ||
         wrong(check, "dim=%u: expected %zu, this engine's", dim, check->memory->engine->d);
}

// Keys of a chunk: all of its blocks can hold them.
static bool check_keys(const checker_t *check, uint32_t keys, uint32_t stride) {
  return one_or_more(check, "keys", keys) && one_or_more(check, "stride", stride) &&
         (core_ceil_div(keys, stride) <= check->memory->engine->blocks ||
          wrong(check, "keys=%u: expected at most %zu blocks of stride=%u", keys, check->memory->engine->blocks,
                stride));
}

static bool check_load_kv(const checker_t *check, const cmd_load_kv_t *c) {
  return check_dim(check, c->dim) && check_keys(check, c->keys, c->stride) && check_operands(check);
}

static bool check_load_eb(const checker_t *check, const cmd_load_eb_t *c) {
  return one_or_more(check, "rows", c->rows) && one_or_more(check, "row_bytes", c->row_bytes) &&
         expect(check, c->scale == 0 || c->row_bytes % 2 == 0, "row_bytes", c->row_bytes,
                "a multiple of 2 with a scale") &&
         check_operands(check);
}

// What is written may take the place of its own query or triplet, but of nothing else that is read:
// the engine reads ahead.
static bool check_apart(const checker_t *check, const cmd_attn_t *c) {
  core_operand_t operand[CORE_MAX_ACCESSES];
  const size_t count = core_operands(check->command, operand);
  const core_operand_t *written = &operand[count - 1];
  const uint64_t begin = written->access.base;
  for (size_t i = 0; i + 1 < count; ++i) {
    const core_operand_t *read = &operand[i];
    const uint64_t base = read->access.base;
    const bool in_place =
        strcmp(read->field, written->field) == 0 || (strcmp(read->field, "q") == 0 && c->final != 0 && c->q == c->out);
    if (read->access.space == SPACE_EB && !in_place && base < begin + written->extent && begin < base + read->extent) {
      return wrong(check, "%s=0x%llx: overlaps %s=0x%llx, which is read", written->field, (unsigned long long)begin,
                   read->field, (unsigned long long)base);
    }
  }
  return true;
}

static bool check_attn(const checker_t *check, const cmd_attn_t *c) {
  return one_or_more(check, "queries", c->queries) && check_dim(check, c->dim) &&
         expect(check, c->dim % 16 == 0, "dim", c->dim, "a multiple of 16") && check_keys(check, c->keys, c->stride) &&
         below(check, "mask_mode", c->mask_mode, MASK_MODE_COUNT) && one_or_more(check, "share", c->share) &&
         below(check, "carry", c->carry, 2) && below(check, "final", c->final, 2) && check_operands(check) &&
         check_apart(check, c);
}

static bool check_store_eb(const checker_t *check, const cmd_store_eb_t *c) {
  return one_or_more(check, "rows", c->rows) && one_or_more(check, "row_bytes", c->row_bytes) && check_operands(check);
}

static bool wrong_core(const checker_t *check, unsigned cores) {
  char text[64] = "";
  for (core_kind_t kind = 0; kind < CORE_KIND_COUNT; ++kind) {
    if ((cores >> kind & 1) != 0) {
      const size_t length = strlen(text);
      snprintf(text + length, sizeof text - length, "%s%s", length == 0 ? "" : " or ", a_core(kind));
    }
  }
  return wrong(check, "on %s: expected %s", a_core(check->kind), text);
}

// The opcode, the core, the pipe and the bytes that must be zero.
static bool check_header(const checker_t *check) {
  const cmd_header_t *header = &check->command->header;
  if (header->opcode_ >= OP_COUNT) {
    return wrong(check, "opcode=%u: expected 0 to %d", header->opcode_, OP_COUNT - 1);
  }
  if (header->zero_ != 0 || header->zero2_ != 0) {
    return wrong(check, "bytes 2 to 7 of the command: expected 0");
  }
  const unsigned cores = core_command_cores(header->opcode_);
  if ((cores >> check->kind & 1) == 0) {
    return wrong_core(check, cores);
  }
  const unsigned pipes = core_command_pipes(header->opcode_) & core_kind_pipes(check->kind);
  if (header->pipe_ < PIPE_COUNT && (pipes >> header->pipe_ & 1) != 0) {
    return true;
  }
  const char *pipe = core_pipe_name(header->pipe_);
  return (pipes & (pipes - 1)) == 0
             ? wrong(check, "pipe=%u (%s): expected %s", header->pipe_, pipe,
                     core_pipe_name((unsigned)__builtin_ctz(pipes)))
             : wrong(check, "pipe=%u (%s): expected a pipe of %s", header->pipe_, pipe, a_core(check->kind));
}

bool core_check(core_kind_t kind, const core_memory_t *memory, const command_t *command, char error[CORE_ERROR_BYTES]) {
  checker_t check = {.kind = kind, .memory = memory, .command = command, .error = error};
  error[0] = '\0';
  if (!check_header(&check)) {
    return false;
  }
  switch (command->header.opcode_) {
    case OP_SET_FLAG:
      return check_other_pipe(&check, "to", command->set_flag.to, command->set_flag.event);
    case OP_WAIT_FLAG:
      return check_other_pipe(&check, "from", command->wait_flag.from, command->wait_flag.event);
    case OP_CROSS_SET:
      return below(&check, "flag", command->cross_set.flag, CROSS_FLAGS);
    case OP_CROSS_WAIT:
      return below(&check, "flag", command->cross_wait.flag, CROSS_FLAGS);
    case OP_PAIR_SET:
      return below(&check, "flag", command->pair_set.flag, CROSS_FLAGS);
    case OP_PAIR_WAIT:
      return below(&check, "flag", command->pair_wait.flag, CROSS_FLAGS);
    case OP_LOAD_NZ:
      return check_load_nz(&check, &command->load_nz);
    case OP_LOAD_A:
      return check_load_a(&check, &command->load_a);
    case OP_LOAD_B:
      return check_load_b(&check, &command->load_b);
    case OP_MMAD:
      return check_mmad(&check, &command->mmad);
    case OP_FIXPIPE:
      return check_fixpipe(&check, &command->fixpipe);
    case OP_COPY_IN:
      return check_copy_in(&check, &command->copy_in);
    case OP_GATHER_IN:
      return check_gather_in(&check, &command->gather_in);
    case OP_COPY_OUT:
      return check_copy_out(&check, &command->copy_out);
    case OP_VEC:
      return check_vec(&check, &command->vec);
    case OP_COPY_L1:
      return check_copy_l1(&check, &command->copy_l1);
    case OP_READ_GM:
      return check_read_gm(&check, &command->read_gm);
    case OP_LOAD_KV:
      return check_load_kv(&check, &command->load_kv);
    case OP_LOAD_EB:
      return check_load_eb(&check, &command->load_eb);
    case OP_ATTN:
      return check_attn(&check, &command->attn);
    case OP_STORE_EB:
      return check_store_eb(&check, &command->store_eb);
    default:
      return true;  // PIPE_BARRIER and SYNC_ALL have no fields, and MARK takes any number
  }
}
