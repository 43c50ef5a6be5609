// Against the gm_atomic unit, offered one request after the other tick by tick.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>
#include <set>
#include <vector>

#include "core/gm_atomic.h"
#include "memory_test.h"
#include "soc/memory/gm_requests.h"
#include "soc/slices/slice_queue.h"

namespace {

struct command {
  uint64_t added, start, duration, beats;
  std::vector<soc::slice_run> runs;
};

struct ended {
  uint64_t cycle, token;
};

bool operator==(const ended &a, const ended &b) { return a.cycle == b.cycle && a.token == b.token; }

void read_nothing(void *, uint32_t, uint32_t out[GM_LANES]) { std::fill_n(out, GM_LANES, 0); }
void write_nothing(void *, uint32_t, uint32_t, const uint32_t *) {}

// A slice around the unit, its commands being known from their cycle on.
class reference {
 public:
  explicit reference(const soc::slice_clock &clock) : clock_(clock) { gm_atomic_reset(&unit_); }

  std::vector<ended> run(const std::vector<command> &commands) {
    std::vector<ended> out;
    size_t next = 0;
    for (uint64_t tick_now = 0; next < commands.size() || !streams_.empty() || !unanswered_.empty(); ++tick_now) {
      const uint64_t now = clock_.cycle(tick_now);
      for (; next < commands.size() && commands[next].added <= now; ++next) {
        add(commands[next], next);
      }
      tick(now, out);
    }
    return out;
  }

 private:
  struct beat {
    uint64_t arrival;
    gm_request_t request;
  };
  struct stream {
    uint64_t token;
    std::deque<beat> beats;
  };
  struct response {
    uint64_t token;
    bool last;
  };

  void add(const command &c, uint64_t token) {
    stream s = {token, {}};
    for (const soc::slice_run &run : c.runs) {
      for (uint64_t i = run.first; i < run.first + run.count; ++i) {
        beat b = {c.start + i * c.duration / c.beats, {}};
        b.request.op = run.beats > 1 ? NUM_GM_RESCALE : NUM_GM_ADD_F32;
        b.request.addr = run.address + static_cast<uint32_t>(i - run.first) * run.beats;
        b.request.len = run.beats;
        b.request.mask = 0xffff;
        s.beats.push_back(b);
      }
    }
    streams_.push_back(s);
  }

  void tick(uint64_t now, std::vector<ended> &out) {
    stream *chosen = nullptr;
    for (stream &s : streams_) {
      if (!chosen || s.beats.front().arrival < chosen->beats.front().arrival) {
        chosen = &s;
      }
    }
    const bool offered = chosen && chosen->beats.front().arrival <= now;
    const bool taken = offered && gm_atomic_ready(&unit_);
    bool answered;
    uint32_t tag;
    gm_atomic_tick(&unit_, offered ? &chosen->beats.front().request : nullptr, true, &memory_, &answered, &tag);
    if (answered) {
      if (unanswered_.front().last) {
        out.push_back({now, unanswered_.front().token});
      }
      unanswered_.pop_front();
    }
    if (taken) {
      chosen->beats.pop_front();
      unanswered_.push_back({chosen->token, chosen->beats.empty()});
      streams_.erase(std::remove_if(streams_.begin(), streams_.end(), [](const stream &s) { return s.beats.empty(); }),
                     streams_.end());
    }
  }

