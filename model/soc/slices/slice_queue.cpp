// SPDX-License-Identifier: Apache-2.0
#include "soc/slices/slice_queue.h"

#include <algorithm>
#include <utility>

namespace soc {

slice_queue::slice_queue(const slice_clock &clock, uint32_t stages)
    : streams_(64), due_(kWheel), far_(1), clock_(clock), flights_(GM_FLIGHT(stages)) {}

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
  s.last_length = runs.back().beats;
  s.work = 0;
  s.low = UINT32_MAX;
  s.high = 0;
  for (const slice_run &run : runs) {
    s.work += uint64_t{run.count} * run.beats;
    s.low = std::min(s.low, run.address);
    s.high = std::max(s.high, run.address + run.count * run.beats);
  }
  enter_run(s, 0);
  s.meets = may_meet(s);
  meeting_ += s.meets;
  const end mine = {arrival(s, runs.back().first + runs.back().count - 1), used_};
  ends_.insert(std::upper_bound(ends_.begin(), ends_.end(), mine,
                                [](const end &a, const end &b) { return a.last < b.last; }),
               mine);
  await(used_++);
  predict();
}

// May a beat of a new stream find its address in flight, or bring others to find theirs?
bool slice_queue::may_meet(const stream &s) const {
  for (size_t i = 1; i < s.runs.size(); ++i) {
    if (s.runs[i].address < s.runs[i - 1].address + s.runs[i - 1].count * s.runs[i - 1].beats) {
      return true;
    }
  }
  const auto overlaps = [&s](uint32_t low, uint32_t high) { return s.low < high && low < s.high; };
  return std::any_of(ends_.begin(), ends_.end(),
                     [&](const end &e) { return overlaps(streams_[e.slot].low, streams_[e.slot].high); }) ||
         std::any_of(flights_.begin(), flights_.end(), [&](const flight &f) {
           return f.last + flights_.size() > clock_.tick(s.start) && overlaps(f.end - f.count, f.end);
         });
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
    const uint64_t read = std::max(clock_.tick(first.last) + s.last_length,
                                   std::max(free_, clock_.tick(s.arrival)) + s.work);
    next_ = clock_.cycle(read + flights_.size());
  }
}

void slice_queue::enter_run(stream &s, uint32_t number) {
  const slice_run &run = s.runs[number];
  const uint64_t cycles = run.first * s.duration;
  s.run = number;
  s.left = run.count;
  s.length = run.beats;
  s.address = run.address;
  if ((cycles | s.beats) <= UINT32_MAX) {   // a shorter division
    s.arrival = s.start + static_cast<uint32_t>(cycles) / static_cast<uint32_t>(s.beats);
    s.remainder = static_cast<uint32_t>(cycles) % static_cast<uint32_t>(s.beats);
  } else {
    s.arrival = s.start + cycles / s.beats;
    s.remainder = cycles % s.beats;
  }
}

// --- whose beat is next -----------------------------------------------------------------------

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
  marked_ = 0;
  far_.assign(words_, 0);
  far_first_ = UINT64_MAX;
  for (size_t slot = 0; slot < used_; ++slot) {
    if (streams_[slot].work != 0) {
      const size_t to = streams_[slot].moves_to;
      std::swap(streams_[to], streams_[slot]);
      await(to);
    }
  }
  used_ = live;
}

// The stream waits for its next beat.
void slice_queue::await(size_t slot) {
  const uint64_t arrival = streams_[slot].arrival;
  if (arrival - cursor_ < kWheel) {
    return mark(slot, arrival);
  }
  far_[slot / 64] |= uint64_t{1} << slot % 64;
  far_first_ = std::min(far_first_, arrival);
}

void slice_queue::mark(size_t slot, uint64_t cycle) {
  due_[cycle % kWheel * words_ + slot / 64] |= uint64_t{1} << slot % 64;
  marked_ |= uint64_t{1} << cycle % kWheel;
}

// Streams whose next beat is no longer far off are marked.
void slice_queue::bring_near() {
  far_first_ = UINT64_MAX;
  for (size_t word = 0; word < words_; ++word) {
    for (uint64_t left = std::exchange(far_[word], 0); left != 0; left &= left - 1) {
      await(word * 64 + static_cast<size_t>(__builtin_ctzll(left)));
    }
  }
}

