// Machines: built, given kernels that SystemC runs until nothing moves, and read out.
// SPDX-License-Identifier: Apache-2.0
#include "soc/soc.h"

#include <sys/prctl.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <new>
#include <stdexcept>

#include "hal/registers.h"
#include "host/interrupt.h"
#include "soc/cores/machine.h"
#include "soc/inspect/inspector.h"
#include "soc/inspect/look.h"
#include "soc/lazy.h"
#include "soc/replayer.h"
#include "soc/watch/critical_path.h"
#include "soc/watch/profile.h"
#include "soc/watch/recorder.h"
#include "soc/watch/signals.h"
#include "soc/watch/timeline.h"

struct soc_machine {
  soc_machine(const soc_options_t &options, soc_buffer_t *buffers, size_t count, size_t args_bytes,
              soc_result_t &result)
      : sim(options, result), all_buffers(buffers), buffer_count(count) {
    for (const waves_mark_t *mark : {&options.timeline_window.from, &options.timeline_window.to}) {
      soc::command_mark(*mark, options.config, "timeline-window");  // throws if there is no such command
    }
    for (const waves_mark_t *mark : {&options.dump_window.from, &options.dump_window.to}) {
      soc::command_mark(*mark, options.config, "dump-window");
    }
    for (size_t i = 0; i < options.gdb_count; ++i) {
      if (!soc::core_exists(options.gdb[i].core, options.config.soc)) {
        throw std::runtime_error(std::string("--gdb: no core '") + options.gdb[i].core + "' in this machine");
      }
    }
    add_watchers(options);
    sim.events = std::make_unique<soc::scheduler>("scheduler");
    gm = std::make_unique<soc::global_memory>(sim, buffers, count, args_bytes);
    // Those who look on, replays and engines read global memory as they please.
    if (options.replay || options.gdb_count > 0 || options.show_count > 0 || options.config.soc.engines > 0) {
      soc_hold(gm->base(), gm->bytes());
    }
    all = std::make_unique<soc::machine>(sim, *gm);
    for (soc::tensor_book *book : {all->written(), all->dumped() == nullptr ? nullptr : all->dumped()->types()}) {
      if (book != nullptr) {
        book->given(gm->base(), buffers, count);
      }
    }
    if (options.gdb_count > 0 || options.show_count > 0) {
      add_inspector(options);
    }
    if (sim.trace) {
      sim.trace->begin();
    }
  }

  void add_inspector(const soc_options_t &options) {
    inspect = std::make_unique<soc::inspector>(*all);
    for (size_t i = 0; i < options.show_count; ++i) {
      try {
        inspect->check(options.show[i]);
      } catch (const std::exception &error) {
        throw std::runtime_error(std::string("--show-on-stop: ") + error.what());
      }
    }
    sim.asked.answer = [this](const soc::questions::question &q) {
      // Programs run ahead of the machine's clock; what no flag orders may still be to come.
      const uint64_t time = sim.options.race_check ? soc::look(*all).core(q.core).program().time() : 0;
      return ask(q.request, q.core, std::max(time, soc::now()));
    };
  }

  // A line, if the request makes no sense.
  std::string ask(const std::string &request, const std::string &core, uint64_t cycle) {
    try {
      return inspect->answer(request, core, cycle);
    } catch (const std::exception &error) {
      return std::string(error.what()) + "\n";
    }
  }

  // Of a run that was stopped.
  void show() {
    for (size_t i = 0; sim.stopped() && inspect && i < sim.options.show_count; ++i) {
      sim.options.shown(sim.options.show[i], ask(sim.options.show[i], "", sim.known_until).c_str());
    }
  }

  // The record first: the critical path reads it.
  void add_watchers(const soc_options_t &options) {
    const bool whole = options.record || options.replay || options.timeline != nullptr || options.log != nullptr;
    if (whole || options.critical_path != nullptr) {
      recorded = std::make_unique<soc::recorder>(whole);
      sim.watchers.push_back(recorded.get());
    }
    if (options.critical_path != nullptr) {
      why = std::make_unique<soc::critical_path>(*recorded, options.config.scalar.queue_depth);
      sim.watchers.push_back(why.get());
    }
    if (options.profile) {
      took = std::make_unique<soc::profile>();
      sim.watchers.push_back(took.get());
    }
    if (options.replay) {
      again = std::make_unique<soc::replayer>();
      sim.watchers.push_back(again.get());
    }
    if (sim.trace) {
      shown = std::make_unique<soc::signals>(*sim.trace);
      sim.watchers.push_back(shown.get());
    }
  }

