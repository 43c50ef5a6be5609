// The record of a run, walked as a client in C would: every command is there once, its times follow from
// those of the commands before it and of what it waited for.
// SPDX-License-Identifier: Apache-2.0
#include "test.h"
#include "gemm_case.h"

static soc_result_t result;
static const soc_record_t *record;

static int run(void **state) {
  (void)state;
  const gemm_case_t what = {.m = 300, .n = 520, .k = 200, .type = TYPE_BF16, .record = true};
  gemm_outcome_t outcome;
  gemm_case_run(&what, FIRMWARE_DIR "/gemm.elf", &outcome, &result);
  record = result.record;
  return outcome.status != SOC_DONE || outcome.wrong != 0 || record == NULL;
}

static const soc_command_t *before(const soc_command_t *command) {
  return command->number == 0 ? NULL : soc_record_find(record, command->track, command->number - 1);
}

TEST_GROUP(run, NULL)

TEST(every_command_is_there) {
  size_t pipes = 0;
  size_t commands = 0;
  for (uint32_t track = 0; track < record->track_count; ++track) {
    const size_t count = record->first[track + 1] - record->first[track];
    assert_int_equal(count, result.pipes[track].commands);
    assert_string_equal(record->tracks[track].core, result.pipes[track].core);
    for (size_t i = 0; i < count; ++i) {
      const soc_command_t *command = &record->commands[record->first[track] + i];
      assert_int_equal(command->number, i);
      assert_int_equal(command->command.header.pipe_, record->tracks[track].pipe);
      assert_ptr_equal(soc_record_find(record, track, i), command);
    }
    assert_null(soc_record_find(record, track, count));
    pipes += 1;
    commands += count;
  }
  assert_int_equal(pipes, result.pipe_count);
  assert_int_equal(commands, record->command_count);
  assert_true(commands > 100);
  assert_null(soc_record_find(record, (uint32_t)record->track_count, 0));
}

TEST(a_command_begins_when_it_can) {
  uint64_t last = 0;
  uint64_t effect = 0;  // the last one of the track; waits have none
  for (size_t i = 0; i < record->command_count; ++i) {
    const soc_command_t *command = &record->commands[i];
    const soc_command_t *previous = before(command);
    effect = previous == NULL ? 0 : effect;
    assert_true(command->issued <= command->pushed && command->pushed <= command->begin &&
                command->begin <= command->end && command->end <= command->done);
    const uint64_t free_at = previous == NULL ? 0 : previous->end;
    assert_int_equal(command->begin, command->pushed > free_at ? command->pushed : free_at);
    if (command->command.header.opcode_ != OP_WAIT_FLAG) {
      assert_true(effect <= command->done);
      effect = command->done;
    }
    assert_true(command->alone <= command->end - command->begin + 1);
    last = command->done > last ? command->done : last;
  }
  assert_int_equal(last, result.cycles);
}

TEST(a_wait_ends_when_its_flag_is_up) {
  size_t waits = 0;
  size_t waited = 0;
  for (size_t i = 0; i < record->command_count; ++i) {
    const soc_command_t *command = &record->commands[i];
    if (command->command.header.opcode_ != OP_WAIT_FLAG) {
      assert_int_equal(command->cause_track, SOC_NO_CAUSE);
      continue;
    }
    const cmd_wait_flag_t *wait = &command->command.wait_flag;
    const soc_command_t *cause = soc_record_find(record, command->cause_track, command->cause_number);
    assert_non_null(cause);
    assert_int_equal(cause->command.header.opcode_, OP_SET_FLAG);
    assert_int_equal(cause->command.set_flag.to, record->tracks[command->track].pipe);
    assert_int_equal(cause->command.set_flag.event, wait->event);
    assert_int_equal(record->tracks[cause->track].pipe, wait->from);
    assert_int_equal(cause->done, command->cause_done);
    assert_int_equal(command->end, cause->done > command->begin ? cause->done : command->begin);
    waits += 1;
    waited += command->end > command->begin;
  }
  assert_true(waits > 20 && waited > 5 && waited < waits);
}
