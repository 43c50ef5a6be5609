// Machines: built, given kernels that SystemC runs until nothing moves, and read out.
// SPDX-License-Identifier: Apache-2.0
#include "soc/soc.h"

#include <sys/prctl.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <system_error>

#include "hal/registers.h"
#include "host/interrupt.h"
#include "soc/cores/machine.h"
#include "soc/inspect/inspector.h"
#include "soc/inspect/look.h"
#include "soc/lazy.h"
#include "soc/races/race_list.h"
#include "soc/replayer.h"
#include "soc/watch/critical_path.h"
#include "soc/watch/dumps.h"
#include "soc/watch/profile.h"
#include "soc/watch/recorder.h"
#include "soc/watch/signals.h"
#include "soc/watch/timeline.h"

struct soc_machine {
  soc_machine(const soc_options_t &options, soc_buffer_t *buffers, size_t count, size_t args_bytes,
              soc_result_t &result)
      : sim(options, result), all_buffers(buffers), buffer_count(count) {
    for (const waves_mark_t *mark : {&options.watch.timeline_window.from, &options.watch.timeline_window.to}) {
      soc::command_mark(*mark, options.config, "timeline-window");  // throws if there is no such command
    }
    for (const waves_mark_t *mark : {&options.watch.dump_window.from, &options.watch.dump_window.to}) {
      soc::command_mark(*mark, options.config, "dump-window");
    }
    for (size_t i = 0; i < options.debug.gdb_count; ++i) {
      if (!soc::core_exists(options.debug.gdb[i].core, options.config.soc)) {
        throw std::runtime_error(std::string("--gdb: no core '") + options.debug.gdb[i].core + "' in this machine");
      }
    }
    add_watchers(options);
    gm = std::make_unique<soc::global_memory>(sim, buffers, count, args_bytes);
    // Watchers, replays and engines read global memory as they please.
    if (options.watch.replay || options.debug.gdb_count > 0 || options.debug.show_count > 0 ||
        options.config.soc.engines > 0) {
      soc_hold(gm->base(), gm->bytes());
    }
    machine = std::make_unique<soc::machine>(sim, *gm);
    for (soc::tensor_book *book : {sim.tensor_book.get(), sim.dumps ? sim.dumps->types() : nullptr}) {
      if (book != nullptr) {
        book->given(gm->base(), buffers, count);
      }
    }
    if (options.debug.gdb_count > 0 || options.debug.show_count > 0) {
      add_inspector(options);
    }
    if (sim.trace) {
      sim.trace->begin();
    }
  }

  void add_inspector(const soc_options_t &options) {
    inspector = std::make_unique<soc::inspector>(*machine);
    for (size_t i = 0; i < options.debug.show_count; ++i) {
      try {
        inspector->check(options.debug.show[i]);
      } catch (const std::exception &error) {
        throw std::runtime_error(std::string("--show-on-stop: ") + error.what());
      }
    }
    sim.questions.answer = [this](const soc::questions::question &q) {
      // Programs run ahead of the machine's clock; what no flag orders may still be to come.
      const uint64_t time = sim.options.race_check ? soc::look(*machine).core(q.core).program().time() : 0;
      return ask(q.request, q.core, std::max(time, sim.clock.now()));
    };
  }

  // A line, if the request makes no sense.
  std::string ask(const std::string &request, const std::string &core, uint64_t cycle) {
    try {
      return inspector->answer(request, core, cycle);
    } catch (const std::exception &error) {
      return std::string(error.what()) + "\n";
    }
  }

  // Shows a run that was stopped.
  void show() {
    for (size_t i = 0; sim.stopped() && inspector && i < sim.options.debug.show_count; ++i) {
      sim.options.debug.shown(sim.options.debug.context, sim.options.debug.show[i],
                              ask(sim.options.debug.show[i], "", sim.known_until).c_str());
    }
  }

  // The record first: the critical path reads it.
  void add_watchers(const soc_options_t &options) {
    const bool whole = options.watch.record || options.watch.replay || options.watch.timeline != nullptr ||
                       options.watch.log != nullptr;
    if (whole || options.watch.critical_path != nullptr) {
      recorder = std::make_unique<soc::recorder>(whole);
      sim.watchers.push_back(recorder.get());
    }
    if (options.watch.critical_path != nullptr) {
      critical_path = std::make_unique<soc::critical_path>(*recorder, options.config);
      sim.watchers.push_back(critical_path.get());
    }
    if (options.watch.profile) {
      profile = std::make_unique<soc::profile>();
      sim.watchers.push_back(profile.get());
    }
    if (options.watch.replay) {
      replayer = std::make_unique<soc::replayer>();
      sim.watchers.push_back(replayer.get());
    }
    if (sim.trace) {
      signals = std::make_unique<soc::signals>(*sim.trace);
      sim.watchers.push_back(signals.get());
    }
  }

