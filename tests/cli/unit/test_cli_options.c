// The option table's parser, numbers and suggestions.
// SPDX-License-Identifier: Apache-2.0
#include "base/parse.h"
#include "base/suggest.h"
#include "cli/option/options.h"
#include "cli_test.h"

static options_t options;
static base_error_t error;

// Parses up to five words after the command's name.
static bool parse(unsigned command, const char *a, const char *b, const char *c) {
  char *argv[] = {(char *)"amla", (char *)a, (char *)b, (char *)c, NULL};
  const int argc = a == NULL ? 1 : b == NULL ? 2 : c == NULL ? 3 : 4;
  return options_parse(&options, command, argc, argv, &error);
}

static void refuses(const char *a, const char *b, const char *message) {
  if (parse(CLI_RUN_AMLA, a, b, NULL)) {
    fail_msg("accepted: %s", a);
  }
  assert_contains(error.text, message);
}

TEST(defaults) {
  assert_true(parse(CLI_RUN_AMLA, NULL, NULL, NULL));
  assert_int_equal(options.kv_block.value, 512);
  assert_int_equal(options.preload.value, 2);
  assert_int_equal(options.gm.value, 0);
  assert_string_equal(options.config, "ascend910_core");
  assert_false(options.heads.given);
  assert_false(options.cores.given);
  assert_false(options.threads.given);
  assert_int_equal(options.l2.value, 0);
  assert_false(options.timing_only);
  assert_true(parse(CLI_REPORT, NULL, NULL, NULL));
  assert_string_equal(options.report_out, "reports");
  assert_null(options.report_config);
  assert_null(options.report_keys);
  assert_int_equal(options.report_impl.value, 0);
  assert_false(options.seeds.given);
  assert_true(parse(CLI_RUN_HFA, NULL, NULL, NULL));
  assert_int_equal(options.blocks.value, 4);
  assert_int_equal(options.queries.value, 1);
  assert_int_equal(options.lns.value, 0);
  assert_int_equal(options.impl.value, 0);
  assert_true(options.clock_mhz.value == 500);
  assert_false(options.engine_rows.given);
  assert_null(options.config);
}

TEST(values) {
  assert_true(parse(CLI_RUN_AMLA, "--heads=7", "--gm", "c"));
  assert_int_equal(options.heads.value, 7);
  assert_int_equal(options.gm.value, 1);
  assert_true(parse(CLI_RUN_AMLA, "--seed", "18446744073709551615", NULL));
  assert_true(options.seed.value == UINT64_MAX);
  assert_true(parse(CLI_REPORT, "table3", "--seeds=2", "table4"));
  assert_int_equal(options.words, 2);
  assert_true(parse(CLI_RUN_AMLA, "--set=a=1", "--set=b=2", NULL));
  assert_int_equal(options.set.count, 2);
}

TEST(engines_have_their_own) {
  assert_true(parse(CLI_RUN_HFA, "--q=a.npy", "--seq-kv=5", "--lns=corrected"));
  assert_string_equal(options.engine_q, "a.npy");
  assert_null(options.q);
  assert_int_equal(options.engine_keys.value, 5);
  assert_false(options.seq_kv.given);
  assert_int_equal(options.lns.value, 1);
  assert_true(parse(CLI_RUN_FA2, "--one-mul", "--trace=w.fst", "--verify"));
  assert_true(options.one_mul && options.engine_verify && !options.verify);
  assert_string_equal(options.trace, "w.fst");
  assert_false(parse(CLI_RUN_FA2, "--zero-exact", NULL, NULL));
  assert_false(parse(CLI_RUN_HFA, "--one-mul", NULL, NULL));
  assert_false(parse(CLI_RUN_HFA, "--preload=1", NULL, NULL));
  assert_false(parse(CLI_RUN_AMLA, "--blocks=4", NULL, NULL));
}

