// One run: builds the machine, lets SystemC run it until nothing moves, and reads the books.
// SPDX-License-Identifier: Apache-2.0
#include "soc/soc.h"

#include <sys/prctl.h>

#include <cstdlib>
#include <exception>
#include <stdexcept>

#include "soc/interrupt.h"
#include "soc/machine.h"

extern "C" soc_status_t soc_run(const soc_options_t *options, soc_buffer_t *buffers, size_t count,
                                const void *args, size_t args_bytes, soc_result_t *result) {
  *result = {};
  try {
    sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
    const soc::interrupt_guard guard;
    // Modules must outlive SystemC's kernel, which goes with the process: they are never deleted.
    static soc::simulation *sim;
    static soc::global_memory *gm;
    static soc::machine *machine;
    // The emulators touch a little of many buffers: whole huge pages would be cleared for each.
    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
    sim = new soc::simulation(*options, *result);
    soc::stopwatch watch(result->seconds);
    if (options->timeline != nullptr) {
      sim->recorded.enable();
    }
    sim->events = std::make_unique<soc::scheduler>("scheduler");
    gm = new soc::global_memory(*sim, buffers, count, args, args_bytes);
    machine = new soc::machine(*sim, *gm);
    if (sim->trace && !sim->trace->open(options->trace)) {
      throw std::runtime_error(std::string("trace: cannot write ") + options->trace);
    }
    machine->run();
    if (sim->trace) {
      sim->trace->close();
    }
    if (!sim->stopped()) {
      gm->copy_results();
      machine->report(*result);
    }
    if (options->timeline != nullptr &&
        !sim->recorded.write(options->timeline, sim->config.soc.clock_mhz, sim->lines)) {
      sim->stop(SOC_BAD_INPUT, std::string("timeline: cannot write ") + options->timeline);
    }
  } catch (const std::exception &error) {
    result->status = SOC_BAD_INPUT;
    std::snprintf(result->error, sizeof result->error, "%s", error.what());
  }
  return result->status;
}

extern "C" void soc_result_free(soc_result_t *result) {
  std::free(result->pipes);
  result->pipes = nullptr;
  result->pipe_count = 0;
}

// SystemC's library asks for it; the model is started by soc_run instead.
int sc_main(int, char *[]) { return 0; }
