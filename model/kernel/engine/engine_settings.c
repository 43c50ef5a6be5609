// SPDX-License-Identifier: Apache-2.0
#include "kernel/engine/engine_settings.h"

#include <string.h>

#include "kernel/machine.h"

enum { USUAL_ROWS = 1024, MESSAGE_BYTES = 1024 };

// 1024 keys, or the next power of two that holds all; then up to a multiple of the blocks.
static size_t usual_rows(size_t keys, size_t blocks) {
  size_t rows = USUAL_ROWS;
  while (rows < keys) {
    rows *= 2;
  }
  return (rows + blocks - 1) / blocks * blocks;
}

bool engine_settings_read(engine_settings_t *settings, const char *kernel, const options_t *options,
                          size_t keys, size_t d, base_error_t *error) {
  const bool hfa = strcmp(kernel, "hfa") == 0;
  const size_t blocks = (size_t)options->blocks.value;
  const size_t rows = option_count_or(&options->engine_rows, usual_rows(keys, blocks));
  if (rows % blocks != 0) {
    return base_fail(error, "--rows %zu: expected a multiple of --blocks, %zu", rows, blocks);
  }
  *settings = (engine_settings_t){
      .kernel = kernel,
      .shape = {.num = {.design = hfa ? NUM_DESIGN_HFA : NUM_DESIGN_FA2,
                        .hfa = {.corrected = hfa && options->lns.value != 0,
                                .zero_exact = options->zero_exact},
                        .d = d,
                        .blocks = blocks,
                        .rows = rows},
                .queries = (size_t)options->queries.value,
                .one_mul = options->one_mul},
      .rtl = options->impl.value == 0,
      .threads = options->threads.given ? (unsigned)options->threads.value
                                        : kernel_host_threads(),
      .clock_mhz = options->clock_mhz.value};
  return true;
}

engine_t *engine_settings_open(const engine_settings_t *settings, const engine_waves_t *waves,
                               void (*progress)(const char *what), base_error_t *error) {
  char message[MESSAGE_BYTES] = "";
  engine_t *engine =
      settings->rtl
          ? engine_open_rtl(&settings->shape, waves, progress, message, sizeof message)
          : engine_open_c(&settings->shape, settings->threads, message, sizeof message);
  if (engine == NULL) {
    base_fail(error, "%s: %s", settings->kernel, message);
  }
  return engine;
}
