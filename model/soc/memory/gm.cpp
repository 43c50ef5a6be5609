// SPDX-License-Identifier: Apache-2.0
#include "soc/memory/gm.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>

#include "hal/registers.h"
#include "host/limits.h"
#include "soc/memory/gm_requests.h"
#include "soc/memory/lazy_inputs.h"

namespace soc {
namespace {

constexpr uint64_t kAddressable = (uint64_t{1} << GM_ADDR_W) * kBeatBytes;  // by an atomic slice
constexpr uint64_t kRoom = uint64_t{1} << 40;                               // of addresses, if this host has so many
constexpr uint64_t kOthers = uint64_t{5} << 29;  // of limited addresses: for emulators, threads, and all else
constexpr uint64_t kPage = 4096;                 // the arguments have the first: the scalar's window
constexpr uint64_t kAlign = 512;

uint64_t round_up(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }

// The host memory behind global memory.  Arrays of soc_alloc are made in it, so that a run need not
// copy them; pages nobody touches take no memory.
struct arena {
  uint8_t *base = nullptr;
  uint64_t room = 0, used = kPage;
  arena() {
    for (uint64_t bytes = most(); bytes >= kPage && base == nullptr; bytes = bytes / 4 / kPage * kPage) {
      void *map = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (map != MAP_FAILED) {
        madvise(map, bytes, MADV_HUGEPAGE);  // arrays lie one behind the other, and are used whole
        base = static_cast<uint8_t *>(map);
        room = bytes;
      }
    }
  }
  static uint64_t most() {
    const uint64_t left = host_addresses_left();
    return left == UINT64_MAX
               ? kRoom
               : std::min(kRoom, std::max(left > kOthers ? left - kOthers : 0, left / 8) / kPage * kPage);
  }
  bool holds(const void *bytes) const {
    const auto *p = static_cast<const uint8_t *>(bytes);
    return base != nullptr && p >= base && p < base + room;
  }
  void clear() {
    madvise(base, std::min(used, room), MADV_DONTNEED);  // zeros again
    used = kPage;
  }
  // The offset of so many bytes; they may lie beyond the end.
  uint64_t take(uint64_t bytes) {
    const uint64_t offset = used;
    used = round_up(used + bytes, kAlign);
    return offset;
  }
};

// Is there anything that another one's writes could race with?
bool several(const simulation &sim) { return sim.config.soc.ai_cores + sim.config.soc.engines > 1; }

arena &the_arena() {
  static arena memory;
  return memory;
}

// Bytes up to the end of the last array that is `of_those`.
template <typename predicate>
uint64_t end_of(const soc_buffer_t *buffers, size_t count, predicate of_those) {
  uint64_t end = 0;
  for (size_t i = 0; i < count; ++i) {
    if (of_those(buffers[i])) {
      end = std::max<uint64_t>(end, buffers[i].address - GM_BASE + buffers[i].bytes);
    }
  }
  return end;
}

// Rounded up, so that what is too much is more than what there is.
std::string mib(uint64_t bytes) { return std::to_string((bytes + (uint64_t{1} << 20) - 1) >> 20) + " MiB"; }

// Why there is no room for all arrays so far.
std::string no_room() {
  const arena &memory = the_arena();
  const uint64_t limit = host_addresses();
  return "global memory: " + mib(memory.used) + " of arrays; " +
         (limit == UINT64_MAX ? "this host has room for " + mib(memory.room)
                              : "of the " + mib(limit) + " of addresses that this process may have (ulimit -v), " +
                                    mib(memory.room) + " are left for them");
}

uint64_t window_bytes(const system_t &system) { return uint64_t{system.window_mb} << 20; }

uint64_t end_of_written(const soc_buffer_t *buffers, size_t count) {
  return end_of(buffers, count, [](const soc_buffer_t &b) { return !b.read_only; });
}

}  // namespace

global_memory::global_memory(simulation &sim, soc_buffer_t *buffers, size_t count, size_t args_bytes)
    : buffers_(buffers),
      count_(count),
      bytes_(round_up(the_arena().used, kPage)),
      base_(the_arena().base),
      window_(sim.options.system == nullptr ? 0 : window_bytes(*sim.options.system)),
      users_(several(sim) ? end_of_written(buffers, count) : 0),
      several_cores_(several(sim)) {
  the_lazy_inputs().serve(sim.config.soc.ai_cores);
  const uint64_t near = end_of(buffers, count, [](const soc_buffer_t &b) { return !b.read_only && !b.far; });
  if (near > kAddressable && window_ == 0) {  // each die has slices of its own, which reach all of a window
    throw std::runtime_error("global memory: " + mib(near) + " of arrays; the atomic slices address " +
                             mib(kAddressable));
  }
  if (base_ == nullptr || bytes_ > the_arena().room) {
    throw std::runtime_error(no_room());
  }
  arrays_.push_back({"args", GM_BASE, GM_BASE + args_bytes, true, false, true, false, false, {}});
  for (size_t i = 0; i < count; ++i) {
    arrays_.push_back({buffers[i].name,
                       buffers[i].address,
                       buffers[i].address + buffers[i].bytes,
                       buffers[i].read_only,
                       buffers[i].numbers,
                       buffers[i].init != nullptr,
                       buffers[i].result != nullptr,
                       buffers[i].flags,
                       {}});
  }
  for (size_t i = 0; i < count; ++i) {
    if (sim.options.timing_only && !buffers[i].numbers && !buffers[i].flags) {
      continue;
    }
    uint8_t *target = base_ + (buffers[i].address - GM_BASE);
    if (buffers[i].init == nullptr) {
      std::memset(target, 0xFF, buffers[i].bytes);
    } else if (buffers[i].init != target) {
      std::memcpy(target, buffers[i].init, buffers[i].bytes);
    }
  }
}

void global_memory::launch(const void *args, size_t args_bytes) {
  if (args_bytes > arrays_.front().end - GM_BASE) {
    throw std::runtime_error("arguments of " + std::to_string(args_bytes) + " bytes are more than were announced");
  }
  std::memcpy(base_, args, args_bytes);
  if (several_cores_) {
    users_.forget();
  }
}

const global_memory::array *global_memory::find(uint64_t address) const {
  const auto holds = [address](const array &a) { return address >= a.begin && address < a.end; };
  if (holds(arrays_[last_found_])) {
    return &arrays_[last_found_];
  }
  const auto found = std::find_if(arrays_.begin(), arrays_.end(), holds);
  if (found == arrays_.end()) {
    return nullptr;
  }
  last_found_ = static_cast<size_t>(found - arrays_.begin());
  return &*found;
}

std::optional<std::string> global_memory::check(const core_access_t &access, bool atomic) const {
  const array *a = find(access.base);
  char text[160];
  if (a == nullptr) {
    std::snprintf(text, sizeof text, "global address 0x%llx is in no array",
                  static_cast<unsigned long long>(access.base));
    return text;
  }
  const uint64_t end = access.base + (access.rows - 1) * access.pitch + access.row_bytes;
  if (end > a->end) {
    std::snprintf(text, sizeof text, "%s of global array '%s' ends %llu bytes after it",
                  access.write ? "write" : "read", a->name, static_cast<unsigned long long>(end - a->end));
    return text;
  }
  if (access.write && a->read_only) {
    std::snprintf(text, sizeof text, "write to the input array '%s'", a->name);
    return text;
  }
  if (access.write && atomic && window_ == 0 && end > GM_BASE + kAddressable) {
    std::snprintf(text, sizeof text, "atomic store to global array '%s' beyond what the slices address", a->name);
    return text;
  }
  return std::nullopt;
}

bool global_memory::is_numbers(uint64_t address) const {
  const array *a = find(address);
  return a != nullptr && a->numbers;
}

// In order of addresses, and apart.
std::vector<global_memory::range> global_memory::windows() const {
  std::vector<range> pages = {{0, kPage}};
  for (const array &a : arrays_) {
    if (a.numbers) {
      pages.push_back({(a.begin - GM_BASE) / kPage * kPage, round_up(a.end - GM_BASE, kPage)});
    }
  }
  std::sort(pages.begin(), pages.end(), [](const range &a, const range &b) { return a.begin < b.begin; });
  std::vector<range> joined;
  for (const range &r : pages) {
    if (!joined.empty() && r.begin <= joined.back().end) {
      joined.back().end = std::max(joined.back().end, r.end);
    } else {
      joined.push_back(r);
    }
  }
  return joined;
}

std::optional<std::string> global_memory::check_gather(const core_memory_t &memory,
                                                       const cmd_gather_in_t &command) const {
  const array *list = find(command.list);
  char text[160];
  if (list == nullptr || !list->numbers || !list->read_only) {
    return "the list is not in an input array of numbers";
  }
  const array *rows = find(command.gm);
  if (rows == nullptr || !rows->read_only) {
    return "its rows are not in an input array";
  }
  for (uint32_t row = 0; row < command.rows; ++row) {
    uint64_t address = 0;
    const core_gather_t what = core_gather_row(&memory, &command, row, &address);
    if (what == CORE_GATHER_NOTHING) {
      continue;
    }
    if (what == CORE_GATHER_WRONG || address >= rows->end || command.row_bytes > rows->end - address) {
      std::snprintf(text, sizeof text, "place %llu of the list: %s",
                    static_cast<unsigned long long>(command.first) + row,
                    what == CORE_GATHER_WRONG ? "its number is below -1" : "its row is not inside of the array");
      return text;
    }
  }
  return std::nullopt;
}

std::optional<unsigned> global_memory::race_between_cores(const gm_users::user &who, const core_access_t &access) {
  if (!several_cores_) {
    return std::nullopt;
  }
  return users_.access(who, access, access.base - GM_BASE);
}

// Between two arrays: the one before.
soc_traffic_t &global_memory::traffic_of(uint64_t address) {
  if (find(address) != nullptr) {
    return arrays_[last_found_].traffic;
  }
  array *best = &arrays_.front();
  for (array &a : arrays_) {
    best = a.begin <= address && a.begin > best->begin ? &a : best;
  }
  return best->traffic;
}

void global_memory::copy_results() const {
  for (size_t i = 0; i < count_; ++i) {
    buffers_[i].traffic = arrays_[i + 1].traffic;  // the first one holds the arguments
    if (buffers_[i].result != nullptr) {
      std::memcpy(buffers_[i].result, base_ + (buffers_[i].address - GM_BASE), buffers_[i].bytes);
    }
  }
}

const char *global_memory::changed_result() const {
  for (size_t i = 0; i < count_; ++i) {
    const soc_buffer_t &b = buffers_[i];
    if (b.result != nullptr && std::memcmp(b.result, base_ + (b.address - GM_BASE), b.bytes) != 0) {
      return b.name;
    }
  }
  return nullptr;
}

void global_memory::clear_results() {
  for (size_t i = 0; i < count_; ++i) {
    if (buffers_[i].result != nullptr) {
      std::memset(base_ + (buffers_[i].address - GM_BASE), 0xFF, buffers_[i].bytes);
    }
  }
}

}  // namespace soc

