// Arguments of the command line, by the names of the kernel's parameters.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "array/array.h"
#include "base/parse.h"
#include "base/suggest.h"
#include "hal/command.h"
#include "kernel/ascend/ascend.h"
#include "num/num_format.h"

enum { TEXT_BYTES = 64, ALIGNMENT = 32 };

static const uint64_t most_bytes = 1ull << 32;

// TYPE of --out; those whose bits NumPy has no type for are its words.
static const struct {
  const char *name;
  npy_type_t npy;
  unsigned type;
} types[] = {{"f32", NPY_F4, TYPE_F32}, {"f16", NPY_F2, TYPE_F16}, {"bf16", NPY_U2, TYPE_BF16},
             {"i32", NPY_I4, TYPE_S32}, {"i16", NPY_U2, TYPE_S16}, {"i8", NPY_I1, TYPE_S8},
             {"u8", NPY_U1, TYPE_U8},   {"i64", NPY_I8, TYPE_S64}};
enum { TYPES = sizeof types / sizeof *types };

#define ANY_TYPE \
  (NPY_BIT(F4) | NPY_BIT(U2) | NPY_BIT(F2) | NPY_BIT(I4) | NPY_BIT(U1) | NPY_BIT(I1) | NPY_BIT(B1) | NPY_BIT(I8))

const char *ascend_type_name(const ascend_argument_t *argument) {
  for (size_t i = 0; i < TYPES; ++i) {
    if (types[i].type == argument->type && types[i].npy == argument->array.type) {
      return types[i].name;
    }
  }
  return "?";
}

const char *ascend_role_name(ascend_role_t role) {
  static const char *const names[] = {"missing", "number", "null", "in", "out", "inout", "workspace", "tiling"};
  return names[role];
}

double ascend_number(const ascend_argument_t *argument, const npy_array_t *array, size_t index) {
  const void *data = array->data;
  switch (array->type) {
    case NPY_F4:
      return (double)((const float *)data)[index];
    case NPY_F2:
      return (double)num_fp16_to_f32(((const uint16_t *)data)[index]);
    case NPY_U2:
      return argument->type == TYPE_BF16 ? (double)num_bf16_to_f32(((const uint16_t *)data)[index])
                                         : (double)((const int16_t *)data)[index];
    case NPY_I4:
      return (double)((const int32_t *)data)[index];
    case NPY_I8:
      return (double)((const int64_t *)data)[index];
    case NPY_I1:
      return (double)((const int8_t *)data)[index];
    default:
      return (double)((const uint8_t *)data)[index];
  }
}

// --- which parameter ------------------------------------------------------------------------------

static bool no_such_name(const ascend_run_t *run, const char *option, const char *name, base_error_t *error) {
  const char *names[ASCEND_PARAMS];
  char hint[96];
  for (size_t i = 0; i < run->arguments; ++i) {
    names[i] = run->argument[i].param->name;
  }
  return base_fail(error, "--%s: kernel %s has no parameter %s%s", option, run->entry.name, name,
                   suggest_text(name, names, run->arguments, "", hint, sizeof hint));
}

static bool find_argument(ascend_run_t *run, const char *option, const char *text, size_t length,
                          ascend_argument_t **argument, base_error_t *error) {
  char name[ASCEND_NAME];
  snprintf(name, sizeof name, "%.*s", (int)length, text);
  for (size_t i = 0; i < run->arguments; ++i) {
    *argument = &run->argument[i];
    if (strcmp((*argument)->param->name, name) == 0) {
      return true;
    }
  }
  return no_such_name(run, option, name, error);
}

// A parameter that nobody has spoken of yet, an array if pointer, and what stands behind the separator.
static bool take_argument(ascend_run_t *run, const char *option, const char *text, char separator, bool pointer,
                          ascend_argument_t **argument, const char **value, base_error_t *error) {
  const char *at = strchr(text, separator);
  if (at == NULL || at == text || at[1] == '\0') {
    return base_fail(error, "--%s: expected NAME%c..., got '%s'", option, separator, text);
  }
  *value = at + 1;
  if (!find_argument(run, option, text, (size_t)(at - text), argument, error)) {
    return false;
  }
  const char *name = (*argument)->param->name;
  return ((*argument)->role == ASCEND_MISSING || base_fail(error, "--%s: %s is given twice", option, name)) &&
         (!pointer || (*argument)->param->kind == ASCEND_POINTER ||
          base_fail(error, "--%s: %s is a number, and no array; --arg gives it a value", option, name));
}

