// The generators: their published sequences, and the distribution of what is made from them.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "num_test.h"

// xoshiro256** from the state 1, 2, 3, 4: the first values follow by hand from its definition.
TEST(first_values) {
  num_rng_t rng = {.s = {1, 2, 3, 4}};
  assert_true(num_rng_u64(&rng) == 11520u);  // rotl(2 * 5, 7) * 9
  assert_true(num_rng_u64(&rng) == 0u);      // s[1] has become 1 ^ 2 ^ 3 = 0
  assert_true(num_rng_u64(&rng) == 1509978240u);
  assert_true(num_rng_u64(&rng) == 1215971899390074240u);
}

// splitmix64 from seed 0 starts with these published values.
TEST(seeding) {
  num_rng_t rng;
  num_rng_seed(&rng, 0);
  assert_true(rng.s[0] == 0xe220a8397b1dcdafu);
  assert_true(rng.s[1] == 0x6e789e6aa1b965f4u);
  assert_true(rng.s[2] == 0x06c45d188009454fu);
  assert_true(rng.s[3] == 0xf88bb8a8724c81ecu);
}

TEST(moments) {
  enum { N = 1000000 };
  num_rng_t rng;
  num_rng_seed(&rng, 10);
  double uniform = 0.0;
  double sum = 0.0;
  double square = 0.0;
  double fourth = 0.0;
  for (int i = 0; i < N; ++i) {
    const double u = num_rng_uniform(&rng);
    const double x = num_rng_normal(&rng);
    CHECK(u >= 0.0 && u < 1.0 && isfinite(x), "%a %a", u, x);
    uniform += u;
    sum += x;
    square += x * x;
    fourth += x * x * x * x;
  }
  printf("uniform mean %.4f, normal mean %.4f variance %.4f fourth moment %.3f\n", uniform / N, sum / N, square / N,
         fourth / N);
  // Five standard deviations of each mean over N values.
  assert_true(fabs(uniform / N - 0.5) < 5.0 * sqrt(1.0 / 12.0 / N));
  assert_true(fabs(sum / N) < 5.0 * sqrt(1.0 / N));
  assert_true(fabs(square / N - 1.0) < 5.0 * sqrt(2.0 / N));
  assert_true(fabs(fourth / N - 3.0) < 5.0 * sqrt(96.0 / N));
}

// --- arrays -----------------------------------------------------------------------------------

typedef void make_fn(uint64_t seed, uint64_t stream, uint64_t first, size_t count, double width, num_bf16_t *out);

// Known-answer vectors of philox4x32-10, published with the authors' Random123 library.
TEST(philox_known_answers) {
  static const struct {
    uint32_t counter[4], key[2], out[4];
  } vectors[] = {
      {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u}},
      {{0xffffffffu, 0xffffffffu, 0xffffffffu, 0xffffffffu},
       {0xffffffffu, 0xffffffffu},
       {0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu}},
      {{0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u},
       {0xa4093822u, 0x299f31d0u},
       {0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u}},
  };
  for (size_t i = 0; i < ARRAY_LEN(vectors); ++i) {
    uint32_t out[4];
    num_rng_philox((uint64_t)vectors[i].key[1] << 32 | vectors[i].key[0], vectors[i].counter, out);
    assert_memory_equal(out, vectors[i].out, sizeof out);
  }
}

// One element as the header and num_rng_array.c define it, by libm in FP64 from the hash's words.
static double exact(uint64_t seed, uint64_t stream, uint64_t i, bool uniform) {
  const uint64_t block = i / 256 * 64 + i % 64;
  const uint32_t word = (uint32_t)(i % 256 / 64);
  const uint32_t counter[] = {(uint32_t)block, (uint32_t)(block >> 32), (uint32_t)stream, (uint32_t)(stream >> 32)};
  uint32_t w[4];
  num_rng_philox(seed, counter, w);
  if (uniform) {
    return ((double)w[word] - (w[word] >= 0x80000000u ? 0x1p32 : 0.0) + (w[word] % 2 == 0)) / 0x1p31;
  }
  const double pi = 3.14159265358979323846;
  const uint32_t pair = word & 2u;
  const double radius = sqrt(-2.0 * log((double)(w[pair] >> 1 | 1u) / 0x1p31));
  const double angle = 2.0 * pi * (double)w[pair + 1] / 0x1p32;
  return radius * (word % 2 == 0 ? cos(angle) : sin(angle));
}

