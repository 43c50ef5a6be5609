// Random firmware, mostly legal, on the SoC and on the machine without time of tests/firmware: the same bytes in
// global memory at the end, or the same kind of complaint.
//   test_random_firmware [FIRST-SEED COUNT]
//
// A core's commands move between its queues in one order that flags keep; the vector cores begin once the
// cube core has ended, and may read what it wrote. Three programs in ten have one thing changed: a flag or its
// wait dropped, or some bits of a command.
// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "firmware/commands_list.h"
#include "firmware/machine.h"
#include "hal/registers.h"
#include "num/num_rng.h"
#include "soc/soc.h"

enum { CUBE, VECTOR_0, VECTOR_1, CORES };
enum { LIST, IN, OUT, BUFFERS = OUT + CORES };
enum { ARRAY = 32 << 10, MOST = 400, TRIES = 200, L1 = 1024 << 10, L0 = 64 << 10, L0C = 128 << 10, UB = 192 << 10 };

typedef struct program {
  num_rng_t rng;
  listed_command_t list[MOST];
  size_t count;
  soc_buffer_t buffer[BUFFERS];
  uint8_t out[CORES][ARRAY];  // what the SoC left
  soc_status_t status;
  char error[SOC_ERROR_BYTES];
} program_t;

static uint32_t from_to(program_t *p, uint32_t low, uint32_t high) {
  return low + (uint32_t)(num_rng_u64(&p->rng) % (high - low + 1));
}

// An address of a small part of a buffer, so that commands meet.
static uint32_t place(program_t *p) { return 32 * from_to(p, 0, 255); }

static uint64_t gm_read(program_t *p, unsigned core) {
  const unsigned array = core != CUBE && from_to(p, 0, 2) == 0 ? OUT : IN;
  return p->buffer[array].address + 4 * from_to(p, 0, ARRAY / 8);
}
static uint64_t gm_write(program_t *p, unsigned core) {
  return p->buffer[OUT + core].address + 4 * from_to(p, 0, ARRAY / 8);
}

// ---- Commands ----

