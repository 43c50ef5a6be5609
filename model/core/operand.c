// Which bytes a command's operands are: the one description that checks, accesses and costs use.
// SPDX-License-Identifier: Apache-2.0
#include "core_internal.h"

const core_vec_form_t core_vec_forms[VOP_COUNT] = {
    [VOP_ADD] = {.a = true, .b = true},
    [VOP_SUB] = {.a = true, .b = true},
    [VOP_MUL] = {.a = true, .b = true},
    [VOP_DIV] = {.a = true, .b = true},
    [VOP_MAX] = {.a = true, .b = true},
    [VOP_MIN] = {.a = true, .b = true},
    [VOP_FMA] = {.a = true, .b = true, .c = true},
    [VOP_EXP] = {.a = true},
    [VOP_CAST] = {.a = true},
    [VOP_ROW_MAX] = {.a = true, .dst_column = true},
    [VOP_ROW_SUM] = {.a = true, .dst_column = true},
    [VOP_ROW_TREE] = {.a = true, .dst_column = true},
    [VOP_BROADCAST] = {.b = true},
    [VOP_CMP_GT] = {.a = true, .b = true, .dst_mask = true},
    [VOP_CMP_EQ] = {.a = true, .b = true, .dst_mask = true},
    [VOP_SELECT] = {.a = true, .b = true, .mask = true},
    [VOP_LN] = {.a = true},
    [VOP_SCALE] = {.a = true, .b = true, .b_groups = true},
    [VOP_COLUMN] = {.a = false},
    [VOP_SQRT] = {.a = true},
    [VOP_AND] = {.a = true, .b = true},
    [VOP_ADD_S32] = {.a = true, .b = true},
    [VOP_SWAP] = {.a = true},
    [VOP_RSQRT] = {.a = true},
    [VOP_RECIP] = {.a = true},
    [VOP_ABS] = {.a = true},
};

uint32_t core_type_bytes(uint32_t type) {
  switch (type) {
    case TYPE_F32:
    case TYPE_S32:
      return 4;
    case TYPE_BF16:
    case TYPE_F16:
      return 2;
    case TYPE_E4M3:
      return 1;
    default:
      return 0;
  }
}

uint64_t core_row_bytes(uint32_t type, uint64_t cols) {
  return core_type_is_int4(type) ? core_ceil_div(cols, 2) : cols * core_type_bytes(type);
}

static bool has_types(uint32_t op) { return op == VOP_CAST || op == VOP_ADD || op == VOP_SUB || op == VOP_MUL; }

uint32_t core_vec_from(const cmd_vec_t *c) { return has_types(c->op) ? c->from : TYPE_F32; }

uint32_t core_vec_to(const cmd_vec_t *c) { return has_types(c->op) || c->op == VOP_FMA ? c->to : TYPE_F32; }

