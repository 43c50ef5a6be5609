// One run: builds the machine, lets SystemC run it until nothing moves, and reads the books.
// SPDX-License-Identifier: Apache-2.0
#include "soc/soc.h"

#include <cstdlib>
#include <exception>
#include <memory>
#include <stdexcept>
#include <vector>

#include "soc/core_unit.h"
#include "soc/gm.h"
#include "soc/interrupt.h"
#include "soc/simulation.h"

namespace soc {
namespace {

class machine {
 public:
  machine(simulation &sim, global_memory &gm);
  void run();
  void report(soc_result_t &result) const;

 private:
  bool finished() const;
  void explain_deadlock();

  simulation &sim_;
  std::vector<std::unique_ptr<core_unit>> cores_;
};

machine::machine(simulation &sim, global_memory &gm) : sim_(sim) {
  const unsigned vectors = sim.config.soc.vector_cores;
  for (unsigned index = 0; index < sim.config.soc.ai_cores; ++index) {
    cores_.push_back(std::make_unique<core_unit>(sim, gm, CORE_CUBE, index, 0, vectors));
    core_unit &cube = *cores_.back();
    for (unsigned sub = 0; sub < vectors; ++sub) {
      cores_.push_back(std::make_unique<core_unit>(sim, gm, CORE_VECTOR, index, sub, 1));
      cube.connect(*cores_.back(), 0);
      cores_.back()->connect(cube, sub);
    }
  }
}

void machine::run() {
  sc_core::sc_start();
  if (sim_.stopped()) {
    return;
  }
  if (!finished()) {
    return explain_deadlock();
  }
  for (const auto &core : cores_) {
    core->check_flags_down();
  }
}

bool machine::finished() const {
  for (const auto &core : cores_) {
    if (!core->idle()) {
      return false;
    }
  }
  return true;
}

void machine::explain_deadlock() {
  std::vector<std::string> lines;
  for (const auto &core : cores_) {
    core->describe_blocked(lines);
  }
  std::string message = "deadlock: nothing can move";
  for (const std::string &line : lines) {
    message += "; " + line;
  }
  sim_.stop(SOC_STOPPED, message);
}

void machine::report(soc_result_t &result) const {
  size_t count = 0;
  for (const auto &core : cores_) {
    for (const auto &p : core->pipes()) {
      if (p) {
        ++count;
        result.cycles = std::max(result.cycles, p->finish());
      }
    }
  }
  result.pipes = static_cast<soc_pipe_t *>(std::calloc(count, sizeof *result.pipes));
  for (const auto &core : cores_) {
    for (const auto &p : core->pipes()) {
      if (p && result.pipes != nullptr) {
        p->report(result.cycles, result.pipes[result.pipe_count++]);
      }
    }
  }
}

}  // namespace
}  // namespace soc

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
    sim = new soc::simulation(*options, *result);
    soc::stopwatch watch(result->seconds);
    if (options->timeline != nullptr) {
      sim->events.enable();
    }
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
      gm->report(*result);
      machine->report(*result);
    }
    if (options->timeline != nullptr &&
        !sim->events.write(options->timeline, sim->config.soc.clock_mhz, sim->lines)) {
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
