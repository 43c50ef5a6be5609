// Packets of GDB's protocol and what the server answers, word for word: what is cut, not hexadecimal or outside of the
// program is E01 and changes nothing.
// SPDX-License-Identifier: Apache-2.0
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

#include "soc/scalar/gdb_server.h"

namespace {

using soc::gdb_server;

class program : public gdb_server::target {
 public:
  uint64_t read_register(unsigned number) override { return registers_[number]; }
  bool write_register(unsigned number, uint64_t value) override {
    registers_[number] = value;
    return true;
  }
  bool read_memory(uint64_t address, uint8_t *bytes, size_t count) override {
    const bool good = address < sizeof memory_ && count <= sizeof memory_ - address;
    if (good) {
      std::memcpy(bytes, memory_ + address, count);
    }
    return good;
  }
  bool write_memory(uint64_t address, const uint8_t *bytes, size_t count) override {
    const bool good = address < sizeof memory_ && count <= sizeof memory_ - address;
    if (good) {
      std::memcpy(memory_ + address, bytes, count);
    }
    return good;
  }
  void standing() override {}
  bool abandoned() const override { return false; }
  std::string ask(const std::string &request) override { return request.empty() ? "" : "asked " + request + "\n"; }

 private:
  uint64_t registers_[gdb_server::kRegisters] = {};
  uint8_t memory_[64] = {};
};

struct exchange {
  const char *packet, *answer;
};
const exchange exchanges[] = {
    {"?", "S05"},
    {"p1", "0000000000000000"},
    {"P1=0102030405060708", "OK"},
    {"p1", "0102030405060708"},
    {"P1=11", "E01"},  // not eight bytes
    {"P1=111213141516171819", "E01"},
    {"P1=111213141516171x", "E01"},
    {"P1:1112131415161718", "E01"},
    {"P1", "E01"},
    {"P21=1112131415161718", "E01"},  // there are 0x21
    {"p21", "E01"},
    {"p1", "0102030405060708"},
    {"P20=1000000000000000", "OK"},  // the program counter
    {"p20", "1000000000000000"},
    {"P20=20", "E01"},
    {"p20", "1000000000000000"},
    {"M3e,2:abcd", "OK"},
    {"m3e,2", "abcd"},
    {"M3e,2:", "E01"},
    {"M3e,2:1", "E01"},
    {"M3e,2:xy", "E01"},
    {"M3e,2", "E01"},
    {"M3f,2:1234", "E01"},
    {"m3e,2", "abcd"},
    {"m3f,2", "E01"},
    {"m40,1", "E01"},
    {"m3e,0", "E01"},
    {"m3e", "E01"},
    {"Z0,10,2", "OK"},
    {"z0,10,2", "OK"},
    {"Z2,10,2", ""},  // no watchpoints
    {"Z0", ""},
    {"qRcmd,6869", "O61736b65642068690a"},  // "hi": "asked hi\n"
    {nullptr, "OK"},                        // after the text
    {"qRcmd,", "OK"},                       // nothing to say
    {"qRcmd,6", "E01"},
    {"qRcmd,zz", "E01"},
    {"qAttached", "1"},
    {"qC", "QC1"},
    {"qfThreadInfo", "m1"},
    {"qsThreadInfo", "l"},
    {"qXfer:features:read:target.xml:0,5", "m<?xml"},
    {"qXfer:features:read:target.xml:fffff,5", "l"},
    {"qXfer:features:read:target.xml:0", "m"},
    {"Hg0", "OK"},
    {"vMustReplyEmpty", ""},
};

std::string framed(const std::string &data) {
  unsigned sum = 0;
  for (const char c : data) {
    sum += static_cast<uint8_t>(c);
  }
  char end[8];
  std::snprintf(end, sizeof end, "#%02x", sum & 0xFF);
  return "$" + data + end;
}

}  // namespace

int main() {
  std::string sent = "$p1#00" + framed("QStartNoAckMode");  // of a wrong sum: asked for again
  std::string expected = framed("S05") + "-+" + framed("OK");
  for (const exchange &e : exchanges) {
    sent += e.packet == nullptr ? "" : framed(e.packet);
    expected += framed(e.answer);
  }
  sent += framed("c");
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0 ||
      write(ends[0], sent.data(), sent.size()) != static_cast<ssize_t>(sent.size())) {
    std::perror("gdb_packets");
    return 1;
  }
  {
    program target;
    gdb_server server("cube0", gdb_server::connection{ends[1]});
    server.begin(target, "input.elf");
  }
  std::string got;
  char bytes[4096];
  for (ssize_t count; (count = read(ends[0], bytes, sizeof bytes)) > 0;) {
    got.append(bytes, static_cast<size_t>(count));
  }
  size_t same = 0;
  while (same < got.size() && same < expected.size() && got[same] == expected[same]) {
    ++same;
  }
  if (got != expected) {
    const size_t from = expected.rfind('$', same);
    std::printf("expected %s\ngot      %s\n", expected.substr(from, 80).c_str(), got.substr(from, 80).c_str());
    return 1;
  }
  std::printf("%zu packets\n", sizeof exchanges / sizeof *exchanges);
  return 0;
}
