// SPDX-License-Identifier: Apache-2.0
#include "soc/cores/machine.h"

#include <algorithm>
#include <cstdlib>

#include "host/interrupt.h"
#include "soc/cores/soc_module.h"
#include "soc/memory/lazy_inputs.h"
#include "soc/races/init_check.h"
#include "soc/watch/dumps.h"
#include "soc/watch/tensor_book.h"

namespace soc {

machine::machine(simulation &sim, global_memory &gm)
    : sim_(sim), gm_(gm), memory_(make_memory(sim, gm)), meetings_(sim.memories()), syncs_(sim.memories()) {
  add_ai_cores();
  connect_pairs();
  add_engines();
  sim.effects = std::make_unique<arithmetic>(
      static_cast<unsigned>(domains_.size()), sim.options.timing_only ? 1 : std::max(1u, sim.options.threads),
      [this](uint64_t cycle, const core_memory_t &memory, const command_t &command, uint32_t dumped) {
        carry_out(cycle, memory, command, dumped);
      });
  if (sim.options.debug.dump_count > 0) {
    sim.dumps = std::make_unique<dumps>(sim.options);
  }
  if (!sim.options.timing_only && (sim.options.debug.gdb_count > 0 || sim.options.debug.show_count > 0)) {
    sim.tensor_book = std::make_unique<tensor_book>();
  }
  add_init_check();
  sim.clock.watched = sim.watched();
  sim.clock.between_events = [this](uint64_t now) { return between_events(now); };
}

// Effects first: other threads carry them out, on what cores have.
machine::~machine() { sim_.effects.reset(); }

core_domain &machine::add_domain(unsigned memory) {
  domains_.push_back(std::make_unique<core_domain>(static_cast<unsigned>(domains_.size()), memory));
  for (meetings &syncs : syncs_) {
    syncs.add_domain();
  }
  return *domains_.back();
}

core_group &machine::add_group(unsigned index, unsigned first_of_kind, core_domain &domain) {
  groups_.emplace_back(new core_group{sim_, gm_, *memory_, *this, index, first_of_kind, domain, {}});
  return *groups_.back();
}

void machine::add_ai_cores() {
  const config_soc_t &soc = sim_.config.soc;
  const pairing pairs(soc);
  const bool paired = sim_.options.pairs && pairs.count > 0;
  for (unsigned i = 0; i < (paired ? pairs.count : soc.ai_cores); ++i) {
    add_domain(i % sim_.memories());
  }
  for (unsigned index = 0; index < soc.ai_cores; ++index) {
    core_domain &domain = *domains_[paired ? pairs.pair(index) : index];
    core_group &group = add_group(index, 0, domain);
    group.cores.push_back(std::make_unique<core_unit>(group, CORE_CUBE, 0, soc.vector_cores));
    core_unit &cube = *group.cores.front();
    for (unsigned sub = 0; sub < soc.vector_cores; ++sub) {
      group.cores.push_back(std::make_unique<core_unit>(group, CORE_VECTOR, sub, 1));
      cube.connect(*group.cores.back(), 0);
      group.cores.back()->connect(cube, sub);
      if (soc.direct_path != 0) {
        group.cores.back()->reach_l1(cube, SPACE_L1);
      }
    }
  }
}

// A core's PAIR_SET reaches the other AI core's cores of the other kind; so does the direct path.
void machine::connect_pairs() {
  const pairing pairs(sim_.config.soc);
  for (unsigned index = 0; pairs.count > 0 && sim_.options.pairs && index < groups_.size(); ++index) {
    auto &here = groups_[index]->cores;
    auto &there = groups_[pairs.other(index)]->cores;
    for (unsigned sub = 0; sub + 1 < here.size(); ++sub) {
      here.front()->connect_pair(*there[sub + 1], 0);
      here[sub + 1]->connect_pair(*there.front(), sub);
      if (sim_.config.soc.direct_path != 0) {
        here[sub + 1]->reach_l1(*there.front(), SPACE_PAIR_L1);
      }
    }
  }
}

void machine::add_engines() {
  const config_soc_t &soc = sim_.config.soc;
  for (unsigned i = 0; i < soc.engines; ++i) {
    core_group &group = add_group(soc.ai_cores + i, soc.ai_cores, add_domain(0));
    group.cores.push_back(std::make_unique<core_unit>(group, CORE_ENGINE, 0, 0));
  }
}

void machine::add_init_check() {
  if (!sim_.options.init_check || sim_.options.timing_only) {
    return;
  }
  sim_.init_check = std::make_unique<init_check>(gm_.bytes());
  for (const global_memory::array &a : gm_.arrays()) {
    sim_.init_check->set_array(a.begin, a.end, a.given);
  }
  for_each_core([this](core_unit &core) { sim_.init_check->add_core(core.name(), core.memory()); });
}

void machine::carry_out(uint64_t cycle, const core_memory_t &memory, const command_t &command, uint32_t dumped) {
  const held_inputs inputs(the_lazy_inputs(), memory, command);
  if (sim_.init_check) {
    sim_.init_check->execute(memory, command, cycle);
  }
  if (sim_.is_done_in_rtl(command)) {
    // Here for those who look on.
  } else if (core_is_atomic(&command)) {
    memory_->apply(memory, command);
  } else {
    core_execute(&memory, &command);
  }
  if (sim_.dumps) {
    sim_.dumps->executed(memory, command, dumped);
  }
  if (sim_.tensor_book) {
    sim_.tensor_book->executed(memory, command, cycle, sim_.lines.current());
  }
}

void machine::arrive(pipe &who, core_kind_t kind, const core_domain &domain, uint64_t cycle) {
  const unsigned series = meetings::series_of(kind, who.id());
  meeting &m = meetings_[domain.memory][series];
  meetings &syncs = syncs_[domain.memory];
  m.arrived.push_back({&who, domain.index});
  syncs.arrive(series, domain.index, domain.races.clock(who.agent()));
  if (m.arrived.size() == 1 || cycle > m.latest) {
    m.cause = {who.track(), who.number(), cycle};
  }
  m.latest = std::max(m.latest, cycle);
  if (m.arrived.size() < core_kind_count(kind, &sim_.config.soc) / sim_.memories()) {
    return;
  }
  // Later commands may read what other AI cores have written.
  sim_.effects->finish_all(m.latest);
  const uint64_t release = m.latest + config_cycles(&sim_.config, sim_.config.soc.cross_flag_us);
  syncs.complete(series);
  if (domain.memory == 0) {  // the first die's are those that are told
    if (sim_.result.syncs < SOC_MAX_SYNCS) {
      sim_.result.sync_cycle[sim_.result.syncs] += release - begin_;
    }
    ++sim_.result.syncs;
  }
  for (const auto &[arrived, its_domain] : m.arrived) {
    arrived->synchronised(release, syncs.for_domain(series, its_domain), m.cause);
  }
  m.arrived.clear();
}

// --- words of flags ---------------------------------------------------------------------------

// A SIGNAL until the cycle in which it takes effect.
class machine::mail final : public task {
 public:
  explicit mail(machine &whole) : whole_(whole) {}

