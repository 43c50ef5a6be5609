// Against a reference that treats every move on its own: rates by filling all of them up evenly
// until a link is full or a limit is met, in long double.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/core.h"
#include "memory_test.h"
#include "soc/memory/bandwidth.h"

namespace {

constexpr double kHbm = 746.7;
constexpr double kL2 = 2000.25;

struct move {
  uint64_t begin, cold, warm;
  double limit;
};

struct ended {
  uint64_t cycle, token;
};

bool operator==(const ended &a, const ended &b) { return a.cycle == b.cycle && a.token == b.token; }

// Runs moves, sorted by begin, number i with token i.  looks: how often it looks in between.
std::vector<ended> run(soc::bandwidth &die, const std::vector<move> &moves, uint64_t looks = 0) {
  std::vector<ended> out;
  std::vector<uint64_t> finished;
  random_numbers random(looks);
  uint64_t now = 0;
  for (size_t next = 0; next < moves.size() || die.next() != UINT64_MAX;) {
    const uint64_t target = std::min(die.next(), next < moves.size() ? moves[next].begin : UINT64_MAX);
    now = looks != 0 && target > now && !random.one_in(looks) ? random(now + 1, target) : target;
    die.advance(now, finished);
    for (uint64_t token : finished) {
      out.push_back({now, token});
    }
    finished.clear();
    assert_true(die.next() > now);
    for (; next < moves.size() && moves[next].begin == now; ++next) {
      die.begin(now, moves[next].cold, moves[next].warm, moves[next].limit, next);
    }
  }
  return out;
}

class reference {
 public:
  reference(double hbm, double l2) : hbm_(hbm), l2_(l2) {}

  std::vector<ended> run(const std::vector<move> &moves) {
    std::vector<ended> out;
    size_t next = 0;
    long double now = 0;
    while (next < moves.size() || !flows_.empty()) {
      share();
      long double step = 1e30L;
      if (next < moves.size()) {
        step = static_cast<long double>(moves[next].begin) - now;
      }
      for (const flow &f : flows_) {
        step = std::min(step, (f.cold > 0 ? f.cold : f.warm) / f.rate);
      }
      now += step;
      for (flow &f : flows_) {
        (f.cold > 0 ? f.cold : f.warm) -= f.rate * step;
        f.cold = f.cold < 1e-9L ? 0 : f.cold;
        f.warm = f.warm < 1e-9L ? 0 : f.warm;
      }
      for (const flow &f : flows_) {
        if (f.cold + f.warm <= 0) {
          out.push_back({f.begin + whole(now - static_cast<long double>(f.begin)), f.token});
        }
      }
      flows_.erase(std::remove_if(flows_.begin(), flows_.end(), [](const flow &f) { return f.cold + f.warm <= 0; }),
                   flows_.end());
      for (; next < moves.size() && static_cast<long double>(moves[next].begin) <= now; ++next) {
        const move &m = moves[next];
        flows_.push_back(
            {static_cast<long double>(m.cold), static_cast<long double>(m.warm), m.limit, 0, m.begin, next, false});
      }
    }
    std::sort(out.begin(), out.end(), [](const ended &a, const ended &b) {
      return a.cycle != b.cycle ? a.cycle < b.cycle : a.token < b.token;
    });
    return out;
  }

 private:
  struct flow {
    long double cold, warm, limit, rate;
    uint64_t begin, token;
    bool full;
  };

  static uint64_t whole(long double cycles) {
    const long double nearest = std::rint(cycles);
    return static_cast<uint64_t>(std::fabs(cycles - nearest) <= 1e-9L * cycles ? nearest : std::ceil(cycles));
  }

  void share() {
    long double hbm = hbm_, l2 = l2_;
    for (flow &f : flows_) {
      f.rate = 0;
      f.full = false;
    }
    for (;;) {
      long double cold = 0, all = 0;
      for (const flow &f : flows_) {
        cold += !f.full && f.cold > 0;
        all += !f.full;
      }
      if (all == 0) {
        break;
      }
      long double more = l2 / all;
      more = cold > 0 ? std::min(more, hbm / cold) : more;
      for (const flow &f : flows_) {
        more = f.full ? more : std::min(more, f.limit - f.rate);
      }
      hbm -= more * cold;
      l2 -= more * all;
      for (flow &f : flows_) {
        f.rate += f.full ? 0 : more;
        f.full = f.full || f.limit - f.rate < 1e-12L || l2 < 1e-12L || (f.cold > 0 && hbm < 1e-12L);
      }
    }
    check_fair();
  }

