"""IP-XACT files (IEEE 1685-2014) of what stands behind AXI: TOP.xml, made of the Verilog's header, TOP.f and the table of
registers.

    ipxact.py check    are they what this makes, and has each the ports that Yosys finds in the Verilog, in several shapes?
    ipxact.py write    writes them

Buses are ports with AXI's names, s_axi_awvalid: of bus types as Arm names them. What those do not know (AWATOP of AXI5)
and all other ports belong to no bus.  Exits 1, with a line for each difference.
SPDX-License-Identifier: Apache-2.0
"""
import json
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree

URI = "http://www.accellera.org/XMLSchema/IPXACT/1685-2014"
NAMES = {"": URI}
REGISTERS = "../sw/hal/attention_registers.def"
TOPS = {"attention_axi": ["D=64", "D=5 P=3 NQ=2 N=21", "D=4 P=1 N=1 STREAM_W=24"],
        "gm_axi": ["LANES=16", "LANES=4 ADDR_W=5 AXI_W=12 ID_W=3 LEN_W=4"]}
BUSES = {"axil": ("AXI4-Lite", "r0p0_0"), "axi": ("AXI4", "r0p0_0"), "axis": ("AXI4Stream", "r0p0_1")}
BUS = re.compile(r"([sm])_(axil|axis|axi)(?:_(kv|q|mask|carry|out))?_([a-z]+)$")
NOT_OF_BUS = {"AWATOP"}
ACCESS = {"RO": "read-only", "RW": "read-write", "WO": "write-only", "W1": "read-write"}


# ---------------------------------------------------------------- what the sources say
def header(top):
    """Parameters [(name, value)] and ports [(name, direction, left or None, comment)] of a module."""
    with open(f"axi/{top}.v", encoding="utf-8") as text:
        head = re.search(rf"^module {top} #\((.*?)^\) \((.*?)^\);", text.read(), re.M | re.S)
    parameters = re.findall(r"^\s*parameter\s+(\w+)\s*=\s*([^,\n]+)", head[1], re.M)
    ports = re.findall(r"^\s*(input|output)\s+wire\s+(?:\[(.+):0\]\s+)?(\w+),?[ \t]*(?://[ \t]*(.*))?$", head[2], re.M)
    return parameters, [(name, direction, left or None, comment) for direction, left, name, comment in ports]


def sentence(path):
    """The first line of a file's comment, without the name."""
    with open(path, encoding="utf-8") as text:
        return text.readline().split(": ", 1)[1].strip()


def registers():
    with open(REGISTERS, encoding="utf-8") as text:
        return re.findall(r'^ATTENTION_REG\((\w+), +0x(\w+), +(\w+), +([^,]+), +"(.*)"\)', text.read(), re.M)


# ---------------------------------------------------------------- the file
def put(parent, tag, text=None, /, **attributes):
    node = tree.SubElement(parent, tag, attributes)
    node.text = text
    return node


def put_vlnv(parent, name, version="1.0.0"):
    for tag, text in (("vendor", "amalgam"), ("library", "ip"), ("name", name), ("version", version)):
        put(parent, tag, text)


def buses(ports):
    """{bus: (side, kind, [(AXI's name, port)])}, in the order of ports."""
    found = {}
    for name, *_ in ports:
        match = BUS.match(name)
        if match and match[4].upper() not in NOT_OF_BUS:
            bus = name.rsplit("_", 1)[0]
            found.setdefault(bus, (match[1], match[2], []))[2].append((match[4].upper(), name))
    return found


def put_bus(parent, bus, side, kind, pins, memory_map):
    name, version = BUSES[kind]
    node = put(parent, "busInterface")
    put(node, "name", bus)
    put(node, "busType", vendor="amba.com", library="AMBA4", name=name, version=version)
    kinds = put(put(node, "abstractionTypes"), "abstractionType")
    put(kinds, "abstractionRef", vendor="amba.com", library="AMBA4", name=name + "_rtl", version=version)
    maps = put(kinds, "portMaps")
    for logical, physical in [("ACLK", "aclk"), ("ARESETn", "aresetn")] + pins:
        one = put(maps, "portMap")
        put(put(one, "logicalPort"), "name", logical)
        put(put(one, "physicalPort"), "name", physical)
    end = put(node, "slave" if side == "s" else "master")
    if memory_map:
        put(end, "memoryMapRef", memoryMapRef=memory_map)


def put_register(block, name, offset, access, text):
    node = put(block, "register")
    put(node, "name", name)
    put(node, "description", text)
    if name == "LIMIT":
        put(node, "dim", "NQ")
    put(node, "addressOffset", "'h" + offset)
    put(node, "size", "32")
    field = put(node, "field")
    put(field, "name", "VALUE")
    put(field, "bitOffset", "0")
    put(field, "bitWidth", "32")
    put(field, "access", ACCESS[access])
    if access == "W1":
        put(field, "modifiedWriteValue", "oneToClear")


def put_registers(parent):
    node = put(put(parent, "memoryMaps"), "memoryMap")
    put(node, "name", "registers")
    block = put(node, "addressBlock")
    for tag, text in (("name", "registers"), ("baseAddress", "0"), ("range", "'h400"), ("width", "32")):
        put(block, tag, text)
    for name, offset, access, _, text in registers():
        put_register(block, name, offset, access, text)
    put(node, "addressUnitBits", "8")


