// Steps of published models on one die: tokens a second, where the time goes, and what fits; and a layer beside its
// measured time.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "report/decode/whole_step.h"

enum {
  MODELS = 0
#define MODEL(name, title, layers, experts) +1
#include "report/decode/models.def"
  ,
  BATCHES_MAX = 3,
  LAUNCHES = 2,
};
static const double die_gb = 64;  // HBM of a die of a 910B or 910C, as its maker says

static const struct {
  const char *name, *title;
  size_t simulated, experts;
} published[MODELS] = {
#define MODEL(name, title, layers, experts) {name, title, layers, experts},
#include "report/decode/models.def"
};

static const struct {
  const char *name;
  size_t batch, keys;
  double us;
} measured = {
#define MEASURED_LAYER(name, entries, keys, us) name, entries, keys, us
#include "report/decode/models.def"
};

typedef struct table {
  kernel_machine_t die;
  whole_model_t model[MODELS], measured;
  size_t batch[BATCHES_MAX], batches, context;
  const report_outcome_t *step[MODELS][BATCHES_MAX], *layer[LAUNCHES];
} table_t;

// --- what a model needs -----------------------------------------------------------------------

typedef enum where { MODEL, LAYER, EXPERT } where_t;
static const where_t where[CHECKPOINT_ROLES] = {
#define CHECKPOINT_TENSOR(role, where, exists, rows, columns, name) where,
#include "llm/checkpoint/checkpoint_tensors.def"
#undef CHECKPOINT_TENSOR
};

static double elements(const checkpoint_config_t *config, checkpoint_role_t role, size_t layer) {
  size_t tall, wide;
  if (!checkpoint_shape(config, role, layer, &tall, &wide) ||
      (role == CHECKPOINT_HEAD && config->tie_word_embeddings)) {
    return 0;
  }
  return (double)(tall == 0 ? 1 : tall) * (double)wide;
}

static double parameters(const checkpoint_config_t *config, size_t experts) {
  double sum = 0;
  for (checkpoint_role_t role = 0; role < CHECKPOINT_ROLES; ++role) {
    const size_t layers = where[role] == MODEL ? 1 : config->num_hidden_layers;
    for (size_t layer = 0; layer < layers; ++layer) {
      sum += elements(config, role, layer) * (where[role] == EXPERT ? (double)experts : 1);
    }
  }
  return sum;
}

// Bytes of a token in the BF16 caches of all layers.
static double cache_bytes(const checkpoint_config_t *config) {
  const size_t wide = config->kv_lora_rank > 0 ? config->kv_lora_rank + config->qk_rope_head_dim
                                               : 2 * config->num_key_value_heads * config->head_dim;
  return 2 * (double)wide * (double)config->num_hidden_layers;
}

static void put_memory(const table_t *table, size_t at, cJSON *list) {
  const checkpoint_config_t *config = &table->model[at].config;
  const size_t all = config->n_routed_experts, here = published[at].experts == 0 ? all : published[at].experts;
  const double weights_gb = 2e-9 * parameters(config, here), token = cache_bytes(config);
  const double entries = (die_gb - weights_gb) * 1e9 / (token * (double)table->context);
  cJSON *row = report_row(list, TEXT("model", published[at].title), NUMBER("layers", config->num_hidden_layers),
                          NUMBER("experts", all), NUMBER("experts_here", here), NUMBER("weights_gb", weights_gb),
                          NUMBER("cache_kb_per_token", token * 1e-3), NUMBER("entries", fmax(0, floor(entries))));
  if (all > 0) {
    report_put_text(row, ".experts", "%zu of %zu", here, all);
  }
}

// --- the document -----------------------------------------------------------------------------

static void put_steps(const table_t *table, cJSON *root) {
  cJSON *steps = cJSON_AddArrayToObject(root, "steps");
  for (size_t at = 0; at < MODELS; ++at) {
    for (size_t i = 0; i < table->batches; ++i) {
      const whole_step_t step = whole_step(&table->die.soc.config, &table->model[at], table->step[at][i], DECODE_STEP);
      cJSON *row = report_row(steps, TEXT("model", published[at].title), NUMBER("batch", table->batch[i]),
                              NUMBER("simulated_layers", published[at].simulated));
      whole_step_put(row, &step, table->batch[i]);
    }
  }
}

