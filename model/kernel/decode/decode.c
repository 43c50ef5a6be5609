// SPDX-License-Identifier: Apache-2.0
#include "kernel/decode/decode.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/npy.h"
#include "base/size.h"
#include "host/host.h"
#include "host/interrupt.h"
#include "host/places.h"
#include "kernels/fp8/fp8_args.h"
#include "llm/text/score.h"

enum {
  USUAL_TOKENS = 64,
  USUAL_STEPS = 4,
  USUAL_PAST = 4096,
  USUAL_CONTEXT = 1024,
  USUAL_CHUNK = 256,
  PLACES = 16,  // caches have a multiple of so many places
  PATH_BYTES = 4096,
};

static const char shipped_model[] = "tests/data/kjv_mla";

decode_request_t decode_request(const kernel_machine_t *machine) {
  decode_request_t request = {.settings = decode_settings(machine),
                              .tokens = USUAL_TOKENS,
                              .past = USUAL_PAST,
                              .steps = USUAL_STEPS,
                              .context = USUAL_CONTEXT,
                              .chunk = USUAL_CHUNK,
                              .sampling = {.top_p = 1.0},
                              .tolerance = NAN};
  request.settings.machine.soc.l2_warm = false;  // a model's weights are not in L2 before its first step
  return request;
}

// --- the model --------------------------------------------------------------------------------

// A folder or a file, or the name of one of model/config/models, which goes to `path`.
static const char *model_path(const decode_request_t *request, char path[PATH_BYTES]) {
  struct stat status;
  const char *given = request->model.folder;
  if (given == NULL) {
    snprintf(path, PATH_BYTES, "%s/%s", config_home(), shipped_model);
    return path;
  }
  snprintf(path, PATH_BYTES, "%s/model/config/models/%s.json", config_home(), given);
  return request->model.random && stat(given, &status) != 0 && stat(path, &status) == 0 ? path : given;
}

static bool check_model(const decode_run_t *run, base_error_t *error) {
  const size_t experts = run->model->n_routed_experts, here = run->request.experts_here;
  if (here > 0 && experts == 0) {
    return base_fail(error, "--experts-here: the model has no mixtures of experts");
  }
  if (here > experts) {
    return base_fail(error, "--experts-here %zu: the model has %zu", here, experts);
  }
  return here == 0 || here == experts || !run->request.check ||
         base_fail(error, "--check: compares with the whole model, cannot go with --experts-here %zu of %zu", here,
                   experts);
}

// A folder's tokenizer. One that is not understood is a failure only where there is a text for it.
static bool open_tokenizer(decode_run_t *run, const char *folder, base_error_t *error) {
  char path[PATH_BYTES + 32];
  struct stat status;
  const char *prompt = run->request.prompt;
  snprintf(path, sizeof path, "%s/tokenizer.json", folder);
  if (run->request.timing || stat(path, &status) != 0) {
    return true;
  }
  run->tokenizer = llm_tokenizer_open(path, error);
  run->vocab.tokenizer = run->tokenizer;
  run->vocab.bytes = run->vocab.bytes && run->tokenizer == NULL;
  return run->tokenizer != NULL || prompt == NULL || strspn(prompt, "0123456789, ") == strlen(prompt);
}

static bool open_model(decode_run_t *run, base_error_t *error) {
  char path[PATH_BYTES];
  decode_request_t *request = &run->request;
  checkpoint_request_t wanted = request->model;
  wanted.shapes = request->settings.machine.soc.timing_only;
  wanted.random = wanted.random || wanted.shapes;
  wanted.wide_range = request->settings.weights == DECODE_BF16;
  request->model.random = wanted.random;
  wanted.folder = model_path(request, path);
  run->checkpoint = checkpoint_open(&wanted, error);
  if (run->checkpoint == NULL) {
    return false;
  }
  run->model = checkpoint_config(run->checkpoint);
  run->vocab = llm_vocab(run->model->vocab_size);
  snprintf(run->name, sizeof run->name, "%s", request->model.folder == NULL ? shipped_model : request->model.folder);
  return check_model(run, error) && open_tokenizer(run, wanted.folder, error) &&
         decode_settings_fit(&request->settings, run->model, error);
}

