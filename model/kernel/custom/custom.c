// SPDX-License-Identifier: Apache-2.0
#include "kernel/custom/custom.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array/array.h"
#include "base/json.h"
#include "hal/command.h"
#include "num/num_format.h"

enum { ELEMENT_BYTES = 40 };

#define ANY_TYPE (NPY_BIT(F4) | NPY_BIT(U2) | NPY_BIT(F2) | NPY_BIT(I4) | NPY_BIT(U1) | NPY_BIT(B1))

custom_param_t custom_param(double value, float rounded) {
  return (custom_param_t){.f32 = num_f32_bits(rounded),
                          .whole = value >= INT32_MAX   ? INT32_MAX
                                   : value <= INT32_MIN ? INT32_MIN
                                                        : (int32_t)value};
}

// --- arrays -----------------------------------------------------------------------------------

static bool read_inputs(const custom_request_t *request, custom_run_t *run, base_error_t *error) {
  if (request->inputs > CUSTOM_INPUTS_MAX) {
    return base_fail(error, "--in: given more than %d times", CUSTOM_INPUTS_MAX);
  }
  for (size_t i = 0; i < request->inputs; ++i) {
    if (!array_read(request->in[i], ANY_TYPE, &run->in[i], error)) {
      return false;
    }
    run->in_path[run->inputs++] = request->in[i];
    if (npy_count(&run->in[i]) == 0) {
      return base_fail(error, "%s: no elements", request->in[i]);
    }
  }
  return true;
}

static bool make_out(const custom_request_t *request, npy_array_t *out, base_error_t *error) {
  out->type = request->out_type;
  out->dims = request->out_dims;
  memcpy(out->shape, request->out_shape, sizeof request->out_shape);
  if (out->dims == 0) {
    return base_fail(error, "--out-shape: the result's shape is needed, as 64,256");
  }
  out->data = calloc(npy_count(out), npy_element_bytes(out->type));
  return out->data != NULL || base_fail(error, "--out-shape: out of memory");
}

static bool take_params(const custom_request_t *request, custom_args_t *args, base_error_t *error) {
  if (request->params > CUSTOM_PARAMS_MAX) {
    return base_fail(error, "--param: given more than %d times", CUSTOM_PARAMS_MAX);
  }
  args->params = (uint32_t)request->params;
  memcpy(args->param, request->param, request->params * sizeof *args->param);
  for (size_t i = request->params; i < CUSTOM_PARAMS_MAX; ++i) {
    args->param[i] =
        (custom_param_t){.f32 = num_f32_bits(NAN), .whole = INT32_MIN};  // a kernel that reads it, shows it
  }
  return true;
}

static bool read_expected(const custom_request_t *request, custom_run_t *run, base_error_t *error) {
  const npy_array_t *out = &run->out;
  npy_array_t *want = &run->want;
  if (request->tolerance > 0 && out->type != NPY_F4) {
    return base_fail(error, "--tolerance: for --out-type f4 only; of other types every bit counts");
  }
  if (request->expect == NULL) {
    return true;
  }
  if (!array_read(request->expect, ANY_TYPE, want, error)) {
    return false;
  }
  char have[NPY_SHAPE_BYTES];
  char need[NPY_SHAPE_BYTES];
  return (want->type == out->type && want->dims == out->dims &&
          memcmp(want->shape, out->shape, out->dims * sizeof *out->shape) == 0) ||
         base_fail(error,
                   "%s: has %zu-byte elements of shape %s; expected the result's type "
                   "(--out-type) and shape %s",
                   request->expect, npy_element_bytes(want->type), npy_shape_text(want->shape, want->dims, have),
                   npy_shape_text(out->shape, out->dims, need));
}

// --- in global memory -------------------------------------------------------------------------

static custom_array_t describe(const npy_array_t *array, const soc_buffer_t *buffer) {
  custom_array_t described = {.gm = buffer->address,
                              .bytes = buffer->bytes,
                              .element = (uint32_t)npy_element_bytes(array->type),
                              .dims = (uint32_t)array->dims};
  for (size_t i = 0; i < CUSTOM_DIMS_MAX; ++i) {
    described.shape[i] = i < array->dims ? (uint32_t)array->shape[i] : 1;
  }
  return described;
}

