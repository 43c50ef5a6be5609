// SPDX-License-Identifier: Apache-2.0
#include "kernel/machine.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/input.h"
#include "host/parallel.h"
#include "host/places.h"

unsigned kernel_host_threads(void) { return (unsigned)parallel_host_threads(); }

bool kernel_machine_open(kernel_machine_t *machine, const char *config, base_error_t *error) {
  base_error_t reason;
  *machine = (kernel_machine_t){
      .config = config,
      .soc = {.race_check = true, .init_check = true, .l2_warm = true, .threads = kernel_host_threads()}};
  return config_open(config, &machine->soc.config, &reason) || base_fail(error, "--config: %s", reason.text);
}

bool kernel_machine_set(kernel_machine_t *machine, const char *assignment, base_error_t *error) {
  base_error_t reason;
  return config_set(&machine->soc.config, assignment, &reason) || base_fail(error, "--set: %s", reason.text);
}

// --- cores ------------------------------------------------------------------------------------

bool kernel_machine_dies(const kernel_machine_t *machine, base_error_t *error) {
  const config_t *config = &machine->soc.config;
  return config->soc.ai_cores % config->soc.dies == 0 ||
         base_fail(error, "soc.ai_cores %u: expected a multiple of soc.dies, %u", (unsigned)config->soc.ai_cores,
                   (unsigned)config->soc.dies);
}

// A die left without cores goes, and with it its share of the slices.
static void use_cores(config_t *config, unsigned cores) {
  const unsigned dies = cores < config->soc.dies ? cores : config->soc.dies;
  const unsigned slices = config->gm.slices * dies / config->soc.dies;
  config->gm.slices = slices == 0 ? 1 : slices;
  config->soc.dies = dies;
  config->soc.ai_cores = (cores + dies - 1) / dies * dies;
}

bool kernel_machine_cores(kernel_machine_t *machine, size_t cores, base_error_t *error) {
  config_t *config = &machine->soc.config;
  if (!kernel_machine_dies(machine, error)) {
    return false;
  }
  if (cores > config->soc.ai_cores) {
    return base_fail(error, "--cores %zu: the config has soc.ai_cores = %u", cores, (unsigned)config->soc.ai_cores);
  }
  if (cores != 0 && cores < config->soc.ai_cores) {
    use_cores(config, (unsigned)cores);
  }
  return true;
}

// --- firmware ---------------------------------------------------------------------------------

static bool readable(const char *path, base_error_t *error) {
  FILE *file = input_open(path, error);
  if (file == NULL) {
    return false;
  }
  fclose(file);
  return true;
}

static bool ends_with(const char *text, const char *end) {
  const size_t length = strlen(text);
  return length > strlen(end) && strcmp(text + length - strlen(end), end) == 0;
}

bool kernel_firmware_is_native(const char *file) { return ends_with(file, ".so"); }
bool kernel_firmware_is_file(const char *file) { return kernel_firmware_is_native(file) || ends_with(file, ".elf"); }

bool kernel_machine_firmware(kernel_machine_t *machine, const char *file, base_error_t *error) {
  const bool native = kernel_firmware_is_native(file);
  if (!kernel_firmware_is_file(file)) {
    return base_fail(error, "--firmware: expected riscv, native, or a file .elf or .so, got '%s'", file);
  }
  // The dynamic linker looks for a name without a slash elsewhere.
  const char *here = strchr(file, '/') == NULL ? "./" : "";
  const int length = snprintf(machine->firmware, KERNEL_PATH_BYTES, "%s%s", here, file);
  machine->soc.firmware = native ? SOC_FIRMWARE_NATIVE : SOC_FIRMWARE_RISCV;
  machine->other_firmware = true;
  return ((length >= 0 && (size_t)length < KERNEL_PATH_BYTES) || base_fail(error, "--firmware: name too long")) &&
         readable(machine->firmware, error);
}

bool kernel_firmware(char file[KERNEL_PATH_BYTES], const char *kernel, soc_firmware_t kind, base_error_t *error) {
  snprintf(file, KERNEL_PATH_BYTES, "%s/firmware/%s.%s", places_built(), kernel,
           kind == SOC_FIRMWARE_NATIVE ? "so" : "elf");
  return readable(file, error);
}

// Engines would get the kernel's firmware, too.
static bool check_engines(const kernel_machine_t *machine, base_error_t *error) {
  const unsigned engines = (unsigned)machine->soc.config.soc.engines;
  return engines == 0 || base_fail(error,
                                   "--config %s: soc.engines is %u; this kernel runs on cube and vector cores only, "
                                   "so say --set soc.engines=0",
                                   machine->config, engines);
}

bool kernel_machine_ready(kernel_machine_t *machine, const char *kernel, base_error_t *error) {
  machine->soc.firmware_file = machine->firmware;
  return kernel_machine_dies(machine, error) && check_engines(machine, error) &&
         (machine->firmware[0] != '\0' || kernel_firmware(machine->firmware, kernel, machine->soc.firmware, error));
}

static bool enough(const char *name, config_uint_t have, config_uint_t need, base_error_t *error) {
  return have >= need || base_fail(error, "%s = %u: the kernel needs %u", name, (unsigned)have, (unsigned)need);
}

bool kernel_machine_holds(const kernel_machine_t *machine, const kernel_buffers_t *need, base_error_t *error) {
  const config_cube_t *cube = &machine->soc.config.cube;
  return machine->other_firmware ||
         (enough("cube.l1_kb", cube->l1_kb, need->l1, error) && enough("cube.l0a_kb", cube->l0a_kb, need->l0a, error) &&
          enough("cube.l0b_kb", cube->l0b_kb, need->l0b, error) &&
          enough("cube.l0c_kb", cube->l0c_kb, need->l0c, error) &&
          enough("vector.ub_kb", machine->soc.config.vector.ub_kb, need->ub, error));
}
