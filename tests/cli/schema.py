#!/usr/bin/python3
"""schema.py [--broken] SCHEMA KIND=FILE...: is each file what the schema's definition KIND says, and KIND one that the
schema lists? With --broken, each file must be refused instead."""
# SPDX-License-Identifier: Apache-2.0
import json
import sys

import jsonschema


def problems(schema, kind, document):
    """One line for each member that is not as it should be."""
    one = {"$ref": "#/$defs/" + kind, "$defs": schema["$defs"]}
    found = [f"{'.'.join(map(str, e.absolute_path)) or 'all of it'}: {e.message[:200]}"
             for e in jsonschema.Draft202012Validator(one).iter_errors(document)]
    whole = jsonschema.Draft202012Validator(schema)
    return found or ([] if whole.is_valid(document) else ["not in the schema's list of kinds"])


def read(name):
    with open(name, encoding="utf-8") as file:
        return json.load(file)


def main(words):
    broken = words[0] == "--broken"
    schema = read(words[broken])
    jsonschema.Draft202012Validator.check_schema(schema)
    failed = False
    for word in words[broken + 1:]:
        kind, name = word.split("=", 1)
        found = problems(schema, kind, read(name))
        if broken == bool(found):
            continue
        failed = True
        for line in found[:5] or ["is not refused"]:
            print(f"{name} ({kind}): {line}")
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
