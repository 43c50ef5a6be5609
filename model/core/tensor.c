// Types and shapes are put onto the rectangles of core_operands, the one description of where operands are.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "core/core_internal.h"
#include "num/num_format.h"

#define DATA_NONE(name) \
  (core_shape_t) { .rows = 0 }
#define DATA_READ(name) core_##name##_shape(&command->name, operand)
#define DATA_COPY(name) DATA_READ(name)
#define DATA_MOVE(name) DATA_READ(name)
#define DATA_COMPUTE(name) DATA_READ(name)
#define DATA_LANES(name) \
  (core_shape_t) { .rows = 0 }

static core_shape_t shape_of(const command_t *command, const core_operand_t *operand) {
  switch (command->header.opcode_) {
#define COMMAND(NAME, name, cores, pipes, class, data, cost, entry, text) \
  case OP_##NAME:                                                         \
    return DATA_##data(name);
#include "hal/commands.def"
    default:
      return (core_shape_t){.rows = 0};
  }
}

// Bytes from strip to strip; padded strips are one run of bytes in core_operands.
static uint64_t strip_pitch(const core_operand_t *operand, const core_shape_t *shape) {
  const uint64_t strips = core_ceil_div(shape->cols, core_strip_cols(shape->type));
  return operand->access.rows == 1 ? operand->access.row_bytes / strips : operand->access.pitch;
}

// Bytes from row to row; a run of bytes may have rows, too.
static uint64_t row_pitch(const core_operand_t *operand, const core_shape_t *shape) {
  return operand->pitch_field == NULL && operand->access.rows == 1
             ? core_ceil_div(shape->cols * core_type_bits(shape->type), 8)
             : operand->access.pitch;
}

static core_tensor_t tensor_of(const command_t *command, const core_operand_t *operand) {
  const core_shape_t shape = shape_of(command, operand);
  core_tensor_t tensor = {.field = operand->field,
                          .space = operand->access.space,
                          .write = operand->access.write,
                          .type = shape.type,
                          .layout = shape.layout,
                          .base = operand->access.base,
                          .rows = shape.rows,
                          .cols = shape.cols};
  tensor.block_pitch = shape.block_pitch;
  tensor.pitch = shape.layout == CORE_STRIPS     ? strip_pitch(operand, &shape)
                 : shape.layout == CORE_FRACTALS ? shape.pitch
                 : shape.layout == CORE_KEYS     ? operand->access.row_bytes
                                                 : row_pitch(operand, &shape);
  return tensor;
}

size_t core_tensors(const command_t *command, core_tensor_t tensor[CORE_MAX_TENSORS]) {
  if (command->header.opcode_ == OP_VINST) {
    return core_vinst_tensors(&command->vinst, tensor);
  }
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
  const uint64_t strip_cols = core_strip_cols(tensor->type);
  *high = bits == 4 && c % 2 != 0;
  switch (tensor->layout) {
    case CORE_STRIPS:
      return tensor->base + c / strip_cols * tensor->pitch + r * STRIP_ROW + c % strip_cols * bits / 8;
    case CORE_KEYS:
      return tensor->base + r % tensor->pitch;
    case CORE_FRACTALS: {
      const uint64_t cols = core_fractal_cols(tensor->type);
      return tensor->base + r / STRIP * tensor->pitch + c / cols * tensor->block_pitch +
             (r % STRIP * cols + c % cols) * bits / 8;
    }
    case CORE_BLOCKS:
      return tensor->base + r * tensor->pitch + c * bits / 256 * tensor->block_pitch + c * bits % 256 / 8;
    default:
      return tensor->base + r * tensor->pitch + c * bits / 8;
  }
}

bool core_tensor_has(const core_tensor_t *tensor, uint64_t r, uint64_t c) {
  return tensor->layout != CORE_BLOCKS ||
         (tensor->elements > 0 ? r * tensor->cols + c < tensor->elements : (tensor->lanes[c / 64] >> c % 64 & 1) != 0);
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
    case TYPE_S16:
      return (int16_t)(uint16_t)bits;
    case TYPE_S8:
      return (int8_t)(uint8_t)bits;
    case TYPE_S64:
      return (double)(int64_t)bits;
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
  const uint64_t strip_cols = core_strip_cols(tensor->type);
  const uint64_t strips = core_ceil_div(tensor->cols, strip_cols);
  const uint64_t strip = tensor->pitch == 0 ? strips - 1 : offset / tensor->pitch;
  const uint64_t s = strip < strips ? strip : strips - 1;
  const uint64_t rest = offset - s * tensor->pitch;
  *r = rest / STRIP_ROW;
  *c = s * strip_cols + rest % STRIP_ROW * strip_cols / STRIP_ROW;
  return *r < tensor->rows && *c < tensor->cols;
}

