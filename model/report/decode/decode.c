// A whole step of DeepSeek models on the chip: the effect of attention and weights on a text's loss, how many tokens a
// second, and where the time goes.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "report/decode/whole_step.h"

enum {
  ATTENTIONS = DECODE_FLASH,  // over latents; that over heads is the last one
  LOSSES = ATTENTIONS * 2,
  VARIANTS = LOSSES + 2,  // attention by weights, in one launch; then with a launch for each operation
  COMBINATIONS_MAX = 32,
  LITE_LAYERS = 3,  // that are simulated: a dense one and two mixtures;
  V3_LAYERS = 4,    // three dense ones and a mixture
};

// Sizes of a step.
typedef struct sizes {
  size_t batch, past;
} sizes_t;

static const sizes_t usual_sizes[] = {{1, 4096}, {8, 4096},  {32, 4096}, {128, 4096}, {128, 1024},
                                      {8, 1024}, {8, 16384}, {8, 65536}, {1, 65536}};
static const sizes_t v3_sizes[] = {{1, 4096}, {32, 4096}, {128, 4096}};
enum { USUAL_SIZES = sizeof usual_sizes / sizeof *usual_sizes, V3_SIZES = sizeof v3_sizes / sizeof *v3_sizes };

typedef struct combination {
  sizes_t sizes;
  const report_outcome_t *by[VARIANTS];
} combination_t;

typedef struct table {
  kernel_machine_t core, chip;
  const report_outcome_t *loss[LOSSES];
  double fp32, fp32_window[REPORT_DECODE_WINDOWS];
  whole_model_t lite, v3;
  combination_t lite_at[COMBINATIONS_MAX], v3_at[COMBINATIONS_MAX];
  size_t lite_count, v3_count;
  const report_outcome_t *whole;  // all layers of the small model, as the third combination
  char text[KERNEL_PATH_BYTES];   // that is predicted
} table_t;

enum { WHOLE_AT = 2 };

// The attention of a variant.
static decode_attention_t attention_of(size_t variant) {
  return variant < LOSSES ? (decode_attention_t)(variant % ATTENTIONS) : DECODE_AMLA;
}

static decode_weights_t weights_of(size_t variant) {
  return (variant < LOSSES ? variant / ATTENTIONS : variant - LOSSES) == 0 ? DECODE_FP16 : DECODE_W4A16;
}

static decode_launch_t launch_of(size_t variant) { return variant < LOSSES ? DECODE_STEP : DECODE_OPS; }

static size_t variant_of(decode_attention_t attention, decode_weights_t weights) {
  return weights * ATTENTIONS + attention;
}

static whole_step_t lite_step(const table_t *table, size_t at, size_t variant) {
  return whole_step(&table->chip.soc.config, &table->lite, table->lite_at[at].by[variant], launch_of(variant));
}

// --- the document -----------------------------------------------------------------------------

static void put_variant(cJSON *row, size_t variant) {
  report_put(row, TEXT("attention", decode_attention_names[attention_of(variant)]),
             TEXT("weights", decode_weights_names[weights_of(variant)]),
             TEXT("launch", decode_launch_names[launch_of(variant)]));
}

static void put_losses(const table_t *table, cJSON *root) {
  cJSON *rows = cJSON_AddArrayToObject(root, "losses");
  for (size_t i = 0; i < LOSSES; ++i) {
    const report_decode_outcome_t *found = &table->loss[i]->decode;
    cJSON *row = json_add_row(rows);
    put_variant(row, i);
    double worst = 0;
    cJSON *windows = cJSON_AddArrayToObject(row, "above_fp32_by_window");
    for (size_t w = 0; w < REPORT_DECODE_WINDOWS; ++w) {
      const double above = found->window[w] - table->fp32_window[w];
      worst = fabs(above) > fabs(worst) ? above : worst;
      cJSON_AddItemToArray(windows, cJSON_CreateNumber(above));
    }
    report_put(row, NUMBER("nats_per_token", found->nats), NUMBER("above_fp32", found->nats - table->fp32),
               NUMBER("worst_window", worst));
  }
  report_put(root, NUMBER("fp32_nats_per_token", table->fp32));
}

