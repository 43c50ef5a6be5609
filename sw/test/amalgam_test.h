// Tests of firmware in C: arrays go to a machine, a kernel runs on it, and its result is compared with a C function's.
// cmocka's own assertions and groups work beside it.
//
//   static void golden(const void *const in[], void *out) { ... in[0], in[1] as given; fills out ... }
//
//   AMALGAM_TEST(is_right) {
//     amalgam_t *npu = amalgam_open("ascend910_core");
//     amalgam_in(npu, AMALGAM_F32, x, AMALGAM_SHAPE(300, 100));
//     amalgam_param(npu, 1e-6);
//     amalgam_launch(npu, "softmax.elf", AMALGAM_F32, AMALGAM_SHAPE(300, 100));
//     amalgam_expect(npu, golden, 1e-6);      // 0: every bit
//     amalgam_close(npu);
//   }
//
//   AMALGAM_MAIN(is_right)                    // of more tests: cmocka_run_group_tests
//
// Each launch is an `amalgam run custom` of its own, with a new machine. Every error fails the test: a kernel that is
// stopped fails it with the run's message, a wrong result with its first wrong element.
//
// In the environment: AMALGAM is the command to run; AMALGAM_TEST_KEEP a folder in which arrays (in0.npy ..., out.npy,
// want.npy) and the run's JSON (run.json) are kept, those of a program's second machine in the folder 2 in it, and so
// on. A comparison that fails says how `amalgam blame` finds the wrong line from these.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_TEST_AMALGAM_TEST_H
#define AMALGAM_SW_TEST_AMALGAM_TEST_H

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#ifndef AMALGAM_COMMAND
#define AMALGAM_COMMAND "amalgam"
#endif
#ifndef AMALGAM_FIRMWARE
#define AMALGAM_FIRMWARE "."  // the folder of kernels named without one
#endif

// The type of elements. BF16 arrays hold their bits.
typedef enum amalgam_type { AMALGAM_F32, AMALGAM_F16, AMALGAM_BF16, AMALGAM_S32, AMALGAM_U8 } amalgam_type_t;

enum { AMALGAM_ARRAYS = 8, AMALGAM_DIMS = 4, AMALGAM_WORDS = 64, AMALGAM_PATH = 512 };

typedef struct amalgam_shape {
  size_t dims, of[AMALGAM_DIMS];
} amalgam_shape_t;
// AMALGAM_SHAPE(300, 100): one to four sizes.
#define AMALGAM_SHAPE(...) ((amalgam_shape_t){sizeof((const size_t[]){__VA_ARGS__}) / sizeof(size_t), {__VA_ARGS__}})

typedef struct amalgam {
  char folder[AMALGAM_PATH];
  bool keep;
  const char *word[AMALGAM_WORDS];  // of the command line
  size_t words;
  char text[2 * AMALGAM_ARRAYS][AMALGAM_PATH];  // those that are made here
  const void *in[AMALGAM_ARRAYS];
  size_t ins, params;
  const char *firmware;
  amalgam_type_t type;
  amalgam_shape_t shape;
  void *out;
  const char *file;  // of the test: the line that failures name
  int line;
} amalgam_t;

// A file in the machine's folder; a name that is too long is cut, and cannot be opened.
static inline const char *amalgam_file(const amalgam_t *npu, const char *name, char path[AMALGAM_PATH]) {
  const int length = snprintf(path, AMALGAM_PATH, "%.*s/%s", AMALGAM_PATH - 32, npu->folder, name);
  return length < AMALGAM_PATH ? path : "";
}

// Removes its files, unless they are kept.
static inline void amalgam_clear(const amalgam_t *npu) {
  static const char *const names[] = {"in0.npy", "in1.npy", "in2.npy", "in3.npy",  "in4.npy",  "in5.npy",
                                      "in6.npy", "in7.npy", "out.npy", "want.npy", "run.json", "messages"};
  for (size_t i = 0; !npu->keep && i < sizeof names / sizeof *names; ++i) {
    char path[AMALGAM_PATH];
    unlink(amalgam_file(npu, names[i], path));
  }
  if (!npu->keep) {
    rmdir(npu->folder);
  }
}

