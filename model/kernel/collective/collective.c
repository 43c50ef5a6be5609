// SPDX-License-Identifier: Apache-2.0
#include "kernel/collective/collective.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "hal/command.h"
#include "num/num_format.h"
#include "num/num_rng.h"

enum { IN, OUT, SCRATCH, FLAGS, ARRAYS };  // of a rank

static const struct {
  const char *name;
  bool reduces, gathers;
} ops[COLLECTIVE_OPS] = {
#define COLLECTIVE(NAME, name, reduces, gathers, text) {#name, reduces, gathers},
#include "kernels/collective/collective_ops.def"
};

const char *collective_name(enum collective_op op) { return ops[op].name; }

bool collective_dies(system_t *system, uint64_t dies, base_error_t *error) {
  if (dies < 2 || dies > system->dies) {
    return base_fail(error, "--dies %llu: expected 2 to %u, which the system has", (unsigned long long)dies,
                     (unsigned)system->dies);
  }
  system->dies = (config_uint_t)dies;
  return true;
}

static uint64_t element_bytes(const collective_run_t *run) {
  return !ops[run->request.op].reduces ? 1 : run->request.type == TYPE_F32 ? 4 : 2;
}

static uint64_t ranks(const collective_run_t *run) { return run->request.system.dies; }

// Bytes of a rank's part.
static uint64_t part_bytes(const collective_run_t *run, uint64_t rank) {
  const uint64_t begin = rank * run->args.part, end = begin + run->args.part;
  return begin >= run->args.bytes ? 0 : (end < run->args.bytes ? end : run->args.bytes) - begin;
}

// --- arrays -----------------------------------------------------------------------------------

static uint64_t in_bytes(const collective_run_t *run, uint64_t rank) {
  return run->request.op == COLLECTIVE_ALL_GATHER ? part_bytes(run, rank) : run->args.bytes;
}

static uint64_t out_bytes(const collective_run_t *run, uint64_t rank) {
  return run->request.op == COLLECTIVE_REDUCE_SCATTER ? part_bytes(run, rank)
         : run->request.op == COLLECTIVE_ALL_TO_ALL   ? ranks(run) * run->args.part
                                                      : run->args.bytes;
}

static uint64_t array_bytes(const collective_run_t *run, unsigned array, uint64_t rank) {
  const uint64_t cores = run->machine.soc.config.soc.ai_cores / ranks(run) * run->machine.soc.config.soc.vector_cores;
  const uint64_t bytes = array == IN                    ? in_bytes(run, rank)
                         : array == OUT                 ? out_bytes(run, rank)
                         : array == FLAGS               ? 4 * collective_flags(cores)
                         : ops[run->request.op].reduces ? ranks(run) * run->args.part
                                                        : 0;
  return bytes > 0 ? bytes : 1;
}

// The same room on all ranks, so that arrays are at the same places.
static void describe(collective_run_t *run, uint64_t rank) {
  static const char *const names[ARRAYS] = {"in", "out", "scratch", "flags"};
  for (unsigned array = 0; array < ARRAYS; ++array) {
    const size_t i = rank * ARRAYS + array;
    snprintf(run->name[i], sizeof run->name[i], "%s of die %llu", names[array], (unsigned long long)rank);
    run->buffer[i] = (soc_buffer_t){.name = run->name[i],
                                    .bytes = array_bytes(run, array, array == IN || array == OUT ? 0 : rank),
                                    .init = array == IN      ? run->in[rank]
                                            : array == FLAGS ? run->zeros
                                                             : NULL,
                                    .result = array == OUT ? run->out[rank] : NULL,
                                    .gaps = true,
                                    .read_only = array == IN,
                                    .far = true,
                                    .flags = array == FLAGS,
                                    .die = (unsigned)rank};
  }
}

// Numbers with all the bits of their type; bytes are those of numbers.
static void make_up(const collective_run_t *run, uint64_t rank, uint8_t *to, uint64_t bytes) {
  enum { BLOCK = 4096 };
  const uint64_t each = element_bytes(run) == 4 ? 4 : 2;
  num_bf16_t large[BLOCK], small[BLOCK];
  for (uint64_t done = 0; done * each < bytes; done += BLOCK) {
    num_rng_normal_bf16(run->request.seed, 2 * rank, done, BLOCK, 1, large);
    num_rng_normal_bf16(run->request.seed, 2 * rank + 1, done, BLOCK, 1e-3, small);
    for (uint64_t i = 0; i < BLOCK && (done + i) * each < bytes; ++i) {
      const float value = num_bf16_to_f32(large[i]) + num_bf16_to_f32(small[i]);
      const uint32_t bits = each == 4 ? num_f32_bits(value) : num_fp16_from_f32(value);
      const uint64_t left = bytes - (done + i) * each;
      memcpy(to + (done + i) * each, &bits, left < each ? left : each);
    }
  }
}

