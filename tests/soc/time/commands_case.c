// SPDX-License-Identifier: Apache-2.0
#include "test.h"
#include "commands_case.h"

#include <unistd.h>

#include <cJSON.h>
#include <math.h>

uint64_t commands_in, commands_numbers, commands_out;

enum { LIST, NUMBERS, IN, OUT, BUFFERS };
static soc_buffer_t buffers[BUFFERS];
static int32_t numbers[COMMANDS_NUMBERS];

void commands_place(void) {
  for (int32_t i = 0; i < COMMANDS_NUMBERS; ++i) {
    numbers[i] = i;
  }
  // Lists are there even if nothing is computed.
  buffers[LIST] = (soc_buffer_t){.name = "list", .bytes = sizeof(((commands_case_t *)0)->list), .numbers = true};
  buffers[NUMBERS] = (soc_buffer_t){.name = "numbers", .bytes = sizeof numbers, .init = numbers, .numbers = true};
  buffers[IN] = (soc_buffer_t){.name = "in", .bytes = COMMANDS_ARRAY_BYTES};
  buffers[OUT] = (soc_buffer_t){.name = "out", .bytes = COMMANDS_ARRAY_BYTES};
  for (size_t i = LIST; i <= IN; ++i) {
    buffers[i].read_only = true;
  }
  soc_place(buffers, BUFFERS);
  commands_numbers = buffers[NUMBERS].address;
  commands_in = buffers[IN].address;
  commands_out = buffers[OUT].address;
}

// --- machines ---------------------------------------------------------------------------------

static const struct {
  const char *name;
  double low, high;
  bool whole;
} varied[] = {
    {"soc.clock_mhz", 900, 2500, false},
    {"soc.flag_cycles", 0, 12, true},
    {"soc.cross_flag_us", 0, 1, false},
    {"soc.launch_us", 0, 6, false},
    {"soc.skew_us", 0, 1, false},
    {"scalar.push_cycles", 0, 9, true},
    {"scalar.cpi", 0.5, 3, false},
    {"scalar.queue_depth", 1, 40, true},
    {"cube.mac_m", 4, 32, true},
    {"cube.mac_n", 4, 32, true},
    {"cube.mac_k", 4, 32, true},
    {"cube.mmad_startup", 0, 40, true},
    {"cube.l0a_bytes_per_cycle", 30, 600, false},
    {"cube.l0b_bytes_per_cycle", 30, 600, false},
    {"cube.load_gbps", 20, 300, false},
    {"cube.store_gbps", 20, 300, false},
    {"cube.fix_l1_bytes_per_cycle", 30, 600, false},
    {"vector.load_gbps", 20, 300, false},
    {"vector.store_gbps", 20, 300, false},
    {"vector.direct_bytes_per_cycle", 10, 200, false},
    {"vector.repeat_bytes", 64, 600, true},
    {"vector.alu_cycles", 0.3, 9, false},
    {"vector.alu_startup", 0, 30, true},
    {"vector.scalar_cycles", 0.3, 9, false},
    {"vector.scalar_startup", 0, 30, true},
    {"vector.div_cycles", 0.3, 9, false},
    {"vector.div_startup", 0, 30, true},
    {"vector.exp_cycles", 0.3, 9, false},
    {"vector.exp_startup", 0, 30, true},
    {"vector.cast_cycles", 0.3, 9, false},
    {"vector.cast_startup", 0, 30, true},
    {"vector.cast_int4_cycles", 0.3, 9, false},
    {"vector.widen_cycles", 0.3, 9, false},
    {"vector.e4m3_emulated", 0, 1, true},
    {"vector.e4m3_native_cycles", 0.3, 9, false},
    {"vector.e4m3_emulated_cycles", 0.3, 9, false},
    {"vector.group_cycles", 0.3, 9, false},
    {"vector.group_startup", 0, 30, true},
    {"vector.reduce_cycles", 0.3, 9, false},
    {"vector.reduce_startup", 0, 30, true},
    {"vector.broadcast_cycles", 0.3, 9, false},
    {"vector.broadcast_startup", 0, 30, true},
    {"vector.swap_cycles", 0.3, 9, false},
    {"vector.swap_startup", 0, 30, true},
    {"vector.drain", 0, 40, true},
    {"engine.clock_mhz", 100, 900, false},
    {"gm.slice_clock_mhz", 2500, 10000, false},  // as fast as the cores
    {"engine.load_gbps", 20, 300, false},
    {"engine.store_gbps", 20, 300, false},
    {"gm.hbm_gbps", 50, 900, false},
    {"gm.hbm_efficiency", 0.3, 1, false},
    {"gm.l2_gbps", 100, 2000, false},
    {"gm.move_bytes", 1, 30000, true},
    {"gm.align_bytes", 1, 1000, true},
    {"gm.worst_efficiency", 0.2, 1, false},
    {"gm.l2_latency_us", 0, 2, false},
    {"gm.hbm_latency_us", 0, 1, false},
    {"gm.write_latency_us", 0, 1, false},
    {"gm.slices", 1, 40, true},
};