#define FILL(name, NAME, PIPE, ...) \
  (command->name = (cmd_##name##_t){.opcode_ = OP_##NAME, .pipe_ = PIPE_##PIPE, __VA_ARGS__})

static void fill_cube(program_t *p, command_t *command) {
  static const uint32_t types[] = {TYPE_BF16, TYPE_F16, TYPE_S8, TYPE_U8};
  const uint32_t m = from_to(p, 1, 40), n = from_to(p, 1, 40), k = from_to(p, 1, 40);
  switch (from_to(p, 0, 5)) {
    case 5:
      FILL(fix_l1, FIX_L1, FIX, .l0c = place(p), .m = m, .n = 16 * from_to(p, 1, 3), .l1 = place(p),
           .l1_pitch = 32 * from_to(p, 1, 60), .type = from_to(p, 0, 2), .relu = from_to(p, 0, 1));
      break;
    case 0:
      FILL(load_nz, LOAD_NZ, MTE2, .gm = gm_read(p, CUBE), .gm_pitch = 2 * from_to(p, 0, 60), .l1 = place(p), .rows = m,
           .cols = k, .strips = from_to(p, 0, 1), .element = from_to(p, 0, 1));
      break;
    case 1:
      FILL(load_a, LOAD_A, MTE1, .l1 = place(p), .l1_pitch = 32 * from_to(p, 1, 60), .l0a = place(p), .m = m, .k = k,
           .element = from_to(p, 0, 1));
      break;
    case 2:
      FILL(load_b, LOAD_B, MTE1, .l1 = place(p), .l1_pitch = 32 * from_to(p, 1, 60), .l0b = place(p), .k = k, .n = n,
           .transpose = from_to(p, 0, 1), .element = from_to(p, 0, 1));
      break;
    case 3:
      FILL(mmad, MMAD, M, .l0a = place(p), .l0b = place(p), .l0c = place(p), .m = m, .n = n, .k = k,
           .accumulate = from_to(p, 0, 1), .type = types[from_to(p, 0, 3)]);
      break;
    default:
      FILL(fixpipe, FIXPIPE, FIX, .l0c = place(p), .m = m, .n = n, .gm = gm_write(p, CUBE),
           .gm_pitch = 4 * from_to(p, 0, 60), .type = from_to(p, 0, 2), .op = from_to(p, 0, 1));
      if (from_to(p, 0, 2) == 0) {
        command->fixpipe.from = TYPE_S32;
        command->fixpipe.type = from_to(p, 0, 1) ? TYPE_F16 : TYPE_S8;
        command->fixpipe.op = GM_STORE;
        command->fixpipe.quant = from_to(p, QUANT_SCALE, QUANT_COLUMNS);
        command->fixpipe.scale = 0x3c800000u;
        command->fixpipe.scales = place(p);
      }
  }
}

static void fill_vector(program_t *p, unsigned core, command_t *command) {
  const uint32_t rows = from_to(p, 1, 20), cols = from_to(p, 1, 80), pitch = 32 * from_to(p, 1, 12);
  switch (from_to(p, 0, 4)) {
    case 4:
      FILL(vinst, VINST, V, .op = from_to(p, 0, VI_COUNT - 1), .type = from_to(p, 0, TYPE_COUNT - 1),
           .repeats = from_to(p, 1, 5), .mask = num_rng_u64(&p->rng) | 1, .dst = place(p),
           .dst_step = VECTOR_STEP(from_to(p, 1, 2), from_to(p, 0, 9)), .a = place(p),
           .a_step = VECTOR_STEP(from_to(p, 0, 2), from_to(p, 0, 9)), .b = place(p),
           .b_step = VECTOR_STEP(from_to(p, 0, 2), from_to(p, 0, 9)), .scalar = (uint32_t)from_to(p, 0, 15));
      break;
    case 0:
      FILL(copy_in, COPY_IN, MTE2, .gm = gm_read(p, core), .gm_pitch = from_to(p, 0, 400), .ub = place(p),
           .ub_pitch = pitch, .rows = rows, .row_bytes = cols);
      break;
    case 1:
      FILL(copy_out, COPY_OUT, MTE3, .ub = place(p), .ub_pitch = pitch, .gm = gm_write(p, core),
           .gm_pitch = 4 * from_to(p, 0, 100), .rows = rows, .row_bytes = 4 * cols,
           .op = from_to(p, 0, GM_OP_COUNT - 1), .skip_zero = from_to(p, 0, 1));
      break;
    default:
      FILL(vec, VEC, V, .op = from_to(p, 0, VOP_COUNT - 1), .rows = rows, .cols = cols, .dst = place(p),
           .dst_pitch = pitch, .a = place(p), .a_pitch = 32 * from_to(p, 1, 12), .b = place(p),
           .b_pitch = 32 * from_to(p, 1, 12), .c = place(p), .c_pitch = 32 * from_to(p, 1, 12),
           .b_kind = from_to(p, 0, OPERAND_COUNT - 1), .scalar = (uint32_t)num_rng_u64(&p->rng),
           .from = from_to(p, 0, TYPE_COUNT - 1), .to = from_to(p, 0, TYPE_COUNT - 1), .round = from_to(p, 0, 1));
  }
}

static bool is_legal(const program_t *p, unsigned core, const command_t *command) {
  static const core_memory_t memory[] = {
      {.bytes = {[SPACE_GM] = 1 << 20, [SPACE_L1] = L1, [SPACE_L0A] = L0, [SPACE_L0B] = L0, [SPACE_L0C] = L0C}},
      {.bytes = {[SPACE_GM] = 1 << 20, [SPACE_UB] = UB}}};
  core_access_t access[CORE_MAX_ACCESSES];
  char error[CORE_ERROR_BYTES];
  bool good = core_check(core == CUBE ? CORE_CUBE : CORE_VECTOR, &memory[core != CUBE], command, error);
  const size_t count = good ? core_accesses(command, access) : 0;
  for (size_t i = 0; i < count && good; ++i) {
    const core_access_t *a = &access[i];
    const unsigned first = a->write ? OUT + core : core == CUBE ? IN : IN, last = a->write ? OUT + core : OUT;
    bool inside = a->space != SPACE_GM;
    for (unsigned b = first; b <= last && !inside; ++b) {
      inside = a->base >= p->buffer[b].address && (b != OUT || core != CUBE || a->write) &&
               a->base + (a->rows - 1) * a->pitch + a->row_bytes <= p->buffer[b].address + p->buffer[b].bytes;
    }
    good = inside;
  }
  return good;
}

static listed_command_t *add(program_t *p, unsigned core, const command_t *command) {
  listed_command_t *entry = &p->list[p->count++];
  *entry = (listed_command_t){.kind = core != CUBE, .sub = core == VECTOR_1, .command = *command};
  return entry;
}

// Later commands of `to` wait for earlier ones of `from`.
static void order(program_t *p, unsigned core, unsigned from, unsigned to) {
  command_t command[2] = {{.header = {.opcode_ = 0}}, {.header = {.opcode_ = 0}}};
  if (from != to) {
    command[0].set_flag = (cmd_set_flag_t){.opcode_ = OP_SET_FLAG, .pipe_ = (uint8_t)from, .to = to};
    command[1].wait_flag = (cmd_wait_flag_t){.opcode_ = OP_WAIT_FLAG, .pipe_ = (uint8_t)to, .from = from};
    add(p, core, &command[0]);
    add(p, core, &command[1]);
  }
}

static void add_cross(program_t *p, unsigned core, unsigned opcode, unsigned pipe) {
  command_t command = {.header = {.opcode_ = 0}};
  command.cross_set = (cmd_cross_set_t){.opcode_ = (uint8_t)opcode, .pipe_ = (uint8_t)pipe, .flag = 3};
  add(p, core, &command);
}

static void make_core(program_t *p, unsigned core) {
  unsigned before = PIPE_MTE2;
  if (core != CUBE) {
    add_cross(p, core, OP_CROSS_WAIT, PIPE_MTE2);
  }
  for (uint32_t left = from_to(p, 10, 30); left > 0; --left) {
    command_t command;
    unsigned tries = 0;
    do {
      memset(&command, 0, sizeof command);
      core == CUBE ? fill_cube(p, &command) : fill_vector(p, core, &command);
    } while (!is_legal(p, core, &command) && ++tries < TRIES);
    if (tries < TRIES) {
      order(p, core, before, command.header.pipe_);
      add(p, core, &command);
      before = command.header.pipe_;
    }
  }
  if (core == CUBE) {
    add_cross(p, core, OP_CROSS_SET, before);
  }
}

static void spoil(program_t *p) {
  const size_t at = from_to(p, 0, (uint32_t)p->count - 1);
  listed_command_t *entry = &p->list[at];
  const unsigned opcode = entry->command.header.opcode_;
  if (opcode == OP_SET_FLAG || opcode == OP_WAIT_FLAG) {
    memmove(entry, entry + 1, (p->count - at - 1) * sizeof *entry);
    p->count -= 1;
  } else {
    uint8_t *bytes = (uint8_t *)&entry->command;
    bytes[sizeof(cmd_header_t) + from_to(p, 0, 60)] ^= (uint8_t)(1u << from_to(p, 0, 7));
  }
}

// ---- The two machines ----

static void run_soc(program_t *p) {
  soc_options_t options = {.firmware = SOC_FIRMWARE_NATIVE,
                           .firmware_file = FIRMWARE_DIR "/tests/commands.so",
                           .gm = SOC_GM_C,
                           .race_check = true,
                           .auto_sync = true,
                           .init_check = true,
                           .threads = 1};
  base_error_t reason;
  soc_result_t result = {.status = SOC_BAD_INPUT};
  const commands_args_t args = {p->buffer[LIST].address, p->count};
  if (config_open("ascend910_core", &options.config, &reason)) {
    soc_run(&options, p->buffer, BUFFERS, &args, sizeof args, &result);
  }
  p->status = result.status;
  memcpy(p->error, result.error, sizeof p->error);
  soc_result_free(&result);
}

static bool run_plain(const program_t *p, uint8_t *gm, uint64_t bytes, uint64_t seed, char error[MACHINE_ERROR_BYTES]) {
  static const char *const names[BUFFERS] = {"list", "in", "out0", "out1", "out2"};
  machine_array_t arrays[BUFFERS];
  const commands_args_t args = {p->buffer[LIST].address, p->count};
  memset(gm, 0xff, bytes);
  memcpy(gm, &args, sizeof args);
  for (unsigned b = 0; b < BUFFERS; ++b) {
    const soc_buffer_t *from = &p->buffer[b];
    arrays[b] = (machine_array_t){names[b], from->address, from->bytes, from->read_only};
    if (from->init != NULL) {
      memcpy(gm + (from->address - GM_BASE), from->init, from->bytes);
    }
  }
  const machine_options_t options = {.firmware = FIRMWARE_DIR "/tests/commands.so",
                                     .gm = gm,
                                     .gm_bytes = bytes,
                                     .arrays = arrays,
                                     .array_count = BUFFERS,
                                     .args = GM_BASE,
                                     .ai_cores = 1,
                                     .vector_cores = 2,
                                     .queue_depth = 32,
                                     .seed = seed};
  return machine_run(&options, error);
}

// ---- The comparison ----

// A wait that is missing shows as a race, or as a flag that comes twice or stays, whichever is first.
static const char *kind_of(const char *error) {
  static const char *const kinds[][2] = {{"race", "order"},
                                         {"deadlock", "deadlock"},
                                         {"still up", "order"},
                                         {"up already", "order"},
                                         {"counted too far", "order"}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
    if (strstr(error, kinds[i][0]) != NULL) {
      return kinds[i][1];
    }
  }
  return "command";
}

static bool agree(const program_t *p, uint64_t seed, const uint8_t *gm, bool good, const char *error) {
  if (p->status != (good ? SOC_DONE : SOC_STOPPED) || (!good && strcmp(kind_of(p->error), kind_of(error)) != 0)) {
    printf("seed %llu: SoC %d '%s', plain machine '%s'\n", (unsigned long long)seed, p->status, p->error,
           good ? "done" : error);
    return false;
  }
  for (unsigned core = 0; good && core < CORES; ++core) {
    const uint8_t *expected = gm + (p->buffer[OUT + core].address - GM_BASE);
    for (size_t i = 0; i < ARRAY; ++i) {
      if (p->out[core][i] != expected[i]) {
        printf("seed %llu: out%u byte %zu is %02x, plain machine %02x\n", (unsigned long long)seed, core, i,
               p->out[core][i], expected[i]);
        return false;
      }
    }
  }
  return true;
}

// Once: addresses are given for good.
static void place_all(program_t *p, const uint16_t *in) {
  p->buffer[LIST] = (soc_buffer_t){.name = "list", .bytes = sizeof p->list, .init = p->list, .read_only = true};
  p->buffer[IN] = (soc_buffer_t){.name = "in", .bytes = ARRAY, .init = in, .read_only = true};
  for (unsigned core = 0; core < CORES; ++core) {
    p->buffer[OUT + core] = (soc_buffer_t){.name = "out", .bytes = ARRAY, .result = p->out[core]};
  }
  soc_place(p->buffer, BUFFERS);
}

static void make(program_t *p, uint64_t seed, uint16_t *in) {
  p->count = 0;
  num_rng_seed(&p->rng, seed);
  num_rng_normal_bf16(seed, 0, 0, ARRAY / 2, 4, in);
  for (unsigned core = 0; core < CORES; ++core) {
    make_core(p, core);
  }
  if (from_to(p, 0, 9) < 3) {
    spoil(p);
  }
}

int main(int argc, char **argv) {
  const uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1,
                 count = argc > 2 ? strtoull(argv[2], NULL, 10) : 60;
  static uint16_t in[ARRAY / 2];
  static uint8_t gm[1 << 20];
  unsigned ended[2] = {0}, wrong = 0;
  static program_t program;
  program_t *p = &program;
  place_all(p, in);
  for (uint64_t seed = first; seed < first + count; ++seed) {
    char error[MACHINE_ERROR_BYTES] = "";
    make(p, seed, in);
    run_soc(p);
    const bool good = run_plain(p, gm, sizeof gm, seed, error);
    wrong += !agree(p, seed, gm, good, error);
    ended[good] += 1;
  }
  printf("%u programs ended well, %u were stopped, %u differ\n", ended[1], ended[0], wrong);
  return wrong > 0 || (argc == 1 && (ended[1] < 30 || ended[0] < 5));
}
