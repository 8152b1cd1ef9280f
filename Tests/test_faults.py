"""A fault that was found once has a test for ever: `faults.tsv` names it, and these look whether it is there.

Columns: the fault; where it was found (cases of others, or the commit that mended it); its test, at the lowest ring that can
show it; that ring. A test of pytest is named as it is collected, with a parameter only where one case alone shows the fault;
one of Swift `swift:TARGET.SUITE/FUNCTION`; one of the page's scripts `js:FILE:NAME`, with its name as the file has it."""

import ast
import csv
import itertools
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent
COLUMNS = ("fault", "found", "test", "ring")
SUITE = re.compile(
    r"(?:@\w+(?:\([^)]*\))? )*(?:(?:package|private|final) )*(?:struct|class|enum|actor|extension) (\w+)"
)
SWIFT_TEST = re.compile(r"^\s*@Test\b")
FUNCTION = re.compile(r"\bfunc (\w+)\(")
SCRIPT_TEST = re.compile(r'^\s*test\((?:("(?:[^"\\]|\\.)*")|`((?:[^`\\]|\\.)*)`)', re.MULTILINE)
# Tells what is collected in all rings, and in which ring each test is. It runs in a process of its own: a run of one ring
# does not know what another one collects.
COLLECT = """
import json, sys, pytest
class Rings:
    def pytest_collection_finish(self, session):
        (rings,) = (each for each in session.config.pluginmanager.get_plugins() if hasattr(each, "ring_of"))
        collected = [("Tests/" + item.nodeid, rings.ring_of(item)) for item in session.items]
        with open(sys.argv[1], "w") as file:
            json.dump([rings.RINGS, collected], file)
arguments = ["-c", sys.argv[2], "--collect-only", "-q", "--assert=plain", "--ring=soak", sys.argv[3]]
sys.exit(pytest.main(arguments, plugins=[Rings()]))
"""


def rows():
    with open(TESTS / "faults.tsv", newline="") as file:
        return list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def collected_by_pytest(folder):
    """(the rings from the lowest on, {test: the lowest ring that has a case of it})"""
    listed = folder / "collected.json"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    command = [sys.executable, "-c", COLLECT, listed, TESTS / "pytest.ini", TESTS]
    run = subprocess.run(command, cwd=TESTS.parent, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    rings, cases = json.loads(listed.read_text())
    lowest = {}
    for case, ring in cases:
        for name in {case, case.split("[")[0]}:
            lowest[name] = min(ring, lowest.get(name, ring), key=rings.index)
    return rings, lowest


def swift_tests():
    for path in sorted(TESTS.glob("*Tests/**/*.swift")):
        suite, is_test = None, False
        for line in path.read_text().splitlines():
            if declared := SUITE.match(line):
                suite = declared[1]
            is_test = is_test or SWIFT_TEST.match(line) is not None
            if is_test and (function := FUNCTION.search(line)):
                yield f"swift:{path.relative_to(TESTS).parts[0]}.{suite}/{function[1]}"
                is_test = False


def script_tests():
    for path in sorted((TESTS / "js").glob("*.test.js")):
        for quoted, template in SCRIPT_TEST.findall(path.read_text()):
            yield f"js:{path.name}:{ast.literal_eval(quoted) if quoted else template}"


def test_every_fault_that_was_found_has_its_test_in_its_ring(tmp_path):
    header, *faults = rows()
    rings, known = collected_by_pytest(tmp_path)
    known |= {name: rings[0] for name in itertools.chain(swift_tests(), script_tests())}
    wrong = [] if tuple(header) == COLUMNS else [f"line 1: the columns are {COLUMNS}"]
    told = set()
    for line, row in enumerate(faults, 2):
        if len(row) != len(COLUMNS) or not all(row):
            wrong.append(f"line {line}: {len(COLUMNS)} columns are wanted: {row}")
            continue
        fault, _, name, ring = row
        if not fault.endswith("."):
            wrong.append(f"line {line}: a fault is told in a sentence: {fault}")
        if fault in told:
            wrong.append(f"line {line}: it is told twice: {fault}")
        told.add(fault)
        if name not in known:
            wrong.append(f"line {line}: there is no such test: {name}")
        elif known[name] != ring:
            wrong.append(f"line {line}: it is collected in {known[name]}, not in {ring}: {name}")
    if wrong:
        pytest.fail("\n".join(["faults.tsv is wrong:", *wrong]), pytrace=False)
