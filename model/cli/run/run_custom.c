// SPDX-License-Identifier: Apache-2.0
#include "cli/run/run_custom.h"

#include <string.h>

#include "base/json.h"
#include "cli/run/machine.h"
#include "cli/run/text.h"
#include "kernel/custom/custom_arrays.h"

typedef struct custom_run {
  kernel_machine_t machine;
  custom_arrays_t arrays;
  kernel_result_t result;
  custom_difference_t difference;
} custom_run_t;

// --- before the run ---------------------------------------------------------------------------

static bool check_firmware(run_t *run) {
  const char *file = run->options.custom_firmware;
  if (file == NULL) {
    return base_fail(&run->error,
                     "--firmware: name a kernel's .elf or .so; `amalgam firmware "
                     "FILE.c` builds both");
  }
  return (strcmp(file, "riscv") != 0 && strcmp(file, "native") != 0) ||
         base_fail(&run->error, "--firmware: expected a file .elf or .so, got '%s'", file);
}

static bool read_machine(custom_run_t *own, run_t *run) {
  const config_t *config = &own->machine.soc.config;
  if (!check_firmware(run) ||
      !machine_read(run, run->options.config, run->options.custom_firmware, &own->machine,
                    &run->error)) {
    return false;
  }
  if (config->soc.engines > 0) {
    return base_fail(&run->error,
                     "--config %s: soc.engines is %u; run custom has cube and vector "
                     "cores only, so say --set soc.engines=0",
                     run->options.config, (unsigned)config->soc.engines);
  }
  return kernel_machine_ready(&own->machine, run->kernel->name, &run->error);
}

static bool prepare(run_t *run) {
  custom_run_t *own = run->own;
  return read_machine(own, run) && custom_arrays_read(&run->options, &own->arrays, &run->error);
}

// --- the run ----------------------------------------------------------------------------------

static base_exit_t compute(run_t *run) {
  custom_run_t *own = run->own;
  custom_arrays_t *arrays = &own->arrays;
  machine_begin(run, &own->machine, 0);
  const soc_status_t status = soc_run(&own->machine.soc, arrays->buffer, arrays->inputs + 1,
                                      &arrays->args, sizeof arrays->args, &own->result.soc);
  return kernel_result_take(&own->result, &own->machine, status, 0, &run->error);
}

static bool judge(run_t *run) {
  custom_run_t *own = run->own;
  if (own->arrays.want.data != NULL) {
    own->difference = custom_compare(&own->arrays.out, &own->arrays.want,
                                     run->options.custom_tolerance.value);
  }
  return true;
}

// --- what came of it --------------------------------------------------------------------------

static bool write_out(const run_t *run, FILE *file, base_error_t *error) {
  const custom_run_t *own = run->own;
  (void)error;
  npy_write(file, &own->arrays.out);
  return true;
}

static void add_shape(cJSON *object, const npy_array_t *array) {
  cJSON *shape = cJSON_AddArrayToObject(object, "shape");
  for (size_t i = 0; i < array->dims; ++i) {
    cJSON_AddItemToArray(shape, cJSON_CreateNumber((double)array->shape[i]));
  }
}

static void add_expected(cJSON *root, const run_t *run) {
  const custom_run_t *own = run->own;
  if (own->arrays.want.data == NULL) {
    cJSON_AddNullToObject(root, "expected");
    return;
  }
  cJSON *expected = cJSON_AddObjectToObject(root, "expected");
  json_add_count(expected, "off", own->difference.count);
  if (own->arrays.out.type == NPY_F4) {
    cJSON_AddNumberToObject(expected, "largest", own->difference.largest);
    cJSON_AddNumberToObject(expected, "tolerance", run->options.custom_tolerance.value);
  }
}

static void fill_json(const run_t *run, cJSON *root) {
  const custom_run_t *own = run->own;
  cJSON_AddStringToObject(root, "kernel", "custom");
  cJSON_AddStringToObject(root, "firmware", run->options.custom_firmware);
  kernel_json_config(root, &own->machine);
  json_add_count(root, "cores", own->machine.soc.config.soc.ai_cores);
  cJSON *inputs = cJSON_AddArrayToObject(root, "inputs");
  for (size_t i = 0; i < own->arrays.inputs; ++i) {
    cJSON *input = json_add_row(inputs);
    cJSON_AddStringToObject(input, "file", own->arrays.in_path[i]);
    add_shape(input, &own->arrays.in[i]);
  }
  add_shape(cJSON_AddObjectToObject(root, "out"), &own->arrays.out);
  add_expected(root, run);
  json_add_count(root, "cycles", own->result.soc.cycles);
  cJSON_AddNumberToObject(root, "time_us", own->result.time_us);
  kernel_json_traffic(root, &own->result.soc);
  kernel_json_pipes(root, &own->result.soc);
  kernel_json_host(root, &own->result.soc);
}

