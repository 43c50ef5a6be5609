// SPDX-License-Identifier: Apache-2.0
#include "blame/repair.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blame/fields.h"
#include "num/num_format.h"

enum { VALUES_MOST = 128, LINES_MOST = 256 };
_Static_assert((int)VOP_COUNT <= (int)VALUES_MOST && (int)VI_COUNT <= (int)VALUES_MOST, "every operation is tried");
static const uint64_t FLOPS_MOST = UINT64_C(20) << 30, BYTES_MOST = UINT64_C(10) << 30;  // of all replays together

// Commands of one opcode that one line pushed.
typedef struct line {
  const char *name;
  unsigned opcode;
  size_t first, count;
} line_t;

// The commands of a line that a change concerns: all, each core's first, each core's last.
typedef enum part { PART_ALL, PART_FIRST, PART_LAST, PARTS } part_t;
static const char *const part_names[PARTS] = {"", ", the first time", ", the last time"};

// The way from a field's old value to its new one.
typedef enum how { HOW_SET, HOW_ADD, HOW_LEAVE_OUT, HOW_MOVE } how_t;

// Among equally good changes, the likelier slip has the lower number.
enum {
  ORDER_SWITCH = 10,
  ORDER_TYPE = 11,
  ORDER_COUNT = 20,
  ORDER_PITCH = 22,
  ORDER_SEEN_COUNT = 25,  // that another field has
  ORDER_SCALAR = 30,
  ORDER_LEAVE_OUT = 40,
  ORDER_GLOBAL_ROW = 45,
  ORDER_GLOBAL_ALL = 46,
  ORDER_ADDRESS = 50,
  ORDER_ADDRESS_STEP = 51,
  ORDER_NAMESAKE = 54,  // RSQRT for SQRT
  ORDER_OPERATION = 55,
  ORDER_MOVE = 60,
};

typedef struct change {
  how_t how;
  const blame_field_t *field;
  uint64_t value;  // MOVE: the address that `from` becomes
  uint64_t from;
  part_t part;
  unsigned order;
} change_t;

typedef struct search {
  soc_replay_t *replay;
  const blame_expected_t *expected;
  blame_repairs_t *found;
  size_t effects;
  size_t *line_of;     // [effects]
  command_t *changed;  // [effects], what they become
  uint8_t *state;      // [effects]: KEEP, CHANGED, LEFT_OUT
  uint8_t *ends;       // [effects]: bits 1 << PART_*, of which part it is
  line_t line[LINES_MOST];
  size_t lines;
  uint64_t flops, bytes;  // of one replay: products, and bytes that it touches
  uint64_t flops_left, bytes_left;
  unsigned round;  // what is tried now
} search_t;

enum { KEEP, CHANGED, LEFT_OUT };

// --- the result -------------------------------------------------------------------------------

bool blame_is_off(const blame_expected_t *expected, uint64_t index, double have) {
  const double want = expected->want[index];
  if (isnan(have) || isnan(want)) {
    return isnan(have) != isnan(want);
  }
  return have != want && !(fabs(have - want) <= expected->absolute + expected->relative * fabs(want));
}

static uint64_t count_off(const search_t *search) {
  const soc_buffer_t *array = search->expected->array;
  const uint64_t count = blame_elements(array);
  blame_at_t at = {
      .memory = soc_replay_any_memory(search->replay), .core = "gm", .space = SPACE_GM, .type = array->type};
  uint64_t off = 0;
  for (uint64_t i = 0; i < count; ++i) {
    at.address = blame_element_address(array, i);
    off += blame_is_off(search->expected, i, blame_value(&at));
  }
  return off;
}

// --- one change -------------------------------------------------------------------------------

static bool with_changes(void *context, size_t index, command_t *command) {
  const search_t *search = context;
  if (search->state[index] == CHANGED) {
    *command = search->changed[index];
  }
  return search->state[index] != LEFT_OUT;
}

