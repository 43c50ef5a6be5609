// Between the processes' owner (report_jobs.c) and those who simulate a job of some kernel in one.
// SPDX-License-Identifier: Apache-2.0
#ifndef REPORT_WORK_H
#define REPORT_WORK_H

#include "report/report_jobs.h"
#include "soc/soc.h"

// What an outcome has of the machine: cycles, bytes, pipes.
void report_take_machine(report_outcome_t *outcome, const config_t *config,
                         const soc_result_t *result);

// A job of kernel fp8. Returns the exit code, with the reason in the outcome.
int report_work_fp8(report_job_t *job);

#endif
