// Holds a timeline against the rules of the Chrome trace format as Perfetto reads it.
//
//   check_timeline FILE.json
//
// Valid JSON; every event has what its phase asks for; a thread's slices come in order and none reaches
// into the next; every flow begins once and ends once, not before it begins, each within a slice of
// its thread; counters' times do not go back; processes and threads have names, once.  Prints what
// there is, as "slices N flows N counters N threads N".
// SPDX-License-Identifier: Apache-2.0
#include <cJSON.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 1024, MOST_COUNTERS = 4096 };

// Half of the file's step of time, in us.
static const double HALF_STEP = 0.00005;

typedef struct slice {
  double begin, end;
} slice_t;

typedef struct thread {
  int pid, tid;
  bool named;
  slice_t *slices;
  size_t count, room;
} thread_t;

typedef struct flow {
  double id, begin, end;
  bool begins, ends;
} flow_t;

static thread_t threads[MOST_THREADS];
static size_t thread_count;
static struct {
  char name[64];
  int pid;
  double last;
} counters[MOST_COUNTERS];
static size_t counter_count;
static flow_t *flows;
static size_t flow_count, flow_room, slice_count, counts;
static bool named_process[MOST_THREADS];

static void fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vprintf(format, arguments);
  va_end(arguments);
  putchar('\n');
  exit(1);
}

static double number(const cJSON *event, const char *name) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(event, name);
  if (!cJSON_IsNumber(item)) {
    fail("an event without a number '%s': %s", name, cJSON_PrintUnformatted(event));
  }
  return item->valuedouble;
}

static const char *text(const cJSON *event, const char *name) {
  const char *string = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(event, name));
  if (string == NULL || string[0] == '\0') {
    fail("an event without a text '%s': %s", name, cJSON_PrintUnformatted(event));
  }
  return string;
}

static thread_t *thread_of(const cJSON *event) {
  const int pid = (int)number(event, "pid");
  const int tid = (int)number(event, "tid");
  for (size_t i = 0; i < thread_count; ++i) {
    if (threads[i].pid == pid && threads[i].tid == tid) {
      return &threads[i];
    }
  }
  if (thread_count == MOST_THREADS) {
    fail("too many threads");
  }
  threads[thread_count] = (thread_t){.pid = pid, .tid = tid};
  return &threads[thread_count++];
}

static void *grown(void *array, size_t count, size_t *room, size_t size) {
  if (count < *room) {
    return array;
  }
  *room = *room == 0 ? 1024 : 2 * *room;
  array = realloc(array, *room * size);
  if (array == NULL) {
    fail("out of memory");
  }
  return array;
}

static void check_slice(const cJSON *event) {
  thread_t *thread = thread_of(event);
  const slice_t slice = {number(event, "ts"), number(event, "ts") + number(event, "dur")};
  if (number(event, "dur") < 0 || slice.begin < 0) {
    fail("a slice of negative time: %s", cJSON_PrintUnformatted(event));
  }
  if (thread->count > 0 && slice.begin < thread->slices[thread->count - 1].end - HALF_STEP) {
    fail("a slice begins before the one before it has ended: %s", cJSON_PrintUnformatted(event));
  }
  text(event, "name");
  const cJSON *args = cJSON_GetObjectItemCaseSensitive(event, "args");
  text(args, "command");
  text(args, "line");
  if (number(args, "done_us") < slice.end - HALF_STEP || number(args, "pushed_us") > slice.begin + HALF_STEP) {
    fail("a command that is done before it ends, or begins before it is pushed: %s", cJSON_PrintUnformatted(event));
  }
  thread->slices = grown(thread->slices, thread->count, &thread->room, sizeof slice);
  thread->slices[thread->count++] = slice;
  ++slice_count;
}

static flow_t *flow_of(double id) {
  // A flow's two ends stand close to each other in the file.
  for (size_t i = flow_count; i-- > 0;) {
    if (flows[i].id == id) {
      return &flows[i];
    }
    if (flow_count - i > 64) {
      break;
    }
  }
  flows = grown(flows, flow_count, &flow_room, sizeof *flows);
  flows[flow_count] = (flow_t){.id = id};
  return &flows[flow_count++];
}

// Slices are all known when this is asked.
static void check_within(const cJSON *event) {
  const thread_t *thread = thread_of(event);
  const double at = number(event, "ts");
  size_t low = 0;
  size_t high = thread->count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (thread->slices[middle].begin <= at + HALF_STEP) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  // Slices of no length may stand at the same time.
  while (low > 0 && thread->slices[low - 1].end < at - HALF_STEP && thread->slices[low - 1].begin > at - HALF_STEP) {
    --low;
  }
  // At its end a slice has nothing in it any more, unless it has no length.
  const slice_t *around = low == 0 ? NULL : &thread->slices[low - 1];
  if (around == NULL || (around->end < at + HALF_STEP && around->begin < at - HALF_STEP)) {
    fail("a flow outside of all slices: %s", cJSON_PrintUnformatted(event));
  }
}