// A layer by itself, with the launches of its operations.
static void put_layer(const table_t *table, size_t launch, cJSON *list) {
  const report_decode_outcome_t *found = &table->layer[launch]->decode;
  const report_decode_part_t *part = &found->part[REPORT_DECODE_DENSE];
  const double launches = launch == DECODE_STEP ? 0 : (double)part->operations;
  double cycles = launches * found->launch_cycles / found->launches;
  for (size_t kind = 0; kind < REPORT_DECODE_KINDS; ++kind) {
    cycles += part->cycles[kind];
  }
  const double us = cycles / table->die.soc.config.soc.clock_mhz / (double)part->layers;
  report_row(list, TEXT("launch", decode_launch_names[launch]),
             TEXT(".launch", launch == DECODE_STEP ? "one for the step" : "one for each operation"), NUMBER("us", us),
             NUMBER("measured_us", measured.us), NUMBER("difference_percent", 100 * (us / measured.us - 1)));
}

static void fill(const void *data, cJSON *root) {
  const table_t *table = data;
  const config_t *config = &table->die.soc.config;
  report_put(root, NUMBER("context", table->context), NUMBER("memory_gb", die_gb),
             NUMBER("hbm_gbps", config->gm.hbm_gbps * config->gm.hbm_efficiency * config->soc.dies),
             NUMBER(".layer_batch", measured.batch), NUMBER(".layer_keys", measured.keys));
  put_steps(table, root);
  cJSON *memory = cJSON_AddArrayToObject(root, "memory"), *layers = cJSON_AddArrayToObject(root, "layer");
  for (size_t at = 0; at < MODELS; ++at) {
    put_memory(table, at, memory);
  }
  for (size_t launch = 0; launch < LAUNCHES; ++launch) {
    put_layer(table, launch, layers);
  }
}

// --- the simulations --------------------------------------------------------------------------

static decode_request_t *add_step(report_jobs_t *jobs, const table_t *table, const whole_model_t *model, size_t batch,
                                  size_t past, const report_outcome_t **outcome) {
  report_job_t *job = report_add(jobs, &table->die, "decode", "%s, batch %zu, %zu tokens", model->name, batch, past);
  whole_step_ask(&job->decode, model, model->simulated, batch, past);
  *outcome = &job->outcome;
  return &job->decode;
}

static void add_jobs(report_jobs_t *jobs, void *data) {
  table_t *table = data;
  for (size_t at = 0; at < MODELS; ++at) {
    for (size_t i = 0; i < table->batches; ++i) {
      decode_request_t *request =
          add_step(jobs, table, &table->model[at], table->batch[i], table->context, &table->step[at][i]);
      request->experts_here = published[at].experts;
    }
  }
  for (size_t launch = 0; launch < LAUNCHES; ++launch) {
    decode_request_t *request =
        add_step(jobs, table, &table->measured, measured.batch, measured.keys, &table->layer[launch]);
    request->settings.weights = DECODE_BF16;
    request->settings.launch = (decode_launch_t)launch;
  }
}

static void set_batches(table_t *table, size_t given) {
  static const size_t usual[BATCHES_MAX] = {1, 8, 64};
  table->batches = given == 0 ? BATCHES_MAX : 1;
  for (size_t i = 0; i < table->batches; ++i) {
    table->batch[i] = kernel_size_or(given, usual[i]);
  }
}

REPORT_TEMPLATE(models_text, "decode/models.md");
static const report_t models = {fill, models_text, add_jobs, NULL};

bool report_models(const report_context_t *context, base_exit_t *code, base_error_t *error) {
  static table_t table;
  bool good = report_machine(context, "ascend910_die", 0, &table.die, error) &&
              report_one_size(context, 4096, &table.context, error) &&
              whole_model_read(&table.measured, measured.name, 2, error);
  for (size_t at = 0; good && at < MODELS; ++at) {
    good = whole_model_read(&table.model[at], published[at].name, published[at].simulated, error);
  }
  if (!good) {
    return false;
  }
  set_batches(&table, context->settings->batch);
  return report_simulate(context, &models, false, &table, code, error);
}