// Fails the test at the line of its last launch or comparison.
#define amalgam_fail(npu, ...)          \
  do {                                  \
    print_error("ERROR: " __VA_ARGS__); \
    print_error("\n");                  \
    amalgam_clear(npu);                 \
    _fail((npu)->file, (npu)->line);    \
  } while (0)

static inline void amalgam_at(amalgam_t *npu, const char *file, int line) {
  npu->file = file;
  npu->line = line;
}

// Goes to `amalgam run custom` as it is: amalgam_option(npu, "--set"); amalgam_option(npu, "gm.l2_latency_us=0.25").
static inline void amalgam_option(amalgam_t *npu, const char *word) {
  if (npu->words + 1 >= AMALGAM_WORDS) {
    amalgam_fail(npu, "more than %d words on the command line", AMALGAM_WORDS - 1);
  }
  npu->word[npu->words++] = word;
}

// A machine, by its name (`amalgam list`) or file; NULL: the usual one.  amalgam_close frees it.
#define amalgam_open(machine) amalgam_open_at(machine, __FILE__, __LINE__)
static inline amalgam_t *amalgam_open_at(const char *machine, const char *file, int line) {
  amalgam_t *npu = (amalgam_t *)calloc(1, sizeof *npu);
  const char *keep = getenv("AMALGAM_TEST_KEEP");
  static unsigned machines = 0;
  ++machines;
  assert_non_null(npu);
  amalgam_at(npu, file, line);
  npu->keep = keep != NULL && keep[0] != '\0';
  if (npu->keep) {
    char own[16] = "";
    if (machines > 1) {
      snprintf(own, sizeof own, "/%u", machines);
    }
    snprintf(npu->folder, sizeof npu->folder, "%s%s", keep, own);
    if (mkdir(npu->folder, 0777) != 0 && errno != EEXIST) {
      amalgam_fail(npu, "AMALGAM_TEST_KEEP=%s: %s", keep, strerror(errno));
    }
  } else {
    const char *temporary = getenv("TMPDIR");
    snprintf(npu->folder, sizeof npu->folder, "%s/amalgam_test.XXXXXX", temporary == NULL ? "/tmp" : temporary);
    if (mkdtemp(npu->folder) == NULL) {
      amalgam_fail(npu, "%s: %s", npu->folder, strerror(errno));
    }
  }
  const char *command = getenv("AMALGAM");
  amalgam_option(npu, command != NULL && command[0] != '\0' ? command : AMALGAM_COMMAND);
  amalgam_option(npu, "run");
  amalgam_option(npu, "custom");
  amalgam_option(npu, "--allow-overflow");  // the test judges
  if (machine != NULL) {
    amalgam_option(npu, "--config");
    amalgam_option(npu, machine);
  }
  return npu;
}

// --- arrays -------------------------------------------------------------------------------------

static inline size_t amalgam_bytes(amalgam_type_t type) {
  static const size_t bytes[] = {4, 2, 2, 4, 1};
  return bytes[type];
}

static inline size_t amalgam_count(const amalgam_shape_t *shape) {
  size_t count = 1;
  for (size_t i = 0; i < shape->dims; ++i) {
    count *= shape->of[i];
  }
  return count;
}

// An array's shape as NumPy writes it, "300, 100, ", or as the command line takes it, "300,100".
static inline void amalgam_shape_text(const amalgam_shape_t *shape, bool numpy, char text[AMALGAM_PATH]) {
  int used = 0;
  text[0] = '\0';
  for (size_t i = 0; i < shape->dims; ++i) {
    used += snprintf(text + used, (size_t)(AMALGAM_PATH - used),
                     numpy    ? "%zu, "
                     : i == 0 ? "%zu"
                              : ",%zu",
                     shape->of[i]);
  }
}

