"""The asyncio front. What it shares with the blocking one is tested there."""

import asyncio
import threading
import unittest

from support import PATIENCE, Daemon, FakeDaemon, nfcd

import nfcd.aio

QUICK = nfcd.Backoff(initial=0.02, maximum=0.2)


class AsyncioTests(unittest.IsolatedAsyncioTestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon(2, journal=True)
        cls.addClassCleanup(cls.daemon.close)

    async def asyncSetUp(self):
        self.client = nfcd.aio.Client(self.daemon.path, timeout=PATIENCE, backoff=QUICK)
        self.addAsyncCleanup(self.client.aclose)
        self.person = nfcd.aio.Client(self.daemon.path, timeout=PATIENCE)
        self.addAsyncCleanup(self.person.aclose)

    async def test_a_session_yields_what_is_tapped(self):
        async with self.client.read_session(once=True) as session:
            async with self.person.virtual_tag("ntag215", nfcd.uri("https://example.com")):
                taps = [tap async for tap in session]
        self.assertEqual([tap.uri for tap in taps], ["https://example.com"])

    async def test_write_and_read_back(self):
        async with self.client.tag_session() as session, self.person.virtual_tag("ntag215") as virtual:
            tag = await session.next(PATIENCE)
            self.assertEqual(tag.identifier, virtual.identifier)
            progress = []
            await tag.write(nfcd.text("Hello"), progress=lambda done, total: progress.append(done))
            self.assertEqual((await tag.read()).text, "Hello")
            self.assertTrue(progress)
            await virtual.remove()
            await tag.wait_until_removed(PATIENCE)

    async def test_generated_commands(self):
        async with self.client.tag_session(kind="tag") as session:
            async with self.person.virtual_tag("mifare-classic-1k"):
                tag = await session.next(PATIENCE)
                await tag.mifare_classic.authenticate(4, "a", b"\xff" * 6)
                await tag.mifare_classic.write_block(4, b"\5" * 16)
                self.assertEqual(await tag.mifare_classic.read_block(4), b"\5" * 16)
                self.assertEqual(await tag.cancel_commands(), 0)
        async with self.client.tag_session() as session, self.person.virtual_tag("ntag213"):
            tag = await session.next(PATIENCE)
            steps = []
            blocks = [{"number": 8, "bytes": b"\1\2\3\4"}]
            self.assertEqual(await tag.write_memory(blocks, progress=lambda done, total: steps.append(done)), 1)
            self.assertTrue(steps)

    async def test_two_tasks_with_a_client(self):
        async def read(reader):
            async with self.client.read_session(readers=[reader]) as session:
                async with self.person.virtual_tag("ntag215", nfcd.text(reader), reader=reader):
                    return (await session.next(PATIENCE)).text

        readers = ["simulated-0", "simulated-1"]
        self.assertEqual(await asyncio.gather(*map(read, readers)), readers)

    async def test_a_cancelled_wait_leaves_the_session(self):
        async def scan():
            async with self.client.read_session() as session:
                entered.set()
                await session.next()

        for _ in range(3):
            entered = asyncio.Event()
            task = asyncio.ensure_future(scan())
            await asyncio.wait_for(entered.wait(), PATIENCE)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
        # The reader is free: whatever was begun has ended.
        async with self.person.read_session() as session:
            self.assertIsNone(session.ended)

    async def test_a_cancelled_begin_holds_no_reader(self):
        for turns in range(6):
            task = asyncio.ensure_future(self.client.read_session().__aenter__())
            for _ in range(turns):
                await asyncio.sleep(0)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            await self.client.readers()
        async with self.person.read_session(queue=True, queue_timeout=PATIENCE) as session:
            self.assertIsNone(session.ended)

    async def test_the_journal_and_background_taps(self):
        async with self.client.journal("door") as journal, self.client.background() as taps:
            async with self.person.virtual_tag("ntag215", nfcd.uri("https://example.com")):
                async for tap in taps:
                    self.assertEqual(tap.uri, "https://example.com")
                    break
                async for stored in journal:
                    await journal.acknowledge(stored)
                    break
            self.assertEqual((await journal.status())["acknowledged"], stored.sequence)
            with self.assertRaises(nfcd.NoTag):
                await taps.next(0.01)

    async def test_a_closed_client(self):
        async with self.client as client:
            self.assertEqual((await client.info())["name"], "nfcd")
        with self.assertRaises(nfcd.ConnectionLost):
            await self.client.readers()


class RestartTests(unittest.IsolatedAsyncioTestCase):
    async def test_feeds_share_the_new_connection(self):
        daemon = Daemon(journal=True)
        self.addCleanup(daemon.close)
        async with nfcd.aio.Client(daemon.path, timeout=PATIENCE, backoff=QUICK) as client:
            async with client.journal("door") as journal, client.background() as taps:
                old = journal._link
                await asyncio.to_thread(daemon.stop)
                waiting = [asyncio.ensure_future(feed.next(PATIENCE)) for feed in (journal, taps)]
                await asyncio.sleep(0)
                await asyncio.to_thread(daemon.start)
                # Both have subscribed when they wait on the same new connection.
                while journal._link in (None, old) or journal._link is not taps._link:
                    await asyncio.sleep(0.01)
                async with nfcd.aio.Client(daemon.path) as person, person.virtual_tag("ntag215", nfcd.text("x")):
                    self.assertEqual([tap.text for tap in await asyncio.gather(*waiting)], ["x", "x"])

    async def test_no_daemon(self):
        with self.assertRaises(nfcd.CannotConnect):
            await nfcd.aio.Client("/nonexistent/nfcd.sock").readers()


class HostileTests(unittest.IsolatedAsyncioTestCase):
    async def fails(self, handle, kind, timeout=PATIENCE, size=1_000_000):
        fake = FakeDaemon(handle)
        self.addCleanup(fake.close)
        self.addCleanup(self.finished.set)
        async with nfcd.aio.Client(fake.path, timeout=timeout) as client:
            with self.assertRaises(kind) as raised:
                await client.perform(nfcd.methods.notices_show(text="x" * size))
                await client.perform(nfcd.methods.notices_show(text="x" * size))
        return str(raised.exception)

    async def test_an_endless_line(self):
        def handle(connection):
            while True:
                connection.sendall(b"x" * 65536)

        self.assertIn("1048576 bytes", await self.fails(handle, nfcd.ProtocolError))

    async def test_no_answer(self):
        def handle(connection):
            while connection.recv(65536):
                pass

        self.assertIn("did not answer", await self.fails(handle, nfcd.NoAnswer, timeout=0.2, size=9))

    async def test_a_daemon_that_does_not_read(self):
        self.assertIn("does not read", await self.fails(lambda connection: self.idle(), nfcd.ConnectionLost, timeout=0.2))

    def setUp(self):
        self.finished = threading.Event()

    def idle(self):
        self.finished.wait(PATIENCE)

    async def test_a_closed_socket(self):
        self.assertIn("closed", await self.fails(lambda connection: connection.recv(100), nfcd.ConnectionLost))


if __name__ == "__main__":
    unittest.main()
