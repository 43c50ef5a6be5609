// SPDX-License-Identifier: Apache-2.0
#include "cli/text/text.h"

#include <math.h>
#include <string.h>

#include "host/host.h"
#include "soc/joules.h"

enum { STALLS_SHOWN = 3, PIPE_SUMS_MAX = 16, UNWRITTEN_SHOWN = 4 };

bool text_error(FILE *file, const kernel_result_t *result, const char *golden, const char *axis, const char *type) {
  if (result->judged == 0) {
    return false;
  }
  if (!isfinite(result->error.rel_fro)) {
    fprintf(file, "error    is no number, relative to %s", golden);
  } else if (result->error.absolute) {
    fprintf(file, "error    %.3g absolute, for all is 0 in %s", result->error.rel_fro, golden);
  } else {
    fprintf(file, "error    %.3g relative to %s", result->error.rel_fro, golden);
  }
  if (result->judged != result->judged_of) {
    fprintf(file, " in %zu of %zu %s", result->judged, result->judged_of, axis);
  }
  fprintf(file, " (%s output, tolerance %g)", type, result->tolerance);
  return true;
}

// A few subnormal numbers among many others, as FP16 has them, are no news.
static void print_underflow(FILE *file, const kernel_lost_t *lost) {
  if (lost->to_zero > 0 || lost->to_subnormal > lost->elements / 10000) {
    fprintf(file, "\n         underflow: %zu element%s became 0, %zu subnormal with fewer bits", lost->to_zero,
            plural(lost->to_zero), lost->to_subnormal);
  }
}

void text_error_more(FILE *file, const kernel_result_t *result) {
  if (!isfinite(result->error.rel_fro)) {
    char first[KERNEL_FIRST_BYTES];
    fputs("\n         values overflow: the result, or what it is compared with, has infinities or NaNs", file);
    fprintf(file, "\n         %s", kernel_first_lost(&result->lost, first));
    return;
  }
  print_underflow(file, &result->lost);
  fprintf(file, "\n         largest %.3g absolute, cosine difference %.2g", result->error.max_abs,
          result->error.cos_diff);
}

void text_scores(FILE *file, const kernel_result_t *result) {
  if (result->largest_score > NUM_ATTN_AMLA_LARGEST) {
    fprintf(file,
            "warning  scores reach %.3g; AMLA's rescaling is good up to %.3g (docs/amla.md), base has no such limit\n",
            result->largest_score, NUM_ATTN_AMLA_LARGEST);
  }
}

bool text_verify(FILE *file, const kernel_result_t *result) {
  if (result->verified) {
    fprintf(file, "verify   %zu of %zu elements differ from the contract's C loops", result->wrong_bits,
            result->elements);
  }
  return result->verified;
}

void text_launches(FILE *file, const kernel_result_t *result) {
  if (result->soc.launches > 1) {
    fprintf(file, "launches %zu, the first %.1f us, %.1f us in the mean\n", result->soc.launches, result->first_us,
            result->mean_us);
  }
}

void text_time(FILE *file, const kernel_result_t *result, const config_t *config) {
  fprintf(file, "time     %llu cycles = %.1f us at %g MHz; cube utilisation %.1f %% of %.4g GFLOP\n",
          (unsigned long long)result->soc.cycles, result->time_us, config->soc.clock_mhz, 100 * result->fu,
          (double)result->flops * 1e-9);
  text_launches(file, result);
}

static void print_one_unwritten(FILE *file, const soc_unwritten_t *found) {
  const bool same = strcmp(found->read, found->store) == 0;
  const unsigned long long address = found->address;
  fprintf(file,
          found->by_firmware ? "warning  the firmware reads array '%s', which %s bytes of %s 0x%llx that nobody wrote: "
                             : "warning  array '%s' %s bytes of %s 0x%llx that nobody wrote: ",
          found->array,
          !same                ? "depends on"
          : found->by_firmware ? "has"
                               : "gets",
          found->space, address);
  if (!same) {
    fprintf(file, "read by %s, ", found->read);
  }
  fprintf(file, "%s by %s\n", found->by_firmware ? "looked at" : "stored", found->store);
}