static bool make_arrays(collective_run_t *run) {
  const size_t count = ranks(run);
  run->buffers = count * ARRAYS;
  run->buffer = calloc(run->buffers, sizeof *run->buffer);
  run->name = calloc(run->buffers, sizeof *run->name);
  run->in = calloc(count, sizeof *run->in);
  run->out = calloc(count, sizeof *run->out);
  run->zeros = calloc(1, array_bytes(run, FLAGS, 0));
  bool good = run->buffer != NULL && run->name != NULL && run->in != NULL && run->out != NULL && run->zeros != NULL;
  for (uint64_t rank = 0; good && rank < count && !run->machine.soc.timing_only; ++rank) {
    run->in[rank] = calloc(1, array_bytes(run, IN, 0));
    run->out[rank] = calloc(1, array_bytes(run, OUT, 0));
    good = run->in[rank] != NULL && run->out[rank] != NULL;
    if (good) {
      make_up(run, rank, run->in[rank], in_bytes(run, rank));
    }
  }
  for (uint64_t rank = 0; good && rank < count; ++rank) {
    describe(run, rank);
  }
  return good;
}

// --- the run ----------------------------------------------------------------------------------

static uint64_t part_of(uint64_t bytes, uint64_t count) {
  return ((bytes + count - 1) / count + COLLECTIVE_ALIGN - 1) / COLLECTIVE_ALIGN * COLLECTIVE_ALIGN;
}

static bool place(collective_run_t *run, base_error_t *error) {
  const system_t *system = &run->request.system;
  if (!soc_place_in(system, run->buffer, run->buffers)) {
    return base_fail(error, "--bytes %llu: arrays do not fit into window_mb: %u of %s",
                     (unsigned long long)run->request.bytes, (unsigned)system->window_mb, run->request.system_name);
  }
  run->args.in = run->buffer[IN].address;
  run->args.out = run->buffer[OUT].address;
  run->args.scratch = run->buffer[SCRATCH].address;
  run->args.flags = run->buffer[FLAGS].address;
  return true;
}

bool collective_prepare(const collective_request_t *request, collective_run_t *run, base_error_t *error) {
  *run = (collective_run_t){
      .kernel = {.ops = &collective_ops, .machine = &run->machine}, .machine = request->machine, .request = *request};
  run->machine.config = run->request.system.machine;
  if (request->machine.soc.config.soc.dies != 1) {
    return base_fail(error, "%s: its machine has %u dies; expected one of one die", request->system_name,
                     (unsigned)request->machine.soc.config.soc.dies);
  }
  soc_system(&run->request.system, &run->machine.soc.config);
  run->machine.soc.system = &run->request.system;
  if (request->bytes % element_bytes(run) != 0) {
    return base_fail(error, "--bytes %llu: expected a multiple of an element's, %llu",
                     (unsigned long long)request->bytes, (unsigned long long)element_bytes(run));
  }
  run->args = (collective_args_t){.bytes = request->bytes,
                                  .part = part_of(request->bytes, ranks(run)),
                                  .op = (uint32_t)request->op,
                                  .type = request->type};
  return kernel_machine_ready(&run->machine, "collective", error) &&
         (make_arrays(run) || base_fail(error, "--bytes: out of memory")) && place(run, error);
}

static base_exit_t simulate(kernel_run_t *kernel, base_error_t *error) {
  collective_run_t *run = (collective_run_t *)kernel;
  const soc_status_t status =
      soc_run(&run->machine.soc, run->buffer, run->buffers, &run->args, sizeof run->args, &kernel->result.soc);
  return kernel_result_take(&kernel->result, &run->machine, status, 0, error);
}

static uint64_t flops(const kernel_run_t *kernel) {
  (void)kernel;
  return 0;
}

// --- what should be there ---------------------------------------------------------------------

// The sum of an element of all ranks, rank 0's and 1's first.
static uint32_t sum_of(const collective_run_t *run, uint64_t offset) {
  float sum = 0;
  for (uint64_t rank = 0; rank < ranks(run); ++rank) {
    uint32_t bits = 0;
    memcpy(&bits, run->in[rank] + offset, element_bytes(run));
    const float value = run->request.type == TYPE_F32 ? num_f32_from_bits(bits) : num_fp16_to_f32((uint16_t)bits);
    sum = rank == 0 ? value : sum + value;
    sum = run->request.type == TYPE_F32 ? sum : num_fp16_to_f32(num_fp16_from_f32(sum));
  }
  return run->request.type == TYPE_F32 ? num_f32_bits(sum) : num_fp16_from_f32(sum);
}