static void check_flow(const cJSON *event, bool begin) {
  flow_t *flow = flow_of(number(event, "id"));
  if (begin ? flow->begins : flow->ends) {
    fail("a flow twice: %s", cJSON_PrintUnformatted(event));
  }
  text(event, "cat");
  text(event, "name");
  if (begin) {
    flow->begins = true;
    flow->begin = number(event, "ts");
  } else {
    flow->ends = true;
    flow->end = number(event, "ts");
    if (strcmp(text(event, "bp"), "e") != 0) {
      fail("a flow that does not end in the slice around it");
    }
  }
}

static void check_counter(const cJSON *event) {
  const char *name = text(event, "name");
  const int pid = (int)number(event, "pid");
  const double at = number(event, "ts");
  const cJSON *value;
  cJSON_ArrayForEach(value, cJSON_GetObjectItemCaseSensitive(event, "args")) {
    if (!cJSON_IsNumber(value) || value->valuedouble < 0) {
      fail("a counter below 0 or without a number: %s", cJSON_PrintUnformatted(event));
    }
  }
  ++counts;
  for (size_t i = 0; i < counter_count; ++i) {
    if (counters[i].pid == pid && strcmp(counters[i].name, name) == 0) {
      if (at < counters[i].last) {
        fail("a counter goes back in time: %s", cJSON_PrintUnformatted(event));
      }
      counters[i].last = at;
      return;
    }
  }
  if (counter_count == MOST_COUNTERS) {
    fail("too many counters");
  }
  snprintf(counters[counter_count].name, sizeof counters[0].name, "%s", name);
  counters[counter_count].pid = pid;
  counters[counter_count++].last = at;
}

static void check_name(const cJSON *event) {
  const int pid = (int)number(event, "pid");
  text(cJSON_GetObjectItemCaseSensitive(event, "args"), "name");
  if (strcmp(text(event, "name"), "process_name") == 0) {
    if (pid < 0 || pid >= MOST_THREADS || named_process[pid]) {
      fail("process %d is named twice", pid);
    }
    named_process[pid] = true;
    return;
  }
  thread_t *thread = thread_of(event);
  if (thread->named) {
    fail("thread %d is named twice", thread->tid);
  }
  thread->named = true;
}

static void check_event(const cJSON *event) {
  const char *phase = text(event, "ph");
  switch (phase[0]) {
    case 'X':
      check_slice(event);
      break;
    case 's':
    case 'f':
      check_flow(event, phase[0] == 's');
      break;
    case 'C':
      check_counter(event);
      break;
    case 'M':
      check_name(event);
      break;
    default:
      fail("an event of phase %s", phase);
  }
}

static void check_ends(const cJSON *events) {
  const cJSON *event;
  cJSON_ArrayForEach(event, events) {
    const char phase = text(event, "ph")[0];
    if (phase == 's' || phase == 'f') {
      check_within(event);
    }
  }
  for (size_t i = 0; i < flow_count; ++i) {
    if (!flows[i].begins || !flows[i].ends || flows[i].end < flows[i].begin - HALF_STEP) {
      fail("flow %.0f: begins %d at %f, ends %d at %f", flows[i].id, flows[i].begins, flows[i].begin, flows[i].ends,
           flows[i].end);
    }
  }
  for (size_t i = 0; i < thread_count; ++i) {
    if (!threads[i].named || !named_process[threads[i].pid]) {
      fail("thread %d of process %d has no name", threads[i].tid, threads[i].pid);
    }
    free(threads[i].slices);
  }
  for (size_t i = 0; i < counter_count; ++i) {
    if (!named_process[counters[i].pid]) {
      fail("process %d has no name", counters[i].pid);
    }
  }
}

static char *read_all(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
    fail("%s: cannot read", path);
  }
  const size_t bytes = (size_t)ftell(file);
  rewind(file);
  char *all = malloc(bytes + 1);
  if (all == NULL || fread(all, 1, bytes, file) != bytes) {
    fail("%s: cannot read", path);
  }
  all[bytes] = '\0';
  fclose(file);
  return all;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: check_timeline FILE.json\n");
    return 2;
  }
  char *all = read_all(argv[1]);
  const char *end;
  cJSON *root = cJSON_ParseWithOpts(all, &end, true);
  if (root == NULL) {
    fail("%s: not JSON near '%.40s'", argv[1], end);
  }
  const cJSON *events = cJSON_GetObjectItemCaseSensitive(root, "traceEvents");
  const cJSON *event;
  if (!cJSON_IsArray(events)) {
    fail("no traceEvents");
  }
  cJSON_ArrayForEach(event, events) { check_event(event); }
  check_ends(events);
  printf("slices %zu flows %zu counters %zu threads %zu\n", slice_count, flow_count, counter_count, thread_count);
  cJSON_Delete(root);
  free(flows);
  free(all);
  return 0;
}
