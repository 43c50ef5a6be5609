// Types and shapes are put onto the rectangles of core_operands, the one description of where operands are.
// SPDX-License-Identifier: Apache-2.0
#include "core/tensor.h"

#include <math.h>
#include <string.h>

#include "core_internal.h"
#include "num/num_format.h"

static const struct {
  const char *name;
  unsigned bits;
} types[CORE_TYPE_COUNT] = {
    [TYPE_F32] = {"F32", 32},      [TYPE_BF16] = {"BF16", 16},    [TYPE_F16] = {"F16", 16},
    [TYPE_S32] = {"S32", 32},      [TYPE_S4] = {"S4", 4},         [TYPE_U4] = {"U4", 4},
    [TYPE_E4M3] = {"E4M3", 8},     [CORE_TYPE_BIT] = {"BIT", 1},  [CORE_TYPE_U8] = {"U8", 8},
    [CORE_TYPE_U16] = {"U16", 16}, [CORE_TYPE_U32] = {"U32", 32},
};

const char *core_type_name(uint32_t type) { return type < CORE_TYPE_COUNT ? types[type].name : "?"; }

unsigned core_type_bits(uint32_t type) { return type < CORE_TYPE_COUNT ? types[type].bits : 0; }

// What is there beside where it is.
typedef struct shape {
  uint32_t type;
  core_layout_t layout;
  uint64_t rows, cols;
} shape_t;

static shape_t in_rows(uint32_t type, uint64_t rows, uint64_t cols) {
  return (shape_t){.type = type, .rows = rows, .cols = cols};
}

static shape_t in_strips(uint32_t type, uint64_t rows, uint64_t cols) {
  return (shape_t){.type = type, .layout = CORE_STRIPS, .rows = rows, .cols = cols};
}

// Elements that a move does not look at.
static shape_t bytes_in_rows(uint64_t rows, uint64_t row_bytes) { return in_rows(CORE_TYPE_U8, rows, row_bytes); }

static uint32_t atomic_type(uint32_t op) { return op == GM_ADD_S32_RAW ? TYPE_S32 : TYPE_F32; }

static shape_t copy_out_shape(const cmd_copy_out_t *c, core_space_t space) {
  if (c->op == GM_STORE) {
    return bytes_in_rows(c->rows, c->row_bytes);
  }
  if (space == SPACE_GM) {
    return in_rows(atomic_type(c->op), c->rows, c->row_bytes / 4);
  }
  return in_rows(c->op == GM_ADD_F32 ? TYPE_F32 : TYPE_S32, c->rows, c->op == GM_RESCALE ? 1 : c->row_bytes / 4);
}

// A VEC's operations on 32-bit words of any kind.
static uint32_t word_type(const cmd_vec_t *c) {
  return c->op == VOP_ADD_S32 ? TYPE_S32 : c->op == VOP_AND ? CORE_TYPE_U32 : TYPE_F32;
}

static shape_t vec_shape(const cmd_vec_t *c, const char *field, bool write) {
  const core_vec_form_t form = core_vec_forms[c->op];
  const bool words = c->op == VOP_ADD_S32 || c->op == VOP_AND;
  const uint32_t from = words ? word_type(c) : core_vec_from(c);
  if (write && form.dst_mask) {
    return in_rows(CORE_TYPE_BIT, c->rows, c->cols);
  }
  if (write) {
    return in_rows(words ? word_type(c) : core_vec_to(c), c->rows, form.dst_column ? 1 : c->cols);
  }
  if (field[0] == 'c' && form.mask) {
    return in_rows(CORE_TYPE_BIT, c->rows, c->cols);
  }
  if (field[0] == 'b' && form.b_groups) {
    return in_rows(from, c->rows, core_ceil_div(c->cols, VEC_SCALE_COLS));
  }
  const bool column = field[0] == 'b' && c->b_kind == OPERAND_ROW;
  return in_rows(from, c->rows, column ? 1 : c->cols);
}

// Rows of a triplet: words.
static shape_t attn_shape(const cmd_attn_t *c, const core_operand_t *operand) {
  if (operand->access.space == SPACE_KV) {
    return (shape_t){.type = TYPE_BF16, .layout = CORE_KEYS, .rows = c->keys, .cols = 2 * (uint64_t)c->dim};
  }
  switch (operand->field[0]) {
    case 'm':
      return in_rows(CORE_TYPE_BIT, core_ceil_div(c->queries, c->share), c->keys);
    case 't':
      return in_rows(CORE_TYPE_U32, c->queries, (uint64_t)c->dim + 2);
    default:
      return in_rows(TYPE_BF16, c->queries, c->dim);
  }
}

