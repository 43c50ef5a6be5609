// Questions about a kernel's result, and the answers of every kernel on the SoC: time, traffic, pipes, errors.
// The kernels' own structs hold this one and members of their own.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_KERNEL_RESULT_H
#define AMALGAM_KERNEL_RESULT_H

#include <cJSON.h>

#include "kernel/machine.h"
#include "num/golden/num_attention.h"

// The part of the output that is compared with FP64, in the order of --golden's words.
typedef enum golden_choice {
  GOLDEN_AUTO,  // all if that takes at most 4 GFLOP, else as SAMPLE
  GOLDEN_FULL,
  GOLDEN_SAMPLE,  // some
  GOLDEN_NONE,
} golden_choice_t;

typedef struct kernel_judge {
  golden_choice_t golden;
  bool verify;       // compare with the numerical contract's C loops, bit for bit
  double tolerance;  // relative error; NAN: the usual one
} kernel_judge_t;

// The values that a run should have left in an array, for those who ask why it has not.
typedef struct kernel_expected {
  const char *array;  // its name in global memory: "out"
  const char *by;     // whose word it is: "the contract"
  double *want;       // [count], to be freed
  size_t count;
  double absolute, relative;  // an element is off by more than absolute + relative * |want|
} kernel_expected_t;

// What elements have lost that were compared with FP64.
typedef struct kernel_lost {
  const char *array;
  bool softmax;         // smaller scores help where values overflow
  size_t elements;      // that were compared
  size_t not_finite;    // NaNs and infinities, of the result or of FP64,
  size_t row, column;   // the first of them,
  double have, want;    // and what both have there
  size_t to_zero;       // FP64 has a number below all normal ones of the type, and the result a zero,
  size_t to_subnormal;  // or something else that is off by more than the tolerance
} kernel_lost_t;

typedef struct kernel_result {
  soc_result_t soc;  // cycles, bytes, pipes, guards, the host's side
  bool seeded;       // something was drawn at random, from:
  uint64_t seed;
  double time_us;            // of all launches, as cycles and flops
  double first_us, mean_us;  // of a launch
  uint64_t flops;            // as the kernel counts them
  double fu;                 // flops over what all cube cores could do in the same cycles
  // Against FP64, over some rows or columns of the output; judged is 0 if there was no comparison.
  size_t judged, judged_of;
  num_error_t error;
  kernel_lost_t lost;
  double largest_score;  // of AMLA's judged rows, as num_attn_golden_more has it
  double tolerance;
  // Against the contract's C loops, if verified.
  bool verified;
  size_t wrong_bits, elements;  // elements that differ, of how many
} kernel_result_t;

// Notes whether inputs were drawn at random, and from which seed.
static inline void kernel_result_drawn(kernel_result_t *result, bool drawn, uint64_t seed) {
  result->seeded = drawn;
  result->seed = drawn ? seed : 0;
}

// Fills times, flops and fu once there are cycles. flops: of a launch. Returns the exit code, with the
// reason in error unless it is BASE_OK.
base_exit_t kernel_result_take(kernel_result_t *result, const kernel_machine_t *machine, soc_status_t status,
                               uint64_t flops, base_error_t *error);

// Exit code 1 with a message if bits or errors are not as they should be, else 0. elements: what they are,
// "output elements".
base_exit_t kernel_result_verdict(const kernel_result_t *result, const char *elements, base_error_t *error);

// Exit code 1 with a message if there are elements of a result that no command has stored, else 0.
base_exit_t kernel_result_stored(const kernel_result_t *result, base_error_t *error);

enum { KERNEL_FIRST_BYTES = 128 };

// "4 of 16 elements of array 'out' were never stored, first [3,0]". Returns text.
const char *kernel_unstored(const soc_unstored_t *unstored, char text[KERNEL_FIRST_BYTES]);

// "first out[0,3], which is not a number; FP64 has 0.5": the first element that is no number; "" if there is none.
// Returns text.
const char *kernel_first_lost(const kernel_lost_t *lost, char text[KERNEL_FIRST_BYTES]);

void kernel_result_free(kernel_result_t *result);

// --- JSON: members in this order, with a kernel's own in between ----------------------------------

// machine: all parameters, as --set and --cores left them, by the names that --set takes.
void kernel_json_machine(cJSON *root, const config_t *config);

// config, set, machine; with the kernel's name in front.
void kernel_json_config(cJSON *root, const kernel_machine_t *machine);
void kernel_json_head(cJSON *root, const char *kernel, const kernel_machine_t *machine);

// data, seed (null: nothing was drawn). source: for people.
void kernel_json_data(cJSON *root, const char *source, const kernel_result_t *result);

// launches, unless there was one only: first_us, mean_us, cycles of each.
void kernel_json_launches(cJSON *root, const kernel_result_t *result);

// cores, timing_only, cycles, time_us, flops, fu, launches.
void kernel_json_time(cJSON *root, const kernel_result_t *result, const kernel_machine_t *machine);

// error: null, or an object with rel_fro, max_abs, cos_diff and what it was measured against; returns the
// object for more, NULL if there is none. golden: "fp64, untiled"; axis: "rows".
cJSON *kernel_json_error(cJSON *root, const kernel_result_t *result, const char *golden, const char *axis);

void kernel_json_error_members(cJSON *object, const num_error_t *error);
// And, if there are any: not_finite (elements, first), underflow (to_zero, to_subnormal).
void kernel_json_lost(cJSON *error, const kernel_lost_t *lost);
// And, if there are any, unwritten: what bytes that nobody wrote have reached (soc_unwritten_t); unstored: results that
// nobody wrote (soc_unstored_t).
void kernel_json_traffic(cJSON *root, const soc_result_t *soc);
// energy: joules, their range, watts, and joules by part (joules.def).
void kernel_json_energy(cJSON *root, const config_t *config, const soc_result_t *soc);
// And the profile, if there is one.
void kernel_json_pipes(cJSON *root, const soc_result_t *soc);
void kernel_json_guards(cJSON *root, const soc_result_t *soc);
// Returns the object.
cJSON *kernel_json_host(cJSON *root, const soc_result_t *soc);

#endif
