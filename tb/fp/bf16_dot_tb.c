// Checks rtl/fp/bf16_dot.v, in every cycle, against num_bf16_dot().
//
//   bf16_dot_tb_dD [--count N] [--seed S]    N dot products, the pipeline stalling now and then
//   bf16_dot_tb_dD --emit FILE [--count N] [--seed S]
//                                            writes N vectors "a b expected", element D - 1 first
//
// Besides agreeing in every bit, the results must have covered what is listed in CLASS_NAMES.
//
// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "bf16_dot_shim.h"
#include "num/engine/num_bf16.h"
#include "num/num_rng.h"
#include "tb_options.h"

enum { D = BF16_DOT_D, MAX_LATENCY = 32, MAX_REPORTS = 10 };
static const num_bf16_t SIGN = 0x8000;

typedef struct {
  num_bf16_t a[D];
  num_bf16_t b[D];
} operands_t;

static uint32_t below(num_rng_t *rng, uint32_t n) { return (uint32_t)(num_rng_u64(rng) >> 32) % n; }

// ------------------------------------------------------------------ operands

static num_bf16_t number(uint32_t sign, uint32_t exponent, uint32_t fraction) {
  return (num_bf16_t)(sign << 15 | exponent << 7 | fraction);
}

// Any sign; a fraction whose carries and ties matter more often than chance has it.
static num_bf16_t with_exponent(num_rng_t *rng, uint32_t exponent) {
  static const uint32_t EDGES[] = {0x00, 0x01, 0x40, 0x7f};
  const uint32_t r = below(rng, 1024);
  const uint32_t fraction = (r & 1u) != 0 ? EDGES[(r >> 1) & 3u] : (r >> 2) & 0x7fu;
  return number((r >> 9) & 1u, exponent, fraction);
}

// A pair whose exponents have that sum, within what two normal numbers can have.
static void pair_of_sum(num_rng_t *rng, int sum, num_bf16_t *a, num_bf16_t *b) {
  sum = sum < 2 ? 2 : sum > 510 ? 510 : sum;
  const int low = sum > 255 ? sum - 255 : 1;
  const int high = sum > 255 ? 255 : sum - 1;
  const int exp_a = low + (int)below(rng, (uint32_t)(high - low + 1));
  *a = with_exponent(rng, (uint32_t)exp_a);
  *b = with_exponent(rng, (uint32_t)(sum - exp_a));
}

static void zero_pair(num_rng_t *rng, uint32_t exponent, num_bf16_t *a, num_bf16_t *b) {
  *a = number(below(rng, 2), 0, below(rng, 2) * below(rng, 128));  // zero, or subnormal
  *b = with_exponent(rng, exponent);
  if (below(rng, 2) != 0) {
    const num_bf16_t swap = *a;
    *a = *b;
    *b = swap;
  }
}

// Chooses the exponent of the largest products: near a subnormal sum, near overflow, or anywhere.
static int random_top(num_rng_t *rng) {
  switch (below(rng, 4)) {
    case 0:
      return 116 + (int)below(rng, 20);
    case 1:
      return 372 + (int)below(rng, 20);
    case 2:
      return (int)below(rng, 511);
    default:
      return 136 + (int)below(rng, 236);
  }
}

// Products of like size.
static void fill_level(num_rng_t *rng, operands_t *x) {
  const int top = random_top(rng);
  for (int i = 0; i < D; ++i) {
    pair_of_sum(rng, top, &x->a[i], &x->b[i]);
  }
}

// Products that reach down to the guard bits and beyond.
static void fill_spread(num_rng_t *rng, operands_t *x) {
  const int top = random_top(rng);
  const uint32_t spread = 1u + below(rng, 40);
  for (int i = 0; i < D; ++i) {
    pair_of_sum(rng, top - (int)below(rng, spread), &x->a[i], &x->b[i]);
  }
}

// A few products, one of them perhaps a half of another's last place, among zeros whose partners
// are larger than anything.
static void fill_sparse(num_rng_t *rng, operands_t *x) {
  const int top = random_top(rng);
  const uint32_t few = 1u + below(rng, 4);
  for (int i = 0; i < D; ++i) {
    if (below(rng, D) < few) {
      pair_of_sum(rng, top - (int)below(rng, 26), &x->a[i], &x->b[i]);
    } else {
      zero_pair(rng, below(rng, 2) != 0 ? 255u : below(rng, 256), &x->a[i], &x->b[i]);
    }
  }
}

// A number of 8 bits, half of its last place above or below it, and a trifle above or below that:
// ties, what just is none, and guard bits; at the ends of the range as often as between.
static void fill_edge(num_rng_t *rng, operands_t *x) {
  static const uint32_t FRACTIONS[] = {0x7f, 0x7e, 0x00, 0x01};
  const uint32_t r = below(rng, 3);
  const int top = r == 0 ? 126 + (int)below(rng, 3) : r == 1 ? 380 + (int)below(rng, 3) : random_top(rng);
  const int below_top[] = {0, 8, 9 + (int)below(rng, 16)};
  for (int i = 0; i < D; ++i) {
    zero_pair(rng, 255, &x->a[i], &x->b[i]);
  }
  for (int k = 0; k < 3; ++k) {
    const int sum = top - below_top[k];
    const uint32_t fraction = k == 0 ? FRACTIONS[below(rng, 4)] : 0;
    const uint32_t lane = below(rng, D);  // a later product may take the place of an earlier one
    if (sum >= 2) {
      const uint32_t exp_a = (uint32_t)sum / 2;
      x->a[lane] = number(below(rng, 2), exp_a, 0);
      x->b[lane] = number(below(rng, 2), (uint32_t)sum - exp_a, fraction);
    }
  }
}

