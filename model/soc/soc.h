// The SystemC SoC behind a C interface, from firmware and arrays in global memory to results, cycles
// and counters.
//
// soc_run is one kernel from beginning to end.  soc_open makes a machine that goes on: kernels are
// launched on it one after the other, and between them the host reads and writes global memory, as a
// driver would.  A process may have many machines, one after the other or side by side; one thread calls these
// functions, and one machine runs at a time.  From soc_open on the process ends when C++ is out of memory
// (host_out_of_memory).
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_SOC_H
#define AMALGAM_SOC_SOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/config.h"
#include "config/system.h"
#include "core/work.h"
#include "engine/engine.h"
#include "soc/watch/record.h"
#include "waves/waves_window.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum soc_firmware { SOC_FIRMWARE_RISCV, SOC_FIRMWARE_NATIVE } soc_firmware_t;
// Atomic slices: the Verilog, as the kernels here need it, or with operations of all types (TYPES = 1); or the C model.
typedef enum soc_gm { SOC_GM_RTL, SOC_GM_RTL_TYPES, SOC_GM_C } soc_gm_t;
typedef enum soc_engine { SOC_ENGINE_RTL, SOC_ENGINE_C } soc_engine_t;

// Bytes that passed between the cores and L2, and between L2 and HBM.
typedef struct soc_traffic {
  uint64_t hbm_read, hbm_write, l2_read, l2_write;
} soc_traffic_t;

// What went from one die of a system to another.
typedef struct soc_link {
  unsigned from, to;
  const char *level;  // of the system's, by which they reach each other
  uint64_t bytes, messages;
} soc_link_t;

enum { SOC_MAX_DIMS = 4 };

// An array in global memory.
typedef struct soc_buffer {
  const char *name;       // for messages
  uint64_t bytes;         // > 0
  const void *init;       // bytes to start from, or NULL: filled with 0xFF, so that reading what
                          // nobody wrote shows as NaN
  void *result;           // bytes are copied here after the run, or NULL
  bool gaps;              // of a result: no command has to store all of it (soc_unstored_t)
  bool read_only;         // a command that writes it ends the run
  bool numbers;           // scalar cores see it through their window, and GATHER_IN may go by it if it is
                          // read_only, too; there even with timing_only
  unsigned die;           // of a system: in whose memory it is
  bool flags;             // words that SIGNAL and AWAIT alone use
  bool far;               // no atomic store goes there: it may lie where the slices do not reach, as what
                          // is read_only may
  uint64_t address;       // set by soc_place, a multiple of 512
  soc_traffic_t traffic;  // set by the run: this array's share. What L2 writes back counts, by
                          // 16 KiB, for the array of the first byte written
  // What it holds, for those who name elements (--watch, `amalgam blame`); dims 0: nobody says.
  unsigned type;  // TYPE_*
  unsigned dims;  // of shape; the last one runs fastest
  uint64_t shape[SOC_MAX_DIMS];
  uint64_t pitch;  // bytes from row to row of the last dimension, 0: no gaps
} soc_buffer_t;

typedef struct soc_gdb {
  char core[16];  // "cube0"
  unsigned port;  // of this host, 0: any that is free
} soc_gdb_t;

// An operand that a command has left, for a file.
typedef struct soc_dump {
  const char *text;   // as the user wrote it, for messages
  waves_mark_t mark;  // the command; its name may be that of a pipe, whose commands are counted then
  char space[8];      // "l0c"
  bool addressed;
  uint64_t address;  // a byte of the operand, if addressed
  const char *path;  // .npy to write
} soc_dump_t;

enum { SOC_MAX_DUMPS = 32 };
typedef enum soc_dump_type { SOC_DUMP_F32, SOC_DUMP_S32, SOC_DUMP_U16, SOC_DUMP_U8, SOC_DUMP_BOOL } soc_dump_type_t;