// Is this effect the first of its line, or the last, on its core? step: 1 to look behind it, -1 before it.
static bool is_end(const search_t *search, size_t index, int step) {
  const char *core = soc_replay_effect(search->replay, index).core;
  for (size_t i = index + (size_t)step; i < search->effects; i += (size_t)step) {  // ends below 0, too
    if (search->line_of[i] == search->line_of[index] && soc_replay_effect(search->replay, i).core == core) {
      return false;
    }
  }
  return true;
}

static uint8_t parts_of(const search_t *search, size_t index) {
  return (uint8_t)(1u << PART_ALL | (unsigned)is_end(search, index, -1) << PART_FIRST |
                   (unsigned)is_end(search, index, 1) << PART_LAST);
}

static bool in_part(const search_t *search, size_t index, part_t part) {
  return (search->ends[index] >> part & 1) != 0;
}

// Changes a command; false: it has nothing to change, or would not have been let through.
static bool change_one(search_t *search, size_t i, const change_t *change) {
  command_t *command = &search->changed[i];
  *command = soc_replay_effect(search->replay, i).what->command;
  if (change->how == HOW_LEAVE_OUT) {
    search->state[i] = LEFT_OUT;
    return true;
  }
  const uint64_t old = blame_field_get(change->field, command);
  const uint64_t value = change->how == HOW_ADD ? old + change->value : change->value;
  blame_field_set(change->field, command, value);
  if (blame_field_get(change->field, command) == old || !soc_replay_legal(search->replay, i, command)) {
    return false;
  }
  search->state[i] = CHANGED;
  return true;
}

// A buffer goes elsewhere: every field of its space that has this address.
static bool move_one(search_t *search, size_t i, const change_t *change) {
  command_t *command = &search->changed[i];
  bool moved = false;
  *command = soc_replay_effect(search->replay, i).what->command;
  for (size_t f = 0; blame_field(f) != NULL; ++f) {
    const blame_field_t *field = blame_field(f);
    if (field->opcode == command->header.opcode_ && field->kind == BLAME_ADDRESS &&
        field->space == change->field->space && blame_field_get(field, command) == change->from) {
      blame_field_set(field, command, change->value);
      moved = true;
    }
  }
  if (!moved || !soc_replay_legal(search->replay, i, command)) {
    return false;
  }
  search->state[i] = CHANGED;
  return true;
}

static const char *value_text(const blame_field_t *field, uint64_t value, char text[32]) {
  const char *operation = core_operation_name(field->opcode, (uint32_t)value);
  if (field->kind == BLAME_OPERATION && operation != NULL) {
    snprintf(text, 32, "%s", operation);
  } else if (field->kind == BLAME_TYPE) {
    snprintf(text, 32, "%s", core_type_name((uint32_t)value));
  } else if (field->kind == BLAME_SCALAR) {
    snprintf(text, 32, "%.6g", (double)num_f32_from_bits((uint32_t)value));
  } else if (field->kind == BLAME_ADDRESS || field->kind == BLAME_GLOBAL) {
    snprintf(text, 32, "0x%" PRIx64, value);
  } else {
    snprintf(text, 32, "%" PRIu64, value);
  }
  return text;
}

static void describe(const search_t *search, const change_t *change, blame_repair_t *repair) {
  char have[32], want[32];
  const command_t *command = &soc_replay_effect(search->replay, repair->effect).what->command;
  if (change->how == HOW_LEAVE_OUT) {
    snprintf(repair->change, sizeof repair->change, "without it%s", part_names[change->part]);
    return;
  }
  if (change->how == HOW_MOVE) {
    snprintf(repair->change, sizeof repair->change, "%s 0x%" PRIx64 " elsewhere: it overlaps another buffer",
             change->field->name, change->from);
    return;
  }
  snprintf(repair->change, sizeof repair->change, "%s %s instead of %s%s", change->field->name,
           value_text(change->field, blame_field_get(change->field, &search->changed[repair->effect]), want),
           value_text(change->field, blame_field_get(change->field, command), have), part_names[change->part]);
}

