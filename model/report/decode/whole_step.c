// SPDX-License-Identifier: Apache-2.0
#include "report/decode/whole_step.h"

bool whole_model_read(whole_model_t *model, const char *name, size_t simulated, base_error_t *error) {
  char path[KERNEL_PATH_BYTES];
  snprintf(path, sizeof path, "%s/model/config/models/%s.json", config_home(), name);
  model->name = name;
  model->simulated = simulated;
  if (!checkpoint_config_shapes(path, &model->config, error)) {
    return false;
  }
  return simulated <= model->config.num_hidden_layers ||
         base_fail(error, "%s: expected at least %zu layers", path, simulated);
}

void whole_step_ask(decode_request_t *request, const whole_model_t *model, size_t layers, size_t batch, size_t past) {
  request->model.folder = model->name;
  request->model.random = true;
  request->model.layers = layers;
  request->timing = true;
  request->steps = 1;
  request->past = past;
  request->batch = batch;
}

static size_t layers_of(const whole_model_t *model, report_decode_place_t place) {
  const size_t mixtures = checkpoint_mixtures(&model->config);
  return place == REPORT_DECODE_OUTSIDE ? 1
         : place == REPORT_DECODE_DENSE ? model->config.num_hidden_layers - mixtures
                                        : mixtures;
}

whole_step_t whole_step(const config_t *config, const whole_model_t *model, const report_outcome_t *outcome,
                        decode_launch_t launch) {
  const report_decode_outcome_t *found = &outcome->decode;
  const double a_us = config->soc.clock_mhz;
  double operations = 0, bytes = 0;
  whole_step_t step = {0};
  for (size_t place = 0; place < REPORT_DECODE_PLACES; ++place) {
    const report_decode_part_t *part = &found->part[place];
    const double times =
        part->layers == 0 ? 0 : (double)layers_of(model, (report_decode_place_t)place) / (double)part->layers;
    operations += times * (double)part->operations;
    for (size_t kind = 0; kind < REPORT_DECODE_KINDS; ++kind) {
      step.kind_us[kind] += times * part->cycles[kind] / a_us;
      bytes += times * part->hbm_read[kind];
    }
  }
  const double launches = launch == DECODE_STEP ? 1 : operations / found->launches;
  step.launch_us = launches * found->launch_cycles / a_us;
  step.us = step.launch_us;
  for (size_t kind = 0; kind < REPORT_DECODE_KINDS; ++kind) {
    step.us += step.kind_us[kind];
  }
  step.hbm_mb = bytes * 1e-6;
  step.bound = bytes / (config->gm.hbm_gbps * config->gm.hbm_efficiency * config->soc.dies * 1e3) / step.us;
  return step;
}

double whole_step_speed(const whole_step_t *step, size_t batch) { return (double)batch / step->us * 1e6; }

void whole_step_put(cJSON *row, const whole_step_t *step, size_t batch) {
  report_put(row, NUMBER("step_us", step->us), NUMBER("tokens_per_second", whole_step_speed(step, batch)),
             NUMBER("attention_us", step->kind_us[REPORT_DECODE_ATTENTION]),
             NUMBER("experts_us", step->kind_us[REPORT_DECODE_EXPERTS]),
             NUMBER("products_us", step->kind_us[REPORT_DECODE_PRODUCTS]),
             NUMBER("vector_us", step->kind_us[REPORT_DECODE_VECTOR]), NUMBER("launch_us", step->launch_us),
             NUMBER("hbm_mb", step->hbm_mb), NUMBER("hbm_share", step->bound));
}
