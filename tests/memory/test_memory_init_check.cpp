// The check for what nobody wrote. Two memories that agree in all that is written, and in nothing else, take the same
// random commands: a byte that comes out different must be known to depend on unwritten ones. And an element whose
// sources are all written must not be.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cinttypes>
#include <memory>
#include <vector>

#include "core/tensor.h"
#include "hal/registers.h"
#include "memory_test.h"
#include "random_core.h"
#include "soc/races/init_check.h"

#define CHECK(condition, ...)   \
  do {                          \
    if (!(condition)) {         \
      std::printf(__VA_ARGS__); \
      std::printf("\n");        \
      fail();                   \
    }                           \
  } while (0)

namespace {

using soc::byte_state;
using soc::init_check;
using soc::kUnwritten;
using soc::kWritten;

constexpr int kSeed = 99, kRounds = 12, kCommands = 25;

struct world {
  core_kind_t kind;
  core_memory_t one, other;  // the check knows the first
  std::unique_ptr<init_check> check;
};

// The place of a byte of a space for the check: a state of SPACE_KV is that of a key and its value.
uint64_t place_of(const core_memory_t &memory, core_space_t space, uint64_t byte) {
  return space == SPACE_KV ? byte / (4 * memory.engine->d) : space == SPACE_GM ? GM_BASE + byte : byte;
}

// Some bytes are written, in runs: equal. The others differ.
void begin(world &w, num_rng_t *rng) {
  random_core_fill(w.kind, &w.one, &w.other, rng);
  w.check = std::make_unique<init_check>(w.one.bytes[SPACE_GM]);
  w.check->add_core("core", w.one);
  for (uint64_t at = 0; at < w.one.bytes[SPACE_GM];) {
    const uint64_t end = std::min<uint64_t>(at + 1 + random_core_below(rng, 3000), w.one.bytes[SPACE_GM]);
    w.check->set_array(GM_BASE + at, GM_BASE + end, random_core_below(rng, 6) != 0);
    at = end;
  }
  for (unsigned s = 0; s < SPACE_COUNT; ++s) {
    const auto space = static_cast<core_space_t>(s);
    for (uint64_t byte = 0; byte < random_core_bytes(&w.one, space); ++byte) {
      if (w.check->state_of(w.one, space, place_of(w.one, space, byte)) == kUnwritten) {
        w.other.base[space][byte] ^= static_cast<uint8_t>(w.kind == CORE_ENGINE ? 0x01 : 0x5a);
      }
    }
  }
}

// Elements that all of their sources say are written, before a command.
std::vector<bool> sound(const world &w, const command_t &c) {
  core_tensor_t t[CORE_MAX_TENSORS];
  const size_t count = core_tensors(&c, t);
  const core_tensor_t &to = t[count - 1];
  std::vector<bool> result;
  for (uint64_t i = 0; i < to.rows * to.cols; ++i) {
    core_source_t s[CORE_MAX_TENSORS];
    const size_t sources = core_sources(&c, i / to.cols, i % to.cols, s);
    bool all = true;
    for (size_t k = 0; k < sources; ++k) {
      const core_tensor_t &from = t[s[k].tensor];
      for (uint64_t j = 0; all && j < s[k].rows * s[k].cols; ++j) {
        bool high;
        const uint64_t r = s[k].row + j / s[k].cols;
        const uint64_t at = core_tensor_address(&from, r, s[k].col + j % s[k].cols, &high);
        const uint64_t bytes = from.space == SPACE_KV ? 1 : std::max(core_type_bits(from.type) / 8, 1u);
        for (uint64_t b = 0; all && b < bytes; ++b) {
          const uint64_t key = from.space == SPACE_KV ? r / from.pitch * w.one.bytes[SPACE_KV] : 0;
          all = w.check->state_of(w.one, from.space, key + at + b) == kWritten;
        }
      }
    }
    result.push_back(all);
  }
  return result;
}

size_t one_command(world &w, const command_t &c, uint64_t cycle) {
  core_tensor_t t[CORE_MAX_TENSORS];
  const size_t count = core_tensors(&c, t);
  const core_tensor_t &to = t[count - 1];
  const bool elements =
      to.layout != CORE_KEYS && to.type != CORE_TYPE_BIT && to.rows * to.cols < 3000 && c.header.opcode_ != OP_MMAD;
  const std::vector<bool> expected = elements ? sound(w, c) : std::vector<bool>();
  w.check->execute(w.one, c, cycle);
  random_core_run(w.kind, &w.one, &c);
  random_core_run(w.kind, &w.other, &c);
  for (uint64_t i = 0; i < expected.size(); ++i) {
    bool high;
    const uint64_t at = core_tensor_address(&to, i / to.cols, i % to.cols, &high);
    CHECK(!expected[i] || !core_tensor_has(&to, i / to.cols, i % to.cols) ||
              w.check->state_of(w.one, to.space, at) == kWritten,
          "%s: element %" PRIu64 " is computed from written ones alone", core_command_name(c.header.opcode_), i);
  }
  for (uint64_t i = 0; to.layout != CORE_KEYS && i < to.rows * to.cols; ++i) {
    bool high;
    const uint64_t at = core_tensor_address(&to, i / to.cols, i % to.cols, &high);
    const uint64_t byte = to.space == SPACE_GM ? at - GM_BASE : at;
    CHECK(w.one.base[to.space][byte] == w.other.base[to.space][byte] ||
              w.check->state_of(w.one, to.space, at) != kWritten,
          "%s: element %" PRIu64 " depends on unwritten bytes", core_command_name(c.header.opcode_), i);
  }
  return expected.size();
}

// Returns how many bytes differ.
size_t compare(const world &w, const command_t &c) {
  size_t different = 0;
  for (unsigned s = 0; s < SPACE_COUNT; ++s) {
    const auto space = static_cast<core_space_t>(s);
    for (uint64_t byte = 0; byte < random_core_bytes(&w.one, space); ++byte) {
      if (w.one.base[space][byte] != w.other.base[space][byte]) {
        CHECK(w.check->state_of(w.one, space, place_of(w.one, space, byte)) != kWritten,
              "after %s: byte 0x%" PRIx64 " of %s depends on unwritten ones", core_command_name(c.header.opcode_), byte,
              core_space_name(space));
        ++different;
      }
    }
  }
  return different;
}

void hold(core_kind_t kind) {
  num_rng_t rng;
  num_rng_seed(&rng, kSeed);
  world w = {kind, random_core_memory(kind), random_core_memory(kind), nullptr};
  size_t elements = 0, different = 0, found = 0;
  for (int round = 0; round < kRounds; ++round) {
    begin(w, &rng);
    command_t c{};
    for (int i = 0; i < kCommands; ++i) {
      c = random_core_command(kind, &rng);
      c.header.pc_ = static_cast<uint64_t>(i);
      elements += one_command(w, c, static_cast<uint64_t>(i));
    }
    different += compare(w, c);
    found += w.check->findings().size();
  }
  std::printf("%zu elements, %zu bytes that differ, %zu findings\n", elements, different, found);
  assert_true(elements > 1000 && different > 1000 && found > 0);
  random_core_free(&w.one);
  random_core_free(&w.other);
}

TEST(cube) { hold(CORE_CUBE); }
TEST(vector) { hold(CORE_VECTOR); }
TEST(engine_core) { hold(CORE_ENGINE); }

// States that are kept by blocks, asked byte by byte: against a plain list.
TEST(states_by_bytes) {
  constexpr uint64_t kBytes = 70000;
  constexpr uint32_t kRuns[] = {40, 1500, 60000};
  num_rng_t rng;
  num_rng_seed(&rng, kSeed);
  soc::byte_states states(kBytes, kUnwritten);
  std::vector<byte_state> plain(kBytes, kUnwritten);
  size_t written = 0;
  for (int i = 0; i < 3000; ++i) {
    const uint64_t at = random_core_below(&rng, kBytes);
    const uint64_t n = std::min<uint64_t>(1 + random_core_below(&rng, kRuns[random_core_below(&rng, 3)]), kBytes - at);
    const auto state = static_cast<byte_state>(random_core_below(&rng, 4) == 0 ? random_core_below(&rng, 4) : kWritten);
    if (random_core_below(&rng, 2) != 0) {
      states.fill(at, n, state);
      std::fill_n(plain.begin() + static_cast<long>(at), n, state);
    } else {
      std::vector<byte_state> some(n, state);
      some[n / 2] = kWritten;
      states.put(at, n, some.data());
      std::copy(some.begin(), some.end(), plain.begin() + static_cast<long>(at));
    }
    std::vector<byte_state> got(kBytes);
    states.get(0, kBytes, got.data());
    assert_true(got == plain);
    const uint64_t first = random_core_below(&rng, kBytes);
    const uint64_t some = random_core_below(&rng, static_cast<uint32_t>(kBytes - first)) + 1;
    bool all = true;
    for (uint64_t b = first; b < first + some; ++b) {
      all = all && plain[b] == kWritten;
    }
    assert_true(states.all_written(first, some) == all);
    written += all && some > 32768;
  }
  assert_true(written > 10);
}

// Lines: of several reads and stores the earliest, each pair of lines once.
TEST(lines) {
  core_memory_t memory = random_core_memory(CORE_VECTOR);
  init_check check(memory.bytes[SPACE_GM]);
  check.add_core("vector0_0", memory);
  check.set_array(GM_BASE + 512, GM_BASE + 1024, false);
  const command_t read = random_core_exp();
  const command_t store = random_core_store(GM_BASE + 512);
  for (uint64_t cycle = 10; cycle < 50; cycle += 10) {
    check.execute(memory, read, cycle);
    check.execute(memory, store, cycle + 1);
  }
  const std::vector<init_check::finding> found = check.findings();
  assert_int_equal(found.size(), 1);
  assert_int_equal(found[0].read.cycle, 10);
  assert_int_equal(found[0].read.command.header.pc_, 1);
  assert_int_equal(found[0].store.cycle, 11);
  assert_int_equal(found[0].stores, 4);
  assert_int_equal(found[0].space, SPACE_UB);
  assert_int_equal(found[0].array, GM_BASE + 512);
  random_core_free(&memory);
}

// One store of values that two lines have computed from unwritten bytes: a finding for each.
TEST(two_origins) {
  core_memory_t memory = random_core_memory(CORE_VECTOR);
  init_check check(memory.bytes[SPACE_GM]);
  check.add_core("vector0_0", memory);
  check.set_array(GM_BASE + 512, GM_BASE + 1024, false);
  command_t other = random_core_exp(), store = random_core_store(GM_BASE + 512);
  other.vec.dst += 32;
  other.vec.a += 1024;
  other.header.pc_ = 11;
  store.copy_out.rows = 2;
  check.execute(memory, other, 10);
  check.execute(memory, random_core_exp(), 20);
  check.execute(memory, store, 30);
  const std::vector<init_check::finding> found = check.findings();
  assert_int_equal(found.size(), 2);
  for (size_t i = 0; i < 2; ++i) {
    assert_int_equal(found[i].read.command.header.pc_, i == 0 ? 11 : 1);
    assert_int_equal(found[i].address, i == 0 ? 1024 : 0);
    assert_int_equal(found[i].store.cycle, 30);
    assert_int_equal(found[i].stores, 1);
  }
  assert_int_not_equal(check.state_of(memory, SPACE_GM, GM_BASE + 512),
                       check.state_of(memory, SPACE_GM, GM_BASE + 544));
  random_core_free(&memory);
}

// A row of zeros that is not sent leaves its bytes what they were, written or not; one that is sent does not.
TEST(rows_that_are_not_sent) {
  core_memory_t memory = random_core_memory(CORE_VECTOR);
  init_check check(memory.bytes[SPACE_GM]);
  check.add_core("vector0_0", memory);
  check.set_array(GM_BASE + 512, GM_BASE + 576, true);
  check.set_array(GM_BASE + 576, GM_BASE + 1024, false);
  std::fill_n(memory.base[SPACE_UB], 1024, uint8_t{0});
  memory.base[SPACE_UB][64 + 32] = 1;  // in row 1 of 3; nobody wrote any of them
  command_t add = random_core_store(GM_BASE + 512);
  add.copy_out.rows = 3;
  add.copy_out.op = GM_ADD_S32;
  add.copy_out.skip_zero = 1;
  check.execute(memory, add, 10);
  assert_int_equal(check.state_of(memory, SPACE_GM, GM_BASE + 512), kWritten);
  assert_int_equal(check.state_of(memory, SPACE_GM, GM_BASE + 544), soc::kFirstOrigin);
  assert_int_not_equal(check.state_of(memory, SPACE_GM, GM_BASE + 576), kWritten);
  assert_int_equal(check.findings()[0].space, SPACE_UB);
  random_core_free(&memory);
}

// Firmware that reads what nobody wrote, or what depends on it; all that is written it may read.
TEST(firmware_reads) {
  core_memory_t memory = random_core_memory(CORE_VECTOR);
  init_check check(memory.bytes[SPACE_GM]);
  check.add_core("vector0_0", memory);
  check.set_array(GM_BASE + 512, GM_BASE + 1024, false);
  check.set_array(GM_BASE + 1024, GM_BASE + 2048, true);
  command_t look = random_core_look(GM_BASE + 1024);
  check.execute(memory, look, 5);
  assert_int_equal(check.findings().size(), 0);
  look.read_gm.gm = GM_BASE + 1000;
  check.execute(memory, look, 6);
  std::vector<init_check::finding> found = check.findings();
  assert_int_equal(found.size(), 1);
  assert_true(found[0].by_firmware && found[0].array == GM_BASE + 512 && found[0].address == GM_BASE + 1000);
  assert_true(found[0].read.command.header.pc_ == 3 && found[0].store.cycle == 6 && found[0].space == SPACE_GM);
  check.execute(memory, random_core_exp(), 10);
  check.execute(memory, random_core_store(GM_BASE + 512), 11);  // from UB, which nobody wrote
  look.read_gm.gm = GM_BASE + 512;
  check.execute(memory, look, 12);
  found = check.findings();
  assert_int_equal(found.size(), 3);
  assert_true(!found[1].by_firmware && found[2].by_firmware && found[2].space == SPACE_UB);
  assert_true(found[2].read.cycle == 10 && found[2].store.cycle == 12);
  random_core_free(&memory);
}

}  // namespace

int main() {
  std::printf("seed %d\n", kSeed);
  return test_run(NULL);
}
