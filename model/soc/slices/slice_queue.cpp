// SPDX-License-Identifier: Apache-2.0
#include "soc/slices/slice_queue.h"

#include <algorithm>
#include <utility>

namespace soc {

void slice_queue::add(uint64_t now, uint64_t token, uint64_t start, uint64_t duration,
                      uint64_t beats, std::vector<slice_run> runs) {
  serve(now);
  uint64_t work = 0;
  for (const slice_run &run : runs) {
    work += uint64_t{run.count} * run.service;
  }
  const uint64_t back = runs.back().first + runs.back().count - 1;
  if (unused_.empty()) {
    unused_.push_back(streams_.size());
    streams_.emplace_back();
  }
  stream &s = streams_[unused_.back()];
  s = {token, start, duration, beats, duration / beats, duration % beats, std::move(runs),
       0, 0, 0, 0, 0, work};
  enter_run(s);
  heads_.push_back({s.arrival, order_++, arrival(s, back), unused_.back()});
  unused_.pop_back();
  std::push_heap(heads_.begin(), heads_.end(), later);
}

uint64_t slice_queue::next() const {
  if (!answers_.empty()) {
    return answers_.front().cycle;
  }
  if (heads_.empty()) {
    return UINT64_MAX;
  }
  const auto ends_earlier = [](const head &a, const head &b) {
    return a.last != b.last ? a.last < b.last : a.order < b.order;
  };
  const head &first = *std::min_element(heads_.begin(), heads_.end(), ends_earlier);
  const stream &s = streams_[first.slot];
  // Its last beat cannot be served before it arrives nor before the others of its stream are.
  return std::max(first.last + s.runs.back().service,
                  std::max(free_, first.arrival) + s.work) + 1;
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
  s.run_last = arrival(s, run.first + run.count - 1);
}

// All beats that arrive by the cycle until.
void slice_queue::serve(uint64_t until) {
  while (!heads_.empty() && heads_.front().arrival <= until) {
    stream &s = streams_[heads_.front().slot];
    if (serve(s, std::min(until, alone_until()))) {
      answers_.push_back({free_ + 1, s.token});
      unused_.push_back(heads_.front().slot);
      std::pop_heap(heads_.begin(), heads_.end(), later);
      heads_.pop_back();
    } else {
      sink_front(s.arrival);
    }
  }
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
  const head front = {arrival, heads_[0].order, heads_[0].last, heads_[0].slot};
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

// The stream's beats that arrive by the cycle until; true if that was the last of them.
bool slice_queue::serve(stream &s, uint64_t until) {
  while (s.arrival <= until) {
    if (s.run_last > until) {
      do {
        serve_beat(s);
      } while (s.arrival <= until);
      return false;
    }
    serve_whole_run(s);
    if (++s.run == s.runs.size()) {
      return true;
    }
    enter_run(s);
  }
  return false;
}

// If no two beats arrive closer together than the service of one, the last one waits only for what
// was there before the run; if none arrive further apart, the unit is never idle within the run.
void slice_queue::serve_whole_run(stream &s) {
  const uint64_t service = s.runs[s.run].service;
  const uint64_t work = s.left * service;
  if (s.step >= service) {
    free_ = std::max(free_ + work, s.run_last + service);
  } else {
    free_ = std::max(free_, s.arrival) + work;
  }
  s.work -= work;
}

// One that is not the last of its run.
void slice_queue::serve_beat(stream &s) {
  const uint64_t service = s.runs[s.run].service;
  free_ = std::max(free_, s.arrival) + service;
  s.work -= service;
  s.left--;
  s.remainder += s.step_rest;
  s.arrival += s.step;
  if (s.remainder >= s.beats) {
    s.remainder -= s.beats;
    s.arrival++;
  }
}

}  // namespace soc
