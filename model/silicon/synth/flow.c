// SPDX-License-Identifier: Apache-2.0
#include "silicon/synth/flow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/input.h"
#include "host/places.h"
#include "host/program.h"

enum { ARGUMENTS_MAX = 28, RESULTS_MAX = 2048 };

// --- scripts ----------------------------------------------------------------------------------

// The last of the lines in text, which is changed.
static const char *last_line(char *text) {
  size_t length = strlen(text);
  while (length > 0 && text[length - 1] == '\n') {
    text[--length] = '\0';
  }
  const char *before = strrchr(text, '\n');
  return before == NULL ? text : before + 1;
}

// The folder of results; NULL: not there.
static const char *results(base_error_t *error) {
  const char *folder = places_synth();
  if (strlen(folder) > RESULTS_MAX) {
    base_fail(error, "AMALGAM_SYNTH: a path of more than %d characters", RESULTS_MAX);
    return NULL;
  }
  // Shell scripts, Yosys' scripts and Tcl read it, each with characters of its own.
  if (folder[strspn(folder, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._-+,=@:")] != '\0') {
    base_fail(error,
              "%s: the tools take no such path; set AMALGAM_SYNTH to one of letters, digits and /._-+,=@:", folder);
    return NULL;
  }
  return folder;
}

bool synth_script(const char *name, const char *const arguments[], bool all, char *answer, size_t size,
                  base_error_t *error) {
  const char *folder = results(error);
  if (folder == NULL) {
    return false;
  }
  char path[SYNTH_PATH_BYTES + 64], kept[SYNTH_PATH_BYTES];
  const char *argv[ARGUMENTS_MAX] = {"env", kept, path};
  snprintf(kept, sizeof kept, "AMALGAM_SYNTH=%s", folder);
  snprintf(path, sizeof path, "%s/synth/%s.sh", places_source(), name);
  for (size_t i = 0; arguments[i] != NULL && i + 4 < ARGUMENTS_MAX; ++i) {
    argv[i + 3] = arguments[i];
  }
  const program_t program = {.argv = argv, .answer = answer, .size = size, .all = all};
  switch (program_run(&program)) {
    case PROGRAM_DONE:
      return true;
    case PROGRAM_INTERRUPTED:
      return base_fail(error, "interrupted");
    default:
      break;
  }
  const char *reason = last_line(answer);
  return base_fail(error, "synth: %s", reason[0] != '\0' ? reason : "a script was ended by a signal");
}

// --- the library ------------------------------------------------------------------------------

static bool read_facts(synth_flow_t *flow, const char *folder, base_error_t *error) {
  char path[2 * SYNTH_PATH_BYTES + 16];
  char line[256];
  snprintf(path, sizeof path, "%s/facts", folder);
  FILE *file = fopen(path, "r");
  if (file == NULL) {
    return base_fail(error, "synth: cannot read %s", path);
  }
  while (fgets(line, sizeof line, file) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    char *value = strchr(line, '=');
    if (value == NULL) {
      continue;
    }
    *value++ = '\0';
    if (strcmp(line, "lib_name") == 0) {
      snprintf(flow->name, sizeof flow->name, "%s", value);
    }
    flow->node_nm = strcmp(line, "lib_node") == 0 ? atof(value) : flow->node_nm;
    flow->fo4_ps = strcmp(line, "lib_fo4_ps") == 0 ? atof(value) : flow->fo4_ps;
    flow->nand2_um2 = strcmp(line, "lib_nand2_area") == 0 ? atof(value) : flow->nand2_um2;
  }
  fclose(file);
  return true;
}

bool synth_open(const synth_settings_t *settings, synth_flow_t *flow, base_error_t *error) {
  char answer[2 * SYNTH_PATH_BYTES];
  char node[24];
  *flow = (synth_flow_t){.liberty = settings->liberty == NULL ? SYNTH_LIBRARY : settings->liberty,
                         .clock_fo4 = settings->clock_fo4,
                         .wires = settings->wires,
                         .quiet = settings->quiet,
                         .results = places_synth()};
  if (settings->liberty == NULL && access(SYNTH_LIBRARY, R_OK) != 0) {
    return base_fail(error,
                     "synth: no cell library; expected the package qflow-tech-osu018, which Debian has up to 12, or "
                     "--liberty FILE");
  }
  if (settings->node != 0) {
    snprintf(node, sizeof node, "%zu", settings->node);
    setenv("AMALGAM_NODE", node, 1);  // for the scripts, wherever they are started
  }
  const char *const arguments[] = {flow->liberty, NULL};
  if (!input_check(flow->liberty, error) || !synth_script("key", arguments, true, answer, sizeof answer, error)) {
    return false;
  }
  char *key = strchr(answer, '\n');
  if (key == NULL) {
    return base_fail(error, "synth: no answer from key.sh");
  }
  *key++ = '\0';
  snprintf(flow->key, sizeof flow->key, "%.12s", key);
  return read_facts(flow, answer, error);
}

// --- a unit -----------------------------------------------------------------------------------

// A line kept under the flow's key, so that nothing is started for what is there.
static bool recall(const char *path, char *line, size_t size) {
  FILE *file = fopen(path, "r");
  if (file == NULL) {
    return false;
  }
  const bool good = fgets(line, (int)size, file) != NULL;
  fclose(file);
  line[good ? strcspn(line, "\n") : 0] = '\0';
  return good && line[0] != '\0';
}

// Whole or not at all; it may fail, it is only a short cut.
static void keep(const char *path, const char *line) {
  char temporary[2 * SYNTH_PATH_BYTES];
  snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
  const int descriptor = mkstemp(temporary);
  FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
  if (file != NULL) {
    fprintf(file, "%s\n", line);
    if (fclose(file) != 0 || rename(temporary, path) != 0) {
      remove(temporary);
    }
  }
}

// The words of a text, ended by NULL.
static void cut(const char *text, char words[SYNTH_PARAMS_BYTES], const char *argument[], size_t room) {
  size_t count = 0;
  char *rest = NULL;
  snprintf(words, SYNTH_PARAMS_BYTES, "%s", text);
  for (char *word = strtok_r(words, " ", &rest); word != NULL && count + 1 < room; word = strtok_r(NULL, " ", &rest)) {
    argument[count++] = word;
  }
  argument[count] = NULL;
}

static bool run_unit(const synth_flow_t *flow, const char *unit, const char *params, bool boxes,
                     char folder[SYNTH_PATH_BYTES], base_error_t *error) {
  char clock[16];
  char words[SYNTH_PARAMS_BYTES];
  const char *argument[ARGUMENTS_MAX];
  size_t count = 0;
  if (boxes) {
    argument[count++] = "--boxes";
  }
  snprintf(clock, sizeof clock, "%u", flow->clock_fo4);
  argument[count++] = "--clock";
  argument[count++] = clock;
  argument[count++] = flow->liberty;
  argument[count++] = unit;
  cut(params, words, argument + count, ARGUMENTS_MAX - count);
  return synth_script("unit", argument, false, folder, SYNTH_PATH_BYTES, error);
}

void synth_params(const cJSON *params, char text[SYNTH_PARAMS_BYTES]) {
  size_t used = 0;
  const cJSON *param;
  text[0] = '\0';
  cJSON_ArrayForEach(param, params) {
    used += (size_t)snprintf(text + used, SYNTH_PARAMS_BYTES - used, "%s%s=%.0f", used > 0 ? " " : "", param->string,
                             param->valuedouble);
    if (used >= SYNTH_PARAMS_BYTES) {
      return;
    }
  }
}

static cJSON *make_unit(const synth_flow_t *flow, const char *unit, const char *params, bool boxes,
                        char folder[SYNTH_PATH_BYTES], base_error_t *error) {
  char kept[SYNTH_PATH_BYTES + 512];
  char own[SYNTH_PATH_BYTES];
  char path[SYNTH_PATH_BYTES + 16];
  folder = folder == NULL ? own : folder;
  snprintf(kept, sizeof kept, "%s/at-%s-c%u-%d-%s %s", flow->results, flow->key, flow->clock_fo4, boxes, unit, params);
  if (recall(kept, folder, SYNTH_PATH_BYTES)) {
    snprintf(path, sizeof path, "%s/area.json", folder);
    cJSON *root = json_read(path);
    if (root != NULL) {
      return root;
    }
  }
  if (!flow->quiet) {
    fprintf(stderr, "synth: %s%s%s\n", unit, params[0] != '\0' ? " " : "", params);
  }
  if (!run_unit(flow, unit, params, boxes, folder, error)) {
    return NULL;
  }
  snprintf(path, sizeof path, "%s/area.json", folder);
  cJSON *root = json_read(path);
  if (root == NULL) {
    base_fail(error, "synth: cannot read %s", path);
    return NULL;
  }
  keep(kept, folder);
  return root;
}

// --- the top of an engine ---------------------------------------------------------------------
// It hands its arithmetic on to its boxes, and has no gates that know of it. So it is synthesised once for all of
// them, as arithmetic 0, and its boxes are told afterwards which one it was (synth/test/synth.sh compares).

static const char *const handed_on[] = {"ARITHMETIC", "VARIANT"};
enum { HANDED_ON = sizeof handed_on / sizeof *handed_on };

static bool is_handed_on(const char *name, size_t length) {
  for (size_t i = 0; i < HANDED_ON; ++i) {
    if (strlen(handed_on[i]) == length && strncmp(handed_on[i], name, length) == 0) {
      return true;
    }
  }
  return false;
}

// params with 0 for those that are handed on.
static void shared_params(const char *params, char shared[SYNTH_PARAMS_BYTES]) {
  char words[SYNTH_PARAMS_BYTES];
  const char *word[ARGUMENTS_MAX];
  size_t used = 0;
  cut(params, words, word, ARGUMENTS_MAX);
  shared[0] = '\0';
  for (size_t i = 0; word[i] != NULL && used < SYNTH_PARAMS_BYTES; ++i) {
    const size_t name = strcspn(word[i], "=");
    const bool zero = is_handed_on(word[i], name);
    used += (size_t)snprintf(shared + used, SYNTH_PARAMS_BYTES - used, "%s%.*s=%s", i > 0 ? " " : "", (int)name,
                             word[i], zero ? "0" : word[i] + name + 1);
  }
}

static void tell(cJSON *object, const char *name, double value) {
  cJSON *param = cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(object, "params"), name);
  if (param != NULL) {
    cJSON_SetNumberValue(param, value);
  }
}

static void tell_all(cJSON *top, const char *params) {
  char words[SYNTH_PARAMS_BYTES];
  const char *word[ARGUMENTS_MAX];
  cut(params, words, word, ARGUMENTS_MAX);
  for (size_t i = 0; word[i] != NULL; ++i) {
    char name[SYNTH_PARAMS_BYTES];
    const size_t length = strcspn(word[i], "=");
    snprintf(name, sizeof name, "%.*s", (int)length, word[i]);
    if (is_handed_on(word[i], length)) {
      const double value = atof(word[i] + length + 1);
      cJSON *box;
      tell(top, name, value);
      cJSON_ArrayForEach(box, cJSON_GetObjectItemCaseSensitive(top, "boxes")) { tell(box, name, value); }
    }
  }
}

cJSON *synth_unit(const synth_flow_t *flow, const char *unit, const char *params, bool boxes,
                  char folder[SYNTH_PATH_BYTES], base_error_t *error) {
  if (!boxes || strcmp(unit, "attention_engine") != 0) {
    return make_unit(flow, unit, params, boxes, folder, error);
  }
  char shared[SYNTH_PARAMS_BYTES];
  shared_params(params, shared);
  cJSON *top = make_unit(flow, unit, shared, boxes, folder, error);
  tell_all(top, params);
  return top;
}

cJSON *synth_timing(const synth_flow_t *flow, const char *folder, base_error_t *error) {
  char kept[SYNTH_PATH_BYTES + 64];
  char answer[4096];
  const char *const arguments[] = {flow->liberty, folder, NULL};
  snprintf(kept, sizeof kept, "%s/timing.%s", folder, flow->key);
  if (!recall(kept, answer, sizeof answer)) {
    if (!synth_script("timing", arguments, false, answer, sizeof answer, error)) {
      return NULL;
    }
    keep(kept, answer);
  }
  cJSON *root = cJSON_Parse(answer);
  if (root == NULL) {
    base_fail(error, "synth: no timing of %s", folder);
  }
  return root;
}

cJSON *synth_top(const synth_flow_t *flow, const char *top, const char *params, base_error_t *error) {
  char clock[16], words[SYNTH_PARAMS_BYTES], answer[8192];
  const char *argument[ARGUMENTS_MAX] = {"--wires", clock, flow->liberty, top};
  snprintf(clock, sizeof clock, "%u", flow->clock_fo4);
  cut(params, words, argument + 4, ARGUMENTS_MAX - 4);
  if (!flow->quiet) {
    fprintf(stderr, "synth: timing of %s %s\n", top, params);
  }
  if (!synth_script("top", argument + !flow->wires, false, answer, sizeof answer, error)) {
    return NULL;
  }
  cJSON *root = cJSON_Parse(answer);
  if (root == NULL) {
    base_fail(error, "synth: no timing of %s", top);
  }
  return root;
}

// --- a netlist --------------------------------------------------------------------------------

// The file that says where it is, for one key.
static void place_path(size_t clock_fo4, const char *key, const char *unit, char path[SYNTH_PATH_BYTES]) {
  size_t used = (size_t)snprintf(path, SYNTH_PATH_BYTES, "%s/place-", places_synth());
  for (; *unit != '\0' && used + 64 < SYNTH_PATH_BYTES; ++unit) {
    if (*unit != '=') {
      path[used++] = *unit == ' ' ? '-' : *unit;
    }
  }
  snprintf(path + used, SYNTH_PATH_BYTES - used, "-c%zu-%s", clock_fo4, key);
}

static bool has_netlist(const char *folder) {
  char netlist[SYNTH_PATH_BYTES + 32];
  snprintf(netlist, sizeof netlist, "%s/netlist.json", folder);
  return access(netlist, R_OK) == 0;
}

static bool make_netlist(const char *liberty, size_t clock_fo4, const char *unit, char folder[SYNTH_PATH_BYTES],
                         base_error_t *error) {
  char clock[24], words[SYNTH_PARAMS_BYTES];
  const char *argument[ARGUMENTS_MAX] = {clock, liberty};
  snprintf(clock, sizeof clock, "%zu", clock_fo4);
  cut(unit, words, argument + 2, ARGUMENTS_MAX - 2);
  return synth_script("power_netlist", argument, false, folder, SYNTH_PATH_BYTES, error);
}

bool synth_netlist(const char *liberty, size_t clock_fo4, const char *key, const char *unit,
                   char folder[SYNTH_PATH_BYTES], base_error_t *error) {
  char path[SYNTH_PATH_BYTES];
  if (key == NULL) {
    return make_netlist(liberty, clock_fo4, unit, folder, error);
  }
  place_path(clock_fo4, key, unit, path);
  if (recall(path, folder, SYNTH_PATH_BYTES) && has_netlist(folder)) {
    return true;
  }
  if (!make_netlist(liberty, clock_fo4, unit, folder, error)) {
    return false;
  }
  keep(path, folder);
  return true;
}
