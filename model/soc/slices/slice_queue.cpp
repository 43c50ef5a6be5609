// SPDX-License-Identifier: Apache-2.0
#include "soc/slices/slice_queue.h"

#include <algorithm>
#include <utility>

namespace soc {

slice_queue::slice_queue(const slice_clock &clock, uint32_t stages)
    : clock_(clock), flight_(GM_FLIGHT(stages)), booked_(kBooked), marked_(kBooked / 64), flights_(flight_) {}

void slice_queue::add(uint64_t now, uint64_t token, uint64_t start, uint64_t duration, uint64_t beats,
                      const std::vector<slice_run> &runs) {
  serve(now);
  const size_t slot = take_slot();
  stream &s = streams_[slot];
  s.token = token;
  s.start = start;
  s.duration = duration;
  s.beats = beats;
  s.step = duration / beats;
  s.step_rest = duration % beats;
  s.dense = duration != 0 && duration <= beats;
  s.runs.clear();
  s.number = added_++;
  s.last = start + (runs.back().first + runs.back().count - 1) * duration / beats;
  s.low = UINT32_MAX;
  s.high = 0;
  s.over = false;
  for (const slice_run &run : runs) {
    static_cast<slice_run &>(s.runs.emplace_back()) = run;
    s.low = std::min(s.low, run.address);
    s.high = std::max(s.high, run.address + run.count * run.beats);
  }
  enter_run(s, 0);
  s.meets = may_meet(s);
  meeting_ += s.meets;
  const end mine = {s.last, slot, runs.back().beats, 0};
  ends_.insert(
      std::upper_bound(ends_.begin(), ends_.end(), mine, [](const end &a, const end &b) { return a.last < b.last; }),
      mine);
  if (turns_) {
    wait_turn(slot);
  } else if (s.meets) {
    begin_turns();
  } else {
    book(s);
  }
}

size_t slice_queue::take_slot() {
  if (spare_.empty()) {
    streams_.emplace_back();
    return streams_.size() - 1;
  }
  const size_t slot = spare_.back();
  spare_.pop_back();
  return slot;
}

// May a beat of a new stream find its address in flight, or bring others to find theirs?
bool slice_queue::may_meet(const stream &s) const {
  for (size_t i = 1; i < s.runs.size(); ++i) {
    if (s.runs[i].address < s.runs[i - 1].address + s.runs[i - 1].count * s.runs[i - 1].beats) {
      return true;
    }
  }
  const auto overlaps = [&s](const stream &other) { return s.low < other.high && other.low < s.high; };
  for (size_t i = 0; i < over_.size(); ++i) {
    const stream &other = streams_[over_[i]];
    if (overlaps(other) && other.done + flight_ > clock_.tick(s.start) &&
        other.done + flight_ > free_ - behind(cursor_, s.start, s.number)) {
      return true;
    }
  }
  return std::any_of(ends_.begin(), ends_.end(), [&](const end &e) { return overlaps(streams_[e.slot]); });
}

void slice_queue::advance(uint64_t now, std::vector<answer> &answers) {
  serve(now);
  while (!answers_.empty() && answers_.front().cycle <= now) {
    answers.push_back(answers_.front());
    answers_.pop_front();
  }
}

uint64_t slice_queue::earliest(uint64_t token) const {
  for (size_t i = 0; i < answers_.size(); ++i) {
    if (answers_[i].token == token) {
      return answers_[i].cycle;
    }
  }
  const auto is_it = [&](const end &e) { return streams_[e.slot].token == token; };
  const auto e = std::find_if(ends_.begin(), ends_.end(), is_it);
  if (e == ends_.end()) {
    return 0;
  }
  const uint64_t at_once = read_at_once(*e);
  const uint64_t after_others = free_ <= at_once ? 0 : free_ - behind(cursor_, e->last, streams_[e->slot].number);
  return clock_.cycle(std::max(at_once, after_others) + flight_);
}

// All beats that arrive by the cycle until.
void slice_queue::serve(uint64_t until) {
  if (turns_) {
    serve_turns(until);
  } else {
    for (serve_booked(until + 1); until >= horizon_ && !ends_.empty(); serve_booked(until + 1)) {
      book_ahead(until);
    }
  }
  cursor_ = std::max(cursor_, until + 1);
  if (turns_ && meeting_ == 0 && std::max(free_, clock_.tick(cursor_)) >= met_until_) {
    end_turns();
  }
  settle();
}

// Forgets what can delay nobody any more.
void slice_queue::settle() {
  const uint64_t next_read = clock_.tick(cursor_);  // or later
  if (turns_) {
    settled_ = newer_ = {cursor_, free_};
  } else if (newer_.cycle + kMoment <= cursor_ && newer_.free + flight_ <= next_read) {
    settled_ = newer_;
    newer_ = {cursor_, free_ - behind(cursor_, cursor_ - 1, UINT64_MAX)};
  }
  while (!over_.empty()) {
    const stream &s = streams_[over_.front()];
    if (s.last >= settled_.cycle || s.done + flight_ > next_read) {
      break;
    }
    spare_.push_back(over_.front());
    over_.pop_front();
  }
}

// The stream's beats are all served, the last in this tick.
void slice_queue::finish(size_t slot, uint64_t read) {
  stream &s = streams_[slot];
  if (s.over) {
    return;  // it was served once before
  }
  answers_.push_back({clock_.cycle(read + flight_), s.token});
  s.over = true;
  s.done = read;
  over_.push_back(slot);
  if (s.meets) {
    --meeting_;
    met_until_ = read + flight_;
  }
}

// --- a stream's requests ------------------------------------------------------------------------

void slice_queue::enter_run(stream &s, uint32_t number) {
  s.run = number;
  if (number == s.runs.size()) {
    s.next.arrival = UINT64_MAX;
    return;
  }
  const slice_run &run = s.runs[number];
  const uint64_t cycles = run.first * s.duration;
  s.next.left = run.count;
  s.length = run.beats;
  s.address = run.address;
  if ((cycles | s.beats) <= UINT32_MAX) {  // a shorter division
    s.next.arrival = s.start + static_cast<uint32_t>(cycles) / static_cast<uint32_t>(s.beats);
    s.next.remainder = static_cast<uint32_t>(cycles) % static_cast<uint32_t>(s.beats);
  } else {
    s.next.arrival = s.start + cycles / s.beats;
    s.next.remainder = cycles % s.beats;
  }
}

// On to the run's next request; false: that was the last.
inline bool slice_queue::pass(const stream &s, request &r) {
  r.remainder += s.step_rest;
  r.arrival += s.step;
  if (r.remainder >= s.beats) {
    r.remainder -= s.beats;
    r.arrival++;
  }
  return --r.left != 0;
}

// To the first request that arrives in this cycle or later.
void slice_queue::seek(stream &s, uint64_t cycle) {
  for (enter_run(s, 0); s.next.arrival < cycle;) {
    s.address += s.length;
    if (!pass(s, s.next)) {
      enter_run(s, s.run + 1);
    }
  }
}

// --- without order ----------------------------------------------------------------------------

// All that was booked is served: the next cycles are, from the first on that has a beat or is to be served last.
void slice_queue::book_ahead(uint64_t until) {
  uint64_t first = until + 1;
  for (const end &e : ends_) {
    first = std::min({first, e.last, streams_[e.slot].next.arrival});
  }
  cursor_ = std::max(cursor_, first);
  horizon_ = cursor_ + kBooked;
  for (const end &e : ends_) {  // each before those that may have a beat behind its last
    book(streams_[e.slot]);
  }
}

inline void slice_queue::mark(uint64_t cycle) {
  const uint64_t place = cycle % kBooked;
  marked_[place / 64] |= uint64_t{1} << place % 64;
}

// The stream's beats up to the horizon.
void slice_queue::book(stream &s) {
  if (s.last < horizon_) {
    booked_[s.last % kBooked] |= kEnd;
    mark(s.last);
  }
  while (s.next.arrival < horizon_) {
    if (s.dense) {
      book_run(s);
      continue;
    }
    request r = s.next;  // stays in registers
    do {
      const uint64_t place = r.arrival % kBooked;
      if ((booked_[place] & kEnd) != 0) {
        note_behind(s, r.arrival);
      }
      booked_[place] += s.length;
      mark(r.arrival);
    } while (pass(s, r) && r.arrival < horizon_);
    s.next = r;
    if (r.left == 0) {
      enter_run(s, s.run + 1);
    }
  }
}

// The rest of its run, with the first of it.
void slice_queue::book_run(stream &s) {
  booked_[s.next.arrival % kBooked] += s.next.left * s.length;
  mark(s.next.arrival);
  s.runs[s.run].booked = s.next.arrival;
  enter_run(s, s.run + 1);
}

// Beats of a dense stream's runs that are booked before the cycle served, and arrive after another one.
uint64_t slice_queue::beats_behind(const stream &s, uint64_t served, uint64_t cycle) {
  uint64_t beats = 0;
  for (uint32_t i = s.run; i-- > 0;) {
    const booked_run &r = s.runs[i];
    if (r.booked >= served) {
      continue;
    }
    if (r.booked + r.count <= cycle) {
      break;  // of this run and those before, all have arrived
    }
    const uint64_t arrived = cycle < s.start ? 0 : ((cycle - s.start + 1) * s.beats - 1) / s.duration + 1;  // requests
    const uint64_t end = r.first + r.count;
    beats += arrived < end ? (end - std::max(arrived, r.first)) * r.beats : 0;
  }
  return beats;
}

// Beats in free_, booked before the cycle served, that come after the last request of the stream with this number, if
// that request arrives in this cycle.
uint64_t slice_queue::behind(uint64_t served, uint64_t cycle, uint64_t number) const {
  uint64_t beats = 0;
  for (const end &e : ends_) {
    const stream &s = streams_[e.slot];
    if (s.dense && s.number != number) {
      beats += beats_behind(s, served, s.number < number ? cycle : cycle - 1);
    }
  }
  return beats;
}

// A request of the stream comes behind the last ones of streams added before that arrive with it.
void slice_queue::note_behind(const stream &s, uint64_t arrival) {
  auto e =
      std::lower_bound(ends_.begin(), ends_.end(), arrival, [](const end &a, uint64_t last) { return a.last < last; });
  for (; e != ends_.end() && e->last == arrival; ++e) {
    e->after += streams_[e->slot].number < s.number ? s.length : 0;
  }
}

// Beats that arrive before the cycle stop.
void slice_queue::serve_booked(uint64_t stop) {
  stop = std::min(stop, horizon_);
  for (uint64_t cycle = cursor_; cycle < stop;) {
    const uint64_t base = cycle - cycle % 64;
    uint64_t &marked = marked_[cycle / 64 % marked_.size()];
    uint64_t here = marked & UINT64_MAX << cycle % 64;
    here &= stop - base < 64 ? (uint64_t{1} << (stop - base)) - 1 : UINT64_MAX;
    marked &= ~here;
    for (; here != 0; here &= here - 1) {
      const uint64_t at = base + static_cast<unsigned>(__builtin_ctzll(here));
      const uint32_t beats = std::exchange(booked_[at % kBooked], 0);
      free_ = std::max(free_, clock_.tick(at)) + (beats & ~kEnd);
      if ((beats & kEnd) != 0) {
        end_streams(at);
      }
    }
    cycle = base + 64;
  }
  cursor_ = std::max(cursor_, stop);
}

// Ends the streams whose last request arrived in this cycle and whose beats are all read.
void slice_queue::end_streams(uint64_t cycle) {
  size_t count = 0;
  for (; count < ends_.size() && ends_[count].last == cycle; ++count) {
    const end &e = ends_[count];
    const bool others = free_ != read_at_once(e);  // some are waiting, of which it may come before
    finish(e.slot, others ? free_ - e.after - behind(cycle + 1, cycle, streams_[e.slot].number) : free_);
  }
  ends_.erase(ends_.begin(), ends_.begin() + static_cast<std::ptrdiff_t>(count));
}

// --- with order, while addresses may meet -------------------------------------------------------

// Once more from settled_ on, one by one, for what is in flight.
void slice_queue::begin_turns() {
  const uint64_t served = cursor_;
  std::fill(booked_.begin(), booked_.end(), 0);
  std::fill(marked_.begin(), marked_.end(), 0);
  turns_ = true;
  const auto from_settled = [this](size_t slot) {
    seek(streams_[slot], settled_.cycle);
    wait_turn(slot);
  };
  for (size_t i = 0; i < over_.size(); ++i) {
    from_settled(over_[i]);
  }
  for (end &e : ends_) {
    from_settled(e.slot);
    e.after = 0;
  }
  free_ = settled_.free;
  serve_turns(served - 1);
}

// Beats in flight and free_ are settled_'s.
void slice_queue::end_turns() {
  heap_.clear();
  turns_ = false;
  settled_ = newer_ = {cursor_, free_};
  horizon_ = cursor_;
}

void slice_queue::wait_turn(size_t slot) {
  const stream &s = streams_[slot];
  if (s.next.arrival != UINT64_MAX) {
    heap_.push_back({s.next.arrival, s.number, slot});
    std::push_heap(heap_.begin(), heap_.end());
  }
}

void slice_queue::serve_turns(uint64_t until) {
  while (!heap_.empty() && heap_.front().arrival <= until) {
    const turn now = heap_.front();
    std::pop_heap(heap_.begin(), heap_.end());
    heap_.pop_back();
    uint64_t last = until;  // to which it has the turn
    if (!heap_.empty()) {
      last = std::min(last, heap_.front().arrival - (heap_.front().number < now.number));
    }
    if (!serve_turn(streams_[now.slot], last)) {
      wait_turn(now.slot);
      continue;
    }
    if (!streams_[now.slot].over) {
      ends_.erase(std::find_if(ends_.begin(), ends_.end(), [&now](const end &e) { return e.slot == now.slot; }));
    }
    finish(now.slot, free_);
  }
}

// Serves the stream's requests that arrive by the cycle until; true if the last of them has been served. Requests that
// find the slice at work are read one after the other, at once.
bool slice_queue::serve_turn(stream &s, uint64_t until) {
  while (s.next.arrival <= until) {
    free_ = std::max(free_, clock_.tick(s.next.arrival));
    uint32_t count = 0;
    do {
      count += s.length;
    } while (pass(s, s.next) && s.next.arrival <= until && clock_.tick(s.next.arrival) <= free_ + count);
    read(s.address, count);
    s.address += count;
    if (s.next.left == 0) {
      enter_run(s, s.run + 1);
    }
  }
  return s.next.arrival == UINT64_MAX;
}

// Is one of these addresses still in flight in the next tick?
bool slice_queue::meets_flight(uint32_t address, uint32_t count) const {
  return std::any_of(flights_.begin(), flights_.end(), [&](const flight &f) {
    return f.last + flight_ > free_ && address < f.end && f.end - f.count < address + count;
  });
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
        tick = std::max(tick, read + flight_ + 1);
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
