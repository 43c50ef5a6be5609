// The records of a run, timeline, log and waveforms, and its debugging, as the options ask for them, for
// every kernel.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_CLI_RUN_RECORDING_H
#define AMALGAM_CLI_RUN_RECORDING_H

#include "cli/run/run.h"
#include "kernel/engine/engine.h"
#include "soc/soc.h"

// For a kernel on the SoC: after the options are parsed and before soc_open.  False: an option makes
// no sense.
bool recording_soc(const run_t *run, soc_options_t *soc, base_error_t *error);

// For an engine by itself.
bool recording_engine(const run_t *run, engine_settings_t *settings, base_error_t *error);

#endif
