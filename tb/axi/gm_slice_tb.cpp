// gm_slice: random bursts of all kinds, legal and not, read and written by managers that take their time on every
// channel, against gm_axi's contract and the golden arithmetic; and its throughput.
//
//   gm_slice_tb random|throughput [SEED]
//
// What a burst reaches is found here byte by byte, as the AXI specification counts.  The memory is read by AXI alone.
// Exits 0 when all agree, 1 when not, 2 on bad usage.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <vector>

#include "Vgm_slice.h"
#include "num/num_gm.h"
#include "num/num_rng.h"
#include "waves/verilated_end.h"

namespace {

// As CMake sets them.
constexpr uint32_t LANES = 4, WORDS = 1024, BEAT_BYTES = 4 * LANES, LEN_W = 6, FULL_SIZE = 4;
constexpr uint32_t SLICE = WORDS * BEAT_BYTES, PAGE = 4096, WINDOW = 0x10000;
constexpr uint32_t ATOP_ADD = 0x10;
enum { OKAY = 0, SLVERR = 2, DECERR = 3 };
enum { FIXED = 0, INCR = 1, WRAP = 2 };

using beat_t = std::array<uint32_t, LANES>;

struct datum {
  beat_t word;
  uint32_t strobes;
  bool last;
};

struct burst {
  uint32_t id, address, len, size, kind, atop, op, walk;
  std::vector<datum> data;
  unsigned expected;
  uint64_t number;
};

struct reading {
  burst one;
  std::vector<uint32_t> at;  // its beats' places in memory
  uint64_t answered;         // writes that it has to see
};

// What a beat of memory held, one after the other, and the write that made it so.
struct version {
  uint64_t number;
  beat_t word;
};

struct bench {
  VerilatedContext context;
  Vgm_slice rtl{&context};
  num_rng_t rng{};
  std::array<beat_t, WORDS> memory{};  // what has to be in it
  std::array<std::vector<version>, WORDS> versions;
  std::deque<burst> address, data, answer;  // bursts not yet sent, sent in part, not yet answered
  std::deque<reading> wanted, given;        // reads not yet asked, not yet given
  size_t beat = 0, read_beat = 0;
  unsigned gap_aw = 0, gap_w = 0, gap_b = 0, gap_ar = 0, gap_r = 0;  // of 16
  bool late = false;                                                 // ready for an answer only once it is there
  bool offer_aw = false, offer_w = false, offer_ar = false;
  bool saw_answer = false;  // in the previous cycle
  uint64_t cycle = 0, made = 0, sent = 0, answered = 0;
  unsigned failures = 0;
  std::array<unsigned, 4> answers{}, readings{};
  uint32_t beats = 0, guards = 0;  // written, fired since counters were cleared
};

uint32_t pick(bench &b, uint32_t below) { return static_cast<uint32_t>(num_rng_u64(&b.rng) >> 33) % below; }

// ---------------------------------------------------------------- what has to come out

// Addresses of a burst's beats, one after the other (IHI 0022, A3.4.1); empty if AXI has no such burst.
std::vector<uint32_t> addresses_of(const burst &one) {
  const uint32_t bytes = 1u << one.size, beats = one.len + 1, wrap = bytes * beats;
  const bool wraps = beats > 1 && one.kind == WRAP;
  if (bytes > BEAT_BYTES || (beats > 1 && one.kind > WRAP) || (beats > 16 && one.kind == FIXED) ||
      (wraps && ((beats != 2 && beats != 4 && beats != 8 && beats != 16) || one.address % bytes != 0))) {
    return {};
  }
  std::vector<uint32_t> all;
  uint32_t at = one.address;
  for (uint32_t n = 0; n < beats; ++n) {
    all.push_back(at);
    if (one.kind != FIXED) {
      at = at / bytes * bytes + bytes;
      if (wraps && at % wrap == 0) {
        at -= wrap;
      }
    }
  }
  return all;
}

// The answer to reading or writing bytes FIRST.. of some beats.
unsigned place(const std::vector<uint32_t> &all, uint32_t bytes) {
  bool crosses = false;
  for (const uint32_t at : all) {
    const uint32_t last = at / bytes * bytes + bytes - 1;
    if (last >= SLICE) {
      return DECERR;
    }
    crosses = crosses || last / PAGE != all[0] / PAGE;
  }
  return crosses ? SLVERR : OKAY;
}

unsigned plain(const burst &one) {
  if (one.address >= SLICE) {
    return DECERR;
  }
  const std::vector<uint32_t> all = addresses_of(one);
  return all.empty() ? SLVERR : place(all, 1u << one.size);
}

// The answer to a write, but for what its strobes and its last mark get wrong.
unsigned whole(const burst &one) {
  const unsigned first = plain(one);
  const bool single = one.len == 0;
  if (first != OKAY) {
    return first;
  }
  if (one.atop != 0) {
    const bool word = single && one.size == 2 && one.address % 4 == 0;
    return one.atop == ATOP_ADD && one.op == 0 && one.walk == 0 && word ? OKAY : SLVERR;
  }
  if (one.op == NUM_GM_RESCALE && single) {
    std::vector<uint32_t> walked;
    for (uint32_t n = 0; n < (one.walk == 0 ? 1 : one.walk); ++n) {
      walked.push_back(one.address / BEAT_BYTES * BEAT_BYTES + n * BEAT_BYTES);
    }
    return place(walked, BEAT_BYTES);
  }
  return one.op < NUM_GM_RESCALE && (single || (one.kind == INCR && one.size == FULL_SIZE)) ? OKAY : SLVERR;
}

// Bits of whole lanes; false if a lane is there in part.
bool lanes_of(uint32_t strobes, uint32_t *mask) {
  *mask = 0;
  for (uint32_t i = 0; i < LANES; ++i) {
    const uint32_t bytes = (strobes >> (4 * i)) & 15u;
    if (bytes != 0 && bytes != 15) {
      return false;
    }
    *mask |= (bytes == 15 ? 1u : 0u) << i;
  }
  return true;
}

void apply(bench &b, const burst &one, uint32_t at, uint32_t mask, const datum &datum) {
  const bool walks = one.op == NUM_GM_RESCALE && one.atop == 0;
  const uint32_t beats = walks && one.walk > 1 ? one.walk : 1;
  const auto op = one.atop != 0 ? NUM_GM_ADD_S32_RAW : static_cast<num_gm_op>(one.op);
  b.beats += mask == 0 ? beats - 1 : beats;
  for (uint32_t n = 0; n < beats; ++n) {
    for (uint32_t i = 0; i < LANES; ++i) {
      if (n + 1 < beats || ((mask >> i) & 1u) != 0) {
        uint32_t &word = b.memory[at + n][i];
        uint32_t guard = 0;
        word = num_gm_apply(op, word, datum.word[walks ? 0 : i], &guard);
        b.guards += guard != 0 ? 1 : 0;
      }
    }
    b.versions[at + n].push_back({one.number, b.memory[at + n]});
  }
}

void expect(bench &b, burst &one) {
  const unsigned all = whole(one);
  one.expected = all;
  for (size_t n = 0; n < one.data.size(); ++n) {
    const datum &datum = one.data[n];
    uint32_t mask;
    bool good = lanes_of(datum.strobes, &mask);
    if (one.atop != 0 && mask != 1u << (one.address / 4 % LANES)) {
      good = false;
    }
    if (!good || datum.last != (n == one.len)) {
      one.expected |= SLVERR;
    }
    if (all == OKAY && good) {
      apply(b, one, one.address / BEAT_BYTES + static_cast<uint32_t>(n), mask, datum);
    }
  }
}

// ---------------------------------------------------------------- bursts

uint32_t any_word(bench &b) {
  const uint32_t any = static_cast<uint32_t>(num_rng_u64(&b.rng) >> 32);
  return pick(b, 4) == 0 ? any : (any & 0x80ffffffu) | (0x3f000000u + (pick(b, 4) << 23));
}

// Where things happen: a few beats again and again, at pages' ends, at the slice's end, anywhere, outside.
uint32_t any_address(bench &b) {
  const uint32_t low = pick(b, 8) == 0 ? pick(b, BEAT_BYTES) : 0;
  switch (pick(b, 8)) {
    case 0:
    case 1:
      return pick(b, 8) * BEAT_BYTES + low;
    case 2:
    case 3:
      return (1 + pick(b, 4)) * PAGE - (1 + pick(b, 20)) * BEAT_BYTES + low;
    case 4:
      return pick(b, 5) == 0 ? pick(b, WINDOW) : SLICE - (1 + pick(b, 8)) * BEAT_BYTES + low;
    default:
      return pick(b, WORDS) * BEAT_BYTES + low;
  }
}

// Of any type and size; half of those that wrap may.
void any_shape(bench &b, burst &one) {
  one.size = pick(b, 12) == 0 ? pick(b, 8) : pick(b, FULL_SIZE + 1);
  one.kind = pick(b, 12) == 0 ? 3 : pick(b, 3);
  if (one.kind == WRAP && pick(b, 2) == 0) {
    one.len = (2u << pick(b, 4)) - 1;
    one.address &= ~((1u << one.size) - 1);
  }
}

burst make(bench &b) {
  burst one{};
  one.id = pick(b, 8);
  one.address = any_address(b);
  one.size = FULL_SIZE;
  one.kind = INCR;
  one.op = pick(b, 12) == 0 ? 5 + pick(b, 3) : pick(b, 5);
  one.walk = pick(b, 1u << LEN_W);
  one.len = one.op == NUM_GM_RESCALE && pick(b, 8) != 0 ? 0 : pick(b, 3) == 0 ? 0 : pick(b, 10);
  if (pick(b, 6) == 0) {
    one.atop = pick(b, 3) != 0 ? ATOP_ADD : 1 + pick(b, 63);
    one.op = pick(b, 8) != 0 ? 0 : 1 + pick(b, 7);
    one.walk = pick(b, 4) != 0 ? 0 : one.walk;
    one.len = pick(b, 8) != 0 ? 0 : 1;
    one.size = pick(b, 8) != 0 ? 2 : pick(b, 8);
    one.address = one.address / BEAT_BYTES * BEAT_BYTES + (pick(b, 8) != 0 ? pick(b, LANES) * 4 : pick(b, BEAT_BYTES));
  } else if (pick(b, 4) == 0) {
    any_shape(b, one);
  }
  one.len |= pick(b, 100) == 0 ? pick(b, 256) : 0;
  for (uint32_t n = 0; n <= one.len; ++n) {
    datum datum{};
    for (uint32_t &word : datum.word) {
      word = any_word(b);
    }
    for (uint32_t i = 0; i < LANES; ++i) {
      datum.strobes |= (pick(b, 4) != 0 ? 15u : 0u) << (4 * i);
    }
    if (one.atop != 0 && pick(b, 8) != 0) {
      datum.strobes = 15u << (4 * (one.address / 4 % LANES));
    }
    datum.strobes ^= pick(b, 40) == 0 ? 1u << pick(b, BEAT_BYTES) : 0;
    datum.last = (n == one.len) != (pick(b, 200) == 0);
    one.data.push_back(datum);
  }
  return one;
}

void send(bench &b, burst one) {
  one.number = b.made++;
  expect(b, one);
  b.address.push_back(one);
  b.data.push_back(one);
  b.answer.push_back(one);
}

void read(bench &b, const burst &one) {
  reading all{one, {}, 0};
  all.one.expected = plain(one);
  if (all.one.expected == OKAY) {
    for (const uint32_t at : addresses_of(one)) {
      all.at.push_back(at / BEAT_BYTES);
    }
  }
  b.wanted.push_back(all);
}

burst make_read(bench &b) {
  burst one{};
  one.id = pick(b, 8);
  one.address = any_address(b);
  one.size = FULL_SIZE;
  one.kind = INCR;
  one.len = pick(b, 3) == 0 ? 0 : pick(b, pick(b, 8) == 0 ? 256 : 10);
  if (pick(b, 3) == 0) {
    any_shape(b, one);
  }
  return one;
}

// ---------------------------------------------------------------- the bus

void fail(bench &b, const char *what, uint32_t got, uint32_t expected) {
  if (b.failures++ < 10) {
    std::printf("cycle %llu: %s %x, expected %x\n", static_cast<unsigned long long>(b.cycle), what, got, expected);
  }
}

void answered(bench &b) {
  if (b.answer.empty()) {
    fail(b, "an answer to nothing", 1, 0);
    return;
  }
  const burst &one = b.answer.front();
  if (b.rtl.s_axi_bid != one.id || b.rtl.s_axi_bresp != one.expected) {
    fail(b, "answer", b.rtl.s_axi_bid << 4 | b.rtl.s_axi_bresp, one.id << 4 | one.expected);
  }
  b.answers[b.rtl.s_axi_bresp] += 1;
  b.answered += 1;
  b.answer.pop_front();
}

// A beat that was read is one that was there since the last answered write, and no older than another read saw.
void judge(bench &b, uint32_t at, uint64_t seen, const beat_t &word) {
  std::vector<version> &all = b.versions[at];
  size_t n = 0;
  while (n + 1 < all.size() && all[n + 1].number < seen) {
    ++n;
  }
  const uint32_t oldest = all[n].word[0];
  while (n < all.size() && all[n].number <= b.sent && all[n].word != word) {
    ++n;
  }
  if (n == all.size() || all[n].number > b.sent) {
    fail(b, "read", word[0], oldest);
    return;
  }
  all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n));
}