// The bytes of a rank's result that stand so many from its first, and where: those that nobody stores are skipped.
static bool expected_at(const collective_run_t *run, uint64_t rank, uint64_t offset, uint32_t *bits) {
  const uint64_t part = run->args.part;
  switch (run->request.op) {
    case COLLECTIVE_ALL_GATHER:
      *bits = run->in[offset / part][offset % part];
      return true;
    case COLLECTIVE_ALL_TO_ALL:
      *bits = offset % part < part_bytes(run, rank) ? run->in[offset / part][rank * part + offset % part] : 0;
      return offset % part < part_bytes(run, rank);
    case COLLECTIVE_REDUCE_SCATTER:
      *bits = sum_of(run, rank * part + offset);
      return true;
    default:
      *bits = sum_of(run, offset);
      return true;
  }
}

static bool judge(kernel_run_t *kernel, base_error_t *error) {
  collective_run_t *run = (collective_run_t *)kernel;
  kernel_result_t *result = &kernel->result;
  (void)error;
  result->verified = true;
  for (uint64_t rank = 0; rank < ranks(run); ++rank) {
    const uint64_t end = out_bytes(run, rank), each = element_bytes(run);
    for (uint64_t offset = 0; offset < end; offset += each) {
      uint32_t want;
      if (expected_at(run, rank, offset, &want)) {
        ++result->elements;
        result->wrong_bits += memcmp(run->out[rank] + offset, &want, each) != 0;
      }
    }
  }
  return true;
}

// --- numbers ----------------------------------------------------------------------------------

double collective_bus_gbps(const collective_run_t *run) {
  const double count = (double)ranks(run), shots = run->request.op == COLLECTIVE_ALL_REDUCE ? 2 : 1;
  const double time_us = run->kernel.result.time_us;
  return time_us > 0 ? (double)run->request.bytes * shots * (count - 1) / count / time_us * 1e-3 : 0;
}

static void add_links(cJSON *root, const soc_result_t *soc) {
  cJSON *list = cJSON_AddArrayToObject(root, "links");
  for (size_t i = 0; i < soc->link_count; ++i) {
    cJSON *row = json_add_row(list);
    json_add_count(row, "from", soc->links[i].from);
    json_add_count(row, "to", soc->links[i].to);
    cJSON_AddStringToObject(row, "level", soc->links[i].level);
    json_add_count(row, "bytes", soc->links[i].bytes);
    json_add_count(row, "messages", soc->links[i].messages);
  }
}

static void write_json(const kernel_run_t *kernel, cJSON *root) {
  const collective_run_t *run = (const collective_run_t *)kernel;
  const kernel_result_t *result = &kernel->result;
  kernel_json_head(root, "collective", &run->machine);
  cJSON_AddStringToObject(root, "system", run->request.system_name);
  json_add_count(root, "dies", ranks(run));
  cJSON_AddStringToObject(root, "op", collective_name(run->request.op));
  json_add_count(root, "bytes", run->request.bytes);
  cJSON_AddStringToObject(root, "dtype", run->request.type == TYPE_F32 ? "fp32" : "fp16");
  json_add_count(root, "seed", run->request.seed);
  kernel_json_time(root, result, &run->machine);
  cJSON_AddNumberToObject(root, "bus_gbps", collective_bus_gbps(run));
  if (result->verified) {
    json_add_count(root, "wrong_bits", result->wrong_bits);
    json_add_count(root, "elements", result->elements);
  }
  kernel_json_traffic(root, &result->soc);
  add_links(root, &result->soc);
  kernel_json_energy(root, &run->machine.soc.config, &result->soc);
  kernel_json_pipes(root, &result->soc);
  kernel_json_host(root, &result->soc);
}

static void release(kernel_run_t *kernel) {
  collective_run_t *run = (collective_run_t *)kernel;
  for (uint64_t rank = 0; rank < ranks(run); ++rank) {
    free(run->in != NULL ? run->in[rank] : NULL);
    free(run->out != NULL ? run->out[rank] : NULL);
  }
  free(run->in);
  free(run->out);
  free(run->buffer);
  free(run->name);
  free(run->zeros);
}

const kernel_ops_t collective_ops = {.run_bytes = sizeof(collective_run_t),
                                     .on_soc = true,
                                     .simulate = simulate,
                                     .flops = flops,
                                     .judge = judge,
                                     .json = write_json,
                                     .release = release};
