// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "cli/run/run.h"
#include "cli/run/machine.h"
#include "cli/text/text.h"

enum {
  MODE_DATAPARALLEL = 1,
  PATH_DIRECT = 1,
  NIBBLES_UNSIGNED = 1,
  DTYPE_BF16 = 1,
  DTYPE_S8 = 2
};  // of the options' words

typedef enum kernel_kind { W4A16, W8A8, GEMM } kernel_kind_t;

static kernel_kind_t kind_of(const char *name) {
  return strcmp(name, "w4a16") == 0 ? W4A16 : strcmp(name, "w8a8") == 0 ? W8A8 : GEMM;
}

// --- what the options say ---------------------------------------------------------------------

// w4a16 and w8a8 have scales, and a layout of their own.
static bool check_files(const options_t *options, const gemm_input_t *input, bool scales, base_error_t *error) {
  const given_t needed[] = {{"a", input->a != NULL}, {"w", input->w != NULL}, {"scale", input->scale != NULL}};
  return need_given(needed, scales ? 3 : 2, scales ? "--a, --w and --scale go together" : "--a, --w go together",
                    error) &&
         refuse_made_up(options, "a", error);
}

// The shipped data is for w4a16 and gemm, and needs no options.
static kernel_source_t source(const options_t *o, const gemm_input_t *input, kernel_kind_t kind) {
  if (input->a != NULL || input->w != NULL || (kind != GEMM && input->scale != NULL) || input->zero != NULL) {
    return KERNEL_FILES;
  }
  return kind == W8A8 || (kind == W4A16 && (input->is_unsigned || input->zeros != GEMM_ZEROS_INTEGER)) ||
                 (kind == GEMM && (input->bf16 || input->s8)) || o->timing_only || o->gemm_m.given || o->gemm_n.given ||
                 o->gemm_k.given || o->gemm_group.given || o->dist != NULL || o->seed.given
             ? KERNEL_MADE_UP
             : KERNEL_SHIPPED;
}

static bool agrees(const char *option, const char *text, bool made_up, base_error_t *error) {
  return text == NULL || made_up == made_up_asked(text) ||
         base_fail(error, "--%s %s: expected %s", option, text,
                   made_up ? "made-up, as --a and --w are" : "a file, as --a and --w are");
}

static bool read_input(const options_t *o, kernel_kind_t kind, gemm_input_t *input, base_error_t *error) {
  input->a = o->gemm_a;
  input->w = kind == W4A16 ? o->gemm_w4 : kind == W8A8 ? o->gemm_w8 : o->gemm_w;
  input->s8 = kind == GEMM && o->gemm_dtype.value == DTYPE_S8;
  input->scaled = input->s8 && o->gemm_column_scale != NULL;
  input->scale = kind == W4A16 ? o->gemm_scale : kind == W8A8 ? o->gemm_scale8 : o->gemm_column_scale;
  input->zero = o->gemm_zero;
  input->smooth = o->gemm_smooth;
  input->m = option_count_or(&o->gemm_m, 0);
  input->n = option_count_or(&o->gemm_n, 0);
  input->k = option_count_or(&o->gemm_k, 0);
  input->group = option_count_or(&o->gemm_group, 0);
  input->is_unsigned = o->gemm_nibbles.value == NIBBLES_UNSIGNED;
  input->zeros = kind == W4A16 ? (gemm_zeros_t)o->gemm_zeros.value : GEMM_ZEROS_INTEGER;
  input->bf16 = (kind == GEMM ? o->gemm_dtype : o->gemm_half).value == DTYPE_BF16;
  input->layout = kind == GEMM ? (enum gemm_layout)o->gemm_layout.value : GEMM_ND;
  input->source = source(o, input, kind);
  if (o->gemm_column_scale != NULL && !input->s8) {
    return base_fail(error, "--scale: goes with --dtype s8");
  }
  const bool made_up = input->source == KERNEL_MADE_UP;
  return agrees("scale", o->gemm_column_scale, made_up, error) && agrees("smooth", o->gemm_smooth, made_up, error) &&
         (input->source != KERNEL_FILES || check_files(o, input, kind != GEMM, error)) &&
         made_up_options(o, &input->made_up, error);
}

// 128x256, or 128x256x512; parts that are left out are 0.
static bool read_cut(const char *text, gemm_settings_t *settings, base_error_t *error) {
  gemm_cut_t *cut = &settings->cut;
  unsigned *const part[] = {&cut->rows, &cut->cols, &cut->depth};
  char copy[64];
  size_t parts = 0;
  settings->halving = strcmp(text, "halving") == 0;
  if (settings->halving || strcmp(text, "auto") == 0) {
    return true;
  }
  snprintf(copy, sizeof copy, "%s", text);
  for (char *rest = copy, *word; (word = strsep(&rest, "x")) != NULL; ++parts) {
    uint64_t value;
    if (parts == 3 || strlen(text) >= sizeof copy || !parse_count(word, &value) || value < 16 || value > 4096) {
      parts = 0;
      break;
    }
    *part[parts] = (unsigned)value;
  }
  return parts >= 2 || base_fail(error, "--tile: expected MxN, MxNxK, auto or halving, multiples of 16, got '%s'%s",
                                 text, parse_hint(text));
}