// --- what there is to do ----------------------------------------------------------------------

static bool prepare_text(decode_run_t *run, decode_limits_t *limits, base_error_t *error) {
  decode_request_t *r = &run->request;
  if (!llm_text_read(r->eval, &run->vocab, r->context, r->windows, &run->eval, error)) {
    return false;
  }
  run->windows = run->eval.windows;
  r->batch = r->batch == 0 ? run->windows : smaller(r->batch, run->windows);
  run->loss = calloc(run->windows, sizeof *run->loss);
  const size_t query = smaller(r->context, r->chunk);
  *limits =
      (decode_limits_t){.entries = r->batch, .query = query, .context = r->context, .head_rows = r->batch * query};
  run->logit_rows = run->windows * r->context;
  return run->loss != NULL || base_fail(error, "out of memory");
}

// Lines of a file are prompts of an entry each.
static bool find_prompts(decode_run_t *run, base_error_t *error) {
  const decode_request_t *r = &run->request;
  run->prompts = 1;
  if (r->prompt_tokens != NULL) {
    run->prompt_at = llm_tokens_lines(r->prompt_tokens, run->text.count, &run->prompts);
  } else if ((run->prompt_at = calloc(2, sizeof *run->prompt_at)) != NULL) {
    run->prompt_at[1] = run->text.count;
  }
  if (run->prompt_at == NULL) {
    return base_fail(error, "out of memory");
  }
  if (run->prompts > 1 && (r->check || r->settings.mtp > 1)) {
    return base_fail(error, "%s: %zu prompts; --check and --mtp take one", r->prompt_tokens, run->prompts);
  }
  return run->prompts == 1 || r->batch == 0 || r->batch == run->prompts ||
         base_fail(error, "--batch %zu: %s has %zu prompts, an entry each", r->batch, r->prompt_tokens, run->prompts);
}

static size_t longest_prompt(const decode_run_t *run) {
  size_t longest = 0;
  for (size_t i = 0; i < run->prompts; ++i) {
    longest = larger(longest, decode_prompt_length(run, i));
  }
  return longest;
}

static bool prepare_prompt(decode_run_t *run, decode_limits_t *limits, base_error_t *error) {
  decode_request_t *r = &run->request;
  const char *prompt = r->prompt != NULL ? r->prompt : DECODE_SHIPPED_PROMPT;
  if (r->prompt == NULL && r->prompt_tokens == NULL && !run->vocab.bytes && run->tokenizer == NULL) {
    return base_fail(
        error, "--prompt: missing; the model's vocabulary is no bytes, so it takes token numbers, such as '1, 2'");
  }
  if (!(r->prompt_tokens != NULL ? llm_tokens_read(r->prompt_tokens, &run->vocab, &run->text, error)
                                 : llm_tokens_from_text(prompt, "--prompt", &run->vocab, &run->text, error))) {
    return false;
  }
  if (!find_prompts(run, error)) {
    return false;
  }
  const size_t length = longest_prompt(run), all = length + r->tokens, most = run->model->max_position_embeddings;
  if (length == 0) {
    return base_fail(error, "--prompt: empty; the first token has to follow something");
  }
  if (all > most) {
    return base_fail(error, "--prompt of %zu tokens and --tokens %zu: the model sees at most %zu", length, r->tokens,
                     most);
  }
  r->batch = r->batch == 0 ? run->prompts : r->batch;
  run->written = calloc(run->prompts * r->tokens, sizeof *run->written);
  const size_t query = larger(smaller(length, r->chunk), r->settings.mtp);
  *limits = (decode_limits_t){.entries = r->batch,
                              .query = query,
                              .context = all,
                              .head_rows = r->batch,
                              .parts = run->prompts > 1 ? r->batch : 1};
  run->logit_rows = run->prompts * r->tokens;
  run->gap = INFINITY;
  num_rng_seed(&run->rng, r->model.seed);
  run->candidates = r->sampling.temperature > 0.0 ? malloc(run->model->vocab_size * sizeof *run->candidates) : NULL;
  return (run->written != NULL && (run->candidates != NULL || !(r->sampling.temperature > 0.0))) ||
         base_fail(error, "out of memory");
}