// The records of a run that are kept and written.
typedef struct soc_watch {
  bool record;                     // what every command did; files imply it
  bool profile;                    // sums of what commands took: soc_result.profile
  bool replay;                     // of soc_run: the record, and soc_result.replay can do it again (replay.h)
  waves_window_t dump_window;      // soc_replay_in_window
  const char *timeline;            // Chrome trace JSON to write, or NULL
  const char *log;                 // the same as text, a line a command, or NULL
  waves_window_t timeline_window;  // of both
  const char *critical_path;       // JSON to write of what set the time (critical_path.h), or NULL
  const char *trace;               // FST to write, of the Verilated units and the machine, or NULL
  waves_window_t trace_window;
  const char *const *trace_scopes;  // globs (waves/waves.h); none: all, but of engines an outline
  size_t trace_scope_count;
  uint64_t trace_keep;  // 0: all; else only if the run is stopped, its last so many cycles
} soc_watch_t;

// The means to look into a run.
typedef struct soc_debug {
  const soc_gdb_t *gdb;  // scalar cores that wait for a debugger (SOC_FIRMWARE_RISCV)
  size_t gdb_count;
  // Questions to a machine that is stopped (inspect/inspector.h); each answer, lines of text, goes to `shown`.
  const char *const *show;
  size_t show_count;
  void (*shown)(void *context, const char *request, const char *answer);
  uint64_t stop_at;         // SOC_STOPPED after this cycle of a launch; 0: it goes on
  const soc_dump_t *dumps;  // not with timing_only
  size_t dump_count;        // at most SOC_MAX_DUMPS
  // Writes one, from any thread: values are row after row. F32 stands for all types whose values it has; U16 and U8 are
  // words and bytes whose type is not known. False: it cannot.
  bool (*write_dump)(void *context, const char *path, soc_dump_type_t type, uint64_t rows, uint64_t cols,
                     const void *values);
  void *context;  // of shown and write_dump
} soc_debug_t;

// Flags that are up when a launch ends: they end the run, are told in soc_result, or are left for the next launch.
typedef enum soc_flags_left { SOC_FLAGS_ERROR, SOC_FLAGS_WARN, SOC_FLAGS_OK } soc_flags_left_t;

typedef struct soc_options {
  // The machine.
  config_t config;
  const system_t *system;  // NULL: one machine. Else config has all of its dies, as soc_system leaves it
  soc_firmware_t firmware;
  soc_gm_t gm;
  soc_engine_t engine;      // the attention engines, if config.soc.engines is not 0
  num_engine_t engine_num;  // their design, arithmetic and d; blocks and rows are the config's
  bool l2_warm;             // inputs are in L2 at the start, as much of them as fits
  // The kernel.
  const char *firmware_file;  // ELF (riscv) or shared object (native)
  bool cube_only;             // the vector cores have nothing to do and need not be started
  bool pairs;                 // PAIR_SET and PAIR_WAIT may be used; needs a number of AI cores that is
                              // a multiple of twice the dies
  bool scalar_pipe;           // there is a pipe S: programs may wait for flags themselves
  bool auto_sync;             // a VINST that reads or writes over what one before it computes waits for that, as if a
                              // PIPE_BARRIER stood between; else one that reads it stops the run (race_check)
  soc_flags_left_t flags_left;
  unsigned launches;  // of soc_run, one after the other; 0 counts as 1
  // The simulation.
  bool race_check;             // stop at an access that no flag orders
  bool list_races;             // with race_check: go on, and list them in soc_result
  bool init_check;             // note where what nobody wrote reaches results; nothing with timing_only
  bool timing_only;            // same cycles, no arithmetic: arrays keep their first values
  unsigned threads;            // host threads for the arithmetic and for Verilated slices, this one included;
                               // 0 counts as 1; results and cycles do not depend on it
  engine_progress_t building;  // told what a build of the RTL is waiting for
  // Called from time to time, at most some ten times a second; may be NULL.
  void (*progress)(void *context, uint64_t cycles, uint64_t flops);
  void *progress_context;
  // Called at a MARK, before anything that comes after it is done: global memory (soc_bytes) is as it is at that
  // cycle.  May be NULL.
  void (*on_mark)(void *context, uint32_t number);
  void *on_mark_context;
  soc_watch_t watch;
  soc_debug_t debug;
} soc_options_t;

enum { SOC_MAX_STALLS = 8, SOC_MAX_SYNCS = 8, SOC_ERROR_BYTES = 2048, SOC_PLACE_BYTES = 640 };

