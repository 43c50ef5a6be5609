// gm_slice: random bursts of all kinds, legal and not, with gaps on every channel, against gm_axi's contract and
// the golden arithmetic; and its throughput.
//
//   gm_slice_tb random|throughput [SEED]
//
// Exits 0 when all agree, 1 when not, 2 on bad usage.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <vector>

#include "Vgm_slice.h"
#include "Vgm_slice___024root.h"
#include "num/num_gm.h"
#include "num/num_rng.h"
#include "waves/verilated_end.h"

namespace {

// As CMake sets them.
constexpr uint32_t LANES = 4, WORDS = 64, BEAT_BYTES = 4 * LANES, LEN_W = 4, FULL_SIZE = 4;
constexpr uint32_t ATOP_ADD = 0x10;
enum { OKAY = 0, SLVERR = 2, DECERR = 3 };

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
};

struct bench {
  VerilatedContext context;
  Vgm_slice rtl{&context};
  num_rng_t rng{};
  std::array<beat_t, WORDS> memory{};       // what has to be in it
  std::deque<burst> address, data, answer;  // bursts not yet sent, sent in part, not yet answered
  size_t beat = 0;
  unsigned gap_aw = 0, gap_w = 0, gap_b = 0;  // of 16
  bool offer_aw = false, offer_w = false;
  uint64_t cycle = 0;
  unsigned failures = 0;
  std::array<unsigned, 4> answers{};
  uint32_t beats = 0;  // written since counters were cleared
};

uint32_t pick(bench &b, uint32_t below) { return static_cast<uint32_t>(num_rng_u64(&b.rng) >> 33) % below; }

// ---------------------------------------------------------------- what has to come out

bool legal(const burst &one) {
  const bool single = one.len == 0;
  if (one.atop != 0) {
    return one.atop == ATOP_ADD && one.op == 0 && single && one.size == 2 && one.address % 4 == 0;
  }
  return one.op <= NUM_GM_RESCALE && (single || one.op != NUM_GM_RESCALE) &&
         (single || (one.kind == 1 && one.size == FULL_SIZE));
}

bool inside(const burst &one) {
  const uint32_t beats = one.op == NUM_GM_RESCALE ? (one.walk == 0 ? 1 : one.walk) : one.len + 1;
  return one.address / BEAT_BYTES + beats <= WORDS;
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
        word = num_gm_apply(op, word, datum.word[walks ? 0 : i], nullptr);
      }
    }
  }
}

void expect(bench &b, burst &one) {
  const unsigned whole = !inside(one) ? DECERR : !legal(one) ? SLVERR : OKAY;
  one.expected = whole;
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
    if (whole == OKAY && good) {
      apply(b, one, one.address / BEAT_BYTES + static_cast<uint32_t>(n), mask, datum);
    }
  }
}

// ---------------------------------------------------------------- bursts

uint32_t any_word(bench &b) {
  const uint32_t any = static_cast<uint32_t>(num_rng_u64(&b.rng) >> 32);
  return pick(b, 4) == 0 ? any : (any & 0x80ffffffu) | (0x3f000000u + (pick(b, 4) << 23));
}

burst make(bench &b) {
  burst one{};
  one.id = pick(b, 8);
  one.address = pick(b, WORDS) * BEAT_BYTES + (pick(b, 8) == 0 ? pick(b, BEAT_BYTES) : 0);
  one.size = FULL_SIZE;
  one.kind = 1;
  one.op = pick(b, 12) == 0 ? 5 + pick(b, 3) : pick(b, 5);
  one.walk = pick(b, 1u << LEN_W);
  one.len = one.op == NUM_GM_RESCALE && pick(b, 8) != 0 ? 0 : pick(b, 3) == 0 ? 0 : pick(b, 10);
  if (pick(b, 6) == 0) {
    one.atop = pick(b, 3) != 0 ? ATOP_ADD : 1 + pick(b, 63);
    one.op = pick(b, 8) != 0 ? 0 : 1 + pick(b, 7);
    one.len = pick(b, 8) != 0 ? 0 : 1;
    one.size = pick(b, 8) != 0 ? 2 : pick(b, 5);
    one.address += pick(b, 8) != 0 ? pick(b, LANES) * 4 : pick(b, BEAT_BYTES);
  } else if (pick(b, 8) == 0) {
    one.size = pick(b, 5);
    one.kind = pick(b, 3);
  }
  if (pick(b, 40) == 0) {  // far outside
    (pick(b, 2) == 0 ? one.address : one.len) |= pick(b, 256) << (pick(b, 2) * 8);
  }
  one.address &= 0xffffu;
  one.len &= 0xffu;
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
  expect(b, one);
  b.address.push_back(one);
  b.data.push_back(one);
  b.answer.push_back(one);
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
  if (b.rtl.s_axi_bid_o != one.id || b.rtl.s_axi_bresp_o != one.expected) {
    fail(b, "answer", b.rtl.s_axi_bid_o << 4 | b.rtl.s_axi_bresp_o, one.id << 4 | one.expected);
  }
  b.answers[b.rtl.s_axi_bresp_o] += 1;
  b.answer.pop_front();
}

