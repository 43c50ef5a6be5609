// attention_axi's registers, against sw/hal/attention_registers.def: values after reset, writes that are taken, those
// that are refused, read-back under random traffic with stalls on all channels, the queue of groups, counters, the
// interrupt and SCALE; each counter, event and level in every cycle of random traffic; rows that are overwritten in
// use; carries, in one beat or, with STREAM_W, in several. attention_tb --axi tests that results are the engine's.
//
//   attention_axi_tb [SEED]
//
// Exits 0 when all agree, 1 when not.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <vector>

#ifdef STREAM_W
#include "Vattention_axi_serial.h"
#else
#include "Vattention_axi.h"
#endif
#include "num/num_format.h"
#include "num/num_rng.h"
#include "waves/verilated_end.h"

namespace {

// As CMake sets them.
constexpr uint32_t D = 2, P = 2, NQ = 2, N = 12, ROWS = N / P, RW = 3, LW = 4;
constexpr uint32_t QUERY_ELEMENTS = D * NQ;  // of a group
constexpr uint32_t TRIPLET_BYTES = (17 * (D + 2) * NQ + 7) / 8;
constexpr uint32_t V_DELAY = 10;  // cycles from the read of a key to that of its value, at D = 2
#ifdef STREAM_W
using rtl_t = Vattention_axi_serial;
constexpr uint32_t BEAT_BYTES = STREAM_W / 8;
#else
using rtl_t = Vattention_axi;
constexpr uint32_t BEAT_BYTES = 32;  // a power of two
#endif
constexpr bool SERIAL = BEAT_BYTES < TRIPLET_BYTES;
constexpr uint32_t OKAY = 0, SLVERR = 2, WAITING = 4;
constexpr uint32_t MASKED = 1, FINAL = 2, CARRY = 4;  // of GROUP
enum class access { RO, RW, WO, W1 };

struct reg {
  const char *name;
  uint32_t offset;
  access kind;
  uint32_t bits;
};
#define ATTENTION_REG(name, offset, access_, bits, text) {#name, offset, access::access_, bits},
constexpr reg REGISTERS[] = {
#include "hal/attention_registers.def"
};
#undef ATTENTION_REG
enum : uint32_t {
#define ATTENTION_REG(name, offset, access_, bits, text) REG_##name = (offset),
#include "hal/attention_registers.def"
#undef ATTENTION_REG
};

// What registers have to say.
struct counts {
  uint32_t keys, groups, results, busy, stalls;
  uint32_t owed, waiting, irq;
};

// What a cycle showed at the pins.
struct cycle {
  bool key, result, stall, offer, answer, word, q_ready;
};

struct bench {
  VerilatedContext context;
  rtl_t rtl{&context};
  num_rng_t rng{};
  unsigned failures = 0, accesses = 0;
  counts now{}, seen{};  // seen: by the last access
  cycle before{};
  uint32_t write_at = 0, write_value = 0;
  bool aborting = false;  // in the cycle before
  bool traffic = false;   // queries come and results are taken, at random
  unsigned together = 0;  // a group was queued in the cycle in which the last result was taken
};

uint32_t pick(bench &b, uint32_t below) { return static_cast<uint32_t>(num_rng_u64(&b.rng) >> 33) % below; }

void check(bench &b, const char *what, uint32_t at, uint32_t got, uint32_t expected) {
  if (got != expected && b.failures++ < 10) {
    std::printf("%s, %03x: %x, expected %x\n", what, at, got, expected);
  }
}

void settle(bench &b) {
  b.rtl.aclk = 0;
  b.rtl.eval();
}

// An access is carried out in the cycle before its answer; a group begins in the last cycle in which its query is held.
void watch(bench &b) {
  const rtl_t &rtl = b.rtl;
  const bool taken = rtl.m_axis_out_tvalid && rtl.m_axis_out_tready, ended = taken && rtl.m_axis_out_tlast;
  const cycle now = {rtl.s_axis_kv_tvalid != 0,       ended,
                     rtl.m_axis_out_tvalid && !taken, rtl.m_axis_out_tvalid && !ended,
                     rtl.s_axil_bvalid != 0,          rtl.s_axil_rvalid != 0,
                     rtl.s_axis_q_tready != 0};
  const cycle &then = b.before;
  counts &all = b.now;
  const bool wrote = now.answer && !then.answer, read = now.word && !then.word;
  const bool good = wrote && rtl.s_axil_bresp == OKAY;
  const bool queued = good && b.write_at == REG_GROUP, begun = now.q_ready && !then.q_ready;
  if (wrote || read) {
    b.seen = all;
  }
  const bool last = then.result && all.owed == 1;
  b.together += last && queued;
  all.irq &= ~(good && b.write_at == REG_IRQ_STATUS ? b.write_value : 0);
  all.irq |= (then.result ? 1u : 0u) | (last && !queued ? 2u : 0u);
  all.irq |= (wrote && !good) || (read && rtl.s_axil_rresp != OKAY) ? 4u : 0u;
  all.keys += then.key;
  all.groups += begun;
  all.results += then.result;
  all.busy += all.owed != 0;
  all.stalls += then.stall;
  if (good && b.write_at == REG_CLEAR && b.write_value == 1) {
    all.keys = all.groups = all.results = all.busy = all.stalls = 0;
  }
  all.owed = b.aborting ? then.offer : all.owed + queued - then.result;
  all.waiting = b.aborting ? 0 : all.waiting + queued - begun;
  b.aborting = good && b.write_at == REG_ABORT && b.write_value == 1;
  b.before = now;
}

void drive(bench &b) {
  rtl_t &rtl = b.rtl;
  rtl.s_axis_q_tvalid = (rtl.s_axis_q_tvalid && !b.before.q_ready) || pick(b, 4) == 0;
  rtl.m_axis_out_tready = SERIAL ? pick(b, 8) != 0 : pick(b, 3) == 0;
}

void clock(bench &b) {
  watch(b);
  b.rtl.aclk = 1;
  b.rtl.eval();
  if (b.traffic) {
    drive(b);
  }
}

void reset(bench &b) {
  b.rtl.aresetn = 1;
  settle(b);
  b.rtl.aresetn = 0;
  settle(b);
  b.rtl.aresetn = 1;
  b.now = counts{};
  b.before = cycle{};
  b.before.q_ready = true;
}

// ---------------------------------------------------------------- accesses

// Address and data after pauses of their own; the answer is the response.
uint32_t write(bench &b, uint32_t offset, uint32_t value, uint32_t strobes = 15) {
  rtl_t &rtl = b.rtl;
  uint32_t address_in = pick(b, 3), data_in = pick(b, 3), answer_in = pick(b, 6);
  bool address = true, data = true;
  b.accesses += 1;
  b.write_at = offset;
  b.write_value = value;
  for (unsigned n = 0; n < 100; ++n) {
    rtl.s_axil_awvalid = address && n >= address_in;
    rtl.s_axil_wvalid = data && n >= data_in;
    rtl.s_axil_awaddr = static_cast<SData>(offset);
    rtl.s_axil_wdata = value;
    rtl.s_axil_wstrb = static_cast<CData>(strobes);
    rtl.s_axil_bready = n >= answer_in;
    settle(b);
    const bool answered = rtl.s_axil_bvalid && rtl.s_axil_bready;
    const uint32_t answer = rtl.s_axil_bresp;
    if (rtl.s_axil_bvalid && (address || data)) {
      check(b, "answer before the write", offset, 1, 0);
    }
    address = address && !(rtl.s_axil_awvalid && rtl.s_axil_awready);
    data = data && !(rtl.s_axil_wvalid && rtl.s_axil_wready);
    clock(b);
    if (answered) {
      rtl.s_axil_bready = 0;
      return answer;
    }
  }
  check(b, "no answer to a write", offset, 1, 0);
  return 1;
}

uint32_t read(bench &b, uint32_t offset, uint32_t *value) {
  rtl_t &rtl = b.rtl;
  const uint32_t answer_in = pick(b, 5);
  bool address = true;
  b.accesses += 1;
  for (unsigned n = 0; n < 100; ++n) {
    rtl.s_axil_arvalid = address;
    rtl.s_axil_araddr = static_cast<SData>(offset);
    rtl.s_axil_rready = n >= answer_in;
    settle(b);
    const bool answered = rtl.s_axil_rvalid && rtl.s_axil_rready;
    *value = rtl.s_axil_rdata;
    const uint32_t answer = rtl.s_axil_rresp;
    address = address && !rtl.s_axil_arready;
    clock(b);
    if (answered) {
      rtl.s_axil_rready = 0;
      return answer;
    }
  }
  check(b, "no answer to a read", offset, 1, 0);
  return 1;
}

uint32_t value_of(bench &b, uint32_t offset) {
  uint32_t value = 0;
  check(b, "read", offset, read(b, offset, &value), OKAY);
  return value;
}

// ---------------------------------------------------------------- what registers are

const reg *find(uint32_t offset) {
  if (offset > REG_LIMIT && offset < REG_LIMIT + 4 * NQ) {
    offset = REG_LIMIT;  // its NQ words are alike
  }
  for (const reg &one : REGISTERS) {
    if (one.offset == offset) {
      return &one;
    }
  }
  return nullptr;
}

uint32_t after_reset(uint32_t offset) {
  switch (offset) {
    case REG_VERSION:
      return 0x00010000;
    case REG_DESIGN:
      return NQ << 24 | P << 16;
    case REG_HEAD_DIM:
      return D;
    case REG_KEYS:
      return N;
    case REG_STATUS:
      return 1;
    case REG_SCALE:
      return 0x3f80;
    case REG_ROWS:
      return ROWS;
    case REG_STRIDE:
      return ROWS;
    default:
      return offset >= REG_LIMIT ? N : 0;
  }
}

bool takes(const reg &one, uint32_t value) {
  switch (one.offset) {
    case REG_BASE:
      return value < ROWS;
    case REG_ROWS:
      return value >= 1 && value <= ROWS;
    case REG_STRIDE:
      return value <= N;
    default:
      return one.offset >= REG_LIMIT ? value <= N : one.bits == 32 || value >> one.bits == 0;
  }
}

// Every word of the space, of all kinds of access.
void check_space(bench &b) {
  for (uint32_t offset = 0; offset < 0x400; offset += 4) {
    const reg *one = find(offset);
    uint32_t value = 0;
    const bool readable = one != nullptr && one->kind != access::WO;
    check(b, "read after reset", offset, read(b, offset, &value), readable ? OKAY : SLVERR);
    if (offset != REG_IRQ_STATUS) {  // which tells of the reads that were refused
      check(b, "value after reset", offset, value, readable ? after_reset(offset) : 0);
    }
    if (one == nullptr || one->kind == access::RO) {
      check(b, "write of what cannot be", offset, write(b, offset, 0), SLVERR);
    }
    check(b, "write of three bytes", offset, write(b, offset, 1, 7), SLVERR);
  }
}

// Random writes and reads, legal or not, of what software may write.
void check_random(bench &b) {
  std::vector<uint32_t> offsets;
  std::map<uint32_t, uint32_t> model;
  for (const reg &one : REGISTERS) {
    for (uint32_t n = 0; one.kind == access::RW && n < (one.offset == REG_LIMIT ? NQ : 1); ++n) {
      offsets.push_back(one.offset + 4 * n);
      model[one.offset + 4 * n] = after_reset(one.offset + 4 * n);
    }
  }
  for (unsigned n = 0; n < 3000; ++n) {
    const uint32_t offset = offsets[pick(b, static_cast<uint32_t>(offsets.size()))];
    const reg &one = *find(offset);
    const uint32_t byte = offset + pick(b, 4);  // in the same word
    if (pick(b, 2) == 0) {
      check(b, "read-back", byte, value_of(b, byte), model[offset]);
      continue;
    }
    const uint32_t width = one.bits + (pick(b, 4) == 0 ? 1 : 0);
    const uint32_t value = pick(b, 8) == 0 ? static_cast<uint32_t>(num_rng_u64(&b.rng)) : pick(b, 1u << width);
    const uint32_t strobes = pick(b, 8) == 0 ? pick(b, 16) : 15;
    const bool good = strobes == 15 && takes(one, value);
    check(b, "write", byte, write(b, byte, value, strobes), good ? OKAY : SLVERR);
    if (good) {
      model[offset] = value;
    }
  }
}

// Accesses offered while the one before still waits for its answer: all are answered, and SCALE read beside is that of
// the last write carried out.
void check_waiting(bench &b) {
  constexpr uint32_t N_EACH = 200;
  rtl_t &rtl = b.rtl;
  const std::array<uint32_t, 3> offsets = {REG_VERSION, REG_SCALE, REG_KEYS};
  uint32_t addresses = 0, words = 0, answers = 0, asked = 0, reads = 0, scale = 0;
  for (unsigned n = 0; n < 20 * N_EACH && (answers < N_EACH || reads < N_EACH); ++n) {
    rtl.s_axil_awvalid = addresses < N_EACH;
    rtl.s_axil_awaddr = REG_SCALE;
    rtl.s_axil_wvalid = words < N_EACH;
    rtl.s_axil_wdata = 0x3f80 + words;
    rtl.s_axil_wstrb = 15;
    rtl.s_axil_bready = pick(b, 3) == 0;
    rtl.s_axil_arvalid = asked < N_EACH;
    rtl.s_axil_araddr = static_cast<SData>(offsets[asked % offsets.size()]);
    rtl.s_axil_rready = pick(b, 3) == 0;
    settle(b);
    const uint32_t written = answers + rtl.s_axil_bvalid;  // before this cycle
    if (rtl.s_axil_bvalid && rtl.s_axil_bready) {
      check(b, "write of many", answers++, rtl.s_axil_bresp, OKAY);
    }
    if (rtl.s_axil_rvalid && rtl.s_axil_rready) {
      const uint32_t offset = offsets[reads++ % offsets.size()];
      check(b, "read of many", offset, rtl.s_axil_rdata, offset == REG_SCALE ? scale : after_reset(offset));
    }
    addresses += rtl.s_axil_awvalid && rtl.s_axil_awready;
    words += rtl.s_axil_wvalid && rtl.s_axil_wready;
    if (rtl.s_axil_arvalid && rtl.s_axil_arready) {
      scale = 0x3f80 + std::max(written, 1u) - 1;
      ++asked;
    }
    clock(b);
  }
  rtl.s_axil_bready = rtl.s_axil_rready = 0;
  check(b, "answers", REG_SCALE, answers, N_EACH);
  check(b, "answers to reads", REG_VERSION, reads, N_EACH);
  check(b, "last of many", REG_SCALE, value_of(b, REG_SCALE), 0x3f80 + N_EACH - 1);
  b.accesses += 2 * N_EACH;
}

// ---------------------------------------------------------------- groups

using query_t = std::array<uint16_t, QUERY_ELEMENTS>;

// Keys and values of all rows: of a bell, or any bits there are, infinities often.
void load(bench &b, bool any) {
  rtl_t &rtl = b.rtl;
  for (uint32_t row = 0; row < N; ++row) {
    rtl.s_axis_kv_tvalid = 1;
    rtl.s_axis_kv_tuser = static_cast<CData>((row / ROWS) << RW | row % ROWS);
    for (uint32_t i = 0; i < 2 * D; ++i) {
      const uint64_t bits = any ? (pick(b, 4) == 0 ? 0x7f80 : pick(b, 1u << 16))
                                : num_bf16_from_f32(static_cast<float>(num_rng_normal(&b.rng)));
      rtl.s_axis_kv_tdata = (rtl.s_axis_kv_tdata & ~(0xffffull << (16 * i))) | bits << (16 * i);
    }
    settle(b);
    check(b, "kv ready", row, rtl.s_axis_kv_tready, 1);
    clock(b);
  }
  rtl.s_axis_kv_tvalid = 0;
}

void send(bench &b, const query_t &query) {
  rtl_t &rtl = b.rtl;
  std::memcpy(&rtl.s_axis_q_tdata, query.data(), sizeof query);
  rtl.s_axis_q_tvalid = 1;
  rtl.s_axis_mask_tdata = static_cast<CData>(pick(b, 256));  // which nobody asked for
  for (unsigned n = 0; n < 100; ++n) {
    settle(b);
    const bool taken = rtl.s_axis_q_tready;
    clock(b);
    if (taken) {
      rtl.s_axis_q_tvalid = 0;
      return;
    }
  }
  check(b, "queries not taken", 0, 1, 0);
}

using bytes_t = std::vector<uint8_t>;

// The next result, after `stall` cycles in which it waits: its bytes, of all its beats.
bytes_t result(bench &b, unsigned stall, bool final) {
  rtl_t &rtl = b.rtl;
  const uint32_t expected = final ? 2 * D * NQ : TRIPLET_BYTES;
  bytes_t all;
  for (unsigned n = 0; n < 400; ++n) {
    settle(b);
    const bool valid = rtl.m_axis_out_tvalid;
    rtl.m_axis_out_tready = valid && stall == 0 && (all.empty() || pick(b, 4) != 0);
    stall -= valid && stall != 0;
    settle(b);
    const bool taken = rtl.m_axis_out_tready, last = taken && rtl.m_axis_out_tlast;
    if (taken) {
      const auto *beat = reinterpret_cast<const uint8_t *>(&rtl.m_axis_out_tdata);
      const auto left = static_cast<uint32_t>(std::min<size_t>(BEAT_BYTES, expected - all.size()));
      check(b, "TUSER", 0, rtl.m_axis_out_tuser, final);
      check(b, "TKEEP", left, static_cast<uint32_t>(rtl.m_axis_out_tkeep), static_cast<uint32_t>((1ull << left) - 1));
      all.insert(all.end(), beat, beat + left);
      check(b, "TLAST", 0, rtl.m_axis_out_tlast, all.size() == expected);
    }
    clock(b);
    rtl.m_axis_out_tready = 0;
    if (last || all.size() >= expected) {
      return all;
    }
  }
  check(b, "no result", 0, 1, 0);
  return all;
}

// A triplet as it came out; the bits of the last beat behind it are anything.
void send_carry(bench &b, const bytes_t &triplet) {
  rtl_t &rtl = b.rtl;
  for (uint32_t at = 0, n = 0; at < triplet.size() && n < 400; ++n) {
    std::array<uint8_t, BEAT_BYTES> beat{};
    for (uint32_t i = 0; i < BEAT_BYTES; ++i) {
      beat[i] = at + i < triplet.size() ? triplet[at + i] : static_cast<uint8_t>(0xa5 + at);
    }
    std::memcpy(&rtl.s_axis_carry_tdata, beat.data(), BEAT_BYTES);
    rtl.s_axis_carry_tvalid = rtl.s_axis_carry_tvalid || pick(b, 3) != 0;
    settle(b);
    const bool taken = rtl.s_axis_carry_tvalid && rtl.s_axis_carry_tready;
    clock(b);
    if (taken) {
      at += BEAT_BYTES;
      rtl.s_axis_carry_tvalid = 0;
    }
  }
}

query_t make(float scale, const std::array<float, QUERY_ELEMENTS> &values) {
  query_t query{};
  for (uint32_t i = 0; i < QUERY_ELEMENTS; ++i) {
    query[i] = num_bf16_from_f32(values[i] * scale);
  }
  return query;
}

void check_groups(bench &b) {
  for (unsigned n = 0; n < 3; ++n) {
    load(b, true);  // of which nothing stays
  }
  reset(b);
  load(b, false);
  check(b, "CNT_KEYS", REG_CNT_KEYS, value_of(b, REG_CNT_KEYS), N);
  for (uint32_t n = 0; n < WAITING; ++n) {
    check(b, "GROUP", REG_GROUP, write(b, REG_GROUP, n == 1 ? 0 : FINAL), OKAY);
  }
  check(b, "STATUS, full", REG_STATUS, value_of(b, REG_STATUS), WAITING << 16);
  check(b, "GROUP, full", REG_GROUP, write(b, REG_GROUP, FINAL), SLVERR);
  check(b, "IRQ_STATUS, refused", REG_IRQ_STATUS, value_of(b, REG_IRQ_STATUS), 4);
  check(b, "irq disabled", REG_IRQ_ENABLE, b.rtl.irq_o, 0);
  check(b, "IRQ_ENABLE", REG_IRQ_ENABLE, write(b, REG_IRQ_ENABLE, 4), OKAY);
  check(b, "irq", REG_IRQ_STATUS, b.rtl.irq_o, 1);
  check(b, "IRQ_STATUS cleared", REG_IRQ_STATUS, write(b, REG_IRQ_STATUS, 4), OKAY);
  check(b, "IRQ_STATUS after", REG_IRQ_STATUS, value_of(b, REG_IRQ_STATUS), 0);
  check(b, "irq after", REG_IRQ_STATUS, b.rtl.irq_o, 0);

  const std::array<float, QUERY_ELEMENTS> values = {1.5f, -0.75f, 0.625f, 2.0f};
  std::vector<bytes_t> out;
  for (uint32_t n = 0; n < WAITING; ++n) {
    send(b, make(1.0f, values));
    out.push_back(result(b, n == 2 ? 5 : 0, n != 1));
    check(b, "IRQ_STATUS", REG_IRQ_STATUS, value_of(b, REG_IRQ_STATUS), n + 1 < WAITING ? 1 : 3);
    check(b, "W1C", REG_IRQ_STATUS, write(b, REG_IRQ_STATUS, 3), OKAY);
    check(b, "STATUS", REG_STATUS, value_of(b, REG_STATUS), (WAITING - 1 - n) << 16 | 1);
  }
  check(b, "the same again", 0, out[0] == out[2] && out[0] == out[3], 1);
  check(b, "CNT_GROUPS", REG_CNT_GROUPS, value_of(b, REG_CNT_GROUPS), WAITING);
  check(b, "CNT_RESULTS", REG_CNT_RESULTS, value_of(b, REG_CNT_RESULTS), WAITING);
  check(b, "CNT_STALLS", REG_CNT_STALLS, value_of(b, REG_CNT_STALLS) >= 5, 1);
  check(b, "CNT_BUSY", REG_CNT_BUSY, value_of(b, REG_CNT_BUSY) > 4 * ROWS, 1);
  check(b, "CLEAR", REG_CLEAR, write(b, REG_CLEAR, 1), OKAY);
  for (const uint32_t counter : {REG_CNT_KEYS, REG_CNT_GROUPS, REG_CNT_RESULTS, REG_CNT_BUSY, REG_CNT_STALLS}) {
    check(b, "counter cleared", counter, value_of(b, counter), 0);
  }

  // Half the queries at SCALE 2 are the same; the whole ones are not.
  check(b, "SCALE", REG_SCALE, write(b, REG_SCALE, 0x4000), OKAY);
  for (const float scale : {0.5f, 1.0f}) {
    check(b, "GROUP", REG_GROUP, write(b, REG_GROUP, FINAL), OKAY);
    send(b, make(scale, values));
    check(b, "scaled", REG_SCALE, result(b, 0, true) == out[0], scale == 0.5f);
  }

  // Any SCALE times a power of two is exact: as if the query came so.
  for (unsigned n = 0; n < 20; ++n) {
    const auto scale = static_cast<uint16_t>(pick(b, 2) << 15 | (126 + pick(b, 3)) << 7 | pick(b, 128));
    std::array<float, QUERY_ELEMENTS> powers{};
    for (float &power : powers) {
      power = std::ldexp(pick(b, 2) == 0 ? 1.0f : -1.0f, static_cast<int>(pick(b, 3)) - 1);
    }
    bytes_t both[2];
    for (const bool scaled : {false, true}) {
      check(b, "SCALE", REG_SCALE, write(b, REG_SCALE, scaled ? 0x3f80 : scale), OKAY);
      check(b, "GROUP", REG_GROUP, write(b, REG_GROUP, FINAL), OKAY);
      send(b, make(scaled ? num_bf16_to_f32(scale) : 1.0f, powers));
      both[scaled] = result(b, 0, true);
    }
    check(b, "any scale", scale, both[0] == both[1], 1);
  }
  check(b, "SCALE", REG_SCALE, write(b, REG_SCALE, 0x4000), OKAY);

  // Limits: a query that sees one key alone.
  check(b, "LIMIT", REG_LIMIT, write(b, REG_LIMIT, 1), OKAY);
  check(b, "ROWS", REG_ROWS, write(b, REG_ROWS, 1), OKAY);
  check(b, "GROUP", REG_GROUP, write(b, REG_GROUP, FINAL), OKAY);
  send(b, make(1.0f, values));
  check(b, "limited", REG_LIMIT, result(b, 0, true) == out[0], 0);
}

// A group whose mask never comes, with others and their beats behind it, is dropped. The next one is as good as ever.
void check_abort(bench &b) {
  const query_t query = make(1.0f, {1.5f, -0.75f, 0.625f, 2.0f});
  load(b, false);
  check(b, "GROUP", REG_GROUP, write(b, REG_GROUP, FINAL), OKAY);
  send(b, query);
  const bytes_t out = result(b, 0, true);
  for (const bool on_offer : {false, true}) {
    check(b, "GROUP", REG_GROUP, write(b, REG_GROUP, on_offer ? FINAL : FINAL | MASKED), OKAY);
    check(b, "GROUP", REG_GROUP, write(b, REG_GROUP, FINAL | MASKED), OKAY);
    send(b, query);
    send(b, query);
    for (unsigned n = 0; n < 100; ++n) {
      settle(b);
      clock(b);
    }
    check(b, "STATUS, hung", REG_STATUS, value_of(b, REG_STATUS), 2 << 16 | 1);
    check(b, "ABORT", REG_ABORT, write(b, REG_ABORT, 0), OKAY);
    check(b, "STATUS, not aborted", REG_STATUS, value_of(b, REG_STATUS), 2 << 16 | 1);
    check(b, "ABORT", REG_ABORT, write(b, REG_ABORT, 1), OKAY);
    check(b, "STATUS, aborted", REG_STATUS, value_of(b, REG_STATUS), (on_offer ? 1 << 16 : 0) | 1);
    check(b, "on offer", REG_STATUS, !on_offer || result(b, 0, true) == out, 1);
    check(b, "GROUP", REG_GROUP, write(b, REG_GROUP, FINAL), OKAY);
    send(b, query);
    check(b, "after ABORT", REG_ABORT, result(b, 0, true) == out, 1);
  }
}

// A triplet goes round: with no key more it is as it was, and so is what it divides to.
void check_carry(bench &b) {
  load(b, false);
  const query_t query = make(1.0f, {1.5f, -0.75f, 0.625f, 2.0f});
  check(b, "GROUP", REG_GROUP, write(b, REG_GROUP, FINAL), OKAY);
  send(b, query);
  const bytes_t out = result(b, 0, true);
  check(b, "GROUP", REG_GROUP, write(b, REG_GROUP, 0), OKAY);
  send(b, query);
  const bytes_t triplet = result(b, 3, false);
  for (uint32_t n = 0; n < NQ; ++n) {
    check(b, "LIMIT", REG_LIMIT, write(b, REG_LIMIT + 4 * n, 0), OKAY);
  }
  for (const uint32_t final : {FINAL, 0u, FINAL}) {
    check(b, "GROUP", REG_GROUP, write(b, REG_GROUP, CARRY | final), OKAY);
    send_carry(b, triplet);
    send(b, query);
    check(b, "carried", final, result(b, 0, final != 0) == (final != 0 ? out : triplet), 1);
  }
}

// A row that is written some cycles after its group has begun is told if its key has been read, and its value has not.
void check_overwritten(bench &b) {
  constexpr uint32_t OVERWRITTEN = 8;
  load(b, false);
  check(b, "IRQ_STATUS", REG_IRQ_STATUS, write(b, REG_IRQ_STATUS, 15), OKAY);
  for (uint32_t row = 0; row < ROWS; ++row) {
    for (uint32_t after = 1; after < V_DELAY + ROWS + 3; ++after) {
      if (after == row || after == row + V_DELAY) {
        continue;  // read and written at once, which ends a simulation
      }
      check(b, "GROUP", REG_GROUP, write(b, REG_GROUP, FINAL), OKAY);
      send(b, make(1.0f, {1.5f, -0.75f, 0.625f, 2.0f}));
      for (uint32_t n = 0; n < after; ++n) {
        settle(b);
        clock(b);
      }
      b.rtl.s_axis_kv_tuser = static_cast<CData>(pick(b, P) << RW | row);
      b.rtl.s_axis_kv_tvalid = 1;
      settle(b);
      clock(b);
      b.rtl.s_axis_kv_tvalid = 0;
      result(b, 0, true);
      const bool in_use = after > row && after < row + V_DELAY;
      check(b, "overwritten", 100 * row + after, value_of(b, REG_IRQ_STATUS) & OVERWRITTEN, in_use ? OVERWRITTEN : 0);
      check(b, "IRQ_STATUS", REG_IRQ_STATUS, write(b, REG_IRQ_STATUS, OVERWRITTEN), OKAY);
    }
  }
}

// One of what can be read, which is exact in the cycle of the access.
void check_count(bench &b) {
  const std::array<uint32_t, 7> offsets = {REG_CNT_KEYS,   REG_CNT_GROUPS, REG_CNT_RESULTS, REG_CNT_BUSY,
                                           REG_CNT_STALLS, REG_STATUS,     REG_IRQ_STATUS};
  const uint32_t which = pick(b, static_cast<uint32_t>(offsets.size())), value = value_of(b, offsets[which]);
  const counts &all = b.seen;
  const std::array<uint32_t, 7> expected = {all.keys, all.groups, all.results,
                                            all.busy, all.stalls, all.owed << 16 | (all.waiting < WAITING ? 1u : 0u),
                                            all.irq};
  check(b, "count", offsets[which], value, expected[which]);
}

// Groups, results, accesses that are refused, counters cleared or not, at random.
void check_counts(bench &b) {
  load(b, false);
  b.traffic = true;
  for (unsigned n = 0; n < 4000; ++n) {
    uint32_t value = 0;
    const uint32_t few = n / 500 % 2 == 0 ? 2 : 100;  // groups at a time
    if (pick(b, 40) == 0) {                           // which groups had begun by then nobody saw
      check(b, "ABORT", REG_ABORT, write(b, REG_ABORT, 1), OKAY);
      check(b, "CLEAR", REG_CLEAR, write(b, REG_CLEAR, 1), OKAY);
    }
    switch (pick(b, 10)) {
      case 0:
        check(b, "CLEAR", REG_CLEAR, write(b, REG_CLEAR, pick(b, 2)), OKAY);
        break;
      case 1:
        check(b, "IRQ_STATUS", REG_IRQ_STATUS, write(b, REG_IRQ_STATUS, pick(b, 16)), OKAY);
        break;
      case 2:
        check(b, "a read of nothing", 0x3fc, read(b, 0x3fc, &value), SLVERR);
        break;
      case 3:
      case 4:
      case 5:
        if (b.now.owed < few) {
          const uint32_t answer = write(b, REG_GROUP, pick(b, 2) * FINAL);
          check(b, "GROUP", REG_GROUP, answer, b.seen.waiting < WAITING ? OKAY : SLVERR);
        }
        break;
      default:
        check_count(b);
        break;
    }
  }
  b.traffic = false;
  check(b, "too few groups queued with the last result", 0, b.together >= (SERIAL ? 1 : 5), 1);
}

}  // namespace

int main(int argc, char **argv) {
  const int seed = argc > 1 ? std::atoi(argv[1]) : 1;
  bench b;
  num_rng_seed(&b.rng, static_cast<uint64_t>(seed));
  b.context.randReset(2);
  b.context.randSeed(seed);
  reset(b);
  check_space(b);
  reset(b);
  check_random(b);
  reset(b);
  check_waiting(b);
  reset(b);
  check_groups(b);
  reset(b);
  check_carry(b);
  reset(b);
  check_overwritten(b);
  reset(b);
  check_abort(b);
  reset(b);
  check_counts(b);
  verilated_end(b.rtl);
  std::printf("%u accesses, %u wrong: %s\n", b.accesses, b.failures, b.failures == 0 ? "PASS" : "FAIL");
  return b.failures == 0 ? 0 : 1;
}

double sc_time_stamp() { return 0.0; }
