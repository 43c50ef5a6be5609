// SPDX-License-Identifier: Apache-2.0
#include "kernel/custom/custom_arrays.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "num/num_format.h"

enum { DIM_DIGITS = 24 };

static const uint64_t most_bytes = 1ull << 32;

static const npy_type_t out_types[] = {NPY_F4, NPY_U2, NPY_F2, NPY_I4, NPY_U1};

#define ANY_TYPE \
  (NPY_BIT(F4) | NPY_BIT(U2) | NPY_BIT(F2) | NPY_BIT(I4) | NPY_BIT(U1) | NPY_BIT(B1))

// --- what the options say ---------------------------------------------------------------------

static bool refuse_shape(const char *text, base_error_t *error) {
  return base_fail(error,
                   "--out-shape: expected 1 to %d whole numbers from 1, as 64,256, of at "
                   "most 4 GiB, got '%s'",
                   CUSTOM_DIMS_MAX, text);
}

static bool read_shape(const char *text, npy_array_t *out, base_error_t *error) {
  uint64_t bytes = npy_element_bytes(out->type);
  for (const char *at = text;; ++at) {
    char number[DIM_DIGITS];
    uint64_t value;
    const size_t length = strcspn(at, ",");
    snprintf(number, sizeof number, "%.*s", (int)(length < DIM_DIGITS ? length : 0), at);
    if (!parse_count(number, &value) || value < 1 || value > most_bytes / bytes ||
        out->dims == CUSTOM_DIMS_MAX) {
      return refuse_shape(text, error);
    }
    bytes *= value;
    out->shape[out->dims++] = (size_t)value;
    at += length;
    if (*at == '\0') {
      return true;
    }
  }
}

static bool read_out(const options_t *options, npy_array_t *out, base_error_t *error) {
  out->type = out_types[options->out_type.value];
  if (options->out_shape == NULL) {
    return base_fail(error, "--out-shape: the result's shape is needed, as 64,256");
  }
  if (!read_shape(options->out_shape, out, error)) {
    return false;
  }
  out->data = calloc(npy_count(out), npy_element_bytes(out->type));
  return out->data != NULL || base_fail(error, "--out-shape %s: out of memory", options->out_shape);
}

static bool read_inputs(const option_list_t *files, custom_arrays_t *arrays, base_error_t *error) {
  if (files->count > CUSTOM_INPUTS_MAX) {
    return base_fail(error, "--in: given more than %d times", CUSTOM_INPUTS_MAX);
  }
  for (size_t i = 0; i < files->count; ++i) {
    npy_array_t *in = &arrays->in[i];
    if (!npy_read(files->item[i], ANY_TYPE, in, error)) {
      return false;
    }
    arrays->in_path[arrays->inputs++] = files->item[i];
    if (npy_count(in) == 0) {
      return base_fail(error, "%s: no elements", files->item[i]);
    }
  }
  return true;
}

static bool read_params(const option_list_t *list, custom_args_t *args, base_error_t *error) {
  if (list->count > CUSTOM_PARAMS_MAX) {
    return base_fail(error, "--param: given more than %d times", CUSTOM_PARAMS_MAX);
  }
  for (size_t i = 0; i < list->count; ++i) {
    double value;
    float rounded;
    if (!parse_real(list->item[i], &value) || !parse_float(list->item[i], &rounded)) {
      return base_fail(error, "--param: expected a number that FP32 has, got '%s'", list->item[i]);
    }
    args->param[args->params++] = (custom_param_t){
        .f32 = num_f32_bits(rounded),
        .whole = value >= INT32_MAX ? INT32_MAX : value <= INT32_MIN ? INT32_MIN : (int32_t)value};
  }
  return true;
}

