"""Which registers have a reset: those that resets.txt names, no others, by rst_ni or aresetn_i, asynchronous and
active low; and every register has the rising edge of the one clock.

From Yosys' netlists of all modules in their default shapes. Exits 1, with a line for each difference.
SPDX-License-Identifier: Apache-2.0
"""
import glob
import json
import subprocess
import sys

CLOCKS = {"clk_i", "aclk"}
RESETS = {"rst_ni", "aresetn", "arst_ni"}
PLAIN = {"$dff", "$dffe"}
RESET = {"$adff", "$adffe"}
STATE = PLAIN | RESET | {"$dffsr", "$dffsre", "$aldff", "$aldffe", "$sdff", "$sdffe", "$sdffce", "$dlatch", "$adlatch", "$sr"}
wrong = []


def modules():
    files = " ".join(sorted(glob.glob("*/*.v")))
    script = f"read_verilog -Ilib {files}; proc; write_json /dev/stdout"
    text = subprocess.run(["yosys", "-q", "-p", script], check=True, capture_output=True, text=True).stdout
    return json.loads(text[text.index("{"):])["modules"]


def register(module, bits):
    """The name of a register: the shortest one of its nets, best one that ends in _q."""
    names = [name for name, net in module["netnames"].items() if set(bits) & set(net["bits"]) and name[0] != "$"]
    return min(names, key=lambda name: (not name.endswith("_q"), len(name)), default="?").rsplit(".", 1)[-1]


def driver(module, cell, port):
    bit = cell["connections"][port][0]
    return next((name for name, one in module["ports"].items() if bit in one["bits"]), "not a port")


def look_at(name, module):
    """The registers of a module that have a reset."""
    found = set()
    for cell in module["cells"].values():
        kind = cell["type"]
        if kind not in STATE:
            continue
        what = f"{name}: {register(module, cell['connections']['Q'])}"
        if kind not in PLAIN | RESET:
            wrong.append(f"{what}: a {kind}")
            continue
        if int(cell["parameters"]["CLK_POLARITY"], 2) != 1 or driver(module, cell, "CLK") not in CLOCKS:
            wrong.append(f"{what}: not the rising edge of the clock")
        if kind in RESET:
            found.add(register(module, cell["connections"]["Q"]))
            if int(cell["parameters"]["ARST_POLARITY"], 2) != 0 or driver(module, cell, "ARST") not in RESETS:
                wrong.append(f"{what}: its reset is another one")
    return found


def stated():
    with open("resets.txt", encoding="utf-8") as lines:
        words = [line.split() for line in lines if line.strip() and not line.startswith("#")]
    return {line[0]: set(line[1:]) for line in words}


want = stated()
have = {name: found for name, module in modules().items() if (found := look_at(name, module))}
for name in sorted(want.keys() | have.keys()):
    gone, new = want.get(name, set()) - have.get(name, set()), have.get(name, set()) - want.get(name, set())
    wrong.extend(f"{name}: {one} has no reset, and rtl/resets.txt says so" for one in sorted(gone))
    wrong.extend(f"{name}: {one} has a reset that rtl/resets.txt does not know" for one in sorted(new))
print("\n".join(wrong), end="\n" if wrong else "")
sys.exit(1 if wrong else 0)
