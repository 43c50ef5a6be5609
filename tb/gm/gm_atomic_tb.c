// Tests of rtl/gm/gm_atomic.v and of its cycle model, side by side (gm_atomic_bench.h).
//
//   gm_atomic_tb random|guards|elements|throughput|reset [--requests N] [--seed S] [--record FILE]
//   gm_atomic_tb vectors --op f16|bf16 --vectors FILE     sums as testfloat_gen prints them; any NaN stands for any
//   other
//
// --record writes what was on the pins in each cycle, for icarus/gm_atomic_replay.v.
// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gm_atomic_bench.h"
#include "tb_options.h"
#include "tb_vectors.h"

enum { ALL_LANES = 0xffff, ILLEGAL_OP = 6, ILLEGAL_OP_OF_TYPES = 21 };
// No request of these tests waits as long; a unit that does hangs.
enum { HANG_CYCLES = 100000 };

// The chance that a side is willing, and the number of cycles for which it then stays so.
typedef struct {
  uint32_t percent;
  uint32_t burst;
} pattern_t;

typedef struct {
  pattern_t pattern;
  uint32_t left;
  bool on;
} side_t;

static uint32_t below(num_rng_t *rng, uint32_t n) { return (uint32_t)(num_rng_u64(rng) >> 32) % n; }

static bool side_next(side_t *side, num_rng_t *rng) {
  if (side->left == 0) {
    side->on = below(rng, 100) < side->pattern.percent;
    side->left = 1u + below(rng, side->pattern.burst);
  }
  side->left--;
  return side->on;
}

// ------------------------------------------------------------------ requests

static uint32_t random_op(num_rng_t *rng) {
  static const uint32_t OPS[] = {
      NUM_GM_STORE,   NUM_GM_STORE,   NUM_GM_ADD_F32, NUM_GM_ADD_F32,     NUM_GM_ADD_F32,     NUM_GM_ADD_F32,
      NUM_GM_ADD_S32, NUM_GM_ADD_S32, NUM_GM_ADD_S32, NUM_GM_ADD_S32_RAW, NUM_GM_ADD_S32_RAW, NUM_GM_RESCALE,
  };
  const uint32_t count = sizeof OPS / sizeof OPS[0];
  const uint32_t pick = below(rng, 40);
  if (gm_dut_types()) {  // each second one of those that other units do not have
    const uint32_t typed = NUM_GM_ADD_F16 + below(rng, NUM_GM_MIN_S8 - NUM_GM_RESCALE);
    return pick == 0 ? ILLEGAL_OP_OF_TYPES + below(rng, 11) : pick < 20 ? typed : OPS[pick % count];
  }
  return pick == 0 ? 5u + below(rng, 3) : OPS[pick % count];  // one in 40 is illegal
}

// An int32 as the algorithm makes it, a small one, or any.
static uint32_t random_n(num_rng_t *rng) {
  const uint32_t r = (uint32_t)num_rng_u64(rng);
  switch (below(rng, 8)) {
    case 0:
      return 0;
    case 1:
      return r;
    case 2:
      return r % 3u - 1u;
    case 3:
      return (r % 511u - 255u) << 23;
    default:
      return (r % 31u - 24u) << 23 | (r >> 9 & 0x3fffu);
  }
}

static uint32_t random_float(num_rng_t *rng) {
  const uint32_t r = (uint32_t)num_rng_u64(rng);
  const uint32_t exponent = below(rng, 16) == 0 ? below(rng, 256) : 110u + below(rng, 32);
  return (r & 0x807fffffu) | exponent << 23;
}

// Two halves, of which either may be any bits, or a corner of F16 and BF16.
static uint32_t random_halves(num_rng_t *rng) {
  static const uint32_t CORNERS[] = {0x0000, 0x0001, 0x007f, 0x0080, 0x03ff, 0x0400, 0x3bff, 0x3c00, 0x3f80, 0x4000,
                                     0x7bff, 0x7c00, 0x7c01, 0x7e00, 0x7f7f, 0x7f80, 0x7f81, 0x7fc0, 0x7fff};
  const uint64_t r = num_rng_u64(rng);
  uint32_t word = (uint32_t)r;
  for (uint32_t at = 0; at < 32; at += 16) {
    if (below(rng, 4) == 0) {
      const uint32_t corner = CORNERS[below(rng, sizeof CORNERS / sizeof CORNERS[0])] | (uint32_t)(r >> 40 & 0x8000u);
      word = (word & ~(0xffffu << at)) | corner << at;
    }
  }
  return word;
}