static shape_t load_nz_shape(const cmd_load_nz_t *c, core_space_t space) {
  return space == SPACE_GM && c->strips == 0 ? in_rows(CORE_TYPE_U16, c->rows, c->cols)
                                             : in_strips(CORE_TYPE_U16, c->rows, c->cols);
}

static shape_t load_b_shape(const cmd_load_b_t *c, core_space_t space) {
  return space == SPACE_L1 && c->transpose != 0 ? in_strips(CORE_TYPE_U16, c->n, c->k)
                                                : in_strips(CORE_TYPE_U16, c->k, c->n);
}

static shape_t mmad_shape(const cmd_mmad_t *c, core_space_t space) {
  return space == SPACE_L0A   ? in_strips(c->type, c->m, c->k)
         : space == SPACE_L0B ? in_strips(c->type, c->k, c->n)
                              : in_rows(TYPE_F32, c->m, c->n);
}

static shape_t copy_l1_shape(const cmd_copy_l1_t *c, core_space_t space) {
  return space == SPACE_UB ? in_rows(CORE_TYPE_U16, c->rows, c->cols) : in_strips(CORE_TYPE_U16, c->rows, c->cols);
}

static shape_t load_kv_shape(const cmd_load_kv_t *c, core_space_t space) {
  return space == SPACE_GM
             ? in_rows(TYPE_BF16, c->keys, c->dim)
             : (shape_t){.type = TYPE_BF16, .layout = CORE_KEYS, .rows = c->keys, .cols = 2 * (uint64_t)c->dim};
}

static shape_t load_eb_shape(const cmd_load_eb_t *c) {
  return c->scale == 0 ? bytes_in_rows(c->rows, c->row_bytes) : in_rows(TYPE_BF16, c->rows, c->row_bytes / 2);
}

static shape_t shape_of(const command_t *command, const core_operand_t *operand) {
  const core_space_t space = operand->access.space;
  switch (command->header.opcode_) {
    case OP_LOAD_NZ:
      return load_nz_shape(&command->load_nz, space);
    case OP_LOAD_A:
      return in_strips(CORE_TYPE_U16, command->load_a.m, command->load_a.k);
    case OP_LOAD_B:
      return load_b_shape(&command->load_b, space);
    case OP_MMAD:
      return mmad_shape(&command->mmad, space);
    case OP_FIXPIPE:
      return in_rows(space == SPACE_GM ? command->fixpipe.type : TYPE_F32, command->fixpipe.m, command->fixpipe.n);
    case OP_COPY_IN:
      return bytes_in_rows(command->copy_in.rows, command->copy_in.row_bytes);
    case OP_GATHER_IN:
      return space == SPACE_GM ? in_rows(TYPE_S32, 1, operand->access.row_bytes / 4)
                               : bytes_in_rows(command->gather_in.rows, command->gather_in.row_bytes);
    case OP_COPY_OUT:
      return copy_out_shape(&command->copy_out, space);
    case OP_VEC:
      return vec_shape(&command->vec, operand->field, operand->access.write);
    case OP_COPY_L1:
      return copy_l1_shape(&command->copy_l1, space);
    case OP_LOAD_KV:
      return load_kv_shape(&command->load_kv, space);
    case OP_LOAD_EB:
      return load_eb_shape(&command->load_eb);
    case OP_ATTN:
      return attn_shape(&command->attn, operand);
    case OP_STORE_EB:
      return bytes_in_rows(command->store_eb.rows, command->store_eb.row_bytes);
    default:
      return bytes_in_rows(1, operand->access.row_bytes);  // READ_GM
  }
}

// Bytes from strip to strip; padded strips are one run of bytes in core_operands.
static uint64_t strip_pitch(const core_operand_t *operand, const shape_t *shape) {
  const uint64_t strips = core_ceil_div(shape->cols, STRIP);
  return operand->access.rows == 1 ? operand->access.row_bytes / strips : operand->access.pitch;
}