static void prepare_timing(decode_run_t *run, decode_limits_t *limits) {
  decode_request_t *r = &run->request;
  r->batch = r->batch == 0 ? 1 : r->batch;
  *limits = (decode_limits_t){.entries = r->batch,
                              .query = r->settings.mtp,
                              .context = r->past + r->steps * r->settings.mtp,
                              .head_rows = r->batch * r->settings.mtp};
}

static bool check_limits(const decode_run_t *run, const decode_limits_t *limits, base_error_t *error) {
  return run->request.settings.attention != DECODE_FP8 || limits->entries <= FP8_MAX_LISTS ||
         base_fail(error, "--batch %zu: the FP8 kernel takes at most %d entries", limits->entries, FP8_MAX_LISTS);
}

static bool prepare(decode_run_t *run, decode_limits_t *limits, base_error_t *error) {
  if (run->request.eval != NULL) {
    return prepare_text(run, limits, error);
  }
  if (!run->request.timing) {
    return prepare_prompt(run, limits, error);
  }
  prepare_timing(run, limits);
  return true;
}

static bool open_machine(decode_run_t *run, decode_limits_t *limits, base_error_t *error) {
  const decode_request_t *r = &run->request;
  limits->context = round_up(limits->context, PLACES);
  const decode_machine_options_t options = {
      .settings = &r->settings,
      .checkpoint = run->checkpoint,
      .limits = *limits,
      .seed = r->model.seed,
      .experts = r->experts_here > 0 ? r->experts_here : run->model->n_routed_experts};
  run->machine = decode_machine_open(&options, error);
  if (run->machine == NULL) {
    return false;
  }
  const size_t threads = r->settings.machine.soc.threads;
  run->load_seconds = decode_machine_load_seconds(run->machine);
  if (r->verify) {
    run->verify = decode_verify_open(run->machine, threads);
  }
  if (!r->settings.machine.soc.timing_only) {
    run->finite = decode_finite_open(run->machine);
    if (run->finite == NULL) {
      return base_fail(error, "out of memory");
    }
  }
  if (r->check) {
    run->check = decode_check_open(run->machine, run->checkpoint, limits->entries, limits->context, threads, error);
  }
  return (!r->check || run->check != NULL) && (!r->verify || run->verify != NULL || base_fail(error, "out of memory"));
}

static void tell(const decode_run_t *run, const char *what) {
  if (run->request.step != NULL) {
    const double mhz = run->request.settings.machine.soc.config.soc.clock_mhz;
    run->request.step(run->request.context_of_these, what, (double)run->cycles / mhz);
  }
}

bool decode_prepare(const decode_request_t *request, decode_run_t *run, base_error_t *error) {
  decode_limits_t limits;
  memset(run, 0, sizeof *run);
  run->request = *request;
  if (!open_model(run, error) || !prepare(run, &limits, error) || !check_limits(run, &limits, error)) {
    return false;
  }
  run->logits = malloc((run->logit_rows * run->model->vocab_size + 1) * sizeof *run->logits);
  tell(run, "loading the model");
  return (run->logits != NULL || base_fail(error, "out of memory")) && open_machine(run, &limits, error);
}

// --- steps ------------------------------------------------------------------------------------

// The end of a step: good, stopped by the machine, or failed on the host, with the reason in error.
typedef enum outcome { GOOD, MACHINE_STOPPED, HOST_FAILED } outcome_t;

static outcome_t do_parts(decode_run_t *run, decode_books_t *books, const decode_ask_t *parts, size_t count,
                          const uint32_t *tokens) {
  decode_took_t took;
  if (host_interrupted()) {
    return MACHINE_STOPPED;
  }
  const bool good = decode_machine_parts(run->machine, parts, count, tokens, &took);
  books->steps += 1;
  books->cycles += took.cycles;
  books->launch_cycles += took.cycles - took.own;
  books->launches += took.launches;
  for (size_t i = 0; i < count; ++i) {
    books->tokens += decode_ask_rows(&parts[i]);
  }
  run->cycles += took.cycles;
  return good ? GOOD : MACHINE_STOPPED;
}

