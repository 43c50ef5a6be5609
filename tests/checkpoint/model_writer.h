// Models written into the tests' folder as Hugging Face does: config.json, and safetensors in one file or in several.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_TESTS_CHECKPOINT_MODEL_WRITER_H
#define AMALGAM_TESTS_CHECKPOINT_MODEL_WRITER_H

#include <math.h>

#include "llm/checkpoint/checkpoint.h"
#include "checkpoint_test.h"

enum { MODEL_FILES = 64 };  // at most

// A defect with which a file is written.
typedef struct defect {
  const char *tensor;         // the one that is
  const char *rename;         // NULL: is left out
  const char *shape, *dtype;  // NULL: its own
  const char *file;           // where the index says it is
} defect_t;

static inline checkpoint_t *open_or_fail(const checkpoint_request_t *request) {
  base_error_t error;
  checkpoint_t *checkpoint = checkpoint_open(request, &error);
  CHECK(checkpoint != NULL, "%s", error.text);
  return checkpoint;
}

static inline checkpoint_t *made_up(const char *config, uint64_t seed) {
  write_text("config.json", config);
  return open_or_fail(&(checkpoint_request_t){.folder = folder, .random = true, .seed = seed});
}

typedef struct writer {
  const checkpoint_t *model;
  const defect_t *defect;
  checkpoint_type_t type;
  bool scaled;  // matrices are in 8 bits, with a scale for each block of config.json
  unsigned files;
  char *header[MODEL_FILES], *index;
  size_t header_used[MODEL_FILES], index_used, data_used[MODEL_FILES], tensors, parameters;
  uint8_t *data[MODEL_FILES];
} writer_t;

typedef struct place {
  checkpoint_role_t role;
  size_t layer, expert;
} place_t;

enum { TEXT_BYTES = 1 << 16, DATA_BYTES = 1 << 20 };

static inline void put(char *text, size_t *used, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  *used += (size_t)vsnprintf(text + *used, TEXT_BYTES - *used, format, arguments);
  va_end(arguments);
  assert_true(*used < TEXT_BYTES);
}

static inline void put_tensor(writer_t *w, unsigned f, const char *name, const char *type, const char *shape,
                              size_t bytes) {
  put(w->header[f], &w->header_used[f], "%c\"%s\":{\"dtype\":\"%s\",\"shape\":%s,\"data_offsets\":[%zu,%zu]}",
      w->header_used[f] == 0 ? '{' : ',', name, type, shape, w->data_used[f], w->data_used[f] + bytes);
  w->data_used[f] += bytes;
}

// Of element i and of block b of any matrix.
static inline uint8_t fp8_code(size_t i) { return (uint8_t)((i * 37 + 11) % 0x7f + (i % 3 == 0 ? 0x80 : 0)); }
static inline float fp8_scale(size_t b) { return ldexpf(1.0f + (float)(b % 7) / 8, (int)(b % 5) - 9); }

static inline float scaled_code(bool s8, size_t i) {
  return s8 ? (float)(int8_t)fp8_code(i) : num_e4m3_to_f32(fp8_code(i));
}

static inline void write_scaled(writer_t *w, const char *name, size_t rows, size_t columns, unsigned f) {
  const checkpoint_config_t *c = checkpoint_config(w->model);
  const size_t down = (rows + c->block_rows - 1) / c->block_rows,
               across = (columns + c->block_columns - 1) / c->block_columns;
  char shape[40], scales[CHECKPOINT_NAME_BYTES + 16];
  for (size_t i = 0; i < rows * columns; ++i) {
    w->data[f][w->data_used[f] + i] = fp8_code(i);
  }
  snprintf(shape, sizeof shape, "[%zu,%zu]", rows, columns);
  put_tensor(w, f, name, c->s8 ? "I8" : "F8_E4M3", shape, rows * columns);
  for (size_t b = 0; b < down * across; ++b) {
    const float scale = fp8_scale(b);
    memcpy(w->data[f] + w->data_used[f] + b * sizeof scale, &scale, sizeof scale);
  }
  snprintf(shape, sizeof shape, down * across == 1 ? "[%zu]" : "[%zu,%zu]", down, across);
  snprintf(scales, sizeof scales, "%s%s", name, c->scale_suffix);
  put_tensor(w, f, scales, "F32", shape, down * across * 4);
}

