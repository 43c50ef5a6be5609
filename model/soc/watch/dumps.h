// --dump: operands of commands, as the commands have left them, in .npy files.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_WATCH_DUMPS_H
#define AMALGAM_SOC_WATCH_DUMPS_H

#include <mutex>
#include <string>
#include <vector>

#include "core/core.h"
#include "core/tensor.h"
#include "soc/soc.h"
#include "soc/watch/tensor_book.h"
#include "soc/watch/window.h"

namespace soc {

class dumps {
 public:
  // Throws std::runtime_error if a command, core or memory is not there.
  explicit dumps(const soc_options_t &options);

  // A command takes effect, the number-th of its pipe from 0 on; in the simulation's thread. A mask of the dumps that
  // it is for.
  uint32_t wanted(const std::string &core, uint64_t number, const command_t &command);
  // It has been carried out; from any thread, in order of effects.
  void executed(const core_memory_t &memory, const command_t &command, uint32_t wanted);
  // A line about what went wrong, or which command never came; "" if all is well.
  std::string problem() const;
  tensor_book *types() { return &types_; }

 private:
  struct dump {
    const soc_dump_t *what;
    core_space_t space;
    std::string core;  // with pipe: by the pipe's own count
    unsigned pipe = PIPE_COUNT;
    command_mark mark;  // else
    bool written = false;
  };
  void write(dump &d, const core_memory_t &memory, const command_t &command);

  const soc_options_t &options_;
  std::vector<dump> list_;
  tensor_book types_;
  mutable std::mutex mutex_;
  std::string problem_;
};

}  // namespace soc

#endif
