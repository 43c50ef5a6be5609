// The machine that a kernel is simulated on: parameters, memory model, firmware, host threads, recordings.
// Kernels on the SoC begin their settings with one.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_KERNEL_MACHINE_H
#define AMALGAM_KERNEL_MACHINE_H

#include "base/error.h"
#include "soc/soc.h"

enum { KERNEL_PATH_BYTES = 4096 };

typedef struct kernel_machine {
  const char *config;      // its name, for people
  const char *const *set;  // [sets] what was set on top, "gm.slices=8", for the JSON
  size_t sets;
  soc_options_t soc;                 // firmware_file follows from what is below
  char firmware[KERNEL_PATH_BYTES];  // .elf or .so, as soc.firmware says; "": the kernel's own
  bool other_firmware;               // that of another, whose tiles nobody here knows
} kernel_machine_t;

// Least sizes of what a kernel cuts into tiles, in KiB; 0: it has none there.
typedef struct kernel_buffers {
  config_uint_t l1, l0a, l0b, l0c, ub;
} kernel_buffers_t;

// A machine by its name in model/config, or by its file: slices in Verilog, inputs in L2 as far as they
// fit, races checked, the kernel's own RV64 firmware, a thread for each processor of the host.
bool kernel_machine_open(kernel_machine_t *machine, const char *config, base_error_t *error);

// Another value of the config: "gm.slices=8".
bool kernel_machine_set(kernel_machine_t *machine, const char *assignment, base_error_t *error);

// Keeps the first AI cores of each die, as many of each: `cores` rounded up to a multiple of the dies;
// with fewer cores than dies, as many dies of one core. 0: all.
bool kernel_machine_cores(kernel_machine_t *machine, size_t cores, base_error_t *error);

// Is a file of firmware for the host itself, which loads it?
bool kernel_firmware_is_native(const char *file);
// Does it end in .elf or .so?
bool kernel_firmware_is_file(const char *file);

// Firmware of one's own, .elf or .so.
bool kernel_machine_firmware(kernel_machine_t *machine, const char *file, base_error_t *error);

// A host thread for each processor.
unsigned kernel_host_threads(void);

// --- for the kernels --------------------------------------------------------------------------

// The file of a kernel's firmware as it was built here, for the instruction set simulator or native.
// False: it is not there.
bool kernel_firmware(char file[KERNEL_PATH_BYTES], const char *kernel, soc_firmware_t kind, base_error_t *error);

// Before a simulation on cube and vector cores: are dies and cores those of such a machine? Fills in the
// firmware's file, which soc.firmware_file points to from then on, so that the machine must stay where it is.
bool kernel_machine_ready(kernel_machine_t *machine, const char *kernel, base_error_t *error);

// Do the dies have the same number of AI cores? kernel_machine_ready has asked this.
bool kernel_machine_dies(const kernel_machine_t *machine, base_error_t *error);

// Are the buffers large enough for the kernel's own firmware?
bool kernel_machine_holds(const kernel_machine_t *machine, const kernel_buffers_t *need, base_error_t *error);

#endif
