// Names and the one-line text of commands, generated from the .def files.
// SPDX-License-Identifier: Apache-2.0
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core_internal.h"
#include "num/num_format.h"

static const char *const pipe_names[PIPE_COUNT] = {
#define PIPE(name, code, cores, text) [code] = #name,
#include "hal/pipes.def"
#undef PIPE
};

static const char *const command_names[OP_COUNT] = {
#define COMMAND(NAME, name, cores, pipes, class, text) [OP_##NAME] = #NAME,
#define FIELD(type, name, text)
#define END_COMMAND(name)
#include "hal/commands.def"
#undef COMMAND
#undef FIELD
#undef END_COMMAND
};

static const char *const space_names[SPACE_COUNT] = {
    [SPACE_GM] = "GM", [SPACE_L1] = "L1", [SPACE_L0A] = "L0A", [SPACE_L0B] = "L0B",           [SPACE_L0C] = "L0C",
    [SPACE_UB] = "UB", [SPACE_KV] = "KV", [SPACE_EB] = "EB",   [SPACE_PAIR_L1] = "pair's L1",
};

static const char *const vector_op_names[VOP_COUNT] = {
#define VOP(name, config, text) [VOP_##name] = #name,
#include "hal/vector_ops.def"
#undef VOP
};

static const char *const gm_op_names[GM_OP_COUNT] = {
#define GM_OP(name, code, text) [code] = #name,
#include "hal/gm_ops.def"
#undef GM_OP
};

static const char *const type_names[TYPE_COUNT] = {
    [TYPE_F32] = "F32", [TYPE_BF16] = "BF16", [TYPE_F16] = "F16",  [TYPE_S32] = "S32",
    [TYPE_S4] = "S4",   [TYPE_U4] = "U4",     [TYPE_E4M3] = "E4M3"};
static const char *const operand_names[OPERAND_COUNT] = {
    [OPERAND_TILE] = "TILE", [OPERAND_ROW] = "ROW", [OPERAND_SCALAR] = "SCALAR"};
static const char *const round_names[ROUND_COUNT] = {[ROUND_NEAREST] = "NEAREST", [ROUND_TRUNC] = "TRUNC"};

static const char *const mask_names[MASK_MODE_COUNT] = {
    [MASK_NONE] = "NONE", [MASK_LIMIT] = "LIMIT", [MASK_BITS] = "BITS"};

static const char *lookup(const char *const *names, uint64_t count, uint64_t i) { return i < count ? names[i] : "?"; }

const char *core_pipe_name(unsigned pipe) { return lookup(pipe_names, PIPE_COUNT, pipe); }

typedef struct row {
  unsigned cores, pipes;
  core_class_t class;
} row_t;

static const row_t rows[OP_COUNT] = {
#define COMMAND(NAME, name, cores, pipes, class, text) [OP_##NAME] = {cores, pipes, CLASS_##class},
#define FIELD(type, name, text)
#define END_COMMAND(name)
#include "hal/commands.def"
#undef COMMAND
#undef FIELD
#undef END_COMMAND
};

unsigned core_command_cores(unsigned opcode) { return opcode < OP_COUNT ? rows[opcode].cores : 0; }
unsigned core_command_pipes(unsigned opcode) { return opcode < OP_COUNT ? rows[opcode].pipes : 0; }
core_class_t core_command_class(unsigned opcode) { return rows[opcode].class; }

bool core_command_waits(unsigned opcode) {
  switch (core_command_class(opcode)) {
    case CLASS_FLAG_WAIT:
    case CLASS_CROSS_WAIT:
    case CLASS_BARRIER:
    case CLASS_SYNC:
    case CLASS_LOOK:
      return true;
    case CLASS_SET:
    case CLASS_LOAD:
    case CLASS_STORE:
    case CLASS_ENGINE:
    case CLASS_LOCAL:
      break;
  }
  return false;
}

const char *core_kind_name(core_kind_t kind) {
  static const char *const names[CORE_KIND_COUNT] = {
#define CORE_KIND(NAME, name, text, groups, each) #name,
#include "hal/core_kinds.def"
#undef CORE_KIND
  };
  return names[kind];
}

unsigned core_kind_pipes(core_kind_t kind) {
  unsigned pipes = 0;
#define PIPE(name, code, cores, text) pipes |= ((unsigned)(cores) >> kind & 1u) << (code);
#include "hal/pipes.def"
#undef PIPE
  return pipes;
}

