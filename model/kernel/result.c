// SPDX-License-Identifier: Apache-2.0
#include "kernel/result.h"

#include <math.h>

static void take_launches(kernel_result_t *result, double mhz) {
  const soc_result_t *soc = &result->soc;
  uint64_t sum = 0;
  for (size_t i = 0; i < soc->launches; ++i) {
    sum += soc->launch_cycles[i];
  }
  if (soc->launches > 0) {
    result->first_us = (double)soc->launch_cycles[0] / mhz;
    result->mean_us = (double)sum / (double)soc->launches / mhz;
  }
}

base_exit_t kernel_result_take(kernel_result_t *result, const kernel_machine_t *machine, soc_status_t status,
                               uint64_t flops, base_error_t *error) {
  const soc_result_t *soc = &result->soc;
  const config_t *config = &machine->soc.config;
  const double peak = 2.0 * config->cube.mac_m * config->cube.mac_n * config->cube.mac_k * config->soc.ai_cores;
  result->time_us = (double)soc->cycles / config->soc.clock_mhz;
  take_launches(result, config->soc.clock_mhz);
  result->flops = flops * (soc->launches == 0 ? 1 : soc->launches);
  result->fu = soc->cycles == 0 ? 0 : (double)result->flops / ((double)soc->cycles * peak);
  if (status != SOC_DONE) {
    base_fail(error, "%s", soc->error[0] != '\0' ? soc->error : "interrupted");
  }
  return (base_exit_t)status;
}

base_exit_t kernel_result_verdict(const kernel_result_t *result, const char *elements, base_error_t *error) {
  if (result->verified && result->wrong_bits != 0) {
    base_fail(error, "%zu of %zu %s differ from the contract's", result->wrong_bits, result->elements, elements);
    return BASE_OUT_OF_TOLERANCE;
  }
  if (result->judged > 0 && !isfinite(result->error.rel_fro)) {
    base_fail(error,
              "the error is no number: values overflow, of the result or on the way to it (FP32 ends "
              "at 3.4e38, FP16 at 65504); expected smaller inputs, or a smaller softmax scale");
    return BASE_OUT_OF_TOLERANCE;
  }
  if (result->judged > 0 && !(result->error.rel_fro <= result->tolerance)) {
    base_fail(error, "relative error %.3g is out of tolerance, %.3g", result->error.rel_fro, result->tolerance);
    return BASE_OUT_OF_TOLERANCE;
  }
  return BASE_OK;
}

void kernel_result_free(kernel_result_t *result) { soc_result_free(&result->soc); }
