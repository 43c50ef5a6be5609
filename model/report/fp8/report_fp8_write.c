// The files of the report on the FP8 cache.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "report/fp8/report_fp8.h"
#include "report/report_write.h"

static const char *convert_name(const report_fp8_row_t *row) {
  return row->emulated ? "emulated" : "native";
}

static const char *on_off(bool on) { return on ? "on" : "off"; }

// --- JSON -------------------------------------------------------------------------------------

static void json_paper_row(const report_fp8_row_t *row, cJSON *object) {
  if ((double)row->rows != report_hopper.rows) {
    cJSON_AddNullToObject(object, "paper");
    return;
  }
  cJSON *paper = cJSON_AddObjectToObject(object, "paper");
  cJSON_AddNumberToObject(paper, "mma", report_hopper.mma);
  cJSON_AddNumberToObject(paper, "dequant", row->crossover ? report_hopper.dequant_crossover
                                                           : report_hopper.dequant);
  cJSON_AddNumberToObject(paper, "tflops", row->crossover ? report_hopper.tflops_crossover
                                                          : report_hopper.tflops);
}

static void json_row(const report_fp8_row_t *row, const config_t *config, cJSON *list) {
  const report_fp8_cycles_t cycles = report_fp8_cycles(row, config);
  cJSON *object = json_add_row(list);
  json_add_count(object, "rows", row->rows);
  cJSON_AddStringToObject(object, "convert", convert_name(row));
  cJSON_AddStringToObject(object, "crossover", on_off(row->crossover));
  cJSON_AddNumberToObject(object, "cycles_per_token", cycles.all);
  cJSON_AddNumberToObject(object, "fu", cycles.fu);
  cJSON_AddNumberToObject(object, "mma", cycles.mma);
  cJSON_AddNumberToObject(object, "dequant", cycles.dequant);
  cJSON_AddNumberToObject(object, "softmax", cycles.softmax);
  cJSON_AddNumberToObject(object, "bound_fu", cycles.bound_fu);
  cJSON_AddStringToObject(object, "busiest", row->longer->bound);
  cJSON_AddNumberToObject(object, "busiest_busy", row->longer->bound_busy);
  cJSON_AddNumberToObject(object, "kv_l2_bytes",
                          report_fp8_kv_bytes(row->rows, row->brief, row->longer));
  json_paper_row(row, object);
}

static void json_call(const report_fp8_call_t *call, bool bf16, cJSON *list) {
  cJSON *object = json_add_row(list);
  cJSON_AddStringToObject(object, "cache", bf16 ? "bf16" : "fp8");
  json_add_count(object, "batch", call->batch);
  json_add_count(object, "seq_q", 2);
  json_add_count(object, "seq_kv", call->keys);
  json_add_count(object, "top_k", call->top_k);
  json_add_count(object, "rows", call->rows);
  if (bf16) {
    cJSON_AddNullToObject(object, "crossover");
  } else {
    cJSON_AddStringToObject(object, "crossover", on_off(call->crossover));
  }
  cJSON_AddNumberToObject(object, "time_us", call->outcome->time_us);
  cJSON_AddNumberToObject(object, "fu", call->outcome->fu);
  cJSON_AddNumberToObject(object, "tflops", report_fp8_tflops(call));
  cJSON_AddStringToObject(object, "busiest", call->outcome->bound);
}

static void json_errors(const report_fp8_t *report, cJSON *root) {
  cJSON *list = cJSON_AddArrayToObject(root, "errors");
  for (size_t i = 0; i < FP8_ERRORS; ++i) {
    cJSON *object = json_add_row(list);
    cJSON_AddStringToObject(object, "data", report->error[i].data);
    cJSON_AddNumberToObject(object, "dequantised", report->error[i].outcome->bf16);
    cJSON_AddNumberToObject(object, "cos_diff", report->error[i].outcome->cos_diff);
    cJSON_AddNumberToObject(object, "bf16_cache", report->error[i].outcome->unquantised);
  }
}

static void json_paper(cJSON *root) {
  cJSON *paper = cJSON_AddObjectToObject(root, "paper");
#define HOPPER(what, value) cJSON_AddNumberToObject(paper, #what, report_hopper.what);
#include "report/fp8/report_fp8.def"
#undef HOPPER
}