static outcome_t do_step(decode_run_t *run, decode_books_t *books, const decode_ask_t *ask, const uint32_t *tokens,
                         base_error_t *error) {
  const outcome_t outcome = do_parts(run, books, ask, 1, tokens);
  if (outcome != GOOD) {
    return outcome;
  }
  return run->check == NULL || decode_check_step(run->check, ask, tokens, error) ? GOOD : HOST_FAILED;
}

// A softcap is left to the host, which reads the logits; it does not change which is the largest.
static const float *keep_row(decode_run_t *run, size_t row, size_t to) {
  const size_t vocab = run->model->vocab_size;
  float *kept = run->logits + to * vocab;
  memcpy(kept, decode_machine_logits(run->machine, row), vocab * sizeof *kept);
  llm_softcap(kept, vocab, run->model->final_logit_softcapping);
  return kept;
}

// Notes logits that are no numbers; number: from 0.
static void look_at_logits(decode_run_t *run, size_t row, const char *what, size_t number) {
  if (run->finite != NULL && !llm_is_finite(decode_machine_logits(run->machine, row), run->model->vocab_size) &&
      run->lost++ == 0) {
    snprintf(run->lost_at, sizeof run->lost_at, "%s %zu", what, number + 1);
  }
}

// --- a text -----------------------------------------------------------------------------------

// Tokens first .. first + query - 1 of some windows; beyond a window's end token 0, whose logits nobody looks at.
static void take_piece(const decode_run_t *run, size_t window, size_t entries, size_t first, size_t query,
                       uint32_t *tokens) {
  for (size_t i = 0; i < entries * query; ++i) {
    const size_t t = first + i % query;
    tokens[i] =
        t < llm_window_predictions(&run->eval, window + i / query) ? llm_window(&run->eval, window + i / query)[t] : 0;
  }
}

static void score_piece(decode_run_t *run, size_t window, const decode_ask_t *ask) {
  const size_t vocab = run->model->vocab_size;
  for (size_t i = 0; i < decode_ask_rows(ask); ++i) {
    const size_t w = window + i / ask->query, t = ask->past + i % ask->query;
    if (t < llm_window_predictions(&run->eval, w)) {
      const float *logits = keep_row(run, i, w * run->request.context + t);
      run->loss[w] += llm_loss(logits, vocab, llm_window(&run->eval, w)[t + 1]);
      look_at_logits(run, i, "prediction", w * run->request.context + t);
    }
  }
}

static outcome_t do_windows(decode_run_t *run, size_t window, size_t entries, uint32_t *tokens, base_error_t *error) {
  const size_t longest = llm_window_predictions(&run->eval, window);  // of these: only the last of all is shorter
  outcome_t outcome = run->check == NULL || decode_check_begin(run->check, 0, error) ? GOOD : HOST_FAILED;
  for (size_t first = 0; outcome == GOOD && first < longest; first += run->request.chunk) {
    const decode_ask_t ask = {
        .entries = entries, .query = smaller(longest - first, run->request.chunk), .past = first, .all_rows = true};
    take_piece(run, window, entries, first, ask.query, tokens);
    outcome = do_step(run, &run->prefill, &ask, tokens, error);
    if (outcome == GOOD) {
      score_piece(run, window, &ask);
    }
  }
  return outcome;
}

