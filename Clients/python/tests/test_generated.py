"""The files that tools/generate.py writes."""

import copy
import importlib
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from support import ROOT, DaemonCase, nfcd, program

sys.path.insert(0, str(ROOT / "tools"))

import generate  # noqa: E402


class GeneratedTests(unittest.TestCase):
    def test_files_are_current(self):
        arguments = [sys.executable, str(ROOT / "tools" / "generate.py"), "--check", "--nfcd", program()]
        result = subprocess.run(arguments, capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_a_stale_or_edited_blocking_form_is_noticed(self):
        source, blocking = generate.asyncio_source(), (generate.PACKAGE / "_blocking.py").read_text(encoding="utf-8")
        self.assertTrue(generate.is_made_of(source, blocking))
        for changed in [source + "\n", source.replace("await ", "await  ", 1), source.replace("# ", "#  ", 1), ""]:
            self.assertFalse(generate.is_made_of(changed, blocking))
        digests = blocking.splitlines()[2]
        for edited in [blocking + "\n", blocking.replace("def close", "def  close"), blocking.replace('"""The', '"""A', 1), "",
                       blocking.replace(digests, "# " + "0" * 16 + digests[18:]), blocking.replace(digests + "\n", "")]:
            self.assertFalse(generate.is_made_of(source, edited))

    def test_what_is_lost_is_found(self):
        old = {"a": str, "b?": [{"c": int}], "d": float}
        self.assertEqual(list(generate.lost(old, dict(old, later=int))), [])
        self.assertEqual(list(generate.lost(old, {"a": int, "b": [{}]})), [".a", ".b?[].c", ".d"])


HEXADECIMAL = {"type": "string", "pattern": generate.HEX}


def method(name, *params, result=None, **more):
    """A method that names a tag, with these parameters: name, schema, whether it is required."""
    place = [(member, {"type": "string"}, True) for member in ("session", "tag")]
    described = [{"name": name, "schema": schema, "required": required, "description": f"The {name}."}
                 for name, schema, required in [*place, *params]]
    return {"name": name, "summary": "Tries it.", "params": described,
            "result": {"name": "result", "required": True, "schema": result or {"type": "object"}}, **more}


def members(required=(), **properties):
    return {"type": "object", "properties": properties, "required": list(required)}


class TrialTests(unittest.TestCase):
    """A method that nfcd does not have: everything about it comes from its description."""

    @classmethod
    def setUpClass(cls):
        cls.document = generate.discover(program())

    def sources(self, *methods):
        document = copy.deepcopy(self.document)
        document["methods"] += methods
        return generate.sources_of(document)

    def package(self, *methods):
        """A package with these methods, and what its commands performed."""
        folder = tempfile.mkdtemp(prefix="nfcd.")
        self.addCleanup(shutil.rmtree, folder)
        name = f"trial_{pathlib.Path(folder).name.replace('.', '_')}"
        shutil.copytree(generate.PACKAGE, pathlib.Path(folder, name))
        for file, source in self.sources(*methods).items():
            pathlib.Path(folder, name, file).write_text(source, encoding="utf-8")
        sys.path.insert(0, folder)
        self.addCleanup(sys.path.remove, folder)
        return importlib.import_module(f"{name}._asyncio_commands")

    def perform(self, commands, answer, call):
        """What a command sends and returns for an answer."""
        sent = []

        class Tag(commands._TagCommands):
            async def _perform(self, request, progress=None):
                sent.append((request.method, {name: value for name, value in request.params.items() if value is not None}, progress))
                return answer

        coroutine = call(Tag({"session": "s", "tag": "t"}))
        with self.assertRaises(StopIteration) as stopped:
            coroutine.send(None)
        return sent[0], stopped.exception.value

    def test_a_trial_method_is_a_command(self):
        trial = method(
            "tag.tryIt", ("firstBlock", {"type": "integer"}, True), ("key", HEXADECIMAL, False), ("progress", {"type": ["boolean", "null"]}, False),
            result=members(["proof"], proof=HEXADECIMAL), description="Without `firstBlock` it fails.", **{"x-requires": ["raw", "lock"]})
        plain, tried = self.sources(), self.sources(trial)
        self.assertEqual(plain["_asyncio_commands.py"], (generate.PACKAGE / "_asyncio_commands.py").read_text(encoding="utf-8"))
        before, command, after = tried["_asyncio_commands.py"].partition("    async def try_it(")
        self.assertEqual(
            command + after.partition("\n\n    @property")[0],
            '''    async def try_it(
        self,
        first_block: int,
        *,
        key: Optional[Bytes] = None,
        progress: Optional[ProgressCallback] = None,
    ) -> bytes:
        """Tries it. Needs `raw` and `lock`.

        Without `first_block` it fails.

        Args:
            first_block: The firstBlock.
            key: The key.
            progress: Called with what is done and the total.
        """
        return octets((await self._perform(
            methods.tag_try_it(
                **self._at,
                first_block=first_block,
                key=key,
                progress=progress is not None or None,
            ),
            progress,
        ))["proof"])''')
        self.assertEqual(before.rstrip() + after.partition("[\"proof\"])")[2], plain["_asyncio_commands.py"])

    def test_both_forms_have_it(self):
        source = self.sources(method("tag.tryIt"))["_asyncio_commands.py"].partition(generate.MARK)[2]
        self.assertIn("    async def try_it(self) -> None:", source)
        self.assertIn("    def try_it(self) -> None:", generate.blocking_source(source, "_asyncio_commands.py"))

    def test_groups_names_and_results(self):
        integer, callback = {"type": "integer"}, lambda done, total: None
        commands = self.package(
            method("tag.empty"),
            method("tag.one", result=members(["count"], count=integer)),
            method("tag.perhaps", result=members(count=integer)),
            method("tag.two", result=members(["count", "data"], count=integer, data=HEXADECIMAL)),
            method("tag.map", result={"type": "object", "additionalProperties": integer}),
            method("tag.list", result={"type": "array", "items": integer}),
            method("tag.import", ("class", integer, True), ("self", integer, False)),
            method("tag.longTask", ("progress", {"type": ["boolean", "null"]}, False)),
            method("tag.steps", ("progress", integer, False)),
            method("newChip.readUIDOf", ("bankNumber", integer, True), result=members(["data"], data=HEXADECIMAL)),
            method("topLevel"),
            method("session.connect"),
        )
        at = {"session": "s", "tag": "t"}
        cases = [
            (lambda tag: tag.empty(), ("tag.empty", {}, None), {"later": 1}, None),
            (lambda tag: tag.one(), ("tag.one", {}, None), {"count": 7}, 7),
            (lambda tag: tag.perhaps(), ("tag.perhaps", {}, None), {"count": 7}, {"count": 7}),
            (lambda tag: tag.two(), ("tag.two", {}, None), {"count": 7, "data": "00"}, {"count": 7, "data": "00"}),
            (lambda tag: tag.map(), ("tag.map", {}, None), {"a": 7}, {"a": 7}),
            (lambda tag: tag.list(), ("tag.list", {}, None), [7], [7]),
            (lambda tag: tag.import_(7, self_=8), ("tag.import", {"class": 7, "self": 8}, None), {}, None),
            (lambda tag: tag.long_task(), ("tag.longTask", {}, None), {}, None),
            (lambda tag: tag.long_task(progress=callback), ("tag.longTask", {"progress": True}, callback), {}, None),
            (lambda tag: tag.steps(progress=7), ("tag.steps", {"progress": 7}, None), {}, None),
            (lambda tag: tag.new_chip.read_uidof(7), ("newChip.readUIDOf", {"bankNumber": 7}, None), {"data": "0aFF"}, b"\x0a\xff"),
            (lambda tag: tag.top_level(), ("topLevel", {}, None), {}, None),
        ]
        for call, (name, params, progress), answer, returned in cases:
            with self.subTest(name):
                sent, value = self.perform(commands, answer, call)
                self.assertEqual((sent, value), ((name, {**at, **params}, progress), returned))
        self.assertFalse(hasattr(commands._TagCommands, "session"))
        with self.assertRaises(Exception) as raised:
            self.perform(commands, {"data": "nonsense"}, lambda tag: tag.new_chip.read_uidof(7))
        self.assertEqual(type(raised.exception).__name__, "ProtocolError")


class InterfaceTests(DaemonCase):
    def test_every_tag_method_is_a_command_of_both_forms(self):
        import nfcd.aio

        found = self.client.perform(nfcd.methods.rpc_discover())["methods"]
        commands = [one["name"] for one in found if {"session", "tag"} <= {parameter["name"] for parameter in one["params"]}]
        self.assertGreater(len(commands), 20)
        for name in commands:
            if name == "session.connect":
                continue
            group, _, command = name.rpartition(".")
            whole = generate.snake(name)
            for form in (nfcd.Tag, nfcd.aio.Tag):
                tag = form.__new__(form)
                tag._at = {}
                owner = tag if group == "tag" else getattr(tag, generate.snake(group))
                self.assertTrue(callable(getattr(owner, whole[len(generate.snake(group)) + 1 :])), name)

    def test_every_method_has_a_function(self):
        known = set(nfcd.methods.RESULTS)
        self.assertLessEqual(known, set(self.client.info()["methods"]))
        self.assertIn("rpc.discover", known)
        found = self.client.perform(nfcd.methods.rpc_discover())
        self.assertEqual({method["name"] for method in found["methods"]} & known, known)


if __name__ == "__main__":
    unittest.main()
