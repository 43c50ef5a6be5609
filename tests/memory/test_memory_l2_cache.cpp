// Against a cache of one map entry a sector and a list of groups.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <list>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "memory_test.h"
#include "soc/memory/l2_cache.h"

namespace {

constexpr uint64_t kSector = 64;
constexpr uint64_t kGroup = 16384;

class reference {
 public:
  explicit reference(uint64_t capacity) : capacity_(capacity) {}

  uint64_t access(uint64_t base, uint64_t rows, uint64_t row_bytes, uint64_t pitch, bool write, uint64_t *fetched) {
    uint64_t asked = 0;
    for (uint64_t row = 0; row < rows; ++row) {
      const uint64_t begin = base + row * pitch;
      const uint64_t end = begin + row_bytes;
      for (uint64_t s = begin / kSector * kSector; s < end; s += kSector) {
        if (sector(s, write)) {
          asked += std::min(end, s + kSector) - std::max(begin, s);
          *fetched += kSector;
        }
      }
    }
    return asked;
  }

  void warm(uint64_t base, uint64_t bytes) {
    for (uint64_t group = base / kGroup; group <= (base + bytes - 1) / kGroup; ++group) {
      warm_.insert(group);
    }
  }

  uint64_t resident = 0;
  uint64_t written_back = 0;

 private:
  bool sector(uint64_t address, bool write) {
    const uint64_t group = address / kGroup;
    recent_.remove(group);
    recent_.push_front(group);
    std::map<uint64_t, bool> &dirty = groups_[group];
    const bool missed = dirty.find(address) == dirty.end();
    dirty[address] = dirty[address] || write;
    resident += missed ? kSector : 0;
    const bool found = warm_.count(group) != 0;
    while (resident > capacity_ && recent_.size() > 1) {
      for (const auto &gone : groups_[recent_.back()]) {
        resident -= kSector;
        written_back += gone.second ? kSector : 0;
      }
      groups_.erase(recent_.back());
      warm_.erase(recent_.back());
      recent_.pop_back();
    }
    return missed && !found;
  }