// A rectangle whose pitch is a field of the command.
static core_operand_t rectangle(core_space_t space, bool write, const char *field, uint64_t base,
                                const char *pitch_field, uint64_t pitch, uint64_t rows, uint64_t row_bytes) {
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
static core_operand_t run(core_space_t space, bool write, const char *field, uint64_t base, uint64_t bytes) {
  return rectangle(space, write, field, base, NULL, bytes, 1, bytes);
}

// Strips whose rows are padded to a multiple of 16: all of it, or the rows without the padding.
static core_operand_t padded_strips(core_space_t space, bool write, const char *field, uint64_t base, uint32_t rows,
                                    uint32_t cols) {
  const uint64_t strip_bytes = core_round_16(rows) * STRIP_ROW;
  return run(space, write, field, base, core_mul(core_strips(cols), strip_bytes));
}

static core_operand_t strip_rows(core_space_t space, const char *field, uint64_t base, uint32_t rows, uint32_t cols) {
  const uint64_t strip_bytes = core_round_16(rows) * STRIP_ROW;
  core_operand_t operand =
      rectangle(space, false, field, base, NULL, strip_bytes, core_strips(cols), (uint64_t)rows * STRIP_ROW);
  operand.extent = core_mul(core_strips(cols), strip_bytes);
  return operand;
}

// The tile of an MMAD: rows padded to a multiple of 16 floats, and a multiple of 16 of them.
static core_operand_t accumulator(bool write, uint64_t base, uint32_t m, uint32_t n) {
  const uint64_t pitch = core_round_16(n) * 4;
  core_operand_t operand = rectangle(SPACE_L0C, write, "l0c", base, NULL, pitch, m, (uint64_t)n * 4);
  operand.extent = core_mul(core_round_16(m), pitch);
  return operand;
}

static core_operand_t global(bool write, uint64_t base, uint64_t pitch, uint64_t rows, uint64_t row_bytes,
                             uint32_t align) {
  core_operand_t operand = rectangle(SPACE_GM, write, "gm", base, "gm_pitch", pitch, rows, row_bytes);
  operand.align = align;
  return operand;
}

static size_t load_nz(const cmd_load_nz_t *c, core_operand_t *operand) {
  operand[0] = c->strips == 0
                   ? global(false, c->gm, c->gm_pitch, c->rows, (uint64_t)c->cols * 2, 2)
                   : global(false, c->gm, c->gm_pitch, core_strips(c->cols), (uint64_t)c->rows * STRIP_ROW, 2);
  operand[1] = padded_strips(SPACE_L1, true, "l1", c->l1, c->rows, c->cols);
  return 2;
}

static size_t load_a(const cmd_load_a_t *c, core_operand_t *operand) {
  operand[0] =
      rectangle(SPACE_L1, false, "l1", c->l1, "l1_pitch", c->l1_pitch, core_strips(c->k), (uint64_t)c->m * STRIP_ROW);
  operand[1] = padded_strips(SPACE_L0A, true, "l0a", c->l0a, c->m, c->k);
  return 2;
}

static size_t load_b(const cmd_load_b_t *c, core_operand_t *operand) {
  const uint32_t rows = c->transpose ? c->n : c->k;  // of the matrix in L1
  const uint32_t cols = c->transpose ? c->k : c->n;
  operand[0] =
      rectangle(SPACE_L1, false, "l1", c->l1, "l1_pitch", c->l1_pitch, core_strips(cols), (uint64_t)rows * STRIP_ROW);
  operand[1] = padded_strips(SPACE_L0B, true, "l0b", c->l0b, c->k, c->n);
  return 2;
}

static size_t mmad(const cmd_mmad_t *c, core_operand_t *operand) {
  size_t count = 0;
  operand[count++] = strip_rows(SPACE_L0A, "l0a", c->l0a, c->m, c->k);
  operand[count++] = strip_rows(SPACE_L0B, "l0b", c->l0b, c->k, c->n);
  if (c->accumulate) {
    operand[count++] = accumulator(false, c->l0c, c->m, c->n);
  }
  operand[count++] = accumulator(true, c->l0c, c->m, c->n);
  return count;
}

static size_t fixpipe(const cmd_fixpipe_t *c, core_operand_t *operand) {
  const uint32_t bytes = core_type_bytes(c->type);
  operand[0] = accumulator(false, c->l0c, c->m, c->n);
  operand[1] = global(true, c->gm, c->gm_pitch, c->m, (uint64_t)c->n * bytes, bytes);
  operand[1].access.atomic = c->op != GM_STORE;
  return 2;
}

static size_t copy_in(const cmd_copy_in_t *c, core_operand_t *operand) {
  operand[0] = global(false, c->gm, c->gm_pitch, c->rows, c->row_bytes, 1);
  operand[1] = rectangle(SPACE_UB, true, "ub", c->ub, "ub_pitch", c->ub_pitch, c->rows, c->row_bytes);
  return 2;
}

// The rows it reads are core_gather_row's.
static size_t gather_in(const cmd_gather_in_t *c, core_operand_t *operand) {
  const uint64_t begin = c->page == 0 ? 0 : c->first / c->page;
  const uint64_t end = c->page == 0 ? 0 : ((uint64_t)c->first + c->rows - (c->rows != 0)) / c->page;
  operand[0] = run(SPACE_GM, false, "list", core_add(c->list, 4 * begin), 4 * (end - begin + 1));
  operand[0].align = 4;
  operand[1] = rectangle(SPACE_UB, true, "ub", c->ub, "ub_pitch", c->ub_pitch, c->rows, c->row_bytes);
  return 2;
}

static size_t copy_out(const cmd_copy_out_t *c, core_operand_t *operand) {
  operand[0] = c->op == GM_RESCALE
                   ? run(SPACE_UB, false, "ub", c->ub, (uint64_t)c->rows * 4)
                   : rectangle(SPACE_UB, false, "ub", c->ub, "ub_pitch", c->ub_pitch, c->rows, c->row_bytes);
  operand[1] = global(true, c->gm, c->gm_pitch, c->rows, c->row_bytes, c->op == GM_STORE ? 1 : 4);
  operand[1].access.atomic = c->op != GM_STORE;
  return 2;
}

// Whole strips' rows are written, so columns beyond the last are there.
static size_t copy_l1(const cmd_copy_l1_t *c, core_operand_t *operand) {
  operand[0] = rectangle(SPACE_UB, false, "ub", c->ub, "ub_pitch", c->ub_pitch, c->rows, (uint64_t)c->cols * 2);
  operand[1] = rectangle(core_copy_l1_to(c), true, "l1", c->l1, "l1_pitch", c->l1_pitch, core_strips(c->cols),
                         (uint64_t)c->rows * STRIP_ROW);
  return 2;
}

// By the scalar core, but in this pipe's order.
static size_t read_gm(const cmd_read_gm_t *c, core_operand_t *operand) {
  operand[0] = run(SPACE_GM, false, "gm", c->gm, c->bytes);
  operand[0].align = 4;
  return 1;
}

static size_t vec(const cmd_vec_t *c, core_operand_t *operand) {
  const core_vec_form_t form = core_vec_forms[c->op];
  const uint64_t cols = c->cols;
  const uint64_t from_bytes = core_row_bytes(core_vec_from(c), cols);
  const uint64_t mask_bytes = core_ceil_div(cols, 8);
  size_t count = 0;
  if (form.a) {
    operand[count++] = rectangle(SPACE_UB, false, "a", c->a, "a_pitch", c->a_pitch, c->rows, from_bytes);
  }
  if (form.b_groups) {
    operand[count++] =
        rectangle(SPACE_UB, false, "b", c->b, "b_pitch", c->b_pitch, c->rows, core_ceil_div(cols, VEC_SCALE_COLS) * 4);
  } else if (form.b && c->b_kind == OPERAND_TILE) {
    operand[count++] = rectangle(SPACE_UB, false, "b", c->b, "b_pitch", c->b_pitch, c->rows, from_bytes);
  } else if (form.b && c->b_kind == OPERAND_ROW) {
    operand[count++] = run(SPACE_UB, false, "b", c->b, (uint64_t)c->rows * 4);
  }
  if (form.c || form.mask) {
    operand[count++] =
        rectangle(SPACE_UB, false, "c", c->c, "c_pitch", c->c_pitch, c->rows, form.mask ? mask_bytes : from_bytes);
  }
  if (form.dst_column) {
    operand[count++] = run(SPACE_UB, true, "dst", c->dst, (uint64_t)c->rows * 4);
  } else {
    const uint64_t row_bytes = form.dst_mask ? mask_bytes : core_row_bytes(core_vec_to(c), cols);
    operand[count++] = rectangle(SPACE_UB, true, "dst", c->dst, "dst_pitch", c->dst_pitch, c->rows, row_bytes);
  }
  return count;
}

// --- attention engines ------------------------------------------------------------------------

// Rows of the KV SRAM.
static core_operand_t kv_rows(bool write, uint32_t row, uint32_t stride) {
  core_operand_t operand = run(SPACE_KV, write, "row", row, stride);
  operand.align = 1;
  return operand;
}

static core_operand_t keys(const char *field, uint64_t base, const char *pitch_field, uint64_t pitch,
                           const cmd_load_kv_t *c) {
  core_operand_t operand = rectangle(SPACE_GM, false, field, base, pitch_field, pitch, c->keys, (uint64_t)c->dim * 2);
  operand.align = 2;
  return operand;
}

static size_t load_kv(const cmd_load_kv_t *c, core_operand_t *operand) {
  operand[0] = keys("k_gm", c->k_gm, "k_pitch", c->k_pitch, c);
  operand[1] = keys("v_gm", c->v_gm, "v_pitch", c->v_pitch, c);
  operand[2] = kv_rows(true, c->row, c->stride);
  return 3;
}

static size_t load_eb(const cmd_load_eb_t *c, core_operand_t *operand) {
  operand[0] = global(false, c->gm, c->gm_pitch, c->rows, c->row_bytes, c->scale == 0 ? 1 : 2);
  operand[1] = rectangle(SPACE_EB, true, "eb", c->eb, "eb_pitch", c->eb_pitch, c->rows, c->row_bytes);
  return 2;
}

static size_t attn(const cmd_attn_t *c, core_operand_t *operand) {
  const uint64_t queries = core_mul(c->queries, (uint64_t)c->dim * 2);
  const core_operand_t triplets = rectangle(SPACE_EB, c->final == 0, "triplet", c->triplet, "triplet_pitch",
                                            c->triplet_pitch, c->queries, core_triplet_bytes(c->dim));
  size_t count = 0;
  operand[count++] = run(SPACE_EB, false, "q", c->q, queries);
  operand[count++] = kv_rows(false, c->row, c->stride);
  if (c->mask_mode == MASK_BITS) {
    operand[count++] = rectangle(SPACE_EB, false, "mask", c->mask, "mask_pitch", c->mask_pitch,
                                 core_ceil_div(c->queries, c->share), core_ceil_div(c->keys, 8));
  }
  if (c->carry != 0) {
    operand[count] = triplets;
    operand[count++].access.write = false;
  }
  if (c->final == 0) {
    operand[count++] = triplets;
  } else {
    operand[count++] = run(SPACE_EB, true, "out", c->out, queries);
  }
  return count;
}

static size_t store_eb(const cmd_store_eb_t *c, core_operand_t *operand) {
  operand[0] = rectangle(SPACE_EB, false, "eb", c->eb, "eb_pitch", c->eb_pitch, c->rows, c->row_bytes);
  operand[1] = global(true, c->gm, c->gm_pitch, c->rows, c->row_bytes, 1);
  return 2;
}

size_t core_operands(const command_t *command, core_operand_t operand[CORE_MAX_ACCESSES]) {
  switch (command->header.opcode_) {
    case OP_LOAD_NZ:
      return load_nz(&command->load_nz, operand);
    case OP_LOAD_A:
      return load_a(&command->load_a, operand);
    case OP_LOAD_B:
      return load_b(&command->load_b, operand);
    case OP_MMAD:
      return mmad(&command->mmad, operand);
    case OP_FIXPIPE:
      return fixpipe(&command->fixpipe, operand);
    case OP_COPY_IN:
      return copy_in(&command->copy_in, operand);
    case OP_GATHER_IN:
      return gather_in(&command->gather_in, operand);
    case OP_COPY_OUT:
      return copy_out(&command->copy_out, operand);
    case OP_VEC:
      return vec(&command->vec, operand);
    case OP_COPY_L1:
      return copy_l1(&command->copy_l1, operand);
    case OP_READ_GM:
      return read_gm(&command->read_gm, operand);
    case OP_LOAD_KV:
      return load_kv(&command->load_kv, operand);
    case OP_LOAD_EB:
      return load_eb(&command->load_eb, operand);
    case OP_ATTN:
      return attn(&command->attn, operand);
    case OP_STORE_EB:
      return store_eb(&command->store_eb, operand);
    default:
      return 0;
  }
}

bool core_vec_is_packed(const cmd_vec_t *c) {
  const core_vec_form_t form = core_vec_forms[c->op];
  if (c->rows == 1) {
    return true;
  }
  if (form.dst_column || form.b_groups || c->op == VOP_COLUMN || (form.b && c->b_kind == OPERAND_ROW)) {
    return false;
  }
  // Rows of a mask end with a whole byte then: a's pitch, a multiple of 32, is 4 * cols.
  const uint64_t from_bytes = core_row_bytes(core_vec_from(c), c->cols);
  const uint64_t mask_bytes = core_ceil_div(c->cols, 8);
  const uint64_t to_bytes = form.dst_mask ? mask_bytes : core_row_bytes(core_vec_to(c), c->cols);
  return (!form.a || c->a_pitch == from_bytes) && (!form.b || c->b_kind != OPERAND_TILE || c->b_pitch == from_bytes) &&
         (!form.c || c->c_pitch == from_bytes) && (!form.mask || c->c_pitch == mask_bytes) && c->dst_pitch == to_bytes;
}