typedef struct soc_stall {
  const char *reason;  // "flag", "cross_flag", "barrier", or "empty": no command
  uint64_t cycles;
} soc_stall_t;

typedef struct soc_pipe {
  char core[16];     // "cube0", "vector0_1"
  const char *pipe;  // "MTE2"
  uint64_t commands;
  uint64_t busy;  // cycles; busy + all stalls = cycles of the run
  soc_stall_t stall[SOC_MAX_STALLS];
  size_t stalls;
} soc_pipe_t;

// Time of the commands of a line of firmware, over all cores of a kind and all launches.
typedef struct soc_profile {
  const char *core;     // its kind, "cube"
  const char *pipe;     // "V"
  const char *command;  // "VEC"
  const char *op;       // of a VEC: "EXP"; else NULL
  const char *line;     // as in messages; stays until soc_result_free
  uint64_t count;
  uint64_t cycles;  // from begin to end, of waits what they waited
  uint64_t pipes;   // of this name on all cores of this kind
} soc_profile_t;

// The note of a MARK.
typedef struct soc_mark {
  uint32_t number;
  uint64_t cycle;         // since the launch
  uint64_t flops;         // of MMADs so far; here and below over all launches
  soc_traffic_t traffic;  // of moves that have begun
  uint64_t atomic_bytes;
} soc_mark_t;

// Bytes that nobody wrote were read, and what came of them was stored in an array that the host gets: one with
// `result`, or that soc_bytes was asked for. Or the firmware took it out of an array, with READ_GM. One for each two
// lines of firmware.
typedef struct soc_unwritten {
  const char *array;
  const char *space;                                   // "UB": where they were read
  uint64_t address;                                    // of one of them, there
  uint64_t stores;                                     // by how many commands of this line
  bool by_firmware;                                    // `store` is a READ_GM
  char read[SOC_PLACE_BYTES], store[SOC_PLACE_BYTES];  // "vector0_1 V: VEC ... at k.c:30 (f)", the first ones
} soc_unwritten_t;

// Elements of a result (an array with `result`) that no command of the last launch stored.
typedef struct soc_unstored {
  const char *array;
  uint64_t count, of;            // elements; bytes of an array without a shape
  uint64_t index[SOC_MAX_DIMS];  // the first of them
  unsigned dims;                 // of index
} soc_unstored_t;

// Two lines whose accesses nothing orders.
typedef struct soc_race {
  const char *space;  // "UB"
  uint64_t count;     // pairs of commands of these lines
  // "vector0_1 V: VINST ... at k.c:30 (f)"; if one program has both, in its order.
  char first[SOC_PLACE_BYTES], then[SOC_PLACE_BYTES];
  char between[SOC_PLACE_BYTES];  // flags that the program sets between them, "V to MTE3, event 0, at k.c:31"; "": none
  char needed[SOC_PLACE_BYTES];   // what would order them
  bool compiler;                  // users' compilers of Ascend C put that in, unless told not to
} soc_race_t;

typedef enum soc_status {
  SOC_DONE = 0,
  SOC_BAD_INPUT = 2,      // firmware file missing or unreadable, array too large
  SOC_STOPPED = 3,        // the model stopped the firmware
  SOC_INTERRUPTED = 130,  // Ctrl-C
} soc_status_t;