  soc::slice_clock clock_;
  gm_atomic_t unit_;
  gm_atomic_mem_t memory_ = {nullptr, read_nothing, write_nothing};
  std::vector<stream> streams_;
  std::deque<response> unanswered_;
};

constexpr uint64_t kLate = UINT64_MAX;

// looks: it looks every so many cycles at most; 0: when one of those that wait can be over; kLate: when all of those
// that wait can be over, as who waits for several slices does.
std::vector<ended> run(const std::vector<command> &commands, uint64_t looks,
                       const soc::slice_clock &clock = soc::slice_clock()) {
  soc::slice_queue queue(clock);
  std::vector<ended> out;
  std::vector<soc::slice_queue::answer> answers;
  random_numbers random(looks == kLate ? 0 : looks);
  uint64_t now = 0;
  uint64_t idle_calls = 0;
  std::set<uint64_t> waiting;
  for (size_t next = 0; next < commands.size() || !waiting.empty();) {
    uint64_t target = waiting.empty() || looks == 0 ? UINT64_MAX : looks == kLate ? 0 : now + random(1, looks);
    if (looks == 0 || looks == kLate) {
      for (uint64_t token : waiting) {
        const uint64_t earliest = queue.earliest(token);
        assert_true(earliest > now);
        target = looks == 0 ? std::min(target, earliest) : std::max(target, earliest);
      }
    }
    now = std::min(target, next < commands.size() ? commands[next].added : UINT64_MAX);
    answers.clear();
    queue.advance(now, answers);
    idle_calls += answers.empty();
    for (const soc::slice_queue::answer &a : answers) {
      assert_true(looks == 0 ? a.cycle == now : a.cycle <= now);
      out.push_back({a.cycle, a.token});
      waiting.erase(a.token);
      assert_int_equal(queue.earliest(a.token), 0);
    }
    for (; next < commands.size() && commands[next].added == now; ++next) {
      const command &c = commands[next];
      queue.add(now, next, c.start, c.duration, c.beats, c.runs);
      waiting.insert(next);
    }
  }
  // One call too early for each end at most, and those for commands.
  assert_true(looks != 0 || idle_calls <= 2 * commands.size());
  return out;
}

// A command of random runs, with beats for other slices between, and at addresses of its own unless it meets others.
command random_command(random_numbers &random, uint64_t added, bool meets) {
  static uint32_t own = 200000;
  command c = {added, added + 1, 0, 0, {}};
  const uint64_t longest = random.one_in(3) ? 1 : random(1, 40);
  const uint64_t gap = random.one_in(3) ? 0 : random(0, 60);
  const bool rescale = random.one_in(3);
  for (uint64_t runs = random(1, 12); runs > 0; --runs) {
    c.beats += random(0, gap);
    const auto count = static_cast<uint32_t>(random(1, longest));
    const auto beats = static_cast<uint32_t>(!rescale ? 1 : random.one_in(20) ? random(1, 1000) : random(1, 8));
    // Few addresses, so that beats meet in flight, or many.
    const auto address = meets ? static_cast<uint32_t>(random(0, random.one_in(2) ? 10 : 100000)) : own;
    own += count * beats;
    own -= random.one_in(40) ? static_cast<uint32_t>(random(1, 8)) : 0;  // the next one meets the end of this
    c.runs.push_back({c.beats, count, beats, address});
    c.beats += count;
  }
  c.beats += random(0, gap);
  c.duration = random.one_in(4) ? c.beats * random(0, 4) : random(0, c.beats * random(1, 6));
  c.start += random.one_in(4) ? random(0, 200) : 0;
  return c;
}

TEST(agrees_with_the_unit) {
  random_numbers random(1);
  for (int scenario = 0; scenario < 3000; ++scenario) {
    std::vector<command> commands;
    const bool crowded = random.one_in(60);  // by many streams at once
    const uint64_t most = crowded ? random(65, 300) : random(1, 30);
    const uint64_t pause = crowded            ? random(0, 20)
                           : random.one_in(4) ? 3000
                                              : random(0, 300);  // mostly several at a time
    const uint64_t apart = random(0, 2);  // how many commands meet others: all, one in twelve, none
    uint64_t now = random(0, 10);
    for (uint64_t i = 0; i < most; ++i) {
      commands.push_back(random_command(random, now, apart == 0 || (apart == 1 && random.one_in(12))));
      now += random.one_in(3) ? 0 : random(0, pause);
    }
    const bool same = random.one_in(2);
    const soc::slice_clock clock(same ? 1 : random(1, 3000), same ? 1 : random(1, 3000));
    if (clock.cycle(1) > 100) {
      continue;
    }
    const std::vector<ended> expected = reference(clock).run(commands);
    assert_int_equal(expected.size(), commands.size());
    assert_true(run(commands, 0, clock) == expected);
    assert_true(run(commands, random(1, 50), clock) == expected);
    assert_true(run(commands, kLate, clock) == expected);
  }
}

TEST(answers_of_a_lone_stream) {
  // 16 beats, one every third cycle: the last arrives in 11 + 45, is read one later and answered six after that.
  assert_true((run({{10, 11, 48, 16, {{0, 16, 1, 0}}}}, 0) == std::vector<ended>{{63, 0}}));
  // All at once: taken in 11..26.
  assert_true((run({{10, 11, 0, 16, {{0, 16, 1, 0}}}}, 0) == std::vector<ended>{{33, 0}}));
  // Walks of 8 beats every third cycle: the last is taken in 11 + 3 * 8.
  assert_true((run({{10, 11, 12, 4, {{0, 4, 8, 0}}}}, 0) == std::vector<ended>{{11 + 24 + 8 + 6, 0}}));
}

TEST(of_beats_at_once_the_first_stream_goes_first) {
  const command c = {10, 11, 8, 8, {{0, 8, 1, 0}}};
  const command d = {10, 11, 8, 8, {{0, 8, 1, 100}}};
  // 16 beats taken in 11..26, in turns.
  assert_true((run({c, d}, 0) == std::vector<ended>{{32, 0}, {33, 1}}));
  // One added later may have a beat that comes before those left.
  const command sparse = {10, 11, 100, 2, {{0, 2, 1, 0}}};
  const command late = {20, 25, 1, 1, {{0, 1, 1, 0}}};
  assert_true((run({sparse, late}, 0) == std::vector<ended>{{32, 1}, {68, 0}}));
}

TEST(beats_of_one_address_wait_for_each_other) {
  // Taken in 11 and 12; the second is read once the first has been written, 7 later.
  const command c = {10, 11, 1, 1, {{0, 1, 1, 5}}};
  assert_true((run({c, c}, 0) == std::vector<ended>{{18, 0}, {25, 1}}));
  // A walk up to that address waits there: read in 13 and 14, not in 15.
  const command walk = {10, 11, 1, 1, {{0, 1, 3, 3}}};
  assert_true((run({c, walk}, 0) == std::vector<ended>{{18, 0}, {25, 1}}));
  // While a long run goes by, of which most is still to come.
  for (uint64_t later = 1; later < 20; ++later) {
    const std::vector<command> commands = {
        c, {11, 12, 40, 40, {{0, 40, 1, 1000}}}, {11 + later, 12 + later, 1, 1, {{0, 1, 1, 5}}}};
    assert_true(run(commands, 0) == reference(soc::slice_clock()).run(commands));
  }
}

TEST(slow_slices_tick_at_their_edges) {
  // Two of three cycles: ticks 0, 1, 2, 3 ... in cycles 0, 2, 3, 5 ... Taken in tick 7, read in 8, answered in 14.
  const soc::slice_clock clock(3, 2);
  assert_int_equal(clock.tick(11), 7);
  assert_int_equal(clock.cycle(8), 12);
  assert_true((run({{10, 11, 1, 1, {{0, 1, 1, 0}}}}, 0, clock) == std::vector<ended>{{21, 0}}));
  // Faster ones are as fast as the cores.
  assert_int_equal(soc::slice_clock(1000, 1800).cycle(7), 7);
  // Far from the beginning, at odd ratios, an edge is still one.
  const soc::slice_clock odd(1800001, 999983);
  const uint64_t late = UINT64_C(1000000000000000);
  assert_int_equal(odd.tick(odd.cycle(late)), late);
}

struct request_at {
  uint64_t slice, first, beats;
  bool operator==(const request_at &other) const {
    return slice == other.slice && first == other.first && beats == other.beats;
  }
};

// Requests of a row, word by word. One goes on into the next beat if it is a RESCALE that began with a beat.
std::vector<request_at> requests_of_words(unsigned op, uint64_t begin, uint64_t end, uint64_t slice_bytes,
                                          uint64_t slices) {
  std::vector<request_at> requests;
  bool walks = false;
  for (uint64_t at = begin; at < end; at += 4) {
    const uint64_t slice = at / slice_bytes % slices, beat = at / soc::kBeatBytes;
    if (at != begin && at % soc::kBeatBytes != 0) {
      continue;
    }
    if (at != begin && walks && at % slice_bytes != 0) {
      ++requests.back().beats;
    } else {
      requests.push_back({slice, beat, 1});
      walks = op == GM_RESCALE && at % soc::kBeatBytes == 0;
    }
  }
  return requests;
}

// Requests of a row, one by one and as runs.
TEST(runs_are_those_requests) {
  random_numbers random(1);
  for (unsigned round = 0; round < 2000; ++round) {
    const unsigned op = random.one_in(2) ? GM_RESCALE : GM_ADD_F32;
    const uint64_t slice_bytes = UINT64_C(64) << random(0, 4), slices = random(1, 5);
    const uint64_t begin = 4 * random(0, 600), end = begin + 4 * random(1, 600);
    std::vector<request_at> alone, in_runs;
    soc::for_each_request(op, begin, end, slice_bytes, slices, [&](unsigned slice, uint64_t offset, uint64_t stop) {
      const uint64_t first = offset / soc::kBeatBytes;
      alone.push_back({slice, first, (stop - 1) / soc::kBeatBytes - first + 1});
    });
    soc::for_each_run(op, begin, end, slice_bytes, slices,
                      [&](unsigned slice, uint32_t address, uint32_t requests, uint32_t beats) {
                        for (uint32_t i = 0; i < requests; ++i) {
                          in_runs.push_back({slice, address + i * beats, beats});
                        }
                      });
    assert_true(alone == requests_of_words(op, begin, end, slice_bytes, slices));
    assert_true(alone == in_runs);
  }
}

}  // namespace
