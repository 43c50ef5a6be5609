// The race detector against sets of bytes: random rectangles, with gaps between rows or without, down to rows and
// rests of one byte.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "memory_test.h"
#include "soc/races/race_detector.h"

namespace {

std::set<uint64_t> bytes_of(const core_access_t &a) {
  std::set<uint64_t> bytes;
  for (uint64_t row = 0; row < a.rows; ++row) {
    for (uint64_t i = 0; i < a.row_bytes; ++i) {
      bytes.insert(a.base + row * a.pitch + i);
    }
  }
  return bytes;
}

bool meet(const std::set<uint64_t> &a, const std::set<uint64_t> &b) {
  for (const uint64_t byte : a) {
    if (b.count(byte) != 0) {
      return true;
    }
  }
  return false;
}

// Within the first bytes of a memory; rows may also overlap, as those of pitch 0 do.
core_access_t random_access(random_numbers &random, uint64_t most) {
  core_access_t a = {};
  a.space = SPACE_UB;
  a.rows = random.one_in(3) ? 1 : random(1, 6);
  a.row_bytes = random.one_in(3) ? 1 : random(1, most / 12);
  a.pitch = random.one_in(12)  ? random(0, a.row_bytes)
            : random.one_in(3) ? a.row_bytes
                               : a.row_bytes + random(1, most / 12);
  a.base = random(0, most - (a.rows - 1) * a.pitch - a.row_bytes);
  a.write = random.one_in(2);
  return a;
}

TEST(overlaps_are_those_of_sets) {
  random_numbers random(1);
  int met = 0;
  constexpr int kTimes = 30000;
  for (int i = 0; i < kTimes; ++i) {
    const uint64_t most = random.one_in(2) ? 40 : 160;
    const core_access_t a = random_access(random, most), b = random_access(random, most);
    const bool expected = meet(bytes_of(a), bytes_of(b));
    assert_int_equal(soc::accesses_overlap(a, b), expected);
    assert_int_equal(soc::accesses_overlap(b, a), expected);
    met += expected;
  }
  assert_true(met > kTimes / 10 && met < kTimes * 9 / 10);
}

// The races that the detector should find, from what each agent has seen of each other one's commands.
class reference {
 public:
  explicit reference(unsigned agents) : seen_(agents, std::vector<size_t>(agents)) {}

  void begin(unsigned agent) { ++seen_[agent][agent]; }
  std::vector<size_t> clock(unsigned agent) const { return seen_[agent]; }
  void acquire(unsigned agent, const std::vector<size_t> &clock) {
    for (size_t i = 0; i < clock.size(); ++i) {
      seen_[agent][i] = std::max(seen_[agent][i], clock[i]);
    }
  }
  // The agents it races with, and the time of the last command of each.
  std::map<unsigned, uint64_t> access(unsigned agent, const core_access_t &a) {
    const std::set<uint64_t> bytes = bytes_of(a);
    std::map<unsigned, uint64_t> with;
    for (const past &p : past_) {
      if (p.agent != agent && p.time > seen_[agent][p.agent] && (p.write || a.write) && meet(p.bytes, bytes)) {
        with[p.agent] = std::max<uint64_t>(with[p.agent], p.time);
      }
    }
    if (with.empty()) {
      past_.push_back({agent, seen_[agent][agent], a.write, bytes});
    }
    return with;
  }