// rows, columns:3
static bool read_order(const char *text, gemm_cut_t *cut, base_error_t *error) {
  char copy[32];
  uint64_t band = 0;
  snprintf(copy, sizeof copy, "%s", text);
  char *rest = copy;
  const char *word = strsep(&rest, ":");
  const int order = parse_choice(word, "auto|rows|columns");
  if (order < 0 || strlen(text) >= sizeof copy ||
      (rest != NULL && (order == GEMM_ORDER_AUTO || !parse_count(rest, &band) || band < 1 || band > W4A16_MAX))) {
    return base_fail(error, "--order: expected auto, rows, columns, or rows:3 with any number, got '%s'%s", text,
                     parse_hint(text));
  }
  cut->order = (enum gemm_order)order;
  cut->band = rest != NULL ? (unsigned)band : order == GEMM_ORDER_AUTO ? 0 : W4A16_MAX;
  return true;
}

static bool read_splits(const char *text, unsigned *splits, base_error_t *error) {
  uint64_t value = GEMM_SPLITS_AUTO;
  if (strcmp(text, "auto") != 0 && (!parse_count(text, &value) || value < 1 || value > W4A16_MAX_SPLITS)) {
    return base_fail(error, "--split-k: expected 1 to %d or auto, got '%s'%s", W4A16_MAX_SPLITS, text,
                     parse_hint(text));
  }
  *splits = (unsigned)value;
  return true;
}

static bool read_tile(const char *text, unsigned *tile, base_error_t *error) {
  static const unsigned tiles[] = {GEMM_TILE_AUTO, 64, 128, 256};
  const int choice = parse_choice(text, "auto|64|128|256");
  if (choice < 0) {
    return base_fail(error, "--tile-n: expected 64, 128, 256 or auto, got '%s'%s", text, parse_hint(text));
  }
  *tile = tiles[choice];
  return true;
}

static bool read_settings(const options_t *o, kernel_kind_t kind, gemm_settings_t *settings, base_error_t *error) {
  settings->out_f32 = o->out_f32;
  if (kind == W8A8) {
    return true;
  }
  settings->dataparallel = o->gemm_mode.value == MODE_DATAPARALLEL;
  settings->phases = o->gemm_path.value == PATH_DIRECT ? W4A16_DIRECT
                     : o->gemm_overlap                 ? W4A16_OVERLAPPED
                                                       : W4A16_SEQUENTIAL;
  return kind == W4A16
             ? read_splits(o->gemm_split_k, &settings->splits, error) &&
                   read_tile(o->gemm_tile_n, &settings->tile_n, error)
             : read_splits(o->gemm_slices, &settings->splits, error) && read_cut(o->gemm_tile, settings, error) &&
                   read_order(o->gemm_order, &settings->cut, error);
}

static bool prepare(run_t *run) {
  const options_t *options = &run->options;
  const kernel_kind_t kind = kind_of(run->kernel->name);
  kernel_machine_t machine;
  if (!machine_read(run, options->config, options->firmware, &machine, &run->error)) {
    return false;
  }
  gemm_request_t request = gemm_request(run->kernel->name, &machine);
  request.judge = judge_options(options, options->gemm_golden.value);
  return read_input(options, kind, &request.input, &run->error) &&
         read_settings(options, kind, &request.settings, &run->error) &&
         gemm_prepare(&request, (gemm_run_t *)run->own, &run->error);
}

static const manual_row_t files[] = {{"tests/data/w4a16_real_*", "the shipped weights, scales and activations"},
                                     {"sw/kernels/README.md", "how the kernels go about it"},
                                     {NULL, NULL}};

static const manual_row_t w4a16_examples[] = {
    {"run w4a16", "the shipped real data"},
    {"run w4a16 --a a.npy --w w.npy --scale s.npy --out c.npy", "arrays of your own"},
    {NULL, NULL}};

static const manual_row_t w8a8_examples[] = {
    {"run w8a8 --m 32 --k 4096 --n 4096", "made-up data"},
    {"run w8a8 --a a.npy --w w.npy --scale s.npy --smooth f.npy --out c.npy", "arrays of your own"},
    {NULL, NULL}};

static const manual_row_t gemm_examples[] = {{"run gemm", "the shipped real data"},
                                             {"run gemm --a a.npy --w w.npy --out c.npy", "arrays of your own"},
                                             {NULL, NULL}};

const run_front_t run_w4a16 = {.about =
                                   "FP16 activations times 4-bit weights, dequantised by vector cores. Without inputs "
                                   "it runs on the shipped real data.",

                               .examples = w4a16_examples,
                               .files = files,
                               .prepare = prepare,
                               .print = text_gemm};

const run_front_t run_w8a8 = {.about =
                                  "FP16 or BF16 activations, which vector cores quantise to 8-bit integers with a "
                                  "scale a row, times 8-bit weights with a scale a column.",

                              .examples = w8a8_examples,
                              .files = files + 1,
                              .prepare = prepare,
                              .print = text_gemm};

const run_front_t run_gemm = {.about =
                                  "FP16, BF16 or 8-bit activations times such weights, on cube cores. Without inputs "
                                  "it runs on the shipped real data.",

                              .examples = gemm_examples,
                              .files = files,
                              .prepare = prepare,
                              .print = text_gemm};