  // Every move is held back by its limit or by a full link of which no other has more.
  void check_fair() const {
    long double hbm = 0, l2 = 0, most_hbm = 0, most = 0;
    for (const flow &f : flows_) {
      l2 += f.rate;
      most = std::max(most, f.rate);
      hbm += f.cold > 0 ? f.rate : 0;
      most_hbm = f.cold > 0 ? std::max(most_hbm, f.rate) : most_hbm;
    }
    assert_true(hbm <= hbm_ + 1e-9L && l2 <= l2_ + 1e-9L);
    for (const flow &f : flows_) {
      assert_true(f.rate > f.limit - 1e-9L || (l2 > l2_ - 1e-9L && f.rate > most - 1e-9L) ||
                  (f.cold > 0 && hbm > hbm_ - 1e-9L && f.rate > most_hbm - 1e-9L));
    }
  }

  long double hbm_, l2_;
  std::vector<flow> flows_;
};

std::vector<move> random_moves(random_numbers &random, size_t count) {
  const double limits[] = {150e9 / 1.8e9, 135e9 / 1.8e9, 100.9e9 / 1.8e9, 88.875, 3.5};
  std::vector<move> moves;
  const uint64_t pause = random(0, 400);
  const uint64_t most = random.one_in(2) ? 60000 : 500000;
  uint64_t now = random(0, 100);
  while (moves.size() < count) {
    const uint64_t kind = random(0, 4);
    const uint64_t bytes = random(1, random.one_in(4) ? 200 : most);
    const uint64_t cold = kind == 0 ? bytes : kind == 1 ? random(1, bytes) : 0;
    const move m = {now, cold, bytes - cold, limits[random(0, 4)]};
    // Some several at once, as of cores in step.
    moves.insert(moves.end(), random.one_in(8) ? random(1, 24) : 1, m);
    now += random.one_in(3) ? 0 : random(0, pause);
  }
  return moves;
}

TEST(agrees_with_the_reference) {
  random_numbers random(1);
  for (int scenario = 0; scenario < 300; ++scenario) {
    const std::vector<move> moves = random_moves(random, random(1, 300));
    soc::bandwidth die(kHbm, kL2);
    const std::vector<ended> ours = run(die, moves, scenario % 3 == 0 ? 0 : random(1, 4));
    const std::vector<ended> theirs = reference(kHbm, kL2).run(moves);
    assert_int_equal(ours.size(), moves.size());
    assert_true(ours == theirs);
  }
}

// Cycles of a copy by model/core/cost.c.
uint64_t core_says(const config_t &config, uint32_t bytes) {
  command_t command = {};
  command.copy_in.rows = 1;
  command.copy_in.row_bytes = bytes;
  command.header.opcode_ = OP_COPY_IN;
  return core_cycles(&config, &command);
}

TEST(alone_takes_the_cycles_of_the_core) {
  random_numbers random(2);
  config_t config = {};
  for (int i = 0; i < 20000; ++i) {
    const double gbps[] = {100.9, 150, 135, 180, 160};
    config.soc.clock_mhz = random.one_in(2) ? 1800 : 1650;
    config.vector.load_gbps = gbps[random(0, 4)];
    const double limit = config_bytes_per_cycle(&config, config.vector.load_gbps);
    // Multiples of 250 and 525 come to whole cycles that doubles may miss.
    const uint32_t bytes = static_cast<uint32_t>(random(1, 2000) * (random.one_in(4)   ? 250
                                                                    : random.one_in(3) ? 525
                                                                                       : random(1, 100)));
    const uint64_t cold = random.one_in(3) ? 0 : random(0, bytes);
    const uint64_t begin = random(0, uint64_t{1} << 40);
    soc::bandwidth die(kHbm, kL2);
    // Others that take part and leave enough.
    std::vector<move> moves = {{begin, cold, bytes - cold, limit}};
    for (uint64_t other = random(0, 4); other > 0; --other) {
      moves.push_back({begin + (4 - other) * 7, random(0, 5000), random(0, 5000), limit / 2});
    }
    for (const ended &e : run(die, moves)) {
      if (e.token == 0) {
        assert_int_equal(e.cycle - begin, core_says(config, bytes));
      }
    }
  }
}

TEST(equal_loads_share_equally) {
  const double limit = 83.3;
  std::vector<move> moves(24, {10, 147456, 0, limit});
  soc::bandwidth die(kHbm, kL2);
  std::vector<ended> ends = run(die, moves);
  assert_int_equal(ends.size(), 24);
  for (size_t i = 0; i < 24; ++i) {
    assert_true((ends[i] == ended{10 + 4740, i}));  // 147456 * 24 / 746.7 = 4739.47
  }
  // Warm they need L2 only, and 24 * 83.3 = 1999.2 fits.
  moves.assign(24, {ends.back().cycle, 0, 147456, limit});
  ends = run(die, moves);
  for (size_t i = 0; i < 24; ++i) {
    assert_true((ends[i] == ended{moves[i].begin + 1771, i}));  // 147456 / 83.3 = 1770.18
  }
}

// Bandwidth of L2 that cold loads cannot use goes to the others; a slow one leaves its share to the rest.
TEST(leftovers_go_round) {
  soc::bandwidth die(100, 300);
  // Cold: 50 each of HBM.  Warm: 300 - 100 leaves 200 for one limited to 30 and one that gets 170.
  const std::vector<move> moves = {{0, 5000, 0, 1000}, {0, 5000, 0, 1000}, {0, 0, 3000, 30}, {0, 0, 17000, 1000}};
  const std::vector<ended> ends = run(die, moves);
  assert_int_equal(ends.size(), 4);
  for (size_t i = 0; i < 4; ++i) {
    assert_true((ends[i] == ended{100, i}));
  }
}

// While a link is full, it moves its bytes a cycle, however they are shared.
TEST(bytes_are_conserved) {
  random_numbers random(3);
  for (int scenario = 0; scenario < 100; ++scenario) {
    const bool cold = scenario % 2 == 0;
    const double full = cold ? kHbm : kL2;
    std::vector<move> moves;
    uint64_t total = 0;
    for (int i = 0; i < 200; ++i) {
      const uint64_t bytes = random(1, 100000);
      const auto begin = static_cast<uint64_t>(static_cast<double>(total) / full);
      const uint64_t start = moves.empty() ? 0 : random(moves.back().begin, begin);
      moves.push_back({start, cold ? bytes : 0, cold ? 0 : bytes, random.one_in(2) ? 5000. : 3000.});
      total += bytes;
    }
    soc::bandwidth die(kHbm, kL2);
    const uint64_t last = run(die, moves).back().cycle;
    assert_int_equal(last, static_cast<uint64_t>(std::ceil(static_cast<double>(total) / full)));
  }
}

TEST(ends_of_one_cycle_come_in_the_order_of_begins) {
  soc::bandwidth die(kHbm, kL2);
  std::vector<move> moves;
  // Through at 10.5, 10.25, 10.5 (cold to warm at 0.5), 10 + a rounding's breadth, 9.75.
  moves.push_back({0, 0, 840, 80});
  moves.push_back({0, 410, 0, 40});
  moves.push_back({0, 20, 400, 40});
  moves.push_back({0, 0, 833, 83.3});
  moves.push_back({1, 0, 700, 80});
  const std::vector<ended> ends = run(die, moves);
  const std::vector<ended> expected = {{10, 3}, {10, 4}, {11, 0}, {11, 1}, {11, 2}};
  assert_true(ends == expected);
}

TEST(takes_at_least_one_cycle) {
  soc::bandwidth die(kHbm, kL2);
  const std::vector<ended> ends = run(die, {{5, 0, 0, 80}, {5, 1, 1, 80}, {5, 0, 81, 80}});
  const std::vector<ended> expected = {{6, 0}, {6, 1}, {7, 2}};
  assert_true(ends == expected);
  assert_true(die.next() == UINT64_MAX);
}

// Moves late in a run are timed as exactly as early ones, though others never end.
TEST(time_does_not_wear_off) {
  soc::bandwidth die(kHbm, kL2);
  const uint64_t late = 1000000000000;
  const double limit = 83.3;
  std::vector<uint64_t> finished;
  die.begin(0, 0, uint64_t{1} << 60, limit, 0);
  die.begin(3, uint64_t{1} << 60, 0, limit, 1);
  for (uint64_t i = 0; i < 1000; ++i) {
    const uint64_t begin = late + 17 * i;
    die.advance(begin, finished);
    die.begin(begin, i % 2 == 0 ? 833 : 0, i % 2 == 0 ? 0 : 833, limit, 2);
    // Another, whose end has all be worked out anew.
    const uint64_t other = begin + 1 + i % 8;
    die.advance(other, finished);
    die.begin(other, 0, 1, limit, 3);
    die.advance(other + 1, finished);
    assert_int_equal(die.next(), begin + 10);
    die.advance(die.next(), finished);
    assert_true((finished == std::vector<uint64_t>{3, 2}));
    finished.clear();
  }
}

}  // namespace