typedef struct soc_result {
  soc_status_t status;
  char error[SOC_ERROR_BYTES];  // one line if status is not SOC_DONE
  uint64_t cycles;
  uint64_t flops;  // of all MMADs
  uint64_t hbm_read, hbm_write, l2_read, l2_write, atomic_bytes;
  core_work_t work;                                                     // of all commands that have begun
  uint64_t guard_zero, guard_special, guard_underflow, guard_overflow;  // slices whose sticky flag is up
  uint64_t guard_lanes;                                                 // elements any guard changed or held back
  soc_pipe_t *pipes;
  size_t pipe_count;
  // When the pipes that met at a SYNC_ALL went on, in cycles since the launch and in the order of the
  // meetings; the sums over all launches.
  uint64_t sync_cycle[SOC_MAX_SYNCS];
  size_t syncs;             // of the last launch; may be more than there is room for above
  uint64_t *launch_cycles;  // [launches], of soc_run
  size_t launches;
  soc_mark_t *marks;  // in order of time, of all launches
  size_t mark_count;
  soc_profile_t *profile;  // with soc_options.watch.profile, most cycles first
  size_t profile_count;
  soc_unwritten_t *unwritten;  // with init_check, in order of the stores
  size_t unwritten_count;
  uint64_t flags_left;                    // with SOC_FLAGS_WARN: that were up at the end of a launch, ...
  char first_flag_left[SOC_ERROR_BYTES];  // ... and the first of them
  soc_unstored_t *unstored;               // with init_check, one for each such array
  size_t unstored_count;
  soc_race_t *races;  // with list_races
  size_t race_count;
  soc_link_t *links;  // of a system, those over which anything went
  size_t link_count;
  const soc_record_t *record;   // with soc_options.watch.record; else NULL
  struct soc_replay *replay;    // with soc_options.watch.replay; else NULL
  struct soc_machine *machine;  // what record, replay and profile point into; soc_result_free deletes it
  // The host's side; the only part that may differ between two equal runs.
  uint64_t rtl_cycles;  // clock cycles of all Verilated units together
  uint64_t scalar_instructions;
  double seconds;  // wall time of the simulation
  // Shares of it: MMADs, vector operations, copies, atomic slices (RTL or C), firmware with the checks of
  // its commands; the rest is SystemC and bookkeeping.
  double matmul_seconds, vector_seconds, copy_seconds, rtl_seconds, scalar_seconds;
} soc_result_t;

// Bytes (all 0) for an array that a coming run takes as it is, where it is, if a buffer's init
// points to it; such a buffer must be read_only.  They stay until soc_clear_memory.  NULL: more than
// global memory holds, or than this host has; soc_no_room says it in a line.
void *soc_alloc(uint64_t bytes);
const char *soc_no_room(void);

// Global memory is empty: what soc_alloc and soc_place have given is no more, and a run is what it is in a process of
// its own.  There must be no machine.
void soc_clear_memory(void);

// Gives every buffer its address; arguments go before them.
void soc_place(soc_buffer_t *buffers, size_t count);
// Likewise in a system: each in its die's memory, one behind the other, so that dies with arrays alike have them at the
// same places. False: a die's window is too small.
bool soc_place_in(const system_t *system, soc_buffer_t *buffers, size_t count);

// A machine becomes one die of as many as the system has. AI core i is on die i % dies.
void soc_system(const system_t *system, config_t *config);

// Runs a kernel, as often as options->launches says, each time on what the time before left in L2 and
// in workspaces.  args is copied to global memory; its addresses come from soc_place.  A launch that
// leaves other results than the first one ends the run; only the arrays with `result` are looked at,
// and are 0xFF again before each launch.
soc_status_t soc_run(const soc_options_t *options, soc_buffer_t *buffers, size_t count, const void *args,
                     size_t args_bytes, soc_result_t *result);

// A machine to launch kernels on.  options and buffers must outlive it; options->firmware_file is not
// used.  Buffers have been placed; args_bytes: of the largest kernel's arguments.  NULL: result says
// why.
typedef struct soc_machine soc_t;
// Makes a failed allocation of C++, here or in an engine, end this process from here on; soc_open does.
void soc_needs_memory(void);

soc_t *soc_open(const soc_options_t *options, soc_buffer_t *buffers, size_t count, size_t args_bytes,
                soc_result_t *result);

// Runs a kernel until nothing moves.  cycles: from launch to the last effect.  Once it has returned
// anything but SOC_DONE the machine has stopped for good; the reason is in soc_open's result.
soc_status_t soc_launch(soc_t *soc, const char *firmware_file, const void *args, size_t args_bytes, uint64_t *cycles);

// Bytes of global memory, for the host to read and write between launches; several of its threads may ask.
void *soc_bytes(soc_t *soc, uint64_t address);

// The same without being taken for somebody who has written the array, or is to get it (soc_unwritten_t).
void *soc_look(soc_t *soc, uint64_t address);

// The books of all launches go to soc_open's result, results to the buffers', traces to their files.  The machine is no
// more.
void soc_close(soc_t *soc);

void soc_result_free(soc_result_t *result);

#ifdef __cplusplus
}
#endif

#endif