static void put_step(const table_t *table, size_t at, size_t variant, cJSON *rows, cJSON *speeds) {
  const combination_t *c = &table->lite_at[at];
  const whole_step_t step = lite_step(table, at, variant);
  cJSON *row = report_row(rows, NUMBER("batch", c->sizes.batch), NUMBER("context", c->sizes.past));
  put_variant(row, variant);
  whole_step_put(row, &step, c->sizes.batch);
  report_put(row, NUMBER(".in_plot", variant == variant_of(DECODE_AMLA, DECODE_FP16) ||
                                         variant == variant_of(DECODE_FP8, DECODE_FP16) ||
                                         variant == variant_of(DECODE_AMLA, DECODE_W4A16)));
  char name[32];
  snprintf(name, sizeof name, "%s_%s%s", decode_attention_names[attention_of(variant)],
           decode_weights_names[weights_of(variant)], launch_of(variant) == DECODE_OPS ? "_ops" : "");
  report_put(speeds, NUMBER(name, whole_step_speed(&step, c->sizes.batch)));
}

static void put_steps(const table_t *table, cJSON *root) {
  cJSON *rows = cJSON_AddArrayToObject(root, "steps");
  cJSON *speeds = cJSON_AddArrayToObject(root, ".speeds");
  for (size_t at = 0; at < table->lite_count; ++at) {
    const sizes_t *sizes = &table->lite_at[at].sizes;
    cJSON *line = report_row(speeds, NUMBER("batch", sizes->batch), NUMBER("context", sizes->past));
    for (size_t variant = 0; variant < VARIANTS; ++variant) {
      put_step(table, at, variant, rows, line);
    }
  }
}

// The factor by which one variant is faster than another: over all sizes the least and the most, and where.
static void put_worth(const table_t *table, size_t with, size_t without, const char *name, const char *what,
                      cJSON *list) {
  double least = INFINITY, most = 0;
  size_t least_at = 0, most_at = 0;
  for (size_t at = 0; at < table->lite_count; ++at) {
    const double times = lite_step(table, at, without).us / lite_step(table, at, with).us;
    least_at = times < least ? at : least_at;
    least = fmin(least, times);
    most_at = times > most ? at : most_at;
    most = fmax(most, times);
  }
  const sizes_t *low = &table->lite_at[least_at].sizes, *high = &table->lite_at[most_at].sizes;
  report_row(list, TEXT("technique", name), TEXT(".what", what), NUMBER("least", least), NUMBER("most", most),
             NUMBER("least_batch", low->batch), NUMBER("least_context", low->past), NUMBER("most_batch", high->batch),
             NUMBER("most_context", high->past));
}

static void put_worths(const table_t *table, cJSON *root) {
  cJSON *list = cJSON_AddArrayToObject(root, "worth");
  const size_t amla = variant_of(DECODE_AMLA, DECODE_FP16);
  put_worth(table, amla, variant_of(DECODE_BASE, DECODE_FP16), "amla", "AMLA, over Base", list);
  put_worth(table, variant_of(DECODE_FP8, DECODE_FP16), amla, "fp8", "a cache in FP8, over BF16 with AMLA", list);
  put_worth(table, variant_of(DECODE_AMLA, DECODE_W4A16), amla, "w4a16", "4-bit weights, over FP16", list);
  put_worth(table, variant_of(DECODE_FP8, DECODE_W4A16), variant_of(DECODE_BASE, DECODE_FP16), "all",
            "all of these, over Base with FP16 weights", list);
  put_worth(table, amla, LOSSES, "launch", "one launch a step, over one for each operation", list);
}