// Bursts of a few addresses, so that beats in the pipeline collide; some start before the wrap.
static uint32_t random_addr(num_rng_t *rng, uint32_t op) {
  if (op == NUM_GM_RESCALE && below(rng, 2) == 0) {
    return 0u - 1u - below(rng, GM_BENCH_HALF / 2);
  }
  return below(rng, 4) == 0 ? below(rng, GM_BENCH_HALF / 2) : below(rng, 3) - 1u;
}

static uint32_t random_len(num_rng_t *rng) {
  switch (below(rng, 64)) {
    case 0:
      return 1023;
    case 1:
      return below(rng, 300);
    default:
      return below(rng, 7);
  }
}

static gm_request_t random_request(num_rng_t *rng) {
  const uint32_t op = random_op(rng);
  const bool is_float = op == NUM_GM_STORE || op == NUM_GM_ADD_F32;
  gm_request_t req = {
      .op = op,
      .addr = random_addr(rng, op) & ((1u << GM_ADDR_W) - 1u),
      .len = random_len(rng),
      .tag = below(rng, 1u << GM_TAG_W),
      .mask = below(rng, 4) == 0 ? below(rng, 1u << GM_LANES) : ALL_LANES,
  };
  const bool halves = gm_dut_types() && (op > NUM_GM_RESCALE || (op == NUM_GM_STORE && below(rng, 2) == 0));
  for (uint32_t lane = 0; lane < GM_LANES; ++lane) {
    req.data[lane] = halves ? random_halves(rng) : is_float ? random_float(rng) : random_n(rng);
  }
  return req;
}

// ------------------------------------------------------------------ tests

// Offers the request until it is taken.
static void send(gm_bench_t *bench, const gm_request_t *req) {
  uint32_t waited = 0;
  while (!bench->failed && !gm_bench_cycle(bench, req, true).accepted) {
    if (++waited == HANG_CYCLES) {
      gm_bench_fail(bench, "cycles without req_ready", waited, 0);
    }
  }
}

// One pair of stall patterns for a number of requests.
static void run_phase(gm_bench_t *bench, pattern_t requests, pattern_t responses, uint64_t count) {
  side_t req_side = {.pattern = requests};
  side_t rsp_side = {.pattern = responses};
  gm_request_t req = random_request(&bench->rng);
  const uint64_t until = bench->accepted + count;
  bool offered = false;  // once offered, a request stays until taken
  uint32_t waited = 0;
  while (bench->accepted < until && !bench->failed) {
    const bool willing = side_next(&req_side, &bench->rng);
    const bool rsp_ready = side_next(&rsp_side, &bench->rng);
    offered = offered || willing;
    if (gm_bench_cycle(bench, offered ? &req : NULL, rsp_ready).accepted) {
      req = random_request(&bench->rng);
      offered = false;
      waited = 0;
    } else if (++waited == HANG_CYCLES) {
      gm_bench_fail(bench, "cycles without progress", waited, 0);
    }
    if (below(&bench->rng, 5000) == 0) {
      gm_bench_clear_next(bench);
    }
  }
}

static void test_random(gm_bench_t *bench, uint64_t requests) {
  static const pattern_t PATTERNS[] = {{100, 1}, {50, 1}, {50, 12}, {15, 1}, {90, 3}};
  const uint32_t count = sizeof PATTERNS / sizeof PATTERNS[0];
  for (uint32_t i = 0; i < count * count; ++i) {
    run_phase(bench, PATTERNS[i / count], PATTERNS[i % count], requests / (count * count));
  }
}

// The words and integers at which the guarded add changes its mind.
static uint32_t corner_word(uint32_t i) {
  static const uint32_t MAGNITUDES[] = {
      0x00000000u, 0x00000001u, 0x007fffffu, 0x00800000u, 0x00800001u, 0x3f800000u,
      0x40490fdbu, 0x7f000000u, 0x7f7fffffu, 0x7f800000u, 0x7f800001u, 0x7fffffffu,
  };
  const uint32_t count = sizeof MAGNITUDES / sizeof MAGNITUDES[0];
  return MAGNITUDES[i % count] | (i / count % 2u) << 31;
}
enum { CORNER_WORDS = 24 };

