// Which tokens may be drawn, and how often: beside a count of all tokens that are more likely.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>

#include "llm/text/sample.h"
#include "num/num_rng.h"
#include "num_test.h"

enum { VOCAB = 37 };

// Its probability after temperature, top_k and top_p; 0: it is not drawn.
static double probability(const llm_sampling_t *s, const float *logits, size_t token) {
  double all = 0.0, kept = 0.0, mine = 0.0;
  for (unsigned pass = 0; pass < 2; ++pass) {  // first the sum of those that top_k leaves, then what top_p leaves
    for (size_t i = 0; i < VOCAB; ++i) {
      size_t before = 0;
      double sum = 0.0;
      for (size_t j = 0; j < VOCAB; ++j) {
        const bool likelier = logits[j] > logits[i] || (j < i && logits[j] == logits[i]);
        before += likelier;
        sum += likelier ? exp((double)logits[j] / s->temperature) : 0.0;
      }
      const double p = exp((double)logits[i] / s->temperature);
      if (s->top_k > 0 && before >= s->top_k) {
        continue;
      }
      all += pass == 0 ? p : 0.0;
      if (pass == 1 && (before == 0 || sum / all < s->top_p)) {
        kept += p;
        mine = i == token ? p : mine;
      }
    }
  }
  return mine / kept;
}

static void check(const llm_sampling_t *s, const float *logits) {
  llm_candidate_t room[VOCAB];
  const size_t count = llm_candidates(s, logits, VOCAB, room);
  double sum = 0.0;
  for (size_t i = 0; i < count; ++i) {
    const double expected = probability(s, logits, room[i].token);
    CHECK(fabs(room[i].probability - expected) < 1e-12, "token %u: %g, expected %g", room[i].token, room[i].probability,
          expected);
    assert_true(expected < 1e-12 || llm_draw(room, count, sum + 0.5 * expected) == room[i].token);
    sum += room[i].probability;
  }
  assert_true(fabs(sum - 1.0) < 1e-12);  // so none is missing
  assert_int_equal(llm_draw(room, count, 0.0), room[0].token);
  assert_int_equal(llm_draw(room, count, 2.0), room[count - 1].token);
}

TEST(candidates) {
  num_rng_t rng;
  num_rng_seed(&rng, 5);
  for (size_t i = 0; i < 500; ++i) {
    float logits[VOCAB];
    for (size_t j = 0; j < VOCAB; ++j) {
      logits[j] = (float)(i % 3 == 0 ? floor(3 * num_rng_normal(&rng)) : 4 * num_rng_normal(&rng));
    }
    const llm_sampling_t sampling = {.temperature = 0.2 + 2 * num_rng_uniform(&rng),
                                     .top_k = num_rng_u64(&rng) % (VOCAB + 5),
                                     .top_p = i % 4 == 0 ? 1.0 : 0.05 + 0.95 * num_rng_uniform(&rng)};
    check(&sampling, logits);
  }
}

// Infinities and NaNs.
TEST(no_numbers) {
  llm_candidate_t room[3];
  const llm_sampling_t sampling = {.temperature = 1.0, .top_k = 2, .top_p = 1.0};
  const float logits[] = {NAN, 1.0f, NAN}, none[] = {NAN, NAN, NAN};
  assert_int_equal(llm_draw(room, llm_candidates(&sampling, logits, 3, room), 0.999), 1);
  assert_true(llm_candidates(&sampling, none, 3, room) > 0 && llm_draw(room, 2, 0.5) < 3);
}