static void put_v3_layer(const table_t *table, const combination_t *c, size_t variant, report_decode_place_t place,
                         cJSON *rows) {
  const report_decode_part_t *part = &c->by[variant]->decode.part[place];
  const double a_us = table->chip.soc.config.soc.clock_mhz * (double)part->layers;
  double us = 0, bytes = 0;
  cJSON *row = report_row(rows, TEXT("layer", place == REPORT_DECODE_DENSE ? "dense" : "mixture"),
                          NUMBER("batch", c->sizes.batch), NUMBER("context", c->sizes.past));
  put_variant(row, variant);
  for (size_t kind = 0; kind < REPORT_DECODE_KINDS; ++kind) {
    us += part->cycles[kind] / a_us;
    bytes += part->hbm_read[kind] / (double)part->layers;
  }
  report_put(row, NUMBER("us", us), NUMBER("attention_us", part->cycles[REPORT_DECODE_ATTENTION] / a_us),
             NUMBER("experts_us", part->cycles[REPORT_DECODE_EXPERTS] / a_us),
             NUMBER("products_us", part->cycles[REPORT_DECODE_PRODUCTS] / a_us),
             NUMBER("vector_us", part->cycles[REPORT_DECODE_VECTOR] / a_us), NUMBER("hbm_mb", bytes * 1e-6));
}

static void put_v3(const table_t *table, cJSON *root) {
  cJSON *rows = cJSON_AddArrayToObject(root, "v3_layers");
  for (report_decode_place_t place = REPORT_DECODE_DENSE; place < REPORT_DECODE_OUTSIDE; ++place) {
    for (size_t at = 0; at < table->v3_count; ++at) {
      for (size_t variant = 0; variant < LOSSES; ++variant) {
        put_v3_layer(table, &table->v3_at[at], variant, place, rows);
      }
    }
  }
}

static void fill(const void *data, cJSON *root) {
  const table_t *table = data;
  const config_t *config = &table->chip.soc.config;
  report_put(root, NUMBER(".windows", REPORT_DECODE_WINDOWS),
             NUMBER(".lite_layers", table->lite.config.num_hidden_layers),
             NUMBER(".lite_simulated", table->lite.simulated), NUMBER(".v3_simulated", table->v3.simulated),
             NUMBER("hbm_gbps", config->gm.hbm_gbps * config->gm.hbm_efficiency * config->soc.dies));
  put_losses(table, root);
  put_steps(table, root);
  put_worths(table, root);
  put_v3(table, root);
  if (table->whole != NULL) {
    const whole_step_t whole = whole_step(config, &table->lite, table->whole, DECODE_STEP);
    const whole_step_t from_few = lite_step(table, WHOLE_AT, variant_of(DECODE_AMLA, DECODE_FP16));
    report_put(root, NUMBER("whole_model/step_us", whole.us), NUMBER("whole_model/from_few_layers_us", from_few.us),
               NUMBER("whole_model/difference_percent", 100 * (from_few.us / whole.us - 1)));
  } else {
    report_put(root, NOTHING("whole_model"));
  }
}

// --- the simulations --------------------------------------------------------------------------

static void set_variant(decode_request_t *request, size_t variant) {
  request->settings.attention = attention_of(variant);
  request->settings.attention_given = true;
  request->settings.weights = weights_of(variant);
  request->settings.launch = launch_of(variant);
}

static void add_loss(report_jobs_t *jobs, table_t *table, size_t variant) {
  report_job_t *job =
      report_add(jobs, &table->core, "decode", "loss, %s, %s", decode_attention_names[attention_of(variant)],
                 decode_weights_names[weights_of(variant)]);
  set_variant(&job->decode, variant);
  job->decode.eval = table->text;
  job->decode.windows = REPORT_DECODE_WINDOWS;
  report_job_compute(job);
  table->loss[variant] = &job->outcome;
}

static const report_outcome_t *add_step(report_jobs_t *jobs, const table_t *table, const whole_model_t *model,
                                        size_t layers, const sizes_t *sizes, size_t variant) {
  report_job_t *job = report_add(jobs, &table->chip, "decode", "%s, batch %zu, %zu tokens, %s, %s, %s", model->name,
                                 sizes->batch, sizes->past, decode_attention_names[attention_of(variant)],
                                 decode_weights_names[weights_of(variant)], decode_launch_names[launch_of(variant)]);
  decode_request_t *request = &job->decode;
  set_variant(request, variant);
  whole_step_ask(request, model, layers, sizes->batch, sizes->past);
  return &job->outcome;
}

