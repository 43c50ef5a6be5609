// VINST: an instruction of the vector pipe, as its row in hal/vector_instructions.def says.
// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "core/commands/command.h"
#include "core/vector/instruction.h"

// What it has beside dst, and what dst is.
typedef struct vinst_form {
  bool a, b, scalar, c, dst_read;
  enum { DST_LANES, DST_BITS, DST_WHOLE, DST_CHOICE, DST_BLOCKS, DST_PAIRS, DST_SORTED, DST_TILE, DST_PACKED } dst;
  bool cast, spreads;  // spreads: an element of a fills a block
  bool sorts, table;   // sorts: a and b are packed; table: a has offsets, b is the table
  bool picks, merges;
} vinst_form_t;

typedef struct vinst_row {
  vinst_form_t form;
  uint32_t types;
  size_t cycles, startup;  // where the prices are in config_vector_t
  void (*compute)(const core_lanes_t *t);
} vinst_row_t;

#define FORM_A .a = true
#define FORM_AB .a = true, .b = true
#define FORM_AS .a = true, .scalar = true
#define FORM_ABD .a = true, .b = true, .dst_read = true
#define FORM_ASD .a = true, .scalar = true, .dst_read = true
#define FORM_ABDW FORM_ABD
#define FORM_ASDW FORM_ASD
#define FORM_TURN .a = true, .dst = DST_TILE
#define FORM_PICK .a = true, .picks = true, .dst = DST_PACKED, .dst_read = true
#define FORM_MERGE .a = true, .merges = true, .dst = DST_PACKED, .dst_read = true
#define FORM_S .scalar = true
#define FORM_CAST .a = true, .cast = true
#define FORM_AB_BITS .a = true, .b = true, .dst = DST_BITS
#define FORM_AS_BITS .a = true, .scalar = true, .dst = DST_BITS
#define FORM_ABC .a = true, .b = true, .c = true
#define FORM_ASC .a = true, .scalar = true, .c = true
#define FORM_BRCB .a = true, .spreads = true
#define FORM_SORT .a = true, .b = true, .sorts = true, .dst = DST_SORTED
#define FORM_GATHER .a = true, .table = true
#define FORM_WHOLE .a = true, .dst = DST_WHOLE
#define FORM_CHOICE .a = true, .dst = DST_CHOICE
#define FORM_BLOCKS .a = true, .dst = DST_BLOCKS
#define FORM_PAIRS .a = true, .dst = DST_PAIRS

