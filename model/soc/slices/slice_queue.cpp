// SPDX-License-Identifier: Apache-2.0
#include "soc/slices/slice_queue.h"

#include <algorithm>
#include <utility>

namespace soc {

slice_queue::slice_queue(const slice_clock &clock, uint32_t stages)
    : streams_(64), due_(kWheel), clock_(clock), flights_(GM_FLIGHT(stages)) {}

void slice_queue::add(uint64_t now, uint64_t token, uint64_t start, uint64_t duration,
                      uint64_t beats, const std::vector<slice_run> &runs) {
  serve(now);
  if (used_ == streams_.size()) {
    renumber();
  }
  stream &s = streams_[used_];
  s.token = token;
  s.start = start;
  s.duration = duration;
  s.beats = beats;
  s.step = duration / beats;
  s.step_rest = duration % beats;
  s.runs.assign(runs.begin(), runs.end());
  s.run = 0;
  s.work = 0;
  for (const slice_run &run : runs) {
    s.work += uint64_t{run.count} * run.beats;
  }
  enter_run(s);
  const end mine = {arrival(s, runs.back().first + runs.back().count - 1), used_};
  ends_.insert(std::upper_bound(ends_.begin(), ends_.end(), mine,
                                [](const end &a, const end &b) { return a.last < b.last; }),
               mine);
  await(used_++);
  predict();
}

void slice_queue::advance(uint64_t now, std::vector<uint64_t> &finished) {
  serve(now);
  while (!answers_.empty() && answers_.front().cycle <= now) {
    finished.push_back(answers_.front().token);
    answers_.pop_front();
  }
  predict();
}

void slice_queue::predict() {
  if (!answers_.empty()) {
    next_ = answers_.front().cycle;
  } else if (ends_.empty()) {
    next_ = UINT64_MAX;
  } else {
    const end &first = ends_.front();
    const stream &s = streams_[first.slot];
    // Its last beat cannot be served before it arrives nor before the others of its stream are.
    const uint64_t read = std::max(clock_.tick(first.last) + s.runs.back().beats,
                                   std::max(free_, clock_.tick(s.arrival)) + s.work);
    next_ = clock_.cycle(read + flights_.size());
  }
}

uint64_t slice_queue::arrival(const stream &s, uint64_t beat) {
  return s.start + beat * s.duration / s.beats;
}

void slice_queue::enter_run(stream &s) {
  const slice_run &run = s.runs[s.run];
  const uint64_t cycles = run.first * s.duration;
  s.left = run.count;
  s.arrival = s.start + cycles / s.beats;
  s.remainder = cycles % s.beats;
  s.address = run.address;
}

// Streams that go on move to the lowest slots, and there is room for another.
void slice_queue::renumber() {
  const size_t live = ends_.size();
  if (live > streams_.size() / 2) {
    words_ *= 2;
    streams_.resize(64 * words_);
  }
  size_t count = 0;
  for (size_t slot = 0; slot < used_; ++slot) {
    streams_[slot].moves_to = count;
    count += streams_[slot].work != 0;
  }
  for (end &e : ends_) {
    e.slot = streams_[e.slot].moves_to;
  }
  due_.assign(kWheel * words_, 0);
  any_due_.fill(0);
  for (size_t slot = 0; slot < used_; ++slot) {
    if (streams_[slot].work != 0) {
      const size_t to = streams_[slot].moves_to;
      std::swap(streams_[to], streams_[slot]);
      await(to);
    }
  }
  used_ = live;
}

// Marks the cycle in which the stream's next beat arrives.
void slice_queue::await(size_t slot) {
  const uint64_t cycle = std::min(streams_[slot].arrival, cursor_ + kWheel - 1) % kWheel;
  due_[cycle * words_ + slot / 64] |= uint64_t{1} << slot % 64;
  any_due_[cycle / 64] |= uint64_t{1} << cycle % 64;
}

// The first cycle from cursor_ on that is marked.
uint64_t slice_queue::next_due() const {
  const uint64_t begin = cursor_ % kWheel;
  uint64_t marked = any_due_[begin / 64] >> begin % 64;
  if (marked != 0) {
    return cursor_ + static_cast<uint64_t>(__builtin_ctzll(marked));
  }
  uint64_t cycle = cursor_ + 64 - begin % 64;
  for (size_t i = 0; i < any_due_.size(); ++i, cycle += 64) {
    marked = any_due_[cycle % kWheel / 64];
    if (marked != 0) {
      return cycle + static_cast<uint64_t>(__builtin_ctzll(marked));
    }
  }
  return UINT64_MAX;
}

// All beats that arrive by the cycle until.
void slice_queue::serve(uint64_t until) {
  for (uint64_t cycle = next_due(); cycle <= until; cycle = next_due()) {
    cursor_ = cycle;
    serve_cycle(cycle, until);
  }
  cursor_ = std::max(cursor_, until + 1);
}

// The beats of a cycle that is marked, and if no other stream has one soon, those that follow them.
void slice_queue::serve_cycle(uint64_t cycle, uint64_t until) {
  const uint64_t place = cycle % kWheel;
  any_due_[place / 64] &= ~(uint64_t{1} << place % 64);
  size_t waiting = SIZE_MAX;   // the last one found
  const auto turn = [&](uint64_t last) {
    stream &s = streams_[waiting];
    if (s.arrival <= last && serve(s, last)) {
      finish(waiting);
    } else {
      await(waiting);
    }
  };
  for (size_t word = 0; word < words_; ++word) {
    uint64_t &marks = due_[place * words_ + word];
    for (uint64_t left = std::exchange(marks, 0); left != 0; left &= left - 1) {
      if (waiting != SIZE_MAX) {
        turn(cycle);
      }
      waiting = word * 64 + static_cast<size_t>(__builtin_ctzll(left));
    }
  }
  turn(std::min(until, next_due() - 1));
}

// The stream's beats are all served.
void slice_queue::finish(size_t slot) {
  answers_.push_back({clock_.cycle(free_ + flights_.size()), streams_[slot].token});
  ends_.erase(std::find_if(ends_.begin(), ends_.end(), [slot](const end &e) { return e.slot == slot; }));
}

// The stream's requests that arrive by the cycle until; true if that was the last of them.
bool slice_queue::serve(stream &s, uint64_t until) {
  while (s.arrival <= until) {
    serve_request(s);
    if (s.left == 0) {
      if (++s.run == s.runs.size()) {
        return true;
      }
      enter_run(s);
    }
  }
  return false;
}

void slice_queue::serve_request(stream &s) {
  const uint32_t beats = s.runs[s.run].beats;
  free_ = std::max(free_, clock_.tick(s.arrival));
  for (uint32_t i = 0; i < beats; ++i) {
    read(s.address++);
  }
  s.work -= beats;
  s.left--;
  s.remainder += s.step_rest;
  s.arrival += s.step;
  if (s.remainder >= s.beats) {
    s.remainder -= s.beats;
    s.arrival++;
  }
}

void slice_queue::read(uint32_t address) {
  uint64_t tick = free_ + 1;
  uint64_t &busy = busy_[address % busy_.size()];
  if (busy >= tick) {   // by this address, or by another
    for (const flight &f : flights_) {
      if (f.address == address && f.until >= tick) {
        tick = f.until + 1;
      }
    }
  }
  busy = tick + flights_.size();
  flights_[oldest_] = {busy, address};
  oldest_ = oldest_ + 1 == flights_.size() ? 0 : oldest_ + 1;
  free_ = tick;
}

}  // namespace soc
