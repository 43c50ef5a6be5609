// Jobs on a Slurm cluster, with stand-ins for Slurm's commands: what these are asked, and what is made of their
// answers.
// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/files.h"
#include "host/interrupt.h"
#include "sweep/slurm/slurm.h"

enum { TEXT_BYTES = 8192 };

static char *folder;  // in which the stand-ins are, alone in PATH but for what they need

// --- stand-ins --------------------------------------------------------------------------------

static void path_of(const char *name, char path[512]) { snprintf(path, 512, "%s/%s", folder, name); }

static void write_file(const char *name, const char *text) {
  char path[512];
  path_of(name, path);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
  assert_int_equal(chmod(path, 0755), 0);
}

static const char *read_file(const char *name) {
  static char text[TEXT_BYTES];
  char path[512];
  path_of(name, path);
  FILE *file = fopen(path, "r");
  text[0] = '\0';
  if (file != NULL) {
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
  }
  return text;
}

// COMMAND notes its words in COMMAND.words and its input in COMMAND.input, then does what `does` says.
static void stand_in(const char *command, const char *does) {
  char text[2048], words[64];
  snprintf(words, sizeof words, "%s.words", command);
  snprintf(text, sizeof text, "#!/bin/sh\ncd '%s'\nprintf '%%s\\n' \"$@\" >>%s\ncat >%s.input\n%s\n", folder, words,
           command, does);
  write_file(command, text);
  write_file(words, "");
}

static bool was_asked(const char *command, const char *word) {
  char words[64], line[512];
  snprintf(words, sizeof words, "%s.words", command);
  snprintf(line, sizeof line, "\n%s\n", word);
  char text[TEXT_BYTES + 1];
  snprintf(text, sizeof text, "\n%s", read_file(words));
  return strstr(text, line) != NULL;
}

static bool was_called(const char *command) {
  char words[64];
  snprintf(words, sizeof words, "%s.words", command);
  return read_file(words)[0] != '\0';
}

static int make_folder(void **state) {
  (void)state;
  char path[1024];
  folder = host_new_folder();
  if (folder == NULL) {
    return 1;
  }
  snprintf(path, sizeof path, "%s:/usr/bin:/bin", folder);
  return setenv("PATH", path, 1);
}

static int remove_folder(void **state) {
  (void)state;
  host_remove_folder(folder);
  free(folder);
  return 0;
}

static const char *const echo[] = {"/bin/echo", "a", NULL};

static slurm_job_t a_job(void) {
  return (slurm_job_t){.name = "amalgam-test-1", .word = echo, .folder = "/tmp", .log = "/dev/null", .tasks = 1};
}

// --- the cluster ------------------------------------------------------------------------------

static void test_open(void **state) {
  (void)state;
  base_error_t error;
  uint32_t most = 0;
  stand_in("scontrol",
           "echo 'Configuration data as of now'; echo 'MaxArraySize            = 1001'; echo 'MaxCPUs = 3'");
  assert_int_equal(slurm_open(&most, &error), SLURM_DONE);
  assert_int_equal(most, 1001);
  assert_string_equal(read_file("scontrol.words"), "show\nconfig\n");
  stand_in("scontrol", "echo 'MaxArraySize = 0'");  // there are no arrays
  assert_int_equal(slurm_open(&most, &error), SLURM_DONE);
  assert_int_equal(most, 1);
  stand_in("scontrol", "echo 'MaxJobCount = 7'");
  assert_int_equal(slurm_open(&most, &error), SLURM_REFUSED);
  assert_non_null(strstr(error.text, "expected a line 'MaxArraySize = NUMBER'"));
  stand_in("scontrol",
           "echo 'slurm_load_ctl_conf error: Unable to contact slurm controller (connect failure)' >&2; exit 1");
  assert_int_equal(slurm_open(&most, &error), SLURM_UNANSWERED);
  assert_string_equal(error.text,
                      "scontrol: slurm_load_ctl_conf error: Unable to contact slurm controller (connect failure)");
}

static void test_environment(void **state) {
  (void)state;
  static const char *const misleading[] = {"SBATCH_ARRAY_INX", "SBATCH_WAIT",       "SBATCH_CLUSTERS",
                                           "SLURM_CLUSTERS",   "SQUEUE_STATES",     "SQUEUE_FORMAT",
                                           "SCANCEL_STATE",    "SLURM_MEM_PER_NODE"};
  base_error_t error;
  uint32_t most;
  for (size_t i = 0; i < sizeof misleading / sizeof *misleading; ++i) {
    setenv(misleading[i], "7", 1);
  }
  setenv("SBATCH_PARTITION", "fast", 1);
  stand_in("scontrol", "echo 'MaxArraySize = 5'; env >environment");
  assert_int_equal(slurm_open(&most, &error), SLURM_DONE);
  const char *environment = read_file("environment");
  for (size_t i = 0; i < sizeof misleading / sizeof *misleading; ++i) {
    assert_null(strstr(environment, misleading[i]));
  }
  assert_non_null(strstr(environment, "SBATCH_PARTITION=fast"));  // a user's wish
  unsetenv("SBATCH_PARTITION");
}