// NumPy's format 1.0; the header ends at a multiple of 64 bytes.
static inline void amalgam_save(const amalgam_t *npu, const char *path, amalgam_type_t type,
                                const amalgam_shape_t *shape, const void *data) {
  static const char *const types[] = {"<f4", "<f2", "<u2", "<i4", "|u1"};
  enum { HEADER = 246 };  // bytes after the first ten, one of them the line's end
  char sizes[AMALGAM_PATH];
  char header[AMALGAM_PATH + 64];
  amalgam_shape_text(shape, true, sizes);
  snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", types[type], sizes);
  FILE *file = fopen(path, "wb");
  bool good = file != NULL && fwrite("\x93NUMPY\x01\0\xf6\0", 1, 10, file) == 10;
  good = good && fprintf(file, "%-*s\n", HEADER - 1, header) == HEADER;
  good = good && fwrite(data, amalgam_bytes(type), amalgam_count(shape), file) == amalgam_count(shape);
  good = (file == NULL || fclose(file) == 0) && good;
  if (!good) {
    amalgam_fail(npu, "%s: cannot write it", path);
  }
}

// The next --in.  The array stays the caller's, and must be there until amalgam_expect.
static inline void amalgam_in(amalgam_t *npu, amalgam_type_t type, const void *data, amalgam_shape_t shape) {
  char name[16];
  if (npu->ins == AMALGAM_ARRAYS) {
    amalgam_fail(npu, "more than %d arrays", AMALGAM_ARRAYS);
  }
  snprintf(name, sizeof name, "in%u.npy", (unsigned)npu->ins);
  char *path = npu->text[npu->ins];
  amalgam_save(npu, amalgam_file(npu, name, path), type, &shape, data);
  amalgam_option(npu, "--in");
  amalgam_option(npu, path);
  npu->in[npu->ins++] = data;
}

// The next --param.
static inline void amalgam_param(amalgam_t *npu, double value) {
  if (npu->params == AMALGAM_ARRAYS) {
    amalgam_fail(npu, "more than %d numbers", AMALGAM_ARRAYS);
  }
  char *text = npu->text[AMALGAM_ARRAYS + npu->params++];
  snprintf(text, AMALGAM_PATH, "%.17g", value);
  amalgam_option(npu, "--param");
  amalgam_option(npu, text);
}

// --- a launch -----------------------------------------------------------------------------------

// All of a file and a zero byte; the caller frees it.  NULL: there is no such file.
static inline char *amalgam_read(const char *path, size_t *bytes) {
  struct stat about;
  FILE *file = fopen(path, "rb");
  if (file == NULL || fstat(fileno(file), &about) != 0) {
    return NULL;
  }
  char *data = (char *)calloc(1, (size_t)about.st_size + 1);
  assert_non_null(data);
  *bytes = fread(data, 1, (size_t)about.st_size, file);
  fclose(file);
  return data;
}