void given(bench &b) {
  if (b.given.empty()) {
    fail(b, "a word for nobody", 1, 0);
    return;
  }
  const Vgm_slice &rtl = b.rtl;
  const reading &all = b.given.front();
  const bool last = b.read_beat == all.one.len;
  if (rtl.s_axi_rid != all.one.id || rtl.s_axi_rresp != all.one.expected || rtl.s_axi_rlast != last) {
    fail(b, "word", rtl.s_axi_rid << 4 | rtl.s_axi_rlast << 2 | rtl.s_axi_rresp,
         all.one.id << 4 | (last ? 4u : 0u) | all.one.expected);
  }
  const beat_t word = {rtl.s_axi_rdata[0], rtl.s_axi_rdata[1], rtl.s_axi_rdata[2], rtl.s_axi_rdata[3]};
  if (all.one.expected == OKAY) {
    judge(b, all.at[b.read_beat], all.answered, word);
  } else if (word != beat_t{}) {
    fail(b, "data of an error", word[0], 0);
  }
  b.readings[rtl.s_axi_rresp] += 1;
  b.read_beat = last ? 0 : b.read_beat + 1;
  if (last) {
    b.given.pop_front();
  }
}

void drive_reads(bench &b) {
  Vgm_slice &rtl = b.rtl;
  b.offer_ar = !b.wanted.empty() && (b.offer_ar || pick(b, 16) >= b.gap_ar);
  rtl.s_axi_arvalid = b.offer_ar;
  rtl.s_axi_rready = (!b.late || rtl.s_axi_rvalid) && pick(b, 16) >= b.gap_r;
  if (b.offer_ar) {
    const burst &one = b.wanted.front().one;
    rtl.s_axi_arid = static_cast<CData>(one.id);
    rtl.s_axi_araddr = static_cast<SData>(one.address);
    rtl.s_axi_arlen = static_cast<CData>(one.len);
    rtl.s_axi_arsize = static_cast<CData>(one.size);
    rtl.s_axi_arburst = static_cast<CData>(one.kind);
  }
}