// BF16 shows an error of 1e-6 only where it leads across the middle of two BF16 numbers; among a
// million elements some are that near.
static void check_exact(make_fn *make, bool uniform, uint64_t seed, uint64_t stream, uint64_t first, double width) {
  enum { N = 1 << 20 };
  num_bf16_t *out = allocate(N, sizeof *out);
  make(seed, stream, first, N, width, out);
  for (size_t j = 0; j < N; ++j) {
    const double x = width * exact(seed, stream, first + j, uniform);
    const float below = num_bf16_to_f32(num_bf16_from_f32((float)(x - 1e-6 * fabs(x))));
    const float above = num_bf16_to_f32(num_bf16_from_f32((float)(x + 1e-6 * fabs(x))));
    const float got = num_bf16_to_f32(out[j]);
    CHECK(got >= below && got <= above, "element %zu: %a, expected %a", (size_t)first + j, (double)got, x);
  }
  free(out);
}

TEST(arrays_are_the_formula) {
  check_exact(num_rng_normal_bf16, false, 1, 0, 0, 1.0);
  check_exact(num_rng_normal_bf16, false, 0x123456789abcdef0u, 0xfedcba9876543210u, ((uint64_t)1 << 40) - 100000,
              0.1);  // the counter's upper word changes on the way
  check_exact(num_rng_uniform_bf16, true, 2, 1, 77, 3.0);
}

// The test runs on builds for other instruction sets, too: all of them must get this sum (FNV-1a).
TEST(same_bits_everywhere) {
  enum { N = 1 << 22 };
  static const struct {
    make_fn *make;
    uint64_t sum;
  } arrays[] = {{num_rng_normal_bf16, 0xf62804859256e9b4u}, {num_rng_uniform_bf16, 0x3441843187ac4ab0u}};
  num_bf16_t *out = allocate(N, sizeof *out);
  for (size_t i = 0; i < ARRAY_LEN(arrays); ++i) {
    arrays[i].make(3, 4, 5, N, 0.7, out);
    uint64_t sum = 0xcbf29ce484222325u;
    for (size_t j = 0; j < N; ++j) {
      sum = (sum ^ out[j]) * 0x100000001b3u;
    }
    CHECK(sum == arrays[i].sum, "array %zu: %016llx", i, (unsigned long long)sum);
  }
  free(out);
}

TEST(parts_make_the_whole) {
  enum { N = 3000, MARGIN = 8 };
  static make_fn *const makers[] = {num_rng_normal_bf16, num_rng_uniform_bf16};
  const uint64_t base = 1000000007u;
  num_rng_t rng;
  num_rng_seed(&rng, 11);
  for (size_t i = 0; i < ARRAY_LEN(makers); ++i) {
    num_bf16_t whole[N];
    makers[i](5, 6, base, N, 1.0, whole);
    for (int round = 0; round < 2000; ++round) {
      const size_t first = random_u32(&rng) % N;
      const size_t count = random_u32(&rng) % (N - first + 1);
      num_bf16_t part[N + 2 * MARGIN];
      memset(part, 0xa5, sizeof part);
      makers[i](5, 6, base + first, count, 1.0, part + MARGIN);
      assert_memory_equal(part + MARGIN, whole + first, count * sizeof *part);
      for (size_t j = 0; j < MARGIN; ++j) {
        CHECK(part[j] == 0xa5a5u && part[MARGIN + count + j] == 0xa5a5u, "written outside, %zu+%zu", first, count);
      }
    }
  }
}

static double normal_cdf(double x) { return 0.5 * erfc(-x / sqrt(2.0)); }
static double uniform_cdf(double x) { return x <= -1.0 ? 0.0 : x >= 1.0 ? 1.0 : 0.5 * x + 0.5; }

// Bits of BF16 numbers in the order of the numbers, -infinity being 0.
static uint32_t ordered(num_bf16_t bits) { return (bits & 0x8000u) != 0 ? 0xff80u - bits : bits + 0x7f80u; }

static num_bf16_t number_at(uint32_t place) {
  return (num_bf16_t)(place < 0x7f80u ? 0xff80u - place : place - 0x7f80u);
}

enum { PLACES = 2 * 0x7f80 + 1, DRAWS = 1 << 26, BATCH = 1 << 16 };

static void histogram(make_fn *make, uint64_t *count) {
  num_bf16_t *out = allocate(BATCH, sizeof *out);
  memset(count, 0, PLACES * sizeof *count);
  for (uint64_t first = 0; first < DRAWS; first += BATCH) {
    make(12, 0, first, BATCH, 1.0, out);
    for (size_t j = 0; j < BATCH; ++j) {
      assert_true((out[j] & 0x7fffu) < 0x7f80u);
      count[ordered(out[j])]++;
    }
  }
  free(out);
}

