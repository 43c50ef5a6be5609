// SPDX-License-Identifier: Apache-2.0
#include "kernel/ascend/ascend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "hal/command.h"

// --- which kernel ---------------------------------------------------------------------------------

static bool choose(const ascend_request_t *request, const ascend_kernel_t *kernels, size_t count, ascend_run_t *run,
                   base_error_t *error) {
  char list[512] = "";
  for (size_t i = 0; i < count; ++i) {
    const size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", i == 0 ? "" : ", ", kernels[i].name);
    if (request->entry == NULL ? count == 1 : strcmp(kernels[i].name, request->entry) == 0) {
      run->entry = kernels[i];
      run->args.entry = kernels[i].entry;
      return true;
    }
  }
  return request->entry == NULL
             ? base_fail(error, "--entry: %s has several kernels, name one of %s", request->source, list)
             : base_fail(error, "--entry: %s has no kernel %s; there are %s", request->source, request->entry, list);
}

static bool choose_entry(const ascend_request_t *request, ascend_run_t *run, base_error_t *error) {
  ascend_kernel_t *kernels = NULL;
  size_t count = 0;
  if (!ascend_read_kernels(request->file, &kernels, &count, error)) {
    return false;
  }
  const bool good = choose(request, kernels, count, run, error);
  free(kernels);
  return good;
}

// --- in global memory -----------------------------------------------------------------------------

static bool is_array(const ascend_argument_t *argument) {
  return argument->param->kind == ASCEND_POINTER && argument->role != ASCEND_NULL;
}

static void name_elements(soc_buffer_t *buffer, const ascend_argument_t *argument) {
  const npy_array_t *array = &argument->array;
  buffer->type = argument->type;
  buffer->dims = array->dims <= SOC_MAX_DIMS ? (unsigned)array->dims : 0;
  for (unsigned i = 0; i < buffer->dims; ++i) {
    buffer->shape[i] = array->shape[i];
  }
}

// Memory of the layer, by which the cores of an AI core pass products on; scalar cores read the messages.
static void add_own(ascend_run_t *run) {
  const size_t cores = run->machine.soc.config.soc.ai_cores;
  if (run->entry.cores != ASCEND_VECTOR_CORE) {
    run->buffer[run->buffers++] = (soc_buffer_t){.name = "messages", .bytes = cores * ASCEND_MESSAGE, .numbers = true};
    run->buffer[run->buffers++] = (soc_buffer_t){.name = "tiles", .bytes = cores * ASCEND_TILE};
  }
}

// What a kernel only reads, its scalar cores may read through pointers, too.
static void place(ascend_run_t *run) {
  for (size_t i = 0; i < run->arguments; ++i) {
    const ascend_argument_t *argument = &run->argument[i];
    if (is_array(argument)) {
      const bool input = argument->role == ASCEND_IN || argument->role == ASCEND_TILING;
      run->placed[run->buffers] = argument;
      soc_buffer_t *buffer = &run->buffer[run->buffers++];
      *buffer = (soc_buffer_t){.name = argument->param->name,
                               .bytes = argument->bytes,
                               .init = argument->role == ASCEND_OUT ? NULL : argument->array.data,
                               .result = ascend_is_result(argument) ? argument->array.data : NULL,
                               .gaps = argument->role == ASCEND_INOUT,
                               .read_only = input,
                               .numbers = input};
      name_elements(buffer, argument);
    }
  }
  add_own(run);
  soc_place(run->buffer, run->buffers);
  if (run->entry.cores != ASCEND_VECTOR_CORE) {
    run->args.messages = run->buffer[run->buffers - 2].address;
    run->args.tiles = run->buffer[run->buffers - 1].address;
  }
  size_t placed = 0;
  for (size_t i = 0; i < run->arguments; ++i) {
    if (is_array(&run->argument[i])) {
      run->args.slot[run->argument[i].slot] = run->buffer[placed++].address;
    }
  }
}

// Results are written over what was read, which --vary and blame begin with again.
static bool keep_inputs(ascend_run_t *run, base_error_t *error) {
  for (size_t i = 0; i < run->buffers; ++i) {
    soc_buffer_t *buffer = &run->buffer[i];
    if (buffer->result != NULL && buffer->init != NULL) {
      run->before[i] = malloc(buffer->bytes);
      if (run->before[i] == NULL) {
        return base_fail(error, "%s: out of memory", buffer->name);
      }
      buffer->init = memcpy(run->before[i], buffer->init, buffer->bytes);
    }
  }
  return true;
}

// --- the run --------------------------------------------------------------------------------------