// The first cycle from cursor_ on in which a beat arrives.
uint64_t slice_queue::next_due() {
  if (far_first_ - cursor_ < kWheel) {
    bring_near();
  }
  if (marked_ == 0) {
    return far_first_;
  }
  const uint64_t turn = cursor_ % kWheel;
  const uint64_t from_cursor = turn == 0 ? marked_ : marked_ >> turn | marked_ << (kWheel - turn);
  return cursor_ + static_cast<uint64_t>(__builtin_ctzll(from_cursor));
}

// --- serving them -----------------------------------------------------------------------------

// All beats that arrive by the cycle until.
void slice_queue::serve(uint64_t until) {
  for (uint64_t cycle = next_due(); cycle <= until; cycle = next_due()) {
    cursor_ = cycle;
    if ((marked_ >> cycle % kWheel & 1) != 0) {   // or it was far off, and is not now
      serve_cycle(cycle, until);
    }
  }
  cursor_ = std::max(cursor_, until + 1);
}

// The beats of a cycle, and if no other stream has one soon, those that follow them.
void slice_queue::serve_cycle(uint64_t cycle, uint64_t until) {
  const uint64_t place = cycle % kWheel;
  marked_ &= ~(uint64_t{1} << place);
  size_t waiting = SIZE_MAX;   // the last one found
  const auto turn = [&](uint64_t last) {
    stream &s = streams_[waiting];
    if (serve(s, last)) {
      finish(waiting);
    } else {
      await(waiting);
    }
  };
  for (size_t word = 0; word < words_; ++word) {
    for (uint64_t left = std::exchange(due_[place * words_ + word], 0); left != 0; left &= left - 1) {
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
  if (streams_[slot].meets) {
    --meeting_;
    met_until_ = free_ + flights_.size();
  }
  ends_.erase(std::find_if(ends_.begin(), ends_.end(), [slot](const end &e) { return e.slot == slot; }));
}

// On to the stream's next request.
void slice_queue::advance(stream &s) {
  s.remainder += s.step_rest;
  s.arrival += s.step;
  if (s.remainder >= s.beats) {
    s.remainder -= s.beats;
    s.arrival++;
  }
  s.left--;
}

// The stream's requests that arrive by the cycle until; true if that was the last of them. Those that find
// the slice at work are read one after the other, at once.
bool slice_queue::serve(stream &s, uint64_t until) {
  while (s.arrival <= until) {
    free_ = std::max(free_, clock_.tick(s.arrival));
    uint32_t count = 0;
    do {
      count += s.length;
      advance(s);
    } while (s.left != 0 && s.arrival <= until && clock_.tick(s.arrival) <= free_ + count);
    read(s.address, count);
    s.address += count;
    s.work -= count;
    if (s.left == 0) {
      if (s.work == 0) {
        return true;
      }
      enter_run(s, s.run + 1);
    }
  }
  return false;
}

// Is one of these addresses still in flight in the next tick?
bool slice_queue::meets_flight(uint32_t address, uint32_t count) const {
  if (meeting_ == 0 && free_ >= met_until_) {
    return false;
  }
  for (const flight &f : flights_) {
    if (f.last + flights_.size() > free_ && address < f.end && f.end - f.count < address + count) {
      return true;
    }
  }
  return false;
}

// Beats of so many addresses, in a tick each unless one waits for an earlier beat of its address.
void slice_queue::read(uint32_t address, uint32_t count) {
  if (!meets_flight(address, count)) {
    free_ += count;
    return take_off(address + count, count);
  }
  for (; count > 0; --count) {
    uint64_t tick = free_ + 1;
    for (const flight &f : flights_) {
      if (address < f.end && f.end - f.count <= address) {
        const uint64_t read = f.last - (f.end - 1 - address);
        tick = std::max(tick, read + flights_.size() + 1);
      }
    }
    free_ = tick;
    take_off(++address, 1);
  }
}

void slice_queue::take_off(uint32_t end, uint32_t count) {
  flights_[oldest_] = {free_, end, count};
  oldest_ = oldest_ + 1 == flights_.size() ? 0 : oldest_ + 1;
}

}  // namespace soc
