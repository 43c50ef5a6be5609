// SPDX-License-Identifier: Apache-2.0
#include "soc/watch/dumps.h"

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "soc/watch/tensor_values.h"

namespace soc {
namespace {

core_space_t find_space(const soc_dump_t &what) {
  for (unsigned space = 0; space < SPACE_COUNT; ++space) {
    if (lower(core_space_name(static_cast<core_space_t>(space))) == what.space) {
      return static_cast<core_space_t>(space);
    }
  }
  throw std::runtime_error(std::string("--dump ") + what.text + ": no memory '" + what.space +
                           "'; expected gm, l1, l0a, l0b, l0c, ub or eb");
}

unsigned find_pipe(const char *name) {
  unsigned pipe = 0;
  while (pipe < PIPE_COUNT && lower(core_pipe_name(pipe)) != name) {
    ++pipe;
  }
  return pipe;
}

bool is_command(const char *name) {
  bool found = false;
  for (unsigned opcode = 0; opcode < OP_COUNT; ++opcode) {
    found = found || lower(core_command_name(opcode)) == name;
  }
  return found;
}

// Does the operand hold the byte at an address?
bool holds(const core_tensor_t &tensor, uint64_t address) {
  uint64_t r, c;
  return core_tensor_element(&tensor, address, &r, &c);
}

}  // namespace

// "vector0_1.v#40": by the pipe's own count, unless there is a command of that name.
dumps::dumps(const soc_options_t &options) : options_(options) {
  for (size_t i = 0; i < options.debug.dump_count; ++i) {
    const soc_dump_t &what = options.debug.dumps[i];
    const bool of_pipe = what.mark.pipe[0] == '\0' && what.mark.core[0] != '\0' && !is_command(what.mark.command) &&
                         find_pipe(what.mark.command) < PIPE_COUNT;
    const core_space_t space = find_space(what);
    if (of_pipe && !core_exists(what.mark.core, options.config.soc)) {
      throw std::runtime_error(std::string("--dump: no core '") + what.mark.core + "' in this machine");
    }
    const waves_mark_t none = {};
    list_.push_back({&what, space, what.mark.core, of_pipe ? find_pipe(what.mark.command) : unsigned{PIPE_COUNT},
                     command_mark(of_pipe ? none : what.mark, options.config, "dump")});
  }
}

uint32_t dumps::wanted(const std::string &core, uint64_t number, const command_t &command) {
  uint32_t mask = 0;
  for (size_t i = 0; i < list_.size(); ++i) {
    dump &d = list_[i];
    const bool mine = d.pipe < PIPE_COUNT
                          ? command.header.pipe_ == d.pipe && core == d.core && number + 1 == d.what->mark.number
                          : d.mark.meets(core, command);
    mask |= uint32_t{mine} << i;
  }
  return mask;
}

void dumps::executed(const core_memory_t &memory, const command_t &command, uint32_t wanted) {
  types_.executed(memory, command);
  for (size_t i = 0; wanted >> i != 0; ++i) {
    if ((wanted >> i & 1u) != 0) {
      write(list_[i], memory, command);
    }
  }
}

// Writes the operand that it wrote there, otherwise the one that it read.
void dumps::write(dump &d, const core_memory_t &memory, const command_t &command) {
  core_tensor_t t[CORE_MAX_TENSORS];
  const core_tensor_t *found = nullptr;
  for (size_t i = core_tensors(&command, t); i-- > 0 && found == nullptr;) {
    const bool there = t[i].space == d.space && t[i].layout != CORE_KEYS;
    found = there && (!d.what->addressed || holds(t[i], d.what->address)) ? &t[i] : nullptr;
  }
  bool good = false;
  if (found != nullptr) {
    const core_tensor_t typed = types_.typed(memory, *found);
    good = options_.debug.write_dump(options_.debug.context, d.what->path, dump_type(typed.type), typed.rows,
                                     typed.cols, dump_values(memory, typed).data());
  }
  const int why = errno;
  const std::lock_guard<std::mutex> lock(mutex_);
  d.written = good;
  if (!good && problem_.empty()) {
    problem_ = std::string("--dump ") + d.what->text + ": " +
               (found == nullptr ? std::string(core_command_name(command.header.opcode_)) + " has no operand there"
                                 : std::string("cannot write: ") + std::strerror(why));
  }
}

std::string dumps::problem() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const dump &d : list_) {
    if (!d.written && problem_.empty()) {
      return std::string("--dump ") + d.what->text +
             ": there was no such command, or it is none that moves or computes";
    }
  }
  return problem_;
}

}  // namespace soc