void report_fp8_json(const void *data, cJSON *root) {
  const report_fp8_t *report = data;
  const report_fp8_row_t *row = report->row;
  cJSON *rows = cJSON_AddArrayToObject(root, "rows");
  for (size_t i = 0; i < FP8_CONFIGURATIONS; ++i) {
    json_row(&row[i], &report->pair, rows);
  }
  cJSON_AddStringToObject(root, "fast_cube", &REPORT_FP8_FAST[1]);
  cJSON *fast = cJSON_AddArrayToObject(root, "rows_fast_cube");
  for (size_t i = 0; i < FP8_FAST; ++i) {
    json_row(&report->fast[i], &report->pair, fast);
  }
  cJSON_AddStringToObject(root, "direct_path", &REPORT_FP8_DIRECT[1]);
  cJSON *direct = cJSON_AddArrayToObject(root, "rows_direct_path");
  for (size_t i = 0; i < FP8_DIRECT; ++i) {
    json_row(&report->direct[i], &report->pair, direct);
  }
  cJSON *calls = cJSON_AddArrayToObject(root, "calls");
  for (size_t i = 0; i < FP8_CALLS; ++i) {
    json_call(&report->call[i], false, calls);
  }
  for (size_t i = 0; i < report->dense_count; ++i) {
    json_call(&report->dense[i], true, calls);
  }
  cJSON_AddNumberToObject(root, "fixed_us", report_fp8_fixed_us(report));
  cJSON_AddNumberToObject(root, "break_even_keys", report_fp8_break_even(report));
  cJSON *bytes = cJSON_AddObjectToObject(root, "bytes_per_token");
  cJSON_AddNumberToObject(bytes, "hbm", report_fp8_hbm_bytes(report->cold));
  cJSON_AddNumberToObject(bytes, "hbm_bf16", report_fp8_hbm_bytes(report->cold_bf16));
  cJSON_AddNumberToObject(bytes, "kv_l2_bf16",
                          report_fp8_kv_bytes(row->rows, row->bf16_brief, row->bf16_longer));
  json_errors(report, root);
  json_paper(root);
}

// --- Markdown ---------------------------------------------------------------------------------

static void markdown_row(const report_fp8_t *report, const report_fp8_row_t *row, const char *note,
                         FILE *file) {
  const report_fp8_cycles_t c = report_fp8_cycles(row, &report->pair);
  fprintf(file, "| %zu%s | %s | %s | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %s | %.1f | %.0f "
                "|\n",
          row->rows, note, convert_name(row), on_off(row->crossover), c.all, c.mma, c.dequant,
          c.softmax, 100 * c.fu, 100 * c.bound_fu, row->longer->bound,
          100 * row->longer->bound_busy, report_fp8_kv_bytes(row->rows, row->brief, row->longer));
}

static void markdown_rows(const report_fp8_t *report, FILE *file) {
  fprintf(file,
          "| rows | convert | crossover | cycles a token | MMA | dequantisation | softmax | "
          "cube use, %% | vector cores allow | busiest pipe | its use, %% | KV bytes by L2 |\n"
          "|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (size_t i = 0; i < FP8_CONFIGURATIONS; ++i) {
    markdown_row(report, &report->row[i], "", file);
  }
  for (size_t i = 0; i < FP8_FAST; ++i) {
    markdown_row(report, &report->fast[i], ", fast", file);
  }
  for (size_t i = 0; i < FP8_DIRECT; ++i) {
    markdown_row(report, &report->direct[i], ", direct", file);
  }
  fprintf(file, "| %.0f, Hopper | | off | | %.0f | %.0f | | | | | | |\n", report_hopper.rows,
          report_hopper.mma, report_hopper.dequant);
  fprintf(file, "| %.0f, Hopper | | on | | %.0f | %.0f | | | | | | |\n\n", report_hopper.rows,
          report_hopper.mma, report_hopper.dequant_crossover);
}

// Of the i-th call.
static double paper_tflops(size_t i) {
  return i == 0   ? report_hopper.tflops_crossover
         : i == 1 ? report_hopper.tflops
         : i == 3 ? report_hopper.tflops_top_k_32768
                  : NAN;
}

static void markdown_call(const report_fp8_call_t *call, bool bf16, double paper, FILE *file) {
  fprintf(file, "| %s | %zu | %zu |", bf16 ? "BF16" : "FP8", call->batch, call->keys);
  report_cell(file, 0, call->top_k == 0 ? NAN : (double)call->top_k);
  fprintf(file, " %zu | %s | %.1f | %.1f | %.0f |", call->rows,
          bf16 ? "" : on_off(call->crossover), call->outcome->time_us,
          100 * call->outcome->fu, report_fp8_tflops(call));
  report_cell(file, 0, paper);
  fprintf(file, " %s |\n", call->outcome->bound);
}

static void markdown_calls(const report_fp8_t *report, FILE *file) {
  fprintf(file,
          "| cache | batch | keys | top-k | rows | crossover | us | FU, %% | TFLOPS | Hopper | "
          "busiest pipe "
          "|\n|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (size_t i = 0; i < FP8_CALLS; ++i) {
    markdown_call(&report->call[i], false, paper_tflops(i), file);
  }
  for (size_t i = 0; i < report->dense_count; ++i) {
    markdown_call(&report->dense[i], true, NAN, file);
  }
  fprintf(file, "\nA call of top-k %zu without its keys: %.1f us.\n", report->call[2].top_k,
          report_fp8_fixed_us(report));
  const double keys = report_fp8_break_even(report);
  if (isnan(keys)) {
    fprintf(file, "Dense attention over BF16 is not as slow or fast as the first call at any of "
            "these lengths.\n\n");
  } else {
    fprintf(file, "Dense attention over BF16 takes as long as the first call at %.0f keys (Hopper: "
            "around %.0f).\n\n", keys, report_hopper.break_even_keys);
  }
}

