#!/usr/bin/env python3
"""Has the specification's own tools judge the tags that nfcctl makes and changes, and nfcctl those that the tools make.

    Tests/Foreign/openprinttag.py --programs FOLDER [--specification FOLDER] [--python PROGRAM] [--keep FOLDER]

--programs is the folder of nfcd and nfcctl. --specification is a clone of OpenPrintTag (github.com/OpenPrintTag/openprinttag-specification,
MIT), $OPENPRINTTAG by default; --python is a Python of 3.12 or later with its requirements.txt, $OPENPRINTTAG_PYTHON by default, or
the one of .venv in that folder. --keep keeps the configuration, images and logs in a new folder.

Nothing is fetched. Exit codes: 0 passed, 1 failed, 69 something is missing.
"""
import argparse
import csv
import json
import os
import pathlib
import shutil
import subprocess
import sys

from checks import Checks
from transports import missing

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "Tests/Soak"), str(ROOT / "Tests/Hostile"), str(ROOT / "Scripts/lib")]
from programs import Program, is_listening, wait_for, work_folder  # noqa: E402
from wire import Client  # noqa: E402

UID = "E0040108662F6FBC"
# Of a virtual tag whose file has none.
MADE_UP_UID = "E0FF000000000001"
# The URI and the room for what changes with use, of tags that the tools make.
LINK = "https://example.com/s/42"
NAMES = ["brand_name=Example", "material_name=Jet Black", "material_type=PETG", "gtin=8594173675001"]
WEIGHTS = ["nominal_netto_full_weight=1000", "empty_container_weight=187"]
TEMPERATURES = ["min_print_temperature=230", "max_print_temperature=250", "min_bed_temperature=70", "max_bed_temperature=90"]
# What a tag is made of, and what is done with it then: the words of nfcctl spool, and the consumed weight afterwards.
COURSES = {
    "a full set of fields": (
        [*NAMES, *WEIGHTS, *TEMPERATURES, "tags=matte,recycled", "primary_color=#24292a", "density=1.27"],
        [(["use", "12.5"], 12.5), (["use", "300"], 312.5), (["weigh", "843"], 344), (["weigh", "1000", "--empty", "200"], 200),
         (["set", "storage_location=B3"], 200), (["use", "0.1", "--workgroup", "desk"], 200.1),
         (["set", "storage_location=", "material_abbreviation=PETG"], 200.1), (["set", "consumed_weight="], None),
         (["set", "--empty-aux", "purchase_currency=EUR"], None)]),
    "a link and a large aux": (
        [*NAMES, *WEIGHTS, "--uri", LINK, "--aux-size", "64"],
        [(["use", "255"], 255), (["use", "1"], 256), (["set", "purchase_price=24.99", "purchase_time=1757420263"], 256)]),
    "a weight of five bytes": (
        [*NAMES, *WEIGHTS, "--fixed-weight", "--workgroup", "desk"],
        [(["use", "23"], 23), (["use", "0.5", "--workgroup", "desk"], 23.5), (["use", "300"], 323.5)]),
    "no more than is required": (["nominal_netto_full_weight=750"], [(["use", "749"], 749), (["set", "aux.workgroup=a"], 749)]),
}
# What the specification does not allow.
REFUSED = [
    ["min_print_temperature=260", "max_print_temperature=250"], ["preheat_temperature=251", "max_print_temperature=250"],
    ["min_bed_temperature=91", "max_bed_temperature=90"], ["min_chamber_temperature=50", "chamber_temperature=40"],
    ["chamber_temperature=50", "max_chamber_temperature=40"],
    ["nominal_netto_full_weight=1000", "actual_netto_full_weight=999"],
    ["nominal_full_length=300", "actual_full_length=299"],
    ["container_hole_diameter=60", "container_inner_diameter=50"], ["container_inner_diameter=60", "container_outer_diameter=50"],
]
# What is done with a weight of 200.1 g, and the weights afterwards: a half float or an integer would hold some of them.
OF_SINGLES = [
    (["use", "0.4"], 200.5), (["use", "55.5"], 256), (["weigh", "843", "--empty", "187"], 344), (["use", "0.1"], 344.1),
    (["set", "consumed_weight=0"], 0), (["use", "12.5"], 12.5)]
# The sizes of tags that the tools make, with other options.
LAYOUTS = {
    "304": ["--size=304", "--aux-region=32"], "304 with a link": ["--size=304", "--aux-region=32", f"--ndef-uri={LINK}"],
    "312": ["--size=312", "--aux-region=16"], "304 with a wide meta": ["--size=304", "--aux-region=32", "--meta-region=16"],
}


class Judge(Checks):
    """The checks, of which those of one tag are printed together."""

    shows_each = False