// --- arrays ---------------------------------------------------------------------------------------

static bool make_array(ascend_argument_t *argument, const char *what, base_error_t *error) {
  argument->bytes = npy_count(&argument->array) * npy_element_bytes(argument->array.type);
  argument->array.data = calloc(1, argument->bytes);
  return argument->array.data != NULL || base_fail(error, "--%s: out of memory", what);
}

// A kernel reads whole blocks of 32 bytes: beyond the end there are zeros.
static bool read_array(ascend_argument_t *argument, const char *path, base_error_t *error) {
  static const unsigned type_of[] = {
      [NPY_U2] = TYPE_BF16, [NPY_F2] = TYPE_F16, [NPY_F4] = TYPE_F32, [NPY_U1] = TYPE_U8,
      [NPY_I1] = TYPE_S8,   [NPY_B1] = TYPE_U8,  [NPY_I4] = TYPE_S32, [NPY_I8] = TYPE_S64};
  npy_array_t *array = &argument->array;
  if (!array_read(path, ANY_TYPE, array, error)) {
    return false;
  }
  const size_t bytes = npy_count(array) * npy_element_bytes(array->type);
  argument->path = path;
  argument->type = type_of[array->type];
  argument->bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  char *data = bytes == 0 ? NULL : calloc(1, argument->bytes);
  if (data == NULL) {
    return base_fail(error, "%s: no elements", path);
  }
  memcpy(data, array->data, bytes);
  free(array->data);
  array->data = data;
  return true;
}

// A result of the launches before, the latest of that name; NULL: there is none.
static const ascend_argument_t *result_of(const ascend_run_t *run, const char *name, size_t length) {
  for (const ascend_run_t *earlier = run->earlier; earlier != NULL; earlier = earlier->earlier) {
    for (size_t i = 0; i < earlier->arguments; ++i) {
      const ascend_argument_t *argument = &earlier->argument[i];
      const char *other = argument->param->name;
      if (ascend_is_result(argument) && strlen(other) == length && strncmp(other, name, length) == 0) {
        return argument;
      }
    }
  }
  return NULL;
}

// An array that is such a result when the launch begins.
static bool take_result(ascend_argument_t *argument, const ascend_argument_t *from, base_error_t *error) {
  const size_t bytes = npy_count(&from->array) * npy_element_bytes(from->array.type);
  argument->from = from;
  argument->type = from->type;
  argument->bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  argument->array = from->array;
  argument->array.data = calloc(1, argument->bytes);
  return argument->array.data != NULL || base_fail(error, "%s: out of memory", argument->param->name);
}

static bool read_shape(const char *text, npy_array_t *array) {
  uint64_t bytes = npy_element_bytes(array->type);
  for (const char *at = text; *at != ']'; at += strcspn(at, ",]"), at += *at == ',') {
    char number[TEXT_BYTES];
    uint64_t value;
    const size_t length = strcspn(at, ",]");
    snprintf(number, sizeof number, "%.*s", (int)(length < TEXT_BYTES ? length : 0), at);
    if (!parse_count(number, &value) || value < 1 || value > most_bytes / bytes || array->dims == NPY_MAX_DIMS) {
      return false;
    }
    bytes *= value;
    array->shape[array->dims++] = (size_t)value;
  }
  return array->dims > 0;
}

// TYPE[SHAPE], and =FILE, which the command line has taken.
static bool read_out(ascend_argument_t *argument, const char *text, const char *whole, base_error_t *error) {
  const size_t length = strcspn(text, "[");
  const char *end = strchr(text, ']');
  for (size_t i = 0; i < TYPES; ++i) {
    if (strlen(types[i].name) == length && strncmp(types[i].name, text, length) == 0) {
      argument->role = ASCEND_OUT;
      argument->type = types[i].type;
      argument->array.type = types[i].npy;
    }
  }
  return (argument->role == ASCEND_OUT && end != NULL && (end[1] == '\0' || end[1] == '=') &&
          read_shape(text + length + 1, &argument->array)) ||
         base_fail(error,
                   "--out: expected NAME:TYPE[SHAPE] or NAME:TYPE[SHAPE]=FILE.npy with one of f32, f16, bf16, i32, "
                   "i16, i8, u8 and i64, such as y:f16[64,128], got '%s'",
                   whole);
}