static void vary(commands_case_t *c) {
  char text[100];
  base_error_t error;
  for (size_t i = 0; i < sizeof varied / sizeof *varied; ++i) {
    const double low = varied[i].low;
    const double span = varied[i].high - low;
    const double value = varied[i].whole ? low + (double)commands_random(c, 0, (uint64_t)span)
                                         : low + span * (double)commands_random(c, 0, 1000) / 1000;
    snprintf(text, sizeof text, "%s=%.6g", varied[i].name, value);
    if (!config_set(&c->options.config, text, &error)) {
      fail_msg("%s: %s", text, error.text);
    }
  }
  c->options.config.gm.slice_bytes = 64u << commands_random(c, 0, 5);
}

commands_case_t *commands_machine(unsigned number) {
  commands_case_t *c = calloc(1, sizeof *c);
  assert_non_null(c);
  c->options = (soc_options_t){.firmware = SOC_FIRMWARE_NATIVE,
                               .firmware_file = FIRMWARE_DIR "/tests/commands.so",
                               .gm = SOC_GM_C,
                               .engine = SOC_ENGINE_C,
                               .timing_only = true,
                               .watch = {.record = true},
                               .cube_only = number % 2 == 1};
  base_error_t error;
  if (!config_open("ascend910_core", &c->options.config, &error)) {
    fail_msg("ascend910_core: %s", error.text);
  }
  num_rng_seed(&c->rng, number + 1);
  c->machine = number;
  if (number > 0) {
    vary(c);
  }
  return c;
}

void commands_end(commands_case_t *c) { free(c); }

uint64_t commands_random(commands_case_t *c, uint64_t low, uint64_t high) {
  return low + num_rng_u64(&c->rng) % (high - low + 1);
}

size_t commands_add(commands_case_t *c, core_kind_t kind, unsigned core, unsigned sub, command_t command) {
  assert_true(c->count < COMMANDS_MOST);
  c->list[c->count] = (listed_command_t){.kind = (uint32_t)kind, .core = core, .sub = sub, .command = command};
  return c->count++;
}

// --- a run ------------------------------------------------------------------------------------

static bool same_core(const listed_command_t *a, const listed_command_t *b) {
  return a->kind == b->kind && a->core == b->core && a->sub == b->sub;
}

static bool same_pipe(const listed_command_t *a, const listed_command_t *b) {
  return same_core(a, b) && a->command.header.pipe_ == b->command.header.pipe_;
}

static void name_of(const listed_command_t *l, char name[32]) {
  snprintf(name, 32,
           l->kind == CORE_VECTOR ? "vector%u_%u"
           : l->kind == CORE_CUBE ? "cube%u"
                                  : "engine%u",
           l->core, l->sub);
}

static void copy_record(commands_case_t *c) {
  const soc_record_t *record = c->result.record;
  for (size_t i = 0; i < c->count; ++i) {
    char name[32];
    name_of(&c->list[i], name);
    uint64_t order = 0;
    for (size_t j = 0; j < i; ++j) {
      order += same_core(&c->list[j], &c->list[i]);
    }
    for (size_t k = 0; k < record->command_count; ++k) {
      const soc_command_t *done = &record->commands[k];
      if (done->order == order && strcmp(record->tracks[done->track].core, name) == 0) {
        c->at[i] = *done;
      }
    }
  }
}

static void copy_pipes(commands_case_t *c) {
  for (size_t i = 0; i < c->result.pipe_count && i < COMMANDS_PIPES; ++i) {
    c->pipes[i] = c->result.pipes[i];
  }
  c->mark_count = c->result.mark_count;
  for (size_t i = 0; i < c->mark_count && i < COMMANDS_MARKS; ++i) {
    c->marks[i] = c->result.marks[i];
  }
}

