// The language model's attention on the SoC against the golden attention, every bit of every token of
// every head: a text at once, then the rest of it byte by byte.
//
//   lm_soc FIRMWARE rtl|c hfa|corrected|fa2 BYTES [MORE [CONTEXT]]
//
// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/lm/lm_machine.h"
#include "llm/lm/lm_engine.h"

typedef struct both {
  lm_machine_t *machine;
  lm_engine_t golden;
  size_t values, differ;
} both_t;

static bool attend(void *context, const lm_attention_t *a) {
  both_t *both = context;
  const size_t count = a->n * a->shape->hidden_size;
  if (!lm_machine_attend(both->machine, a)) {
    return false;
  }
  float *golden = malloc(count * sizeof *golden);
  lm_attention_t again = *a;
  again.out = golden;
  const bool good = golden != NULL && lm_attend_engine(&both->golden, &again);
  for (size_t i = 0; good && i < count; ++i) {
    both->differ += memcmp(&golden[i], &a->out[i], sizeof golden[i]) != 0;
  }
  both->values += count;
  free(golden);
  return good;
}

static bool make_machine(both_t *both, const lm_t *lm, lm_machine_options_t *options, char **argv) {
  base_error_t message;
  base_error_t error;
  config_t *config = &options->soc.config;
  if (!config_open("engines", config, &message)) {
    fprintf(stderr, "%s\n", message.text);
    return false;
  }
  const bool fa2 = strcmp(argv[3], "fa2") == 0;
  options->chunk = config->engine.rows / 2;
  snprintf(options->engine_firmware, sizeof options->engine_firmware, "%s", argv[1]);
  options->soc.engine = strcmp(argv[2], "rtl") == 0 ? SOC_ENGINE_RTL : SOC_ENGINE_C;
  options->soc.gm = SOC_GM_C;
  options->soc.race_check = true;
  options->soc.init_check = true;
  options->soc.threads = 2;
  options->soc.engine_num = (num_engine_t){.design = fa2 ? NUM_DESIGN_FA2 : NUM_DESIGN_HFA,
                                           .hfa = {.corrected = strcmp(argv[3], "corrected") == 0},
                                           .d = lm_shape(lm)->head_dim,
                                           .blocks = config->engine.blocks,
                                           .rows = options->chunk};
  both->golden = (lm_engine_t){options->soc.engine_num, 2};
  both->machine = lm_machine_open(options, lm, false, &error);
  if (both->machine == NULL) {
    fprintf(stderr, "%s\n", error.text);
  }
  return both->machine != NULL;
}

static bool run(both_t *both, lm_t *lm, const uint32_t *text, size_t bytes, size_t more) {
  const lm_backend_t backend = {.attend = attend, .attend_context = both};
  float *logits = malloc(lm_shape(lm)->vocab_size * sizeof *logits);
  bool good = logits != NULL && lm_forward(lm, text, bytes, &backend, logits, true);
  for (size_t i = 0; good && i < more; ++i) {
    good = lm_forward(lm, text + bytes + i, 1, &backend, logits, true);
  }
  free(logits);
  base_error_t error;
  if (!good && lm_machine_status(both->machine, &error) != SOC_DONE) {
    fprintf(stderr, "%s\n", error.text);
  }
  return good;
}

int main(int argc, char **argv) {
  static uint8_t text[1 << 16];
  static uint32_t tokens[1 << 16];
  char message[1280];
  if (argc < 5) {
    return 2;
  }
  const size_t bytes = strtoull(argv[4], NULL, 10);
  const size_t more = argc > 5 ? strtoull(argv[5], NULL, 10) : 0;
  FILE *file = fopen(DATA_DIR "/kjv_val.txt", "rb");
  const size_t length = file == NULL ? 0 : fread(text, 1, sizeof text, file);
  if (file != NULL) {
    fclose(file);
  }
  for (size_t i = 0; i < length; ++i) {
    tokens[i] = text[i];
  }
  lm_t *lm = lm_open(DATA_DIR "/kjv_lm_bf16.bin", argc > 6 ? strtoull(argv[6], NULL, 10) : 0, message, sizeof message);
  lm_machine_options_t options = {0};
  both_t both = {0};
  if (lm == NULL || length < bytes + more || !make_machine(&both, lm, &options, argv) ||
      !run(&both, lm, tokens, bytes, more)) {
    fprintf(stderr, "%s\n", lm == NULL ? message : "failed");
    return 2;
  }
  const lm_machine_books_t *books = lm_machine_books(both.machine);
  printf("%llu cycles in %llu launches; %zu of %zu values differ\n", (unsigned long long)books->cycles,
         (unsigned long long)books->launches, both.differ, both.values);
  const int code =
      both.differ == 0 && both.values == (bytes + more) * lm_shape(lm)->hidden_size * lm_shape(lm)->num_hidden_layers
          ? 0
          : 1;
  lm_machine_close(both.machine);
  lm_close(lm);
  return code;
}