bool ascend_prepare(const ascend_request_t *request, ascend_run_t *run, base_error_t *error) {
  *run = (ascend_run_t){.kernel = {.ops = &ascend_ops, .machine = &run->machine},
                        .machine = request->machine,
                        .source = request->source,
                        .earlier = request->earlier,
                        .tolerance = request->tolerance,
                        .vary = request->vary,
                        .allow_overflow = request->allow_overflow};
  const config_t *config = &run->machine.soc.config;
  if (!kernel_machine_firmware(&run->machine, request->file, error) ||
      !kernel_machine_ready(&run->machine, "ascend", error) || !choose_entry(request, run, error) ||
      !ascend_read_arguments(request, run, error)) {
    return false;
  }
  run->machine.soc.scalar_pipe = true;
  run->machine.soc.list_races = request->check_sync;
  run->machine.soc.race_check = run->machine.soc.race_check && (request->check_sync || request->vary == 0);
  if (run->entry.cores == ASCEND_PAIR_CORE) {
    run->machine.soc.config.soc.vector_cores = 1;
  }
  const size_t each = run->entry.cores != ASCEND_VECTOR_CORE ? 1 : config->soc.vector_cores;
  run->args.blocks = request->blocks != 0 ? request->blocks : (uint32_t)(config->soc.ai_cores * each);
  place(run);
  return true;
}

static void take_from_earlier(const ascend_run_t *run) {
  for (size_t i = 0; i < run->arguments; ++i) {
    const npy_array_t *array = &run->argument[i].array;
    if (run->argument[i].from != NULL) {
      memcpy(array->data, run->argument[i].from->array.data, npy_count(array) * npy_element_bytes(array->type));
    }
  }
}

// A run that goes on after races may be stopped all the same.
static void tell_races(const soc_result_t *soc, base_error_t *error) {
  if (soc->race_count > 0) {
    const base_error_t reason = *error;
    base_fail(error, "%s (races before that: %zu; the first, in %s, of %s and %s, needs %s)", reason.text,
              soc->race_count, soc->races[0].space, soc->races[0].first, soc->races[0].then, soc->races[0].needed);
  }
}

static base_exit_t simulate(kernel_run_t *kernel, base_error_t *error) {
  ascend_run_t *run = (ascend_run_t *)kernel;
  take_from_earlier(run);
  if (!keep_inputs(run, error)) {
    return BASE_BAD_INPUT;
  }
  const soc_status_t status =
      soc_run(&run->machine.soc, run->buffer, run->buffers, &run->args, sizeof run->args, &run->kernel.result.soc);
  const base_exit_t code = kernel_result_take(&run->kernel.result, &run->machine, status, 0, error);
  if (code != BASE_OK) {
    tell_races(&run->kernel.result.soc, error);
  }
  return code != BASE_OK || run->vary == 0 || ascend_vary(run, error) ? code : BASE_BAD_INPUT;
}

static uint64_t flops(const kernel_run_t *kernel) {
  (void)kernel;
  return 0;  // nobody knows
}

static void release(kernel_run_t *kernel) {
  ascend_run_t *run = (ascend_run_t *)kernel;
  for (size_t i = 0; i < ASCEND_PARAMS; ++i) {
    npy_free(&run->argument[i].array);
    npy_free(&run->argument[i].want);
    free(run->before[i]);
  }
}

// --- what was expected ----------------------------------------------------------------------------

static bool is_float(const ascend_argument_t *argument) {
  return argument->type == TYPE_F32 || argument->type == TYPE_F16 || argument->type == TYPE_BF16;
}

static double difference(double a, double b) {
  if (isnan(a) || isnan(b)) {
    return isnan(a) && isnan(b) ? 0 : INFINITY;
  }
  return a == b ? 0 : fabs(a - b);
}

static bool is_off(ascend_argument_t *argument, size_t i, double tolerance) {
  const size_t bytes = npy_element_bytes(argument->array.type);
  if (!is_float(argument)) {
    return memcmp((const char *)argument->array.data + i * bytes, (const char *)argument->want.data + i * bytes,
                  bytes) != 0;
  }
  const double by =
      difference(ascend_number(argument, &argument->array, i), ascend_number(argument, &argument->want, i));
  argument->largest = by > argument->largest ? by : argument->largest;
  return by > tolerance;
}

static void compare(ascend_argument_t *argument, double tolerance) {
  for (size_t i = 0; i < npy_count(&argument->array); ++i) {
    if (is_off(argument, i, tolerance) && argument->off++ == 0) {
      argument->first = i;
    }
  }
}