static inline void write_tensor(writer_t *w, const checkpoint_tensor_t *tensor, place_t place) {
  char name[CHECKPOINT_NAME_BYTES];
  checkpoint_name(place.role, place.layer, place.expert, name);
  static const char *const types[] = {"BF16", "F16", "F32"};
  const unsigned f = (unsigned)(w->tensors++ % w->files);
  const defect_t *d = w->defect != NULL && strcmp(w->defect->tensor, name) == 0 ? w->defect : NULL;
  const size_t rows = checkpoint_rows(tensor), columns = checkpoint_columns(tensor);
  const size_t bytes = rows * columns * (w->type == CHECKPOINT_FP32 ? 4 : 2);
  char shape[40];
  base_error_t error;
  if (d != NULL && d->rename == NULL) {
    return;
  }
  if (w->scaled && rows > 1) {
    write_scaled(w, name, rows, columns, f);
    return;
  }
  snprintf(shape, sizeof shape, rows == 1 ? "[%zu]" : "[%zu,%zu]", rows == 1 ? columns : rows, columns);
  char file[32];
  snprintf(file, sizeof file, "part%u.safetensors", f);
  put(w->index, &w->index_used, "%s\"%s\":\"%s\"", w->index_used == 0 ? "{\"weight_map\":{" : ",", name,
      d != NULL && d->file != NULL ? d->file : file);
  assert_true(checkpoint_read(tensor, 0, rows * columns, w->type, w->data[f] + w->data_used[f], &error));
  put_tensor(w, f, d != NULL ? d->rename : name, d != NULL && d->dtype != NULL ? d->dtype : types[w->type],
             d != NULL && d->shape != NULL ? d->shape : shape, bytes);
}

typedef void visit_t(writer_t *w, const checkpoint_tensor_t *tensor, place_t place);

static inline void each_tensor(const checkpoint_t *model, writer_t *w, visit_t *visit) {
  const checkpoint_config_t *config = checkpoint_config(model);
  for (unsigned role = 0; role < CHECKPOINT_ROLES; ++role) {
    const bool of_layer = role >= CHECKPOINT_ATTENTION_NORM, of_expert = role >= CHECKPOINT_EXPERT_GATE;
    for (size_t layer = 0; layer < (of_layer ? config->num_hidden_layers : 1); ++layer) {
      for (size_t expert = 0; expert < (of_expert ? config->n_routed_experts : 1); ++expert) {
        const checkpoint_tensor_t *tensor = checkpoint_find(model, (checkpoint_role_t)role, layer, expert);
        if (tensor != NULL && !(role == CHECKPOINT_HEAD && config->tie_word_embeddings)) {
          visit(w, tensor, (place_t){(checkpoint_role_t)role, layer, expert});
        }
      }
    }
  }
}

static inline void remove_files(void) {
  remove(path_of("model.safetensors"));
  remove(path_of("model.safetensors.index.json"));
  for (unsigned f = 0; f < MODEL_FILES; ++f) {
    char name[32];
    snprintf(name, sizeof name, "part%u.safetensors", f);
    remove(path_of(name));
  }
}

// In `files` files, whose tensors take turns.
static inline void write_model(const checkpoint_t *model, checkpoint_type_t type, unsigned files,
                               const defect_t *defect) {
  writer_t w = {.model = model,
                .defect = defect,
                .type = type,
                .scaled = checkpoint_config(model)->block_rows > 0,
                .files = files,
                .index = allocate(TEXT_BYTES, 1)};
  for (unsigned f = 0; f < files; ++f) {
    w.header[f] = allocate(TEXT_BYTES, 1);
    w.data[f] = allocate(DATA_BYTES, 1);
  }
  each_tensor(model, &w, write_tensor);
  remove_files();
  for (unsigned f = 0; f < files; ++f) {
    char name[32];
    snprintf(name, sizeof name, "part%u.safetensors", f);
    put(w.header[f], &w.header_used[f], "}");
    write_tensors(files == 1 ? "model.safetensors" : name, w.header[f], w.data[f], w.data_used[f]);
    free(w.header[f]);
    free(w.data[f]);
  }
  put(w.index, &w.index_used, "}}");
  if (files > 1) {
    write_text("model.safetensors.index.json", w.index);
  }
  free(w.index);
}

#endif  // AMALGAM_TESTS_CHECKPOINT_MODEL_WRITER_H
