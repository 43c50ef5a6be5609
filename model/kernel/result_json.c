// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "base/json.h"
#include "host/host.h"
#include "soc/joules.h"
#include "kernel/result.h"

void kernel_json_machine(cJSON *root, const config_t *config) {
  cJSON *machine = cJSON_AddObjectToObject(root, "machine");
  for (size_t i = 0; i < CONFIG_PARAMS; ++i) {
    char name[64];
    snprintf(name, sizeof name, "%s.%s", config_params[i].section, config_params[i].name);
    cJSON_AddNumberToObject(machine, name, config_value(config, &config_params[i]));
  }
}

void kernel_json_config(cJSON *root, const kernel_machine_t *machine) {
  cJSON_AddStringToObject(root, "config", machine->config);
  cJSON *list = machine->sets == 0 ? NULL : cJSON_AddArrayToObject(root, "set");
  for (size_t i = 0; i < machine->sets; ++i) {
    cJSON_AddItemToArray(list, cJSON_CreateString(machine->set[i]));
  }
  kernel_json_machine(root, &machine->soc.config);
}

void kernel_json_head(cJSON *root, const char *kernel, const kernel_machine_t *machine) {
  cJSON_AddStringToObject(root, "kernel", kernel);
  kernel_json_config(root, machine);
}

void kernel_json_data(cJSON *root, const char *source, const kernel_result_t *result) {
  cJSON_AddStringToObject(root, "data", source);
  if (result->seeded) {
    json_add_count(root, "seed", result->seed);
  } else {
    cJSON_AddNullToObject(root, "seed");
  }
}

void kernel_json_launches(cJSON *root, const kernel_result_t *result) {
  const soc_result_t *soc = &result->soc;
  if (soc->launches < 2) {
    return;
  }
  cJSON *launches = cJSON_AddObjectToObject(root, "launches");
  cJSON_AddNumberToObject(launches, "first_us", result->first_us);
  cJSON_AddNumberToObject(launches, "mean_us", result->mean_us);
  cJSON *cycles = cJSON_AddArrayToObject(launches, "cycles");
  for (size_t i = 0; i < soc->launches; ++i) {
    cJSON_AddItemToArray(cycles, cJSON_CreateNumber((double)soc->launch_cycles[i]));
  }
}

void kernel_json_time(cJSON *root, const kernel_result_t *result, const kernel_machine_t *machine) {
  json_add_count(root, "cores", machine->soc.config.soc.ai_cores);
  if (machine->soc.timing_only) {
    cJSON_AddTrueToObject(root, "timing_only");
  }
  json_add_count(root, "cycles", result->soc.cycles);
  cJSON_AddNumberToObject(root, "time_us", result->time_us);
  json_add_count(root, "flops", result->flops);
  cJSON_AddNumberToObject(root, "fu", result->fu);
  kernel_json_launches(root, result);
}

void kernel_json_error_members(cJSON *object, const num_error_t *error) {
  cJSON_AddNumberToObject(object, "rel_fro", error->rel_fro);
  cJSON_AddNumberToObject(object, "max_abs", error->max_abs);
  cJSON_AddNumberToObject(object, "cos_diff", error->cos_diff);
  if (error->absolute) {
    cJSON_AddTrueToObject(object, "absolute");
  }
  if (!isfinite(error->rel_fro)) {  // these are null
    cJSON_AddTrueToObject(object, "overflow");
  }
}

void kernel_json_lost(cJSON *error, const kernel_lost_t *lost) {
  if (lost->not_finite > 0) {
    cJSON *none = cJSON_AddObjectToObject(error, "not_finite");
    json_add_count(none, "elements", lost->not_finite);
    cJSON *first = cJSON_AddArrayToObject(none, "first");
    cJSON_AddItemToArray(first, cJSON_CreateNumber((double)lost->row));
    cJSON_AddItemToArray(first, cJSON_CreateNumber((double)lost->column));
  }
  if (lost->to_zero + lost->to_subnormal > 0) {
    cJSON *underflow = cJSON_AddObjectToObject(error, "underflow");
    json_add_count(underflow, "to_zero", lost->to_zero);
    json_add_count(underflow, "to_subnormal", lost->to_subnormal);
  }
}