static uint32_t corner_n(uint32_t word, uint32_t i) {
  const uint32_t magnitude = word & 0x7fffffffu;
  const uint32_t to_underflow = 0x00800000u - magnitude;  // the N that lands on the smallest normal
  const uint32_t to_overflow = 0x7f800000u - magnitude;   // and the one that lands on infinity
  const uint32_t ns[] = {
      0u,
      1u,
      UINT32_MAX,
      0x00800000u,
      0xff800000u,
      INT32_MAX,
      0x80000000u,
      0x80000001u,
      to_underflow,
      to_underflow - 1u,
      to_underflow + 1u,
      to_overflow,
      to_overflow - 1u,
      to_overflow + 1u,
      0u - magnitude,
      0u - magnitude - 1u,
  };
  return ns[i];
}
enum { CORNER_NS = 16 };

// One word against all its integers, CORNER_NS lanes; narrower units take them a part at a time.
static void corner_beats(gm_bench_t *bench, uint32_t op, uint32_t word, uint32_t first) {
  gm_request_t init = {.op = NUM_GM_STORE, .addr = 7, .mask = ALL_LANES};
  gm_request_t add = {.op = op, .addr = 7, .len = 1, .mask = ALL_LANES};
  for (uint32_t lane = 0; lane < GM_LANES; ++lane) {
    init.data[lane] = word;
    add.data[lane] = corner_n(word, (first + lane) % CORNER_NS);
  }
  send(bench, &init);
  send(bench, &add);
}

// Each guard alone raises its own flag in one lane of one beat, and only where the mask enables it.
static void flags_alone(gm_bench_t *bench, uint32_t word, uint32_t n, uint32_t flag) {
  gm_request_t req = {.op = NUM_GM_STORE, .addr = 9, .mask = ALL_LANES};
  for (uint32_t lane = 0; lane < GM_LANES; ++lane) {
    req.data[lane] = 0x3f800000u;
  }
  req.data[2] = word;
  send(bench, &req);
  req = (gm_request_t){.op = NUM_GM_ADD_S32, .addr = 9, .mask = ALL_LANES & ~4u};
  req.data[2] = n;
  gm_bench_clear_next(bench);
  send(bench, &req);  // masked off: nothing fires
  gm_bench_finish(bench);
  if (bench->model.guards != 0 || bench->model.cnt_guards != 0) {
    gm_bench_fail(bench, "flags of a masked-off lane", bench->model.guards, 0);
  }
  req.mask = ALL_LANES;
  send(bench, &req);
  gm_bench_finish(bench);
  if (bench->model.guards != flag || bench->model.cnt_guards != 1) {
    gm_bench_fail(bench, "flags of one guarded lane", bench->model.guards, flag);
  }
}

static void test_guards(gm_bench_t *bench) {
  static const uint32_t OPS[] = {NUM_GM_ADD_S32,     NUM_GM_RESCALE, NUM_GM_ADD_F32,
                                 NUM_GM_ADD_S32_RAW, NUM_GM_STORE,   ILLEGAL_OP};
  for (uint32_t op = 0; op < sizeof OPS / sizeof OPS[0]; ++op) {
    for (uint32_t i = 0; i < CORNER_WORDS; ++i) {
      for (uint32_t first = 0; first < CORNER_NS; ++first) {
        corner_beats(bench, OPS[op], corner_word(i), first);
      }
    }
  }
  flags_alone(bench, 0x80000000u, 0x00800000u, NUM_GM_GUARD_ZERO);
  flags_alone(bench, 0x7f800000u, 0xff800000u, NUM_GM_GUARD_SPECIAL);
  flags_alone(bench, 0x00800000u, UINT32_MAX, NUM_GM_GUARD_UNDERFLOW);
  flags_alone(bench, 0x7f7fffffu, 1u, NUM_GM_GUARD_OVERFLOW);
}