static outcome_t do_text(decode_run_t *run, base_error_t *error) {
  const size_t batch = run->request.batch;
  uint32_t *tokens = malloc(batch * run->request.chunk * sizeof *tokens);
  outcome_t outcome = tokens != NULL || base_fail(error, "out of memory") ? GOOD : HOST_FAILED;
  for (size_t window = 0; outcome == GOOD && window < run->windows; window += batch) {
    char what[64];
    snprintf(what, sizeof what, "windows from %zu of %zu", window + 1, run->windows);
    tell(run, what);
    outcome = do_windows(run, window, smaller(batch, run->windows - window), tokens, error);
  }
  for (size_t w = 0; outcome == GOOD && w < run->windows; ++w) {
    const size_t predictions = llm_window_predictions(&run->eval, w);
    run->mean_loss += run->loss[w];
    run->loss[w] /= (double)predictions;
    run->predictions += predictions;
  }
  run->mean_loss /= run->predictions > 0 ? (double)run->predictions : 1.0;
  free(tokens);
  return outcome;
}

// --- a prompt ---------------------------------------------------------------------------------

static outcome_t do_prompt(decode_run_t *run, uint32_t *tokens, base_error_t *error) {
  const size_t length = run->text.count, batch = run->request.batch;
  outcome_t outcome = GOOD;
  for (size_t first = 0; outcome == GOOD && first < length; first += run->request.chunk) {
    const decode_ask_t ask = {.entries = batch, .query = smaller(length - first, run->request.chunk), .past = first};
    for (size_t i = 0; i < batch * ask.query; ++i) {
      tokens[i] = run->text.list[first + i % ask.query];
    }
    outcome = do_step(run, &run->prefill, &ask, tokens, error);
  }
  return outcome;
}

// By the host, from the logits.
static uint32_t draw_token(decode_run_t *run, size_t index) {
  const size_t vocab = run->model->vocab_size;
  const size_t count = llm_candidates(&run->request.sampling, run->logits + index * vocab, vocab, run->candidates);
  return llm_draw(run->candidates, count, num_rng_uniform(&run->rng));
}

// The best token of that row of logits, by the operation argmax, or one that is drawn; index: among all that are
// written.
static uint32_t take_token(decode_run_t *run, size_t row, size_t index) {
  const decode_list_t *list = decode_machine_list(run->machine);
  int32_t best;
  memcpy(&best, decode_machine_bytes(run->machine, decode_value(list->arrays, list->graph->best) + row * sizeof best),
         sizeof best);
  keep_row(run, row, index);
  look_at_logits(run, row, "token", index);
  const llm_choice_t choice = llm_choose(decode_machine_logits(run->machine, row), run->model->vocab_size);
  if ((run->prompts == 1 && index == 0) || choice.gap < run->gap) {
    run->gap = choice.gap;
    run->gap_at = index;
  }
  if (run->lost == 0 && (uint32_t)best != choice.best && run->misread++ == 0) {
    run->misread_at = index;
  }
  best = run->candidates != NULL ? (int32_t)draw_token(run, index) : (uint32_t)best < run->model->vocab_size ? best : 0;
  run->written[index] = (uint32_t)best;
  if (run->request.put != NULL && run->prompts == 1) {
    run->request.put(run->request.context_of_these, (uint32_t)best);
  }
  return (uint32_t)best;
}

// With two query tokens a step the first one is the last but one, once more: nobody here drafts tokens.
static void take_last(const decode_run_t *run, size_t position, size_t query, uint32_t *tokens) {
  const size_t length = run->text.count;
  for (size_t i = 0; i < run->request.batch * query; ++i) {
    const size_t t = position + 1 - query + i % query;
    tokens[i] = t < length ? run->text.list[t] : run->written[t - length];
  }
}

static outcome_t write_tokens(decode_run_t *run, uint32_t *tokens, base_error_t *error) {
  const size_t length = run->text.count;
  outcome_t outcome = GOOD;
  if (run->request.tokens > 1) {
    decode_machine_forget(run->machine);  // what the prompt took
  }
  for (size_t i = 0; outcome == GOOD && i + 1 < run->request.tokens; ++i) {
    take_token(run, 0, i);
    const size_t position = length + i, query = smaller(run->request.settings.mtp, position + 1);
    const decode_ask_t ask = {.entries = run->request.batch, .query = query, .past = position + 1 - query};
    take_last(run, position, query, tokens);
    outcome = do_step(run, &run->decode, &ask, tokens, error);
    tell(run, "writing");
  }
  if (outcome == GOOD) {
    take_token(run, 0, run->request.tokens - 1);
  }
  return outcome;
}

