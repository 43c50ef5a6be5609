// Inputs that are made when they are held: what is held is right, whoever else holds what, and memory stays within
// bounds, though several threads go through far more.
// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>

#include <atomic>
#include <new>
#include <thread>
#include <vector>

#include "hal/registers.h"
#include "soc/lazy.h"
#include "soc/memory/lazy_inputs.h"
#include "test.h"  // its macros break the headers above

namespace {
bool memory_is_out;
}

// All of C++'s memory in here.  One of them inlined, and not the other, gcc would take malloc and free for a mistake.
[[gnu::noinline]] void *operator new(std::size_t bytes) {
  void *got = memory_is_out ? nullptr : std::malloc(bytes);
  if (got == nullptr) throw std::bad_alloc();
  return got;
}
[[gnu::noinline]] void operator delete(void *memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void *memory, std::size_t) noexcept { std::free(memory); }

namespace {

constexpr uint64_t kChunk = soc::lazy_inputs::kChunk;
constexpr uint64_t kChunks = 12, kKeptChunks = 5;
constexpr uint64_t kAhead = 4096 + 512;  // of an array's first chunk boundary
constexpr uint64_t kBytes = kAhead + kChunks * kChunk + 512;
constexpr uint64_t kWord = sizeof(uint64_t);

std::atomic<uint64_t> made;  // bytes

void make(const void *context, uint64_t first, uint64_t bytes, void *out) {
  auto *words = static_cast<uint64_t *>(out);
  for (uint64_t i = 0; i < bytes / kWord; ++i) {
    words[i] = *static_cast<const uint64_t *>(context) + first / kWord + i;
  }
  made += bytes;
}

// An array whose ends share a chunk with other bytes, which are 0.
struct input {
  uint8_t *map, *begin;
  uint64_t salt;

  input(soc::lazy_inputs &inputs, uint64_t the_salt) : salt(the_salt) {
    const uint64_t room = kBytes + 4 * kChunk;
    map = static_cast<uint8_t *>(mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    assert_true(map != MAP_FAILED);
    const uint64_t to_chunk = kChunk - reinterpret_cast<uintptr_t>(map) % kChunk;
    begin = map + to_chunk + kChunk - kAhead;
    inputs.add(begin, kBytes, make, &salt, sizeof salt);
  }
  bool right(uint64_t first, uint64_t bytes) const {
    for (uint64_t i = first; i < first + bytes; i += kWord) {
      if (*reinterpret_cast<const uint64_t *>(begin + i) != salt + i / kWord) {
        return false;
      }
    }
    return true;
  }
  // Chunks' worth of bytes that are in memory.
  uint64_t resident() const {
    std::vector<unsigned char> pages((kBytes + 2 * kChunk) / 4096);
    assert_int_equal(
        mincore(map + (kChunk - reinterpret_cast<uintptr_t>(map) % kChunk), pages.size() * 4096, pages.data()), 0);
    uint64_t count = 0;
    for (const unsigned char page : pages) {
      count += page & 1u;
    }
    return count * 4096 / kChunk;
  }
};

TEST(all_of_it_within_bounds) {
  soc::lazy_inputs inputs(kKeptChunks * kChunk);
  const input a(inputs, 7);
  const input b(inputs, 1000007);
  for (int round = 0; round < 2; ++round) {
    for (uint64_t at = 0; at + kChunk / 2 <= kBytes; at += kChunk / 2) {
      for (const input *of : {&a, &b}) {
        inputs.hold(of->begin + at, kChunk / 2);
        assert_true(of->right(at, kChunk / 2));
        inputs.let_go(of->begin + at, kChunk / 2);
      }
    }
    assert_in_range(a.resident() + b.resident(), 1, kKeptChunks + 2);
  }
  assert_int_equal(a.begin[-1], 0);
  assert_int_equal(a.begin[kBytes], 0);
}

TEST(what_is_held_stays) {
  soc::lazy_inputs inputs(kKeptChunks * kChunk);
  const input a(inputs, 3);
  inputs.hold(a.begin, kBytes);  // more than is kept
  assert_true(a.right(0, kBytes));
  made = 0;
  inputs.hold(a.begin, kBytes);
  inputs.let_go(a.begin, kBytes);
  assert_true(a.right(0, kBytes));
  assert_int_equal(made, 0);
  inputs.let_go(a.begin, kBytes);
}

// C callers get a null pointer.
TEST(no_memory_is_said) {
  const uint64_t first = 1;
  memory_is_out = true;
  const void *input = soc_alloc_lazy(kChunk, make, &first, sizeof first);
  memory_is_out = false;
  assert_null(input);
}

// Cores that read side by side do not take each other's chunks.
TEST(each_core_has_room) {
  soc::lazy_inputs inputs(kChunk);
  inputs.serve(2);
  const input a(inputs, 11);
  const input b(inputs, 13);
  made = 0;
  for (uint64_t at = 0; at + kChunk / 4 <= kBytes; at += kChunk / 4) {
    for (const input *of : {&a, &b}) {
      inputs.hold(of->begin + at, kChunk / 4);
      inputs.let_go(of->begin + at, kChunk / 4);
    }
  }
  assert_in_range(made, 2 * (kBytes - kChunk), 2 * kBytes);
}

// A command holds what it reads, from its first row to its last, while it is carried out and no longer.
TEST(commands_hold_what_they_read) {
  constexpr uint64_t kRows = 3, kRowBytes = 64, kFirst = 2 * kChunk, kSpan = 4 * kChunk + kRowBytes;
  soc::lazy_inputs inputs(kChunk);
  const input a(inputs, 17), b(inputs, 19);
  const auto go_through_others = [&] {
    for (uint64_t at = kAhead; at + kChunk <= kBytes; at += kChunk) {
      inputs.hold(b.begin + at, kChunk);
      inputs.let_go(b.begin + at, kChunk);
    }
  };
  core_memory_t memory = {};
  memory.base[SPACE_GM] = a.begin - 4096;  // what comes before the input
  memory.bytes[SPACE_GM] = kBytes + 4096;
  command_t load = {};
  load.header.opcode_ = OP_COPY_IN;
  load.copy_in.gm = GM_BASE + 4096 + kFirst;
  load.copy_in.gm_pitch = 2 * kChunk;
  load.copy_in.ub_pitch = kRowBytes;
  load.copy_in.rows = kRows;
  load.copy_in.row_bytes = kRowBytes;
  made = 0;
  {
    const soc::held_inputs held(inputs, memory, load);
    assert_int_equal(made, 5 * kChunk);
    go_through_others();
    assert_true(a.right(kFirst, kSpan));
  }
  go_through_others();
  made = 0;
  inputs.hold(a.begin + kFirst, kSpan);  // all of it anew
  assert_int_equal(made, 5 * kChunk);
  inputs.let_go(a.begin + kFirst, kSpan);
}

TEST(threads_see_the_same) {
  soc::lazy_inputs inputs(kKeptChunks * kChunk);
  const input a(inputs, 5);
  std::atomic<bool> good{true};
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (uint64_t i = 0; i < 40; ++i) {
        const uint64_t at = (i * (2 * t + 1) + t) % kChunks * kChunk;
        inputs.hold(a.begin + at, kChunk);
        good = good && a.right(at, kChunk);
        inputs.let_go(a.begin + at, kChunk);
      }
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  assert_true(good);
}

}  // namespace
