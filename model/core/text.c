// The one-line text of commands.
// SPDX-License-Identifier: Apache-2.0
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/core_internal.h"
#include "num/num_format.h"

static const char *const gm_op_names[GM_OP_COUNT] = {
#define GM_OP(name, code, operand, memory, value, follow, text) [code] = #name,
#include "hal/gm_ops.def"
#undef GM_OP
};

static const char *const operand_names[OPERAND_COUNT] = {
    [OPERAND_TILE] = "TILE", [OPERAND_ROW] = "ROW", [OPERAND_SCALAR] = "SCALAR"};
static const char *const round_names[ROUND_COUNT] = {[ROUND_NEAREST] = "NEAREST", [ROUND_TRUNC] = "TRUNC"};

static const char *const element_names[ELEMENT_COUNT] = {[ELEMENT_16] = "16", [ELEMENT_8] = "8"};
static const char *const quant_names[QUANT_COUNT] = {
    [QUANT_NONE] = "NONE", [QUANT_SCALE] = "SCALE", [QUANT_COLUMNS] = "COLUMNS"};

static const char *const mask_names[MASK_MODE_COUNT] = {
    [MASK_NONE] = "NONE", [MASK_LIMIT] = "LIMIT", [MASK_BITS] = "BITS"};

// The form in which a field is written, by its name.  A new name in commands.def wants a line here.
enum field_kind {
  NUMBER,
  SIGNED,
  ADDRESS,
  OP,
  TYPE,
  PIPE_OR_TYPE,
  OPERAND,
  ROUNDING,
  MASK,
  FLOAT,
  STEP,
  MODE,
  ELEMENT,
  QUANT,
  FORM  // a number that is left out if it is 0
};
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
  KIND_strip_pitch = FORM,
  KIND_fractals = FORM,
  KIND_nz = FORM,
  KIND_l0 = ADDRESS,
  KIND_l0_pitch = NUMBER,
  KIND_right = NUMBER,
  KIND_value = ADDRESS,
  KIND_element = ELEMENT,
  KIND_relu = NUMBER,
  KIND_quant = QUANT,
  KIND_scales = ADDRESS,
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
  KIND_mode = MODE,
  KIND_repeats = NUMBER,
  KIND_count = NUMBER,
  KIND_mask_high = ADDRESS,
  KIND_dst_step = STEP,
  KIND_a_step = STEP,
  KIND_b_step = STEP,
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

// Its name, or the number that none has.
static void put_known(writer_t *w, const char *name, uint64_t count, uint64_t value) {
  if (value < count) {
    put(w, "%s", name);
  } else {
    put(w, "%llu", (unsigned long long)value);
  }
}

static void put_name(writer_t *w, const char *const *names, uint64_t count, uint64_t value) {
  put_known(w, value < count ? names[value] : NULL, count, value);
}

static void put_mode(writer_t *w, uint64_t value) {
  static const char *const rounds[VECTOR_ROUNDS] = {"RINT", "FLOOR", "CEIL", "ROUND", "TRUNC", "ODD"};
  static const char *const choices[CHOICE_COUNT] = {"VALUE", "VALUE_INDEX", "INDEX_VALUE", "INDEX"};
  static const char *const selects[SELECT_COUNT] = {"EACH", "SAME"};
  static const char *const gathers[GATHER_COUNT] = {"BITS",       "EVEN",        "ODD", "FIRST_OF_4", "SECOND_OF_4",
                                                    "THIRD_OF_4", "FOURTH_OF_4", "ALL", "SAME"};
  static const char *const merges[MERGE_COUNT] = {"ALL", "TO_END"};
  switch (w->command->vinst.op) {
    case VI_CAST:
      put_name(w, rounds, VECTOR_ROUNDS, value);
      break;
    case VI_SELECT:
    case VI_SELECTS:
      put_name(w, selects, SELECT_COUNT, value);
      break;
    case VI_GATHER_MASK:
      put_name(w, gathers, GATHER_COUNT, value);
      break;
    case VI_MRG_SORT4:
      put_name(w, merges, MERGE_COUNT, value);
      break;
    default:
      put_name(w, choices, CHOICE_COUNT, value);
  }
}