// Among equally good changes: the likelier slip, then the smaller change, then the later command, which had to agree
// with the earlier ones.
static bool better(const blame_repair_t *a, const blame_repair_t *b) {
  return a->off != b->off             ? a->off < b->off
         : a->order != b->order       ? a->order < b->order
         : a->commands != b->commands ? a->commands < b->commands
                                      : a->effect > b->effect;
}

static void keep(blame_repairs_t *found, const blame_repair_t *repair) {
  size_t place = found->count;
  while (place > 0 && better(repair, &found->list[place - 1])) {
    --place;
  }
  if (place == BLAME_REPAIRS) {
    return;
  }
  found->count += found->count < BLAME_REPAIRS;
  memmove(&found->list[place + 1], &found->list[place], (found->count - place - 1) * sizeof *repair);
  found->list[place] = *repair;
}

static bool has_budget(search_t *search) {
  if (search->flops > search->flops_left || search->bytes > search->bytes_left) {
    search->found->all = false;
    return false;
  }
  search->flops_left -= search->flops;
  search->bytes_left -= search->bytes;
  return true;
}

// In a large run there is no time for all changes. First come those that are few and likely, on every line; then those
// of a line's first or last command alone; then those with many values: sizes and addresses that others have.
enum { ROUNDS = 4 };
static unsigned round_of(const change_t *change) {
  const bool many = change->order == ORDER_SEEN_COUNT || change->order == ORDER_ADDRESS ||
                    change->order == ORDER_ADDRESS_STEP || change->order == ORDER_MOVE;
  return (many ? 2u : 0u) + (change->part != PART_ALL);
}

// Tries a change on the commands of a line, if it is its round; a MOVE on all commands.
static void try_change(search_t *search, size_t line, const change_t *change) {
  blame_repair_t repair = {.order = change->order};
  if (round_of(change) != search->round) {
    return;
  }
  memset(search->state, KEEP, search->effects);
  for (size_t i = 0; i < search->effects; ++i) {
    const bool meant = change->how == HOW_MOVE ? move_one(search, i, change)
                                               : search->line_of[i] == line && in_part(search, i, change->part) &&
                                                     change_one(search, i, change);
    if (meant && repair.commands++ == 0) {
      repair.effect = i;
    }
  }
  if (repair.commands == 0 || !has_budget(search)) {
    return;
  }
  const soc_replay_look_t look = {.context = search, .before = with_changes};
  soc_replay_run(search->replay, search->effects, &look);
  ++search->found->tried;
  repair.off = count_off(search);
  if (2 * repair.off < search->found->off) {
    repair.effect = change->how == HOW_MOVE ? search->line[line].first : repair.effect;
    describe(search, change, &repair);
    keep(search->found, &repair);
  }
}

// --- what to try ------------------------------------------------------------------------------

typedef struct values {
  uint64_t value[VALUES_MOST];
  size_t count;
} values_t;

static void add_value(values_t *values, uint64_t value) {
  for (size_t i = 0; i < values->count; ++i) {
    if (values->value[i] == value) {
      return;
    }
  }
  if (values->count < VALUES_MOST) {
    values->value[values->count++] = value;
  }
}

// Values that fields of the same kind have elsewhere in the run.
static void add_seen(const search_t *search, const blame_field_t *like, values_t *values) {
  for (size_t line = 0; line < search->lines; ++line) {
    const command_t *command = &soc_replay_effect(search->replay, search->line[line].first).what->command;
    for (size_t f = 0; blame_field(f) != NULL; ++f) {
      const blame_field_t *field = blame_field(f);
      if (field->opcode == search->line[line].opcode && field->kind == like->kind && field->space == like->space) {
        add_value(values, blame_field_get(field, command));
      }
    }
  }
}