// Of a run of bytes that has rows.
static uint64_t row_pitch(const core_operand_t *operand, const shape_t *shape) {
  return operand->pitch_field == NULL && operand->access.rows == 1
             ? core_ceil_div(shape->cols * core_type_bits(shape->type), 8)
             : operand->access.pitch;
}

static core_tensor_t tensor_of(const command_t *command, const core_operand_t *operand) {
  const shape_t shape = shape_of(command, operand);
  core_tensor_t tensor = {.field = operand->field,
                          .space = operand->access.space,
                          .write = operand->access.write,
                          .type = shape.type,
                          .layout = shape.layout,
                          .base = operand->access.base,
                          .rows = shape.rows,
                          .cols = shape.cols};
  tensor.pitch = shape.layout == CORE_STRIPS ? strip_pitch(operand, &shape)
                 : shape.layout == CORE_KEYS ? operand->access.row_bytes
                                             : row_pitch(operand, &shape);
  return tensor;
}

size_t core_tensors(const command_t *command, core_tensor_t tensor[CORE_MAX_TENSORS]) {
  core_operand_t operand[CORE_MAX_ACCESSES];
  const size_t operands = core_operands(command, operand);
  size_t count = 0;
  for (size_t i = 0; i < operands; ++i) {
    tensor[count] = tensor_of(command, &operand[i]);
    if (operand[i].access.atomic) {
      tensor[count + 1] = tensor[count];
      tensor[count++].write = false;
    }
    count++;
  }
  return count;
}

// --- elements ---------------------------------------------------------------------------------

uint64_t core_tensor_address(const core_tensor_t *tensor, uint64_t r, uint64_t c, bool *high) {
  const unsigned bits = core_type_bits(tensor->type);
  *high = bits == 4 && c % 2 != 0;
  switch (tensor->layout) {
    case CORE_STRIPS:
      return tensor->base + c / STRIP * tensor->pitch + r * STRIP_ROW + c % STRIP * 2;
    case CORE_KEYS:
      return tensor->base + r % tensor->pitch;
    default:
      return tensor->base + r * tensor->pitch + c * bits / 8;
  }
}

static double decode(uint32_t type, uint64_t bits) {
  switch (type) {
    case TYPE_F32:
      return num_f32_from_bits((uint32_t)bits);
    case TYPE_BF16:
      return num_bf16_to_f32((uint16_t)bits);
    case TYPE_F16:
      return num_fp16_to_f32((uint16_t)bits);
    case TYPE_E4M3:
      return num_e4m3_to_f32((uint8_t)bits);
    case TYPE_S32:
      return (int32_t)(uint32_t)bits;
    case TYPE_S4:
      return (int)(bits ^ 8) - 8;
    default:
      return (double)bits;
  }
}

// Where an element's bytes are in the host's memory.
static const uint8_t *element_at(const core_memory_t *memory, const core_tensor_t *tensor, uint64_t r, uint64_t c,
                                 bool *high) {
  const uint64_t address = core_tensor_address(tensor, r, c, high);
  if (tensor->layout != CORE_KEYS) {
    return core_at(memory, tensor->space, address);
  }
  const uint64_t row = r / tensor->pitch * memory->bytes[SPACE_KV] + address;
  return memory->base[SPACE_KV] + (row * tensor->cols + c) * 2;
}

double core_tensor_value(const core_memory_t *memory, const core_tensor_t *tensor, uint64_t r, uint64_t c) {
  bool high;
  const uint8_t *at = element_at(memory, tensor, r, c, &high);
  const unsigned bits = core_type_bits(tensor->type);
  uint64_t value = 0;
  memcpy(&value, at, bits < 8 ? 1 : bits / 8);
  if (bits == 4) {
    value = value >> (high ? 4 : 0) & 15;
  } else if (bits == 1) {
    value = value >> c % 8 & 1;
  }
  return decode(tensor->type, value);
}

static bool element_in_strips(const core_tensor_t *tensor, uint64_t offset, uint64_t *r, uint64_t *c) {
  const uint64_t strips = core_ceil_div(tensor->cols, STRIP);
  const uint64_t strip = tensor->pitch == 0 ? strips - 1 : offset / tensor->pitch;
  const uint64_t s = strip < strips ? strip : strips - 1;
  const uint64_t rest = offset - s * tensor->pitch;
  *r = rest / STRIP_ROW;
  *c = s * STRIP + rest % STRIP_ROW / 2;
  return *r < tensor->rows && *c < tensor->cols;
}