unsigned core_kind_groups(core_kind_t kind, const config_soc_t *soc) {
  const unsigned counts[CORE_KIND_COUNT] = {
#define CORE_KIND(NAME, name, text, groups, each) soc->groups,
#include "hal/core_kinds.def"
#undef CORE_KIND
  };
  return counts[kind];
}

unsigned core_kind_count(core_kind_t kind, const config_soc_t *soc) {
  const unsigned in_each[CORE_KIND_COUNT] = {
#define CORE_KIND(NAME, name, text, groups, each) (each),
#include "hal/core_kinds.def"
#undef CORE_KIND
  };
  return core_kind_groups(kind, soc) * in_each[kind];
}

const char *core_command_name(unsigned opcode) { return lookup(command_names, OP_COUNT, opcode); }
const char *core_space_name(core_space_t space) { return lookup(space_names, SPACE_COUNT, (uint64_t)space); }
const char *core_vector_op_name(uint32_t op) { return lookup(vector_op_names, VOP_COUNT, op); }

// How a field is written, by its name.  A new name in commands.def wants a line here.
enum field_kind { NUMBER, SIGNED, ADDRESS, OP, TYPE, PIPE_OR_TYPE, OPERAND, ROUNDING, MASK, FLOAT };
enum {
  KIND_a = ADDRESS,
  KIND_b = ADDRESS,
  KIND_c = ADDRESS,
  KIND_dst = ADDRESS,
  KIND_gm = ADDRESS,
  KIND_l1 = ADDRESS,
  KIND_l0a = ADDRESS,
  KIND_l0b = ADDRESS,
  KIND_l0c = ADDRESS,
  KIND_ub = ADDRESS,
  KIND_a_pitch = NUMBER,
  KIND_b_pitch = NUMBER,
  KIND_c_pitch = NUMBER,
  KIND_dst_pitch = NUMBER,
  KIND_gm_pitch = NUMBER,
  KIND_l1_pitch = NUMBER,
  KIND_ub_pitch = NUMBER,
  KIND_rows = NUMBER,
  KIND_cols = NUMBER,
  KIND_row_bytes = NUMBER,
  KIND_m = NUMBER,
  KIND_n = NUMBER,
  KIND_k = NUMBER,
  KIND_transpose = NUMBER,
  KIND_accumulate = NUMBER,
  KIND_event = NUMBER,
  KIND_flag = NUMBER,
  KIND_strips = NUMBER,
  KIND_skip_zero = NUMBER,
  KIND_list = ADDRESS,
  KIND_first = NUMBER,
  KIND_page = NUMBER,
  KIND_pair = NUMBER,
  KIND_bytes = NUMBER,
  KIND_number = NUMBER,
  KIND_k_gm = ADDRESS,
  KIND_v_gm = ADDRESS,
  KIND_eb = ADDRESS,
  KIND_q = ADDRESS,
  KIND_mask = ADDRESS,
  KIND_triplet = ADDRESS,
  KIND_out = ADDRESS,
  KIND_k_pitch = NUMBER,
  KIND_v_pitch = NUMBER,
  KIND_eb_pitch = NUMBER,
  KIND_mask_pitch = NUMBER,
  KIND_triplet_pitch = NUMBER,
  KIND_keys = NUMBER,
  KIND_queries = NUMBER,
  KIND_row = NUMBER,
  KIND_stride = NUMBER,
  KIND_dim = NUMBER,
  KIND_share = NUMBER,
  KIND_carry = NUMBER,
  KIND_final = NUMBER,
  KIND_limit = SIGNED,
  KIND_mask_mode = MASK,
  KIND_scale = FLOAT,
  KIND_op = OP,
  KIND_type = TYPE,
  KIND_from = PIPE_OR_TYPE,
  KIND_to = PIPE_OR_TYPE,
  KIND_b_kind = OPERAND,
  KIND_round = ROUNDING,
  KIND_scalar = FLOAT,
};

typedef struct writer {
  char *text;
  size_t size;
  size_t used;
  const command_t *command;
} writer_t;

__attribute__((format(printf, 2, 3))) static void put(writer_t *w, const char *format, ...) {
  if (w->used + 1 >= w->size) {
    return;
  }
  va_list args;
  va_start(args, format);
  const int length = vsnprintf(w->text + w->used, w->size - w->used, format, args);
  va_end(args);
  const size_t room = w->size - w->used - 1;
  w->used += length < 0 ? 0 : (size_t)length < room ? (size_t)length : room;
}