// A number of bytes from row to row, or from strip to strip, that belongs to a count in the run, or to an array.
static void add_pitches(const search_t *search, values_t *values) {
  const blame_field_t count = {.kind = BLAME_COUNT};
  values_t counts = {.count = 0};
  size_t arrays;
  const soc_buffer_t *array = soc_replay_arrays(search->replay, &arrays);
  for (size_t i = 0; i < arrays; ++i) {
    if (array[i].dims > 0) {
      add_value(values, array[i].shape[array[i].dims - 1] * core_type_bits(array[i].type) / 8);
    }
  }
  add_seen(search, &count, &counts);
  for (size_t i = 0; i < counts.count; ++i) {
    add_value(values, (counts.value[i] + 15) / 16 * 16 * 32);
  }
}

static void try_values(search_t *search, size_t line, change_t change, const values_t *values) {
  for (size_t i = 0; i < values->count; ++i) {
    change.value = values->value[i];
    for (part_t part = 0; part < PARTS; ++part) {
      change.part = part;
      if (part == PART_ALL || search->line[line].count > 1) {
        try_change(search, line, &change);
      }
    }
  }
}

static void try_steps(search_t *search, size_t line, const blame_field_t *field, unsigned order, uint64_t step) {
  values_t values = {.count = 0};
  add_value(&values, step);
  add_value(&values, -step);
  try_values(search, line, (change_t){.how = HOW_ADD, .field = field, .order = order}, &values);
}

static void try_scalar(search_t *search, size_t line, const blame_field_t *field) {
  const command_t *command = &soc_replay_effect(search->replay, search->line[line].first).what->command;
  const double have = (double)num_f32_from_bits((uint32_t)blame_field_get(field, command));
  const double factors[] = {have * 2,    have / 2,         have * 4, have / 4, 1 / have,
                            have * have, sqrt(fabs(have)), -have,    0,        1};
  values_t values = {.count = 0};
  size_t arrays;
  const soc_buffer_t *array = soc_replay_arrays(search->replay, &arrays);
  for (size_t i = 0; i < sizeof factors / sizeof *factors; ++i) {
    add_value(&values, num_f32_bits((float)factors[i]));
  }
  for (size_t i = 0; i < arrays; ++i) {
    if (array[i].dims > 0) {
      const double dim = (double)array[i].shape[array[i].dims - 1];
      add_value(&values, num_f32_bits((float)dim));
      add_value(&values, num_f32_bits((float)(1 / sqrt(dim))));
      add_value(&values, num_f32_bits((float)(1 / dim)));
    }
  }
  try_values(search, line, (change_t){.how = HOW_SET, .field = field, .order = ORDER_SCALAR}, &values);
}

static void try_range(search_t *search, size_t line, const blame_field_t *field, unsigned order, uint64_t end) {
  values_t values = {.count = 0};
  for (uint64_t value = 0; value < end; ++value) {
    add_value(&values, value);
  }
  try_values(search, line, (change_t){.how = HOW_SET, .field = field, .order = order}, &values);
}

static bool are_namesakes(const char *a, const char *b) { return strstr(a, b) != NULL || strstr(b, a) != NULL; }

static void try_operations(search_t *search, size_t line, const blame_field_t *field) {
  const command_t *command = &soc_replay_effect(search->replay, search->line[line].first).what->command;
  const char *have = core_operation_name(field->opcode, core_operation(command)), *name;
  values_t namesakes = {.count = 0}, others = {.count = 0};
  for (uint32_t op = 0; (name = core_operation_name(field->opcode, op)) != NULL; ++op) {
    add_value(are_namesakes(name, have) ? &namesakes : &others, op);
  }
  try_values(search, line, (change_t){.how = HOW_SET, .field = field, .order = ORDER_NAMESAKE}, &namesakes);
  try_values(search, line, (change_t){.how = HOW_SET, .field = field, .order = ORDER_OPERATION}, &others);
}