  soc::simulation sim;
  soc_buffer_t *all_buffers;
  size_t buffer_count;
  std::unique_ptr<soc::recorder> recorder;  // null, as the next ones: nobody has asked for it
  std::unique_ptr<soc::critical_path> critical_path;
  std::unique_ptr<soc::profile> profile;
  std::unique_ptr<soc::signals> signals;
  std::unique_ptr<soc::replayer> replayer;
  std::unique_ptr<soc_replay> replay;
  std::unique_ptr<soc::global_memory> gm;
  std::unique_ptr<soc::machine> machine;
  std::unique_ptr<soc::inspector> inspector;
};

namespace {

void refuse(soc_result_t &result, const std::exception &error) {
  const bool thread = dynamic_cast<const std::system_error *>(&error) != nullptr;  // nothing else here throws one
  result.status = SOC_BAD_INPUT;
  std::snprintf(result.error, sizeof result.error, "%s%s", thread ? "no thread can be started: " : "", error.what());
}

}  // namespace

extern "C" void soc_needs_memory(void) { std::set_new_handler(host_out_of_memory); }

extern "C" soc_t *soc_open(const soc_options_t *options, soc_buffer_t *buffers, size_t count, size_t args_bytes,
                           soc_result_t *result) {
  *result = {};
  try {
    soc_needs_memory();
    // The emulators touch a little of many buffers: whole huge pages would be cleared for each.  Global memory's may
    // stay, where the kernel (Linux 6.18) can tell them apart.
    constexpr unsigned long kExceptAdvised = 1 << 1;
    if (prctl(PR_SET_THP_DISABLE, 1, kExceptAdvised, 0, 0) != 0) {
      prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
    }
    const soc::stopwatch watch(result->seconds);
    return new soc_machine(*options, buffers, count, args_bytes, *result);
  } catch (const std::exception &error) {
    refuse(*result, error);
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

extern "C" soc_status_t soc_launch(soc_t *soc, const char *firmware_file, const void *args, size_t args_bytes,
                                   uint64_t *cycles) {
  soc_result_t &result = soc->sim.result;
  *cycles = 0;
  if (soc->sim.stopped()) {
    return result.status;
  }
  try {
    const hold_interrupts guard;
    const soc::stopwatch watch(result.seconds);
    soc->gm->launch(args, args_bytes);
    *cycles = soc->machine->launch(firmware_file);
    soc->show();
  } catch (const std::exception &error) {
    refuse(result, error);
  }
  return result.status;
}

extern "C" void *soc_bytes(soc_t *soc, uint64_t address) {
  soc->machine->host_uses(address);
  return soc_look(soc, address);
}

extern "C" void *soc_look(soc_t *soc, uint64_t address) { return soc->gm->base() + (address - GM_BASE); }

static void stop_for_file(soc::simulation &sim, const char *what) {
  sim.stop(SOC_BAD_INPUT, std::string(what) + ": cannot write: " + std::strerror(errno));
}

// Files are there for a run that was stopped, too; a window whose command never came is its own error.
static void write_record(soc::simulation &sim, soc::recorder &recorded) {
  const soc_options_t &options = sim.options;
  const soc_record_t &record = recorded.record();
  soc::cycle_window window;
  std::string missing;
  if (!soc::find_window(record, options.watch.timeline_window, options.config, window, missing)) {
    sim.stop(SOC_BAD_INPUT, "--timeline-window: there was no " + missing);
    return;
  }
  if (options.watch.log != nullptr && !soc::write_log(options.watch.log, record, sim.lines, window)) {
    stop_for_file(sim, "log");
  }
  if (options.watch.timeline != nullptr) {
    const soc::power_course power = soc::power_over_time(recorded, sim.config, options.engine_num, sim.result);
    if (!soc::write_timeline(options.watch.timeline, recorded, sim.config, power, sim.lines, window)) {
      stop_for_file(sim, "timeline");
    }
  }
  if (options.watch.record) {
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

static void take_races(soc::simulation &sim) {
  const std::vector<soc::race_list::row> &rows = sim.races->rows();
  soc_result_t &result = sim.result;
  result.races = static_cast<soc_race_t *>(std::calloc(rows.size() + 1, sizeof *result.races));
  for (size_t i = 0; result.races != nullptr && i < rows.size(); ++i) {
    const soc::race_list::row &from = rows[i];
    soc_race_t &to = result.races[result.race_count++];
    to.space = core_space_name(from.space);
    to.count = from.count;
    to.compiler = from.compiler;
    std::snprintf(to.first, sizeof to.first, "%s", from.first.text.c_str());
    std::snprintf(to.then, sizeof to.then, "%s", from.then.text.c_str());
    std::snprintf(to.between, sizeof to.between, "%s", from.between.c_str());
    std::snprintf(to.needed, sizeof to.needed, "%s", from.needed.c_str());
  }
}

// The books and files of all launches.
static void finish(soc_machine *soc) {
  soc::simulation &sim = soc->sim;
  const soc::stopwatch watch(sim.result.seconds);
  if (sim.trace && !sim.trace->end(sim.stopped())) {
    stop_for_file(sim, "trace");
  }
  if (!sim.stopped()) {
    soc->gm->copy_results();
    soc->machine->report(sim.result);
  }
  if (sim.races) {
    take_races(sim);
  }
  if (soc->recorder && soc->recorder->whole()) {
    write_record(sim, *soc->recorder);
  }
  if (soc->profile && !sim.stopped()) {
    take_profile(sim, *soc->profile);
  }
  if (sim.dumps && !sim.dumps->problem().empty()) {
    sim.stop(SOC_BAD_INPUT, sim.dumps->problem());
  }
  if (soc->replayer) {
    const uint64_t end = sim.result.launches > 0 ? sim.result.launch_cycles[0] : UINT64_MAX;
    soc::cycle_window window;
    std::string missing;
    if (!soc::find_window(soc->recorder->record(), sim.options.watch.dump_window, sim.config, window, missing)) {
      window = {UINT64_MAX, 0};  // of a run that was stopped before
      sim.stop(SOC_BAD_INPUT, "--dump-window: there was no " + missing);
    }
    soc->replay = std::make_unique<soc_replay>(*soc->replayer, soc->recorder->record(), end, window, soc->all_buffers,
                                               soc->buffer_count, sim.lines);
    sim.result.replay = soc->replay.get();
  }
  if (soc->critical_path && !sim.stopped() && !soc->critical_path->write(sim.options.watch.critical_path, sim.lines)) {
    stop_for_file(sim, "critical path");
  }
}

static void discard(soc_machine *soc) {
  if (soc != nullptr && !soc->machine->is_haunted()) {
    delete soc;
  }
}

extern "C" void soc_close(soc_t *soc) {
  finish(soc);
  soc_result_t &result = soc->sim.result;
  if (soc->recorder || soc->profile) {
    result.machine = soc;  // its result points into it
  } else {
    discard(soc);
  }
}

namespace {

void launch_all(soc_machine &soc, const void *args, size_t args_bytes) {
  const soc_options_t &options = soc.sim.options;
  soc_result_t &result = soc.sim.result;
  const size_t launches = options.launches == 0 ? 1 : options.launches;
  result.launch_cycles = static_cast<uint64_t *>(std::calloc(launches, sizeof *result.launch_cycles));
  if (result.launch_cycles == nullptr) {
    refuse(result, std::runtime_error("launches: out of memory"));
    return;
  }
  while (result.launches < launches) {
    if (result.launches > 0 && !options.timing_only) {
      soc.gm->clear_results();
      soc.machine->results_cleared();
    }
    if (soc_launch(&soc, options.firmware_file, args, args_bytes, &result.launch_cycles[result.launches]) != SOC_DONE) {
      return;
    }
    const char *changed = result.launches == 0 || options.timing_only ? nullptr : soc.gm->changed_result();
    if (++result.launches == 1) {
      soc.gm->copy_results();
    }
    if (changed != nullptr) {
      soc.sim.stop(SOC_STOPPED, "launch " + std::to_string(result.launches) + " left other bits in array '" + changed +
                                    "' than the first one");
      return;
    }
  }
}

}  // namespace

extern "C" soc_status_t soc_run(const soc_options_t *options, soc_buffer_t *buffers, size_t count, const void *args,
                                size_t args_bytes, soc_result_t *result) {
  soc_t *soc = soc_open(options, buffers, count, args_bytes, result);
  if (soc != nullptr) {
    launch_all(*soc, args, args_bytes);
    soc_close(soc);
  }
  return result->status;
}

extern "C" void soc_result_free(soc_result_t *result) {
  discard(result->machine);
  result->machine = nullptr;
  result->record = nullptr;
  result->replay = nullptr;
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
  std::free(result->races);
  result->races = nullptr;
  result->race_count = 0;
  std::free(result->links);
  result->links = nullptr;
  result->link_count = 0;
  std::free(result->unstored);
  result->unstored = nullptr;
  result->unstored_count = 0;
  std::free(result->launch_cycles);
  result->launch_cycles = nullptr;
  result->launches = 0;
}