static void name_elements(soc_buffer_t *buffer, const npy_array_t *array) {
  static const unsigned type_of[] = {
      [NPY_F4] = TYPE_F32, [NPY_U2] = TYPE_BF16, [NPY_F2] = TYPE_F16, [NPY_I4] = TYPE_S32};
  const bool known = array->type == NPY_F4 || array->type == NPY_U2 || array->type == NPY_F2 || array->type == NPY_I4;
  buffer->dims = known && array->dims <= SOC_MAX_DIMS ? (unsigned)array->dims : 0;
  buffer->type = buffer->dims > 0 ? type_of[array->type] : 0;
  for (unsigned i = 0; i < buffer->dims; ++i) {
    buffer->shape[i] = array->shape[i];
  }
}

static void place(custom_run_t *run) {
  static const char *const names[CUSTOM_INPUTS_MAX] = {"in0", "in1", "in2", "in3", "in4", "in5", "in6", "in7"};
  soc_buffer_t *buffer = run->buffer;
  for (size_t i = 0; i < run->inputs; ++i) {
    const npy_array_t *in = &run->in[i];
    buffer[i] = (soc_buffer_t){
        .name = names[i], .bytes = npy_count(in) * npy_element_bytes(in->type), .init = in->data, .read_only = true};
  }
  buffer[run->inputs] = (soc_buffer_t){
      .name = "out", .bytes = npy_count(&run->out) * npy_element_bytes(run->out.type), .result = run->out.data};
  for (size_t i = 0; i <= run->inputs; ++i) {
    name_elements(&buffer[i], i < run->inputs ? &run->in[i] : &run->out);
  }
  soc_place(buffer, run->inputs + 1);
  run->args.inputs = (uint32_t)run->inputs;
  for (size_t i = 0; i < run->inputs; ++i) {
    run->args.in[i] = describe(&run->in[i], &buffer[i]);
  }
  run->args.out = describe(&run->out, &buffer[run->inputs]);
}

// --- the run ----------------------------------------------------------------------------------

bool custom_prepare(const custom_request_t *request, custom_run_t *run, base_error_t *error) {
  *run = (custom_run_t){.kernel = {.ops = &custom_ops, .machine = &run->machine},
                        .machine = request->machine,
                        .firmware = request->firmware,
                        .tolerance = request->tolerance,
                        .allow_overflow = request->allow_overflow};
  if (!kernel_machine_firmware(&run->machine, request->firmware, error) ||
      !kernel_machine_ready(&run->machine, "custom", error)) {
    return false;
  }
  if (!read_inputs(request, run, error) || !make_out(request, &run->out, error) ||
      !take_params(request, &run->args, error) || !read_expected(request, run, error)) {
    return false;
  }
  run->machine.soc.scalar_pipe = true;
  place(run);
  return true;
}

static base_exit_t simulate(kernel_run_t *kernel, base_error_t *error) {
  custom_run_t *run = (custom_run_t *)kernel;
  const soc_status_t status =
      soc_run(&run->machine.soc, run->buffer, run->inputs + 1, &run->args, sizeof run->args, &run->kernel.result.soc);
  return kernel_result_take(&run->kernel.result, &run->machine, status, 0, error);
}

static uint64_t flops(const kernel_run_t *kernel) {
  (void)kernel;
  return 0;  // nobody knows
}

static bool write_out(const kernel_run_t *kernel, FILE *npy, base_error_t *error) {
  (void)error;
  npy_write(npy, &((const custom_run_t *)kernel)->out);
  return true;
}

static void release(kernel_run_t *kernel) {
  custom_run_t *run = (custom_run_t *)kernel;
  for (size_t i = 0; i < CUSTOM_INPUTS_MAX; ++i) {
    npy_free(&run->in[i]);
  }
  npy_free(&run->out);
  npy_free(&run->want);
}

// --- what was expected ------------------------------------------------------------------------

