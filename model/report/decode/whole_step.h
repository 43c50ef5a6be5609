// A step of a whole model, from one of which a few layers were simulated: layers of a sort take equal times, so the
// step's time is that of the simulated ones, as often as the model has them.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_REPORT_DECODE_WHOLE_STEP_H
#define AMALGAM_REPORT_DECODE_WHOLE_STEP_H

#include "report/report_write.h"

// A model of which the first layers are simulated.
typedef struct whole_model {
  const char *name;  // of model/config/models
  size_t simulated;  // layers; at least one of each sort, and with windows as large a share of these as the model has
  checkpoint_config_t config;  // of all layers
} whole_model_t;

// False: its file cannot be read, or it has fewer layers.
bool whole_model_read(whole_model_t *model, const char *name, size_t simulated, base_error_t *error);

// One step of `batch` entries after `past` tokens each, through the model's first layers, without arithmetic.
void whole_step_ask(decode_request_t *request, const whole_model_t *model, size_t layers, size_t batch, size_t past);

typedef struct whole_step {
  double us, launch_us, kind_us[REPORT_DECODE_KINDS];
  double hbm_mb, bound;  // bound: share of the time that HBM would need
} whole_step_t;

// Scales the outcome for some layers to as many as the model has.
whole_step_t whole_step(const config_t *config, const whole_model_t *model, const report_outcome_t *outcome,
                        decode_launch_t launch);

// Adds its times, by kinds, tokens a second of that batch, and bytes to the row.
void whole_step_put(cJSON *row, const whole_step_t *step, size_t batch);

// Tokens of all entries a second.
double whole_step_speed(const whole_step_t *step, size_t batch);

#endif
