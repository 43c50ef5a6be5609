// SPDX-License-Identifier: Apache-2.0
#include "llm/lm/lm_windows.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/input.h"
#include "llm/text/score.h"

enum { FIRST_ROOM = 1 << 16, MOST_BYTES = 1 << 28 };

// --- the text ---------------------------------------------------------------------------------

// Up to `most` bytes of a stream.
static bool read_bytes(FILE *file, const char *path, size_t most, lm_windows_t *windows, base_error_t *error) {
  size_t room = 0;
  for (size_t got = 1; got > 0 && windows->count < most; windows->count += got) {
    if (windows->count == room) {
      room = room == 0 ? FIRST_ROOM : 2 * room;
      uint8_t *bytes = realloc(windows->bytes, room);
      if (bytes == NULL) {
        return base_fail(error, "%s: out of memory", path);
      }
      windows->bytes = bytes;
    }
    const size_t wanted = room < most ? room : most;
    got = fread(windows->bytes + windows->count, 1, wanted - windows->count, file);
  }
  return !ferror(file) || base_fail(error, "%s: %s", path, strerror(errno));
}

static bool read_file(const char *path, size_t most, lm_windows_t *windows, base_error_t *error) {
  FILE *file = input_open(path, error);
  if (file == NULL) {
    return false;
  }
  const bool good = read_bytes(file, path, most, windows, error);
  fclose(file);
  return good;
}

static bool check_bytes(const char *path, const lm_windows_t *windows, size_t vocab, base_error_t *error) {
  if (windows->count < 2) {
    return base_fail(error, "%s: %zu byte%s; expected at least 2, one to predict another from", path, windows->count,
                     windows->count == 1 ? "" : "s");
  }
  if (windows->count > MOST_BYTES) {
    return base_fail(error, "%s: more than %d MiB; --windows N takes the first N windows", path, MOST_BYTES >> 20);
  }
  for (size_t i = 0; i < windows->count; ++i) {
    if (windows->bytes[i] >= vocab) {
      return base_fail(error, "%s: byte %zu is %u; the model knows 0 to %zu", path, i, windows->bytes[i], vocab - 1);
    }
  }
  return true;
}

bool lm_windows_read(const char *path, const lm_shape_t *shape, size_t most, lm_windows_t *windows,
                     base_error_t *error) {
  *windows = (lm_windows_t){.context = shape->context};
  const size_t limit = (size_t)MOST_BYTES + 1;
  const size_t size = windows->context + 1;
  const size_t bytes = most == 0 || most > limit / size ? limit : most * size;
  const bool good = read_file(path, bytes, windows, error) && check_bytes(path, windows, shape->vocab, error);
  if (!good) {
    lm_windows_free(windows);
    return false;
  }
  windows->windows = llm_windows(windows->count, windows->context);
  return true;
}

void lm_windows_free(lm_windows_t *windows) {
  free(windows->bytes);
  *windows = (lm_windows_t){0};
}

lm_window_t lm_windows_at(const lm_windows_t *windows, size_t index) {
  return (lm_window_t){.bytes = windows->bytes + index * (windows->context + 1),
                       .predictions = llm_window_predictions(windows->count, windows->context, index)};
}

// --- a window's predictions -------------------------------------------------------------------

bool lm_window_logits(lm_t *lm, const lm_window_t *window, const lm_backend_t *backend, float *logits) {
  lm_restart(lm);
  return lm_forward(lm, window->bytes, window->predictions, backend, logits, false);
}

lm_score_t lm_window_score(const lm_window_t *window, size_t vocab, const float *logits, const float *reference) {
  lm_score_t score = {.predictions = window->predictions};
  for (size_t i = 0; i < window->predictions; ++i) {
    const float *row = logits + i * vocab;
    score.loss += llm_loss(row, vocab, window->bytes[i + 1]);
    score.agree += llm_choose(row, vocab).best == llm_choose(reference + i * vocab, vocab).best;
  }
  score.loss /= (double)score.predictions;
  return score;
}

void lm_score_add(lm_score_t *sum, const lm_score_t *score) {
  const double nats = sum->loss * (double)sum->predictions + score->loss * (double)score->predictions;
  sum->predictions += score->predictions;
  sum->agree += score->agree;
  sum->loss = nats / (double)sum->predictions;
}