static double number(const npy_array_t *array, size_t i) {
  switch (array->type) {
    case NPY_F4:
      return (double)((const float *)array->data)[i];
    case NPY_U2:
      return (double)num_bf16_to_f32(((const uint16_t *)array->data)[i]);
    case NPY_F2:
      return (double)num_fp16_to_f32(((const uint16_t *)array->data)[i]);
    case NPY_I4:
      return ((const int32_t *)array->data)[i];
    default:
      return ((const uint8_t *)array->data)[i];
  }
}

static double difference(float a, float b) {
  if (isnan(a) || isnan(b)) {
    return isnan(a) && isnan(b) ? 0 : INFINITY;
  }
  return a == b ? 0 : fabs((double)a - (double)b);
}

static void compare(custom_run_t *run) {
  const npy_array_t *out = &run->out;
  const char *have = out->data;
  const char *want = run->want.data;
  const size_t bytes = npy_element_bytes(out->type);
  custom_difference_t *result = &run->difference;
  for (size_t i = 0; i < npy_count(out); ++i) {
    bool off = memcmp(have + i * bytes, want + i * bytes, bytes) != 0;
    if (out->type == NPY_F4) {
      const double by = difference(((const float *)out->data)[i], ((const float *)run->want.data)[i]);
      result->largest = by > result->largest ? by : result->largest;
      off = by > run->tolerance;
    }
    if (off && result->count++ == 0) {
      result->first = i;
    }
  }
}

// Memory is all ones where nobody has written, which no arithmetic makes: --no-init-check decides about that.
static bool never_written(const npy_array_t *out, size_t i) {
  static const uint8_t ones[] = {0xff, 0xff, 0xff, 0xff};
  const size_t bytes = npy_element_bytes(out->type);
  return memcmp((const char *)out->data + i * bytes, ones, bytes) == 0;
}

static void look_for_lost(custom_run_t *run) {
  for (size_t i = 0; i < npy_count(&run->out); ++i) {
    if (!isfinite(number(&run->out, i)) && !never_written(&run->out, i) && run->lost.count++ == 0) {
      run->lost.first = i;
    }
  }
}

static bool judge(kernel_run_t *kernel, base_error_t *error) {
  custom_run_t *run = (custom_run_t *)kernel;
  (void)error;
  run->want.data != NULL ? compare(run) : look_for_lost(run);
  return true;
}

static bool expected_of_file(kernel_run_t *kernel, bool golden, kernel_expected_t *expected, base_error_t *error) {
  const custom_run_t *run = (const custom_run_t *)kernel;
  (void)golden;
  const size_t count = npy_count(&run->out);
  if (run->want.data == NULL) {
    return false;
  }
  *expected = (kernel_expected_t){.array = "out",
                                  .by = "--expect",
                                  .count = count,
                                  .absolute = run->tolerance,
                                  .want = malloc(count * sizeof *expected->want)};
  for (size_t i = 0; expected->want != NULL && i < count; ++i) {
    expected->want[i] = number(&run->want, i);
  }
  return expected->want != NULL || base_fail(error, "expected result: out of memory");
}

// Element `index` as text: an FP32 value, else its bits as a whole number.
static const char *element_text(const npy_array_t *array, size_t index, char text[ELEMENT_BYTES]) {
  uint32_t bits = 0;
  const size_t bytes = npy_element_bytes(array->type);
  memcpy(&bits, (const char *)array->data + index * bytes, bytes);
  if (array->type == NPY_F4) {
    snprintf(text, ELEMENT_BYTES, "%.9g", (double)num_f32_from_bits(bits));
  } else {
    snprintf(text, ELEMENT_BYTES, "%lld", array->type == NPY_I4 ? (long long)(int32_t)bits : (long long)bits);
  }
  return text;
}

const char *custom_lost_text(const custom_run_t *run, char text[CUSTOM_LOST_BYTES]) {
  const size_t first = run->lost.first;
  char index[NPY_SHAPE_BYTES];
  snprintf(text, CUSTOM_LOST_BYTES, "%zu of %zu elements of the result are not finite, first %s, which is %g",
           run->lost.count, npy_count(&run->out), npy_index_text(&run->out, first, index), number(&run->out, first));
  return text;
}