// Random words one after the other, and those near them, which cancel or compare closely, through each operation.
static void test_elements(gm_bench_t *bench, uint64_t requests) {
  for (uint64_t i = 0; i < requests; ++i) {
    const uint32_t op = (uint32_t)(i % (uint64_t)(gm_dut_types() ? NUM_GM_MIN_S8 + 1 : NUM_GM_RESCALE + 1));
    gm_request_t store = {.op = NUM_GM_STORE, .addr = (uint32_t)(i % 64), .mask = ALL_LANES};
    gm_request_t combine = {.op = op, .addr = store.addr, .len = 1, .mask = ALL_LANES};
    for (uint32_t lane = 0; lane < GM_LANES; ++lane) {
      store.data[lane] = random_halves(&bench->rng);
      const uint32_t near = (store.data[lane] ^ (below(&bench->rng, 4) * 0x8000u | below(&bench->rng, 2) << 31)) +
                            below(&bench->rng, 5) * 0x00010001u - 0x00020002u;
      combine.data[lane] = below(&bench->rng, 2) == 0 ? random_halves(&bench->rng) : near;
    }
    send(bench, &store);
    send(bench, &combine);
  }
}

static bool is_nan_of(uint32_t op, uint32_t bits) {
  return (bits & 0x7fffu) > (op == NUM_GM_ADD_F16 ? 0x7c00u : 0x7f80u);
}

// A word of the unit's memory, once all is done, against the two sums that are to be there.
static void compare_sums(gm_bench_t *bench, uint32_t op, uint32_t lane, const tb_vector_t *vectors) {
  const uint32_t word = bench->rtl_memory.beat[GM_BENCH_HALF + 5][lane];
  for (uint32_t half = 0; half < 2; ++half) {
    const uint32_t sum = word >> 16 * half & 0xffffu, expected = vectors[half].expected;
    if (sum != expected && !(is_nan_of(op, sum) && is_nan_of(op, expected))) {
      printf("line %lu: ", vectors[half].line);
      gm_bench_fail(bench, "sum", sum, expected);
    }
  }
}

// Pairs in both halves of all lanes.
static void add_vectors(gm_bench_t *bench, uint32_t op, const tb_vector_t *vectors) {
  gm_request_t store = {.op = NUM_GM_STORE, .addr = 5, .mask = ALL_LANES};
  gm_request_t add = {.op = op, .addr = 5, .mask = ALL_LANES};
  for (uint32_t lane = 0; lane < gm_dut_lanes(); ++lane) {
    const tb_vector_t *v = vectors + 2 * lane;
    store.data[lane] = v[0].a | v[1].a << 16;
    add.data[lane] = v[0].b | v[1].b << 16;
  }
  send(bench, &store);
  send(bench, &add);
  gm_bench_finish(bench);
  for (uint32_t lane = 0; lane < gm_dut_lanes(); ++lane) {
    compare_sums(bench, op, lane, vectors + 2 * lane);
  }
}

// Those that are left when a beat is no more full are the last ones, again.
static bool test_vectors(gm_bench_t *bench, const char *type, const char *path) {
  const uint32_t op = strcmp(type, "f16") == 0 ? NUM_GM_ADD_F16 : NUM_GM_ADD_BF16;
  const uint32_t each = 2 * gm_dut_lanes();
  tb_vector_t vectors[2 * GM_LANES] = {0}, next = {0};
  FILE *file = fopen(path, "r");
  tb_vector_next_t got = TB_VECTOR_BAD;
  uint64_t count = 0;
  while (file != NULL && (got = tb_vector_next(file, &next)) == TB_VECTOR_READ && !bench->failed) {
    vectors[count++ % each] = next;
    if (count % each == 0) {
      add_vectors(bench, op, vectors);
    }
  }
  if (count % each != 0) {
    add_vectors(bench, op, vectors);
  }
  if (file == NULL || fclose(file) != 0 || (got != TB_VECTOR_END && !bench->failed)) {
    fprintf(stderr, "%s: line %lu: no vector\n", path, next.line);
    return false;
  }
  printf("%" PRIu64 " vectors of %s\n", count, type);
  return count > 0;
}

// From the first cycle a request is offered to the last response, both included.
// waited: cycles beyond one a beat.
static void expect_cycles(gm_bench_t *bench, const char *what, uint64_t start, uint64_t beats, uint64_t waited) {
  // The first is taken; then one a beat is read; the last one is in flight.
  const uint64_t expected = 1u + beats + waited + GM_FLIGHT(gm_dut_stages());
  while (bench->tag_count > 0 && !bench->failed) {
    (void)gm_bench_cycle(bench, NULL, true);
  }
  const uint64_t cycles = bench->cycles - start;
  printf("%s: %" PRIu64 " beats in %" PRIu64 " cycles\n", what, beats, cycles);
  if (cycles != expected) {
    gm_bench_fail(bench, what, (uint32_t)cycles, (uint32_t)expected);
  }
}