static bool read_expected(const options_t *options, custom_arrays_t *arrays, base_error_t *error) {
  const npy_array_t *out = &arrays->out;
  npy_array_t *want = &arrays->want;
  if (options->custom_tolerance.value > 0 && out->type != NPY_F4) {
    return base_fail(error, "--tolerance: for --out-type f4 only; of other types every bit counts");
  }
  if (options->expect == NULL) {
    return !options->custom_tolerance.given || base_fail(error, "--tolerance: needs --expect");
  }
  if (!npy_read(options->expect, ANY_TYPE, want, error)) {
    return false;
  }
  char have[NPY_SHAPE_BYTES];
  char need[NPY_SHAPE_BYTES];
  if (want->type != out->type || want->dims != out->dims ||
      memcmp(want->shape, out->shape, out->dims * sizeof *out->shape) != 0) {
    return base_fail(error,
                     "%s: has %zu-byte elements of shape %s; expected the result's type "
                     "(--out-type) and shape %s",
                     options->expect, npy_element_bytes(want->type),
                     npy_shape_text(want->shape, want->dims, have),
                     npy_shape_text(out->shape, out->dims, need));
  }
  return true;
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

static void place(custom_arrays_t *arrays) {
  static const char *const names[CUSTOM_INPUTS_MAX] = {"in0", "in1", "in2", "in3",
                                                       "in4", "in5", "in6", "in7"};
  soc_buffer_t *buffer = arrays->buffer;
  for (size_t i = 0; i < arrays->inputs; ++i) {
    const npy_array_t *in = &arrays->in[i];
    buffer[i] = (soc_buffer_t){.name = names[i],
                               .bytes = npy_count(in) * npy_element_bytes(in->type),
                               .init = in->data,
                               .read_only = true};
  }
  buffer[arrays->inputs] =
      (soc_buffer_t){.name = "out",
                     .bytes = npy_count(&arrays->out) * npy_element_bytes(arrays->out.type),
                     .result = arrays->out.data};
  soc_place(buffer, arrays->inputs + 1);
  arrays->args.inputs = (uint32_t)arrays->inputs;
  for (size_t i = 0; i < arrays->inputs; ++i) {
    arrays->args.in[i] = describe(&arrays->in[i], &buffer[i]);
  }
  arrays->args.out = describe(&arrays->out, &buffer[arrays->inputs]);
}

bool custom_arrays_read(const options_t *options, custom_arrays_t *arrays, base_error_t *error) {
  if (!read_inputs(&options->in, arrays, error) || !read_out(options, &arrays->out, error) ||
      !read_params(&options->param, &arrays->args, error) ||
      !read_expected(options, arrays, error)) {
    return false;
  }
  place(arrays);
  return true;
}

void custom_arrays_free(custom_arrays_t *arrays) {
  for (size_t i = 0; i < CUSTOM_INPUTS_MAX; ++i) {
    npy_free(&arrays->in[i]);
  }
  npy_free(&arrays->out);
  npy_free(&arrays->want);
}

// --- what was expected ------------------------------------------------------------------------

static double difference(float a, float b) {
  if (isnan(a) || isnan(b)) {
    return isnan(a) && isnan(b) ? 0 : INFINITY;
  }
  return a == b ? 0 : fabs((double)a - (double)b);
}

custom_difference_t custom_compare(const npy_array_t *out, const npy_array_t *want,
                                   double tolerance) {
  custom_difference_t result = {0};
  const size_t bytes = npy_element_bytes(out->type);
  const size_t count = npy_count(out);
  for (size_t i = 0; i < count; ++i) {
    bool off = memcmp((const char *)out->data + i * bytes, (const char *)want->data + i * bytes,
                      bytes) != 0;
    if (out->type == NPY_F4) {
      const double by = difference(((const float *)out->data)[i], ((const float *)want->data)[i]);
      result.largest = by > result.largest ? by : result.largest;
      off = by > tolerance;
    }
    if (off && result.count++ == 0) {
      result.first = i;
    }
  }
  return result;
}

const char *custom_element_text(const npy_array_t *array, size_t index,
                                char text[CUSTOM_ELEMENT_BYTES]) {
  uint32_t bits = 0;
  const size_t bytes = npy_element_bytes(array->type);
  memcpy(&bits, (const char *)array->data + index * bytes, bytes);
  if (array->type == NPY_F4) {
    snprintf(text, CUSTOM_ELEMENT_BYTES, "%.9g", (double)num_f32_from_bits(bits));
  } else {
    snprintf(text, CUSTOM_ELEMENT_BYTES, "%lld",
             array->type == NPY_I4 ? (long long)(int32_t)bits : (long long)bits);
  }
  return text;
}