static void markdown_bytes(const report_fp8_t *report, FILE *file) {
  const report_fp8_row_t *row = report->row;
  fprintf(file,
          "Bytes of HBM a token, by the counters with a cold L2: %.1f, of BF16 %.1f. Keys and values "
          "through L2 a token and AI\ncore, there and back: BF16 %.0f, FP8 %.0f, with crossover "
          "%.0f.\n\n",
          report_fp8_hbm_bytes(report->cold), report_fp8_hbm_bytes(report->cold_bf16),
          report_fp8_kv_bytes(row->rows, row->bf16_brief, row->bf16_longer),
          report_fp8_kv_bytes(row->rows, row[1].brief, row[1].longer),
          report_fp8_kv_bytes(row->rows, row->brief, row->longer));
}

static void markdown_errors(const report_fp8_t *report, FILE *file) {
  fprintf(file, "| data | error, dequantised cache, x 1e-3 | cosine difference, x 1e-6 | "
                "error, BF16 "
          "cache, x 1e-3 |\n|---|---|---|---|\n");
  for (size_t i = 0; i < FP8_ERRORS; ++i) {
    const report_outcome_t *outcome = report->error[i].outcome;
    fprintf(file, "| %s | %.2f | %.2f | %.1f |\n", report->error[i].data, 1e3 * outcome->bf16,
            1e6 * outcome->cos_diff, 1e3 * outcome->unquantised);
  }
  fprintf(file, "\n![plot](fp8.svg)\n");
}

void report_fp8_markdown(const void *data, FILE *file) {
  const report_fp8_t *report = data;
  fprintf(file,
          "# Attention over an FP8 KV cache\n\n"
          "`amalgam report fp8`, beside FlashMLA's kernel on Hopper. Two AI cores of a pair, dense, "
          "%d query heads,\nso many rows an AI core; cycles of an AI core a token, between %d and %d "
          "keys, L2 warm. Dequantisation is\nwhat the vector cores do more than for amla, whose "
          "work is called softmax. A token's MMAs take 17, 34 and 68\ncycles of a cube at its peak. ",
          REPORT_HEADS, FP8_SHORT, FP8_LONG);
  fprintf(file,
          "With 64 rows a cube core is held up by its own side, whoever\ndequantises: loads of keys, "
          "values and probabilities at %.0f GB/s, and its scalar core, which pushes the\ncommands. "
          "The rows called fast are what crossover is worth without that:\n`%s`.\n\n",
          report->pair.cube.load_gbps, &REPORT_FP8_FAST[1]);
  fprintf(file,
          "The rows called direct have a path that no product has, `%s`: vector cores put keys into "
          "the L1 of both cube\ncores. Values still go through memory, for what C2 needs of a block of "
          "512 keys comes when L1 has long taken others.\nSo fewer bytes go through L2, but the keys' "
          "ring takes the room in which values were loaded ahead.\n\n",
          &REPORT_FP8_DIRECT[1]);
  markdown_rows(report, file);
  fprintf(file,
          "Calls of the chip, %u AI cores, two query tokens, %d heads; rows of an AI core. An SM of "
          "Hopper has room for\n64 heads; an AI core has for all of a token's, and then nothing "
          "needs to be shared.\n\n",
          (unsigned)report->chip.soc.ai_cores, REPORT_HEADS);
  markdown_calls(report, file);
  markdown_bytes(report, file);
  markdown_errors(report, file);
}

// --- the plot ---------------------------------------------------------------------------------

void report_fp8_plot(const void *data, FILE *gnuplot) {
  const report_fp8_t *report = data;
  fprintf(gnuplot, "$data << EOD\n");
  for (size_t i = 0; i < FP8_CONFIGURATIONS; ++i) {
    const report_fp8_row_t *row = &report->row[i];
    const report_fp8_cycles_t c = report_fp8_cycles(row, &report->pair);
    fprintf(gnuplot, "\"%zu\\n%s\\n%s\" %g %g %g %g\n", row->rows,
            row->emulated ? "emul." : "native", on_off(row->crossover), c.all, c.mma, c.dequant,
            c.softmax);
  }
  report_bars(gnuplot);
  fprintf(gnuplot,
          "set ylabel 'cycles a token'\nset yrange [0:*]\n"
          "set xlabel 'rows of an AI core, conversion, crossover'\n"
          "set key outside top center horizontal\n"
          "plot $data using 2:xtic(1) title 'all' lc rgb '#888888', "
          "'' using 3 title 'MMA' lc rgb '#cc6633', "
          "'' using 4 title 'dequantisation' lc rgb '#4477aa', "
          "'' using 5 title 'softmax' lc rgb '#aaccee'\n");
}