bool core_tensor_element(const core_tensor_t *tensor, uint64_t address, uint64_t *r, uint64_t *c) {
  if (address < tensor->base || tensor->layout == CORE_KEYS) {
    return false;
  }
  const uint64_t offset = address - tensor->base;
  if (tensor->layout == CORE_STRIPS) {
    return element_in_strips(tensor, offset, r, c);
  }
  const uint64_t row = tensor->pitch == 0 ? tensor->rows - 1 : offset / tensor->pitch;
  *r = row < tensor->rows ? row : tensor->rows - 1;
  *c = (offset - *r * tensor->pitch) * 8 / core_type_bits(tensor->type);
  return *c < tensor->cols;
}

// --- what depends on what ---------------------------------------------------------------------

static core_source_t element(size_t tensor, uint64_t r, uint64_t c) {
  return (core_source_t){.tensor = tensor, .row = r, .rows = 1, .col = c, .cols = 1};
}

static core_source_t row_of(size_t tensor, const core_tensor_t *tensors, uint64_t r) {
  return (core_source_t){.tensor = tensor, .row = r, .rows = 1, .cols = tensors[tensor].cols};
}

static size_t mmad_sources(const cmd_mmad_t *c, const core_tensor_t *tensors, uint64_t row, uint64_t col,
                           core_source_t *source) {
  source[0] = row_of(0, tensors, row);
  source[1] = (core_source_t){.tensor = 1, .rows = c->k, .col = col, .cols = 1};
  source[2] = element(2, row, col);
  return c->accumulate != 0 ? 3 : 2;
}

static core_source_t vec_source(const cmd_vec_t *c, const core_tensor_t *tensors, size_t i, uint64_t row,
                                uint64_t col) {
  const core_vec_form_t form = core_vec_forms[c->op];
  if (form.dst_column) {
    return row_of(i, tensors, row);
  }
  if (c->op == VOP_SWAP) {
    return element(i, row, col ^ 1);
  }
  if (tensors[i].field[0] == 'b' && form.b_groups) {
    return element(i, row, col / VEC_SCALE_COLS);
  }
  return element(i, row, tensors[i].cols == 1 ? 0 : col);
}

static size_t attn_sources(const cmd_attn_t *c, const core_tensor_t *tensors, size_t count, uint64_t row,
                           core_source_t *source) {
  for (size_t i = 0; i + 1 < count; ++i) {
    source[i] = row_of(i, tensors, tensors[i].field[0] == 'm' ? row / c->share : row);
    if (tensors[i].layout == CORE_KEYS) {
      source[i].row = 0;
      source[i].rows = core_attn_limit(c, row);
    }
  }
  return count - 1;
}

static core_source_t load_kv_source(const cmd_load_kv_t *c, uint64_t row, uint64_t col) {
  return col < c->dim ? element(0, row, col) : element(1, row, col - c->dim);
}

size_t core_sources(const command_t *command, uint64_t r, uint64_t c, core_source_t source[CORE_MAX_TENSORS]) {
  core_tensor_t tensors[CORE_MAX_TENSORS];
  const size_t count = core_tensors(command, tensors);
  if (count == 0 || !tensors[count - 1].write) {
    return 0;
  }
  switch (command->header.opcode_) {
    case OP_LOAD_B:
      source[0] = command->load_b.transpose != 0 ? element(0, c, r) : element(0, r, c);
      return 1;
    case OP_MMAD:
      return mmad_sources(&command->mmad, tensors, r, c, source);
    case OP_GATHER_IN:
      source[0] = element(0, 0,
                          (command->gather_in.first + r) / command->gather_in.page -
                              command->gather_in.first / command->gather_in.page);
      return 1;
    case OP_ATTN:
      return attn_sources(&command->attn, tensors, count, r, source);
    case OP_LOAD_KV:
      source[0] = load_kv_source(&command->load_kv, r, c);
      return 1;
    case OP_VEC:
      for (size_t i = 0; i + 1 < count; ++i) {
        source[i] = vec_source(&command->vec, tensors, i, r, c);
      }
      return count - 1;
    default:
      // Element by element; a RESCALE's operand has one a row.
      for (size_t i = 0; i + 1 < count; ++i) {
        source[i] = element(i, r, tensors[i].cols == 1 ? 0 : c);
      }
      return count - 1;
  }
}
