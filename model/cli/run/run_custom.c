// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "base/parse.h"
#include "cli/run/run.h"
#include "cli/run/machine.h"
#include "cli/text/text.h"

enum { DIM_DIGITS = 24 };

static const uint64_t most_bytes = 1ull << 32;

static const npy_type_t out_types[] = {NPY_F4, NPY_U2, NPY_F2, NPY_I4, NPY_U1};

// --- what the options say ---------------------------------------------------------------------

static bool check_firmware(const char *file, base_error_t *error) {
  if (file == NULL) {
    return base_fail(error,
                     "--firmware: name a kernel's .elf or .so; `amalgam firmware "
                     "FILE.c` builds both");
  }
  return (strcmp(file, "riscv") != 0 && strcmp(file, "native") != 0) ||
         base_fail(error, "--firmware: expected a file .elf or .so, got '%s'", file);
}

static bool refuse_shape(const char *text, base_error_t *error) {
  return base_fail(error,
                   "--out-shape: expected 1 to %d whole numbers from 1, as 64,256, of at "
                   "most 4 GiB, got '%s'%s",
                   CUSTOM_DIMS_MAX, text, parse_hint(text));
}

static bool read_shape(const char *text, custom_request_t *request, base_error_t *error) {
  uint64_t bytes = npy_element_bytes(request->out_type);
  for (const char *at = text;; ++at) {
    char number[DIM_DIGITS];
    uint64_t value;
    const size_t length = strcspn(at, ",");
    snprintf(number, sizeof number, "%.*s", (int)(length < DIM_DIGITS ? length : 0), at);
    if (!parse_count(number, &value) || value < 1 || value > most_bytes / bytes ||
        request->out_dims == CUSTOM_DIMS_MAX) {
      return refuse_shape(text, error);
    }
    bytes *= value;
    request->out_shape[request->out_dims++] = (size_t)value;
    at += length;
    if (*at == '\0') {
      return true;
    }
  }
}

static bool read_params(const option_list_t *list, custom_param_t param[OPTION_LIST_MAX], base_error_t *error) {
  for (size_t i = 0; i < list->count; ++i) {
    double value;
    float rounded;
    if (!parse_real(list->item[i], &value) || !parse_float(list->item[i], &rounded)) {
      return base_fail(error, "--param: expected a number that FP32 has, got '%s'%s", list->item[i],
                       parse_hint(list->item[i]));
    }
    param[i] = custom_param(value, rounded);
  }
  return true;
}

static bool prepare(run_t *run) {
  const options_t *o = &run->options;
  custom_param_t param[OPTION_LIST_MAX];
  custom_request_t request = {.firmware = o->custom_firmware,
                              .in = o->in.item,
                              .inputs = o->in.count,
                              .out_type = out_types[o->out_type.value],
                              .param = param,
                              .params = o->param.count,
                              .expect = o->expect,
                              .tolerance = o->custom_tolerance.value,
                              .allow_overflow = o->allow_overflow};
  if (!check_firmware(o->custom_firmware, &run->error) ||
      !machine_read(run, o->config, o->custom_firmware, &request.machine, &run->error) ||
      (o->out_shape != NULL && !read_shape(o->out_shape, &request, &run->error)) ||
      !read_params(&o->param, param, &run->error)) {
    return false;
  }
  request.machine.soc.auto_sync = o->auto_sync.value != 0;
  request.machine.soc.flags_left = (soc_flags_left_t)o->flags_left.value;
  return (o->expect != NULL || !o->custom_tolerance.given || base_fail(&run->error, "--tolerance: needs --expect")) &&
         custom_prepare(&request, (custom_run_t *)run->own, &run->error);
}

static const manual_row_t files[] = {
    {"sw/README.md", "write your own kernel, step by step"},
    {"sw/kernels/custom/custom_args.h", "where a kernel finds its arrays and parameters"},
    {"sw/hal/REFERENCE.md", "the commands it may push"},
    {NULL, NULL}};

static const manual_row_t examples[] = {
    {"run custom --firmware k.elf --in a.npy --in b.npy --out-shape 64,256 --out c.npy", "two inputs"},
    {"run custom --firmware k.so --in a.npy --out-shape 64 --expect want.npy --tolerance 1e-6",
     "a test: exit code 1 if the result is not the expected one"},
    {"run custom --firmware k.elf --in a.npy --out-shape 64 --param 0.5 --timeline t.json",
     "with a number for the kernel, and where the time goes"},
    {NULL, NULL}};

const run_front_t run_custom = {.about =
                                    "a kernel of your own, with arrays from files. sw/README.md shows step by step how "
                                    "to write one; `amalgam firmware` builds it.",
                                .notes = RUN_EXITS("the result is not what --expect has, or not finite"),
                                .examples = examples,
                                .files = files,
                                .prepare = prepare,
                                .print = text_custom};