// Elements of 16 bits may be integers as well as BF16.
static base_exit_t finite_verdict(const custom_run_t *run, base_error_t *error) {
  char text[CUSTOM_LOST_BYTES];
  if (run->lost.count == 0 || run->out.type == NPY_U2 || run->allow_overflow) {
    return BASE_OK;
  }
  base_fail(error, "%s", custom_lost_text(run, text));
  return BASE_OUT_OF_TOLERANCE;
}

static base_exit_t verdict(const kernel_run_t *kernel, base_error_t *error) {
  const custom_run_t *run = (const custom_run_t *)kernel;
  const npy_array_t *out = &run->out;
  const size_t first = run->difference.first;
  char index[NPY_SHAPE_BYTES];
  char have[ELEMENT_BYTES];
  char want[ELEMENT_BYTES];
  if (run->difference.count == 0) {
    return finite_verdict(run, error);
  }
  base_fail(error, "out of tolerance: %zu of %zu elements, first %s, which is %s; expected %s", run->difference.count,
            npy_count(out), npy_index_text(out, first, index), element_text(out, first, have),
            element_text(&run->want, first, want));
  return BASE_OUT_OF_TOLERANCE;
}

// --- JSON -------------------------------------------------------------------------------------

static void add_shape(cJSON *object, const npy_array_t *array) {
  cJSON *shape = cJSON_AddArrayToObject(object, "shape");
  for (size_t i = 0; i < array->dims; ++i) {
    cJSON_AddItemToArray(shape, cJSON_CreateNumber((double)array->shape[i]));
  }
}

static void add_expected(cJSON *root, const custom_run_t *run) {
  if (run->want.data == NULL) {
    cJSON_AddNullToObject(root, "expected");
    return;
  }
  cJSON *expected = cJSON_AddObjectToObject(root, "expected");
  json_add_count(expected, "off", run->difference.count);
  if (run->out.type == NPY_F4) {
    cJSON_AddNumberToObject(expected, "largest", run->difference.largest);
    cJSON_AddNumberToObject(expected, "tolerance", run->tolerance);
  }
}

static void add_lost(cJSON *root, const custom_run_t *run) {
  char index[NPY_SHAPE_BYTES];
  if (run->lost.count > 0) {
    cJSON *lost = cJSON_AddObjectToObject(root, "not_finite");
    json_add_count(lost, "elements", run->lost.count);
    cJSON_AddStringToObject(lost, "first", npy_index_text(&run->out, run->lost.first, index));
  }
}

static void write_json(const kernel_run_t *kernel, cJSON *root) {
  const custom_run_t *run = (const custom_run_t *)kernel;
  const soc_result_t *soc = &run->kernel.result.soc;
  cJSON_AddStringToObject(root, "kernel", "custom");
  cJSON_AddStringToObject(root, "firmware", run->firmware);
  kernel_json_config(root, &run->machine);
  json_add_count(root, "cores", run->machine.soc.config.soc.ai_cores);
  cJSON *inputs = cJSON_AddArrayToObject(root, "inputs");
  for (size_t i = 0; i < run->inputs; ++i) {
    cJSON *input = json_add_row(inputs);
    cJSON_AddStringToObject(input, "file", run->in_path[i]);
    add_shape(input, &run->in[i]);
  }
  add_shape(cJSON_AddObjectToObject(root, "out"), &run->out);
  add_expected(root, run);
  add_lost(root, run);
  json_add_count(root, "cycles", soc->cycles);
  cJSON_AddNumberToObject(root, "time_us", run->kernel.result.time_us);
  kernel_json_launches(root, &run->kernel.result);
  kernel_json_traffic(root, soc);
  kernel_json_energy(root, &run->machine.soc.config, soc);
  if (soc->flags_left > 0) {
    json_add_count(root, "flags_left", soc->flags_left);
  }
  kernel_json_pipes(root, soc);
  kernel_json_host(root, soc);
}

const kernel_ops_t custom_ops = {.run_bytes = sizeof(custom_run_t),
                                 .on_soc = true,
                                 .simulate = simulate,
                                 .flops = flops,
                                 .judge = judge,
                                 .verdict = verdict,
                                 .expected = expected_of_file,
                                 .write_out = write_out,
                                 .json = write_json,
                                 .release = release};