// Options that are not given are the config's, or cannot go with the rest, so that they must show.
TEST(the_language_model_has_its_own) {
  assert_true(parse(CLI_RUN_LM, NULL, NULL, NULL));
  assert_int_equal(options.attention.value, 2);
  assert_int_equal(options.gemm.value, 0);
  assert_int_equal(options.lm_lns.value, 0);
  assert_int_equal(options.lm_impl.value, 0);
  assert_false(options.lm_lns.given || options.lm_impl.given || options.lm_blocks.given || options.lm_queries.given ||
               options.lm_engines.given || options.lm_chunk.given || options.lm_firmware.given ||
               options.context.given || options.tokens.given);
  assert_null(options.lm_config);
  assert_true(parse(CLI_RUN_LM, "--blocks=2", "--impl=c", "--firmware=native"));
  assert_int_equal(options.lm_blocks.value, 2);
  assert_int_equal(options.lm_impl.value, 1);
  assert_int_equal(options.lm_firmware.value, 1);
  assert_false(options.blocks.given || options.impl.given);
  assert_false(parse(CLI_RUN_LM, "--seed=1", NULL, NULL));
  assert_false(parse(CLI_RUN_HFA, "--eval=x", NULL, NULL));
  assert_false(parse(CLI_RUN_AMLA, "--prompt=x", NULL, NULL));
}

TEST(sizes_of_files) {
  assert_true(parse(CLI_RUN_HFA, "--seq-q=7", NULL, NULL));
  assert_true(option_agrees("seq-q", &options.seq_q, 7, "q.npy", &error));
  assert_true(option_agrees("seq-kv", &options.engine_keys, 7, "k.npy", &error));
  assert_false(option_agrees("seq-q", &options.seq_q, 8, "q.npy", &error));
  assert_contains(error.text, "--seq-q 7: q.npy has 8");
  assert_int_equal(option_count_or(&options.seq_q, 3), 7);
  assert_int_equal(option_count_or(&options.head_dim, 3), 3);
}

TEST(refused) {
  refuses("--head", "x", "--heads: expected a whole number");
  refuses("--heads", NULL, "--heads: needs a value");
  refuses("--heads", "-1", "--heads: expected a whole number from 1");
  refuses("--heads", "18446744073709551616", "--heads: expected");
  refuses("--heads", "0x10", "--heads: expected");
  refuses("--quiet=1", NULL, "--quiet: takes no value");
  refuses("--hedas", "3", "unknown option; did you mean --heads?");
  refuses("--seq", "3", "may be --seq-q or --seq-kv");
  refuses("--seeds", "3", "--seeds: unknown option");  // report's
  refuses("--gm", "verilog", "--gm: expected rtl|c");
  refuses("-x", NULL, "-x: unknown option");
  refuses("--softmax-scale", "1e99", "--softmax-scale: expected a number");
  refuses("--bad\nline", NULL, "--bad?line");
  assert_false(parse(CLI_RUN_BASE, "--rescale", "row", NULL));
}

// The words, joined by spaces, that stay of a run.
static const char *kept(unsigned dropped, char **argv, int argc) {
  static char text[256];
  const char *words[16];
  size_t count = 0;
  base_error_t error;
  assert_true(argc <= 16 && options_keep(CLI_RUN_AMLA, dropped, argc, argv, words, &count, &error));
  text[0] = '\0';
  for (size_t i = 0; i < count; ++i) {
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s ", words[i]);
  }
  return text;
}

TEST(made_again) {
  char *argv[] = {"amla", "--json=r.json", "--seed", "3",     "--heads=8", "word", "--qui", "--seq-kv",
                  "64",   "--trace-sc",    "*",      "--out", "--gm.npy",  "--gm", "c"};
  const int argc = sizeof argv / sizeof *argv;
  assert_string_equal(kept(OPTION_OUTPUT, argv, argc), "--seed 3 --heads=8 --seq-kv 64 --gm c word ");
  assert_string_equal(kept(OPTION_OUTPUT | OPTION_VALUES, argv, argc), "--heads=8 --seq-kv 64 --gm c word ");
  assert_string_equal(kept(OPTION_OUTPUT | OPTION_WORDS, argv, argc), "--seed 3 --heads=8 --seq-kv 64 --gm c ");
  assert_string_equal(kept(0, (char *[]){"amla", "-h", "--out", "-"}, 4), "--out - ");
  char *bad[] = {"amla", "--quiet", "--hedas", "3"};
  const char *words[4];
  size_t count = 0;
  base_error_t error;
  assert_false(options_keep(CLI_RUN_AMLA, OPTION_OUTPUT, 4, bad, words, &count, &error));
  assert_contains(error.text, "--hedas: unknown option");
}