// A few of them say what is wrong.
static void print_unwritten(FILE *file, const soc_result_t *soc) {
  for (size_t i = 0; i < soc->unstored_count; ++i) {
    char text[KERNEL_FIRST_BYTES];
    fprintf(file, "warning  %s\n", kernel_unstored(&soc->unstored[i], text));
  }
  for (size_t i = 0; i < soc->unwritten_count && i < UNWRITTEN_SHOWN; ++i) {
    print_one_unwritten(file, &soc->unwritten[i]);
  }
  if (soc->unwritten_count > UNWRITTEN_SHOWN) {
    fprintf(file, "         and %zu more pairs of lines, in the JSON\n", soc->unwritten_count - UNWRITTEN_SHOWN);
  }
}

void text_energy(FILE *file, const config_t *config, const soc_result_t *soc) {
  const joules_t energy = joules_of(config, soc);
  fprintf(file, "energy   %.3g mJ (%.2g to %.2g), %.3g W", energy.joules * 1e3, energy.low * 1e3, energy.high * 1e3,
          joules_watts(&energy));
  const bool shares = energy.joules > energy.by_kind[JOULES_ARITHMETIC];
  for (joules_kind_t kind = 0; shares && kind < JOULES_KINDS; ++kind) {
    fprintf(file, "%s%s %.0f", kind == 0 ? "; " : ", ", joules_kind_name(kind),
            100 * energy.by_kind[kind] / energy.joules);
  }
  fputs(shares ? " %\n" : "\n", file);
}

void text_traffic(FILE *file, const config_t *config, const soc_result_t *soc) {
  fprintf(file, "traffic  HBM read %.2f write %.2f, L2 read %.2f write %.2f, atomic %.2f MB\n",
          (double)soc->hbm_read * 1e-6, (double)soc->hbm_write * 1e-6, (double)soc->l2_read * 1e-6,
          (double)soc->l2_write * 1e-6, (double)soc->atomic_bytes * 1e-6);
  text_energy(file, config, soc);
  print_unwritten(file, soc);
}

static double percent(uint64_t part, uint64_t whole) { return whole == 0 ? 0 : 100 * (double)part / (double)whole; }

// The pipe's largest stall that is not yet shown, or NULL.
static const soc_stall_t *next_stall(const soc_pipe_t *pipe, const bool shown[SOC_MAX_STALLS]) {
  const soc_stall_t *best = NULL;
  for (size_t i = 0; i < pipe->stalls; ++i) {
    if (!shown[i] && pipe->stall[i].cycles > 0 && (best == NULL || pipe->stall[i].cycles > best->cycles)) {
      best = &pipe->stall[i];
    }
  }
  return best;
}

static void print_pipe(FILE *file, const soc_pipe_t *pipe, uint64_t cycles) {
  bool shown[SOC_MAX_STALLS] = {false};
  fprintf(file, "  %-12s %-5s %5.1f ", pipe->core, pipe->pipe, percent(pipe->busy, cycles));
  for (unsigned i = 0; i < STALLS_SHOWN; ++i) {
    const soc_stall_t *stall = next_stall(pipe, shown);
    if (stall == NULL || percent(stall->cycles, cycles) < 0.05) {
      break;
    }
    shown[stall - pipe->stall] = true;
    fprintf(file, "%s %s %.1f", i == 0 ? " " : ",", stall->reason, percent(stall->cycles, cycles));
  }
  fputc('\n', file);
}

// Pipes of one name on all cores of one kind.
typedef struct pipe_sum {
  soc_pipe_t sum;
  unsigned pipes;
} pipe_sum_t;