  uint64_t capacity_;
  std::set<uint64_t> warm_;
  std::map<uint64_t, std::map<uint64_t, bool>> groups_;  // sectors present: dirty?
  std::list<uint64_t> recent_;
};

struct access {
  uint64_t base, rows, row_bytes, pitch;
};

access random_access(random_numbers &random, uint64_t memory) {
  access a = {0, random(1, 40), random(1, random.one_in(4) ? 20000 : 1200), 0};
  if (random.one_in(2)) {  // as tiles of matrices
    const access typical[] = {{0, 32, 576, 1152}, {0, 32, 512, 2048}, {0, 16, 2048, 2048}, {0, 16, 96, 96}};
    a = typical[random(0, 3)];
  } else {
    a.pitch = random.one_in(3) ? a.row_bytes : random(0, a.row_bytes * 2);
  }
  a.base = random(0, memory - a.row_bytes - (a.rows - 1) * a.pitch);
  a.base -= random.one_in(2) ? a.base % kSector : 0;
  return a;
}

TEST(agrees_with_the_reference) {
  random_numbers random(1);
  for (int scenario = 0; scenario < 20; ++scenario) {
    const uint64_t memory = uint64_t{2} << 20;
    const uint64_t capacity = random(1, 40) * 10000;
    soc::l2_cache cache(capacity, memory);
    reference other(capacity);
    for (int i = 0; i < 300; ++i) {
      const access a = random_access(random, memory);
      uint64_t ours = 0, theirs = 0;
      if (random.one_in(3)) {
        cache.write(a.base, a.rows, a.row_bytes, a.pitch);
        other.access(a.base, a.rows, a.row_bytes, a.pitch, true, &theirs);
      } else if (random.one_in(10)) {
        cache.warm(a.base, a.row_bytes);
        other.warm(a.base, a.row_bytes);
      } else {
        assert_int_equal(cache.read(a.base, a.rows, a.row_bytes, a.pitch, &ours),
                         other.access(a.base, a.rows, a.row_bytes, a.pitch, false, &theirs));
        assert_int_equal(ours, theirs);
      }
      assert_int_equal(cache.resident(), other.resident);
      assert_int_equal(cache.written_back(), other.written_back);
      assert_true(cache.resident() <= std::max(capacity, kGroup));
    }
  }
}

uint64_t read(soc::l2_cache &cache, uint64_t base, uint64_t bytes) {
  uint64_t fetched = 0;
  return cache.read(base, 1, bytes, 0, &fetched);
}

TEST(counts_bytes_asked_for_and_sectors_fetched) {
  soc::l2_cache cache(1 << 20, 1 << 20);
  uint64_t fetched = 0;
  assert_int_equal(cache.read(100, 1, 200, 0, &fetched), 200);  // sectors 1..4
  assert_int_equal(fetched, 256);
  assert_int_equal(cache.read(0, 1, 330, 0, &fetched), 64 + 10);  // sectors 0 and 5
  assert_int_equal(fetched, 256 + 128);
  assert_int_equal(cache.read(0, 3, 10, 16, &fetched), 0);
  // Rows that share a sector fetch it once.
  assert_int_equal(cache.read(4096, 2, 96, 96, &fetched), 96 + 64);
  assert_int_equal(fetched, 256 + 128 + 192);
  assert_int_equal(cache.resident(), 256 + 128 + 192);
}

TEST(warm_is_there_and_clean) {
  soc::l2_cache cache(4 * kGroup, 100 * kGroup);
  cache.warm(0, 20 * kGroup);  // takes no room until it is read
  assert_int_equal(cache.resident(), 0);
  assert_int_equal(read(cache, 0, 3 * kGroup), 0);
  assert_int_equal(cache.resident(), 3 * kGroup);
  read(cache, 50 * kGroup, 4 * kGroup);  // drives out what was read
  assert_int_equal(read(cache, 0, kGroup), kGroup);
  assert_int_equal(read(cache, 3 * kGroup, kGroup), 0);
  assert_int_equal(cache.written_back(), 0);
}

TEST(stores_leave_sectors_dirty_and_fetch_nothing) {
  soc::l2_cache cache(2 * kGroup, 100 * kGroup);
  cache.write(10, 1, 100, 0);  // sectors 0 and 1
  assert_int_equal(cache.resident(), 128);
  assert_int_equal(read(cache, 0, 192), 64);
  read(cache, kGroup, 2 * kGroup);
  assert_int_equal(cache.written_back(), 128);
  // Once written back it is clean.
  assert_int_equal(read(cache, 0, 192), 192);
  read(cache, kGroup, 2 * kGroup);
  assert_int_equal(cache.written_back(), 128);
}

TEST(the_least_recently_used_group_goes) {
  soc::l2_cache cache(3 * kGroup, 100 * kGroup);
  for (uint64_t g = 0; g < 3; ++g) {
    read(cache, g * kGroup, kGroup);
  }
  read(cache, 0, 64);  // 1 is now the oldest
  cache.write(3 * kGroup, 1, 64, 0);
  assert_int_equal(cache.resident(), 2 * kGroup + 64);
  assert_int_equal(read(cache, 2 * kGroup, kGroup), 0);
  assert_int_equal(read(cache, 0, kGroup), 0);
  assert_int_equal(read(cache, kGroup, 64), 64);
}

TEST(a_full_cache_keeps_all_it_can) {
  soc::l2_cache cache(8192, 100 * kGroup);
  for (uint64_t g = 0; g < 3; ++g) {
    read(cache, g * kGroup, 4096);
  }
  assert_int_equal(cache.resident(), 8192);
  assert_int_equal(read(cache, kGroup, 4096), 0);
}

// If a group goes, the first dirty byte and all dirty bytes are reported; of a clean group, nothing.
TEST(says_what_it_writes_back) {
  soc::l2_cache cache(2 * kGroup, 100 * kGroup);
  std::vector<std::pair<uint64_t, uint64_t>> told;
  cache.on_write_back = [&told](uint64_t base, uint64_t bytes) { told.push_back({base, bytes}); };
  cache.write(3 * kGroup + 9 * 1024, 2, 64, 4096);  // two sectors, the first in the third word
  read(cache, 4 * kGroup, kGroup);
  read(cache, 5 * kGroup, kGroup);
  read(cache, 6 * kGroup, kGroup);
  assert_int_equal(told.size(), 1);
  assert_int_equal(told[0].first, 3 * kGroup + 9 * 1024);
  assert_int_equal(told[0].second, 128);
  assert_int_equal(cache.written_back(), 128);
}

TEST(large_memories_cost_nothing_until_touched) {
  soc::l2_cache cache(192 << 20, uint64_t{1} << 36);
  assert_int_equal(read(cache, (uint64_t{1} << 36) - 64, 64), 64);
  bool threw = false;
  try {
    soc::l2_cache impossible(1, uint64_t{1} << 60);
  } catch (const std::runtime_error &) {
    threw = true;
  }
  assert_true(threw);
}

}  // namespace