// --- prompts of several lengths ---------------------------------------------------------------

// Tokens of an entry that are in its cache, of its prompt and those written, and how many are written.
typedef struct entry {
  size_t done, written;
} entry_t;

typedef struct mixed {
  entry_t *entry;       // [prompts]
  decode_ask_t *parts;  // of the next step,
  size_t count;
  bool prompts;      // some of which are prompts still
  uint32_t *tokens;  // of its rows
} mixed_t;

static uint32_t token_at(const decode_run_t *run, size_t prompt, size_t place) {
  const size_t length = decode_prompt_length(run, prompt);
  return place < length ? run->text.list[run->prompt_at[prompt] + place]
                        : run->written[prompt * run->request.tokens + place - length];
}

// Entries that go on, a piece of the prompt or a token each. Neighbours that are equally far are one part.
static void next_parts(const decode_run_t *run, mixed_t *m) {
  size_t rows = 0, entries = 0;
  m->count = 0;
  m->prompts = false;
  for (size_t i = 0; i < run->prompts; ++i) {
    const size_t length = decode_prompt_length(run, i), past = m->entry[i].done;
    const size_t query = past < length ? smaller(length - past, run->request.chunk) : 1;
    if (m->entry[i].written == run->request.tokens) {
      continue;
    }
    m->prompts = m->prompts || past < length;
    decode_ask_t *last = m->count > 0 ? &m->parts[m->count - 1] : NULL;
    if (last != NULL && last->query == query && last->past == past && last->first_entry + last->entries == i) {
      last->entries += 1;
    } else {
      m->parts[m->count] = (decode_ask_t){.entries = 1,
                                          .query = query,
                                          .past = past,
                                          .first_entry = i,
                                          .first_row = rows,
                                          .first_wanted = entries,
                                          .part = m->count};
      m->count += 1;
    }
    for (size_t t = 0; t < query; ++t) {
      m->tokens[rows + t] = token_at(run, i, past + t);
    }
    rows += query;
    entries += 1;
  }
}

static void take_tokens(decode_run_t *run, mixed_t *m) {
  size_t row = 0;
  for (size_t part = 0; part < m->count; ++part) {
    for (size_t e = 0; e < m->parts[part].entries; ++e, ++row) {
      const size_t prompt = m->parts[part].first_entry + e;
      entry_t *entry = &m->entry[prompt];
      entry->done += m->parts[part].query;
      if (entry->done >= decode_prompt_length(run, prompt)) {
        take_token(run, row, prompt * run->request.tokens + entry->written++);
      }
    }
  }
}

static outcome_t write_mixed(decode_run_t *run, mixed_t *m) {
  outcome_t outcome = GOOD;
  bool began = false;  // steps that bring nothing but tokens have
  for (next_parts(run, m); outcome == GOOD && m->count > 0; next_parts(run, m)) {
    if (!m->prompts && !began) {
      decode_machine_forget(run->machine);
      began = true;
    }
    outcome = do_parts(run, m->prompts ? &run->prefill : &run->decode, m->parts, m->count, m->tokens);
    if (outcome == GOOD) {
      take_tokens(run, m);
    }
    tell(run, "writing");
  }
  return outcome;
}

static outcome_t do_mixed(decode_run_t *run, base_error_t *error) {
  mixed_t m = {.entry = calloc(run->prompts, sizeof *m.entry),
               .parts = calloc(run->prompts, sizeof *m.parts),
               .tokens = calloc(run->prompts * run->request.chunk, sizeof *m.tokens)};
  const bool room = m.entry != NULL && m.parts != NULL && m.tokens != NULL;
  const outcome_t outcome = room || base_fail(error, "out of memory") ? write_mixed(run, &m) : HOST_FAILED;
  free(m.entry);
  free(m.parts);
  free(m.tokens);
  return outcome;
}