static void print_expected(const run_t *run) {
  const custom_run_t *own = run->own;
  if (own->arrays.want.data == NULL) {
    return;
  }
  printf("expected %zu of %zu elements are off", own->difference.count,
         npy_count(&own->arrays.out));
  if (own->arrays.out.type == NPY_F4) {
    printf(" by more than %g; the largest difference is %.3g", run->options.custom_tolerance.value,
           own->difference.largest);
  }
  putchar('\n');
}

static void print(const run_t *run) {
  const custom_run_t *own = run->own;
  const custom_arrays_t *arrays = &own->arrays;
  char shape[NPY_SHAPE_BYTES];
  printf("kernel   %s on %s\n", run->options.custom_firmware, run->options.config);
  for (size_t i = 0; i < arrays->inputs; ++i) {
    printf("%s %s %s\n", i == 0 ? "in      " : "        ", arrays->in_path[i],
           npy_shape_text(arrays->in[i].shape, arrays->in[i].dims, shape));
  }
  printf("out      %s\n", npy_shape_text(arrays->out.shape, arrays->out.dims, shape));
  print_expected(run);
  printf("time     %llu cycles = %.1f us at %g MHz\n", (unsigned long long)own->result.soc.cycles,
         own->result.time_us, own->machine.soc.config.soc.clock_mhz);
  text_traffic(stdout, &own->result.soc);
  text_pipes(stdout, &own->result.soc, own->machine.soc.config.soc.ai_cores > 1);
}

static base_exit_t verdict(run_t *run) {
  const custom_run_t *own = run->own;
  const npy_array_t *out = &own->arrays.out;
  const size_t first = own->difference.first;
  char index[NPY_SHAPE_BYTES];
  char have[CUSTOM_ELEMENT_BYTES];
  char want[CUSTOM_ELEMENT_BYTES];
  if (own->difference.count == 0) {
    return BASE_OK;
  }
  base_fail(
      &run->error, "out of tolerance: %zu of %zu elements, first %s, which is %s; expected %s",
      own->difference.count, npy_count(out), npy_index_text(out, first, index),
      custom_element_text(out, first, have), custom_element_text(&own->arrays.want, first, want));
  return BASE_OUT_OF_TOLERANCE;
}

static void release(run_t *run) {
  custom_run_t *own = run->own;
  custom_arrays_free(&own->arrays);
  kernel_result_free(&own->result);
}

static const manual_row_t files[] = {
    {"sw/README.md", "write your own kernel, step by step"},
    {"sw/kernels/custom/custom_args.h", "where a kernel finds its arrays and parameters"},
    {"sw/hal/REFERENCE.md", "the commands it may push"},
    {NULL, NULL}};

static const manual_row_t examples[] = {
    {"run custom --firmware k.elf --in a.npy --in b.npy --out-shape 64,256 --out c.npy",
     "two inputs"},
    {"run custom --firmware k.so --in a.npy --out-shape 64 --expect want.npy --tolerance 1e-6",
     "a test: exit code 1 if the result is another"},
    {"run custom --firmware k.elf --in a.npy --out-shape 64 --param 0.5 --timeline t.json",
     "with a number for the kernel, and where the time goes"},
    {NULL, NULL}};

const run_kernel_t run_custom = {
    .name = "custom",
    .command = CLI_RUN_CUSTOM,
    .about = "a kernel of your own, its arrays from files and to a file. sw/README.md writes one "
             "step by step; `amalgam firmware` builds it.",
    .notes = "exit codes: 0 done, 1 the result is not what --expect has, 2 bad usage or input, 3 "
             "the model stopped the firmware, 130 interrupted",
    .examples = examples,
    .files = files,
    .own_bytes = sizeof(custom_run_t),
    .prepare = prepare,
    .compute = compute,
    .judge = judge,
    .write_out = write_out,
    .fill_json = fill_json,
    .print = print,
    .verdict = verdict,
    .release = release,
};
