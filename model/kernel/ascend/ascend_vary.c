// The same launch on other machines: does it leave the same bits?
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "kernel/ascend/ascend.h"

enum { ASSIGNMENT_BYTES = 96 };

// Parameters and what they are multiplied by, within their limits.
static const struct {
  const char *name[2];
  double by[2];
} variants[ASCEND_VARIANTS] = {
    {{"scalar.cpi"}, {0}},
    {{"scalar.cpi"}, {0.25}},
    {{"scalar.cpi"}, {4}},
    {{"scalar.push_cycles"}, {0}},
    {{"scalar.push_cycles"}, {8}},
    {{"scalar.queue_depth"}, {0}},
    {{"scalar.queue_depth"}, {0.25}},
    {{"scalar.queue_depth"}, {16}},
    {{"scalar.queue_depth", "scalar.cpi"}, {16, 0}},
    {{"gm.l2_latency_us"}, {0}},
    {{"gm.l2_latency_us"}, {10}},
    {{"gm.write_latency_us"}, {10}},
    {{"vector.load_gbps"}, {0.05}},
    {{"vector.load_gbps", "scalar.cpi"}, {20, 0}},
    {{"vector.store_gbps"}, {0.05}},
    {{"vector.store_gbps", "scalar.cpi"}, {20, 0}},
    {{"soc.flag_cycles"}, {20}},
    {{"soc.skew_us"}, {0}},
    {{"soc.skew_us"}, {20}},
    {{"soc.skew_us", "scalar.cpi"}, {20, 0}},
};

static bool change(config_t *config, const char *name, double by, char *text, size_t size, base_error_t *error) {
  const config_param_t *param = config_param(name, strlen(name));
  double value = config_value(config, param) * by;
  value = param->whole ? (double)(uint64_t)value : value;
  value = value < param->min ? param->min : value > param->max ? param->max : value;
  const size_t used = strlen(text);
  char assignment[ASSIGNMENT_BYTES];
  snprintf(assignment, sizeof assignment, "%s=%g", name, value);
  snprintf(text + used, size - used, "%s%s", used > 0 ? " " : "", assignment);
  return config_set(config, assignment, error);
}

static soc_options_t options_of(const ascend_run_t *run) {
  soc_options_t options = run->machine.soc;
  options.race_check = options.list_races = options.init_check = false;
  options.watch = (soc_watch_t){0};
  options.debug = (soc_debug_t){0};
  return options;
}

// The first element that has other bits.
static bool differs(const ascend_argument_t *argument, const char *bits, ascend_variant_t *variant) {
  const size_t bytes = npy_element_bytes(argument->array.type), count = npy_count(&argument->array);
  for (size_t i = 0; i < count; ++i) {
    if (memcmp(bits + i * bytes, (const char *)argument->array.data + i * bytes, bytes) != 0) {
      variant->argument = argument;
      variant->first = i;
      return true;
    }
  }
  return false;
}

static void compare(const ascend_run_t *run, const soc_buffer_t *buffers, ascend_variant_t *variant) {
  for (size_t i = 0; i < run->buffers && variant->argument == NULL; ++i) {
    if (buffers[i].result != NULL) {
      differs(run->placed[i], buffers[i].result, variant);
    }
  }
}

static bool run_variant(const ascend_run_t *run, soc_buffer_t *buffers, size_t number, ascend_variant_t *variant,
                        base_error_t *error) {
  soc_options_t options = options_of(run);
  soc_result_t result;
  for (int i = 0; i < 2 && variants[number].name[i] != NULL; ++i) {
    if (!change(&options.config, variants[number].name[i], variants[number].by[i], variant->change,
                sizeof variant->change, error)) {
      return false;
    }
  }
  const soc_status_t status = soc_run(&options, buffers, run->buffers, &run->args, sizeof run->args, &result);
  variant->cycles = result.cycles;
  if (status == SOC_DONE) {
    compare(run, buffers, variant);
  } else {
    snprintf(variant->stopped, sizeof variant->stopped, "%s", result.error);
  }
  soc_result_free(&result);
  return status != SOC_INTERRUPTED || base_fail(error, "interrupted");
}

bool ascend_vary(ascend_run_t *run, base_error_t *error) {
  soc_buffer_t buffers[ASCEND_BUFFERS];
  bool good = true;
  memcpy(buffers, run->buffer, sizeof buffers);
  for (size_t i = 0; i < run->buffers; ++i) {
    if (buffers[i].result != NULL) {
      buffers[i].result = malloc(buffers[i].bytes);
      good = good && (buffers[i].result != NULL || base_fail(error, "--vary: out of memory"));
    }
  }
  for (size_t i = 0; good && i < run->vary; ++i) {
    good = run_variant(run, buffers, i, &run->variant[i], error);
    run->differing += run->variant[i].argument != NULL || run->variant[i].stopped[0] != '\0';
    run->variants += good;
  }
  for (size_t i = 0; i < run->buffers; ++i) {
    if (run->buffer[i].result != NULL) {
      free(buffers[i].result);
    }
  }
  return good;
}