class Tools:
    """The specification's own tools."""

    def __init__(self, folder, python):
        self.folder, self.python = folder, python

    def run(self, name, *words, data=b""):
        command = [self.python, f"{self.folder}/utils/{name}.py", *words]
        return subprocess.run(command, input=data, capture_output=True, timeout=60)

    def image(self, layout, *files):
        """An image of a tag, filled from files; nil where a file does not fit."""
        made = self.run("nfc_initialize", *layout)
        for file in files:
            made = self.run("rec_update", str(file), data=made.stdout)
            if made.returncode != 0:
                return None
        return made.stdout

    def judged(self, image, uid=None):
        """The exit status, and what the tools say about an image."""
        words = ["--show-all", "--validate", "--opt-check", *([f"--tag-uid={uid}"] if uid else [])]
        answer = self.run("rec_info", *words, data=image)
        if not answer.stdout:
            return answer.returncode, {"fault": answer.stderr.decode()[-400:]}
        program = "import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin), sys.stdout, default=str)"
        text = subprocess.run([self.python, "-c", program], input=answer.stdout, capture_output=True, check=True).stdout
        return answer.returncode, json.loads(text)


class Desk:
    """nfcd with a simulated reader that supports every type of tag, and nfcctl."""

    def __init__(self, folder, programs):
        configuration = pathlib.Path(folder, "nfcd.toml")
        configuration.write_text("[journal]\ndebounce = 0\n")
        self.socket = os.path.join(folder, "nfcd.sock")
        self.nfcctl = f"{programs}/nfcctl"
        self.nfcd = Program("nfcd", [
            f"{programs}/nfcd", "--config", str(configuration), "--socket", self.socket, "--simulator", "1",
            "--simulator-model", "acr1552u"], folder)
        self.tag = None

    def start(self):
        self.nfcd.start()
        wait_for(lambda: is_listening(self.socket), "the start of nfcd")

    def stop(self):
        self.take_away(waits=False)
        self.nfcd.hold(kill=True)

    def run(self, *words):
        """The status, standard output and standard error of nfcctl."""
        finished = subprocess.run(
            [self.nfcctl, *words], env={**os.environ, "NFCD_SOCKET": self.socket}, text=True, capture_output=True,
            stdin=subprocess.DEVNULL, timeout=60)
        return finished.returncode, finished.stdout, finished.stderr

    def state(self):
        with Client(self.socket) as client:
            return client.call("readers.list")[0]["state"]

    def present(self, *words, waits=True):
        """Holds a virtual tag to the reader instead of another; the reader of a session has no state to wait for."""
        self.take_away(waits)
        self.tag = subprocess.Popen(
            [self.nfcctl, "virtual-tag", *words], env={**os.environ, "NFCD_SOCKET": self.socket},
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if waits:
            wait_for(lambda: self.state() == "present", f"the detection of {words}")

    def take_away(self, waits=True):
        if self.tag:
            self.tag.terminate()
            self.tag.wait()
            if waits:
                wait_for(lambda: self.state() == "empty", "the end of a tag")
        self.tag = None

    def image(self):
        """What is on the tag, from its container on."""
        status, text, errors = self.run("dump", "--json")
        if status != 0:
            sys.exit(f"failed: dump ends with {status}: {errors}")
        dump = json.loads(text)
        memory = b"".join(
            bytes.fromhex(block["bytes"] or "00" * dump["blockSize"]) for section in dump["sections"]
            for block in section["blocks"])
        return memory[12:] if dump["layout"] == "type2" else memory

    def spool(self):
        status, text, errors = self.run("spool", "show", "--json")
        if status != 0:
            sys.exit(f"failed: spool show ends with {status}: {errors}")
        return json.loads(text)


def same(one, other):
    """Whether two values say the same: the tools have whole numbers as such, and colours with or without alpha as on the tag."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return abs(one - other) < 0.001
    return one == other


def errors_of(report):
    return report["validate"]["errors"] + report["opt_check"]["errors"]


def judge_tag(judge, desk, tools, name, uid):
    """Compares what both say about the tag on the reader."""
    status, theirs = tools.judged(desk.image(), uid)
    judge.check(f"{name}: rec_info reads the tag", "data" in theirs, theirs)
    ours = desk.spool()
    judge.check(f"{name}: both read the same", same(theirs["data"], ours["spool"]["data"]), (theirs["data"], ours["spool"]))
    judge.check(f"{name}: both agree whether there are errors", bool(errors_of(theirs)) == bool(ours["check"]["errors"]), (
        errors_of(theirs), ours["check"]["errors"]))
    uuids = {key: value for key, value in theirs["opt_check"]["uuids"].items() if value}
    judge.check(f"{name}: both derive the same UUIDs", uuids == ours["uuids"], (uuids, ours["uuids"]))
    return status, theirs


def judge_ours(judge, desk, tools):
    """Every tag that nfcctl makes, after every command."""
    for model in ("slix2", "ntag215", "ntag216"):
        uid = UID if model == "slix2" else None
        for title, (fields, course) in COURSES.items():
            name = f"{model}, {title}"
            desk.present(model, *(["--uid", UID] if uid else []))
            status, _, errors = desk.run("spool", "new", "--format", *fields)
            judge.check(f"{name}: is made", status == 0, errors)
            status, theirs = judge_tag(judge, desk, tools, name, uid)
            judge.check(f"{name}: rec_info accepts it", status == 0, theirs)
            for words, consumed in course:
                step = f"{name}, {' '.join(words)}"
                status, _, errors = desk.run("spool", *words)
                judge.check(f"{step}: is done", status == 0, errors)
                status, theirs = judge_tag(judge, desk, tools, step, uid)
                judge.check(f"{step}: rec_info accepts it", status == 0, theirs)
                judge.check(f"{step}: has the weight", same(theirs["data"]["aux"].get("consumed_weight"), consumed), theirs["data"])
            print(f"ok {judge.steps}: {name}")


def judge_refusals(judge, desk, tools, folder):
    """What the specification's tools call an error is not written."""
    for fields in REFUSED:
        name = " ".join(fields)
        file = pathlib.Path(folder, "refused.yaml")
        lines = [f"    {field.replace('=', ': ')}" for field in fields]
        file.write_text("\n".join(["data:", "  main:", "    material_class: FFF", *lines, ""]))
        _, theirs = tools.judged(tools.image(LAYOUTS["304"], file))
        judge.check(f"{name}: is an error for rec_info", len(errors_of(theirs)) == 1, theirs)
        desk.present("slix2", "--uid", UID)
        status, _, errors = desk.run("spool", "new", "--format", *fields)
        judge.check(f"{name}: is refused", status == 65 and "cannot be like this" in errors, (status, errors))
        status, _, _ = desk.run("spool", "new", "--format", "material_class=FFF")
        judge.check(f"{name}: the tag is still blank", status == 0, status)
        status, _, errors = desk.run("spool", "set", *fields)
        judge.check(f"{name}: is not set", status == 65 and "cannot be like this" in errors, (status, errors))
    print(f"ok {judge.steps}: refusals")


def judge_theirs(judge, desk, tools, folder):
    """Every image that the tools make: what it says, and that it takes a weight."""
    inputs = sorted(pathlib.Path(tools.folder, "tests/encode_decode").glob("*_input.yaml"))
    inputs += sorted(pathlib.Path(tools.folder, "docs_src/sample_data").glob("data_to_fill.yaml"))
    images = {f"{title}, {file.name}": tools.image(layout, file) for title, layout in LAYOUTS.items() for file in inputs}
    for file in sorted(pathlib.Path(tools.folder).glob("tests/**/*_data.bin")) + sorted(
            pathlib.Path(tools.folder).glob("docs_src/**/*.bin")):
        images[str(file.relative_to(tools.folder))] = file.read_bytes()
    seen = 0
    for name, image in images.items():
        if not image or image[0] != 0xE1:
            continue
        seen += 1
        path = pathlib.Path(folder, f"image-{seen}.bin")
        path.write_bytes(image)
        desk.present(str(path))
        _, before = judge_tag(judge, desk, tools, name, MADE_UP_UID)
        consumed = before["data"].get("aux", {}).get("consumed_weight", 0)
        status, _, errors = desk.run("spool", "use", "12.5")
        judge.check(f"{name}: takes a weight", status == 0, errors)
        _, after = judge_tag(judge, desk, tools, f"{name}, used", MADE_UP_UID)
        judge.check(f"{name}: has the weight", same(after["data"]["aux"]["consumed_weight"], consumed + 12.5), after["data"])
        judge.check(f"{name}: has no other errors", errors_of(after) == errors_of(before), errors_of(after))
        judge.check(f"{name}: keeps all of main", after["raw_data"]["main"] == before["raw_data"]["main"])
        judge.check(f"{name}: keeps what is unknown", after.get("unknown_fields") == before.get("unknown_fields"), after)
    judge.check("there are images of the tools", seen >= len(inputs), seen)
    print(f"ok {judge.steps}: {seen} images of the tools")


def judge_singles(judge, desk, tools, folder):
    """A weight that the tools have written as a single float stays one, so that a change is one of its digits alone."""
    file, path = pathlib.Path(folder, "single.yaml"), pathlib.Path(folder, "single.bin")
    file.write_text(
        "data:\n  main:\n    material_class: FFF\n    nominal_netto_full_weight: 1000\n  aux:\n    consumed_weight: 200.1\n")
    path.write_bytes(tools.image(LAYOUTS["304"], file))
    desk.present(str(path))
    _, before = judge_tag(judge, desk, tools, "a single float", MADE_UP_UID)
    # A map with the key 0 and a single float.
    judge.check("the tools write a single float", before["raw_data"]["aux"].startswith("bf00fa"), before["raw_data"])
    for words, consumed in OF_SINGLES:
        step = f"a single float, {' '.join(words)}"
        status, _, errors = desk.run("spool", *words)
        judge.check(f"{step}: is done", status == 0, errors)
        _, after = judge_tag(judge, desk, tools, step, MADE_UP_UID)
        judge.check(f"{step}: has the weight", same(after["data"]["aux"]["consumed_weight"], consumed), after["data"])
        judge.check(f"{step}: is still one", after["raw_data"]["aux"].startswith("bf00fa"), after["raw_data"])
    print(f"ok {judge.steps}: single floats")


def judge_batch(judge, desk, tools, folder):
    """Tags of a table."""
    table, report = pathlib.Path(folder, "spools.csv"), pathlib.Path(folder, "report.csv")
    table.write_text(
        "material_type,material_name,nominal_netto_full_weight,uri\n"
        f"PLA,Black,1000,{LINK}\nPETG,Black,750,\nPLA,White,1000,\n")
    models = ["slix2", "ntag216", "ntag215"]
    batch = subprocess.Popen(
        [desk.nfcctl, "spool", "new", "--each", "--format", "--csv", str(table), "--report", str(report), *NAMES[:1]],
        env={**os.environ, "NFCD_SOCKET": desk.socket}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        stdin=subprocess.DEVNULL)
    try:
        wait_for(report.exists, "the report")
        for number, model in enumerate(models, 1):
            desk.present(model, "--uid", f"E00401086600000{number}" if model == "slix2" else f"0411223344550{number}", waits=False)
            wait_for(lambda number=number: len(report.read_text().splitlines()) > number, f"the line of number {number}")
        judge.check("the batch ends", batch.wait(60) == 0)
    finally:
        batch.kill()
        batch.wait()
        batch.stderr.close()
    for number, line in enumerate(csv.DictReader(report.read_text().splitlines()), 1):
        message = bytes.fromhex(line["ndef"])
        image = b"\xE1\x40\x80\x01\x03\xFF" + len(message).to_bytes(2, "big") + message + b"\xFE"
        status, theirs = tools.judged(image)
        judge.check(f"number {number} of the batch: rec_info accepts it", status == 0, theirs)
    print(f"ok {judge.steps}: a batch")


def found(options):
    """The options, where everything that they name exists."""
    for name in ("nfcd", "nfcctl"):
        if not os.access(f"{options.programs}/{name}", os.X_OK):
            missing(f"{options.programs}/{name} is missing")
    options.programs = os.path.abspath(options.programs)
    if not options.specification or not os.path.isfile(f"{options.specification}/utils/rec_info.py"):
        missing("--specification names no clone of OpenPrintTag's specification")
    options.specification = os.path.abspath(options.specification)
    options.python = options.python or f"{options.specification}/.venv/bin/python"
    if not shutil.which(options.python):
        missing(f"{options.python} is not a Python")
    ready = [options.python, "-c", "import sys, cbor2, ndef, yaml, jsonschema, referencing; sys.exit(sys.version_info < (3, 12))"]
    if subprocess.run(ready, capture_output=True).returncode != 0:
        missing(f"{options.python} is not a Python of 3.12 or later with the requirements.txt of OpenPrintTag's specification")
    return options


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--programs", required=True)
    parser.add_argument("--specification", default=os.environ.get("OPENPRINTTAG"))
    parser.add_argument("--python", default=os.environ.get("OPENPRINTTAG_PYTHON"))
    parser.add_argument("--keep")
    options = found(parser.parse_args())
    judge, tools = Judge(), Tools(options.specification, options.python)
    with work_folder(options.keep) as folder:
        desk = Desk(folder, options.programs)
        try:
            desk.start()
            judge_ours(judge, desk, tools)
            judge_refusals(judge, desk, tools, folder)
            judge_theirs(judge, desk, tools, folder)
            judge_singles(judge, desk, tools, folder)
            judge_batch(judge, desk, tools, folder)
            judge.check("nfcd did not end by itself", not desk.nfcd.crashes, desk.nfcd.crashes)
        finally:
            desk.stop()
    print(f"passed: {judge.steps} checks")


if __name__ == "__main__":
    main()