static void test_no_slurm(void **state) {
  (void)state;
  base_error_t error;
  uint32_t most;
  char path[1024];
  snprintf(path, sizeof path, "%s", getenv("PATH"));
  setenv("PATH", "/nowhere", 1);
  assert_int_equal(slurm_open(&most, &error), SLURM_REFUSED);
  setenv("PATH", path, 1);
  assert_string_equal(error.text, "--on slurm: cannot start scontrol; expected the commands of Slurm in PATH");
}

// --- submitting -------------------------------------------------------------------------------

static void test_words(void **state) {
  (void)state;
  static const char *const options[] = {"--qos=high", "--exclude", "n1", NULL};
  base_error_t error;
  slurm_job_t job = a_job();
  job.option = options;
  job.partition = "long one";
  job.time = "30";
  job.memory_mb = 1500;
  job.tasks = 12;
  job.log = "/l/%A_%a";
  stand_in("sbatch", "echo 'sbatch: a warning' >&2; echo '17;here'");
  assert_int_equal(slurm_submit(&job, &error), SLURM_DONE);
  assert_string_equal(
      read_file("sbatch.words"),
      "--qos=high\n--exclude\nn1\n--parsable\n--job-name=amalgam-test-1\n--chdir=/tmp\n--output=/l/%A_%a\n"
      "--signal=B:USR1@60\n--partition=long one\n--time=30\n--mem=1500M\n--array=0-11\n");
  // Choices that the user leaves to the cluster are left to it; one task is no array.
  job = a_job();
  stand_in("sbatch", "echo 18");
  assert_int_equal(slurm_submit(&job, &error), SLURM_DONE);
  assert_null(strstr(read_file("sbatch.words"), "--array"));
  assert_null(strstr(read_file("sbatch.words"), "--time"));
  assert_null(strstr(read_file("sbatch.words"), "--mem"));
  assert_null(strstr(read_file("sbatch.words"), "--partition"));
}

// The script that a task runs gives the program the very words, whatever is in them.
static void test_script(void **state) {
  (void)state;
  static const char *const word[] = {"/usr/bin/printf",     "%s|", "it's",       "",  "a b",
                                     "$HOME `id` \\ \"x\"", "'",   "two\nlines", "*", NULL};
  base_error_t error;
  char command[1100];
  slurm_job_t job = a_job();
  job.word = word;
  stand_in("sbatch", "echo 19");
  assert_int_equal(slurm_submit(&job, &error), SLURM_DONE);
  snprintf(command, sizeof command, "cd '%s' && sh sbatch.input >said", folder);
  assert_int_equal(system(command), 0);  // NOLINT(cert-env33-c): as Slurm does
  assert_string_equal(read_file("said"), "it's||a b|$HOME `id` \\ \"x\"|'|two\nlines|*|");
  assert_memory_equal(read_file("sbatch.input"), "#!/bin/sh\n", 10);
}

// The task is told what it has been given.
static void run_script(const char *environment, const char *want) {
  char command[1100];
  snprintf(command, sizeof command, "cd '%s' && env %s sh sbatch.input >said", folder, environment);
  assert_int_equal(system(command), 0);  // NOLINT(cert-env33-c): as Slurm does
  assert_string_equal(read_file("said"), want);
}

static void test_script_options(void **state) {
  (void)state;
  base_error_t error;
  slurm_job_t job = a_job();
  job.processors_option = "--jobs";
  job.memory_option = "--memory";
  stand_in("sbatch", "echo 19");
  assert_int_equal(slurm_submit(&job, &error), SLURM_DONE);
  run_script("SLURM_MEM_PER_NODE=1000 SLURM_CPUS_ON_NODE=3", "a --jobs 3 --memory 900\n");
  run_script("SLURM_MEM_PER_CPU=500 SLURM_CPUS_ON_NODE=4", "a --jobs 4 --memory 1800\n");
  run_script("SLURM_CPUS_ON_NODE=2", "a --jobs 2\n");  // memory is nobody's affair there
  run_script("A=", "a --jobs 1\n");
  // A folder for temporary files of the submitting host is used only if it is there.
  static const char *const word[] = {"/bin/sh", "-c", "echo ${TMPDIR:-none}", NULL};
  job = a_job();
  job.word = word;
  assert_int_equal(slurm_submit(&job, &error), SLURM_DONE);
  run_script("TMPDIR=/nowhere", "none\n");
  run_script("TMPDIR=/var/tmp", "/var/tmp\n");
}