// Runs the command, its stderr in a file.  Returns its exit code.
static inline int amalgam_start(const amalgam_t *npu, const char *messages) {
  extern char **environ;
  posix_spawn_file_actions_t actions;
  pid_t child;
  int status = 0;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, messages, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  char *words[AMALGAM_WORDS];
  memcpy(words, npu->word, sizeof words);
  const int failed = posix_spawnp(&child, words[0], &actions, NULL, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    amalgam_fail(npu, "%s: %s", words[0], strerror(failed));
  }
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Takes the result out of its file.
static inline void amalgam_take(amalgam_t *npu, const char *path) {
  size_t bytes = 0;
  uint16_t header = 0;
  const size_t want = amalgam_count(&npu->shape) * amalgam_bytes(npu->type);
  char *data = amalgam_read(path, &bytes);
  if (data != NULL && bytes >= 10) {
    memcpy(&header, data + 8, sizeof header);
  }
  if (data == NULL || bytes != 10u + header + want) {
    amalgam_fail(npu, "%s: not the array that was to be written", path);
    return;
  }
  memmove(data, data + 10 + header, want);
  npu->out = data;
}

// Runs a kernel: a file, or the name of one in the folder where the project's are built.  Returns its result, an array
// of this type and shape, which amalgam_close frees.  Once a machine.
#define amalgam_launch(npu, ...) (amalgam_at(npu, __FILE__, __LINE__), amalgam_launch_it(npu, __VA_ARGS__))
static inline const void *amalgam_launch_it(amalgam_t *npu, const char *firmware, amalgam_type_t type,
                                            amalgam_shape_t shape) {
  static const char *const types[] = {"f4", "f2", "u2", "i4", "u1"};
  char kernel[AMALGAM_PATH], out[AMALGAM_PATH], json[AMALGAM_PATH], messages[AMALGAM_PATH], sizes[AMALGAM_PATH];
  assert_null(npu->out);
  npu->firmware = firmware;
  npu->type = type;
  npu->shape = shape;
  amalgam_shape_text(&shape, false, sizes);
  snprintf(kernel, sizeof kernel, strchr(firmware, '/') == NULL ? AMALGAM_FIRMWARE "/%s" : "%s", firmware);
  const char *const words[] = {"--firmware",
                               kernel,
                               "--out-shape",
                               sizes,
                               "--out-type",
                               types[type],
                               "--quiet",
                               "--out",
                               amalgam_file(npu, "out.npy", out),
                               "--json",
                               amalgam_file(npu, "run.json", json)};
  const size_t before = npu->words;
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
    amalgam_option(npu, words[i]);
  }
  const int status = amalgam_start(npu, amalgam_file(npu, "messages", messages));
  npu->words = before;
  memset(npu->word + before, 0, sizeof npu->word - before * sizeof *npu->word);
  if (status != 0) {
    size_t bytes = 0;
    char *said = amalgam_read(messages, &bytes);
    amalgam_fail(npu, "%s: exit code %d\n%s", firmware, status, said == NULL ? "" : said);
  }
  amalgam_take(npu, out);
  return npu->out;
}

// Cycles that the launch took on the machine.
static inline uint64_t amalgam_cycles(const amalgam_t *npu) {
  char path[AMALGAM_PATH];
  size_t bytes = 0;
  unsigned long long cycles = 0;
  char *json = amalgam_read(amalgam_file(npu, "run.json", path), &bytes);
  const char *found = json == NULL ? NULL : strstr(json, "\"cycles\":");
  if (found == NULL || sscanf(found + 9, "%llu", &cycles) != 1) {
    amalgam_fail(npu, "%s: no cycles", path);
  }
  free(json);
  return cycles;
}

// --- what was expected ----------------------------------------------------------------------------

// Distance of an element from the wanted one: 0 if they are equal, or two NaNs of F32.
static inline double amalgam_off(const amalgam_t *npu, const void *have, const void *want, size_t i) {
  const size_t bytes = amalgam_bytes(npu->type);
  if (memcmp((const char *)have + i * bytes, (const char *)want + i * bytes, bytes) == 0) {
    return 0;
  }
  if (npu->type != AMALGAM_F32) {
    return (double)INFINITY;
  }
  const double a = (double)((const float *)have)[i], b = (double)((const float *)want)[i];
  return isnan(a) && isnan(b) ? 0 : isnan(a) || isnan(b) || isinf(a) || isinf(b) ? (double)INFINITY : fabs(a - b);
}

// "[3,17]"
static inline void amalgam_index_text(const amalgam_shape_t *shape, size_t index, char text[AMALGAM_PATH]) {
  amalgam_shape_t at = {shape->dims, {0}};
  for (size_t i = shape->dims; i-- > 0; index /= shape->of[i]) {
    at.of[i] = index % shape->of[i];
  }
  char numbers[AMALGAM_PATH];
  amalgam_shape_text(&at, false, numbers);
  snprintf(text, AMALGAM_PATH, "[%.100s]", numbers);
}