// --- numbers --------------------------------------------------------------------------------------

static bool store_float(const ascend_param_t *param, double value, uint64_t *slot) {
  const float single = (float)value;
  const uint32_t bits = num_f32_bits(single);
  switch (param->bytes) {
    case 8:
      memcpy(slot, &value, sizeof value);
      return true;
    case 4:
      *slot = bits;
      return true;
    default:
      *slot = num_fp16_from_f32(single);
      return true;
  }
}

static bool store_number(const ascend_param_t *param, const char *text, uint64_t *slot) {
  const char *digits = text[0] == '-' ? text + 1 : text;
  uint64_t whole;
  double value;
  if (param->kind == ASCEND_FLOAT) {
    return parse_real(text, &value) && store_float(param, value, slot);
  }
  const uint64_t most = param->bytes >= 8 ? UINT64_MAX : (1ull << 8 * param->bytes) - 1;
  if (!parse_count(digits, &whole) || whole > (param->kind == ASCEND_SIGNED ? most / 2 + (text[0] == '-') : most) ||
      (text[0] == '-' && param->kind != ASCEND_SIGNED)) {
    return false;
  }
  *slot = text[0] == '-' ? 0 - whole : whole;
  return true;
}

static bool take_number(ascend_run_t *run, ascend_argument_t *argument, const char *text, base_error_t *error) {
  const ascend_param_t *param = argument->param;
  argument->role = ASCEND_NUMBER;
  if (param->kind == ASCEND_STRUCT) {
    return base_fail(error, "--arg: %s is a structure of %u bytes; --tiling %s=FILE gives its bytes", param->name,
                     param->bytes, param->name);
  }
  return store_number(param, text, &run->args.slot[argument->slot]) ||
         base_fail(error, "--arg: %s: expected a %s of %u bits, got '%s'%s", param->name,
                   param->kind == ASCEND_FLOAT    ? "floating-point number"
                   : param->kind == ASCEND_SIGNED ? "whole number"
                                                  : "whole number from 0",
                   8 * param->bytes, text, parse_hint(text));
}

static bool take_arg(ascend_run_t *run, const char *text, base_error_t *error) {
  ascend_argument_t *argument;
  const char *value;
  if (!take_argument(run, "arg", text, '=', false, &argument, &value, error)) {
    return false;
  }
  if (argument->param->kind != ASCEND_POINTER) {
    return take_number(run, argument, value, error);
  }
  if (strcmp(value, "null") == 0) {
    argument->role = ASCEND_NULL;
    return true;
  }
  const ascend_argument_t *from = result_of(run, value, strlen(value));
  argument->role = ASCEND_IN;
  return from != NULL ? take_result(argument, from, error) : read_array(argument, value, error);
}

// --- the others -----------------------------------------------------------------------------------

static bool take_out(ascend_run_t *run, const char *text, base_error_t *error) {
  ascend_argument_t *argument;
  const char *value;
  return take_argument(run, "out", text, ':', true, &argument, &value, error) &&
         read_out(argument, value, text, error) && make_array(argument, "out", error);
}

static bool take_inout(ascend_run_t *run, const char *text, base_error_t *error) {
  ascend_argument_t *argument;
  const char *value;
  if (!take_argument(run, "inout", text, '=', true, &argument, &value, error)) {
    return false;
  }
  argument->role = ASCEND_INOUT;
  const size_t length = strcspn(value, ",");
  const ascend_argument_t *from = result_of(run, value, length);
  if (from != NULL) {
    return take_result(argument, from, error);
  }
  char path[4096];
  snprintf(path, sizeof path, "%.*s", (int)length, value);
  const bool good = read_array(argument, path, error);
  argument->path = value;
  return good;
}