// One after the other, the last first: blocks may lie anywhere.
static bool element_in_blocks(const core_tensor_t *tensor, uint64_t address, uint64_t *r, uint64_t *c) {
  const uint64_t bytes = core_type_bits(tensor->type) / 8;
  for (uint64_t i = tensor->rows * tensor->cols; i-- > 0;) {
    bool high;
    *r = i / tensor->cols;
    *c = i % tensor->cols;
    if (core_tensor_has(tensor, *r, *c) && address - core_tensor_address(tensor, *r, *c, &high) < bytes) {
      return true;
    }
  }
  return false;
}

// By rows of fractals first, or by columns of them, whichever lie farther apart; of a single one the pitch says
// nothing.
static bool element_in_fractals(const core_tensor_t *tensor, uint64_t offset, uint64_t *r, uint64_t *c) {
  const uint64_t cols = core_fractal_cols(tensor->type), bytes = core_type_bits(tensor->type) / 8;
  const bool by_rows = tensor->cols <= cols || (tensor->rows > STRIP && tensor->pitch > tensor->block_pitch);
  const bool one_row = tensor->rows <= STRIP, one_col = tensor->cols <= cols;
  const uint64_t row_pitch = one_row ? UINT64_MAX : tensor->pitch,
                 col_pitch = one_col ? UINT64_MAX : tensor->block_pitch;
  const uint64_t wide = by_rows ? row_pitch : col_pitch, narrow = by_rows ? col_pitch : row_pitch;
  const uint64_t far = offset / wide, near = offset % wide / narrow, in = offset % wide % narrow / bytes;
  *r = (by_rows ? far : near) * STRIP + in / cols;
  *c = (by_rows ? near : far) * cols + in % cols;
  return in < STRIP * cols && *r < tensor->rows && *c < tensor->cols;
}

bool core_tensor_element(const core_tensor_t *tensor, uint64_t address, uint64_t *r, uint64_t *c) {
  if (tensor->layout == CORE_BLOCKS) {
    return element_in_blocks(tensor, address, r, c);
  }
  if (address < tensor->base || tensor->layout == CORE_KEYS) {
    return false;
  }
  const uint64_t offset = address - tensor->base;
  if (tensor->layout == CORE_STRIPS) {
    return element_in_strips(tensor, offset, r, c);
  }
  if (tensor->layout == CORE_FRACTALS) {
    return element_in_fractals(tensor, offset, r, c);
  }
  const uint64_t row = tensor->pitch == 0 ? tensor->rows - 1 : offset / tensor->pitch;
  *r = row < tensor->rows ? row : tensor->rows - 1;
  *c = (offset - *r * tensor->pitch) * 8 / core_type_bits(tensor->type);
  return *c < tensor->cols;
}

// --- what depends on what ---------------------------------------------------------------------

core_reach_t core_reach(const command_t *command, const core_tensor_t *tensor) {
  switch (command->header.opcode_) {
    case OP_VEC:
      return core_vec_reach(&command->vec, tensor);
    case OP_LOAD_B:
      return command->load_b.transpose != 0 ? CORE_REACH_TURNED : CORE_REACH_SAME;
    case OP_LOAD_FRACTALS:
      return command->load_fractals.transpose != 0 ? CORE_REACH_SQUARE : CORE_REACH_SAME;
    case OP_FIXPIPE:
    case OP_FIX_L1:
      return tensor->space == SPACE_L1 ? CORE_REACH_COLUMN : CORE_REACH_SAME;
    default:
      return tensor->cols == 1 ? CORE_REACH_FIRST : CORE_REACH_SAME;  // a RESCALE's operand has one a row
  }
}

static size_t same_elements(const command_t *command, const core_tensor_t *tensors, size_t count, uint64_t r,
                            uint64_t c, core_source_t *source) {
  for (size_t i = 0; i + 1 < count; ++i) {
    const core_reach_t reach = core_reach(command, &tensors[i]);
    source[i] = (core_source_t){
        .tensor = i, .row = reach == CORE_REACH_COLUMN ? c : r, .rows = 1, .col = core_reach_col(reach, c), .cols = 1};
  }
  return count - 1;
}

#undef DATA_NONE
#undef DATA_READ
#undef DATA_COPY
#undef DATA_MOVE
#undef DATA_COMPUTE
#undef DATA_LANES
#define DATA_NONE(name) 0
#define DATA_READ(name) 0
#define DATA_COPY(name) same_elements(command, tensors, count, r, c, source)
#define DATA_MOVE(name) core_##name##_sources(&command->name, tensors, count, r, c, source)
#define DATA_COMPUTE(name) DATA_MOVE(name)
#define DATA_LANES(name) DATA_MOVE(name)

size_t core_sources(const command_t *command, uint64_t r, uint64_t c, core_source_t source[CORE_MAX_TENSORS]) {
  core_tensor_t tensors[CORE_MAX_TENSORS];
  const size_t count = core_tensors(command, tensors);
  switch (command->header.opcode_) {
#define COMMAND(NAME, name, cores, pipes, class, data, cost, entry, text) \
  case OP_##NAME:                                                         \
    return DATA_##data(name);
#include "hal/commands.def"
    default:
      return 0;
  }
}