static void read_links(commands_case_t *c, FILE *file) {
  static char text[1 << 16];
  const size_t size = fread(text, 1, sizeof text - 1, file);
  text[size] = '\0';
  cJSON *json = cJSON_Parse(text);
  assert_non_null(json);
  const cJSON *link = NULL;
  cJSON_ArrayForEach(link, cJSON_GetObjectItem(json, "links")) {
    assert_true(c->link_count < COMMANDS_LINKS);
    commands_link_t *l = &c->links[c->link_count++];
    snprintf(l->what, sizeof l->what, "%s", cJSON_GetObjectItem(link, "what")->valuestring);
    snprintf(l->command, sizeof l->command, "%s", cJSON_GetObjectItem(link, "command")->valuestring);
    l->cycles = (uint64_t)cJSON_GetObjectItem(link, "cycles")->valuedouble;
    l->times = (uint64_t)cJSON_GetObjectItem(link, "times")->valuedouble;
  }
  cJSON_ArrayForEach(link, cJSON_GetObjectItem(json, "waits")) {
    c->waited += (uint64_t)cJSON_GetObjectItem(link, "cycles")->valuedouble;
  }
  cJSON_Delete(json);
}

static void simulate(commands_case_t *c) {
  char path[] = "/tmp/amalgam_commands_XXXXXX";
  const int descriptor = mkstemp(path);
  assert_true(descriptor >= 0);
  c->options.watch.critical_path = path;
  buffers[LIST].init = c->list;
  const commands_args_t args = {buffers[LIST].address, c->count};
  soc_run(&c->options, buffers, BUFFERS, &args, sizeof args, &c->result);
  FILE *file = fdopen(descriptor, "r");
  assert_non_null(file);
  if (c->result.status == SOC_DONE) {
    copy_record(c);
    copy_pipes(c);
    read_links(c, file);
  }
  fclose(file);
  unlink(path);
  soc_result_free(&c->result);
  if (c->result.status != SOC_DONE) {
    fail_msg("machine %u: %s", c->machine, c->result.error);
  }
}

// --- what holds of every run ------------------------------------------------------------------

uint64_t commands_cycles(double cycles) {
  const double nearest = rint(cycles);
  return (uint64_t)(fabs(cycles - nearest) <= 1e-9 * cycles ? nearest : ceil(cycles));
}

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

void commands_equal(const commands_case_t *c, size_t i, const char *what, uint64_t got, uint64_t expected) {
  if (got != expected) {
    char text[512];
    char name[32];
    core_disassemble(&c->list[i].command, text, sizeof text);
    name_of(&c->list[i], name);
    fail_msg("machine %u, %s, %s: %s %llu, expected %llu", c->machine, name, text, what, (unsigned long long)got,
             (unsigned long long)expected);
  }
}

// The command that its pipe had so many before; -1: none.
static long before(const commands_case_t *c, size_t i, unsigned how_many) {
  for (size_t j = i; how_many > 0 && j-- > 0;) {
    if (same_pipe(&c->list[j], &c->list[i]) && --how_many == 0) {
      return (long)j;
    }
  }
  return -1;
}

static bool is_wait(const command_t *command) {
  switch (command->header.opcode_) {
    case OP_WAIT_FLAG:
    case OP_CROSS_WAIT:
    case OP_PAIR_WAIT:
    case OP_PIPE_BARRIER:
    case OP_SYNC_ALL:
    case OP_READ_GM:
    case OP_MARK:
      return true;
    default:
      return false;
  }
}

uint64_t commands_effect_before(const commands_case_t *c, size_t i) {
  uint64_t effect = 0;
  for (size_t j = 0; j < i; ++j) {
    if (same_pipe(&c->list[j], &c->list[i]) && !is_wait(&c->list[j].command)) {
      effect = later(effect, c->at[j].done);
    }
  }
  return effect;
}

static void check_pushes(const commands_case_t *c) {
  const config_t *config = &c->options.config;
  for (size_t i = 0; i < c->count; ++i) {
    const unsigned earlier =
        c->list[i].core * (c->options.cube_only ? 1 : 1 + config->soc.vector_cores);  // cores that started
    uint64_t time = (uint64_t)((config->soc.launch_us + earlier * config->soc.skew_us) * config->soc.clock_mhz + 0.5);
    time += (uint64_t)config->scalar.push_cycles * COMMANDS_READS;
    for (size_t j = 0; j < i; ++j) {
      time = same_core(&c->list[j], &c->list[i]) ? c->at[j].pushed : time;
      if (same_core(&c->list[j], &c->list[i]) && c->list[j].command.header.opcode_ == OP_READ_GM) {
        // Held until the pipe's earlier commands are done, and as long as L2 takes.
        time = later(time, later(c->at[j].begin, commands_effect_before(c, j)) +
                               (uint64_t)(config->gm.l2_latency_us * config->soc.clock_mhz + 0.5));
      }
    }
    time += (uint64_t)config->scalar.push_cycles * (c->list[i].reads + 1);
    commands_equal(c, i, "scalar core is there in cycle", c->at[i].issued, time);
    const long left = before(c, i, config->scalar.queue_depth);
    time = left < 0 ? time : later(time, c->at[left].end);
    commands_equal(c, i, "pushed in cycle", c->at[i].pushed, time);
  }
}