cJSON *kernel_json_error(cJSON *root, const kernel_result_t *result, const char *golden, const char *axis) {
  char text[128];
  if (result->judged == 0) {
    cJSON_AddNullToObject(root, "error");
    return NULL;
  }
  cJSON *error = cJSON_AddObjectToObject(root, "error");
  kernel_json_error_members(error, &result->error);
  kernel_json_lost(error, &result->lost);
  if (result->largest_score > NUM_ATTN_AMLA_LARGEST) {
    cJSON_AddNumberToObject(error, "scores_reach", result->largest_score);
  }
  snprintf(text, sizeof text, "%s, %zu of %zu %s", golden, result->judged, result->judged_of, axis);
  cJSON_AddStringToObject(error, "golden", result->judged == result->judged_of ? golden : text);
  return error;
}

static void add_unwritten(cJSON *root, const soc_result_t *soc) {
  cJSON *list = soc->unwritten_count == 0 ? NULL : cJSON_AddArrayToObject(root, "unwritten");
  for (size_t i = 0; i < soc->unwritten_count; ++i) {
    const soc_unwritten_t *found = &soc->unwritten[i];
    cJSON *entry = json_add_row(list);
    cJSON_AddStringToObject(entry, "array", found->array);
    cJSON_AddStringToObject(entry, "read", found->read);
    cJSON_AddStringToObject(entry, "space", found->space);
    json_add_count(entry, "address", found->address);
    cJSON_AddStringToObject(entry, "store", found->store);
    json_add_count(entry, "stores", found->stores);
    cJSON_AddBoolToObject(entry, "by_firmware", found->by_firmware);
  }
}

static void add_unstored(cJSON *root, const soc_result_t *soc) {
  cJSON *list = soc->unstored_count == 0 ? NULL : cJSON_AddArrayToObject(root, "unstored");
  for (size_t i = 0; i < soc->unstored_count; ++i) {
    const soc_unstored_t *found = &soc->unstored[i];
    cJSON *entry = json_add_row(list);
    cJSON_AddStringToObject(entry, "array", found->array);
    json_add_count(entry, "elements", found->count);
    json_add_count(entry, "of", found->of);
    cJSON *first = cJSON_AddArrayToObject(entry, "first");
    for (unsigned d = 0; d < found->dims; ++d) {
      cJSON_AddItemToArray(first, cJSON_CreateNumber((double)found->index[d]));
    }
  }
}

void kernel_json_traffic(cJSON *root, const soc_result_t *soc) {
  cJSON *traffic = cJSON_AddObjectToObject(root, "traffic");
  json_add_count(traffic, "hbm_read", soc->hbm_read);
  json_add_count(traffic, "hbm_write", soc->hbm_write);
  json_add_count(traffic, "l2_read", soc->l2_read);
  json_add_count(traffic, "l2_write", soc->l2_write);
  json_add_count(traffic, "atomic_bytes", soc->atomic_bytes);
  add_unwritten(root, soc);
  add_unstored(root, soc);
}

void kernel_json_energy(cJSON *root, const config_t *config, const soc_result_t *soc) {
  const joules_t energy = joules_of(config, soc);
  cJSON *object = cJSON_AddObjectToObject(root, "energy");
  cJSON_AddNumberToObject(object, "total_j", energy.joules);
  cJSON_AddNumberToObject(object, "low_j", energy.low);
  cJSON_AddNumberToObject(object, "high_j", energy.high);
  cJSON_AddNumberToObject(object, "watts", joules_watts(&energy));
  cJSON *parts = cJSON_AddArrayToObject(object, "parts");
  for (size_t i = 0; i < JOULES_PARTS; ++i) {
    cJSON *part = json_add_row(parts);
    cJSON_AddStringToObject(part, "part", energy.part[i].part);
    cJSON_AddNumberToObject(part, "j", energy.part[i].joules);
  }
}