  soc::simulation sim;
  soc_buffer_t *all_buffers;
  size_t buffer_count;
  std::unique_ptr<soc::recorder> recorded;  // null, as the next ones: nobody has asked for it
  std::unique_ptr<soc::critical_path> why;
  std::unique_ptr<soc::profile> took;
  std::unique_ptr<soc::signals> shown;
  std::unique_ptr<soc::replayer> again;
  std::unique_ptr<soc_replay> replay;
  std::unique_ptr<soc::global_memory> gm;
  std::unique_ptr<soc::machine> all;
  std::unique_ptr<soc::inspector> inspect;
};

namespace {

void refuse(soc_result_t &result, const char *message) {
  result.status = SOC_BAD_INPUT;
  std::snprintf(result.error, sizeof result.error, "%s", message);
}

}  // namespace

extern "C" soc_t *soc_open(const soc_options_t *options, soc_buffer_t *buffers, size_t count, size_t args_bytes,
                           soc_result_t *result) {
  *result = {};
  // SystemC's kernel goes with the process, and so must its modules: a machine is never deleted.
  static soc_machine *machine;
  if (machine != nullptr) {
    refuse(*result, "a process can simulate one machine only");
    return nullptr;
  }
  try {
    std::set_new_handler(host_out_of_memory);
    sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
    // The emulators touch a little of many buffers: whole huge pages would be cleared for each.  Global memory's may
    // stay, where the kernel (Linux 6.18) can tell them apart.
    constexpr unsigned long kExceptAdvised = 1 << 1;
    if (prctl(PR_SET_THP_DISABLE, 1, kExceptAdvised, 0, 0) != 0) {
      prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
    }
    const soc::stopwatch watch(result->seconds);
    machine = new soc_machine(*options, buffers, count, args_bytes, *result);
    return machine;
  } catch (const std::exception &error) {
    refuse(*result, error.what());
    return nullptr;
  }
}

namespace {

// Ctrl-C asks a simulation to stop, so that its files can be closed.
struct hold_interrupts {
  hold_interrupts() { host_hold_interrupts(); }
  ~hold_interrupts() { host_release_interrupts(); }
  hold_interrupts(const hold_interrupts &) = delete;
  hold_interrupts &operator=(const hold_interrupts &) = delete;
};

}  // namespace

extern "C" soc_status_t soc_launch(soc_t *machine, const char *firmware_file, const void *args, size_t args_bytes,
                                   uint64_t *cycles) {
  soc_result_t &result = machine->sim.result;
  *cycles = 0;
  if (machine->sim.stopped()) {
    return result.status;
  }
  try {
    const hold_interrupts guard;
    const soc::stopwatch watch(result.seconds);
    machine->gm->launch(args, args_bytes);
    *cycles = machine->all->launch(firmware_file);
    machine->show();
  } catch (const std::exception &error) {
    refuse(result, error.what());
  }
  return result.status;
}

extern "C" void *soc_bytes(soc_t *machine, uint64_t address) {
  machine->all->host_uses(address);
  return machine->gm->base() + (address - GM_BASE);
}

// Files are there for a run that was stopped, too; a window whose command never came is its own error.
static void write_record(soc::simulation &sim, soc::recorder &recorded) {
  const soc_options_t &options = sim.options;
  const soc_record_t &record = recorded.record();
  soc::cycle_window window;
  std::string missing;
  if (!soc::find_window(record, options.timeline_window, options.config, window, missing)) {
    sim.stop(SOC_BAD_INPUT, "--timeline-window: there was no " + missing);
    return;
  }
  if (options.log != nullptr && !soc::write_log(options.log, record, sim.lines, window)) {
    sim.stop(SOC_BAD_INPUT, std::string("log: cannot write ") + options.log);
  }
  if (options.timeline != nullptr && !soc::write_timeline(options.timeline, recorded, sim.config, sim.lines, window)) {
    sim.stop(SOC_BAD_INPUT, std::string("timeline: cannot write ") + options.timeline);
  }
  if (options.record) {
    sim.result.record = &record;
  }
}

