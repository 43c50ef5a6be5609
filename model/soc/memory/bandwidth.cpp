// SPDX-License-Identifier: Apache-2.0
#include "soc/memory/bandwidth.h"

#include <algorithm>
#include <limits>

namespace soc {
namespace {

constexpr double kForgiven = 1e-9;       // of a move's cycles
constexpr double kClockWrap = 1u << 20;  // bytes; keeps a clock's rounding far below kForgiven

uint64_t whole_cycles(double cycles) {
  const uint64_t before = static_cast<uint64_t>(cycles);
  const double beyond = cycles - static_cast<double>(before);
  return std::max<uint64_t>(beyond <= kForgiven * cycles ? before : before + 1, 1);
}

}  // namespace

bandwidth::bandwidth(double hbm, double l2) : hbm_(hbm), l2_(l2) {}

bool bandwidth::later(const move &a, const move &b) { return a.end > b.end; }

void bandwidth::begin(uint64_t now, uint64_t cold, uint64_t warm, double limit, uint64_t token) {
  pass(now);
  const double first = static_cast<double>(cold != 0 ? cold : warm);
  const double then = static_cast<double>(cold != 0 ? warm : 0);
  push(limit, cold != 0, first, {0, then, order_++, now, token});
  share();
  predict();
}

void bandwidth::advance(uint64_t now, std::vector<uint64_t> &finished) {
  pass(now);
  std::sort(due_.begin(), due_.end(), [](const move &a, const move &b) { return a.order < b.order; });
  for (const move &m : due_) {
    finished.push_back(m.token);
  }
  due_.clear();
}

void bandwidth::each(const std::function<void(uint64_t token, double rate, bool cold)> &visit) const {
  for (const move_class &c : classes_) {
    for (const move &m : c.moves) {
      visit(m.token, c.rate, c.cold);
    }
  }
}

void bandwidth::push(double limit, bool cold, double bytes, move m) {
  auto c = std::find_if(classes_.begin(), classes_.end(),
                        [=](const move_class &other) { return other.limit == limit && other.cold == cold; });
  if (c == classes_.end()) {
    c = classes_.insert(c, {limit, cold, 0, 0, 0, {}});
  }
  m.end = c->served + bytes;
  c->moves.push_back(m);
  std::push_heap(c->moves.begin(), c->moves.end(), later);
}

// Brings everything to now.
void bandwidth::pass(uint64_t now) {
  const double span = static_cast<double>(now - now_);
  while (next_ <= now) {
    const size_t first = first_due(now);
    serve(std::min(left(classes_[first]), span - at_));
    end_first(first);
    share();
    predict();
  }
  serve(span - at_);
  now_ = now;
  at_ = 0;
}

void bandwidth::serve(double cycles) {
  at_ += cycles;
  for (move_class &c : classes_) {
    if (c.moves.empty()) {
      continue;
    }
    c.served += c.rate * cycles;
    if (c.served > kClockWrap) {
      for (move &m : c.moves) {
        m.end -= c.served;
      }
      c.served = 0;
    }
  }
}

// The class's moves that are through first: on to their warm bytes, or done.
void bandwidth::end_first(size_t index) {
  const double end = classes_[index].moves.front().end;
  const double limit = classes_[index].limit;
  // By index, as a new class may move the others in memory.
  while (!classes_[index].moves.empty() && classes_[index].moves.front().end == end) {
    std::vector<move> &moves = classes_[index].moves;
    std::pop_heap(moves.begin(), moves.end(), later);
    const move m = moves.back();
    moves.pop_back();
    if (m.warm > 0) {
      push(limit, false, m.warm, {0, 0, m.order, m.begin, m.token});
    } else {
      due_.push_back(m);
    }
  }
}

// The class with the first end, among those that end by the begin of cycle; there are such.
size_t bandwidth::first_due(uint64_t cycle) const {
  size_t first = classes_.size();
  for (size_t i = 0; i < classes_.size(); ++i) {
    if (classes_[i].next <= cycle && (first == classes_.size() || left(classes_[i]) < left(classes_[first]))) {
      first = i;
    }
  }
  return first;
}

// Cycles to the class's first end.
double bandwidth::left(const move_class &c) const { return std::max(c.moves.front().end - c.served, 0.0) / c.rate; }

uint64_t bandwidth::end_cycle(const move_class &c) const {
  const uint64_t begin = c.moves.front().begin;
  return begin + whole_cycles(static_cast<double>(now_ - begin) + at_ + left(c));
}

// The rate at which moves not held back by their class's rate use up the capacity; infinite if
// all are held back.  all: of all moves, otherwise of cold ones only.
double bandwidth::level(double capacity, bool all) const {
  double level = 0;
  for (;;) {
    double rest = capacity;
    double unlimited = 0;
    for (const move_class &c : classes_) {
      if (all || c.cold) {
        const double count = static_cast<double>(c.moves.size());
        if (c.rate <= level) {
          rest -= c.rate * count;
        } else {
          unlimited += count;
        }
      }
    }
    if (unlimited == 0) {
      return std::numeric_limits<double>::infinity();
    }
    if (rest / unlimited <= level) {
      return level;
    }
    level = rest / unlimited;  // higher, so that more classes may turn out to be held back
  }
}

// All moves need L2, so what HBM leaves of a cold one's rate is a limit like its pipe's.
void bandwidth::share() {
  for (move_class &c : classes_) {
    c.rate = c.limit;
  }
  const double hbm_level = level(hbm_, false);
  for (move_class &c : classes_) {
    c.rate = c.cold ? std::min(c.limit, hbm_level) : c.limit;
  }
  const double l2_level = level(l2_, true);
  for (move_class &c : classes_) {
    c.rate = std::min(c.rate, l2_level);
  }
}

void bandwidth::predict() {
  next_ = UINT64_MAX;
  for (move_class &c : classes_) {
    c.next = c.moves.empty() ? UINT64_MAX : end_cycle(c);
    next_ = std::min(next_, c.next);
  }
}

}  // namespace soc