 private:
  struct past {
    unsigned agent;
    size_t time;
    bool write;
    std::set<uint64_t> bytes;
  };
  std::vector<std::vector<size_t>> seen_;
  std::vector<past> past_;
};

// A small access somewhere in a large memory, or one that was made before.
core_access_t sparse_access(random_numbers &random, std::vector<core_access_t> &made) {
  core_access_t a = random_access(random, 40);
  a.base += random(0, 50000);
  if (random.one_in(30) && !made.empty()) {
    a = made[random(0, made.size() - 1)];
  }
  a.write = random.one_in(4);
  return a;
}

// The same bytes, or other rows between the same ends, or shorter ones.
core_access_t again(random_numbers &random, core_access_t a) {
  const uint64_t how = random(0, 5);
  if (how == 0) {
    const uint64_t closer = random(0, a.pitch);
    a.pitch -= closer;
    a.row_bytes += (a.rows - 1) * closer;
  } else if (how == 1 && a.rows > 1) {
    --a.rows;
    a.row_bytes += a.pitch;
  } else if (how == 2) {
    a.row_bytes = random(1, a.row_bytes);
  }
  return a;
}

// A command that holds its time.
command_t made_at(uint64_t time) {
  command_t command = {};
  command.header.pc_ = time;
  return command;
}

// Pipes at random: commands of up to two accesses, flags with what their setter had seen. Some runs are long, so that
// accesses are forgotten; there one pipe seldom sees what the others did. In some, pipes do much between two flags.
TEST(races_are_those_of_sets) {
  constexpr unsigned kPipes = 4;
  random_numbers random(2);
  int found = 0, passed = 0;
  for (int run = 0; run < 300; ++run) {
    soc::race_detector races;
    soc::race_memory memory;
    reference expected(kPipes);
    std::vector<core_access_t> made;
    const bool sparse = run % 3 == 0;
    const unsigned lazy = static_cast<unsigned>(run) / 3 % kPipes;
    const bool busy = run % 5 == 0;
    for (unsigned i = 0; i < kPipes; ++i) {
      memory.add_agent(races.add_agent("core"));
    }
    bool over = false;
    for (int step = 0; step < (sparse ? 2500 : 300) && !over; ++step) {
      const auto agent = static_cast<unsigned>(random(0, kPipes - 1));
      if (random.one_in(4) != busy) {
        races.begin(agent);
        expected.begin(agent);
        for (uint64_t i = random(1, 2); i > 0 && !over; --i) {
          core_access_t a = sparse ? sparse_access(random, made) : random_access(random, run % 2 == 0 ? 4000 : 300);
          a = !made.empty() && random.one_in(4) ? again(random, made.back()) : a;
          a.write = random.one_in(4);
          made.push_back(a);
          const std::map<unsigned, uint64_t> with = expected.access(agent, a);
          const auto race = races.access(memory, agent, a, made_at(expected.clock(agent)[agent]));
          assert_int_equal(race.has_value(), !with.empty());
          assert_true(!race || with.at(race->agent) == race->command.header.pc_);
          over = race.has_value();
          found += over;
          passed += !over;
        }
      } else {
        const auto to = static_cast<unsigned>(random(0, kPipes - 1));
        if (!sparse || to != lazy || random.one_in(200)) {
          races.begin_to_hand_on(agent);
          races.acquire(to, soc::vector_clock(races.clock(agent)));
          expected.acquire(to, expected.clock(agent));
        }
      }
    }
  }
  assert_true(found > 50 && passed > 2000);
}

// Two accesses that are alike, and nobody waits between: the second is noted unless the first stands for it.
TEST(alike_is_not_the_same) {
  random_numbers random(5);
  int found = 0;
  for (int run = 0; run < 20000; ++run) {
    soc::race_detector races;
    soc::race_memory memory;
    for (int i = 0; i < 2; ++i) {
      memory.add_agent(races.add_agent("core"));
    }
    core_access_t a[3] = {random_access(random, 160), {}, random_access(random, 160)};
    a[1] = again(random, a[0]);
    a[1].write = random.one_in(2);
    if (random.one_in(2)) {
      std::swap(a[0], a[1]);
    }
    bool race = false;
    for (int i = 0; i < 2; ++i) {
      races.begin(0);
      assert_false(races.access(memory, 0, a[i], command_t{}).has_value());
      race = race || ((a[i].write || a[2].write) && meet(bytes_of(a[i]), bytes_of(a[2])));
    }
    races.begin(1);
    assert_int_equal(races.access(memory, 1, a[2], command_t{}).has_value(), race);
    found += race;
  }
  assert_true(found > 2000);
}

// A loop that nobody waits for: its history ends, and says the same of what was read and written since the other agent
// saw it.
TEST(loops_are_kept_short) {
  constexpr unsigned kPlaces = 100;
  random_numbers random(4);
  int found = 0, passed = 0;
  for (int run = 0; run < 40; ++run) {
    soc::race_detector races;
    soc::race_memory memory;
    for (int i = 0; i < 2; ++i) {
      memory.add_agent(races.add_agent("core"));
    }
    const auto place = [](uint64_t i, bool write) {
      core_access_t a = {};
      a.space = SPACE_UB;
      a.write = write;
      a.base = 1000 * i;
      a.rows = 3;
      a.row_bytes = 32;
      a.pitch = 64;
      return a;
    };
    const uint64_t seen = random(0, 20000);  // steps behind the other's back
    uint64_t used[kPlaces][2] = {};          // after them, last read and written; 0: not
    for (uint64_t step = 0; step < 20000; ++step) {
      const uint64_t i = step < 12000 ? random(0, kPlaces - 1) : random(0, 1);
      const bool write = i != 0 && random.one_in(50);
      races.begin(0);
      assert_false(races.access(memory, 0, place(i, write), made_at(step)).has_value());
      if (step == seen) {
        races.begin_to_hand_on(0);
        races.acquire(1, soc::vector_clock(races.clock(0)));
      }
      used[i][write] = step > seen ? step : 0;
      assert_true(memory.histories[0].records.size() <= 2100);
      assert_true(memory.histories[0].commands.size() <= 4200);
    }
    for (uint64_t i = 0; i < kPlaces; ++i) {
      for (const bool write : {false, true}) {
        races.begin(1);
        const auto race = races.access(memory, 1, place(i, write), command_t{});
        const uint64_t last = std::max(used[i][1], write ? used[i][0] : 0);
        assert_int_equal(race.has_value(), last != 0);
        assert_true(!race || race->command.header.pc_ == last);
        found += race.has_value();
        passed += !race.has_value();
      }
    }
  }
  assert_true(found > 2000 && passed > 500);
}

}  // namespace