// An F32's value, of other types the bits.
static inline void amalgam_element_text(const amalgam_t *npu, const void *data, size_t i, char text[AMALGAM_PATH]) {
  uint32_t bits = 0;
  memcpy(&bits, (const char *)data + i * amalgam_bytes(npu->type), amalgam_bytes(npu->type));
  if (npu->type == AMALGAM_F32) {
    snprintf(text, AMALGAM_PATH, "%.9g", (double)((const float *)data)[i]);
  } else {
    snprintf(text, AMALGAM_PATH, npu->type == AMALGAM_S32 ? "%d" : "0x%x", bits);
  }
}

// Advice on finding the wrong line of the kernel.
enum { AMALGAM_ADVICE = 3 * AMALGAM_PATH };
static inline void amalgam_advice(const amalgam_t *npu, double tolerance, char text[AMALGAM_ADVICE]) {
  const size_t length = strlen(npu->firmware);
  const char *native = length > 3 && strcmp(npu->firmware + length - 3, ".so") == 0 ? " --allow-native" : "";
  const char *folder = npu->keep ? npu->folder : "DIR";
  snprintf(text, AMALGAM_ADVICE,
           "which line is wrong: %samalgam blame %s/run.json --expect %s/want.npy --tolerance %g%s",
           npu->keep ? "" : "AMALGAM_TEST_KEEP=DIR in the environment, then ", folder, folder, tolerance, native);
}

// Fails unless each element of the result is within the tolerance of golden's result from the same inputs. Tolerance 0
// asks for the same bits. For types other than F32 all bits count.
#define amalgam_expect(npu, ...) (amalgam_at(npu, __FILE__, __LINE__), amalgam_expect_it(npu, __VA_ARGS__))
static inline void amalgam_expect_it(amalgam_t *npu, void (*golden)(const void *const in[], void *out),
                                     double tolerance) {
  const size_t count = amalgam_count(&npu->shape);
  char path[AMALGAM_PATH], at[AMALGAM_PATH], have[AMALGAM_PATH], want[AMALGAM_PATH], advice[AMALGAM_ADVICE];
  void *wanted = calloc(count, amalgam_bytes(npu->type));
  assert_non_null(npu->out);
  assert_non_null(wanted);
  golden(npu->in, wanted);
  amalgam_save(npu, amalgam_file(npu, "want.npy", path), npu->type, &npu->shape, wanted);
  size_t off = 0, first = 0;
  double largest = 0;
  for (size_t i = 0; i < count; ++i) {
    const size_t bytes = amalgam_bytes(npu->type);
    const double by = amalgam_off(npu, npu->out, wanted, i);
    const bool differs = tolerance > 0
                             ? by > tolerance
                             : memcmp((const char *)npu->out + i * bytes, (const char *)wanted + i * bytes, bytes) != 0;
    first = differs && off == 0 ? i : first;
    off += differs;
    largest = by > largest ? by : largest;
  }
  if (off != 0) {
    amalgam_index_text(&npu->shape, first, at);
    amalgam_element_text(npu, npu->out, first, have);
    amalgam_element_text(npu, wanted, first, want);
    amalgam_advice(npu, tolerance, advice);
    amalgam_fail(npu, "%s: element %s is %s, expected %s; %zu of %zu are off by more than %g, at most by %g\n%s",
                 npu->firmware, at, have, want, off, count, tolerance, largest, advice);
  }
  free(wanted);
}

// Frees the machine and its files.
static inline void amalgam_close(amalgam_t *npu) {
  amalgam_clear(npu);
  free(npu->out);
  free(npu);
}

// A test of cmocka's; and the main function of a program with one of them.
#define AMALGAM_TEST(name) static void name(void **state __attribute__((unused)))
#define AMALGAM_MAIN(name)                                      \
  int main(void) {                                              \
    const struct CMUnitTest tests[] = {cmocka_unit_test(name)}; \
    return cmocka_run_group_tests(tests, NULL, NULL);           \
  }

#endif
