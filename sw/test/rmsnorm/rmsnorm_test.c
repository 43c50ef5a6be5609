#include "amalgam_test.h"
enum { ROWS = 300, COLS = 100 };
static float x[ROWS * COLS], weight[COLS];

static void golden(const void *const in[], void *out) {
  for (int i = 0; i < ROWS * COLS; ++i) {
    const float *row = (const float *)in[0] + i / COLS * COLS;
    double sum = 0;
    for (int j = 0; j < COLS; ++j) sum += pow(row[j], 2);
    ((float *)out)[i] = (float)(row[i % COLS] / sqrt(sum / COLS + 1e-5) * weight[i % COLS]);
  }
}

AMALGAM_TEST(is_right) {
  for (int i = 0; i < ROWS * COLS; ++i) x[i] = (float)sin(1e-3 * i * i), weight[i % COLS] = (float)sin(i % COLS);
  amalgam_t *npu = amalgam_open(NULL);
  amalgam_in(npu, AMALGAM_F32, x, AMALGAM_SHAPE(ROWS, COLS));
  amalgam_in(npu, AMALGAM_F32, weight, AMALGAM_SHAPE(COLS));
  amalgam_param(npu, 1e-5);
  amalgam_launch(npu, "rmsnorm.elf", AMALGAM_F32, AMALGAM_SHAPE(ROWS, COLS));
  amalgam_expect(npu, golden, 1e-6);
  amalgam_close(npu);
}
AMALGAM_MAIN(is_right)