void drive(bench &b) {
  Vgm_slice &rtl = b.rtl;
  b.offer_aw = !b.address.empty() && (b.offer_aw || pick(b, 16) >= b.gap_aw);
  b.offer_w = !b.data.empty() && (b.offer_w || pick(b, 16) >= b.gap_w);
  rtl.s_axi_awvalid = b.offer_aw;
  rtl.s_axi_wvalid = b.offer_w;
  rtl.s_axi_bready = (!b.late || rtl.s_axi_bvalid) && pick(b, 16) >= b.gap_b;
  drive_reads(b);
  if (b.offer_aw) {
    const burst &one = b.address.front();
    rtl.s_axi_awid = static_cast<CData>(one.id);
    rtl.s_axi_awaddr = static_cast<SData>(one.address);
    rtl.s_axi_awlen = static_cast<CData>(one.len);
    rtl.s_axi_awsize = static_cast<CData>(one.size);
    rtl.s_axi_awburst = static_cast<CData>(one.kind);
    rtl.s_axi_awatop = static_cast<CData>(one.atop);
    rtl.s_axi_awuser = static_cast<SData>(one.walk << 3 | one.op);
  }
  if (b.offer_w) {
    const datum &datum = b.data.front().data[b.beat];
    for (uint32_t i = 0; i < LANES; ++i) {
      rtl.s_axi_wdata[i] = datum.word[i];
    }
    rtl.s_axi_wstrb = static_cast<SData>(datum.strobes);
    rtl.s_axi_wlast = datum.last;
  }
}