static outcome_t do_writing(decode_run_t *run, base_error_t *error) {
  uint32_t *tokens =
      malloc(run->request.batch * larger(run->request.chunk, run->request.settings.mtp) * sizeof *tokens);
  if (tokens == NULL) {
    base_fail(error, "out of memory");
    return HOST_FAILED;
  }
  if (run->check != NULL && !decode_check_begin(run->check, 0, error)) {
    free(tokens);
    return HOST_FAILED;
  }
  if (run->request.begin != NULL) {
    run->request.begin(run->request.context_of_these, run);
  }
  outcome_t outcome = run->prompts > 1 ? do_mixed(run, error) : do_prompt(run, tokens, error);
  outcome = outcome == GOOD && run->prompts == 1 ? write_tokens(run, tokens, error) : outcome;
  free(tokens);
  return outcome;
}

// --- steps after a past that is made up -------------------------------------------------------

static outcome_t do_timing(decode_run_t *run, base_error_t *error) {
  const decode_request_t *r = &run->request;
  uint32_t *tokens = malloc(r->batch * r->settings.mtp * sizeof *tokens);
  num_rng_t rng;
  num_rng_seed(&rng, r->model.seed);
  decode_machine_make_past(run->machine, r->past);
  bool good = (tokens != NULL || base_fail(error, "out of memory")) &&
              (run->check == NULL || decode_check_begin(run->check, r->past, error));
  outcome_t outcome = good ? GOOD : HOST_FAILED;
  for (size_t i = 0; outcome == GOOD && i < r->steps; ++i) {
    const decode_ask_t ask = {
        .entries = r->batch, .query = r->settings.mtp, .past = r->past + i * r->settings.mtp, .all_rows = true};
    for (size_t t = 0; t < decode_ask_rows(&ask); ++t) {
      tokens[t] = (uint32_t)(num_rng_u64(&rng) % run->model->vocab_size);
    }
    tell(run, "steps");
    outcome = do_step(run, &run->decode, &ask, tokens, error);
    for (size_t row = 0; outcome == GOOD && row < decode_ask_head_rows(&ask); ++row) {
      look_at_logits(run, row, "step", i);
    }
  }
  free(tokens);
  return outcome;
}

// --- the run ----------------------------------------------------------------------------------

static base_exit_t fail(const decode_run_t *run, outcome_t outcome, base_error_t *error) {
  if (host_interrupted()) {
    base_fail(error, "interrupted");
    return BASE_INTERRUPTED;
  }
  return outcome == MACHINE_STOPPED ? (base_exit_t)decode_machine_status(run->machine, error) : BASE_BAD_INPUT;
}

base_exit_t decode_simulate(decode_run_t *run, base_error_t *error) {
  host_hold_interrupts();
  const double start = host_seconds();
  const outcome_t outcome = run->request.eval != NULL ? do_text(run, error)
                            : run->request.timing     ? do_timing(run, error)
                                                      : do_writing(run, error);
  run->seconds = host_seconds() - start;
  const base_exit_t code = outcome == GOOD ? BASE_OK : fail(run, outcome, error);
  host_release_interrupts();
  run->soc = decode_machine_result(run->machine);  // which writes the timeline
  return code == BASE_OK && run->soc->status != SOC_DONE ? (base_exit_t)decode_machine_status(run->machine, error)
                                                         : code;
}

double decode_tolerance(const decode_run_t *run) {
  const decode_settings_t *s = &run->request.settings;
  return !isnan(run->request.tolerance)                                ? run->request.tolerance
         : s->weights == DECODE_W4A16                                  ? DECODE_TOLERANCE_W4A16
         : s->weights == DECODE_W8A8                                   ? DECODE_TOLERANCE_W8A8
         : s->attention == DECODE_FP8 || s->cache != DECODE_CACHE_BF16 ? DECODE_TOLERANCE_FP8
         : s->weights == DECODE_BF16                                   ? DECODE_TOLERANCE_FP8
                                                                       : DECODE_TOLERANCE_FP16;
}