// Beats of all ops in turn, at so many addresses in turn.
static void send_beats(gm_bench_t *bench, uint64_t beats, uint32_t addresses) {
  for (uint64_t i = 0; i < beats; ++i) {
    gm_request_t req = random_request(&bench->rng);
    req.addr = 3u + (uint32_t)(i % addresses);
    req.op = (uint32_t)i % (uint32_t)NUM_GM_RESCALE;
    send(bench, &req);
  }
}

static void test_throughput(gm_bench_t *bench, uint64_t beats) {
  const uint64_t flight = GM_FLIGHT(gm_dut_stages());
  beats -= beats % 4u;
  uint64_t start = bench->cycles;
  send_beats(bench, beats, (uint32_t)flight + 1u);
  expect_cycles(bench, "as many addresses as hide the latency", start, beats, 0);

  start = bench->cycles;
  send_beats(bench, beats, 1);  // all but a STORE wait for the one before
  expect_cycles(bench, "one address, ops in turn", start, beats, beats / 4u * 3u * flight);

  start = bench->cycles;
  gm_request_t row = {.op = NUM_GM_RESCALE, .addr = 3, .len = 32, .mask = ALL_LANES};
  row.data[0] = 0xff800000u;
  for (uint32_t i = 0; i < 10; ++i) {
    send(bench, &row);
  }
  expect_cycles(bench, "10 rescales of 32 beats", start, 320, 0);

  start = bench->cycles;
  row.len = 1;
  send(bench, &row);
  expect_cycles(bench, "one beat alone", start, 1, 0);
}

// Resets with requests at every stage of the pipeline, and the unit works on.
static void test_reset(gm_bench_t *bench, uint64_t requests) {
  const pattern_t half = {50, 3};
  for (uint64_t i = 0; i < 100; ++i) {
    run_phase(bench, half, half, 1u + below(&bench->rng, 5));
    gm_bench_reset(bench);
  }
  run_phase(bench, half, half, requests);
}

int main(int argc, char **argv) {
  static gm_bench_t bench;  // three memories: too much for a stack
  const char *test = argc > 1 ? argv[1] : "";
  uint64_t requests = 20000;
  uint64_t seed = 1;
  const char *path = NULL, *type = "f16", *vectors = NULL;
  const tb_option_t options[] = {{.name = "--requests", .number = &requests}, {.name = "--seed", .number = &seed},
                                 {.name = "--record", .text = &path},         {.name = "--op", .text = &type},
                                 {.name = "--vectors", .text = &vectors},     {.name = NULL}};
  const bool understood = tb_options(argc, argv, 2, options);
  FILE *record = path == NULL ? NULL : fopen(path, "w");
  if (path != NULL && record == NULL) {
    perror(path);
    return 2;
  }
  gm_bench_init(&bench, seed, record);
  if (!understood) {
    test = "";
  }
  if (strcmp(test, "random") == 0) {
    test_random(&bench, requests);
  } else if (strcmp(test, "guards") == 0) {
    test_guards(&bench);
  } else if (strcmp(test, "elements") == 0) {
    test_elements(&bench, requests);
  } else if (strcmp(test, "vectors") == 0 && vectors != NULL && gm_dut_types()) {
    if (!test_vectors(&bench, type, vectors)) {
      gm_bench_free(&bench);
      return 2;
    }
  } else if (strcmp(test, "throughput") == 0) {
    test_throughput(&bench, requests);
  } else if (strcmp(test, "reset") == 0) {
    test_reset(&bench, requests);
  } else {
    fprintf(stderr,
            "usage: gm_atomic_tb random|guards|elements|throughput|reset [--requests N] [--seed S] [--record FILE]\n");
    gm_bench_free(&bench);
    return 2;
  }
  gm_bench_finish(&bench);
  if (record != NULL && fclose(record) != 0) {
    gm_bench_fail(&bench, "record written", 0, 1);
  }
  printf("gm_atomic %s: seed %" PRIu64 ", %" PRIu32 " lanes, %" PRIu64 " requests, %" PRIu64 " responses, %" PRIu64
         " cycles: %s\n",
         test, seed, gm_dut_lanes(), bench.accepted, bench.answered, bench.cycles, bench.failed ? "FAIL" : "PASS");
  gm_bench_free(&bench);
  return bench.failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