// What is taken in this cycle.
void take(bench &b) {
  Vgm_slice &rtl = b.rtl;
  if (b.offer_aw && rtl.s_axi_awready) {
    b.address.pop_front();
    b.offer_aw = false;
  }
  if (b.offer_w && rtl.s_axi_wready) {
    b.offer_w = false;
    b.sent = b.data.front().number;
    if (++b.beat == b.data.front().data.size()) {
      b.beat = 0;
      b.data.pop_front();
    }
  }
  if (b.offer_ar && rtl.s_axi_arready) {
    b.wanted.front().answered = b.answered + (b.saw_answer ? 1 : 0);
    b.given.push_back(b.wanted.front());
    b.wanted.pop_front();
    b.offer_ar = false;
  }
}

void tick(bench &b) {
  Vgm_slice &rtl = b.rtl;
  drive(b);
  rtl.aclk = 0;
  rtl.eval();
  take(b);
  b.saw_answer = rtl.s_axi_bvalid && !rtl.s_axi_bready;
  if (rtl.s_axi_bvalid && rtl.s_axi_bready) {
    answered(b);
  }
  if (rtl.s_axi_rvalid && rtl.s_axi_rready) {
    given(b);
  }
  rtl.aclk = 1;
  rtl.eval();
  b.cycle += 1;
}