TEST(numbers) {
  uint64_t count;
  double real;
  distribution_t d;
  assert_true(parse_count("007", &count) && count == 7);
  assert_false(parse_count("", &count) || parse_count("+1", &count) || parse_count(" 1", &count) ||
               parse_count("1e3", &count));
  assert_true(parse_real("-1.5e-3", &real) && real == -1.5e-3);
  assert_false(parse_real("", &real) || parse_real("nan", &real) || parse_real("1e999", &real) ||
               parse_real("1 ", &real) || parse_real("e", &real) || parse_real("0x1p3", &real));
  assert_true(parse_distribution("normal:2", &d) && d.kind == DISTRIBUTION_NORMAL && d.width == 2);
  assert_true(parse_distribution("uniform", &d) && d.kind == DISTRIBUTION_UNIFORM && d.width == 1);
  assert_false(parse_distribution("normal:0", &d) || parse_distribution("normal:", &d) ||
               parse_distribution("norm:1", &d) || parse_distribution("uniform:-1", &d));
}

TEST(suggestions) {
  static const char *const words[] = {"amla", "base"};
  assert_string_equal(suggest("amlo", words, 2), "amla");
  assert_string_equal(suggest("bas", words, 2), "base");
  assert_null(suggest("flash", words, 2));
  assert_null(suggest("a very long word that is nothing like a kernel", words, 2));
}

// Options that ask for values, or have them, are refused by their mark; those that --timing-only goes with are not.
TEST(data_is_refused) {
  static const struct {
    unsigned command;
    const char *word[2], *refused;  // NULL: none
  } list[] = {
      {CLI_RUN_AMLA, {"--seed=1"}, "--seed: WHY"},
      {CLI_RUN_FP8, {"--seed=1", "--top-k=4"}, NULL},
      {CLI_RUN_DECODE, {"--seed=1"}, NULL},
      {CLI_RUN_AMLA, {"--golden=none"}, NULL},
      {CLI_RUN_AMLA, {"--golden=auto"}, NULL},
      {CLI_RUN_AMLA, {"--golden=full"}, "--golden: WHY"},
      {CLI_RUN_GEMM, {"--golden=sample"}, "--golden: WHY"},
      {CLI_RUN_AMLA, {"--mask=m.npy", "--causal"}, NULL},
      {CLI_RUN_AMLA, {"--skip-noop"}, "--skip-noop: WHY"},
      {CLI_RUN_FP8, {"--fp8-scale=amax"}, "--fp8-scale: WHY"},
      {CLI_RUN_FP8, {"--lse=l.npy"}, "--lse: WHY"},
      {CLI_RUN_W4A16, {"--w=w.npy"}, "--w: WHY"},
      {CLI_RUN_FLASH, {"--tolerance=1"}, "--tolerance: WHY"},
      {CLI_RUN_DECODE, {"--check=stages"}, "--check: WHY"},
      {CLI_RUN_BASE, {"--watch=gm:out"}, "--watch: WHY"},
      {CLI_RUN_BASE, {"--config=ascend910", "--json=r.json"}, NULL},
  };
  for (size_t i = 0; i < sizeof list / sizeof *list; ++i) {
    assert_true(parse(list[i].command, list[i].word[0], list[i].word[1], NULL));
    const bool good = options_refuse(&options, list[i].command, OPTION_DATA, "WHY", &error);
    assert_int_equal(good, list[i].refused == NULL);
    if (!good) {
      assert_string_equal(error.text, list[i].refused);
    }
  }
}

// Each kernel has its machine where none is named.
TEST(machines) {
  assert_true(parse(CLI_RUN_FP8, NULL, NULL, NULL));
  assert_string_equal(options.config, "ascend910_pair");
  assert_true(parse(CLI_RUN_CUSTOM, "--config=ascend910", NULL, NULL));
  assert_string_equal(options.config, "ascend910");
}
