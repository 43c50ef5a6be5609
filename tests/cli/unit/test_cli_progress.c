// The text of the progress bar.
// SPDX-License-Identifier: Apache-2.0
#include "cli/run/progress.h"
#include "cli_test.h"

static const progress_t hundred = {.flops = 100, .clock_mhz = 1800};

static void shows(uint64_t cycles, uint64_t flops, double seconds, const char *want) {
  char text[PROGRESS_TEXT_BYTES];
  progress_text(&hundred, cycles, flops, seconds, text);
  assert_string_equal(text, want);
}

TEST(texts) {
  shows(0, 0, 3, "[........................]   0 %  0 us simulated, ? left");
  shows(180000, 25, 4, "[######..................]  25 %  100 us simulated, 12 s left");
  shows(1800, 50, 90, "[############............]  50 %  1 us simulated, 1 min 30 s left");
  shows(1800, 1, 59.6, "[........................]   1 %  1 us simulated, 1 h 38 min left");
  shows(1800, 1, 1e9, "[........................]   1 %  1 us simulated, days left");
  shows(1800, 99, 10, "[#######################.]  99 %  1 us simulated, 0 s left");
  shows(1800, 100, 10, "[########################] 100 %  1 us simulated, 0 s left");
}

// More FLOPs than expected: blocks are padded.
TEST(more_than_all) {
  shows(1800, 130, 10, "[########################] 100 %  1 us simulated, 0 s left");
  const progress_t none = {.clock_mhz = 1800};
  char text[PROGRESS_TEXT_BYTES];
  progress_text(&none, 1800, 0, 1, text);
  assert_string_equal(text, "[########################] 100 %  1 us simulated, ? left");
}

// The longest text fits.
TEST(fits) {
  char text[PROGRESS_TEXT_BYTES];
  const progress_t slow = {.flops = UINT64_MAX, .clock_mhz = 1};
  progress_text(&slow, UINT64_MAX, 1, 1e-9, text);
  assert_non_null(strstr(text, "left"));
}
