// SPDX-License-Identifier: Apache-2.0
#include "soc/memory/shares.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace soc {
namespace {

constexpr double kForgiven = 1e-9;

}  // namespace

unsigned shares::add(double capacity) {
  capacity_.push_back(capacity);
  return static_cast<unsigned>(capacity_.size() - 1);
}

bool shares::later(const move &a, const move &b) { return a.end > b.end; }

void shares::begin(uint64_t now, const std::vector<unsigned> &path, uint64_t bytes, double limit, uint64_t token) {
  pass(now);
  auto c = std::find_if(classes_.begin(), classes_.end(),
                        [&](const move_class &other) { return other.limit == limit && other.path == path; });
  if (c == classes_.end()) {
    classes_.push_back({path, limit, 0, 0, {}, false});
    c = classes_.end() - 1;
  }
  if (c->moves.empty()) {
    c->rate = c->served = 0;
  }
  c->moves.push_back({c->served + static_cast<double>(bytes), order_++, now, token});
  std::push_heap(c->moves.begin(), c->moves.end(), later);
}

void shares::pass(uint64_t now) {
  const auto cycles = static_cast<double>(now - now_);
  for (move_class &c : classes_) {
    c.served += c.moves.empty() ? 0 : c.rate * cycles;
  }
  now_ = now;
}

void shares::advance(uint64_t now, std::vector<uint64_t> &finished) {
  std::vector<move> done;
  std::vector<size_t> ended;
  for (size_t i = 0; i < classes_.size(); ++i) {
    if (!classes_[i].moves.empty() && end_of(classes_[i]) <= now) {
      ended.push_back(i);
    }
  }
  // By what is left as of now: before time passes.
  for (const size_t i : ended) {
    move_class &c = classes_[i];
    while (!c.moves.empty() && end_of(c) <= now) {
      std::pop_heap(c.moves.begin(), c.moves.end(), later);
      done.push_back(c.moves.back());
      c.moves.pop_back();
    }
  }
  pass(now);
  std::sort(done.begin(), done.end(), [](const move &a, const move &b) { return a.order < b.order; });
  for (const move &m : done) {
    finished.push_back(m.token);
  }
}

// The first end in a class, by its rate.
uint64_t shares::end_of(const move_class &c) const {
  const move &first = c.moves.front();
  if (c.rate <= 0) {
    return UINT64_MAX;
  }
  const double cycles = std::ceil(std::max(first.end - c.served, 0.0) / c.rate * (1 - kForgiven));
  return std::max(now_ + static_cast<uint64_t>(cycles), first.begin + 1);
}

uint64_t shares::next() const {
  uint64_t next = UINT64_MAX;
  for (const move_class &c : classes_) {
    next = c.moves.empty() ? next : std::min(next, end_of(c));
  }
  return next;
}

// The least that a thing has left for each of its moves that are open, and which thing.
double shares::lowest(unsigned &thing) const {
  double least = std::numeric_limits<double>::infinity();
  for (unsigned i = 0; i < capacity_.size(); ++i) {
    if (unfixed_[i] > 0 && rest_[i] / unfixed_[i] < least) {
      least = rest_[i] / unfixed_[i];
      thing = i;
    }
  }
  return least;
}

void shares::fix(move_class &c, double rate) {
  c.rate = rate;
  c.shared = true;
  for (const unsigned thing : c.path) {
    rest_[thing] = std::max(rest_[thing] - rate * static_cast<double>(c.moves.size()), 0.0);
    unfixed_[thing] -= static_cast<unsigned>(c.moves.size());
  }
}

// What holds a move up first is its limit, or the thing that has least left for each of those over it.
void shares::share() {
  rest_ = capacity_;
  unfixed_.assign(capacity_.size(), 0);
  size_t open = 0;
  for (move_class &c : classes_) {
    c.shared = c.moves.empty();
    open += c.moves.empty() ? 0 : 1;
    for (const unsigned thing : c.path) {
      unfixed_[thing] += static_cast<unsigned>(c.moves.size());
    }
  }
  while (open > 0) {
    unsigned thing = 0;
    double level = lowest(thing);
    bool limited = false;
    for (const move_class &c : classes_) {
      if (!c.shared && c.limit <= level) {
        level = c.limit;
        limited = true;
      }
    }
    for (move_class &c : classes_) {
      const bool held = limited ? c.limit <= level : std::find(c.path.begin(), c.path.end(), thing) != c.path.end();
      if (!c.shared && held) {
        fix(c, level);
        --open;
      }
    }
  }
}

double shares::rate(const std::vector<unsigned> &path) const {
  double sum = 0;
  for (const move_class &c : classes_) {
    sum += c.path == path ? c.rate * static_cast<double>(c.moves.size()) : 0;
  }
  return sum;
}

}  // namespace soc
