// SPDX-License-Identifier: Apache-2.0
#include "kernel/result.h"

#include <math.h>
#include <stdio.h>

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

static const char *value_text(double value, char text[32]) {
  if (isfinite(value)) {
    snprintf(text, 32, "%.6g", value);
  } else {
    snprintf(text, 32, "%s", isnan(value) ? "not a number" : value < 0 ? "-infinity" : "infinity");
  }
  return text;
}

const char *kernel_first_lost(const kernel_lost_t *lost, char text[KERNEL_FIRST_BYTES]) {
  char have[32], want[32];
  text[0] = '\0';
  if (lost->not_finite > 0) {
    snprintf(text, KERNEL_FIRST_BYTES, "first %s[%zu,%zu], which is %s; FP64 has %s", lost->array, lost->row,
             lost->column, value_text(lost->have, have), value_text(lost->want, want));
  }
  return text;
}

base_exit_t kernel_result_verdict(const kernel_result_t *result, const char *elements, base_error_t *error) {
  if (result->verified && result->wrong_bits != 0) {
    base_fail(error, "%zu of %zu %s differ from the contract's", result->wrong_bits, result->elements, elements);
    return BASE_OUT_OF_TOLERANCE;
  }
  if (result->judged > 0 && !isfinite(result->error.rel_fro)) {
    char first[KERNEL_FIRST_BYTES];
    base_fail(error,
              "the error is no number: values overflow, of the result or on the way to it (FP32 ends "
              "at 3.4e38, FP16 at 65504); expected smaller inputs%s; %s",
              result->lost.softmax ? ", or a smaller softmax scale" : "", kernel_first_lost(&result->lost, first));
    return BASE_OUT_OF_TOLERANCE;
  }
  if (result->judged > 0 && !(result->error.rel_fro <= result->tolerance)) {
    base_fail(error, "%s error %.3g is out of tolerance, %.3g", result->error.absolute ? "absolute" : "relative",
              result->error.rel_fro, result->tolerance);
    return BASE_OUT_OF_TOLERANCE;
  }
  return BASE_OK;
}

const char *kernel_unstored(const soc_unstored_t *unstored, char text[KERNEL_FIRST_BYTES]) {
  size_t used =
      (size_t)snprintf(text, KERNEL_FIRST_BYTES, "%llu of %llu elements of array '%.20s' were never stored, first ",
                       (unsigned long long)unstored->count, (unsigned long long)unstored->of, unstored->array);
  for (unsigned i = 0; i < unstored->dims && used < KERNEL_FIRST_BYTES; ++i) {
    used += (size_t)snprintf(text + used, KERNEL_FIRST_BYTES - used, "%s%llu%s", i == 0 ? "[" : ",",
                             (unsigned long long)unstored->index[i], i + 1 == unstored->dims ? "]" : "");
  }
  return text;
}

base_exit_t kernel_result_stored(const kernel_result_t *result, base_error_t *error) {
  char text[KERNEL_FIRST_BYTES];
  if (result->soc.unstored_count == 0) {
    return BASE_OK;
  }
  base_fail(error, "%s", kernel_unstored(&result->soc.unstored[0], text));
  return BASE_OUT_OF_TOLERANCE;
}

void kernel_result_free(kernel_result_t *result) { soc_result_free(&result->soc); }
