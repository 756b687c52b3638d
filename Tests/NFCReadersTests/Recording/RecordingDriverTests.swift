import NFCReaders
import NFCTags
import Synchronization
import TagRecordings
import TestSupport
import Testing
import VirtualTags

/// The lines that a recorder puts out.
private final class Lines: Sendable {
    private let lines = Mutex<[RecordingLine]>([])
    var all: [RecordingLine] { lines.withLock { $0 } }
    func add(_ line: RecordingLine) { lines.withLock { $0.append(line) } }
    func of(_ event: RecordingLine.Event) -> [RecordingLine] { all.filter { $0.event == event } }
    func recording() throws -> Recording { try Recording(try all.flatMap { try Recording.encoded($0) }) }
}

@Suite(.timeLimit(.minutes(20))) struct `A driver that is recorded` {
    private static let reader = ReaderID(rawValue: "simulated-0")
    private static let content = "******************************** 9000".filter { $0 != " " }

    private func run(
        readers: Int = 1,
        _ body: (RecordingDriver, SimulatedDriver, ReaderRecorder) async throws -> Void
    ) async throws {
        let simulated = SimulatedDriver(readers: readers, clock: TestClock())
        let recorder = ReaderRecorder()
        let driver = RecordingDriver(simulated, recorder: recorder)
        let log = EventLog()
        let running = Task { await driver.run { log.add($0) } }
        _ = await log.next(1 + readers)
        try await body(driver, simulated, recorder)
        running.cancel()
        await running.value
    }

    private func tag() throws -> VirtualReader {
        VirtualReader(
            tag: try VirtualTagModel.named("ntag215").makeTag(ndefMessage: hex("D1010C55046578616D706C652E636F6D")))
    }

    @Test func `begins with what is known, and has every exchange`() async throws {
        try await run { driver, simulated, recorder in
            let presentation = try simulated.present(try tag(), on: nil)
            let lines = Lines()
            let id = try #require(
                recorder.start(.init(withContent: true), program: "test") { line, _ in lines.add(line) })
            #expect(lines.all.map(\.event) == [.recording, .reader, .arrive])
            let connection = try await driver.connect(to: Self.reader)
            let answer = try await connection.transmit(hex("FFB0000410"))
            try await connection.reconnect()
            await connection.close()
            simulated.remove(presentation)
            recorder.stop(id)
            #expect(lines.all.map(\.event).dropFirst(3) == [.connect, .transmit, .reset, .disconnect, .leave])
            #expect(lines.of(.transmit).first?.answer == MaskedBytes(answer))
            #expect(lines.of(.transmit).first?.took != nil)
            let visit = try #require(try lines.recording().visits.first)
            #expect(visit.hasLeft && visit.exchanges.count == 1)
        }
    }

    @Test func `masks contents and passwords unless they are asked for, and passwords always`() async throws {
        try await run { driver, simulated, recorder in
            _ = try simulated.present(try tag(), on: nil)
            let (without, with) = (Lines(), Lines())
            _ = recorder.start(.init(), program: "test") { line, _ in without.add(line) }
            _ = recorder.start(.init(withContent: true), program: "test") { line, _ in with.add(line) }
            let connection = try await driver.connect(to: Self.reader)
            _ = try await connection.transmit(hex("FFB0000410"))
            _ = try await connection.transmit(hex("FF82000006A0A1A2A3A4A5"))
            await connection.close()
            #expect(without.of(.transmit).map { $0.answer?.description }.first == Self.content)
            #expect(without.of(.transmit).first?.masked == true)
            #expect(with.of(.transmit).first?.masked == nil)
            for lines in [with, without] {
                #expect(lines.of(.transmit).last?.command?.description == "FF82000006************")
            }
        }
    }

    /// A command of before may have begun what a later one continues.
    @Test func `masks what continues a command that was not recorded`() async throws {
        try await run { driver, simulated, recorder in
            _ = try simulated.present(try tag(), on: nil)
            let connection = try await driver.connect(to: Self.reader)
            _ = try await connection.transmit(hex("90AA00000100"))
            let lines = Lines()
            _ = recorder.start(.init(withContent: true), program: "test") { line, _ in lines.add(line) }
            _ = try await connection.transmit(hex("90AF000004AABBCCDD00"))
            await connection.close()
            #expect(lines.of(.transmit).first?.command?.description == "90AF000004********00")
        }
    }

    @Test func `records one reader where one is asked for`() async throws {
        try await run(readers: 2) { driver, simulated, recorder in
            let lines = Lines()
            _ = recorder.start(.init(reader: "Simulated Reader 1"), program: "test") { line, _ in lines.add(line) }
            _ = try simulated.present(try tag(), on: "simulated-0")
            _ = try simulated.present(try tag(), on: "simulated-1")
            await (try await driver.connect(to: Self.reader)).close()
            await (try await driver.connect(to: ReaderID(rawValue: "simulated-1"))).close()
            #expect(Set(lines.all.compactMap(\.reader)) == ["simulated-1"])
            #expect(lines.of(.connect).count == 1)
        }
    }

    @Test func `has the error of a connection and of an exchange`() async throws {
        try await run { driver, simulated, recorder in
            let lines = Lines()
            _ = recorder.start(.init(), program: "test") { line, _ in lines.add(line) }
            await #expect(throws: CardChannelError.tagLost) { try await driver.connect(to: Self.reader) }
            let presentation = try simulated.present(try tag(), on: nil)
            let connection = try await driver.connect(to: Self.reader)
            simulated.remove(presentation)
            await #expect(throws: CardChannelError.tagLost) { try await connection.transmit(hex("FFCA000000")) }
            #expect(lines.of(.connect).map(\.error) == ["tagLost", nil])
            #expect(lines.of(.transmit).map(\.error) == ["tagLost"])
        }
    }

    @Test func `is recorded by 16 at most, and no line follows the end`() async throws {
        try await run { _, simulated, recorder in
            let lines = Lines()
            let ids = (0..<20).map { _ in recorder.start(.init(), program: "test") { line, _ in lines.add(line) } }
            #expect(ids.compactMap(\.self).count == ReaderRecorder.mostRecordings)
            for id in ids.compactMap(\.self) { recorder.stop(id) }
            let count = lines.all.count
            _ = try simulated.present(try tag(), on: nil)
            #expect(lines.all.count == count)
        }
    }

    /// What was recorded is answered again after the tag is gone, byte for byte.
    @Test func `is replayed`() async throws {
        let lines = Lines()
        let commands = ["FFCA000000", "FFB0000410", "FFB0000410", "FFB0000810"].map { hex($0) }
        var answers: [[UInt8]] = []
        try await run { driver, simulated, recorder in
            let presentation = try simulated.present(try tag(), on: nil)
            _ = recorder.start(.init(withContent: true), program: "test") { line, _ in lines.add(line) }
            let connection = try await driver.connect(to: Self.reader)
            for command in commands { answers.append(try await connection.transmit(command)) }
            await connection.close()
            simulated.remove(presentation)
        }
        let missing = Mutex<[UnrecordedCommand]>([])
        let replay = try ReplayDriver(try lines.recording(), clock: TestClock()) { command, _ in
            missing.withLock { $0.append(command) }
        }
        let log = EventLog()
        let running = Task { await replay.run { log.add($0) } }
        #expect(await log.next(3) == ["attached simulated-0", "available", "arrived simulated-0 1"])
        let connection = try await replay.connect(to: Self.reader)
        for (command, answer) in zip(commands, answers).reversed() {
            #expect(try await connection.transmit(command) == answer)
        }
        let error = await #expect(throws: CardChannelError.self) { try await connection.transmit(hex("FFB0002010")) }
        #expect(error?.description.contains("FFB0002010 was not recorded") == true)
        #expect(missing.withLock { $0.map(\.command) } == [hex("FFB0002010")])
        await connection.close()
        #expect(await log.next(1) == ["left simulated-0"])
        running.cancel()
        await running.value
    }
}
