// Accesses of two domains that race, and those that do not.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <vector>

#include "memory_test.h"
#include "soc/races/gm_users.h"

namespace {

constexpr uint64_t kLine = 512;

core_access_t rows_of(bool write, uint64_t base, uint64_t rows, uint64_t row_bytes, uint64_t pitch) {
  core_access_t a = {};
  a.space = SPACE_GM;
  a.write = write;
  a.base = base;
  a.rows = rows;
  a.row_bytes = row_bytes;
  a.pitch = pitch;
  return a;
}

// Domains of two agents each, that meet in two series.
class machine {
 public:
  explicit machine(unsigned domains) : users(100 * kLine), races(domains) {
    for (soc::race_detector &r : races) {
      syncs.add_domain();
      r.add_agent("a");
      r.add_agent("b");
    }
  }
  // The domain that it races with, or -1.
  int use(unsigned domain, unsigned agent, const core_access_t &a) {
    soc::race_detector &r = races[domain];
    r.begin(agent);
    const auto other = users.access(
        {syncs, r.clock(agent), r.handed_on(agent), static_cast<uint16_t>(domain), static_cast<uint16_t>(agent)}, a,
        a.base);
    return other ? static_cast<int>(*other) : -1;
  }
  int write(unsigned domain, uint64_t base, uint64_t bytes) {
    return use(domain, 0, rows_of(true, base, 1, bytes, bytes));
  }
  int read(unsigned domain, uint64_t base, uint64_t bytes) {
    return use(domain, 0, rows_of(false, base, 1, bytes, bytes));
  }
  void flag(unsigned domain, unsigned from, unsigned to) {
    races[domain].begin_to_hand_on(from);
    races[domain].acquire(to, soc::vector_clock(races[domain].clock(from)));
  }
  void sync(unsigned agent) {
    for (unsigned d = 0; d < races.size(); ++d) {
      races[d].begin_to_hand_on(agent);
      syncs.arrive(agent, d, races[d].clock(agent));
    }
    syncs.complete(agent);
    for (unsigned d = 0; d < races.size(); ++d) {
      races[d].acquire(agent, syncs.for_domain(agent, d));
    }
  }