static bool take_workspace(ascend_run_t *run, const char *text, base_error_t *error) {
  ascend_argument_t *argument;
  const char *value;
  uint64_t bytes;
  if (!take_argument(run, "workspace", text, '=', true, &argument, &value, error)) {
    return false;
  }
  argument->role = ASCEND_WORKSPACE;
  argument->type = TYPE_U8;
  argument->array = (npy_array_t){.type = NPY_U1, .dims = 1};
  if (!parse_count(value, &bytes) || bytes < 1 || bytes > most_bytes) {
    return base_fail(error, "--workspace: expected NAME=BYTES with 1 byte to 4 GiB, got '%s'", text);
  }
  argument->array.shape[0] = argument->bytes = (size_t)bytes;
  return true;
}

// FILE alone is for the parameter that is called so.
static bool take_unnamed_tiling(ascend_run_t *run, const char *text, ascend_argument_t **argument, const char **path,
                                base_error_t *error) {
  *path = text;
  for (size_t i = 0; i < run->arguments; ++i) {
    *argument = &run->argument[i];
    if (strncmp((*argument)->param->name, "tiling", strlen("tiling")) == 0 && (*argument)->role == ASCEND_MISSING) {
      return true;
    }
  }
  return base_fail(error, "--tiling: kernel %s has no parameter whose name begins with tiling; expected NAME=FILE",
                   run->entry.name);
}

static bool read_bytes(const char *path, ascend_argument_t *argument, base_error_t *error) {
  FILE *file = fopen(path, "rb");
  const size_t most = 1 << 20;
  argument->array = (npy_array_t){.type = NPY_U1, .dims = 1, .data = calloc(1, most)};
  argument->path = path;
  if (file == NULL || argument->array.data == NULL) {
    return base_fail(error, "%s: cannot read", path);
  }
  const size_t bytes = fread(argument->array.data, 1, most, file);
  fclose(file);
  argument->type = TYPE_U8;
  argument->array.shape[0] = bytes;
  argument->bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  return (bytes > 0 && bytes < most) || base_fail(error, "%s: expected 1 byte to 1 MiB of tiling data", path);
}

static bool take_tiling(ascend_run_t *run, const char *text, base_error_t *error) {
  ascend_argument_t *argument;
  const char *path;
  const bool named = strchr(text, '=') != NULL;
  if (!(named ? take_argument(run, "tiling", text, '=', false, &argument, &path, error)
              : take_unnamed_tiling(run, text, &argument, &path, error))) {
    return false;
  }
  const ascend_param_t *param = argument->param;
  argument->role = ASCEND_TILING;
  if (!read_bytes(path, argument, error)) {
    return false;
  }
  if (param->kind == ASCEND_POINTER) {
    return true;
  }
  memcpy(&run->args.slot[argument->slot], argument->array.data, param->bytes);
  return argument->array.shape[0] == param->bytes ||
         base_fail(error, "%s: has %zu bytes; %s needs %u", path, argument->array.shape[0], param->name, param->bytes);
}

static bool take_expect(ascend_run_t *run, const char *text, base_error_t *error) {
  const char *at = strchr(text, '=');
  ascend_argument_t *argument;
  char have[NPY_SHAPE_BYTES];
  char need[NPY_SHAPE_BYTES];
  if (at == NULL) {
    return base_fail(error, "--expect: expected NAME=FILE.npy, got '%s'", text);
  }
  if (!find_argument(run, "expect", text, (size_t)(at - text), &argument, error)) {
    return false;
  }
  if (!ascend_is_result(argument)) {
    return base_fail(error, "--expect: %s is no result; expected one of --out and --inout", argument->param->name);
  }
  const npy_array_t *array = &argument->array;
  npy_array_t *want = &argument->want;
  return array_read(at + 1, ANY_TYPE, want, error) &&
         (((npy_element_bytes(want->type) == npy_element_bytes(array->type) || want->type == NPY_F4) &&
           npy_count(want) == npy_count(array)) ||
          base_fail(error, "%s: has %zu-byte elements of shape %s; expected %s of shape %s", at + 1,
                    npy_element_bytes(want->type), npy_shape_text(want->shape, want->dims, have),
                    ascend_type_name(argument), npy_shape_text(array->shape, array->dims, need)));
}

// --- types ----------------------------------------------------------------------------------------