static void check_order(const commands_case_t *c) {
  uint64_t last = 0;
  for (size_t i = 0; i < c->count; ++i) {
    const long previous = before(c, i, 1);
    const uint64_t free_at = previous < 0 ? 0 : c->at[previous].end;
    commands_equal(c, i, "begins in cycle", c->at[i].begin, later(c->at[i].pushed, free_at));
    last = is_wait(&c->list[i].command) ? last : later(last, c->at[i].done);
  }
  assert_int_equal(c->result.cycles, last);
}

// Cycles that a pipe's books have for a reason.
static uint64_t stalled(const soc_pipe_t *pipe, const char *reason) {
  for (size_t i = 0; i < pipe->stalls; ++i) {
    if (strcmp(pipe->stall[i].reason, reason) == 0) {
      return pipe->stall[i].cycles;
    }
  }
  return 0;
}

static void check_books(const commands_case_t *c) {
  enum { BUSY, FLAG, CROSS_FLAG, BARRIER, SUMS };
  static const char *const reasons[SUMS] = {"busy", "flag", "cross_flag", "barrier"};
  for (size_t p = 0; p < c->result.pipe_count; ++p) {
    uint64_t spent[SUMS] = {0};
    uint64_t all = 0;
    uint64_t end = 0;
    for (size_t i = 0; i < c->count; ++i) {
      char name[32];
      name_of(&c->list[i], name);
      const cmd_header_t *header = &c->list[i].command.header;
      if (strcmp(name, c->pipes[p].core) == 0 && strcmp(core_pipe_name(header->pipe_), c->pipes[p].pipe) == 0) {
        const unsigned opcode = header->opcode_;
        const int what = !is_wait(&c->list[i].command)                       ? BUSY
                         : opcode == OP_WAIT_FLAG                            ? FLAG
                         : opcode == OP_CROSS_WAIT || opcode == OP_PAIR_WAIT ? CROSS_FLAG
                                                                             : BARRIER;
        spent[what] += c->at[i].end - c->at[i].begin;
        all += c->at[i].end - c->at[i].begin;
        end = c->at[i].end;
      }
    }
    assert_int_equal(c->pipes[p].busy, spent[BUSY]);
    for (int what = FLAG; what < SUMS; ++what) {
      assert_int_equal(stalled(&c->pipes[p], reasons[what]), spent[what]);
    }
    assert_int_equal(stalled(&c->pipes[p], "empty"), later(end, c->result.cycles) - all);
  }
}

static void check_links(const commands_case_t *c) {
  uint64_t sum = 0;
  for (size_t i = 0; i < c->link_count; ++i) {
    sum += c->links[i].cycles;
  }
  uint64_t waits = 0;  // the path passes some of them
  for (size_t i = 0; i < c->count; ++i) {
    waits += is_wait(&c->list[i].command) ? c->at[i].end - c->at[i].begin : 0;
  }
  assert_true(c->waited <= waits);
  if (sum != c->result.cycles) {
    fail_msg("machine %u: links add up to %llu of %llu cycles", c->machine, (unsigned long long)sum,
             (unsigned long long)c->result.cycles);
  }
}

void commands_run(commands_case_t *c) {
  simulate(c);
  check_pushes(c);
  check_order(c);
  check_books(c);
  check_links(c);
}

void commands_run_firmware(commands_case_t *c, const char *file) {
  c->options.firmware = SOC_FIRMWARE_RISCV;
  c->options.firmware_file = file;
  simulate(c);
}

void commands_expect(const commands_case_t *c, size_t i, uint64_t busy, uint64_t latency) {
  const soc_command_t *at = &c->at[i];
  commands_equal(c, i, "busy", at->end - at->begin, busy);
  commands_equal(c, i, "ready in cycle", at->ready, at->end + latency);
  commands_equal(c, i, "takes effect in cycle", at->done, later(at->ready, commands_effect_before(c, i)));
}

void commands_expect_wait(const commands_case_t *c, size_t i, uint64_t flag) {
  commands_equal(c, i, "waits to cycle", c->at[i].end, later(c->at[i].begin, flag));
}