static void answers(const char *said, slurm_answer_t want) {
  char does[512];
  base_error_t error;
  const slurm_job_t job = a_job();
  snprintf(does, sizeof does, "echo 'sbatch: error: %s' >&2; exit 1", said);
  stand_in("sbatch", does);
  assert_int_equal(slurm_submit(&job, &error), want);
  assert_non_null(strstr(error.text, said));
}

static void test_answers(void **state) {
  (void)state;
  answers("Batch job submission failed: Invalid partition name specified", SLURM_REFUSED);
  answers("Batch job submission failed: Requested time limit is invalid (missing or exceeds some limit)",
          SLURM_REFUSED);
  answers("Batch job submission failed: Invalid job array specification", SLURM_REFUSED);
  answers("Memory specification can not be satisfied", SLURM_REFUSED);
  answers(
      "Batch job submission failed: Job violates accounting/QOS policy (job submit limit, user size and/or time "
      "limits)",
      SLURM_FULL);
  answers("QOSMaxSubmitJobPerUserLimit", SLURM_FULL);
  answers("AssocMaxSubmitJobLimit", SLURM_FULL);
  answers("Slurm temporarily unable to accept job, sleeping and retrying", SLURM_FULL);
  answers("Batch job submission failed: Unable to contact slurm controller (connect failure)", SLURM_UNANSWERED);
  answers("Batch job submission failed: Socket timed out on send/recv operation", SLURM_UNANSWERED);
  answers("Batch job submission failed: Zero Bytes were transmitted or received", SLURM_UNANSWERED);
  answers("slurm_receive_msg: Connection refused", SLURM_UNANSWERED);
  stand_in("sbatch", "exit 1");
  base_error_t error;
  const slurm_job_t job = a_job();
  assert_int_equal(slurm_submit(&job, &error), SLURM_REFUSED);
  assert_string_equal(error.text, "sbatch: it failed without a word");
  stand_in("sbatch", "echo 'see you'");  // one of a site's own might end well without a number
  assert_int_equal(slurm_submit(&job, &error), SLURM_UNANSWERED);
  assert_non_null(strstr(error.text, "expected the job's number, got 'see you"));
}

// --- what is there ----------------------------------------------------------------------------

static void test_look(void **state) {
  (void)state;
  base_error_t error;
  slurm_arrays_t arrays = {.count = 0};
  stand_in(
      "squeue",
      "echo 'amalgam-a-1|PENDING|Resources'; echo 'amalgam-a-1|PENDING|Priority'; echo 'amalgam-a-1|RUNNING|None'\n"
      "echo 'other|RUNNING|None'\n"
      "echo 'amalgam-a-3|COMPLETING|None'; echo 'amalgam-a-3|SUSPENDED|None'; echo 'amalgam-b-1|RUNNING|None'\n"
      "echo; echo broken; echo 'amalgam-a-1|PENDING|'\n"
      "echo 'amalgam-a-3|PENDING|launch failed requeued held'; echo 'amalgam-a-3|REQUEUE_HOLD|job requeued in held "
      "state'\n"
      "echo 'amalgam-a-3|PENDING|JobHeldUser'");
  assert_int_equal(slurm_look("amalgam-a-", &arrays, &error), SLURM_DONE);
  assert_int_equal(arrays.count, 2);
  assert_string_equal(arrays.array[0].name, "amalgam-a-1");
  assert_int_equal(arrays.array[0].waiting, 3);
  assert_int_equal(arrays.array[0].running, 1);
  assert_string_equal(arrays.array[0].reason, "Resources");
  assert_string_equal(arrays.array[1].name, "amalgam-a-3");
  assert_int_equal(arrays.array[1].running, 2);
  assert_int_equal(arrays.array[1].waiting, 1);
  assert_true(was_asked("squeue", "--array"));
  // When the cluster does not answer, what was known stays.
  stand_in("squeue", "echo 'amalgam-a-9|RUNNING|None'; echo 'squeue: error: timed out' >&2; exit 1");
  assert_int_equal(slurm_look("amalgam-a-", &arrays, &error), SLURM_UNANSWERED);
  assert_int_equal(arrays.count, 2);
  stand_in("squeue", "true");
  assert_int_equal(slurm_look("amalgam-a-", &arrays, &error), SLURM_DONE);
  assert_int_equal(arrays.count, 0);
  slurm_forget(&arrays);
}

// --- what a user asks for ---------------------------------------------------------------------