static void take_profile(soc::simulation &sim, const soc::profile &took) {
  const std::vector<soc_profile_t> rows = took.rows(sim.lines);
  sim.result.profile = static_cast<soc_profile_t *>(std::calloc(rows.size() + 1, sizeof(soc_profile_t)));
  if (sim.result.profile == nullptr) {
    host_out_of_memory();
    return;
  }
  std::copy(rows.begin(), rows.end(), sim.result.profile);
  sim.result.profile_count = rows.size();
}

extern "C" void soc_close(soc_t *machine) {
  soc::simulation &sim = machine->sim;
  const soc::stopwatch watch(sim.result.seconds);
  if (sim.trace && !sim.trace->end(sim.stopped())) {
    sim.stop(SOC_BAD_INPUT, std::string("trace: cannot write ") + sim.options.trace);
  }
  if (!sim.stopped()) {
    machine->gm->copy_results();
    machine->all->report(sim.result);
  }
  if (machine->recorded && machine->recorded->whole()) {
    write_record(sim, *machine->recorded);
  }
  if (machine->took && !sim.stopped()) {
    take_profile(sim, *machine->took);
  }
  if (machine->all->dumped() != nullptr && !machine->all->dumped()->problem().empty()) {
    sim.stop(SOC_BAD_INPUT, machine->all->dumped()->problem());
  }
  if (machine->again) {
    const uint64_t end = sim.result.launches > 0 ? sim.result.launch_cycles[0] : UINT64_MAX;
    soc::cycle_window window;
    std::string missing;
    if (!soc::find_window(machine->recorded->record(), sim.options.dump_window, sim.config, window, missing)) {
      window = {UINT64_MAX, 0};  // of a run that was stopped before
      sim.stop(SOC_BAD_INPUT, "--dump-window: there was no " + missing);
    }
    machine->replay = std::make_unique<soc_replay>(*machine->again, machine->recorded->record(), end, window,
                                                   machine->all_buffers, machine->buffer_count, sim.lines);
    sim.result.replay = machine->replay.get();
  }
  if (machine->why && !sim.stopped() && !machine->why->write(sim.options.critical_path, sim.lines)) {
    sim.stop(SOC_BAD_INPUT, std::string("critical path: cannot write ") + sim.options.critical_path);
  }
}

namespace {

void launch_all(soc_machine &machine, const void *args, size_t args_bytes) {
  const soc_options_t &options = machine.sim.options;
  soc_result_t &result = machine.sim.result;
  const size_t launches = options.launches == 0 ? 1 : options.launches;
  result.launch_cycles = static_cast<uint64_t *>(std::calloc(launches, sizeof *result.launch_cycles));
  if (result.launch_cycles == nullptr) {
    refuse(result, "launches: out of memory");
    return;
  }
  while (result.launches < launches) {
    if (result.launches > 0 && !options.timing_only) {
      machine.gm->clear_results();
      machine.all->results_cleared();
    }
    if (soc_launch(&machine, options.firmware_file, args, args_bytes, &result.launch_cycles[result.launches]) !=
        SOC_DONE) {
      return;
    }
    const char *changed = result.launches == 0 || options.timing_only ? nullptr : machine.gm->changed_result();
    if (++result.launches == 1) {
      machine.gm->copy_results();
    }
    if (changed != nullptr) {
      machine.sim.stop(SOC_STOPPED, "launch " + std::to_string(result.launches) + " left other bits in array '" +
                                        changed + "' than the first one");
      return;
    }
  }
}

}  // namespace

extern "C" soc_status_t soc_run(const soc_options_t *options, soc_buffer_t *buffers, size_t count, const void *args,
                                size_t args_bytes, soc_result_t *result) {
  soc_t *machine = soc_open(options, buffers, count, args_bytes, result);
  if (machine != nullptr) {
    launch_all(*machine, args, args_bytes);
    soc_close(machine);
  }
  return result->status;
}

extern "C" void soc_result_free(soc_result_t *result) {
  std::free(result->pipes);
  result->pipes = nullptr;
  result->pipe_count = 0;
  std::free(result->marks);
  result->marks = nullptr;
  result->mark_count = 0;
  std::free(result->profile);
  result->profile = nullptr;
  result->profile_count = 0;
  std::free(result->unwritten);
  result->unwritten = nullptr;
  result->unwritten_count = 0;
  std::free(result->launch_cycles);
  result->launch_cycles = nullptr;
  result->launches = 0;
}

// SystemC's library asks for it; the model is started by soc_launch instead.
int sc_main(int, char *[]) { return 0; }