void drive(bench &b) {
  Vgm_slice &rtl = b.rtl;
  b.offer_aw = !b.address.empty() && (b.offer_aw || pick(b, 16) >= b.gap_aw);
  b.offer_w = !b.data.empty() && (b.offer_w || pick(b, 16) >= b.gap_w);
  rtl.s_axi_awvalid_i = b.offer_aw;
  rtl.s_axi_wvalid_i = b.offer_w;
  rtl.s_axi_bready_i = pick(b, 16) >= b.gap_b;
  if (b.offer_aw) {
    const burst &one = b.address.front();
    rtl.s_axi_awid_i = static_cast<CData>(one.id);
    rtl.s_axi_awaddr_i = static_cast<SData>(one.address);
    rtl.s_axi_awlen_i = static_cast<CData>(one.len);
    rtl.s_axi_awsize_i = static_cast<CData>(one.size);
    rtl.s_axi_awburst_i = static_cast<CData>(one.kind);
    rtl.s_axi_awatop_i = static_cast<CData>(one.atop);
    rtl.s_axi_awuser_i = static_cast<CData>(one.walk << 3 | one.op);
  }
  if (b.offer_w) {
    const datum &datum = b.data.front().data[b.beat];
    for (uint32_t i = 0; i < LANES; ++i) {
      rtl.s_axi_wdata_i[i] = datum.word[i];
    }
    rtl.s_axi_wstrb_i = static_cast<SData>(datum.strobes);
    rtl.s_axi_wlast_i = datum.last;
  }
}

void tick(bench &b) {
  Vgm_slice &rtl = b.rtl;
  drive(b);
  rtl.aclk_i = 0;
  rtl.eval();
  if (b.offer_aw && rtl.s_axi_awready_o) {
    b.address.pop_front();
    b.offer_aw = false;
  }
  if (b.offer_w && rtl.s_axi_wready_o) {
    b.offer_w = false;
    if (++b.beat == b.data.front().data.size()) {
      b.beat = 0;
      b.data.pop_front();
    }
  }
  if (rtl.s_axi_bvalid_o && rtl.s_axi_bready_i) {
    answered(b);
  }
  rtl.aclk_i = 1;
  rtl.eval();
  b.cycle += 1;
}

// All out again; the memory is what it should be.
void drain(bench &b) {
  for (unsigned quiet = 0; !b.answer.empty(); ++quiet) {
    if (quiet == 20000) {
      fail(b, "no answer: bursts left", static_cast<uint32_t>(b.answer.size()), 0);
      return;
    }
    tick(b);
  }
  b.gap_b = 0;
  for (unsigned i = 0; i < 40; ++i) {
    tick(b);  // nothing more comes
  }
  if (b.rtl.cnt_beats_o != b.beats) {
    fail(b, "cnt_beats", b.rtl.cnt_beats_o, b.beats);
  }
  for (uint32_t at = 0; at < WORDS; ++at) {
    for (uint32_t i = 0; i < LANES; ++i) {
      const uint32_t word = b.rtl.rootp->gm_slice__DOT__u_memory__DOT__word_mem[at][i];
      if (word != b.memory[at][i]) {
        fail(b, "memory", word, b.memory[at][i]);
      }
    }
  }
}

void clear_counters(bench &b) {
  b.rtl.clear_i = 1;
  tick(b);
  b.rtl.clear_i = 0;
  b.beats = 0;
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

void run_random(bench &b) {
  static const std::array<unsigned, 5> gaps = {0, 0, 4, 8, 15};
  send(b, store(b, 0, WORDS));
  for (unsigned round = 0; round < 400 && b.failures == 0; ++round) {
    if (round % 128 == 100) {
      clear_counters(b);
    }
    b.gap_aw = gaps[pick(b, 5)];
    b.gap_w = gaps[pick(b, 5)];
    b.gap_b = gaps[pick(b, 5)];
    for (uint32_t n = 1 + pick(b, 12); n > 0; --n) {
      send(b, make(b));
    }
    drain(b);
  }
  for (const unsigned kind : {OKAY, SLVERR, DECERR}) {
    if (b.answers[kind] < 50) {
      fail(b, "too few answers of a kind", b.answers[kind], 50);
    }
  }
}

// A beat a cycle over bursts of all lengths; the first one a cycle behind its address, an answer 3 + ALU_STAGES later.
void run_throughput(bench &b) {
  for (const uint32_t beats : {1u, 2u, 16u, 64u}) {
    const uint64_t start = b.cycle;
    for (uint32_t n = 0; n < 64 / beats; ++n) {
      send(b, store(b, n * beats, beats));
    }
    while (!b.answer.empty() && b.cycle - start < 1000) {
      tick(b);
    }
    const uint64_t expected = 64 + 1 + 7;
    std::printf("64 beats in bursts of %u: %llu cycles\n", beats, static_cast<unsigned long long>(b.cycle - start));
    if (b.cycle - start != expected) {
      fail(b, "cycles", static_cast<uint32_t>(b.cycle - start), static_cast<uint32_t>(expected));
    }
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
  b.rtl.aresetn_i = 1;
  b.rtl.eval();
  b.rtl.aresetn_i = 0;
  b.rtl.eval();
  b.rtl.aresetn_i = 1;
  if (throughput) {
    run_throughput(b);
  } else {
    run_random(b);
  }
  verilated_end(b.rtl);
  std::printf("%u OKAY, %u SLVERR, %u DECERR in %llu cycles, %u wrong: %s\n", b.answers[OKAY], b.answers[SLVERR],
              b.answers[DECERR], static_cast<unsigned long long>(b.cycle), b.failures,
              b.failures == 0 ? "PASS" : "FAIL");
  return b.failures == 0 ? 0 : 1;
}

double sc_time_stamp() { return 0.0; }