// By command and line; with --profile.
static void add_profile(cJSON *root, const soc_result_t *soc) {
  if (soc->profile == NULL) {
    return;
  }
  cJSON *list = cJSON_AddArrayToObject(root, "profile");
  for (size_t i = 0; i < soc->profile_count; ++i) {
    const soc_profile_t *row = &soc->profile[i];
    const double whole = (double)soc->cycles * (double)row->pipes;
    cJSON *entry = json_add_row(list);
    cJSON_AddStringToObject(entry, "core", row->core);
    cJSON_AddStringToObject(entry, "pipe", row->pipe);
    cJSON_AddStringToObject(entry, "command", row->command);
    cJSON_AddItemToObject(entry, "op", row->op == NULL ? cJSON_CreateNull() : cJSON_CreateString(row->op));
    cJSON_AddStringToObject(entry, "line", row->line);
    json_add_count(entry, "count", row->count);
    json_add_count(entry, "cycles", row->cycles);
    cJSON_AddNumberToObject(entry, "share", whole == 0 ? 0 : (double)row->cycles / whole);
  }
}

void kernel_json_pipes(cJSON *root, const soc_result_t *soc) {
  cJSON *pipes = cJSON_AddArrayToObject(root, "pipes");
  for (size_t i = 0; i < soc->pipe_count; ++i) {
    const soc_pipe_t *pipe = &soc->pipes[i];
    cJSON *entry = json_add_row(pipes);
    cJSON_AddStringToObject(entry, "core", pipe->core);
    cJSON_AddStringToObject(entry, "pipe", pipe->pipe);
    json_add_count(entry, "commands", pipe->commands);
    json_add_count(entry, "busy", pipe->busy);
    cJSON *stall = cJSON_AddObjectToObject(entry, "stall");
    for (size_t j = 0; j < pipe->stalls; ++j) {
      json_add_count(stall, pipe->stall[j].reason, pipe->stall[j].cycles);
    }
  }
  add_profile(root, soc);
}

void kernel_json_guards(cJSON *root, const soc_result_t *soc) {
  cJSON *guards = cJSON_AddObjectToObject(root, "guards");
  json_add_count(guards, "zero", soc->guard_zero);
  json_add_count(guards, "special", soc->guard_special);
  json_add_count(guards, "underflow", soc->guard_underflow);
  json_add_count(guards, "overflow", soc->guard_overflow);
  json_add_count(guards, "lanes", soc->guard_lanes);
}

static uint64_t commands_of(const soc_result_t *soc) {
  uint64_t commands = 0;
  for (size_t i = 0; i < soc->pipe_count; ++i) {
    commands += soc->pipes[i].commands;
  }
  return commands;
}

cJSON *kernel_json_host(cJSON *root, const soc_result_t *soc) {
  cJSON *host = cJSON_AddObjectToObject(root, "host");
  cJSON_AddNumberToObject(host, "seconds", soc->seconds);
  cJSON_AddNumberToObject(host, "processor_seconds", host_processor_seconds());
  json_add_count(host, "commands", commands_of(soc));
  json_add_count(host, "rtl_cycles", soc->rtl_cycles);
  json_add_count(host, "scalar_instructions", soc->scalar_instructions);
  cJSON_AddNumberToObject(host, "peak_rss_mb", host_peak_rss_mb());
  cJSON_AddNumberToObject(host, "matmul_seconds", soc->matmul_seconds);
  cJSON_AddNumberToObject(host, "vector_seconds", soc->vector_seconds);
  cJSON_AddNumberToObject(host, "copy_seconds", soc->copy_seconds);
  cJSON_AddNumberToObject(host, "rtl_seconds", soc->rtl_seconds);
  cJSON_AddNumberToObject(host, "scalar_seconds", soc->scalar_seconds);
  return host;
}
