// Rates of moves that share ports and links: against a reference that fills all of them up evenly until a thing is full
// or a limit is met, in long double; and times, by hand.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/core.h"
#include "memory_test.h"
#include "soc/memory/shares.h"

namespace {

struct flow {
  std::vector<unsigned> path;
  double limit;
  long double rate;
  bool held;
};

// All rise together by the least that any can.
void fill(std::vector<flow> &flows, const std::vector<double> &capacity) {
  for (;;) {
    long double rise = 1e30L;
    std::vector<long double> rest(capacity.begin(), capacity.end());
    std::vector<unsigned> open(capacity.size());
    for (const flow &f : flows) {
      for (const unsigned thing : f.path) {
        rest[thing] -= f.rate;
        open[thing] += !f.held;
      }
      rise = f.held ? rise : std::min(rise, f.limit - f.rate);
    }
    for (size_t i = 0; i < capacity.size(); ++i) {
      rise = open[i] > 0 ? std::min(rise, rest[i] / open[i]) : rise;
    }
    if (rise > 1e29L) {
      return;
    }
    for (flow &f : flows) {
      f.rate += f.held ? 0 : rise;
    }
    for (flow &f : flows) {
      f.held = f.held || f.limit - f.rate < 1e-9L;
      for (const unsigned thing : f.path) {
        f.held = f.held || (open[thing] > 0 && rest[thing] / open[thing] - rise < 1e-9L);
      }
    }
  }
}

}  // namespace

TEST(rates) {
  random_numbers random(1);
  for (unsigned round = 0; round < 300; ++round) {
    soc::shares all;
    std::vector<double> capacity;
    std::vector<flow> flows;
    for (uint64_t i = random(2, 8); i > 0; --i) {
      capacity.push_back(static_cast<double>(random(1, 20)));
      all.add(capacity.back());
    }
    for (uint64_t i = random(1, 12); i > 0; --i) {
      const auto from = static_cast<unsigned>(random(0, capacity.size() - 1));
      const auto to = static_cast<unsigned>(random(0, capacity.size() - 1));
      flow f = {{from}, static_cast<double>(random(1, 9)), 0, false};
      if (to != from) {
        f.path.push_back(to);
      }
      flows.push_back(f);
      all.begin(0, f.path, 1000, f.limit, i);
    }
    all.share();
    fill(flows, capacity);
    for (const flow &f : flows) {
      long double of_path = 0;
      for (const flow &other : flows) {
        of_path += other.path == f.path ? other.rate : 0;
      }
      assert_true(std::fabs(all.rate(f.path) - static_cast<double>(of_path)) < 1e-6);
    }
  }
}

// Two moves over one thing of 10 bytes a cycle, and one beside them that the thing it shares with the first leaves
// more.
TEST(times) {
  soc::shares all;
  std::vector<uint64_t> done;
  const unsigned a = all.add(10), b = all.add(12);
  all.begin(0, {a}, 100, 100, 1);
  all.begin(0, {a, b}, 100, 100, 2);
  all.begin(0, {b}, 100, 100, 3);
  all.share();
  assert_int_equal(all.next(), 15);  // 5, 5 and 7 bytes a cycle
  all.advance(15, done);
  all.share();
  assert_true(done == std::vector<uint64_t>{3});
  assert_int_equal(all.next(), 20);
  all.begin(16, {a}, 10, 1, 4);  // 4.5, 4.5 and 1: 20 are left of each of the first two
  all.share();
  assert_int_equal(all.next(), 21);
  all.advance(21, done);
  all.share();
  assert_true((done == std::vector<uint64_t>{3, 1, 2}));
  assert_int_equal(all.next(), 26);
  all.advance(26, done);
  assert_int_equal(all.next(), UINT64_MAX);
}
