// The files of the report on the FP8 cache.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "report/fp8/report_fp8.h"
#include "report/report_write.h"

static const char *on_off(bool on) { return on ? "on" : "off"; }

// --- the document -----------------------------------------------------------------------------

static void put_row(const report_fp8_row_t *row, const config_t *config, const char *note,
                    cJSON *list) {
  const report_fp8_cycles_t cycles = report_fp8_cycles(row, config);
  cJSON *object = report_row(
      list, NUMBER("rows", row->rows), TEXT("convert", row->emulated ? "emulated" : "native"),
      TEXT("crossover", on_off(row->crossover)), NUMBER("cycles_per_token", cycles.all),
      NUMBER("fu", cycles.fu), NUMBER("mma", cycles.mma), NUMBER("dequant", cycles.dequant),
      NUMBER("softmax", cycles.softmax), NUMBER("bound_fu", cycles.bound_fu),
      TEXT("busiest", row->longer->bound), NUMBER("busiest_busy", row->longer->bound_busy),
      NUMBER("kv_l2_bytes", report_fp8_kv_bytes(row->rows, row->brief, row->longer)),
      TEXT(".note", note), TEXT(".convert", row->emulated ? "emul." : "native"));
  if ((double)row->rows != report_hopper.rows) {
    report_put(object, NOTHING("paper"));
    return;
  }
  const report_hopper_t *paper = &report_hopper;
  report_put(object, NUMBER("paper/mma", paper->mma),
             NUMBER("paper/dequant", row->crossover ? paper->dequant_crossover : paper->dequant),
             NUMBER("paper/tflops", row->crossover ? paper->tflops_crossover : paper->tflops));
}

static void put_rows(const report_fp8_row_t *row, size_t count, const config_t *config,
                     const char *note, const char *name, cJSON *root) {
  cJSON *list = cJSON_AddArrayToObject(root, name);
  for (size_t i = 0; i < count; ++i) {
    put_row(&row[i], config, note, list);
  }
}

static void put_call(const report_fp8_call_t *call, bool bf16, double paper, cJSON *list) {
  cJSON *object =
      report_row(list, TEXT("cache", bf16 ? "bf16" : "fp8"), NUMBER("batch", call->batch),
                 NUMBER("seq_q", 2), NUMBER("seq_kv", call->keys), NUMBER("top_k", call->top_k),
                 NUMBER("rows", call->rows));
  if (bf16) {
    report_put(object, NOTHING("crossover"));
  } else {
    report_put(object, TEXT("crossover", on_off(call->crossover)));
  }
  report_put(object, NUMBER("time_us", call->outcome->time_us), NUMBER("fu", call->outcome->fu),
             NUMBER("tflops", report_fp8_tflops(call)), TEXT("busiest", call->outcome->bound),
             TEXT(".cache", bf16 ? "BF16" : "FP8"), NUMBER(".paper", paper),
             NUMBER(".top_k", call->top_k == 0 ? NAN : (double)call->top_k));
}

// Of the i-th call.
static double paper_tflops(size_t i) {
  return i == 0   ? report_hopper.tflops_crossover
         : i == 1 ? report_hopper.tflops
         : i == 3 ? report_hopper.tflops_top_k_32768
                  : NAN;
}

static void put_calls(const report_fp8_t *report, cJSON *root) {
  cJSON *calls = cJSON_AddArrayToObject(root, "calls");
  for (size_t i = 0; i < FP8_CALLS; ++i) {
    put_call(&report->call[i], false, paper_tflops(i), calls);
  }
  for (size_t i = 0; i < report->dense_count; ++i) {
    put_call(&report->dense[i], true, NAN, calls);
  }
  const double keys = report_fp8_break_even(report);
  report_put(root, NUMBER("fixed_us", report_fp8_fixed_us(report)), NUMBER("break_even_keys", keys));
  if (isnan(keys)) {
    report_put(root, TEXT(".break_even", "Dense attention over BF16 is not as slow or fast as the "
                                         "first call at any of these lengths."));
  } else {
    report_put_text(root, ".break_even", "Dense attention over BF16 takes as long as the first call at "
                    "%.0f keys (Hopper: around %.0f).", keys, report_hopper.break_even_keys);
  }
}

static void put_errors(const report_fp8_t *report, cJSON *root) {
  cJSON *list = cJSON_AddArrayToObject(root, "errors");
  for (size_t i = 0; i < FP8_ERRORS; ++i) {
    const report_outcome_t *outcome = report->error[i].outcome;
    report_row(list, TEXT("data", report->error[i].data), NUMBER("dequantised", outcome->bf16),
               NUMBER("cos_diff", outcome->cos_diff), NUMBER("bf16_cache", outcome->unquantised));
  }
}

static void fill(const void *data, cJSON *root) {
  const report_fp8_t *report = data;
  const report_fp8_row_t *row = report->row;
  put_rows(row, FP8_CONFIGURATIONS, &report->pair, "", "rows", root);
  report_put(root, TEXT("fast_cube", &REPORT_FP8_FAST[1]));
  put_rows(report->fast, FP8_FAST, &report->pair, ", fast", "rows_fast_cube", root);
  report_put(root, TEXT("direct_path", &REPORT_FP8_DIRECT[1]));
  put_rows(report->direct, FP8_DIRECT, &report->pair, ", direct", "rows_direct_path", root);
  put_calls(report, root);
  report_put(root, NUMBER("bytes_per_token/hbm", report_fp8_hbm_bytes(report->cold)),
             NUMBER("bytes_per_token/hbm_bf16", report_fp8_hbm_bytes(report->cold_bf16)),
             NUMBER("bytes_per_token/kv_l2_bf16",
                    report_fp8_kv_bytes(row->rows, row->bf16_brief, row->bf16_longer)));
  put_errors(report, root);
  cJSON *paper = cJSON_AddObjectToObject(root, "paper");
#define HOPPER(what, value) report_put(paper, NUMBER(#what, report_hopper.what));
#include "report/fp8/report_fp8.def"
#undef HOPPER
  report_put(root, NUMBER(".heads", REPORT_HEADS), NUMBER(".short", FP8_SHORT),
             NUMBER(".long", FP8_LONG), NUMBER(".load_gbps", report->pair.cube.load_gbps),
             NUMBER(".cores", report->chip.soc.ai_cores));
}

REPORT_TEMPLATE(fp8_text, "fp8/fp8.md");
const report_files_t report_fp8_files = {fill, fp8_text};