// Kolmogorov-Smirnov: rounding to BF16 moves no number across the middle of two, so there the two
// distribution functions can be compared.
static double ks_distance(const uint64_t *count, double (*cdf)(double)) {
  uint64_t below = 0;
  double distance = 0.0;
  for (uint32_t place = 0; place + 1 < PLACES; ++place) {
    below += count[place];
    const double here = (double)num_bf16_to_f32(number_at(place));
    const double next = (double)num_bf16_to_f32(number_at(place + 1));
    if (isfinite(here) && isfinite(next)) {
      distance = fmax(distance, fabs((double)below / DRAWS - cdf(0.5 * (here + next))));
    }
  }
  return distance;
}

static void check_tail(const uint64_t *count, double bound) {
  uint64_t beyond[2] = {0, 0};
  for (uint32_t place = 0; place < PLACES; ++place) {
    const double x = (double)num_bf16_to_f32(number_at(place));
    beyond[x > 0.0] += fabs(x) > bound ? count[place] : 0;
  }
  // From the middle on to the next BF16 number: there the count begins.
  const num_bf16_t bits = num_bf16_from_f32((float)bound);
  const double edge = 0.5 * (bound + (double)num_bf16_to_f32((num_bf16_t)(bits + 1)));
  const double expected = DRAWS * normal_cdf(-edge);
  printf("beyond %.1f: %llu below, %llu above, expected %.1f\n", bound, (unsigned long long)beyond[0],
         (unsigned long long)beyond[1], expected);
  for (int i = 0; i < 2; ++i) {
    assert_true(fabs((double)beyond[i] - expected) < 4.0 * sqrt(expected) + 3.0);
  }
}

TEST(distributions) {
  uint64_t *count = allocate(PLACES, sizeof *count);
  const double limit = 1.95 / sqrt(DRAWS);  // exceeded once in 1000 seeds
  histogram(num_rng_uniform_bf16, count);
  const double uniform = ks_distance(count, uniform_cdf);
  histogram(num_rng_normal_bf16, count);
  const double normal = ks_distance(count, normal_cdf);
  printf("distance to the distribution functions: uniform %.2g, normal %.2g, limit %.2g\n", uniform, normal, limit);
  assert_true(uniform < limit);
  assert_true(normal < limit);
  check_tail(count, 3.0);
  check_tail(count, 4.0);
  check_tail(count, 5.0);
  check_tail(count, 5.5);
  free(count);
}

// Correlation of x with y and of their squares, each within five standard deviations of 0.
static void check_unrelated(const char *what, size_t n, const num_bf16_t *x, const num_bf16_t *y) {
  double product = 0.0;
  double squares = 0.0;
  for (size_t j = 0; j < n; ++j) {
    const double a = (double)num_bf16_to_f32(x[j]);
    const double b = (double)num_bf16_to_f32(y[j]);
    product += a * b;
    squares += (a * a - 1.0) * (b * b - 1.0);
  }
  const double unit = 5.0 / sqrt((double)n);
  CHECK(fabs(product / (double)n) < unit && fabs(squares / (double)n) < 2.0 * unit, "%s: %g %g", what,
        product / (double)n, squares / (double)n);
}

TEST(array_moments) {
  enum { N = 1 << 20 };
  num_bf16_t *x = allocate(2 * N, sizeof *x);
  num_bf16_t *y = allocate(N, sizeof *y);
  num_rng_normal_bf16(13, 0, 0, 2 * N, 1.0, x);
  double sum[5] = {0.0};
  for (size_t j = 0; j < N; ++j) {
    const double v = (double)num_bf16_to_f32(x[j]);
    for (int p = 1; p <= 4; ++p) {
      sum[p] += pow(v, p) / N;
    }
  }
  printf("moments %.4f %.4f %.4f %.4f\n", sum[1], sum[2], sum[3], sum[4]);
  assert_true(fabs(sum[1]) < 5.0 * sqrt(1.0 / N));
  assert_true(fabs(sum[2] - 1.0) < 5.0 * sqrt(2.0 / N));
  assert_true(fabs(sum[3]) < 5.0 * sqrt(15.0 / N));
  assert_true(fabs(sum[4] - 3.0) < 5.0 * sqrt(96.0 / N));
  check_unrelated("neighbours", N, x, x + 1);
  check_unrelated("the two of a pair", N, x, x + 64);
  check_unrelated("pairs of a block", N, x, x + 128);
  check_unrelated("groups", N, x, x + 256);
  num_rng_normal_bf16(13, 1, 0, N, 1.0, y);
  check_unrelated("streams", N, x, y);
  num_rng_normal_bf16(14, 0, 0, N, 1.0, y);
  check_unrelated("seeds", N, x, y);
  num_rng_normal_bf16(13, (uint64_t)1 << 32, 0, N, 1.0, y);
  check_unrelated("upper word of the stream", N, x, y);
  num_rng_normal_bf16(13 + ((uint64_t)1 << 32), 0, 0, N, 1.0, y);
  check_unrelated("upper word of the seed", N, x, y);
  free(x);
  free(y);
}