static void try_seen(search_t *search, size_t line, const blame_field_t *field, unsigned order) {
  values_t values = {.count = 0};
  add_seen(search, field, &values);
  if (field->kind == BLAME_PITCH) {
    add_pitches(search, &values);
  }
  try_values(search, line, (change_t){.how = HOW_SET, .field = field, .order = order}, &values);
}

// From one row of an operand to the next, and from its begin to its end; 0: it has no such operand.
typedef struct steps {
  uint64_t row, all;
} steps_t;

static steps_t steps_of(const command_t *command, core_space_t space, uint64_t address) {
  core_access_t access[CORE_MAX_ACCESSES];
  const size_t count = core_accesses(command, access);
  for (size_t i = 0; i < count; ++i) {
    if (access[i].space == space && access[i].base == address) {
      const uint64_t row = access[i].rows > 1 ? access[i].pitch : access[i].row_bytes;
      return (steps_t){row, access[i].rows * row};
    }
  }
  return (steps_t){0, 0};
}

// The first bytes of a space that no command reaches.
static uint64_t free_bytes(const search_t *search, core_space_t space) {
  uint64_t end = 0;
  for (size_t i = 0; i < search->effects; ++i) {
    core_access_t access[CORE_MAX_ACCESSES];
    const size_t count = core_accesses(&soc_replay_effect(search->replay, i).what->command, access);
    for (size_t a = 0; a < count; ++a) {
      const uint64_t last = access[a].base + (access[a].rows - 1) * access[a].pitch + access[a].row_bytes;
      end = access[a].space == space && last > end ? last : end;
    }
  }
  return (end + 511) / 512 * 512;
}

static void try_address(search_t *search, size_t line, const blame_field_t *field) {
  const command_t *command = &soc_replay_effect(search->replay, search->line[line].first).what->command;
  const bool written = strcmp(field->name, "dst") == 0 ||
                       (field->kind == BLAME_ADDRESS && field->opcode != OP_VEC && field->opcode != OP_VINST);
  const steps_t steps = steps_of(command, field->space, blame_field_get(field, command));
  try_seen(search, line, field, ORDER_ADDRESS);
  try_steps(search, line, field, ORDER_ADDRESS_STEP, 32);
  try_steps(search, line, field, ORDER_ADDRESS_STEP, steps.row);
  try_steps(search, line, field, ORDER_ADDRESS_STEP, steps.all);
  if (written) {
    const change_t move = {.how = HOW_MOVE,
                           .field = field,
                           .from = blame_field_get(field, command),
                           .value = free_bytes(search, field->space),
                           .order = ORDER_MOVE};
    try_change(search, line, &move);
  }
}

static void try_field(search_t *search, size_t line, const blame_field_t *field) {
  const command_t *command = &soc_replay_effect(search->replay, search->line[line].first).what->command;
  switch (field->kind) {
    case BLAME_SWITCH:
      try_range(search, line, field, ORDER_SWITCH, 2);
      break;
    case BLAME_TYPE:
      try_range(search, line, field, ORDER_TYPE, TYPE_COUNT);
      break;
    case BLAME_COUNT:
      try_steps(search, line, field, ORDER_COUNT, 1);
      try_steps(search, line, field, ORDER_COUNT, 2);
      try_steps(search, line, field, ORDER_COUNT, 4);
      try_seen(search, line, field, ORDER_SEEN_COUNT);
      break;
    case BLAME_PITCH:
      try_seen(search, line, field, ORDER_PITCH);
      break;
    case BLAME_SCALAR:
      try_scalar(search, line, field);
      break;
    case BLAME_OPERATION:
      if (core_operation_name(field->opcode, 0) != NULL) {
        try_operations(search, line, field);
      } else {
        try_range(search, line, field, ORDER_OPERATION, GM_OP_COUNT);
      }
      break;
    case BLAME_GLOBAL:
      try_steps(search, line, field, ORDER_GLOBAL_ROW,
                steps_of(command, SPACE_GM, blame_field_get(field, command)).row);
      try_steps(search, line, field, ORDER_GLOBAL_ALL,
                steps_of(command, SPACE_GM, blame_field_get(field, command)).all);
      break;
    case BLAME_ADDRESS:
      try_address(search, line, field);
      break;
    default:
      break;
  }
}