extern "C" void *soc_alloc(uint64_t bytes) {
  soc::arena &memory = soc::the_arena();
  const uint64_t offset = memory.take(bytes);
  return memory.base == nullptr || memory.used > memory.room ? nullptr : memory.base + offset;
}

extern "C" const char *soc_no_room(void) {
  static thread_local std::string text;
  text = soc::no_room();
  return text.c_str();
}

extern "C" void soc_clear_memory(void) {
  soc::the_arena().clear();
  soc::the_lazy_inputs().clear();
}

extern "C" void *soc_alloc_lazy(uint64_t bytes, soc_make_fn *make, const void *context, size_t context_bytes) {
  void *input = soc_alloc(bytes);
  if (input == nullptr) return nullptr;
  try {
    soc::the_lazy_inputs().add(static_cast<uint8_t *>(input), bytes, make, context, context_bytes);
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
  return input;
}

extern "C" void soc_place(soc_buffer_t *buffers, size_t count) {
  soc::arena &memory = soc::the_arena();
  for (size_t i = 0; i < count; ++i) {
    const bool there = memory.holds(buffers[i].init);
    const uint64_t offset = there ? static_cast<uint64_t>(static_cast<const uint8_t *>(buffers[i].init) - memory.base)
                                  : memory.take(buffers[i].bytes);
    buffers[i].address = GM_BASE + offset;
  }
}

// The arguments' page is in each die's window, though only the first one's is used.
extern "C" bool soc_place_in(const system_t *system, soc_buffer_t *buffers, size_t count) {
  soc::arena &memory = soc::the_arena();
  const uint64_t window = soc::window_bytes(*system);
  std::vector<uint64_t> used(system->dies, soc::kPage);
  for (size_t i = 0; i < count; ++i) {
    uint64_t &die = used[buffers[i].die];
    buffers[i].address = GM_BASE + buffers[i].die * window + die;
    die = soc::round_up(die + buffers[i].bytes, soc::kAlign);
    if (die > window) {
      return false;
    }
  }
  memory.used = system->dies * window;
  return true;
}

extern "C" void soc_system(const system_t *system, config_t *config) {
  config->soc.dies = system->dies;
  config->soc.ai_cores *= system->dies;
  config->gm.slices *= system->dies;
}