static void add_stall(soc_pipe_t *sum, const soc_stall_t *stall) {
  for (size_t i = 0; i < sum->stalls; ++i) {
    if (strcmp(sum->stall[i].reason, stall->reason) == 0) {
      sum->stall[i].cycles += stall->cycles;
      return;
    }
  }
  sum->stall[sum->stalls++] = *stall;
}

// "cube" of "cube12", "vector" of "vector12_1".
static size_t kind_length(const soc_pipe_t *pipe) { return strcspn(pipe->core, "0123456789"); }

static pipe_sum_t *sum_of(pipe_sum_t sums[PIPE_SUMS_MAX], const soc_pipe_t *pipe) {
  const size_t length = kind_length(pipe);
  pipe_sum_t *s = sums;
  while (s->pipes > 0 && (s->sum.pipe != pipe->pipe || kind_length(&s->sum) != length)) {
    ++s;
  }
  if (s->pipes == 0) {
    s->sum.pipe = pipe->pipe;
    memcpy(s->sum.core, pipe->core, length);
  }
  return s;
}

// Has any core of the pipe's kind been given a command?
static bool kind_works(const soc_result_t *soc, const soc_pipe_t *pipe) {
  const size_t length = kind_length(pipe);
  for (size_t i = 0; i < soc->pipe_count; ++i) {
    const soc_pipe_t *other = &soc->pipes[i];
    if (other->commands > 0 && kind_length(other) == length && memcmp(other->core, pipe->core, length) == 0) {
      return true;
    }
  }
  return false;
}

// With several AI cores: the mean over all of them.
static void print_mean_pipes(FILE *file, const soc_result_t *soc) {
  pipe_sum_t sums[PIPE_SUMS_MAX] = {0};
  for (size_t i = 0; i < soc->pipe_count; ++i) {
    if (!kind_works(soc, &soc->pipes[i])) {
      continue;
    }
    pipe_sum_t *s = sum_of(sums, &soc->pipes[i]);
    ++s->pipes;
    s->sum.busy += soc->pipes[i].busy;
    for (size_t j = 0; j < soc->pipes[i].stalls; ++j) {
      add_stall(&s->sum, &soc->pipes[i].stall[j]);
    }
  }
  for (pipe_sum_t *s = sums; s->pipes > 0; ++s) {
    const size_t length = strlen(s->sum.core);
    snprintf(s->sum.core + length, sizeof s->sum.core - length, " x %u", s->pipes);
    print_pipe(file, &s->sum, soc->cycles * s->pipes);
  }
}

void text_pipes(FILE *file, const soc_result_t *soc, bool mean) {
  fprintf(file, "where the cycles went, in %%\n  %-12s %-5s %5s   waiting for\n", "core", "pipe", "busy");
  if (mean) {
    print_mean_pipes(file, soc);
    return;
  }
  for (size_t i = 0; i < soc->pipe_count; ++i) {
    if (kind_works(soc, &soc->pipes[i])) {
      print_pipe(file, &soc->pipes[i], soc->cycles);
    }
  }
}

// Arithmetic may run beside the simulation, on other threads.
void text_host(FILE *file, const soc_result_t *soc, unsigned threads) {
  const double arithmetic = soc->matmul_seconds + soc->vector_seconds + soc->copy_seconds;
  fprintf(file, "host     %.2f s: firmware %.2f, memory slices %.2f; arithmetic %.2f", soc->seconds,
          soc->scalar_seconds, soc->rtl_seconds, arithmetic);
  if (arithmetic > 0) {
    fprintf(file, " on %u thread%s: matrix %.2f, vector %.2f, copies %.2f", threads, plural(threads),
            soc->matmul_seconds, soc->vector_seconds, soc->copy_seconds);
  }
  fprintf(file, "\n         %llu RTL cycles, %llu RV64 instructions, %.0f MB\n", (unsigned long long)soc->rtl_cycles,
          (unsigned long long)soc->scalar_instructions, host_peak_rss_mb());
}