def put_port(parent, name, direction, left, comment):
    node = put(parent, "port")
    put(node, "name", name)
    if comment:
        put(node, "description", comment)
    wire = put(node, "wire")
    put(wire, "direction", "in" if direction == "input" else "out")
    if left:
        vector = put(put(wire, "vectors"), "vector")
        put(vector, "left", left)
        put(vector, "right", "0")


def put_model(parent, top, parameters, ports):
    model = put(parent, "model")
    view = put(put(model, "views"), "view")
    put(view, "name", "rtl")
    put(view, "componentInstantiationRef", "verilog")
    module = put(put(model, "instantiations"), "componentInstantiation")
    put(module, "name", "verilog")
    put(module, "language", "verilog")
    put(module, "moduleName", top)
    own = put(module, "moduleParameters")
    for name, _ in parameters:
        one = put(own, "moduleParameter", parameterId="module_" + name, type="int")
        put(one, "name", name)
        put(one, "value", name)
    put(put(module, "fileSetRef"), "localName", "rtl")
    all_ports = put(model, "ports")
    for port in ports:
        put_port(all_ports, *port)


def put_files(parent, top):
    files = put(put(parent, "fileSets"), "fileSet")
    put(files, "name", "rtl")
    with open(top + ".f", encoding="utf-8") as lines:
        sources = [line.strip() for line in lines if not line.startswith(("//", "+"))]
    for source in ["lib/assert.vh"] + sources:
        one = put(files, "file")
        put(one, "name", source)
        put(one, "fileType", "verilogSource")
        if source.endswith(".vh"):
            put(one, "isIncludeFile", "true")


def made(top):
    parameters, ports = header(top)
    root = tree.Element("component", {"xmlns": URI})
    put_vlnv(root, top)
    has_registers = any(name.startswith("s_axil_") for name, *_ in ports)
    interfaces = put(root, "busInterfaces")
    for bus, (side, kind, pins) in buses(ports).items():
        put_bus(interfaces, bus, side, kind, pins, "registers" if has_registers and kind == "axil" else None)
    if has_registers:
        put_registers(root)
    put_model(root, top, parameters, ports)
    put_files(root, top)
    put(root, "description", sentence(f"axi/{top}.v"))
    own = put(root, "parameters")
    for name, value in parameters:
        one = put(own, "parameter", parameterId=name, resolve="user", type="int")
        put(one, "name", name)
        put(one, "value", value)
    tree.indent(root)
    start = '<?xml version="1.0" encoding="UTF-8"?>\n<!-- Made by ipxact.py.  SPDX-License-Identifier: Apache-2.0 -->\n'
    return start + tree.tostring(root, encoding="unicode") + "\n"


# ---------------------------------------------------------------- against Yosys
def text_of(node, path):
    return node.findtext(path, namespaces=NAMES)


def stub(root, top):
    """A module with the parameters and ports that the file has; Yosys takes one with nothing inside for a black box."""
    parameters = [f"parameter {text_of(one, 'name')} = {text_of(one, 'value')}"
                  for one in root.findall("parameters/parameter", NAMES)]
    ports = []
    for one in root.findall("model/ports/port", NAMES):
        left = text_of(one, "wire/vectors/vector/left")
        ports.append(f"{text_of(one, 'wire/direction')}put {f'[{left}:0] ' if left else ''}{text_of(one, 'name')}")
    return f"module {top} #({', '.join(parameters)}) ({', '.join(ports)}); wire inside = aclk; endmodule\n"


def ports_of(path, top, shape):
    sets = " ".join(f"-set {pair.replace('=', ' ')}" for pair in shape.split())
    script = f"read_verilog -Ilib {path}; chparam {sets} {top}; proc; write_json /dev/stdout"
    text = subprocess.run(["yosys", "-q", "-p", script], check=True, capture_output=True, text=True).stdout
    module, = json.loads(text[text.index("{"):])["modules"].values()
    return [(name, port["direction"], len(port["bits"])) for name, port in module["ports"].items()]


def compare(top, shape, root):
    with tempfile.NamedTemporaryFile("w", suffix=".v", encoding="utf-8") as file:
        file.write(stub(root, top))
        file.flush()
        here = ports_of(file.name, top, shape)
    there = ports_of(f"axi/{top}.v", top, shape)
    return [f"{top}.xml: {shape}: port {one}" for one in sorted(set(here) ^ set(there))]


def check(top):
    with open(top + ".xml", encoding="utf-8") as file:
        text = file.read()
    wrong = [] if text == made(top) else [f"{top}.xml: not what ipxact.py makes; run rtl/filelists.sh write"]
    root = tree.fromstring(text)
    mapped = [one.text for one in root.findall(".//physicalPort/name", NAMES)]
    names = [text_of(one, "name") for one in root.findall("model/ports/port", NAMES)]
    wrong += [f"{top}.xml: {one} is no port" for one in sorted(set(mapped) - set(names))]
    return wrong + [line for shape in TOPS[top] for line in compare(top, shape, root)]


def main(word):
    if word == "write":
        for top, text in [(top, made(top)) for top in TOPS]:
            with open(top + ".xml", "w", encoding="utf-8") as file:
                file.write(text)
        return 0
    wrong = [line for top in TOPS for line in check(top)]
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if len(sys.argv) != 2 or sys.argv[1] not in ("check", "write"):
    sys.exit("ipxact.py: expected check or write")
sys.exit(main(sys.argv[1]))