void finish(bench &b) {
  for (unsigned quiet = 0; !b.answer.empty() || !b.wanted.empty() || !b.given.empty(); ++quiet) {
    if (quiet == 40000) {
      fail(b, "no answer: bursts left", static_cast<uint32_t>(b.answer.size() + b.given.size()), 0);
      return;
    }
    tick(b);
  }
  b.gap_b = b.gap_r = 0;
  for (unsigned i = 0; i < 40; ++i) {
    tick(b);  // nothing more comes
  }
}

// All out again; the memory, read by AXI, is what it should be.
void drain(bench &b) {
  finish(b);
  if (b.rtl.cnt_beats_o != b.beats) {
    fail(b, "cnt_beats", b.rtl.cnt_beats_o, b.beats);
  }
  if (b.rtl.cnt_guards_o != b.guards) {
    fail(b, "cnt_guards", b.rtl.cnt_guards_o, b.guards);
  }
  for (uint32_t at = 0; at < WORDS; at += PAGE / BEAT_BYTES) {
    burst one{};
    one.address = at * BEAT_BYTES;
    one.len = PAGE / BEAT_BYTES - 1;
    one.size = FULL_SIZE;
    one.kind = INCR;
    read(b, one);
  }
  finish(b);
  for (uint32_t at = 0; at < WORDS; ++at) {
    b.versions[at] = {{0, b.memory[at]}};
  }
}

void clear_counters(bench &b) {
  b.rtl.clear_i = 1;
  tick(b);
  b.rtl.clear_i = 0;
  b.beats = b.guards = 0;
}

burst store(bench &b, uint32_t at, uint32_t beats) {
  burst one{};
  one.address = at * BEAT_BYTES;
  one.len = beats - 1;
  one.size = FULL_SIZE;
  one.kind = 1;
  for (uint32_t n = 0; n < beats; ++n) {
    datum datum{{any_word(b), any_word(b), any_word(b), any_word(b)}, 0xffff, n + 1 == beats};
    one.data.push_back(datum);
  }
  return one;
}

// Writes every beat once, so that what is read is known.
void fill(bench &b) {
  b.versions.fill({{0, {}}});
  for (uint32_t at = 0; at < WORDS; at += PAGE / BEAT_BYTES) {
    send(b, store(b, at, PAGE / BEAT_BYTES));
  }
  finish(b);
}

