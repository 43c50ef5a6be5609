// SPDX-License-Identifier: Apache-2.0
#include "soc/scalar/gdb_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace soc {
namespace {

// Bytes of memory in an answer; bytes of a packet, as said with qSupported.
enum { MOST_BYTES = 4096, MOST_PACKET = 0x4000, POLL_MS = 100, CTRL_C = 3 };

std::string hex(const uint8_t *bytes, size_t count) {
  std::string text;
  char digits[3];
  for (size_t i = 0; i < count; ++i) {
    std::snprintf(digits, sizeof digits, "%02x", bytes[i]);
    text += digits;
  }
  return text;
}

std::string hex(uint64_t value) {
  uint8_t bytes[8];
  for (unsigned i = 0; i < 8; ++i) {
    bytes[i] = static_cast<uint8_t>(value >> (8 * i));
  }
  return hex(bytes, sizeof bytes);
}

bool unhex(const std::string &text, std::vector<uint8_t> &bytes) {
  bytes.clear();
  if (text.size() % 2 != 0 || text.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos) {
    return false;
  }
  for (size_t i = 0; i < text.size(); i += 2) {
    bytes.push_back(static_cast<uint8_t>(std::strtoul(text.substr(i, 2).c_str(), nullptr, 16)));
  }
  return true;
}

bool starts(const std::string &text, const char *with) { return text.compare(0, std::strlen(with), with) == 0; }

// Registers of RV64 as GDB numbers them.
std::string description() {
  static const char *const names[] = {"zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "fp", "s1", "a0",
                                      "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
                                      "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
  std::string xml =
      "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\"><target>"
      "<architecture>riscv:rv64</architecture>"
      "<feature name=\"org.gnu.gdb.riscv.cpu\">";
  for (const char *name : names) {
    xml += std::string("<reg name=\"") + name + "\" bitsize=\"64\" type=\"int\"/>";
  }
  return xml + "<reg name=\"pc\" bitsize=\"64\" type=\"code_ptr\"/></feature></target>";
}

}  // namespace

// --- the connection ---------------------------------------------------------------------------

gdb_server::gdb_server(const std::string &core, unsigned port) : core_(core) {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int on = 1;
  setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (listener_ < 0 || bind(listener_, reinterpret_cast<sockaddr *>(&address), size) != 0 ||
      listen(listener_, 1) != 0 || getsockname(listener_, reinterpret_cast<sockaddr *>(&address), &size) != 0) {
    const std::string why = std::strerror(errno);
    close(listener_);
    throw std::runtime_error("--gdb " + core + ":" + std::to_string(port) + ": " + why);
  }
  port_ = ntohs(address.sin_port);
}

gdb_server::~gdb_server() {
  disconnect();
  close(listener_);
}

void gdb_server::disconnect() {
  if (client_ >= 0) {
    close(client_);
  }
  client_ = -1;
  stepping_ = false;
  breakpoints_.clear();
  received_.clear();
  next_ = 0;
  acknowledges_ = true;
}

// False: the run is over, or nobody can be heard, which is said.
bool gdb_server::accept_client() {
  pollfd wait = {listener_, POLLIN, 0};
  errno = 0;
  // A client that came may have gone again.
  while (client_ < 0 && (errno == 0 || errno == EAGAIN || errno == EINTR || errno == ECONNABORTED)) {
    if (target_->abandoned()) {
      return false;
    }
    if (poll(&wait, 1, POLL_MS) > 0) {
      client_ = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    }
  }
  if (client_ < 0) {
    std::fprintf(stderr, "%s: goes on without a debugger, which cannot be heard: %s\n", core_.c_str(),
                 std::strerror(errno));
  }
  return client_ >= 0;
}

void gdb_server::begin(target &program, const std::string &firmware) {
  target_ = &program;
  pc_ = program.read_register(kPc);
  if (detached_) {
    return;
  }
  if (connected()) {
    return stop(SIGNAL_TRAP);
  }
  std::fprintf(stderr, "%s: waits for gdb-multiarch %s -ex 'target remote 127.0.0.1:%u'\n", core_.c_str(),
               firmware.c_str(), port_);
  if (!accept_client()) {
    return;
  }
  const int on = 1;
  setsockopt(client_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  signal_ = SIGNAL_TRAP;
  stop(0);
}

// The next byte, -1 if the debugger has gone or the run is over.
int gdb_server::next_byte() {
  while (next_ == received_.size()) {
    pollfd wait = {client_, POLLIN, 0};
    if (target_->abandoned() || !connected()) {
      return -1;
    }
    if (poll(&wait, 1, POLL_MS) <= 0) {
      continue;
    }
    char bytes[MOST_BYTES];
    const ssize_t count = recv(client_, bytes, sizeof bytes, 0);
    if (count <= 0) {
      return -1;
    }
    received_.assign(bytes, static_cast<size_t>(count));
    next_ = 0;
  }
  return static_cast<uint8_t>(received_[next_++]);
}

// $data#checksum; what stands before it, acknowledgements, is passed over.
bool gdb_server::read_packet(std::string &packet) {
  for (;;) {
    int byte = next_byte();
    while (byte >= 0 && byte != '$' && byte != CTRL_C) {
      byte = next_byte();
    }
    if (byte == CTRL_C) {
      continue;  // it stands already
    }
    packet.clear();
    unsigned sum = 0;
    while (byte >= 0 && (byte = next_byte()) >= 0 && byte != '#') {
      if (packet.size() <= MOST_PACKET) {
        packet += static_cast<char>(byte);
      }
      sum += static_cast<unsigned>(byte);
    }
    const int high = next_byte();
    const int low = next_byte();
    if (byte < 0 || high < 0 || low < 0 || packet.size() > MOST_PACKET) {
      return false;
    }
    const char digits[] = {static_cast<char>(high), static_cast<char>(low), '\0'};
    const bool good = std::strtoul(digits, nullptr, 16) == (sum & 0xFF);
    if (acknowledges_ && ::send(client_, good ? "+" : "-", 1, MSG_NOSIGNAL) != 1) {
      return false;
    }
    if (good) {
      return true;
    }
  }
}

void gdb_server::send(const std::string &data) {
  unsigned sum = 0;
  for (const char c : data) {
    sum += static_cast<uint8_t>(c);
  }
  char end[16];
  std::snprintf(end, sizeof end, "#%02x", sum & 0xFF);
  const std::string packet = "$" + data + end;
  for (size_t sent = 0; connected() && sent < packet.size();) {
    const ssize_t count = ::send(client_, packet.data() + sent, packet.size() - sent, MSG_NOSIGNAL);
    if (count <= 0) {
      return disconnect();
    }
    sent += static_cast<size_t>(count);
  }
}

bool gdb_server::asked_to_stop() {
  since_look_ = 0;
  pollfd look = {client_, POLLIN, 0};
  return connected() && (next_ < received_.size() || poll(&look, 1, 0) > 0) && next_byte() == CTRL_C;
}

// --- stops ------------------------------------------------------------------------------------

void gdb_server::stop(unsigned signal) {
  stepping_ = false;
  if (!connected()) {
    return;
  }
  target_->standing();
  if (signal != 0) {  // at the beginning the debugger asks
    signal_ = signal;
    char reply[16];
    std::snprintf(reply, sizeof reply, "S%02x", signal);
    send(reply);
  }
  std::string packet;
  do {
    if (!read_packet(packet)) {
      return disconnect();  // the program goes on without
    }
  } while (!answer(packet) && connected());
}

void gdb_server::exited(unsigned signal) {
  if (connected()) {
    char reply[16];
    std::snprintf(reply, sizeof reply, "%c%02x", signal == 0 ? 'W' : 'X', signal);
    send(reply);
    disconnect();
  }
}

bool gdb_server::answer(const std::string &packet) {
  char reply[16];
  switch (packet[0]) {
    case 'c':
    case 'C':
      return true;
    case 's':
    case 'S':
      stepping_ = true;
      return true;
    case 'D':
      send("OK");
      disconnect();
      detached_ = true;
      return true;
    case 'k':
      disconnect();
      std::raise(SIGINT);
      while (!target_->abandoned()) {
        usleep(POLL_MS * 1000);  // the program does nothing more
      }
      return true;
    case '?':
      std::snprintf(reply, sizeof reply, "S%02x", signal_);
      send(reply);
      return false;
    case 'g':
      answer_registers();
      return false;
    case 'p': {
      const unsigned long number = std::strtoul(packet.c_str() + 1, nullptr, 16);
      send(number < kRegisters ? hex(read(static_cast<unsigned>(number))) : "E01");
      return false;
    }
    case 'P': {
      char *equals;
      const unsigned long number = std::strtoul(packet.c_str() + 1, &equals, 16);
      std::vector<uint8_t> bytes;
      uint64_t value = 0;
      const bool good = *equals == '=' && unhex(equals + 1, bytes) && bytes.size() == sizeof value;
      for (size_t i = 0; good && i < bytes.size(); ++i) {
        value |= uint64_t{bytes[i]} << (8 * i);
      }
      const bool written = good && number < kRegisters && target_->write_register(static_cast<unsigned>(number), value);
      pc_ = written && number == kPc ? value : pc_;
      send(written ? "OK" : "E01");
      return false;
    }
    case 'm':
      answer_read_memory(packet);
      return false;
    case 'M':
      answer_write_memory(packet);
      return false;
    case 'Z':
    case 'z':
      answer_breakpoint(packet);
      return false;
    case 'H':
    case 'T':
      send("OK");
      return false;
    case 'q':
    case 'Q':
      answer_query(packet);
      return false;
    default:
      send("");  // there is no such thing here
      return false;
  }
}

void gdb_server::answer_query(const std::string &packet) {
  static const std::string read = "qXfer:features:read:target.xml:";
  if (starts(packet, "qSupported")) {
    send("PacketSize=4000;qXfer:features:read+;QStartNoAckMode+");
  } else if (starts(packet, "qRcmd,")) {
    answer_monitor(packet.substr(6));
  } else if (packet == "QStartNoAckMode") {
    send("OK");
    acknowledges_ = false;
  } else if (starts(packet, read.c_str())) {
    char *comma;
    const size_t from = std::strtoul(packet.c_str() + read.size(), &comma, 16);
    const size_t count = *comma == ',' ? std::strtoul(comma + 1, nullptr, 16) : 0;
    const std::string xml = description();
    const std::string part = from < xml.size() ? xml.substr(from, count) : "";
    send((from + part.size() < xml.size() ? "m" : "l") + part);
  } else if (packet == "qAttached") {
    send("1");
  } else if (packet == "qC") {
    send("QC1");
  } else if (packet == "qfThreadInfo") {
    send("m1");
  } else if (packet == "qsThreadInfo") {
    send("l");
  } else {
    send("");
  }
}

// Text goes in packets of its own, in front of the answer.
void gdb_server::answer_monitor(const std::string &request) {
  std::vector<uint8_t> bytes;
  if (!unhex(request, bytes)) {
    return send("E01");
  }
  const std::string text = target_->ask(std::string(bytes.begin(), bytes.end()));
  for (size_t at = 0; at < text.size(); at += MOST_BYTES) {
    const std::string part = text.substr(at, MOST_BYTES);
    send("O" + hex(reinterpret_cast<const uint8_t *>(part.data()), part.size()));
  }
  send("OK");
}

void gdb_server::answer_registers() {
  std::string all;
  for (unsigned number = 0; number < kRegisters; ++number) {
    all += hex(read(number));
  }
  send(all);
}

// mADDRESS,COUNT
void gdb_server::answer_read_memory(const std::string &packet) {
  char *comma;
  const uint64_t address = std::strtoull(packet.c_str() + 1, &comma, 16);
  const size_t count = *comma == ',' ? std::strtoul(comma + 1, nullptr, 16) : 0;
  std::vector<uint8_t> bytes(std::min<size_t>(count, MOST_BYTES));
  send(!bytes.empty() && target_->read_memory(address, bytes.data(), bytes.size()) ? hex(bytes.data(), bytes.size())
                                                                                   : "E01");
}

// MADDRESS,COUNT:BYTES
void gdb_server::answer_write_memory(const std::string &packet) {
  const uint64_t address = std::strtoull(packet.c_str() + 1, nullptr, 16);
  const size_t colon = packet.find(':');
  std::vector<uint8_t> bytes;
  send(colon != std::string::npos && unhex(packet.substr(colon + 1), bytes) && !bytes.empty() &&
               target_->write_memory(address, bytes.data(), bytes.size())
           ? "OK"
           : "E01");
}

// Z0,ADDRESS,KIND sets one, z0 takes it away; Z1 the same in hardware, which makes no difference here.
void gdb_server::answer_breakpoint(const std::string &packet) {
  if (packet.size() < 3 || packet[1] > '1') {
    return send("");
  }
  const uint64_t address = std::strtoull(packet.c_str() + 3, nullptr, 16);
  if (packet[0] == 'Z') {
    breakpoints_.insert(address);
  } else {
    breakpoints_.erase(address);
  }
  send("OK");
}

}  // namespace soc