// Words of 16 bits may be anything that has so many; signs are in the eye of who reads.
static bool fits(unsigned type, const npy_array_t *array) {
  switch (array->type) {
    case NPY_F4:
      return type == TYPE_F32;
    case NPY_F2:
      return type == TYPE_F16;
    case NPY_U2:
      return type == TYPE_BF16 || type == TYPE_S16 || type == TYPE_U16;
    case NPY_I4:
      return type == TYPE_S32 || type == TYPE_U32;
    case NPY_I8:
      return type == TYPE_S64;
    default:
      return type == TYPE_S8 || type == TYPE_U8;
  }
}

static const char *name_of(unsigned type) {
  for (size_t i = 0; i < TYPES; ++i) {
    if (types[i].type == type) {
      return types[i].name;
    }
  }
  return type == TYPE_U16 ? "u16" : "u32";
}

// A pointer to a type takes arrays of it.
static bool check_types(const ascend_run_t *run, base_error_t *error) {
  for (size_t i = 0; i < run->arguments; ++i) {
    const ascend_argument_t *argument = &run->argument[i];
    const bool array = argument->role == ASCEND_IN || argument->role == ASCEND_OUT || argument->role == ASCEND_INOUT;
    if (array && argument->param->type != 0 && !fits(argument->param->type - 1, &argument->array)) {
      return base_fail(error, "%s: the array is %s; kernel %s has a pointer to %s", argument->param->name,
                       ascend_type_name(argument), run->entry.name, name_of(argument->param->type - 1));
    }
  }
  return true;
}

// --- all of them ----------------------------------------------------------------------------------

static bool take_all(ascend_run_t *run, const ascend_texts_t *texts,
                     bool (*take)(ascend_run_t *run, const char *text, base_error_t *error), base_error_t *error) {
  for (size_t i = 0; i < texts->count; ++i) {
    if (!take(run, texts->text[i], error)) {
      return false;
    }
  }
  return true;
}

static bool lay_out(ascend_run_t *run, base_error_t *error) {
  uint32_t slot = 0;
  run->arguments = run->entry.params;
  for (size_t i = 0; i < run->arguments; ++i) {
    run->argument[i].param = &run->entry.param[i];
    run->argument[i].slot = slot;
    slot += (run->entry.param[i].bytes + 7) / 8;
  }
  return slot <= ASCEND_SLOTS ||
         base_fail(error, "kernel %s: its arguments take more than %d bytes", run->entry.name, 8 * ASCEND_SLOTS);
}

// Parameters that nobody has spoken of, but whose names results before have.
static bool take_results(ascend_run_t *run, base_error_t *error) {
  for (size_t i = 0; i < run->arguments; ++i) {
    ascend_argument_t *argument = &run->argument[i];
    const char *name = argument->param->name;
    const bool open = argument->role == ASCEND_MISSING && argument->param->kind == ASCEND_POINTER;
    const ascend_argument_t *from = open ? result_of(run, name, strlen(name)) : NULL;
    if (from != NULL) {
      argument->role = ASCEND_INOUT;
      if (!take_result(argument, from, error)) {
        return false;
      }
    }
  }
  return true;
}

static bool check_all_given(const ascend_run_t *run, base_error_t *error) {
  for (size_t i = 0; i < run->arguments; ++i) {
    const ascend_param_t *param = run->argument[i].param;
    if (run->argument[i].role == ASCEND_MISSING) {
      return base_fail(error, "kernel %s: parameter %s is not given; expected %s", run->entry.name, param->name,
                       param->kind == ASCEND_POINTER
                           ? "--arg (an array, or null), --out, --inout, --workspace or --tiling"
                       : param->kind == ASCEND_STRUCT ? "--tiling"
                                                      : "--arg and a number");
    }
  }
  return true;
}

bool ascend_read_arguments(const ascend_request_t *request, ascend_run_t *run, base_error_t *error) {
  return lay_out(run, error) && take_all(run, &request->arg, take_arg, error) &&
         take_all(run, &request->out, take_out, error) && take_all(run, &request->inout, take_inout, error) &&
         take_all(run, &request->workspace, take_workspace, error) &&
         take_all(run, &request->tiling, take_tiling, error) && take_results(run, error) &&
         check_all_given(run, error) && check_types(run, error) && take_all(run, &request->expect, take_expect, error);
}
