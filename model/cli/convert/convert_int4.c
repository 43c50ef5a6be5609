// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/npy.h"
#include "cli/convert/convert.h"
#include "num/num_int4.h"

enum { PER_WORD = 8 };

static num_nibbles_t nibbles_of(const convert_job_t *job) { return (num_nibbles_t)job->options->nibbles.value; }

static const char *nibbles_text(const convert_job_t *job) {
  return nibbles_of(job) == NUM_NIBBLES_SIGNED ? "signed" : "unsigned";
}

static bool check_columns(const convert_job_t *job, base_error_t *error) {
  return job->in.shape[1] % PER_WORD == 0 || npy_refuse_shape(job->path, &job->in, error, "a multiple of 8 columns");
}

bool convert_pack(convert_job_t *job, base_error_t *error) {
  const int8_t *values = job->in.data;
  const size_t count = npy_count(&job->in);
  const int least = num_int4_least(nibbles_of(job));
  if (!check_columns(job, error)) {
    return false;
  }
  for (size_t i = 0; i < count; ++i) {
    if (values[i] < least || values[i] > least + 15) {
      char where[NPY_SHAPE_BYTES];
      return base_fail(error, "%s: %d at %s; %s nibbles are %d to %d", job->path, values[i],
                       npy_index_text(&job->in, i, where), nibbles_text(job), least, least + 15);
    }
  }
  if (!convert_allocate(job, NPY_I4, job->in.shape[1] / PER_WORD, &job->out, error)) {
    return false;
  }
  num_int4_pack(values, job->out.data, count);
  snprintf(job->text, sizeof job->text, "%zu %s values to %zu words", count, nibbles_text(job), count / PER_WORD);
  return true;
}

bool convert_unpack(convert_job_t *job, base_error_t *error) {
  if (!convert_allocate(job, NPY_I1, job->in.shape[1] * PER_WORD, &job->out, error)) {
    return false;
  }
  const size_t count = npy_count(&job->out);
  num_int4_unpack(nibbles_of(job), job->in.data, job->out.data, count);
  snprintf(job->text, sizeof job->text, "%zu words to %zu %s values", count / PER_WORD, count, nibbles_text(job));
  return true;
}

// --- quantising -------------------------------------------------------------------------------

// The arrays besides the words, while they are worked on.
typedef struct work {
  float *w;  // [K, N]
  int8_t *values;
} work_t;

static bool check_weights(const convert_job_t *job, const float *w, base_error_t *error) {
  for (size_t i = 0; i < npy_count(&job->in); ++i) {
    if (!isfinite(w[i])) {
      char where[NPY_SHAPE_BYTES];
      return base_fail(error, "%s: %s at %s; expected finite values", job->path, isnan(w[i]) ? "NaN" : "infinity",
                       npy_index_text(&job->in, i, where));
    }
  }
  return true;
}

static bool check_group(const convert_job_t *job, base_error_t *error) {
  const size_t group = (size_t)job->options->convert_group.value;
  if (job->options->convert_scale == NULL) {
    return base_fail(error, "--scale: missing; the file for the scales goes with --group");
  }
  if (nibbles_of(job) == NUM_NIBBLES_UNSIGNED && job->options->convert_zero == NULL) {
    return base_fail(error, "--nibbles unsigned: needs --zero, the file for the zeros");
  }
  return job->in.shape[0] % group == 0 ||
         base_fail(error, "--group %zu: does not divide the %zu rows of %s", group, job->in.shape[0], job->path);
}

static bool allocate(convert_job_t *job, work_t *work, base_error_t *error) {
  const size_t count = npy_count(&job->in);
  const size_t columns = job->in.shape[1];
  work->w = malloc(count * sizeof *work->w);
  work->values = malloc(count);
  if (work->w == NULL || work->values == NULL) {
    return base_fail(error, "%s: out of memory", job->path);
  }
  const bool zeros = job->options->convert_zero != NULL;
  const bool good = convert_allocate(job, NPY_I4, columns / PER_WORD, &job->out, error) &&
                    convert_allocate(job, NPY_F2, columns, &job->scale, error) &&
                    (!zeros || convert_allocate(job, NPY_F2, columns, &job->zero, error));
  const size_t groups = job->in.shape[0] / (size_t)job->options->convert_group.value;
  job->scale.shape[0] = groups;
  job->zero.shape[0] = groups;
  return good;
}

// ||s (q - z) - w|| / ||w||
static double loss(const convert_job_t *job, const work_t *work) {
  const size_t n = job->in.shape[1];
  const size_t rows = (size_t)job->options->convert_group.value;
  const uint16_t *scale = job->scale.data;
  const uint16_t *zero = job->zero.data;
  double difference = 0;
  double whole = 0;
  for (size_t i = 0; i < npy_count(&job->in); ++i) {
    const size_t group = i / n / rows * n + i % n;
    const double z = zero == NULL ? 0 : (double)num_fp16_to_f32(zero[group]);
    const double w = (double)work->w[i];
    const double d = (double)num_fp16_to_f32(scale[group]) * (work->values[i] - z) - w;
    difference += d * d;
    whole += w * w;
  }
  return whole > 0 ? sqrt(difference / whole) : 0;
}

static bool quantise(convert_job_t *job, const work_t *work, base_error_t *error) {
  const size_t group = (size_t)job->options->convert_group.value;
  size_t bad;
  if (!num_int4_quantise(nibbles_of(job), work->w, job->in.shape[0], job->in.shape[1], group, work->values,
                         job->scale.data, job->zero.data, &bad)) {
    char where[NPY_SHAPE_BYTES];
    return base_fail(error, "%s: the scale of group %s is beyond FP16", job->path,
                     npy_index_text(&job->scale, bad, where));
  }
  num_int4_pack(work->values, job->out.data, npy_count(&job->in));
  snprintf(job->text, sizeof job->text, "%zu x %zu weights to INT4, %s, groups of %zu%s; relative error %.3g",
           job->in.shape[0], job->in.shape[1], nibbles_text(job), group, job->zero.data == NULL ? "" : " with zeros",
           loss(job, work));
  return true;
}

bool convert_quantise(convert_job_t *job, base_error_t *error) {
  work_t work = {NULL, NULL};
  bool good = check_columns(job, error) && check_group(job, error) && allocate(job, &work, error);
  if (good && job->in.type == NPY_F2) {
    num_fp16_to_f32_n(job->in.data, work.w, npy_count(&job->in));
  } else if (good) {
    memcpy(work.w, job->in.data, npy_count(&job->in) * sizeof *work.w);
  }
  good = good && check_weights(job, work.w, error) && quantise(job, &work, error);
  free(work.w);
  free(work.values);
  return good;
}
