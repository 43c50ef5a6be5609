// The text of a run: the lines that several kernels have, and each kernel's.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_CLI_TEXT_TEXT_H
#define AMALGAM_CLI_TEXT_TEXT_H

#include <stdio.h>

#include "kernel/ascend/ascend.h"
#include "kernel/attention/attention.h"
#include "kernel/collective/collective.h"
#include "kernel/custom/custom.h"
#include "kernel/decode/decode.h"
#include "kernel/engine/engine.h"
#include "kernel/flash/flash.h"
#include "kernel/fp8/fp8.h"
#include "kernel/gemm/gemm.h"
#include "kernel/lm/lm_run.h"

void text_attention(FILE *file, const kernel_run_t *run);
void text_flash(FILE *file, const kernel_run_t *run);
void text_fp8(FILE *file, const kernel_run_t *run);
void text_gemm(FILE *file, const kernel_run_t *run);
void text_engine(FILE *file, const kernel_run_t *run);
void text_collective(FILE *file, const kernel_run_t *run);
void text_custom(FILE *file, const kernel_run_t *run);
void text_ascend(FILE *file, const kernel_run_t *run);

// The head, known before the run; the prompt and what followed it; time and loss.
void text_lm_head(FILE *file, const lm_run_t *run);
void text_lm_generated(FILE *file, const lm_run_t *run);
void text_lm(FILE *file, const lm_run_t *run);

// Likewise; text_decode_token: one token of what is written.
void text_decode_head(FILE *file, const decode_run_t *run);
void text_decode_token(FILE *file, const decode_run_t *run, uint32_t token);
void text_decode_written(FILE *file, const decode_run_t *run);
void text_decode(FILE *file, const decode_run_t *run);

// --- lines of kernels on the SoC ----------------------------------------------------------------

static inline const char *plural(size_t count) { return count == 1 ? "" : "s"; }

// Error and bits, if they were compared, else false; the kernels end the lines. golden: "FP64".
bool text_error(FILE *file, const kernel_result_t *result, const char *golden, const char *axis, const char *type);
void text_error_more(FILE *file, const kernel_result_t *result);
void text_scores(FILE *file, const kernel_result_t *result);
bool text_verify(FILE *file, const kernel_result_t *result);

// The second one: of several launches; text_time has it.
void text_time(FILE *file, const kernel_result_t *result, const config_t *config);
void text_launches(FILE *file, const kernel_result_t *result);

// Bytes, joules, and warnings of results that depend on bytes that nobody wrote; and where the cycles went, for the
// pipes of cores whose kind was given commands, each by itself or the mean over all of a kind.
void text_energy(FILE *file, const config_t *config, const soc_result_t *soc);
void text_traffic(FILE *file, const config_t *config, const soc_result_t *soc);
void text_pipes(FILE *file, const soc_result_t *soc, bool mean);

void text_host(FILE *file, const soc_result_t *soc, unsigned threads);

#endif