static void put_scalar(writer_t *w, uint64_t bits) {
  const uint32_t type = w->command->vinst.type;
  if ((type == TYPE_F32 || type == TYPE_F16) && w->command->vinst.op != VI_MRG_SORT4) {
    put(w, "%.9g", (double)(type == TYPE_F32 ? num_f32_from_bits((uint32_t)bits) : num_fp16_to_f32((uint16_t)bits)));
  } else {
    put(w, "0x%llx", (unsigned long long)bits);
  }
}

// Are `from` and `to` of that command pipes? Else they are types.
static bool names_pipes(unsigned opcode) {
  return core_command_class(opcode) == CLASS_FLAG_WAIT || core_command_class(opcode) == CLASS_SET;
}

static void put_value(writer_t *w, enum field_kind kind, uint64_t value) {
  const unsigned opcode = w->command->header.opcode_;
  switch (kind) {
    case ADDRESS:
      put(w, "0x%llx", (unsigned long long)value);
      break;
    case OP:
      opcode == OP_VEC     ? put_known(w, core_operation_name(opcode, (uint32_t)value), VOP_COUNT, value)
      : opcode == OP_VINST ? put_known(w, core_operation_name(opcode, (uint32_t)value), VI_COUNT, value)
                           : put_name(w, gm_op_names, GM_OP_COUNT, value);
      break;
    case TYPE:
      put_known(w, core_type_name((uint32_t)value), TYPE_COUNT, value);
      break;
    case PIPE_OR_TYPE:
      names_pipes(opcode) ? put_known(w, core_pipe_name((unsigned)value), PIPE_COUNT, value)
                          : put_known(w, core_type_name((uint32_t)value), TYPE_COUNT, value);
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
    case ELEMENT:
      put_name(w, element_names, ELEMENT_COUNT, value);
      break;
    case QUANT:
      put_name(w, quant_names, QUANT_COUNT, value);
      break;
    case SIGNED:
      put(w, "%ld", (long)(int32_t)value);
      break;
    case MODE:
      put_mode(w, value);
      break;
    case STEP:
      put(w, "%llu/%llu", (unsigned long long)(value & 0xffff), (unsigned long long)(value >> 16));
      break;
    case FLOAT:
      if (opcode == OP_VINST) {
        put_scalar(w, value);
        break;
      }
      put(w, "%.9g", (double)num_f32_from_bits((uint32_t)value));
      break;
    case NUMBER:
    case FORM:
    default:
      put(w, "%llu", (unsigned long long)value);
      break;
  }
}

static void put_field(writer_t *w, const char *field, int kind, uint64_t value) {
  const unsigned opcode = w->command->header.opcode_;
  cmd_fixpipe_t tile;
  if ((opcode == OP_VEC && core_vec_ignores(&w->command->vec, field)) ||
      (opcode == OP_VINST && core_vinst_ignores(&w->command->vinst, field)) ||
      (core_tile_out(w->command, &tile) && core_fixpipe_ignores(&tile, field)) ||
      (kind == ELEMENT && value == ELEMENT_16) || (kind == FORM && value == 0)) {
    return;
  }
  put(w, " %s=", field);
  put_value(w, (enum field_kind)kind, value);
}

#define COMMAND(NAME, name, cores, pipes, class, data, cost, entry, text) \
  static void put_##name(writer_t *w, const cmd_##name##_t *c) {          \
    (void)w;                                                              \
    (void)c;
#define FIELD(type, name, text) put_field(w, #name, KIND_##name, c->name);
#define END_COMMAND(name) }
#include "hal/commands.def"

void core_disassemble(const command_t *command, char *text, size_t size) {
  if (size == 0) {
    return;
  }
  writer_t w = {.text = text, .size = size, .command = command};
  text[0] = '\0';
  switch (command->header.opcode_) {
#define COMMAND(NAME, name, cores, pipes, class, data, cost, entry, text) \
  case OP_##NAME:                                                         \
    put(&w, "%s", #NAME);                                                 \
    put_##name(&w, &command->name);                                       \
    break;
#include "hal/commands.def"
    default:
      put(&w, "? opcode=%u", command->header.opcode_);
      break;
  }
}