static const vinst_row_t rows[VI_COUNT] = {
#define VI(NAME, name, cost, form, types, value, follow, text) \
  [VI_##NAME] = {{FORM_##form},                                \
                 types,                                        \
                 offsetof(config_vector_t, cost##_cycles),     \
                 offsetof(config_vector_t, cost##_startup),    \
                 core_vi_##name},
#include "hal/vector_instructions.def"
};

bool core_instruction_has_scalar(uint32_t op) { return rows[op].form.scalar; }

bool core_vinst_ignores(const cmd_vinst_t *c, const char *field) {
  const vinst_form_t form = c->op < VI_COUNT ? rows[c->op].form : (vinst_form_t){.a = true};
  const bool known = c->op < VI_COUNT, masked = c->count == 0 && (!known || !core_vinst_whole(c));
  const bool bits = form.picks && (c->mode == GATHER_BITS || c->mode == GATHER_SAME);
  const struct {
    const char *field;
    bool used;
  } fields[] = {{"repeats", c->count == 0},
                {"count", c->count > 0},
                {"mask", masked || form.merges},
                {"mask_high", masked},
                {"a", form.a},
                {"a_step", form.a && !form.spreads && !form.sorts && !form.table && !form.merges},
                {"b", form.b || form.table || bits || form.merges || !known},
                {"b_step", (form.b && !form.sorts) || !known},
                {"c", form.c || form.merges},
                {"scalar", form.scalar || form.table || form.merges || !known},
                {"to", form.cast},
                {"mode", form.cast || form.c || form.dst == DST_CHOICE || form.picks || form.merges},
                {"dst_step", form.dst != DST_BITS && form.dst != DST_SORTED && form.dst != DST_PACKED}};
  for (size_t i = 0; i < sizeof fields / sizeof *fields; ++i) {
    if (strcmp(field, fields[i].field) == 0) {
      return !fields[i].used;
    }
  }
  return false;
}

// --- operands -------------------------------------------------------------------------------------

static core_lanes_operand_t operand_of(const char *field, bool write, uint32_t type, uint32_t base, uint32_t step) {
  return (core_lanes_operand_t){.field = field,
                                .write = write,
                                .type = type,
                                .base = base,
                                .block = (uint64_t)(step & 0xffff) * CORE_VECTOR_BLOCK,
                                .repeat = (uint64_t)(step >> 16) * CORE_VECTOR_BLOCK,
                                .reach = REACH_LANES,
                                .align = CORE_VECTOR_BLOCK};
}

// Elements side by side, and so many bytes from repeat to repeat.
static core_lanes_operand_t packed_of(const char *field, bool write, uint32_t type, uint32_t base, uint64_t repeat,
                                      core_lanes_reach_t reach, uint32_t group) {
  core_lanes_operand_t operand = operand_of(field, write, type, base, VECTOR_STEP(1, 0));
  operand.repeat = repeat;
  operand.reach = reach;
  operand.group = group;
  return operand;
}

static core_lanes_operand_t bits_of(const cmd_vinst_t *c, const char *field, bool write, uint32_t base, bool same) {
  const uint32_t bytes = core_vinst_lanes(c) / 8;
  return packed_of(field, write, TYPE_U8, base, same ? 0 : bytes, REACH_BITS, bytes);
}

// One value, or a value and its index.
static core_lanes_operand_t first_of(const cmd_vinst_t *c, uint32_t values) {
  const uint32_t bytes = core_type_bits(c->type) / 8 * values;
  core_lanes_operand_t dst =
      packed_of("dst", true, c->type, c->dst, (uint64_t)(c->dst_step >> 16) * bytes, REACH_FIRST, values);
  dst.align = bytes;
  return dst;
}

// All of an operand of an instruction that is carried out once.
static core_lanes_operand_t run_of(const char *field, bool write, uint32_t type, uint32_t base, uint32_t bytes) {
  return packed_of(field, write, type, base, 0, REACH_TABLE, bytes);
}

// A repeat's blocks, each a row of as many elements.
static core_lanes_operand_t tile_of(const cmd_vinst_t *c, const char *field, bool write, uint32_t base, uint32_t step) {
  core_lanes_operand_t operand = operand_of(field, write, c->type, base, step);
  operand.reach = REACH_TILE;
  operand.group = CORE_VECTOR_BLOCK * 8 / core_type_bits(c->type);
  return operand;
}

// Blocks of as many elements as it looks at, the last one not full.
static core_lanes_operand_t picked_of(const cmd_vinst_t *c) {
  core_lanes_operand_t operand = operand_of("a", false, c->type, c->a, c->a_step);
  operand.reach = REACH_TABLE;
  operand.group = c->count * core_type_bits(c->type) / 8;
  return operand;
}

// Bytes of those that a pattern takes; of bits, as if it were all.
static uint32_t picked_bytes(const cmd_vinst_t *c) {
  const uint32_t four = c->mode == GATHER_EVEN || c->mode == GATHER_ODD        ? 2
                        : c->mode >= GATHER_FIRST_OF_4 && c->mode < GATHER_ALL ? 1
                                                                               : 4;
  uint32_t count = c->count / 4 * four;
  for (uint32_t i = c->count / 4 * 4; i < c->count; ++i) {
    count += four == 4 || core_takes(c, NULL, i);
  }
  return count * core_type_bits(c->type) / 8;
}

static uint32_t merged_bytes(const cmd_vinst_t *c) {
  uint32_t pairs = 0;
  for (unsigned i = 0; i < CORE_LISTS; ++i) {
    pairs += core_list_pairs(c, i);
  }
  return pairs * c->repeats * CORE_PAIR;
}

static core_lanes_operand_t dst_of(const cmd_vinst_t *c) {
  const vinst_form_t form = rows[c->op].form;
  const uint32_t bytes = core_type_bits(c->type) / 8, step = c->dst_step >> 16;
  switch (form.dst) {
    case DST_BITS:
      return bits_of(c, "dst", true, c->dst, false);
    case DST_WHOLE:
      return first_of(c, 1);
    case DST_CHOICE:
      return first_of(c, c->mode == CHOICE_VALUE || c->mode == CHOICE_INDEX ? 1 : 2);
    case DST_BLOCKS:
      return packed_of("dst", true, c->type, c->dst, (uint64_t)step * bytes * 8, REACH_GROUPS,
                       CORE_VECTOR_BLOCK / bytes);
    case DST_PAIRS:
      return packed_of("dst", true, c->type, c->dst, (uint64_t)step * CORE_REPEAT / 2, REACH_GROUPS, 2);
    case DST_SORTED:
      return packed_of("dst", true, TYPE_U32, c->dst, CORE_REPEAT, REACH_FIRST, 2 * CORE_SORTED);
    case DST_TILE:
      return tile_of(c, "dst", true, c->dst, c->dst_step);
    case DST_PACKED:
      return form.picks ? run_of("dst", true, c->type, c->dst, picked_bytes(c))
                        : run_of("dst", true, TYPE_U32, c->dst, merged_bytes(c));
    case DST_LANES:
      break;
  }
  return operand_of("dst", true, core_vinst_widens(c) ? TYPE_F32 : form.cast ? c->to : c->type, c->dst, c->dst_step);
}

static size_t list_picked(const cmd_vinst_t *c, core_lanes_operand_t *operand) {
  operand[0] = picked_of(c);
  if (c->mode != GATHER_BITS && c->mode != GATHER_SAME) {
    return 1;
  }
  const uint32_t lanes = core_vinst_lanes(c), bits = c->mode == GATHER_BITS || c->count < lanes ? c->count : lanes;
  operand[1] = run_of("b", false, TYPE_U8, c->b, (bits + 7) / 8);
  return 2;
}

// Those that are there; of several repeats one run.
static size_t list_merged(const cmd_vinst_t *c, core_lanes_operand_t *operand) {
  static const char *const fields[CORE_LISTS] = {"a", "b", "c", "scalar"};
  size_t count = 0;
  if (c->repeats > 1) {
    operand[0] = run_of("a", false, TYPE_U32, c->a, merged_bytes(c));
    return 1;
  }
  for (unsigned i = 0; i < CORE_LISTS; ++i) {
    if (core_list_pairs(c, i) > 0) {
      operand[count++] = run_of(fields[i], false, TYPE_U32, core_list_at(c, i), core_list_pairs(c, i) * CORE_PAIR);
    }
  }
  return count;
}

// Returns their number.
static size_t list_operands(const cmd_vinst_t *c, core_lanes_operand_t operand[CORE_VINST_OPERANDS]) {
  const vinst_form_t form = rows[c->op].form;
  size_t count = 0;
  if (form.picks) {
    count = list_picked(c, operand);
  } else if (form.merges) {
    count = list_merged(c, operand);
  } else if (form.dst == DST_TILE) {
    operand[count++] = tile_of(c, "a", false, c->a, c->a_step);
  } else if (form.spreads) {
    operand[count++] = packed_of("a", false, c->type, c->a, core_type_bits(c->type), REACH_FIRST, 8);
  } else if (form.sorts) {
    operand[count++] = packed_of("a", false, c->type, c->a, (uint64_t)core_type_bits(c->type) / 8 * CORE_SORTED,
                                 REACH_FIRST, CORE_SORTED);
    operand[count++] = packed_of("b", false, TYPE_U32, c->b, 4 * CORE_SORTED, REACH_FIRST, CORE_SORTED);
  } else if (form.table) {
    operand[count++] = operand_of("a", false, TYPE_U32, c->a, VECTOR_STEP(1, core_vinst_lanes(c) / 8));
    operand[count++] = packed_of("b", false, c->type, c->b, 0, REACH_TABLE, c->scalar);
  } else if (form.a) {
    operand[count++] = operand_of("a", false, c->type, c->a, c->a_step);
  }
  if (form.b && !form.sorts) {
    operand[count++] = operand_of("b", false, c->type, c->b, c->b_step);
  }
  if (form.c) {
    operand[count++] = bits_of(c, "c", false, c->c, c->mode == SELECT_SAME);
  }
  operand[count++] = dst_of(c);
  if (form.dst_read) {
    operand[count] = operand[count - 1];
    operand[count++ - 1].write = false;
  }
  return count;
}

// From base to the end of the last block of which an element is reached.
static uint64_t extent_of(const cmd_vinst_t *c, const core_lanes_operand_t *o) {
  const uint64_t bytes = core_type_bits(o->type) / 8, repeats = core_vinst_repeats(c);
  const core_lane_mask_t full = core_vinst_mask(c), rest = core_first_lanes(core_vinst_rest(c));
  const core_lane_mask_t reached[] = {core_reached(o, &full), core_reached(o, &rest)};
  uint64_t extent = 0;
  if (o->reach == REACH_TABLE) {
    return (core_ceil_div(o->group, CORE_VECTOR_BLOCK) - 1) * o->block + (o->group - 1) % CORE_VECTOR_BLOCK + 1;
  }
  if (o->reach == REACH_TILE) {
    return (repeats - 1) * o->repeat + (o->group - 1) * o->block + CORE_VECTOR_BLOCK;
  }
  for (int last = 0; last < 2; ++last) {
    const uint32_t elements = core_lanes_used(&reached[last]);
    if (elements > 0 && (last || repeats > 0)) {
      const uint64_t byte = (elements - 1) * bytes, in_block = byte % CORE_VECTOR_BLOCK + bytes;
      const uint64_t end = (last ? repeats : repeats - 1) * o->repeat + byte / CORE_VECTOR_BLOCK * o->block +
                           (o->reach == REACH_LANES ? CORE_VECTOR_BLOCK : in_block);
      extent = end > extent ? end : extent;
    }
  }
  return extent;
}

// Rows that meet are one run, so that none is written twice.
static core_operand_t piece_of(const core_lanes_operand_t *o, uint64_t base, uint64_t repeats, uint64_t bytes) {
  const bool one = o->repeat <= bytes;
  core_operand_t piece = one ? core_run(SPACE_UB, o->write, o->field, base, (repeats - 1) * o->repeat + bytes)
                             : core_rectangle(SPACE_UB, o->write, o->field, base, NULL, o->repeat, repeats, bytes);
  piece.align = 1;
  return piece;
}

// The bytes of so many repeats: a run of lanes within a block, or over blocks that lie end to end, in each of them.
static size_t add_pieces(const core_lanes_operand_t *o, uint64_t base, uint64_t repeats, const core_lane_mask_t *taking,
                         core_operand_t *piece) {
  const core_lane_mask_t mask = core_reached(o, taking);
  const uint32_t bytes = core_type_bits(o->type) / 8, lanes = core_lanes_used(&mask);
  size_t count = 0;
  uint64_t begin = 0, end = 0;  // of the run at hand
  if (repeats > 0 && lanes > 0 && o->block == CORE_VECTOR_BLOCK && core_is_prefix(&mask)) {
    piece[0] = piece_of(o, base, repeats, (uint64_t)lanes * bytes);
    return 1;
  }
  for (uint32_t lane = 0; repeats > 0 && lane < lanes; ++lane) {
    const uint64_t at = base + lane * bytes / CORE_VECTOR_BLOCK * o->block + lane * bytes % CORE_VECTOR_BLOCK;
    if (!core_lane(&mask, lane)) {
      continue;
    }
    if (at != end && end > 0) {
      piece[count++] = piece_of(o, begin, repeats, end - begin);
    }
    begin = at == end ? begin : at;
    end = at + bytes;
  }
  if (end > 0) {
    piece[count++] = piece_of(o, begin, repeats, end - begin);
  }
  return count;
}

// Blocks that lie end to end are one run of bytes, others rows, and the last one by itself.
static size_t add_table(const core_lanes_operand_t *o, core_operand_t *piece) {
  const uint64_t blocks = o->group / CORE_VECTOR_BLOCK, rest = o->group % CORE_VECTOR_BLOCK;
  size_t count = 0;
  if (o->block == CORE_VECTOR_BLOCK) {
    piece[0] = piece_of(o, o->base, 1, o->group);
    return 1;
  }
  core_lanes_operand_t by_block = *o;
  by_block.repeat = o->block;
  if (blocks > 0) {
    piece[count++] = piece_of(&by_block, o->base, blocks, CORE_VECTOR_BLOCK);
  }
  if (rest > 0) {
    piece[count++] = piece_of(o, o->base + blocks * o->block, 1, rest);
  }
  return count;
}

// Each block of all repeats.
static size_t add_tile(const core_lanes_operand_t *o, uint64_t repeats, core_operand_t *piece) {
  if (o->block == CORE_VECTOR_BLOCK) {
    piece[0] = piece_of(o, o->base, repeats, (uint64_t)o->group * CORE_VECTOR_BLOCK);
    return 1;
  }
  for (uint32_t i = 0; i < o->group; ++i) {
    piece[i] = piece_of(o, o->base + i * o->block, repeats, CORE_VECTOR_BLOCK);
  }
  return o->group;
}

size_t core_vinst_operands(const cmd_vinst_t *c, core_operand_t *operand) {
  core_lanes_operand_t list[CORE_VINST_OPERANDS];
  const size_t operands = list_operands(c, list);
  const core_lane_mask_t mask = core_vinst_mask(c), rest = core_first_lanes(core_vinst_rest(c));
  const uint64_t repeats = core_vinst_repeats(c);
  size_t count = 0;
  for (size_t i = 0; i < operands; ++i) {
    if (list[i].reach == REACH_TABLE) {
      count += add_table(&list[i], operand + count);
      continue;
    }
    if (list[i].reach == REACH_TILE) {
      count += add_tile(&list[i], repeats, operand + count);
      continue;
    }
    count += add_pieces(&list[i], list[i].base, repeats, &mask, operand + count);
    count += add_pieces(&list[i], list[i].base + repeats * list[i].repeat, 1, &rest, operand + count);
  }
  return count;
}

// --- check ----------------------------------------------------------------------------------------

static bool check_type(const core_checker_t *check, const char *field, uint32_t type, uint32_t types) {
  char expected[192] = "";
  if (type < TYPE_COUNT && (types >> type & 1) != 0) {
    return true;
  }
  for (uint32_t i = 0; i < TYPE_COUNT; ++i) {
    if ((types >> i & 1) != 0) {
      const size_t length = strlen(expected);
      snprintf(expected + length, sizeof expected - length, "%sTYPE_%s", length > 0 ? " or " : "", core_type_name(i));
    }
  }
  return core_wrong(check, "%s=%u: expected %s", field, type, expected);
}

static bool is_float(uint32_t type) { return type == TYPE_F32 || type == TYPE_F16 || type == TYPE_BF16; }

static bool check_cast(const core_checker_t *check, const cmd_vinst_t *c) {
  return check_type(check, "to", c->to, rows[c->op].types) &&
         core_expect(check, c->to != c->type || c->type == TYPE_F32, "to", c->to, "another type than that of a") &&
         core_below(check, "mode", c->mode, VECTOR_ROUNDS) &&
         core_expect(check, c->mode != VECTOR_ODD || (is_float(c->to) && c->to != c->type), "mode", c->mode,
                     "VECTOR_ODD with floating point of another type alone");
}

static bool check_mode(const core_checker_t *check, const cmd_vinst_t *c) {
  const vinst_form_t form = rows[c->op].form;
  return form.cast                ? check_cast(check, c)
         : form.c                 ? core_below(check, "mode", c->mode, SELECT_COUNT)
         : form.dst == DST_CHOICE ? core_below(check, "mode", c->mode, CHOICE_COUNT)
         : form.picks             ? core_below(check, "mode", c->mode, GATHER_COUNT)
         : form.merges            ? core_below(check, "mode", c->mode, c->repeats > 1 ? 1 : MERGE_COUNT)
                                  : true;
}

static bool check_repeats(const core_checker_t *check, const cmd_vinst_t *c) {
  return core_expect(check, c->repeats >= 1 && c->repeats <= 255, "repeats", c->repeats, "1 to 255, or a count");
}

static bool check_lists(const core_checker_t *check, const cmd_vinst_t *c) {
  static const char *const names[CORE_LISTS] = {"a", "b", "c", "scalar"};
  uint32_t most = 0, least = UINT32_MAX;
  for (unsigned i = 0; i < CORE_LISTS; ++i) {
    const uint32_t pairs = core_list_pairs(c, i);
    if (pairs > 4095) {
      return core_wrong(check, "mask: %u pairs of %s, expected 4095 or fewer", pairs, names[i]);
    }
    most = pairs > most ? pairs : most;
    least = pairs < least ? pairs : least;
  }
  return check_repeats(check, c) && (most > 0 || core_wrong(check, "mask: expected a list that has pairs")) &&
         (c->repeats == 1 || (most == least && merged_bytes(c) <= CORE_ONCE) ||
          core_wrong(check, "mask: expected four lists of equal lengths with repeats=%u, of %d bytes in all",
                     c->repeats, CORE_ONCE)) &&
         ((c->count == 0 && c->mask_high == 0) || core_wrong(check, "count, mask_high: expected 0"));
}

static bool check_picked(const core_checker_t *check, const cmd_vinst_t *c) {
  const uint32_t most = CORE_ONCE * 8 / core_type_bits(c->type);
  if (c->count < 1 || c->count > most) {
    return core_wrong(check, "count=%u: expected 1 to %u elements", c->count, most);
  }
  return picked_bytes(c) > 0 ||
         core_wrong(check, "count=%u: expected more, the pattern takes none of so few", c->count);
}

static bool check_mask(const core_checker_t *check, const cmd_vinst_t *c) {
  const uint32_t lanes = core_vinst_lanes(c);
  if (rows[c->op].form.merges) {
    return check_lists(check, c);
  }
  if (rows[c->op].form.picks && !check_picked(check, c)) {
    return false;
  }
  if (core_vinst_whole(c)) {
    return check_repeats(check, c) && ((c->count == 0 && c->mask == 0 && c->mask_high == 0) ||
                                       core_wrong(check, "mask, count: expected 0, all lanes take part"));
  }
  if (c->count > 0) {
    const uint64_t most = check->memory->bytes[SPACE_UB] * 8 / core_type_bits(c->type);
    return (c->count <= most ||
            core_wrong(check, "count=%u: expected at most %llu, all of UB", c->count, (unsigned long long)most)) &&
           core_expect(check, c->repeats == 0, "repeats", c->repeats, "0 with a count") &&
           ((c->mask == 0 && c->mask_high == 0) || core_wrong(check, "mask: expected 0 with a count"));
  }
  const core_lane_mask_t mask = {{c->mask, c->mask_high}};
  const uint32_t used = core_lanes_used(&mask);
  return check_repeats(check, c) &&
         (used > 0 || core_wrong(check, "mask: expected a lane that takes part, or a count")) &&
         (used <= lanes || core_wrong(check, "mask: lane %u takes part, expected 0 to %u", used - 1, lanes - 1));
}

static bool check_scalar(const core_checker_t *check, const cmd_vinst_t *c) {
  const bool shift = c->op == VI_SHL || c->op == VI_SHR;
  const uint32_t bytes = core_type_bits(c->type) / 8;
  if (rows[c->op].form.table) {
    return (c->scalar > 0 && c->scalar % bytes == 0) ||
           core_wrong(check, "scalar=%u: expected the bytes of the table, a multiple of %u", c->scalar, bytes);
  }
  return !shift || core_below(check, "scalar", c->scalar, core_type_bits(c->type));
}

static bool check_place(const core_checker_t *check, const cmd_vinst_t *c, const core_lanes_operand_t *o) {
  const unsigned long long base = o->base, extent = extent_of(c, o), size = check->memory->bytes[SPACE_UB];
  const core_lane_mask_t fullest = core_vinst_fullest(c);
  const bool blocks = core_lanes_used(&fullest) * core_type_bits(o->type) > 8 * CORE_VECTOR_BLOCK;
  if (base % o->align != 0) {
    return core_wrong(check, "%s=0x%llx: expected a multiple of %u", o->field, base, o->align);
  }
  if (o->write && ((o->reach == REACH_LANES && blocks) || o->reach == REACH_TILE) && o->block == 0) {
    return core_wrong(check, "dst_step=0/%u: expected blocks apart, they are written at once", c->dst_step >> 16);
  }
  return (extent <= size && base <= size - extent) ||
         core_wrong(check, "%s=0x%llx: %llu bytes leave UB of %llu bytes", o->field, base, extent, size);
}

bool core_vinst_check(const core_checker_t *check, const cmd_vinst_t *c) {
  if (!core_below(check, "op", c->op, VI_COUNT) || !check_type(check, "type", c->type, rows[c->op].types) ||
      !check_mode(check, c) || !check_mask(check, c) || !check_scalar(check, c)) {
    return false;
  }
  core_lanes_operand_t list[CORE_VINST_OPERANDS];
  const size_t operands = list_operands(c, list);
  for (size_t i = 0; i < operands; ++i) {
    if (!check_place(check, c, &list[i])) {
      return false;
    }
  }
  return true;
}

// --- elements -------------------------------------------------------------------------------------

// A repeat's elements, up to the last that takes part, are a row.  Those of a mask with gaps, of a last repeat that is
// not full, and those in blocks that do not lie end to end, are no plain rows.
// An instruction that is carried out once has a row.
static void set_once(const cmd_vinst_t *c, const core_lanes_operand_t *o, core_tensor_t *tensor) {
  if (!core_vinst_once(c)) {
    return;
  }
  tensor->rows = 1;
  tensor->pitch = o->group;
  if (o->type == TYPE_U8) {
    tensor->type = CORE_TYPE_BIT;
    tensor->cols *= 8;
  } else if (o->block != CORE_VECTOR_BLOCK) {
    tensor->layout = CORE_BLOCKS;
    tensor->elements = tensor->cols;
  }
}

static core_tensor_t tensor_of(const cmd_vinst_t *c, const core_lanes_operand_t *o) {
  const core_lane_mask_t fullest = core_vinst_fullest(c), rest = core_first_lanes(core_vinst_rest(c));
  const core_lane_mask_t mask = core_reached(o, &fullest), last = core_reached(o, &rest);
  const uint32_t width = core_lanes_used(&mask);
  core_tensor_t tensor = {.field = o->field,
                          .space = SPACE_UB,
                          .write = o->write,
                          .type = o->type,
                          .layout = CORE_ROWS,
                          .base = o->base,
                          .pitch = o->repeat,
                          .rows = core_vinst_repeats(c) + (core_vinst_rest(c) > 0),
                          .cols = width,
                          .block_pitch = o->block,
                          .lanes = {mask.bits[0], mask.bits[1]}};
  const bool ragged = core_vinst_rest(c) > 0 && core_lanes_used(&last) < width;
  const bool apart = o->block != CORE_VECTOR_BLOCK && width * core_type_bits(o->type) > 8 * CORE_VECTOR_BLOCK;
  if (o->reach == REACH_TILE) {
    tensor.layout = CORE_BLOCKS;
    tensor.cols = (uint64_t)o->group * o->group;
    tensor.elements = tensor.rows * tensor.cols;
  } else if (o->reach == REACH_TABLE) {
    tensor.cols = o->group / (core_type_bits(o->type) / 8);
    set_once(c, o, &tensor);
  } else if (o->reach == REACH_BITS) {
    tensor.type = CORE_TYPE_BIT;
    tensor.cols = (uint64_t)width * 8;
  } else if (apart || ragged || !core_is_prefix(&mask)) {
    tensor.layout = CORE_BLOCKS;
    tensor.elements = ragged ? (tensor.rows - 1) * width + core_lanes_used(&last) : 0;
  }
  return tensor;
}

size_t core_vinst_tensors(const cmd_vinst_t *c, core_tensor_t *tensor) {
  core_lanes_operand_t list[CORE_VINST_OPERANDS];
  const size_t count = list_operands(c, list);
  for (size_t i = 0; i < count; ++i) {
    tensor[i] = tensor_of(c, &list[i]);
  }
  return count;
}

// The columns of a repeat from which column col of its result is computed.
static core_source_t columns_of(const cmd_vinst_t *c, const core_lanes_operand_t *dst, uint64_t col) {
  const vinst_form_t form = rows[c->op].form;
  const uint64_t lanes = core_vinst_lanes(c);
  switch (dst->reach) {
    case REACH_GROUPS:
      return (core_source_t){.rows = 1, .col = col * dst->group, .cols = dst->group};
    case REACH_FIRST:
      return (core_source_t){.rows = 1, .cols = lanes};
    case REACH_TILE:
      return (core_source_t){.rows = 1, .col = col % dst->group * dst->group + col / dst->group, .cols = 1};
    case REACH_LANES:
    case REACH_BITS:
    case REACH_TABLE:
      break;
  }
  return (core_source_t){.rows = 1, .col = form.spreads ? col * core_type_bits(c->type) / 256 : col, .cols = 1};
}

size_t core_vinst_sources(const cmd_vinst_t *c, const core_tensor_t *tensors, size_t count, uint64_t row, uint64_t col,
                          core_source_t *source) {
  const core_lanes_operand_t dst = dst_of(c);
  size_t sources = 0;
  for (size_t i = 0; i + 1 < count; ++i) {
    core_source_t from = columns_of(c, &dst, col);
    const bool any = core_vinst_once(c) && tensors[i].field[0] != 'd';
    if (any || (rows[c->op].form.table && tensors[i].field[0] == 'b')) {
      from = (core_source_t){.rows = 1, .cols = tensors[i].cols};
    }
    from.tensor = i;
    from.row = row;
    if (from.col < tensors[i].cols) {
      from.cols = from.cols < tensors[i].cols - from.col ? from.cols : tensors[i].cols - from.col;
      source[sources++] = from;
    }
  }
  return sources;
}

// --- cycles and execution -------------------------------------------------------------------------

// Lanes that a mask leaves out are gated; what is merged has no mask.
uint64_t core_vinst_work(const cmd_vinst_t *c) {
  const core_lane_mask_t mask = core_vinst_mask(c);
  if (rows[c->op].form.merges) {
    return merged_bytes(c);
  }
  const unsigned taking = (unsigned)(__builtin_popcountll(mask.bits[0]) + __builtin_popcountll(mask.bits[1]));
  return (core_vinst_repeats(c) * taking + core_vinst_rest(c)) * (CORE_REPEAT / core_vinst_lanes(c));
}

bool core_vinst_is_hard(const cmd_vinst_t *c) { return core_price_is_hard(rows[c->op].cycles); }

// In 256 bytes; of those that are merged, of the result.
static uint64_t repeats_of(const cmd_vinst_t *c) {
  const vinst_form_t form = rows[c->op].form;
  const uint64_t repeats = core_vinst_repeats(c) + (core_vinst_rest(c) > 0);
  return form.merges                                             ? core_ceil_div(merged_bytes(c), CORE_REPEAT)
         : form.dst == DST_TILE && core_type_bits(c->type) == 16 ? 2 * repeats
                                                                 : repeats;
}

// Operands in lanes meet in the banks of UB.  The rate of ADD and its like was measured with two operands in the same
// groups: half of it is that of a block.
uint64_t core_vinst_cycles(const config_t *config, const cmd_vinst_t *c) {
  const config_vector_t *vector = &config->vector;
  core_lanes_operand_t list[CORE_VINST_OPERANDS];
  const core_lane_mask_t mask = core_vinst_fullest(c);
  core_bank_rates_t rates = {.block = vector->alu_cycles / 2, .drain = vector->drain};
  uint32_t startup;
  memcpy(&rates.repeat, (const char *)vector + rows[c->op].cycles, sizeof rates.repeat);
  memcpy(&startup, (const char *)vector + rows[c->op].startup, sizeof startup);
  rates.repeat = rows[c->op].cycles == offsetof(config_vector_t, alu_cycles) ? rates.block : rates.repeat;
  const uint64_t repeats = repeats_of(c);
  const double cycles = core_vinst_bank_cycles(list, list_operands(c, list), core_lanes_used(&mask), repeats, &rates);
  const double lost = cycles - (double)repeats * rates.repeat;
  return startup +
         core_whole_cycles((cycles - (1 - vector->bank_conflicts) * lost) * CORE_REPEAT / vector->repeat_bytes);
}

uint64_t core_bank_conflicts(const config_t *config, const command_t *command) {
  if (command->header.opcode_ != OP_VINST) {
    return 0;
  }
  config_t without = *config;
  without.vector.bank_conflicts = 0;
  return core_vinst_cycles(config, &command->vinst) - core_vinst_cycles(&without, &command->vinst);
}

void core_vinst_execute(const core_memory_t *memory, const cmd_vinst_t *c) {
  core_lanes_operand_t list[CORE_VINST_OPERANDS];
  const size_t count = list_operands(c, list);
  core_vinst_run(memory->base[SPACE_UB], c, list, count, rows[c->op].compute);
}