// Memory is all ones where nobody has written: --no-init-check decides about that.
static bool never_written(const ascend_argument_t *argument, size_t i) {
  static const uint8_t ones[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
  const size_t bytes = npy_element_bytes(argument->array.type);
  return memcmp((const char *)argument->array.data + i * bytes, ones, bytes) == 0;
}

static void look_for_lost(ascend_argument_t *argument) {
  for (size_t i = 0; is_float(argument) && i < npy_count(&argument->array); ++i) {
    if (!isfinite(ascend_number(argument, &argument->array, i)) && !never_written(argument, i) &&
        argument->lost++ == 0) {
      argument->lost_at = i;
    }
  }
}

static bool judge(kernel_run_t *kernel, base_error_t *error) {
  ascend_run_t *run = (ascend_run_t *)kernel;
  (void)error;
  for (size_t i = 0; i < run->arguments; ++i) {
    ascend_argument_t *argument = &run->argument[i];
    if (argument->want.data != NULL) {
      compare(argument, run->tolerance);
    } else if (argument->role == ASCEND_OUT) {
      look_for_lost(argument);
    }
  }
  return true;
}

// The first result that is off; else the first of which something is expected.
static const ascend_argument_t *expected_of(const ascend_run_t *run) {
  const ascend_argument_t *found = NULL;
  for (size_t i = 0; i < run->arguments; ++i) {
    const ascend_argument_t *argument = &run->argument[i];
    if (argument->want.data != NULL && (found == NULL || (found->off == 0 && argument->off > 0))) {
      found = argument;
    }
  }
  return found;
}

static bool expected(kernel_run_t *kernel, bool golden, kernel_expected_t *what, base_error_t *error) {
  const ascend_run_t *run = (const ascend_run_t *)kernel;
  const ascend_argument_t *argument = expected_of(run);
  (void)golden;
  if (argument == NULL) {
    return false;
  }
  const size_t count = npy_count(&argument->array);
  *what = (kernel_expected_t){.array = argument->param->name,
                              .by = "--expect",
                              .count = count,
                              .absolute = run->tolerance,
                              .want = malloc(count * sizeof *what->want)};
  for (size_t i = 0; what->want != NULL && i < count; ++i) {
    what->want[i] = ascend_number(argument, &argument->want, i);
  }
  return what->want != NULL || base_fail(error, "expected result: out of memory");
}

static base_exit_t off_verdict(const ascend_argument_t *argument, base_error_t *error) {
  char index[NPY_SHAPE_BYTES];
  base_fail(error, "out of tolerance: %zu of %zu elements of %s, first %s, which is %.9g; expected %.9g", argument->off,
            npy_count(&argument->array), argument->param->name,
            npy_index_text(&argument->array, argument->first, index),
            ascend_number(argument, &argument->array, argument->first),
            ascend_number(argument, &argument->want, argument->first));
  return BASE_OUT_OF_TOLERANCE;
}

static base_exit_t lost_verdict(const ascend_argument_t *argument, base_error_t *error) {
  char index[NPY_SHAPE_BYTES];
  base_fail(error, "%zu of %zu elements of %s are not finite, first %s, which is %g (--allow-overflow)", argument->lost,
            npy_count(&argument->array), argument->param->name,
            npy_index_text(&argument->array, argument->lost_at, index),
            ascend_number(argument, &argument->array, argument->lost_at));
  return BASE_OUT_OF_TOLERANCE;
}

static base_exit_t vary_verdict(const ascend_run_t *run, base_error_t *error) {
  base_fail(error, "on %zu of %zu machines the kernel leaves other bits, or is stopped (--vary)", run->differing,
            run->variants);
  return BASE_OUT_OF_TOLERANCE;
}

static base_exit_t verdict(const kernel_run_t *kernel, base_error_t *error) {
  const ascend_run_t *run = (const ascend_run_t *)kernel;
  const size_t races = run->kernel.result.soc.race_count;
  if (races > 0) {
    base_fail(error, "%zu race%s (--check sync)", races, races == 1 ? "" : "s");
    return BASE_STOPPED;
  }
  if (run->differing > 0) {
    return vary_verdict(run, error);
  }
  for (size_t i = 0; i < run->arguments; ++i) {
    const ascend_argument_t *argument = &run->argument[i];
    if (argument->off > 0) {
      return off_verdict(argument, error);
    }
    if (argument->lost > 0 && !run->allow_overflow) {
      return lost_verdict(argument, error);
    }
  }
  return BASE_OK;
}

const kernel_ops_t ascend_ops = {.run_bytes = sizeof(ascend_run_t),
                                 .on_soc = true,
                                 .simulate = simulate,
                                 .flops = flops,
                                 .judge = judge,
                                 .verdict = verdict,
                                 .expected = expected,
                                 .json = ascend_json,
                                 .release = release};
