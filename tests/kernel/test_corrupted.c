// --verify compares everything that a kernel leaves: a few bits of its results are changed, in the first, the last and
// random elements, and exactly these elements are found.
// SPDX-License-Identifier: Apache-2.0
#include "kernel/attention/attention.h"
#include "kernel/engine/engine.h"
#include "kernel/flash/flash.h"
#include "kernel/fp8/fp8.h"
#include "kernel/gemm/gemm.h"
#include "num/num_rng.h"
#include "test.h"

enum { FLIPS = 5 };

typedef union any_run {
  kernel_run_t kernel;
  attention_run_t attention;
  flash_run_t flash;
  fp8_run_t fp8;
  gemm_run_t gemm;
  engine_run_t engine;
} any_run_t;

static any_run_t run;
static kernel_machine_t machine;
static const kernel_judge_t judge = {.golden = GOLDEN_NONE, .verify = true, .tolerance = NAN};

static bool prepare_attention(const char *kernel, base_error_t *error) {
  attention_request_t request = attention_request(kernel, &machine);
  request.judge = judge;
  request.input.source = KERNEL_MADE_UP;
  request.input.heads = 5;
  request.input.keys = 70;
  request.input.batch = 2;
  return attention_prepare(&request, &run.attention, error);
}

static bool prepare_flash(const char *kernel, base_error_t *error) {
  flash_request_t request = flash_request(&machine);
  (void)kernel;
  request.judge = judge;
  request.input.source = KERNEL_MADE_UP;
  request.input.heads = 3;
  request.input.seq_q = 50;
  request.input.head_dim = 64;
  return flash_prepare(&request, &run.flash, error);
}

static bool prepare_fp8(const char *kernel, base_error_t *error) {
  fp8_request_t request = fp8_request(&machine);
  (void)kernel;
  request.judge = judge;
  request.input.source = KERNEL_MADE_UP;
  request.input.heads = 7;
  request.input.keys = 60;
  return fp8_prepare(&request, &run.fp8, error);
}

static bool prepare_gemm(const char *kernel, base_error_t *error) {
  gemm_request_t request = gemm_request(kernel, &machine);
  request.judge = judge;
  request.input.source = KERNEL_MADE_UP;
  request.input.m = 7;
  request.input.n = 64;
  request.input.k = 128;
  return gemm_prepare(&request, &run.gemm, error);
}

static bool prepare_engine(const char *kernel, base_error_t *error) {
  engine_request_t request = engine_request(kernel);
  request.judge = judge;
  request.input.source = KERNEL_MADE_UP;
  request.input.seq_q = 6;
  request.input.keys = 40;
  request.input.d = 16;
  request.settings.rtl = false;
  return engine_prepare(&request, &run.engine, error);
}

// Changes elements of a result; another one each time.
static void flip(void *result, size_t count, size_t bytes, num_rng_t *rng) {
  for (size_t i = 0; i < FLIPS; ++i) {
    const size_t share = count / FLIPS;
    const size_t at = i == 0 ? 0 : i + 1 == FLIPS ? count - 1 : i * share + (size_t)(num_rng_u64(rng) % share);
    ((uint8_t *)result)[at * bytes] ^= 1;
  }
}

static void check(const char *kernel, bool (*prepare)(const char *kernel, base_error_t *error)) {
  base_error_t error = {""};
  num_rng_t rng;
  num_rng_seed(&rng, (uint64_t)kernel[0]);
  soc_clear_memory();
  if (!prepare(kernel, &error) || kernel_simulate(&run.kernel, &error) != BASE_OK) {
    printf("%s: %s\n", kernel, error.text);
    fail();
  }
  const judge_answer_t answer = run.kernel.ops->answer(&run.kernel);
  size_t flips = FLIPS;
  flip((void *)(uintptr_t)answer.out, answer.groups * answer.rows * answer.columns,
       answer.type == JUDGE_F32 ? sizeof(float) : sizeof(uint16_t), &rng);
  if (prepare == prepare_fp8) {
    flip(run.fp8.lse, fp8_rows(&run.fp8.problem), sizeof(float), &rng);
    flips += FLIPS;
  }
  if (strcmp(kernel, "w4a16") == 0) {
    assert_non_null(run.gemm.b);
    flip(run.gemm.b, run.gemm.problem.k * run.gemm.problem.n, sizeof(uint16_t), &rng);
  }
  assert_true(kernel_judge(&run.kernel, &error));
  assert_true(run.kernel.result.verified);
  assert_int_equal(run.kernel.result.wrong_bits, flips);
  if (strcmp(kernel, "w4a16") == 0) {
    assert_int_equal(run.gemm.wrong_weights, FLIPS);
  }
  assert_int_equal(kernel_verdict(&run.kernel, &error), BASE_OUT_OF_TOLERANCE);
  kernel_release(&run.kernel);
}

TEST(every_result_is_looked_at) {
  base_error_t error;
  assert_true(kernel_machine_open(&machine, "ascend910_core", &error));
  machine.soc.gm = SOC_GM_C;
  machine.soc.firmware = SOC_FIRMWARE_NATIVE;
  check("amla", prepare_attention);
  check("base", prepare_attention);
  check("flash", prepare_flash);
  check("fp8", prepare_fp8);
  check("gemm", prepare_gemm);
  check("w4a16", prepare_gemm);
  check("hfa", prepare_engine);
  check("fa2", prepare_engine);
  check("expmul", prepare_engine);
}
