// Time for which commands keep their pipes, and when scalar cores, queues and flags let them begin: the rows of
// model/README.md's table that need no global memory, on several machines, to the cycle. test_time_moves.c has the
// others.
// SPDX-License-Identifier: Apache-2.0
#include "test.h"
#include "commands_case.h"
#include "firmware/counted.h"

static uint64_t ceil_div(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

// Bytes at a rate, at least a cycle.
static uint64_t transfer(uint64_t bytes, double bytes_per_cycle) {
  return later(1, commands_cycles((double)bytes / bytes_per_cycle));
}

// --- commands ---------------------------------------------------------------------------------

static command_t random_mmad(commands_case_t *c) {
  return COMMAND_OF(MMAD, mmad, M, .m = (uint32_t)commands_random(c, 1, 128), .n = (uint32_t)commands_random(c, 1, 128),
                    .k = (uint32_t)commands_random(c, 1, 128), .type = commands_random(c, 0, 2) ? TYPE_BF16 : TYPE_S8);
}

static uint64_t mmad_cycles(const config_cube_t *cube, const cmd_mmad_t *mmad) {
  return cube->mmad_startup + ceil_div(mmad->m, cube->mac_m) * ceil_div(mmad->n, cube->mac_n) *
                                  ceil_div(mmad->k, mmad->type == TYPE_S8 ? cube->mac_k_s8 : cube->mac_k);
}

static uint64_t strips(uint64_t rows, uint64_t cols) { return ceil_div(rows, 16) * 16 * ceil_div(cols, 16) * 32; }

ON_MACHINES(products) {
  for (int i = 0; i < 12; ++i) {
    commands_add(c, CORE_CUBE, 0, 0, random_mmad(c));
    const uint32_t rows = (uint32_t)commands_random(c, 1, 150), cols = (uint32_t)commands_random(c, 1, 150);
    commands_add(c, CORE_CUBE, 0, 0,
                 i % 2 == 0 ? COMMAND_OF(LOAD_A, load_a, MTE1, .l1_pitch = 8192, .m = rows, .k = cols)
                            : COMMAND_OF(LOAD_B, load_b, MTE1, .l1_pitch = 8192, .k = rows, .n = cols));
  }
  commands_run(c);
  const config_cube_t *cube = &c->options.config.cube;
  for (size_t i = 0; i < c->count; ++i) {
    const command_t *command = &c->list[i].command;
    switch (command->header.opcode_) {
      case OP_MMAD:
        commands_expect(c, i, mmad_cycles(cube, &command->mmad), 0);
        break;
      case OP_LOAD_A:
        commands_expect(c, i, transfer(strips(command->load_a.m, command->load_a.k), cube->l0a_bytes_per_cycle), 0);
        break;
      default:
        commands_expect(c, i, transfer(strips(command->load_b.k, command->load_b.n), cube->l0b_bytes_per_cycle), 0);
    }
  }
}

ON_MACHINES(tiles_to_l1) {
  for (int i = 0; i < 12; ++i) {
    commands_add(c, CORE_CUBE, 0, 0,
                 COMMAND_OF(FIX_L1, fix_l1, FIX, .l1_pitch = 8192, .m = (uint32_t)commands_random(c, 1, 100),
                            .n = 16 * (uint32_t)commands_random(c, 1, 12), .type = i % 2 != 0 ? TYPE_F16 : TYPE_F32));
  }
  commands_run(c);
  for (size_t i = 0; i < c->count; ++i) {
    const cmd_fix_l1_t *fix = &c->list[i].command.fix_l1;
    commands_expect(c, i, transfer(fix->m * fix->n * 4, c->options.config.cube.fix_l1_bytes_per_cycle), 0);
  }
}

ON_MACHINES(direct_path) {
  c->options.config.soc.direct_path = 1;
  for (int i = 0; i < 12; ++i) {
    commands_add(
        c, CORE_VECTOR, 0, 0,
        COMMAND_OF(COPY_L1, copy_l1, MTE3, .ub_pitch = 512, .l1_pitch = 8192,
                   .rows = (uint32_t)commands_random(c, 1, 100), .cols = (uint32_t)commands_random(c, 1, 200)));
  }
  commands_run(c);
  for (size_t i = 0; i < c->count; ++i) {
    const cmd_copy_l1_t *copy = &c->list[i].command.copy_l1;
    const uint64_t bytes = ceil_div(copy->cols, 16) * 32 * copy->rows;
    commands_expect(c, i, transfer(bytes, c->options.config.vector.direct_bytes_per_cycle), 0);
  }
}

// Price of a vector operation: which parameters it is made of, and how many repeats it has.
typedef struct priced {
  uint32_t startup;
  double cycles;
} priced_t;

static priced_t price(const config_vector_t *v, const cmd_vec_t *c) {
  switch (c->op) {
    case VOP_DIV:
    case VOP_SQRT:
    case VOP_RSQRT:
    case VOP_RECIP:
      return (priced_t){v->div_startup, v->div_cycles};
    case VOP_ABS:
      return (priced_t){v->scalar_startup, v->scalar_cycles};
    case VOP_EXP:
    case VOP_LN:
      return (priced_t){v->exp_startup, v->exp_cycles};
    case VOP_CAST:
      return (priced_t){v->cast_startup, c->from == TYPE_S4 ? v->cast_int4_cycles : v->cast_cycles};
    case VOP_ROW_MAX:
    case VOP_ROW_SUM:
    case VOP_ROW_TREE:
      return (priced_t){v->reduce_startup, v->reduce_cycles};
    case VOP_BROADCAST:
    case VOP_COLUMN:
      return (priced_t){v->broadcast_startup, v->broadcast_cycles};
    case VOP_SWAP:
      return (priced_t){v->swap_startup, v->swap_cycles};
    case VOP_SCALE:
      return (priced_t){v->group_startup, v->group_cycles};
    default:
      return c->b_kind == OPERAND_SCALAR ? (priced_t){v->scalar_startup, v->scalar_cycles}
                                         : (priced_t){v->alu_startup, v->alu_cycles};
  }
}

static uint64_t vec_cycles(const config_vector_t *v, const cmd_vec_t *c, bool whole_tile, uint32_t bytes) {
  const double repeats = (double)(whole_tile ? ceil_div((uint64_t)c->rows * c->cols * bytes, v->repeat_bytes)
                                             : c->rows * ceil_div((uint64_t)c->cols * bytes, v->repeat_bytes));
  if (c->op == VOP_CAST && (c->from == TYPE_E4M3 || c->to == TYPE_E4M3)) {
    const double halves = (double)(whole_tile ? ceil_div((uint64_t)c->rows * c->cols * 2, v->repeat_bytes)
                                              : c->rows * ceil_div((uint64_t)c->cols * 2, v->repeat_bytes));
    const double narrow = v->e4m3_emulated ? v->e4m3_emulated_cycles : v->e4m3_native_cycles;
    return v->cast_startup +
           commands_cycles(halves * narrow + repeats * (c->to == TYPE_E4M3 ? v->cast_cycles : v->widen_cycles));
  }
  const priced_t p = price(v, c);
  return p.startup + commands_cycles(repeats * p.cycles);
}

// Each form once: with or without gaps between rows, on tiles, rows and scalars. cast_from: of a CAST, of ADD both
// types.
typedef struct form {
  uint32_t op, b_kind, from, to;
  uint32_t a_bits, dst_bits;  // of an element; dst 0: one value a row
  uint32_t bytes;             // of the widest
  bool a, b;                  // has tiles there
  bool mask;                  // c is one
  bool rows_apart;
} form_t;

static const form_t forms[] = {
    {VOP_ADD, OPERAND_TILE, TYPE_F32, TYPE_F32, 32, 32, 4, .a = true, .b = true},
    {VOP_SUB, OPERAND_ROW, TYPE_F32, TYPE_F32, 32, 32, 4, .a = true, .rows_apart = true},
    {VOP_MUL, OPERAND_SCALAR, TYPE_F32, TYPE_F32, 32, 32, 4, .a = true},
    {VOP_ADD, OPERAND_TILE, TYPE_F16, TYPE_F16, 16, 16, 2, .a = true, .b = true},
    {VOP_DIV, OPERAND_TILE, TYPE_F32, TYPE_F32, 32, 32, 4, .a = true, .b = true},
    {VOP_DIV, OPERAND_SCALAR, TYPE_F32, TYPE_F32, 32, 32, 4, .a = true},
    {VOP_MAX, OPERAND_TILE, TYPE_F32, TYPE_F32, 32, 32, 4, .a = true, .b = true},
    {VOP_MIN, OPERAND_SCALAR, TYPE_F32, TYPE_F32, 32, 32, 4, .a = true},
    {VOP_EXP, OPERAND_TILE, TYPE_F32, TYPE_F32, 32, 32, 4, .a = true},
    {VOP_LN, OPERAND_TILE, TYPE_F32, TYPE_F32, 32, 32, 4, .a = true},
    {VOP_CAST, OPERAND_TILE, TYPE_F32, TYPE_BF16, 32, 16, 4, .a = true},
    {VOP_CAST, OPERAND_TILE, TYPE_BF16, TYPE_F32, 16, 32, 4, .a = true},
    {VOP_CAST, OPERAND_TILE, TYPE_S4, TYPE_F16, 4, 16, 2, .a = true},
    {VOP_CAST, OPERAND_TILE, TYPE_E4M3, TYPE_F32, 8, 32, 4, .a = true},
    {VOP_CAST, OPERAND_TILE, TYPE_F32, TYPE_E4M3, 32, 8, 4, .a = true},
    {VOP_SQRT, OPERAND_TILE, TYPE_F32, TYPE_F32, 32, 32, 4, .a = true},
    {VOP_RSQRT, OPERAND_TILE, TYPE_F32, TYPE_F32, 32, 32, 4, .a = true},
    {VOP_RECIP, OPERAND_SCALAR, TYPE_F32, TYPE_F32, 32, 32, 4, .a = true},
    {VOP_ABS, OPERAND_TILE, TYPE_F32, TYPE_F32, 32, 32, 4, .a = true},
    {VOP_AND, OPERAND_TILE, TYPE_F32, TYPE_F32, 32, 32, 4, .a = true, .b = true},
    {VOP_ADD_S32, OPERAND_SCALAR, TYPE_F32, TYPE_F32, 32, 32, 4, .a = true},
    {VOP_SWAP, OPERAND_TILE, TYPE_F32, TYPE_F32, 32, 32, 4, .a = true},
    {VOP_ROW_MAX, OPERAND_TILE, TYPE_F32, TYPE_F32, 32, 0, 4, .a = true, .rows_apart = true},
    {VOP_ROW_SUM, OPERAND_TILE, TYPE_F32, TYPE_F32, 32, 0, 4, .a = true, .rows_apart = true},
    {VOP_ROW_TREE, OPERAND_TILE, TYPE_F32, TYPE_F32, 32, 0, 4, .a = true, .rows_apart = true},
    {VOP_BROADCAST, OPERAND_ROW, TYPE_F32, TYPE_F32, 32, 32, 4, .rows_apart = true},
    {VOP_BROADCAST, OPERAND_SCALAR, TYPE_F32, TYPE_F32, 32, 32, 4, .a = false},
    {VOP_COLUMN, OPERAND_TILE, TYPE_F32, TYPE_F32, 32, 32, 4, .rows_apart = true},
    {VOP_CMP_GT, OPERAND_TILE, TYPE_F32, TYPE_F32, 32, 1, 4, .a = true, .b = true},
    {VOP_CMP_EQ, OPERAND_SCALAR, TYPE_F32, TYPE_F32, 32, 1, 4, .a = true},
    {VOP_SELECT, OPERAND_SCALAR, TYPE_F32, TYPE_F32, 32, 32, 4, .a = true, .mask = true},
    {VOP_SCALE, OPERAND_TILE, TYPE_F32, TYPE_F32, 32, 32, 4, .a = true, .rows_apart = true},
};

static uint32_t row_bytes(uint32_t bits, uint32_t cols) { return (uint32_t)ceil_div((uint64_t)cols * bits, 8); }

ON_MACHINES(vector_operations) {
  enum { FORMS = sizeof forms / sizeof *forms, TIMES = 6 };
  bool whole[FORMS * TIMES];
  for (size_t i = 0; i < (size_t)FORMS * TIMES; ++i) {
    const form_t *f = &forms[i / TIMES];
    const uint32_t cols = (uint32_t)(commands_random(c, 0, 1) ? 256 : commands_random(c, 1, 16) * 16);
    const uint32_t rows = (uint32_t)(commands_random(c, 0, 3) ? commands_random(c, 2, 24) : 1);
    const uint32_t gap = commands_random(c, 0, 2) ? 0 : 32;
    const uint32_t a = (uint32_t)ceil_div(row_bytes(f->a_bits, cols), 32) * 32;
    const uint32_t dst = (uint32_t)ceil_div(row_bytes(f->dst_bits, cols), 32) * 32 + gap;
    const uint32_t mask = (uint32_t)ceil_div(row_bytes(1, cols), 32) * 32;
    commands_add(c, CORE_VECTOR, 0, 0,
                 COMMAND_OF(VEC, vec, V, .op = f->op, .rows = rows, .cols = cols, .dst = 0x18000, .dst_pitch = dst,
                            .a = 0, .a_pitch = a, .b = 0x8000, .b_pitch = a, .c = 0x10000, .c_pitch = mask,
                            .b_kind = f->b_kind, .from = f->from, .to = f->to));
    const bool gaps = (f->a && a != row_bytes(f->a_bits, cols)) || dst != row_bytes(f->dst_bits, cols) ||
                      (f->mask && mask != row_bytes(1, cols));
    whole[i] = rows == 1 || (!f->rows_apart && !gaps);
  }
  commands_run(c);
  for (size_t i = 0; i < c->count; ++i) {
    const cmd_vec_t *vec = &c->list[i].command.vec;
    commands_expect(c, i, vec_cycles(&c->options.config.vector, vec, whole[i], forms[i / TIMES].bytes), 0);
  }
}

// --- flags ------------------------------------------------------------------------------------

static uint64_t us(const commands_case_t *c, double time) {
  return (uint64_t)(time * c->options.config.soc.clock_mhz + 0.5);
}

static command_t random_vec(commands_case_t *c) {
  return COMMAND_OF(VEC, vec, V, .op = VOP_ADD, .rows = 1, .cols = (uint32_t)commands_random(c, 1, 4096), .a = 0x4000,
                    .b = 0x8000);
}

// A command, and a flag behind it, there and back.
ON_MACHINES(flags) {
  const uint32_t set = c->options.config.soc.flag_cycles, drain = c->options.config.vector.drain;
  size_t to[20], there[20], back[20], home[20];
  for (uint32_t i = 0; i < 20; ++i) {
    commands_add(c, CORE_VECTOR, 0, 1, random_vec(c));
    to[i] = commands_add(c, CORE_VECTOR, 0, 1, COMMAND_OF(SET_FLAG, set_flag, V, .to = PIPE_MTE3, .event = i));
    there[i] = commands_add(c, CORE_VECTOR, 0, 1, COMMAND_OF(WAIT_FLAG, wait_flag, MTE3, .from = PIPE_V, .event = i));
    back[i] = commands_add(c, CORE_VECTOR, 0, 1, COMMAND_OF(SET_FLAG, set_flag, MTE3, .to = PIPE_V, .event = i));
    home[i] = commands_add(c, CORE_VECTOR, 0, 1, COMMAND_OF(WAIT_FLAG, wait_flag, V, .from = PIPE_MTE3, .event = i));
  }
  commands_run(c);
  for (size_t i = 0; i < 20; ++i) {
    commands_expect(c, to[i], set, drain);
    commands_expect_wait(c, there[i], c->at[to[i]].done);
    commands_expect(c, back[i], set, 0);
    commands_expect_wait(c, home[i], c->at[back[i]].done);
  }
}

// A barrier lets the pipe go on when all before it is done: at once in most pipes, a drain later in V.
ON_MACHINES(barriers) {
  const config_t *config = &c->options.config;
  for (int i = 0; i < 8; ++i) {
    commands_add(c, CORE_CUBE, 0, 0, random_mmad(c));
    commands_add(c, CORE_CUBE, 0, 0, COMMAND_OF(PIPE_BARRIER, pipe_barrier, M, .zero_ = 0));
    commands_add(c, CORE_VECTOR, 0, 0,
                 i % 3 == 0 ? COMMAND_OF(SET_FLAG, set_flag, V, .to = PIPE_MTE3, .event = (uint32_t)i) : random_vec(c));
    commands_add(c, CORE_VECTOR, 0, 0, COMMAND_OF(PIPE_BARRIER, pipe_barrier, V, .zero_ = 0));
    if (i % 3 == 0) {
      commands_add(c, CORE_VECTOR, 0, 0, COMMAND_OF(WAIT_FLAG, wait_flag, MTE3, .from = PIPE_V, .event = (uint32_t)i));
    }
  }
  commands_run(c);
  for (size_t i = 0; i < c->count; ++i) {
    if (c->list[i].command.header.opcode_ == OP_PIPE_BARRIER) {
      const uint64_t from = later(c->at[i].begin, commands_effect_before(c, i));
      const bool v = c->list[i].command.header.pipe_ == PIPE_V;
      commands_equal(c, i, "waits to cycle", c->at[i].end, from + (v ? config->vector.drain : config->soc.flag_cycles));
    }
  }
}

// Cube core to its vector cores and back, pairs: from every vector core of the other AI core.
static void cross_flags(commands_case_t *c, bool pairs) {
  config_t *config = &c->options.config;
  config->soc.ai_cores = 2;
  c->options.pairs = pairs;
  const uint8_t set = pairs ? OP_PAIR_SET : OP_CROSS_SET, wait = pairs ? OP_PAIR_WAIT : OP_CROSS_WAIT;
  size_t down[6], waits[6][2], up[6][2], ends[6];
  for (uint32_t i = 0; i < 6; ++i) {
    const unsigned cube = i % 2, other = pairs ? 1 - cube : cube;
    commands_add(c, CORE_CUBE, cube, 0, random_mmad(c));
    down[i] = commands_add(c, CORE_CUBE, cube, 0, COMMAND_OF(CROSS_SET, cross_set, M, .flag = i));
    for (unsigned sub = 0; sub < 2; ++sub) {
      waits[i][sub] = commands_add(c, CORE_VECTOR, other, sub, COMMAND_OF(CROSS_WAIT, cross_wait, V, .flag = i));
      commands_add(c, CORE_VECTOR, other, sub, random_vec(c));
      up[i][sub] = commands_add(c, CORE_VECTOR, other, sub, COMMAND_OF(CROSS_SET, cross_set, V, .flag = 15 - i));
    }
    ends[i] = commands_add(c, CORE_CUBE, cube, 0, COMMAND_OF(CROSS_WAIT, cross_wait, M, .flag = 15 - i));
  }
  for (size_t i = 0; i < c->count; ++i) {
    cmd_header_t *header = &c->list[i].command.header;
    header->opcode_ = header->opcode_ == OP_CROSS_SET ? set : header->opcode_ == OP_CROSS_WAIT ? wait : header->opcode_;
  }
  commands_run(c);
  const uint64_t way = us(c, config->soc.cross_flag_us);
  for (size_t i = 0; i < 6; ++i) {
    commands_expect(c, down[i], config->soc.flag_cycles, 0);
    for (unsigned sub = 0; sub < 2; ++sub) {
      commands_expect_wait(c, waits[i][sub], c->at[down[i]].done + way);
      commands_expect(c, up[i][sub], config->soc.flag_cycles, config->vector.drain);
    }
    const uint64_t last = later(c->at[up[i][0]].done, c->at[up[i][1]].done);
    commands_expect_wait(c, ends[i], last + way);
    commands_equal(c, ends[i], "last set done", c->at[ends[i]].cause_done, last);
  }
}

ON_MACHINES(cross_flags_of_a_core) { cross_flags(c, false); }
ON_MACHINES(cross_flags_of_a_pair) { cross_flags(c, true); }

// All go on when a flag's way has passed since the last came, with all done that it was at.
ON_MACHINES(sync_alls) {
  enum { CORES = 3, TIMES = 3 };
  c->options.config.soc.ai_cores = CORES;
  for (int time = 0; time < TIMES; ++time) {
    for (unsigned core = 0; core < CORES; ++core) {
      commands_add(c, CORE_CUBE, core, 0, random_mmad(c));
      commands_add(c, CORE_CUBE, core, 0, COMMAND_OF(SYNC_ALL, sync_all, M, .zero_ = 0));
      for (unsigned sub = 0; sub < 2; ++sub) {
        commands_add(c, CORE_VECTOR, core, sub, random_vec(c));
        if (sub == 1) {  // is done later than it ends
          commands_add(c, CORE_VECTOR, core, sub,
                       COMMAND_OF(SET_FLAG, set_flag, V, .to = PIPE_MTE3, .event = (uint32_t)time));
          commands_add(c, CORE_VECTOR, core, sub,
                       COMMAND_OF(WAIT_FLAG, wait_flag, MTE3, .from = PIPE_V, .event = (uint32_t)time));
        }
        commands_add(c, CORE_VECTOR, core, sub, COMMAND_OF(SYNC_ALL, sync_all, V, .zero_ = 0));
      }
    }
  }
  commands_run(c);
  uint64_t latest[2][TIMES] = {{0}};
  int seen[2][CORES][2] = {{{0}}};
  for (int pass = 0; pass < 2; ++pass) {
    memset(seen, 0, sizeof seen);
    for (size_t i = 0; i < c->count; ++i) {
      const listed_command_t *l = &c->list[i];
      if (l->command.header.opcode_ == OP_SYNC_ALL) {
        uint64_t *last = &latest[l->kind == CORE_VECTOR][seen[l->kind == CORE_VECTOR][l->core][l->sub]++];
        if (pass == 0) {
          *last = later(*last, later(c->at[i].begin, commands_effect_before(c, i)));
        } else {
          commands_equal(c, i, "goes on in cycle", c->at[i].end, *last + us(c, c->options.config.soc.cross_flag_us));
          commands_equal(c, i, "last one there", c->at[i].cause_done, *last);
        }
      }
    }
  }
}

// READ_GM and MARK wait for their pipe's earlier commands; what is pushed behind a READ_GM comes later still
// (check_pushes). Marks tell the cycle, and the traffic so far.
ON_MACHINES(looks) {
  enum { TIMES = 4 };
  size_t marks[TIMES], reads[TIMES];
  uint64_t bytes[TIMES];
  for (int i = 0; i < TIMES; ++i) {
    bytes[i] = 32 * commands_random(c, 1, 1000);
    commands_add(c, CORE_VECTOR, 0, 0,
                 COMMAND_OF(COPY_IN, copy_in, MTE2, .gm = commands_in, .rows = 1, .row_bytes = (uint32_t)bytes[i]));
    reads[i] =
        commands_add(c, CORE_VECTOR, 0, 0, COMMAND_OF(READ_GM, read_gm, MTE2, .gm = commands_numbers, .bytes = 4));
    commands_add(c, CORE_VECTOR, 0, 0, random_vec(c));
    marks[i] = commands_add(c, CORE_VECTOR, 0, 0, COMMAND_OF(MARK, mark, MTE2, .number = (uint32_t)(70 + i)));
    commands_add(c, CORE_VECTOR, 0, 0, COMMAND_OF(MARK, mark, MTE2, .number = (uint32_t)(70 + i)));  // not noted
  }
  commands_run(c);
  uint64_t all = 0;
  assert_int_equal(c->mark_count, TIMES);
  for (int i = 0; i < TIMES; ++i) {
    const uint64_t flag = c->options.config.soc.flag_cycles;
    const uint64_t read = later(c->at[reads[i]].begin, commands_effect_before(c, reads[i]));
    commands_equal(c, reads[i], "waits to cycle", c->at[reads[i]].end, read + flag);
    const uint64_t seen = later(c->at[marks[i]].begin, commands_effect_before(c, marks[i]));
    commands_equal(c, marks[i], "waits to cycle", c->at[marks[i]].end, seen + flag);
    all += bytes[i];
    assert_int_equal(c->marks[i].number, 70 + i);
    assert_int_equal(c->marks[i].cycle, seen);
    assert_int_equal(c->marks[i].traffic.l2_read, all);
  }
}

// --- scalar cores and queues ------------------------------------------------------------------

// Cores begin one after the other; a register read between pushes costs as much as a push.
ON_MACHINES(launches) {
  c->options.config.soc.ai_cores = 3;
  for (int i = 0; i < 60; ++i) {
    const core_kind_t kind = commands_random(c, 0, 1) ? CORE_CUBE : CORE_VECTOR;
    const size_t at = commands_add(c, kind, (unsigned)commands_random(c, 0, 2),
                                   kind == CORE_VECTOR ? (unsigned)commands_random(c, 0, 1) : 0,
                                   kind == CORE_CUBE ? random_mmad(c) : random_vec(c));
    c->list[at].reads = (uint32_t)commands_random(c, 0, 3) * 50;
  }
  commands_run(c);
  uint64_t first = UINT64_MAX;
  for (size_t i = 0; i < c->count; ++i) {
    first = c->at[i].issued < first ? c->at[i].issued : first;
  }
  assert_true(first >= us(c, c->options.config.soc.launch_us));
}

// Pushes wait for room, those of other pipes behind them, too.
ON_MACHINES(full_queues) {
  c->options.config.scalar.queue_depth = 1 + c->machine % 4;
  for (int i = 0; i < 60; ++i) {
    commands_add(c, CORE_CUBE, 0, 0,
                 commands_random(c, 0, 2) ? random_mmad(c)
                                          : COMMAND_OF(LOAD_A, load_a, MTE1, .l1_pitch = 8192,
                                                       .m = (uint32_t)commands_random(c, 1, 200), .k = 64));
  }
  commands_run(c);  // checks them
  size_t held = 0;
  for (size_t i = 0; i < c->count; ++i) {
    held += c->at[i].pushed > c->at[i].issued;
  }
  assert_true(held > 10);
}

static const uint64_t loops[] = {
#define LOOPS(n) n,
    COUNTED_LOOPS
#undef LOOPS
};

enum { PUSHES = sizeof loops / sizeof *loops };

// Cycles from one push of counted.c to the next, in RV64.
static void distances(double cpi, uint32_t push_cycles, uint64_t distance[PUSHES - 1]) {
  commands_case_t *c = commands_machine(0);
  c->options.config.scalar.cpi = cpi;
  c->options.config.scalar.push_cycles = push_cycles;
  for (int i = 0; i < PUSHES; ++i) {
    commands_add(c, CORE_CUBE, 0, 0, COMMAND_OF(PIPE_BARRIER, pipe_barrier, M, .zero_ = 0));
  }
  commands_run_firmware(c, FIRMWARE_DIR "/tests/counted.elf");
  for (int i = 0; i < PUSHES - 1; ++i) {
    distance[i] = c->at[i + 1].pushed - c->at[i].pushed;
  }
  commands_end(c);
}

// scalar.cpi an instruction, rounded down from push to push, and scalar.push_cycles a push. What the compiler puts
// around the loops is the same for all.
TEST(instructions_take) {
  static const double cpi[] = {1, 0, 0.5, 2.5, 1.3};
  static const uint32_t push_cycles[] = {4, 7, 0, 13, 1};
  uint64_t base[PUSHES - 1], distance[PUSHES - 1];
  distances(1, 0, base);
  for (size_t i = 0; i < PUSHES - 1; ++i) {
    assert_int_equal(base[i] - 2 * loops[i + 1], base[0] - 2 * loops[1]);
  }
  for (size_t n = 0; n < sizeof cpi / sizeof *cpi; ++n) {
    distances(cpi[n], push_cycles[n], distance);
    for (size_t i = 0; i < PUSHES - 1; ++i) {
      assert_int_equal(distance[i], (uint64_t)((double)base[i] * cpi[n]) + push_cycles[n]);
    }
  }
}

static void expect_link(const commands_case_t *c, const char *what, const char *command, uint64_t cycles) {
  for (size_t i = 0; i < c->link_count; ++i) {
    if (strcmp(c->links[i].what, what) == 0 && strcmp(c->links[i].command, command) == 0) {
      assert_int_equal(c->links[i].cycles, cycles);
      assert_int_equal(c->links[i].times, 1);
      return;
    }
  }
  fail_msg("machine %u: no link %s of %s", c->machine, what, command);
}

// The last command could not be pushed before one that found M's queue full, until M had ended its first.
ON_MACHINES(critical_path_of_a_full_queue) {
  config_t *config = &c->options.config;
  config->scalar.queue_depth = 3 + c->machine % 4;
  config->cube.mmad_startup = 60 + c->machine;  // longer than pushes take
  for (uint32_t i = 0; i <= config->scalar.queue_depth; ++i) {
    commands_add(c, CORE_CUBE, 0, 0,
                 COMMAND_OF(MMAD, mmad, M, .m = 16 + 64 * (i % 2), .n = 64, .k = 64, .type = TYPE_BF16));
  }
  const size_t held = c->count - 1;
  config->cube.l0a_bytes_per_cycle = 1;
  const size_t last =
      commands_add(c, CORE_CUBE, 0, 0, COMMAND_OF(LOAD_A, load_a, MTE1, .l1_pitch = 8192, .m = 256, .k = 128));
  commands_run(c);
  assert_true(c->at[held].pushed > c->at[held].issued && c->at[last].done == c->result.cycles);
  assert_int_equal(c->link_count, 4);
  // From the launch to the first push, the first product, the push behind the one that waited, the load.
  expect_link(c, "launch", "MMAD", c->at[0].pushed);
  expect_link(c, "busy", "MMAD", mmad_cycles(&config->cube, &c->list[0].command.mmad));
  expect_link(c, "scalar", "LOAD_A", config->scalar.push_cycles);
  expect_link(c, "busy", "LOAD_A", strips(256, 128));
}

int main(void) {
  commands_place();
  return test_run(NULL);
}