// Significands whose product is that number of 16 bits, in the high and the low byte; 0: there are none.
static uint32_t significands_of(uint32_t product) {
  static uint16_t pair[1 << 16];
  if (pair[128 * 128] == 0) {
    for (uint32_t a = 128; a < 256; ++a) {
      for (uint32_t b = a; b < 256; ++b) {
        pair[a * b] = (uint16_t)(a << 8 | b);
      }
    }
  }
  return product < (1u << 16) ? pair[product] : 0;
}

// A product of two significands, both of them at least that.
static uint32_t random_product(num_rng_t *rng, uint32_t least) {
  return (least + below(rng, 256 - least)) * (least + below(rng, 256 - least));
}

// Half way between two numbers of 8 bits, near sum.
static uint32_t tie_near(uint32_t sum) {
  uint32_t half = 0;  // its bit
  while (sum >> half >= 512) {
    half++;
  }
  return sum >> (half + 1) << (half + 1) | 1u << half;
}

// Products whose exact sum is a tie: all but the last are random.
static void tied_products(num_rng_t *rng, uint32_t *product, int count) {
  uint32_t last = 0;
  do {
    const uint32_t least = 128 + below(rng, 128);  // a high one: the leading one is the sum's top bit
    uint32_t sum = 0;
    for (int i = 0; i < count - 1; ++i) {
      product[i] = random_product(rng, least);
      sum += product[i];
    }
    last = tie_near(sum + random_product(rng, least)) - sum;
  } while (significands_of(last) == 0);
  product[count - 1] = last;
}

static void put_product(num_rng_t *rng, operands_t *x, int lane, uint32_t sign, int sum, uint32_t product) {
  const uint32_t pair = significands_of(product);
  const uint32_t exp_a = (uint32_t)sum / 2;
  const uint32_t sign_a = below(rng, 2);
  x->a[lane] = number(sign_a, exp_a, pair >> 8 & 0x7fu);
  x->b[lane] = number(sign_a ^ sign, (uint32_t)sum - exp_a, pair & 0x7fu);
}

// A sum of some or of all products that is a tie wherever its leading one is, up to the top bit; or
// a tie but for one more product, as far below as the last guard bit or even farther.
static void fill_tie(num_rng_t *rng, operands_t *x) {
  uint32_t product[D];
  const int top = 60 + (int)below(rng, 390);
  const uint32_t sign = below(rng, 2);
  const bool all = below(rng, 4) == 0;
  const int count = all ? D : below(rng, 4) == 0 ? 1 + (int)below(rng, D - 1) : D - 1;
  const int gap = (int)below(rng, D);  // where the one more, or a zero, is
  tied_products(rng, product, count);
  for (int i = 0, k = 0; i < D; ++i) {
    if (k < count && (i != gap || all)) {
      put_product(rng, x, i, sign, top, product[k++]);
    } else {
      zero_pair(rng, 255, &x->a[i], &x->b[i]);
    }
  }
  if (!all && below(rng, 3) != 0) {
    // One bit of the sum alone, or several; mostly about the last that is not cut.
    const uint32_t more = below(rng, 2) != 0 ? 128 * 128 : random_product(rng, 128);
    const uint32_t down = below(rng, 3) == 0 ? below(rng, 40) : 20 + below(rng, 5);
    put_product(rng, x, gap, below(rng, 2), top - (int)down, more);
  }
}

// Pairs of products that cancel, some of them not quite; an odd one is alone.
static void fill_cancelling(num_rng_t *rng, operands_t *x) {
  const uint32_t rest = below(rng, 3) == 0 ? 0 : below(rng, D);
  fill_spread(rng, x);
  for (int i = 1; i < D; i += 2) {
    x->a[i] = x->a[i - 1];
    x->b[i] = x->b[i - 1] ^ SIGN ^ (num_bf16_t)(below(rng, D) < rest ? below(rng, 4) : 0);
  }
  if (D % 2 != 0) {
    zero_pair(rng, 255, &x->a[D - 1], &x->b[D - 1]);
  }
}

// Bits of any meaning.
static void fill_bits(num_rng_t *rng, operands_t *x) {
  for (int i = 0; i < D; ++i) {
    const uint64_t r = num_rng_u64(rng);
    x->a[i] = (num_bf16_t)r;
    x->b[i] = (num_bf16_t)(r >> 16);
  }
}

// Operands as in attention.
static void fill_normal(num_rng_t *rng, operands_t *x) {
  for (int i = 0; i < D; ++i) {
    x->a[i] = num_bf16_from_f32((float)num_rng_normal(rng));
    x->b[i] = num_bf16_from_f32((float)num_rng_normal(rng));
  }
}