  soc::gm_users users;
  soc::meetings syncs;
  std::vector<soc::race_detector> races;
};

TEST(whole_lines) {
  machine m(5);
  assert_int_equal(m.write(3, 2 * kLine, 4 * kLine), -1);
  assert_int_equal(m.write(3, 2 * kLine, 4 * kLine), -1);
  assert_int_equal(m.read(3, 3 * kLine, 10), -1);
  assert_int_equal(m.read(4, 6 * kLine, kLine), -1);  // beside it
  assert_int_equal(m.read(4, 5 * kLine + 511, 1), 3);
  assert_int_equal(m.write(4, 5 * kLine, kLine), 3);
  assert_int_equal(m.write(4, 2 * kLine - 8, 9), 3);
}

TEST(parts_of_a_line) {
  machine m(3);
  assert_int_equal(m.write(0, 100, 50), -1);
  assert_int_equal(m.write(1, 150, 50), -1);  // the same line, other bytes
  assert_int_equal(m.read(1, 90, 10), -1);
  assert_int_equal(m.read(1, 90, 11), 0);
  assert_int_equal(m.write(0, 149, 2), 1);
  assert_int_not_equal(m.write(2, 0, kLine), -1);
}

TEST(rows_with_gaps) {
  machine m(3);
  assert_int_equal(m.use(0, 0, rows_of(true, 0, 8, 64, 256)), -1);
  assert_int_equal(m.use(1, 0, rows_of(true, 64, 8, 192, 256)), -1);
  assert_int_equal(m.read(2, 7 * 256 + 63, 1), 0);
  assert_int_equal(m.read(2, 7 * 256 + 64, 1), 1);
}

TEST(a_write_after_a_read) {
  machine m(2);
  assert_int_equal(m.read(0, 0, 2 * kLine), -1);
  assert_int_equal(m.read(1, 8, 8), -1);
  assert_int_equal(m.write(1, kLine + 8, 8), 0);
  m.sync(0);
  assert_int_equal(m.write(1, kLine + 8, 8), -1);
  assert_int_equal(m.write(0, 8, 8), -1);
}

// Bytes written before a SYNC_ALL may be read after it; those written after it, or by a pipe that did not come to it,
// may not.
TEST(a_sync_orders_what_came_to_it) {
  machine m(2);
  m.use(0, 1, rows_of(true, 0, 1, kLine, kLine));
  m.sync(0);
  assert_int_equal(m.read(1, 0, 1), 0);  // agent 1 did not flag agent 0
  m.flag(0, 1, 0);
  m.sync(0);
  assert_int_equal(m.read(1, 0, 1), -1);
  assert_int_equal(m.use(1, 1, rows_of(false, 0, 1, 1, 1)), 0);  // agent 1 there has not heard of it
  m.flag(1, 0, 1);
  assert_int_equal(m.use(1, 1, rows_of(false, 0, 1, 1, 1)), -1);
  m.write(0, kLine, kLine);
  assert_int_equal(m.read(1, kLine + 1, 1), 0);
  m.syncs.forget();  // a launch
  m.users.forget();
  assert_int_equal(m.write(1, 0, 2 * kLine), -1);
}

// Through other domains: 0 meets 1 in one series, and 1 hands it on in the other.
TEST(a_way_through_others) {
  machine m(3);
  m.write(0, 0, 8);
  m.sync(0);
  assert_int_equal(m.use(2, 1, rows_of(false, 0, 1, 8, 8)), 0);
  m.flag(1, 0, 1);
  m.sync(1);
  assert_int_equal(m.use(2, 1, rows_of(false, 0, 1, 8, 8)), -1);
}

// Of one domain alone so many accesses are kept, and no more.
TEST(more_than_is_kept) {
  machine m(2);
  constexpr uint64_t kWrites = 20000;
  for (uint64_t i = 0; i < kWrites; ++i) {
    assert_int_equal(m.write(0, 2 * i, 1), -1);
  }
  for (uint64_t i = 0; i < kWrites; i += 777) {
    assert_int_equal(m.read(1, 2 * i, 1), 0);
    assert_int_equal(m.write(1, 2 * i + 1, 1), -1);
  }
}

// Agents of a domain count for themselves: the clock of one says nothing of the other's. So it is in lines, and among
// accesses of one domain alone, which come in any order.
TEST(agents_count_for_themselves) {
  constexpr uint64_t kPlaces = 64;
  for (const bool alone : {false, true}) {
    for (const bool write : {false, true}) {
      machine m(2);
      const auto use_all = [&](unsigned agent) {
        for (uint64_t i = 0; i < kPlaces; ++i) {
          assert_int_equal(m.use(0, agent, rows_of(write, 64 * i, 1, 8, 8)), -1);
        }
      };
      assert_int_equal(alone ? -1 : m.read(1, 32, 8), -1);
      m.flag(0, 0, 1);  // agent 1 never hands anything on
      use_all(write ? 0 : 1);
      m.flag(0, 0, 1);
      use_all(write ? 1 : 0);
      m.sync(0);
      for (uint64_t i = 0; i < kPlaces; ++i) {
        assert_int_equal(m.write(1, 64 * i, 8), 0);
      }
    }
  }
}

// Of what an agent did to the same bytes the last is kept, in whatever order accesses of one domain alone come.
TEST(the_last_is_kept) {
  constexpr uint64_t kPlaces = 64;
  machine m(2);
  for (uint64_t i = 0; i < kPlaces; ++i) {
    assert_int_equal(m.write(0, 64 * i, 8), -1);
  }
  m.sync(0);
  for (uint64_t i = 0; i < kPlaces; ++i) {
    assert_int_equal(m.write(0, 64 * i, 16), -1);
  }
  for (uint64_t i = 0; i < kPlaces; ++i) {
    assert_int_equal(m.read(1, 64 * i, 8), 0);
  }
}

// ---- Random programs ----

constexpr unsigned kDomains = 4, kUsers = 2 * kDomains;

// The races between domains by sets of bytes: each agent of all has seen so many commands of each other one.
class reference {
 public:
  using clock = std::array<size_t, kUsers>;
  static unsigned number(unsigned domain, unsigned agent) { return 2 * domain + agent; }

