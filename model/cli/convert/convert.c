// SPDX-License-Identifier: Apache-2.0
#include "cli/convert/convert.h"

#include "array/array.h"
#include "base/npy.h"
#include "base/output.h"
#include "cli/option/manual.h"
#include "num/num_fp8.h"

static void help(void) {
  static const manual_row_t examples[] = {
      {"convert kv.npy tokens.npy", "keys to FP8 tokens"},
      {"convert w.npy words.npy --group 128 --scale scales.npy", "weights to INT4, and their scales"},
      {NULL, NULL}};
  const manual_t manual = {.name = "convert",
                           .synopsis = "IN.npy OUT.npy [options]",
                           .about =
                               "arrays from one of the kernels' formats to another. What IN is, its dtype and "
                               "shape say:\n\n"
                               "keys '<u2' or '<f4' [S,576] go to FP8 tokens '|u1' [S,656]; also [B,S,576]\n\n"
                               "FP8 tokens '|u1' [S,656] go to keys '<u2' [S,576]\n\n"
                               "INT4 words '<i4' [K,N/8] go to values '|i1' [K,N]\n\n"
                               "INT4 values '|i1' [K,N] go to words '<i4' [K,N/8]\n\n"
                               "weights '<f2' or '<f4' [K,N] are quantised, with --group and --scale, to INT4 "
                               "words '<i4' [K,N/8]",
                           .command = CLI_CONVERT,
                           .examples = examples};
  manual_print(stdout, &manual);
}

// --- which conversion -------------------------------------------------------------------------

typedef struct conversion {
  const char *name;  // "keys to tokens"
  bool (*run)(convert_job_t *job, base_error_t *error);
  bool fp8_scale, nibbles, group;  // options that it has
} conversion_t;

static const conversion_t conversions[] = {
    {"keys to FP8 tokens", convert_to_tokens, true, false, false},
    {"FP8 tokens to keys", convert_from_tokens, false, false, false},
    {"INT4 values to words", convert_pack, false, true, false},
    {"INT4 words to values", convert_unpack, false, true, false},
    {"weights to INT4", convert_quantise, false, true, true},
};
enum { TO_TOKENS, FROM_TOKENS, PACK, UNPACK, QUANTISE };

static bool choose(const convert_job_t *job, const conversion_t **chosen, base_error_t *error) {
  const npy_array_t *in = &job->in;
  const bool quantises = job->options->convert_group.given;
  const bool keys = in->type == NPY_U2 || (in->type == NPY_F4 && !quantises);
  const size_t last = in->dims == 0 ? 0 : in->shape[in->dims - 1];
  if (in->type == NPY_F2 && !quantises) {
    return base_fail(error, "%s: dtype '<f2'; expected --group N with it, to quantise weights", job->path);
  }
  if (keys && last != NUM_FP8_KEY) {
    return npy_refuse_shape(job->path, in, error, "[S,576], keys to make FP8 tokens of");
  }
  if (in->type == NPY_U1 && last != NUM_FP8_TOKEN_BYTES) {
    return npy_refuse_shape(job->path, in, error, "[S,656], FP8 tokens");
  }
  if (!keys && in->type != NPY_U1 && in->dims != 2) {
    return npy_refuse_shape(job->path, in, error, "two dimensions");
  }
  *chosen = &conversions[keys                 ? TO_TOKENS
                         : in->type == NPY_U1 ? FROM_TOKENS
                         : in->type == NPY_I1 ? PACK
                         : in->type == NPY_I4 ? UNPACK
                                              : QUANTISE];
  return true;
}

// Options that the conversion would not look at.
static bool check_options(const options_t *o, const conversion_t *conversion, base_error_t *error) {
  const struct {
    const char *name;
    bool given, known;
  } rows[] = {{"fp8-scale", o->fp8_scale.given, conversion->fp8_scale},
              {"nibbles", o->nibbles.given, conversion->nibbles},
              {"group", o->convert_group.given, conversion->group},
              {"scale", o->convert_scale != NULL, conversion->group},
              {"zero", o->convert_zero != NULL, conversion->group}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    if (rows[i].given && !rows[i].known) {
      return base_fail(error, "--%s: means nothing for %s", rows[i].name, conversion->name);
    }
  }
  return true;
}

// --- files ------------------------------------------------------------------------------------

enum { OUT, SCALE, ZERO, FILES };

static bool add_outputs(const char *const path[FILES], outputs_t *outputs, size_t index[FILES], base_error_t *error) {
  for (int i = 0; i < FILES; ++i) {
    if (path[i] != NULL && !outputs_add(outputs, path[i], &index[i], error)) {
      return false;
    }
  }
  return true;
}

static bool write_outputs(const convert_job_t *job, outputs_t *outputs, const size_t index[FILES],
                          base_error_t *error) {
  const npy_array_t *const arrays[FILES] = {&job->out, &job->scale, &job->zero};
  for (int i = 0; i < FILES; ++i) {
    if (arrays[i]->dims == 0) {
      continue;
    }
    FILE *file = outputs_open(outputs, index[i], error);
    if (file == NULL) {
      return false;
    }
    npy_write(file, arrays[i]);
  }
  return outputs_commit(outputs, error);
}

static bool read_input(convert_job_t *job, base_error_t *error) {
  const unsigned accepted = NPY_BIT(U2) | NPY_BIT(F2) | NPY_BIT(F4) | NPY_BIT(U1) | NPY_BIT(I1) | NPY_BIT(I4);
  return array_read(job->path, accepted, &job->in, error) &&
         (npy_count(&job->in) > 0 || npy_refuse_shape(job->path, &job->in, error, "an array that is not empty"));
}

static bool run_job(convert_job_t *job, const char *out, outputs_t *outputs, base_error_t *error) {
  const options_t *options = job->options;
  const char *const path[FILES] = {out, options->convert_scale, options->convert_zero};
  size_t index[FILES] = {0};
  const conversion_t *conversion = NULL;
  const bool good = add_outputs(path, outputs, index, error) && read_input(job, error) &&
                    choose(job, &conversion, error) && check_options(options, conversion, error) &&
                    conversion->run(job, error) && write_outputs(job, outputs, index, error);
  if (good && !options->quiet) {
    printf("%s\n", job->text);
  }
  return good && output_printed(error);
}

static bool run(const options_t *options, outputs_t *outputs, base_error_t *error) {
  const int files = options->convert_out == NULL ? 2 : 1;
  if (options->words < files) {
    return base_fail(error, "convert: expected %s, got %d",
                     files == 2 ? "two files, IN.npy and OUT.npy" : "one file, IN.npy", options->words);
  }
  if (options->words > files) {
    return base_fail(error, "convert: unexpected argument '%s'", options->word[files]);
  }
  convert_job_t job = {.options = options, .path = options->word[0]};
  const bool good = run_job(&job, files == 2 ? options->word[1] : options->convert_out, outputs, error);
  npy_free(&job.in);
  npy_free(&job.out);
  npy_free(&job.scale);
  npy_free(&job.zero);
  return good;
}

int convert(int argc, char **argv) {
  options_t options;
  outputs_t outputs = {.count = 0};
  base_error_t error;
  int code = BASE_OK;
  if (!options_parse(&options, CLI_CONVERT, argc, argv, &error)) {
    code = base_report(BASE_BAD_INPUT, &error);
  } else if (options.help) {
    help();
  } else if (!run(&options, &outputs, &error)) {
    code = base_report(BASE_BAD_INPUT, &error);
  }
  outputs_discard(&outputs);
  return code;
}