static void try_line(search_t *search, size_t line) {
  values_t once = {.value = {0}, .count = 1};
  try_values(search, line, (change_t){.how = HOW_LEAVE_OUT, .order = ORDER_LEAVE_OUT}, &once);
  for (size_t f = 0; blame_field(f) != NULL; ++f) {
    if (blame_field(f)->opcode == search->line[line].opcode) {
      try_field(search, line, blame_field(f));
    }
  }
}

// --- lines ------------------------------------------------------------------------------------

// A command costs some hundred, whatever it does.
static uint64_t bytes_of(const command_t *command) {
  core_access_t access[CORE_MAX_ACCESSES];
  const size_t count = core_accesses(command, access);
  uint64_t bytes = 256;
  for (size_t i = 0; i < count; ++i) {
    bytes += access[i].rows * access[i].row_bytes;
  }
  return bytes;
}

static bool find_lines(search_t *search) {
  for (size_t i = 0; i < search->effects; ++i) {
    const command_t *command = &soc_replay_effect(search->replay, i).what->command;
    const char *name = soc_replay_line(search->replay, i);
    size_t line = 0;
    while (line < search->lines &&
           (strcmp(search->line[line].name, name) != 0 || search->line[line].opcode != command->header.opcode_)) {
      ++line;
    }
    if (line == LINES_MOST) {
      return false;
    }
    if (line == search->lines) {
      search->line[search->lines++] = (line_t){.name = name, .opcode = command->header.opcode_, .first = i};
    }
    ++search->line[line].count;
    search->line_of[i] = line;
    search->flops += core_flops(command);
    search->bytes += bytes_of(command);
  }
  for (size_t i = 0; i < search->effects; ++i) {
    search->ends[i] = parts_of(search, i);
  }
  search->bytes += soc_replay_cleared(search->replay) + 16 * blame_elements(search->expected->array);
  return true;
}

static void search_lines(search_t *search) {
  const soc_replay_look_t nothing = {.context = NULL};
  soc_replay_run(search->replay, search->effects, &nothing);
  search->found->off = count_off(search);
  search->found->all = find_lines(search);
  const blame_repairs_t *found = search->found;
  for (search->round = 0; search->round < ROUNDS && found->off > 0; ++search->round) {
    for (size_t line = 0; line < search->lines; ++line) {
      try_line(search, line);
    }
    if (search->round > 0 && found->count > 0 && found->list[0].off == 0) {
      return;
    }
  }
}

bool blame_repair(soc_replay_t *replay, const blame_expected_t *expected, blame_repairs_t *repairs) {
  const size_t effects = soc_replay_effects(replay);
  search_t *search = calloc(1, sizeof *search);
  *repairs = (blame_repairs_t){.count = 0};
  if (search == NULL) {
    return false;
  }
  *search = (search_t){.replay = replay,
                       .expected = expected,
                       .found = repairs,
                       .effects = effects,
                       .line_of = calloc(effects + 1, sizeof *search->line_of),
                       .changed = calloc(effects + 1, sizeof *search->changed),
                       .state = calloc(effects + 1, 1),
                       .ends = calloc(effects + 1, 1),
                       .flops_left = FLOPS_MOST,
                       .bytes_left = BYTES_MOST};
  const bool good = search->line_of != NULL && search->changed != NULL && search->state != NULL && search->ends != NULL;
  if (good) {
    search_lines(search);
  }
  free(search->line_of);
  free(search->changed);
  free(search->state);
  free(search->ends);
  free(search);
  return good;
}