static base_exit_t check_verdict(const decode_run_t *run, base_error_t *error) {
  for (size_t i = 0; i < decode_check_count(run->check); ++i) {
    const decode_stage_t stage = decode_check_stage(run->check, i);
    if (!(stage.error <= decode_tolerance(run))) {
      char of_layer[32] = "";
      if (stage.layer != LLM_NO_LAYER) {
        snprintf(of_layer, sizeof of_layer, " of layer %zu", stage.layer);
      }
      base_fail(error, "--check: %s%s is the first bad one: relative error %.3g of stage %s, tolerance %.3g",
                stage.name, of_layer, stage.error, stage.stage, decode_tolerance(run));
      return BASE_OUT_OF_TOLERANCE;
    }
  }
  return BASE_OK;
}

static base_exit_t verify_verdict(const decode_run_t *run, base_error_t *error) {
  const char *first = decode_verify_first(run->verify);
  if (first != NULL) {
    base_fail(error, "--verify: elements differ from the contract's, first of %s", first);
    return BASE_OUT_OF_TOLERANCE;
  }
  return BASE_OK;
}

const char *decode_lost_from(const decode_run_t *run) {
  const char *first = decode_finite_first(run->finite);
  return first != NULL ? first : "logits that no operation wrote";
}

static base_exit_t finite_verdict(const decode_run_t *run, base_error_t *error) {
  if (run->lost == 0 || run->request.allow_overflow) {
    return BASE_OK;
  }
  base_fail(error, "logits are not finite, first those of %s; infinities or NaNs begin with %s", run->lost_at,
            decode_lost_from(run));
  return BASE_OUT_OF_TOLERANCE;
}

static base_exit_t choice_verdict(const decode_run_t *run, base_error_t *error) {
  if (run->misread == 0) {
    return BASE_OK;
  }
  base_fail(error, "token %zu of %zu is not that of the largest logit", run->misread_at + 1, run->request.tokens);
  return BASE_OUT_OF_TOLERANCE;
}

base_exit_t decode_verdict(const decode_run_t *run, base_error_t *error) {
  base_exit_t code = run->verify != NULL ? verify_verdict(run, error) : BASE_OK;
  code = code == BASE_OK ? finite_verdict(run, error) : code;
  code = code == BASE_OK ? choice_verdict(run, error) : code;
  return code == BASE_OK && run->check != NULL ? check_verdict(run, error) : code;
}

// --- after it ---------------------------------------------------------------------------------

const decode_books_t *decode_main_books(const decode_run_t *run) {
  return run->decode.steps > 0 ? &run->decode : &run->prefill;
}

double decode_step_us(const decode_run_t *run) {
  const decode_books_t *books = decode_main_books(run);
  const double mhz = run->request.settings.machine.soc.config.soc.clock_mhz;
  return books->steps == 0 ? 0 : (double)books->cycles / (double)books->steps / mhz;
}

double decode_tokens_per_second(const decode_run_t *run) {
  const decode_books_t *books = decode_main_books(run);
  const bool writes = run->request.eval == NULL && !run->request.timing && run->decode.steps > 0;
  const double tokens =
      writes && run->prompts == 1 ? (double)(books->steps * run->request.batch) : (double)books->tokens;
  return books->cycles == 0 ? 0 : tokens / ((double)books->steps * decode_step_us(run)) * 1e6;
}

void decode_write_logits(const decode_run_t *run, FILE *npy) {
  const npy_array_t array = {
      .type = NPY_F4, .dims = 2, .shape = {run->logit_rows, run->model->vocab_size}, .data = run->logits};
  npy_write(npy, &array);
}

void decode_release(decode_run_t *run) {
  decode_verify_close(run->verify);
  decode_finite_close(run->finite);
  decode_check_close(run->check);
  decode_machine_close(run->machine);
  checkpoint_close(run->checkpoint);
  llm_tokens_free(&run->text);
  llm_tokens_free(&run->eval.tokens);
  free(run->loss);
  free(run->written);
  free(run->prompt_at);
  free(run->candidates);
  llm_tokenizer_close(run->tokenizer);
  free(run->logits);
}