  void flag(unsigned from, unsigned to) {
    ++seen_[from][from];
    see(seen_[to], seen_[from]);
  }
  void sync(unsigned agent) {
    clock all{};
    for (unsigned d = 0; d < kDomains; ++d) {
      ++seen_[number(d, agent)][number(d, agent)];
      see(all, seen_[number(d, agent)]);
    }
    for (unsigned d = 0; d < kDomains; ++d) {
      seen_[number(d, agent)] = all;
    }
  }
  // The domains it races with.
  std::set<unsigned> access(unsigned user, const core_access_t &a) {
    std::set<unsigned> with;
    ++seen_[user][user];
    for (const past &p : past_) {
      if (p.user != user && p.time > seen_[user][p.user] && (p.a.write || a.write) && meet(p.a, a)) {
        with.insert(p.user / 2);
      }
    }
    past_.push_back({user, seen_[user][user], a});
    return with;
  }
  void drop_last() { past_.pop_back(); }

 private:
  struct past {
    unsigned user;
    size_t time;
    core_access_t a;
  };
  static void see(clock &to, const clock &from) {
    std::transform(to.begin(), to.end(), from.begin(), to.begin(), [](size_t a, size_t b) { return std::max(a, b); });
  }
  static bool meet(const core_access_t &a, const core_access_t &b) {
    for (uint64_t i = 0; i < a.rows; ++i) {
      for (uint64_t j = 0; j < b.rows; ++j) {
        const uint64_t x = a.base + i * a.pitch, y = b.base + j * b.pitch;
        if (x < y + b.row_bytes && y < x + a.row_bytes) {
          return true;
        }
      }
    }
    return false;
  }
  std::array<clock, kUsers> seen_{};
  std::vector<past> past_;
};

// Often at the edges of few lines, in rows of whole lines, or with gaps.
core_access_t random_access(random_numbers &random, uint64_t lines) {
  const bool whole = random.one_in(3);
  const uint64_t rows = random.one_in(2) ? 1 : random(1, 4);
  const uint64_t row_bytes = whole ? kLine * random(1, 2) : random.one_in(3) ? random(1, 8) : random(1, kLine);
  const uint64_t gap = random.one_in(3) ? 0 : whole ? kLine : random(1, 70);
  core_access_t a = rows_of(random.one_in(2), 0, rows, row_bytes, rows == 1 && random.one_in(2) ? 0 : row_bytes + gap);
  const uint64_t room = lines * kLine - (rows - 1) * a.pitch - row_bytes;
  a.base = whole ? random(0, room / kLine) * kLine : random.one_in(2) ? random(0, room) : random(0, room / 64) * 64;
  return a;
}

// Within a domain nothing may race: the race detector would have said so. Such accesses are left out.
TEST(races_are_those_of_bytes) {
  random_numbers random(3);
  int found = 0, passed = 0;
  for (int run = 0; run < 3000; ++run) {
    machine m(kDomains);
    reference expected;
    const uint64_t lines = random(12, 40);
    bool over = false;
    for (int step = 0; step < 120 && !over; ++step) {
      const auto d = static_cast<unsigned>(random(0, kDomains - 1)), agent = static_cast<unsigned>(random(0, 1));
      if (random.one_in(4)) {
        m.flag(d, agent, 1 - agent);
        expected.flag(2 * d + agent, 2 * d + 1 - agent);
      } else if (random.one_in(3)) {
        m.sync(agent);
        expected.sync(agent);
      } else {
        const core_access_t a = random_access(random, lines);
        const std::set<unsigned> with = expected.access(2 * d + agent, a);
        if (with.count(d) != 0 || (!with.empty() && !random.one_in(8))) {
          expected.drop_last();
          continue;
        }
        const int race = m.use(d, agent, a);
        assert_int_equal(race >= 0, !with.empty());
        assert_true(race < 0 || with.count(static_cast<unsigned>(race)) != 0);
        over = race >= 0;
        found += over;
        passed += !over;
      }
    }
  }
  assert_true(found > 1000 && passed > 20000);
}

}  // namespace