static void put_name(writer_t *w, const char *const *names, uint64_t count, uint64_t value) {
  if (value < count) {
    put(w, "%s", names[value]);
  } else {
    put(w, "%llu", (unsigned long long)value);
  }
}

static void put_value(writer_t *w, enum field_kind kind, uint64_t value) {
  const unsigned opcode = w->command->header.opcode_;
  switch (kind) {
    case ADDRESS:
      put(w, "0x%llx", (unsigned long long)value);
      break;
    case OP:
      opcode == OP_VEC ? put_name(w, vector_op_names, VOP_COUNT, value) : put_name(w, gm_op_names, GM_OP_COUNT, value);
      break;
    case TYPE:
      put_name(w, type_names, TYPE_COUNT, value);
      break;
    case PIPE_OR_TYPE:
      opcode == OP_VEC ? put_name(w, type_names, TYPE_COUNT, value) : put_name(w, pipe_names, PIPE_COUNT, value);
      break;
    case OPERAND:
      put_name(w, operand_names, OPERAND_COUNT, value);
      break;
    case ROUNDING:
      put_name(w, round_names, ROUND_COUNT, value);
      break;
    case MASK:
      put_name(w, mask_names, MASK_MODE_COUNT, value);
      break;
    case SIGNED:
      put(w, "%ld", (long)(int32_t)value);
      break;
    case FLOAT:
      put(w, "%.9g", (double)num_f32_from_bits((uint32_t)value));
      break;
    case NUMBER:
    default:
      put(w, "%llu", (unsigned long long)value);
      break;
  }
}

// Does the operation leave this field of a VEC unread?
static bool vec_ignores(const cmd_vec_t *c, const char *field) {
  if (c->op >= VOP_COUNT) {
    return false;
  }
  const core_vec_form_t form = core_vec_forms[c->op];
  if (strcmp(field, "a") == 0 || strcmp(field, "a_pitch") == 0) {
    return !form.a;
  }
  if (strcmp(field, "b") == 0) {
    return !form.b || (c->b_kind == OPERAND_SCALAR && !form.b_groups);
  }
  if (strcmp(field, "b_pitch") == 0) {
    return !form.b || (c->b_kind != OPERAND_TILE && !form.b_groups);
  }
  if (strcmp(field, "b_kind") == 0) {
    return !form.b || form.b_groups;
  }
  if (strcmp(field, "scalar") == 0) {
    return !form.b || c->b_kind != OPERAND_SCALAR || form.b_groups;
  }
  if (strcmp(field, "c") == 0 || strcmp(field, "c_pitch") == 0) {
    return !form.c && !form.mask;
  }
  if (strcmp(field, "dst_pitch") == 0) {
    return form.dst_column;
  }
  if (strcmp(field, "round") == 0) {
    return c->op != VOP_CAST;
  }
  // FP32 goes without saying.
  if (strcmp(field, "from") == 0 || strcmp(field, "to") == 0) {
    return c->op != VOP_CAST && core_vec_from(c) == TYPE_F32 && core_vec_to(c) == TYPE_F32;
  }
  return false;
}

static void put_field(writer_t *w, const char *field, int kind, uint64_t value) {
  if (w->command->header.opcode_ == OP_VEC && vec_ignores(&w->command->vec, field)) {
    return;
  }
  put(w, " %s=", field);
  put_value(w, (enum field_kind)kind, value);
}

#define COMMAND(NAME, name, cores, pipes, class, text)           \
  static void put_##name(writer_t *w, const cmd_##name##_t *c) { \
    (void)w;                                                     \
    (void)c;
#define FIELD(type, name, text) put_field(w, #name, KIND_##name, c->name);
#define END_COMMAND(name) }
#include "hal/commands.def"
#undef COMMAND
#undef FIELD
#undef END_COMMAND

void core_disassemble(const command_t *command, char *text, size_t size) {
  if (size == 0) {
    return;
  }
  writer_t w = {.text = text, .size = size, .command = command};
  text[0] = '\0';
  switch (command->header.opcode_) {
#define COMMAND(NAME, name, cores, pipes, class, text) \
  case OP_##NAME:                                      \
    put(&w, "%s", #NAME);                              \
    put_##name(&w, &command->name);                    \
    break;
#define FIELD(type, name, text)
#define END_COMMAND(name)
#include "hal/commands.def"
#undef COMMAND
#undef FIELD
#undef END_COMMAND
    default:
      put(&w, "? opcode=%u", command->header.opcode_);
      break;
  }
}