  void send(const cmd_signal_t &command, const words::signal &signal) {
    command_ = command;
    signal_ = signal;
    whole_.sim_.clock.at(std::max(signal.cycle, whole_.sim_.clock.now()), *this);
  }

  void run(uint64_t) override {
    void *word = whole_.gm_.base() + (command_.gm - GM_BASE);
    const words::signal signal = std::move(signal_);
    const auto waited = whole_.words_.set(command_, word, signal);
    whole_.read_.push_back(this);
    for (const words::waiter &who : waited) {
      whole_.tell(who, whole_.words_.last(command_.gm));
    }
  }

 private:
  machine &whole_;
  cmd_signal_t command_{};
  words::signal signal_{};
};

void machine::signal(const cmd_signal_t &command, const core_domain &domain, const vector_clock &clock, uint64_t cycle,
                     const pipe_cause &cause) {
  if (read_.empty()) {
    mail_.push_back(std::make_unique<mail>(*this));
    read_.push_back(mail_.back().get());
  }
  mail *next = read_.back();
  read_.pop_back();
  next->send(command, {cycle, syncs(domain).seen_by(clock, domain.index), cause});
}

void machine::await(const cmd_await_t &command, const words::waiter &who) {
  const void *word = gm_.base() + (command.gm - GM_BASE);
  if (const words::signal *signal = words_.await(command.gm, word, who)) {
    tell(who, *signal);
  }
}

// Later commands may read what other dies have written.
void machine::tell(const words::waiter &who, const words::signal &signal) {
  vector_clock clock;
  clock.told = signal.before;
  if (const domain_seen *own = seen_of(signal.before, who.domain)) {
    clock.seen = own->seen;
  }
  if (!sim_.options.timing_only) {
    sim_.effects->finish_all(sim_.clock.now());
  }
  who.who->signalled(signal.cycle, clock, signal.cause);
}

void machine::mark(uint32_t number, uint64_t cycle) {
  if (marked_ == number) {
    return;  // by another core
  }
  marked_ = number;
  if (!sim_.options.timing_only) {
    sim_.effects->finish_all(cycle);
  }
  soc_result_t &result = sim_.result;
  soc_mark_t mark = {number, cycle - begin_, result.flops, {}, result.atomic_bytes};
  mark.traffic = {result.hbm_read, result.hbm_write + memory_->written_back(), result.l2_read, result.l2_write};
  if (result.mark_count == marks_room_) {
    marks_room_ = 2 * marks_room_ + 64;
    void *more = std::realloc(result.marks, marks_room_ * sizeof *result.marks);
    if (more == nullptr) {
      return sim_.stop(SOC_BAD_INPUT, "marks: out of memory");
    }
    result.marks = static_cast<soc_mark_t *>(more);
  }
  result.marks[result.mark_count++] = mark;
  if (sim_.options.on_mark != nullptr) {
    sim_.options.on_mark(sim_.options.on_mark_context, number);
  }
}

void machine::stop_here() {
  sim_.known_until = sim_.stopped() ? sim_.known_until : sim_.stop_at;
  sim_.stop(SOC_STOPPED, "stopped after cycle " + std::to_string(sim_.options.debug.stop_at) + " (--stop-at)");
}

// True ends the run.
bool machine::between_events(uint64_t now) {
  if (host_interrupted()) {
    sim_.stop(SOC_INTERRUPTED, "interrupted");
  }
  for (watcher *w : sim_.watchers) {
    w->reached(now);
  }
  if (now > sim_.stop_at) {
    stop_here();
  }
  if (sim_.effects->is_long() && !sim_.stopped()) {
    sim_.effects->settle(now);
  }
  if (sim_.options.progress != nullptr && ++events_ % 1024 == 0) {
    const auto time = std::chrono::steady_clock::now();
    if (time - reported_ > std::chrono::milliseconds(100)) {
      reported_ = time;
      sim_.options.progress(sim_.options.progress_context, now, sim_.result.flops);
    }
  }
  return sim_.stopped();
}

void machine::for_each_core(const std::function<void(core_unit &)> &visit) const {
  for (const auto &group : groups_) {
    for (const auto &core : group->cores) {
      visit(*core);
    }
  }
}

// The cycle by which everything is over.
uint64_t machine::latest() const {
  uint64_t cycle = sim_.clock.now();
  for_each_core([&cycle](core_unit &core) {
    for (const auto &p : core.pipes()) {
      cycle = p ? std::max({cycle, p->finish(), p->time()}) : cycle;
    }
  });
  return cycle;
}

uint64_t machine::launch(const std::string &firmware) {
  const uint64_t begin = begin_ = latest();
  sim_.result.syncs = 0;
  marked_ = UINT64_MAX;
  sim_.stop_at = sim_.options.debug.stop_at == 0 ? UINT64_MAX : begin + sim_.options.debug.stop_at;
  sim_.deadline = begin + static_cast<uint64_t>(sim_.config.soc.max_cycles);
  const unsigned number = sim_.lines.use(firmware);
  for (watcher *w : sim_.watchers) {
    w->launched(number);
  }
  if (sim_.init_check) {
    sim_.init_check->launched(number);
  }
  for (const auto &domain : domains_) {
    domain->gm_races.forget();
  }
  for (meetings &syncs : syncs_) {
    syncs.forget();
  }
  words_.forget();
  run(firmware);
  if (sim_.stopped()) {
    return 0;
  }
  if (!finished()) {
    explain_deadlock();
    return 0;
  }
  for_each_core([](core_unit &core) { core.check_flags_down(); });
  uint64_t end = begin;
  for_each_core([&end](core_unit &core) {
    for (const auto &p : core.pipes()) {
      end = p ? std::max(end, p->finish()) : end;
    }
  });
  if (end > sim_.stop_at) {
    stop_here();
    return 0;
  }
  sim_.effects->finish_all(UINT64_MAX);
  if (end > sim_.deadline) {
    sim_.stop(SOC_STOPPED, "the kernel took " + std::to_string(end - begin) + " cycles: " + kTooLong);
    return 0;
  }
  for (watcher *w : sim_.watchers) {
    w->launch_over(begin, end);
  }
  return end - begin;
}

// Programs that have begun end with it, even if one could not.
void machine::run(const std::string &firmware) {
  const struct at_end {
    machine &whole;
    ~at_end() {
      whole.for_each_core([this](core_unit &core) { whole.haunted_ |= !core.abandon(); });
    }
  } guard{*this};
  for_each_core([&](core_unit &core) {
    core.start(firmware, begin_);
    sim_.clock.wake(core.program());
  });
  soc_module::of_process().run(sim_.clock);
}

bool machine::finished() const {
  bool idle = true;
  for_each_core([&idle](core_unit &core) { idle = idle && core.idle(); });
  return idle;
}

void machine::explain_deadlock() {
  std::vector<std::string> lines;
  for_each_core([&lines](core_unit &core) {
    core.check_flags_twice();
    core.describe_blocked(lines);
  });
  std::string message = "deadlock: nothing can move";
  for (const std::string &line : lines) {
    message += "; " + line;
  }
  sim_.stop(SOC_STOPPED, message);
}

void machine::results_cleared() {
  for (const global_memory::array &a : gm_.arrays()) {
    if (sim_.init_check && a.result) {
      sim_.init_check->set_array(a.begin, a.end, false);
    }
  }
}

void machine::host_uses(uint64_t address) {
  const std::lock_guard<std::mutex> lock(host_mutex_);
  for (const global_memory::array &a : gm_.arrays()) {
    if (sim_.init_check && address >= a.begin && address < a.end && arrays_of_host_.insert(a.begin).second) {
      sim_.init_check->set_array(a.begin, a.end, true);
    }
  }
}

// Reports unwritten bytes that have reached arrays of the host, or the firmware.
void machine::report_unwritten(soc_result_t &result) const {
  std::vector<init_check::finding> found = sim_.init_check->findings();
  const auto array_of = [this](const init_check::finding &f) {
    return std::find_if(gm_.arrays().begin(), gm_.arrays().end(),
                        [&f](const global_memory::array &a) { return a.begin == f.array; });
  };
  found.erase(std::remove_if(found.begin(), found.end(),
                             [&](const init_check::finding &f) {
                               return !f.by_firmware && !array_of(f)->result && arrays_of_host_.count(f.array) == 0;
                             }),
              found.end());
  result.unwritten = static_cast<soc_unwritten_t *>(std::calloc(found.size() + 1, sizeof *result.unwritten));
  for (const init_check::finding &f : found) {
    if (result.unwritten != nullptr) {
      soc_unwritten_t &to = result.unwritten[result.unwritten_count++];
      const auto array = array_of(f);
      to = {array != gm_.arrays().end() ? array->name : "UB",
            core_space_name(f.space),
            f.address,
            f.stores,
            f.by_firmware,
            {},
            {}};
      const auto describe = [this](const init_check::place &p, char(&text)[SOC_PLACE_BYTES]) {
        std::snprintf(text, sizeof text, "%s", sim_.describe(p.core, p.command, p.firmware).c_str());
      };
      describe(f.read, to.read);
      describe(f.store, to.store);
    }
  }
}

// Counts a result's elements that nobody has stored, at least in part; an array without a shape has bytes.
soc_unstored_t machine::unstored(const soc_buffer_t &buffer) const {
  const uint64_t bytes = buffer.dims == 0 ? 1 : core_type_bits(buffer.type) / 8;
  const uint64_t cols = buffer.dims == 0 ? buffer.bytes : buffer.shape[buffer.dims - 1];
  const uint64_t pitch = buffer.pitch != 0 ? buffer.pitch : cols * bytes;
  soc_unstored_t found = {buffer.name, 0, buffer.bytes / pitch * cols, {}, std::max(buffer.dims, 1u)};
  for (uint64_t at = 0; at < buffer.bytes;) {
    const uint64_t next =
        sim_.init_check->first_unwritten(buffer.address + at, buffer.address + buffer.bytes) - buffer.address;
    const uint64_t row = next / pitch, col = next % pitch / bytes;
    at = col < cols ? row * pitch + (col + 1) * bytes : (row + 1) * pitch;
    if (next < buffer.bytes && col < cols && found.count++ == 0) {
      uint64_t index = row;
      found.index[found.dims - 1] = col;
      for (unsigned i = found.dims - 1; i-- > 0; index /= buffer.shape[i]) {
        found.index[i] = index % buffer.shape[i];
      }
    }
  }
  return found;
}

void machine::report_unstored(soc_result_t &result) const {
  result.unstored = static_cast<soc_unstored_t *>(std::calloc(gm_.buffer_count() + 1, sizeof *result.unstored));
  for (size_t i = 0; result.unstored != nullptr && i < gm_.buffer_count(); ++i) {
    const soc_buffer_t &buffer = gm_.buffers()[i];
    if (buffer.result != nullptr && buffer.init == nullptr && !buffer.gaps) {
      const soc_unstored_t found = unstored(buffer);
      result.unstored[result.unstored_count] = found;
      result.unstored_count += found.count > 0;
    }
  }
}

// A pipe S that was there and not used is none.
static bool is_reported(const pipe *p) { return p != nullptr && (p->id() != PIPE_S || p->number() > 0); }

void machine::report(soc_result_t &result) const {
  if (sim_.init_check) {
    report_unwritten(result);
    report_unstored(result);
  }
  size_t count = 0;
  for_each_core([&](core_unit &core) {
    for (const auto &p : core.pipes()) {
      if (is_reported(p.get())) {
        ++count;
        result.cycles = std::max(result.cycles, p->finish());
      }
    }
  });
  result.pipes = static_cast<soc_pipe_t *>(std::calloc(count, sizeof *result.pipes));
  for_each_core([&](core_unit &core) {
    for (const auto &p : core.pipes()) {
      if (is_reported(p.get()) && result.pipes != nullptr) {
        p->report(result.cycles, result.pipes[result.pipe_count++]);
      }
    }
  });
  memory_->report(result);
  const arithmetic::seconds spent = sim_.effects->spent();
  result.matmul_seconds = spent.matmul;
  result.vector_seconds = spent.vector;
  result.copy_seconds = spent.copy;
}

}  // namespace soc
