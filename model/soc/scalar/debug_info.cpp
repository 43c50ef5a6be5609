// SPDX-License-Identifier: Apache-2.0
#include "soc/scalar/debug_info.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "soc/scalar/debug_reader.h"

namespace soc {

struct debug_info::question {
  enum { FRAMES, CALLS, PANIC_TEXTS } of;
  uint64_t address;
  uint64_t registers[kRegisters];
};

namespace {

// Limits of a reader: processor time altogether, and memory beyond what it begins with. (All lines of a long
// kernel take some hundredths of a second.)
constexpr rlim_t kSeconds = 3, kBytes = rlim_t{1} << 30;

// Limit of a wait for an answer. A reader may sleep for ever if it was forked while another thread held a lock (that of
// AddressSanitizer's allocator, which has no handler for fork). The next reader will hardly do so.
constexpr timeval kPatience = {4, 0};
constexpr int kReaders = 3;
constexpr size_t kMostBytes = 1 << 16;  // of a message

// Messages of a reader: what it needs first, then its answer.
enum : char { NEEDS_WORD = 'n', ANSWER = 'a' };
struct word_t {
  bool good;
  uint64_t value;
};

bool put(int socket, const void *bytes, size_t count) {
  return send(socket, bytes, count, MSG_NOSIGNAL) == static_cast<ssize_t>(count);
}

// The next message, without its end if that is longer than `most`. -1: there will be none.
ssize_t take(int socket, void *bytes, size_t most) {
  ssize_t count;
  do {
    count = recv(socket, bytes, most, 0);
  } while (count < 0 && errno == EINTR);
  return count;
}

void limit(int resource, rlim_t most) {
  const rlimit value = {most, most};
  setrlimit(static_cast<__rlimit_resource_t>(resource), &value);
}

rlim_t address_space() {
  unsigned long pages = 0;
  if (FILE *file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%lu", &pages) != 1) {
      pages = 0;
    }
    std::fclose(file);
  }
  return pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

// A reader's end is not reported, and Ctrl-C does not end it: the run's last message may want a line.
int become_reader(int socket) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) {
    std::signal(number, SIG_IGN);
  }
  for (const int number : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGXCPU}) {
    std::signal(number, SIG_DFL);
  }
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, kSeconds);
  limit(RLIMIT_AS, address_space() + kBytes);
  const int null = open("/dev/null", O_RDWR);
  for (const int standard : {0, 1, 2}) {
    dup2(null, standard);
  }
  dup2(socket, 3);
  close_range(4, ~0u, 0);
  return 3;
}

}  // namespace

// The reader: answers until nobody asks any more.
void debug_info::answer_all(int socket) const {
  question what;
  debug_reader reader(file_);
  const auto read = [socket](uint64_t address, uint64_t &word) {
    char message[1 + sizeof address] = {NEEDS_WORD};
    word_t reply;
    std::memcpy(message + 1, &address, sizeof address);
    if (!put(socket, message, sizeof message) || take(socket, &reply, sizeof reply) != sizeof reply) {
      _exit(0);
    }
    word = reply.value;
    return reply.good;
  };
  while (take(socket, &what, sizeof what) == sizeof what) {
    std::string answer(1, ANSWER);
    if (what.of == question::CALLS) {
      for (const uint64_t pc : reader.calls(what.address, what.registers, read)) {
        answer.append(reinterpret_cast<const char *>(&pc), sizeof pc);
      }
    } else {
      for (const std::string &line : what.of == question::FRAMES ? reader.frames(what.address) : reader.panic_texts()) {
        if (answer.size() + line.size() < kMostBytes) {
          answer += line + '\n';
        }
      }
    }
    if (!put(socket, answer.data(), answer.size())) {
      break;
    }
  }
  _exit(0);
}

debug_info::~debug_info() { end(); }

bool debug_info::begin() {
  int ends[2];
  if (reader_ != 0) {
    return reader_ > 0;
  }
  reader_ = -1;
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return false;
  }
  reader_ = fork();
  if (reader_ == 0) {
    answer_all(become_reader(ends[1]));
  }
  close(ends[1]);
  setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience);
  socket_ = ends[0];
  return reader_ > 0;
}

void debug_info::end() {
  if (reader_ > 0) {
    kill(reader_, SIGKILL);
    while (waitpid(reader_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  if (socket_ >= 0) {
    close(socket_);
  }
  reader_ = -1;
  socket_ = -1;
}

std::string debug_info::ask(const question &what, const read_word &read) {
  std::string answer;
  for (int readers = 1; !ask_once(what, read, answer) && readers < kReaders; ++readers) {
    reader_ = 0;  // another may begin
  }
  return answer;
}

// False: patience was lost.
bool debug_info::ask_once(const question &what, const read_word &read, std::string &answer) {
  std::string message(kMostBytes, '\0');
  bool late = false;
  bool good = begin() && put(socket_, &what, sizeof what);
  while (good) {
    const ssize_t count = take(socket_, message.data(), message.size());
    if (count > 0 && message[0] == ANSWER) {
      answer = message.substr(1, static_cast<size_t>(count) - 1);
      return true;
    }
    late = count < 0 && errno == EAGAIN;
    uint64_t address;
    word_t reply = {};
    good = count == 1 + sizeof address && read != nullptr;
    if (good) {
      std::memcpy(&address, message.data() + 1, sizeof address);
      reply.good = read(address, reply.value);
      good = put(socket_, &reply, sizeof reply);
    }
  }
  end();
  return !late;
}

std::vector<std::string> debug_info::frames(uint64_t address) { return ask_lines({question::FRAMES, address, {}}); }

std::vector<std::string> debug_info::panic_texts() { return ask_lines({question::PANIC_TEXTS, 0, {}}); }

std::vector<std::string> debug_info::ask_lines(const question &what) {
  std::vector<std::string> all;
  const std::string answer = ask(what, nullptr);
  for (size_t at = 0, next; (next = answer.find('\n', at)) != std::string::npos; at = next + 1) {
    all.push_back(answer.substr(at, next - at));
  }
  return all;
}

std::vector<uint64_t> debug_info::calls(uint64_t pc, const uint64_t registers[kRegisters], const read_word &read) {
  question what = {question::CALLS, pc, {}};
  std::memcpy(what.registers, registers, sizeof what.registers);
  const std::string answer = ask(what, read);
  std::vector<uint64_t> all(answer.size() / sizeof(uint64_t));
  std::memcpy(all.data(), answer.data(), all.size() * sizeof(uint64_t));
  return all.empty() ? std::vector<uint64_t>{pc} : all;
}

}  // namespace soc