static void fill(num_rng_t *rng, operands_t *x) {
  static void (*const FILL[])(num_rng_t *, operands_t *) = {fill_level, fill_spread,     fill_sparse, fill_edge,
                                                            fill_tie,   fill_cancelling, fill_bits,   fill_normal};
  FILL[below(rng, sizeof FILL / sizeof FILL[0])](rng, x);
}

// ------------------------------------------------------------------ coverage

static const char *const CLASS_NAMES[] = {"zero", "negative zero", "smallest normal", "infinity", "other"};
enum { CLASSES = sizeof CLASS_NAMES / sizeof CLASS_NAMES[0] };

static int class_of(num_bf16_t y) {
  switch (y & 0x7fffu) {
    case 0x0000:
      return (y & SIGN) == 0 ? 0 : 1;
    case 0x0080:
      return 2;
    case 0x7f80:
      return 3;
    default:
      return 4;
  }
}

// ------------------------------------------------------------------ the run

typedef struct {
  bf16_dot_dut_t *dut;
  num_rng_t rng;
  num_bf16_t expected[MAX_LATENCY];  // of the last inputs taken, by their number
  uint64_t taken, checked, failed;
  uint64_t seen[CLASSES];
} bench_t;

// Cycles from input to output: the stages of rtl/attention/README.md.
static uint32_t latency(void) {
  uint32_t levels = 0;
  while ((1 << levels) < D) {
    levels++;
  }
  return 6u + levels;
}

static void cycle(bench_t *bench, bool enable) {
  operands_t x;
  fill(&bench->rng, &x);
  if (enable) {
    const num_bf16_t y = num_bf16_dot(x.a, x.b, D);
    bench->expected[bench->taken++ % MAX_LATENCY] = y;
    bench->seen[class_of(y)]++;
  }
  const num_bf16_t y = bf16_dot_clock(bench->dut, enable, x.a, x.b);
  if (bench->taken < latency()) {
    return;  // the pipeline fills
  }
  const num_bf16_t expected = bench->expected[(bench->taken - latency()) % MAX_LATENCY];
  bench->checked++;
  if (y != expected && bench->failed++ < MAX_REPORTS) {
    printf("input %" PRIu64 ": rtl %04x expected %04x\n", bench->taken - latency(), y, expected);
  }
}

static void run(bench_t *bench, uint64_t count) {
  while (bench->taken < count + latency()) {
    // A while with stalls, a while without.
    const uint32_t stalls = below(&bench->rng, 2) * below(&bench->rng, 100);
    for (uint32_t left = below(&bench->rng, 200); left > 0; --left) {
      cycle(bench, below(&bench->rng, 100) >= stalls);
    }
  }
}

static bool emit_vectors(const char *path, uint64_t count, uint64_t seed) {
  FILE *file = fopen(path, "w");
  if (file == NULL) {
    perror(path);
    return false;
  }
  num_rng_t rng;
  num_rng_seed(&rng, seed);
  for (uint64_t n = 0; n < count; ++n) {
    operands_t x;
    fill(&rng, &x);
    for (int i = D - 1; i >= 0; --i) {
      fprintf(file, "%04x", x.a[i]);
    }
    fprintf(file, " ");
    for (int i = D - 1; i >= 0; --i) {
      fprintf(file, "%04x", x.b[i]);
    }
    fprintf(file, " %04x\n", num_bf16_dot(x.a, x.b, D));
  }
  return fclose(file) == 0;
}

static int report(const bench_t *bench) {
  bool pass = bench->checked > 0 && bench->failed == 0;
  for (int i = 0; i < CLASSES; ++i) {
    printf("  %-15s %" PRIu64 "\n", CLASS_NAMES[i], bench->seen[i]);
    pass = pass && bench->seen[i] > 0;
  }
  printf("%" PRIu64 " dot products in %" PRIu64 " cycles, %" PRIu64 " wrong: %s\n", bench->taken, bench->checked,
         bench->failed, pass ? "PASS" : "FAIL");
  return pass ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv) {
  uint64_t count = 100000;
  uint64_t seed = 1;
  const char *emit = NULL;
  const tb_option_t options[] = {{.name = "--count", .number = &count},
                                 {.name = "--seed", .number = &seed},
                                 {.name = "--emit", .text = &emit},
                                 {.name = NULL}};
  if (!tb_options(argc, argv, 1, options)) {
    fprintf(stderr, "usage: bf16_dot_tb_d%d [--emit FILE] [--count N] [--seed S]\n", D);
    return 2;
  }
  if (emit != NULL) {
    return emit_vectors(emit, count, seed) ? EXIT_SUCCESS : EXIT_FAILURE;
  }
  printf("bf16_dot: D %d, seed %" PRIu64 "\n", D, seed);
  bench_t bench = {.dut = bf16_dot_new((int)seed)};
  num_rng_seed(&bench.rng, seed);
  run(&bench, count);
  bf16_dot_delete(bench.dut);
  return report(&bench);
}