void run_random(bench &b) {
  static const std::array<unsigned, 5> gaps = {0, 0, 4, 8, 15};
  fill(b);
  for (unsigned round = 0; round < 400 && b.failures == 0; ++round) {
    if (round % 128 == 100) {
      clear_counters(b);
    }
    for (unsigned *gap : {&b.gap_aw, &b.gap_w, &b.gap_b, &b.gap_ar, &b.gap_r}) {
      *gap = gaps[pick(b, 5)];
    }
    b.late = pick(b, 2) == 0;
    for (uint32_t n = 1 + pick(b, 24); n > 0; --n) {
      if (pick(b, 2) == 0) {
        send(b, make(b));
      } else {
        read(b, make_read(b));
      }
    }
    drain(b);
  }
  for (const unsigned kind : {OKAY, SLVERR, DECERR}) {
    if (b.answers[kind] < 50 || b.readings[kind] < 50) {
      fail(b, "too few answers of a kind", b.answers[kind], 50);
    }
  }
}

// Cycles until all has been answered.
uint64_t cycles(bench &b) {
  const uint64_t start = b.cycle;
  while ((!b.answer.empty() || !b.wanted.empty() || !b.given.empty()) && b.cycle - start < 1000) {
    tick(b);
  }
  return b.cycle - start;
}

void expect_cycles(bench &b, const char *what, uint32_t beats, uint64_t got, uint64_t least, uint64_t most) {
  std::printf("64 beats %s in bursts of %u: %llu cycles\n", what, beats, static_cast<unsigned long long>(got));
  if (got < least || got > most) {
    fail(b, "cycles", static_cast<uint32_t>(got), static_cast<uint32_t>(most));
  }
}

burst added(bench &b, uint32_t at, uint32_t beats) {
  burst one = store(b, at, beats);
  one.op = NUM_GM_ADD_F32;
  return one;
}

// A beat a cycle over bursts of all lengths: written, the first one a cycle behind its address and an answer 3 +
// ALU_STAGES later; added; read, the first word three cycles behind its address. Both at once: the port is shared.
void run_throughput(bench &b) {
  fill(b);
  for (const uint32_t beats : {1u, 2u, 16u, 64u}) {
    for (const bool adds : {false, true}) {
      for (uint32_t n = 0; n < 64 / beats; ++n) {
        send(b, adds ? added(b, n * beats, beats) : store(b, n * beats, beats));
      }
      expect_cycles(b, adds ? "added" : "written", beats, cycles(b), 64 + 1 + 7, 64 + 1 + 7);
    }
    for (uint32_t n = 0; n < 64 / beats; ++n) {
      read(b, store(b, n * beats, beats));
    }
    expect_cycles(b, "read", beats, cycles(b), 64 + 3, 64 + 3);
    for (uint32_t n = 0; n < 64 / beats; ++n) {
      send(b, added(b, n * beats, beats));
      read(b, store(b, 128 + n * beats, beats));
    }
    expect_cycles(b, "added and as many read", beats, cycles(b), 128, 128 + 12);
    fill(b);
  }
}

}  // namespace

int main(int argc, char **argv) {
  const bool throughput = argc > 1 && std::strcmp(argv[1], "throughput") == 0;
  if (argc < 2 || argc > 3 || (!throughput && std::strcmp(argv[1], "random") != 0)) {
    std::fprintf(stderr, "usage: gm_slice_tb random|throughput [SEED]\n");
    return 2;
  }
  const int seed = argc == 3 ? std::atoi(argv[2]) : 1;
  bench b;
  num_rng_seed(&b.rng, static_cast<uint64_t>(seed));
  b.context.randReset(2);
  b.context.randSeed(seed);
  b.rtl.aresetn = 1;
  b.rtl.eval();
  b.rtl.aresetn = 0;
  b.rtl.eval();
  b.rtl.aresetn = 1;
  if (throughput) {
    run_throughput(b);
  } else {
    run_random(b);
  }
  verilated_end(b.rtl);
  std::printf("%u OKAY, %u SLVERR, %u DECERR, of reads %u, %u, %u in %llu cycles, %u wrong: %s\n", b.answers[OKAY],
              b.answers[SLVERR], b.answers[DECERR], b.readings[OKAY], b.readings[SLVERR], b.readings[DECERR],
              static_cast<unsigned long long>(b.cycle), b.failures, b.failures == 0 ? "PASS" : "FAIL");
  return b.failures == 0 ? 0 : 1;
}

double sc_time_stamp() { return 0.0; }