static void test_options(void **state) {
  (void)state;
  base_error_t error;
  wordexp_t words;
  static const char *const want[] = {"--qos", "high", "--exclude=a b", "-n2", "--comment=it's", "--wait-all-nodes=1",
                                     "-p",    "x"};
  assert_true(
      slurm_options("--qos high --exclude='a b' -n2 \"--comment=it's\" --wait-all-nodes=1 -p x", &words, &error));
  assert_int_equal(words.we_wordc, sizeof want / sizeof *want);
  for (size_t i = 0; i < sizeof want / sizeof *want; ++i) {
    assert_string_equal(words.we_wordv[i], want[i]);
  }
  wordfree(&words);
  assert_true(slurm_options("", &words, &error));
  assert_null(words.we_wordv[0]);
  wordfree(&words);
}

static void test_refused_options(void **state) {
  (void)state;
  static const char *const refused[] = {"--wait",
                                        "-W",
                                        "--array=0-3",
                                        "--array 0-3",
                                        "-a 0-3",
                                        "-a0-3",
                                        "--arr=1",
                                        "--clusters=x",
                                        "-Mx",
                                        "--test-only",
                                        "--test",
                                        "--wrap='rm x'",
                                        "--wr x",
                                        "--job-name=mine",
                                        "-Jmine",
                                        "--version",
                                        "script.sh",
                                        "--qos=x script.sh",
                                        "--",
                                        "-",
                                        "--qos 'x",
                                        "$(id)",
                                        "`id`",
                                        "a; b",
                                        "$AMALGAM_NOT_SET"};
  for (size_t i = 0; i < sizeof refused / sizeof *refused; ++i) {
    base_error_t error;
    wordexp_t words;
    if (slurm_options(refused[i], &words, &error)) {
      fail_msg("--sbatch %s was taken", refused[i]);
    }
    assert_memory_equal(error.text, "--sbatch: ", 10);
  }
}

static void test_time(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double seconds;
  } times[] = {{"1", 60},      {"90", 5400},     {"1:30", 90},      {"0:20", 20},  {"2:00:01", 7201},
               {"1-0", 86400}, {"2-12", 216000}, {"1-1:30", 91800}, {"0-0:0:5", 5}};
  static const char *const none[] = {"",   "0", "x",     "1h",  "-1", "1:", ":1",          "1::2",      "1:2:3:4",
                                     "1-", "-", "1-2-3", "1.5", " 1", "1 ", "00000000001", "UNLIMITED", "0:0"};
  double seconds;
  for (size_t i = 0; i < sizeof times / sizeof *times; ++i) {
    assert_true(slurm_seconds(times[i].text, &seconds));
    assert_true(seconds == times[i].seconds);
  }
  for (size_t i = 0; i < sizeof none / sizeof *none; ++i) {
    if (slurm_seconds(none[i], &seconds)) {
      fail_msg("'%s' was taken as a time", none[i]);
    }
  }
  assert_int_equal(slurm_warning_seconds(NULL), 60);
  assert_int_equal(slurm_warning_seconds("1-0"), 60);
  assert_int_equal(slurm_warning_seconds("2"), 20);
  assert_int_equal(slurm_warning_seconds("0:30"), 10);
}

// --- ending: the last test, since a noted interrupt stays ---------------------------------------

static void test_cancel(void **state) {
  (void)state;
  base_error_t error;
  stand_in("scancel", "true");
  assert_true(slurm_cancel("amalgam-a-1", &error));
  assert_true(was_asked("scancel", "--name=amalgam-a-1"));
  stand_in("scancel", "exit 1");
  assert_false(slurm_cancel("amalgam-a-1", &error));
  // After Ctrl-C nothing else is started, but this is.
  host_hold_interrupts();
  raise(SIGTERM);
  stand_in("scancel", "true");
  stand_in("sbatch", "echo 21");
  const slurm_job_t job = a_job();
  assert_int_equal(slurm_submit(&job, &error), SLURM_INTERRUPTED);
  assert_false(was_called("sbatch"));
  assert_true(slurm_cancel("amalgam-a-2", &error));
  assert_true(was_asked("scancel", "--name=amalgam-a-2"));
  host_release_interrupts();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_open),     cmocka_unit_test(test_environment),
      cmocka_unit_test(test_no_slurm), cmocka_unit_test(test_words),
      cmocka_unit_test(test_script),   cmocka_unit_test(test_script_options),
      cmocka_unit_test(test_answers),  cmocka_unit_test(test_look),
      cmocka_unit_test(test_options),  cmocka_unit_test(test_refused_options),
      cmocka_unit_test(test_time),     cmocka_unit_test(test_cancel),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