static void add_jobs(report_jobs_t *jobs, void *data) {
  table_t *table = data;
  for (size_t i = 0; i < LOSSES; ++i) {
    add_loss(jobs, table, i);
  }
  for (size_t at = 0; at < table->lite_count; ++at) {
    combination_t *c = &table->lite_at[at];
    for (size_t variant = 0; variant < VARIANTS; ++variant) {
      c->by[variant] = add_step(jobs, table, &table->lite, table->lite.simulated, &c->sizes, variant);
    }
  }
  for (size_t at = 0; at < table->v3_count; ++at) {
    combination_t *c = &table->v3_at[at];
    for (size_t variant = 0; variant < LOSSES; ++variant) {
      c->by[variant] = add_step(jobs, table, &table->v3, table->v3.simulated, &c->sizes, variant);
    }
  }
  if (table->lite_count == USUAL_SIZES) {
    table->whole = add_step(jobs, table, &table->lite, table->lite.config.num_hidden_layers, &usual_sizes[WHOLE_AT],
                            variant_of(DECODE_AMLA, DECODE_FP16));
  }
}

// --- what it goes by --------------------------------------------------------------------------

static bool read_fp32(table_t *table, base_error_t *error) {
  char path[KERNEL_PATH_BYTES];
  snprintf(path, sizeof path, "%s/tests/data/kjv_mla/reference.json", config_home());
  cJSON *root = json_read(path);
  const cJSON *windows = cJSON_GetObjectItem(root, "loss_by_window");
  const bool good = cJSON_GetArraySize(windows) == REPORT_DECODE_WINDOWS;
  for (int i = 0; good && i < REPORT_DECODE_WINDOWS; ++i) {
    table->fp32_window[i] = cJSON_GetArrayItem(windows, i)->valuedouble;
    table->fp32 += table->fp32_window[i] / REPORT_DECODE_WINDOWS;
  }
  cJSON_Delete(root);
  return good || base_fail(error, "%s: expected loss_by_window, %d numbers", path, REPORT_DECODE_WINDOWS);
}

// The usual ones, or all of what was asked for.
static size_t sizes(combination_t *list, const sizes_t *usual, size_t count, const report_settings_t *settings,
                    const report_keys_t *keys) {
  size_t used = 0;
  if (settings->batch == 0 && settings->keys == NULL) {
    for (; used < count; ++used) {
      list[used].sizes = usual[used];
    }
    return used;
  }
  for (size_t i = 0; i < keys->count; ++i) {
    list[used++].sizes = (sizes_t){kernel_size_or(settings->batch, 32), keys->list[i]};
  }
  return used;
}

REPORT_TEMPLATE(decode_text, "decode/decode.md");
static const report_t decode = {fill, decode_text, add_jobs, NULL};

bool report_decode(const report_context_t *context, base_exit_t *code, base_error_t *error) {
  static table_t table;
  const report_keys_t usual = {.list = {4096}, .count = 1};
  const report_settings_t *settings = context->settings;
  report_settings_t of_core = *settings;
  const report_context_t core = {.name = context->name, .settings = &of_core, .made = context->made};
  report_keys_t keys;
  of_core.config = NULL;  // --config and --cores are of the chip
  of_core.cores = 0;
  of_core.gm_rtl = true;
  if (!report_machine(&core, "ascend910_core", 0, &table.core, error) ||
      !report_machine(context, "ascend910", 0, &table.chip, error) || !report_keys(settings, &usual, &keys, error) ||
      !read_fp32(&table, error) || !whole_model_read(&table.lite, "deepseek-v2-lite", LITE_LAYERS, error) ||
      !whole_model_read(&table.v3, "deepseek-v3", V3_LAYERS, error)) {
    return false;
  }
  snprintf(table.text, sizeof table.text, "%s/tests/data/kjv_val.txt", config_home());
  table.lite_count = sizes(table.lite_at, usual_sizes, USUAL_SIZES, settings, &keys);
  table.v3_count = sizes(table.v3_at, v3_sizes, V3_SIZES, settings, &keys);
  return report_simulate(context, &decode, false, &table, code, error);
}
