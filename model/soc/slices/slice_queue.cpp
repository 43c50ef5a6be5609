// SPDX-License-Identifier: Apache-2.0
#include "soc/slices/slice_queue.h"

#include <algorithm>

namespace soc {

void slice_queue::add(uint64_t now, uint64_t token, uint64_t start, uint64_t duration,
                      uint64_t beats, const std::vector<slice_run> &runs) {
  serve(now);
  uint64_t work = 0;
  for (const slice_run &run : runs) {
    work += uint64_t{run.count} * run.beats;
  }
  const uint64_t back = runs.back().first + runs.back().count - 1;
  if (unused_.empty()) {
    unused_.push_back(streams_.size());
    streams_.emplace_back();
  }
  stream &s = streams_[unused_.back()];
  s.token = token;
  s.start = start;
  s.duration = duration;
  s.beats = beats;
  s.step = duration / beats;
  s.step_rest = duration % beats;
  s.runs.assign(runs.begin(), runs.end());
  s.run = 0;
  s.work = work;
  enter_run(s);
  const end mine = {arrival(s, back), unused_.back()};
  heads_.push_back({s.arrival, order_++, mine.slot});
  std::push_heap(heads_.begin(), heads_.end(), later);
  ends_.insert(std::upper_bound(ends_.begin(), ends_.end(), mine,
                                [](const end &a, const end &b) { return a.last < b.last; }),
               mine);
  unused_.pop_back();
}

uint64_t slice_queue::next() const {
  if (!answers_.empty()) {
    return answers_.front().cycle;
  }
  if (heads_.empty()) {
    return UINT64_MAX;
  }
  const end &first = ends_.front();
  const stream &s = streams_[first.slot];
  // Its last beat cannot be served before it arrives nor before the others of its stream are.
  const uint64_t read = std::max(clock_.tick(first.last) + s.runs.back().beats,
                                 std::max(free_, clock_.tick(s.arrival)) + s.work);
  return clock_.cycle(read + flights_.size());
}

void slice_queue::advance(uint64_t now, std::vector<uint64_t> &finished) {
  serve(now);
  while (!answers_.empty() && answers_.front().cycle <= now) {
    finished.push_back(answers_.front().token);
    answers_.pop_front();
  }
}

uint64_t slice_queue::arrival(const stream &s, uint64_t beat) {
  return s.start + beat * s.duration / s.beats;
}

void slice_queue::enter_run(stream &s) {
  const slice_run &run = s.runs[s.run];
  s.left = run.count;
  s.arrival = arrival(s, run.first);
  s.remainder = run.first * s.duration % s.beats;
  s.address = run.address;
}

// All beats that arrive by the cycle until.
void slice_queue::serve(uint64_t until) {
  while (!heads_.empty() && heads_.front().arrival <= until) {
    stream &s = streams_[heads_.front().slot];
    if (serve(s, std::min(until, alone_until()))) {
      finish_front();
    } else {
      sink_front(s.arrival);
    }
  }
}

// The front stream's beats are all served.
void slice_queue::finish_front() {
  const size_t slot = heads_.front().slot;
  answers_.push_back({clock_.cycle(free_ + flights_.size()), streams_[slot].token});
  unused_.push_back(slot);
  std::pop_heap(heads_.begin(), heads_.end(), later);
  heads_.pop_back();
  ends_.erase(std::find_if(ends_.begin(), ends_.end(), [slot](const end &e) { return e.slot == slot; }));
}

// The arrival up to which the front stream's beats come before those of all others.
uint64_t slice_queue::alone_until() const {
  if (heads_.size() == 1) {
    return UINT64_MAX;
  }
  const size_t second = heads_.size() > 2 && later(heads_[1], heads_[2]) ? 2 : 1;
  const head &other = heads_[second];
  return heads_.front().order < other.order ? other.arrival : other.arrival - 1;
}

// The front stream's next beat arrives later, so others may now be before it.
void slice_queue::sink_front(uint64_t arrival) {
  const head front = {arrival, heads_[0].order, heads_[0].slot};
  size_t hole = 0;
  for (;;) {
    size_t child = 2 * hole + 1;
    if (child + 1 < heads_.size() && later(heads_[child], heads_[child + 1])) {
      child++;
    }
    if (child >= heads_.size() || !later(front, heads_[child])) {
      break;
    }
    heads_[hole] = heads_[child];
    hole = child;
  }
  heads_[hole] = front;
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
