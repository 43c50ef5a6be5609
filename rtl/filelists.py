"""FuseSoC's files against the file lists: every target has a top, its files are those of the top's list, and all exist.

Exits 1, with a line for each difference.
SPDX-License-Identifier: Apache-2.0
"""
import glob
import os
import sys

import yaml

wrong = []


def listed(top):
    with open(top + ".f", encoding="utf-8") as lines:
        return {line.strip() for line in lines if not line.startswith(("//", "+"))}


def names(entry):
    return entry if isinstance(entry, str) else next(iter(entry))


def check(path):
    with open(path, encoding="utf-8") as text:
        if text.readline().strip() != "CAPI=2:":
            wrong.append(path + ": the first line of a FuseSoC file is CAPI=2:")
        core = yaml.safe_load(text)
    if core["name"].count(":") != 3:
        wrong.append(f"{path}: name {core['name']}: expected vendor:library:name:version")
    for name, target in core["targets"].items():
        files = [names(one) for part in target["filesets"] for one in core["filesets"][part]["files"]]
        wrong.extend(f"{path}: {one}: no such file" for one in files if not os.path.exists(one))
        wrong.extend(f"{path}: {name}: no parameter {one}" for one in target.get("parameters", [])
                     if one not in core["parameters"])
        verilog = {one for one in files if one.endswith(".v")}
        if name != "lint" and not any(one.endswith(".sdc") for one in files):
            wrong.append(f"{path}: {name}: no constraints")
        for top in (target["toplevel"], ):
            wrong.extend(f"{path}: {name}: {one} is in {top}.f" for one in sorted(listed(top) - verilog))
        tops = {target["toplevel"]} | {one["toplevel"] for one in core["targets"].values()}
        used = set().union(*(listed(top) for top in tops))
        wrong.extend(f"{path}: {name}: {one} is in no list" for one in sorted(verilog - used))


cores = glob.glob("*.core")
for core_file in sorted(cores):
    check(core_file)
if len(cores) < 2:
    wrong.append("rtl/*.core: expected two")
print("\n".join(wrong), end="\n" if wrong else "")
sys.exit(1 if wrong else 0)
