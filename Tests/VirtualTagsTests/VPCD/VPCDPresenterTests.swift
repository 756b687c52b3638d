import Glibc
import Testing
import TestSupport

@testable import VirtualTags

/// A card presented to a fake vpcd.
@Suite(.timeLimit(.minutes(20))) struct VPCDPresenterTests {
    static let atr = "3B8F8001804F0CA0000003060300030000000068"

    static func reader(traceLimit: Int = 0) throws -> VirtualReader {
        VirtualReader(tag: try VirtualType2Tag.selected(.ntag215), settings: .init(traceLimit: traceLimit))
    }

    /// Runs a card against a script and returns both ends' results.
    static func play<Value: Sendable>(
        _ card: any VirtualCard, script: @escaping @Sendable (FakeVPCD.Peer) throws -> Value
    ) async throws -> (value: Value, end: VPCDEnd) {
        let vpcd = try FakeVPCD()
        async let value = vpcd.serve(script)
        let end = try await VPCDPresenter(card: card, address: vpcd.address).run()
        return (try await value, end)
    }

    @Test func `controls and commands are served until vpcd closes`() async throws {
        let reader = try Self.reader(traceLimit: 16)
        let (answers, end) = try await Self.play(reader) { peer in
            try peer.request([0x01])
            var answers = [try peer.transmit("04"), try peer.transmit("FF CA 00 00 00")]
            try peer.request([0x02])
            answers.append(try peer.transmit("FF B0 00 04 04"))
            try peer.request([0x00])
            answers.append(try peer.transmit("FF CA 00 00 00"))
            answers.append(try peer.transmit("04"))
            return answers
        }
        #expect(answers == [Self.atr, "041122334455809000", "0300FE009000", "6F00", Self.atr])
        #expect(end == .peerClosed)
        #expect(reader.trace.prefix(1) == [.activation])
        #expect(reader.trace.last == .fieldOff)
    }

    @Test(arguments: [1, 2, 3, 5]) func `frames may come in any pieces`(size: Int) async throws {
        let (answers, _) = try await Self.play(try Self.reader()) { peer in
            let stream = hex("0001 01 0001 04 0005 FFCA000000 0005 FFB0000404 0001 04")
            for start in stride(from: 0, to: stream.count, by: size) {
                try peer.send(Array(stream.dropFirst(start).prefix(size)))
                usleep(1_000)
            }
            return try (0..<4).map { _ in hex(try peer.message() ?? []) }
        }
        #expect(answers == [Self.atr, "041122334455809000", "0300FE009000", Self.atr])
    }

    @Test func `an empty message is passed over`() async throws {
        let (answer, _) = try await Self.play(try Self.reader()) { peer in
            try peer.send(hex("0000 0000"))
            return try peer.transmit("04")
        }
        #expect(answer == Self.atr)
    }

    @Test func `the largest message is taken`() async throws {
        let (answer, _) = try await Self.play(try Self.reader()) { peer in
            try peer.request([0x01])
            try peer.request([UInt8](repeating: 0xFF, count: 65_535))
            return hex(try peer.message() ?? [])
        }
        #expect(answer == "6D00")
    }

    @Test(arguments: ["00", "00 05 FF", ""]) func `closing within a message ends it`(stump: String) async throws {
        let (_, end) = try await Self.play(try Self.reader()) { peer in
            try peer.send(hex(stump))
        }
        #expect(end == .peerClosed)
    }

    @Test func `a card that leaves closes the connection without an answer`() async throws {
        let card = FaultInjectingCard(try Self.reader(), plan: FaultPlan(.removeBefore, at: 1))
        let (isClosed, end) = try await Self.play(card) { peer in
            try peer.request([0x01])
            try peer.request(hex("FF CA 00 00 00"))
            return try peer.message() == nil
        }
        #expect(isClosed)
        #expect(end == .cardLeft)
    }

    @Test func `a card that leaves after its answer delivers it first`() async throws {
        let card = FaultInjectingCard(try Self.reader(), plan: FaultPlan(.removeAfter, at: 1))
        let (answers, end) = try await Self.play(card) { peer in
            try peer.request([0x01])
            return [try peer.transmit("FF CA 00 00 00"), hex(try peer.message() ?? [])]
        }
        #expect(answers == ["041122334455809000", ""])
        #expect(end == .cardLeft)
    }

    @Test(arguments: ["", "90"]) func `a corrupted answer is sent unchanged`(answer: String) async throws {
        let card = FaultInjectingCard(try Self.reader(), plan: FaultPlan(.answer(hex(answer)), at: 1))
        let (answers, end) = try await Self.play(card) { peer in
            try peer.request([0x01])
            return [try peer.transmit("FF CA 00 00 00"), try peer.transmit("FF CA 00 00 00")]
        }
        #expect(answers == [answer, "041122334455809000"])
        #expect(end == .peerClosed)
    }

    @Test func `removing closes the connection while a read waits`() async throws {
        let vpcd = try FakeVPCD()
        let (exchanged, continuation) = AsyncStream.makeStream(of: String.self)
        async let isClosed = vpcd.serve { peer in
            continuation.yield(try peer.transmit("04"))
            return try peer.message() == nil
        }
        let presenter = VPCDPresenter(card: try Self.reader(), address: vpcd.address)
        try await presenter.present()
        #expect(await exchanged.first { _ in true } == Self.atr)
        presenter.remove()
        presenter.remove()
        #expect(await presenter.waitForEnd() == .removed)
        presenter.remove()
        #expect(try await isClosed)
    }

    @Test func `cancelling the task removes the card`() async throws {
        let vpcd = try FakeVPCD()
        let presenter = VPCDPresenter(card: try Self.reader(), address: vpcd.address)
        let task = Task { try await presenter.run() }
        let isClosed = try await vpcd.serve { peer in
            _ = try peer.transmit("04")
            task.cancel()
            return try peer.message() == nil
        }
        #expect(isClosed)
        #expect(try await task.value == .removed)
    }

    @Test func `removal and presentation may race`() async throws {
        for _ in 1...50 {
            let vpcd = try FakeVPCD()
            let presenter = VPCDPresenter(card: try Self.reader(), address: vpcd.address)
            let remover = Task {
                while !Task.isCancelled {
                    presenter.remove()
                    await Task.yield()
                }
            }
            #expect(try await presenter.run() == .removed)
            remover.cancel()
        }
    }

    @Test func `a task cancelled beforehand presents nothing for long`() async throws {
        let vpcd = try FakeVPCD()
        let presenter = VPCDPresenter(card: try Self.reader(), address: vpcd.address)
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await presenter.run()
        }
        task.cancel()
        #expect(try await task.value == .removed)
    }

    @Test func `a card can be presented again after it was removed`() async throws {
        let vpcd = try FakeVPCD()
        let presenter = VPCDPresenter(card: try Self.reader(), address: vpcd.address)
        #expect(await presenter.waitForEnd() == nil)
        for _ in 1...3 {
            async let answer = vpcd.serve { peer in
                try peer.request([0x01])
                return try peer.transmit("FF CA 00 00 00")
            }
            #expect(try await presenter.run() == .peerClosed)
            #expect(try await answer == "041122334455809000")
        }
        #expect(await presenter.waitForEnd() == .peerClosed)
    }

    @Test func `a presented card cannot be presented twice`() async throws {
        let vpcd = try FakeVPCD()
        async let done = vpcd.serve { peer in try peer.message() == nil }
        let presenter = VPCDPresenter(card: try Self.reader(), address: vpcd.address)
        try await presenter.present()
        let error = await #expect(throws: VPCDError.self) { try await presenter.present() }
        #expect(error?.code == .alreadyPresented)
        presenter.remove()
        #expect(try await done)
        #expect(await presenter.waitForEnd() == .removed)
    }

    @Test func `a refused connection is reported with a hint`() async throws {
        let port = try FakeVPCD().port
        let presenter = VPCDPresenter(card: try Self.reader(), address: VPCDAddress(port: port))
        let error = await #expect(throws: VPCDError.self) { try await presenter.run() }
        #expect(error?.code == .connectionRefused)
        #expect(
            error?.description
                == "no vpcd listens on 127.0.0.1:\(port); is pcscd with vsmartcard-vpcd running?")
        #expect(await presenter.waitForEnd() == nil)
    }

    @Test func `an unknown host is named`() async throws {
        let address = VPCDAddress(host: "no such host", port: 1)
        let presenter = VPCDPresenter(card: try Self.reader(), address: address)
        let error = await #expect(throws: VPCDError.self) { try await presenter.present() }
        #expect(error?.code == .unknownHost)
        #expect(error?.description == "the host \"no such host\" has no address")
    }

    @Test func `a hundred exchanges do not wait for delayed acknowledgements`() async throws {
        let (duration, _) = try await Self.play(try Self.reader()) { peer in
            try peer.request([0x01])
            return try ContinuousClock().measure {
                for _ in 1...100 { _ = try peer.transmit("FF B0 00 04 10") }
            }
        }
        // With delayed acknowledgements each would take about 44 ms.
        #expect(duration < .seconds(2))
    }
}

/// Framing and control bytes of vpcd.
@Suite struct VPCDMessageTests {
    static let bodies: [(String, VPCDMessage)] = [
        ("00", .powerOff), ("01", .powerOn), ("02", .reset), ("04", .answerToReset),
        ("03", .command([0x03])), ("FF", .command([0xFF])), ("00 00", .command([0, 0])),
        ("FF CA 00 00 00", .command([0xFF, 0xCA, 0, 0, 0])),
    ]

    @Test(arguments: bodies) func `a body is a control or a command`(body: String, message: VPCDMessage) {
        #expect(VPCDMessage(hex(body)) == message)
    }

    @Test(arguments: [(0, "0000"), (1, "0001"), (256, "0100"), (65_535, "FFFF")])
    func `a frame starts with its length`(count: Int, header: String) {
        let frame = VPCDMessage.frame([UInt8](repeating: 0xAB, count: count))
        #expect(hex(frame.prefix(2)) == header)
        #expect(frame.count == count + 2)
        #expect(VPCDMessage.length(Array(frame.prefix(2))) == count)
    }

    @Test func `a body that no length can announce becomes a status word`() {
        #expect(hex(VPCDMessage.frame([UInt8](repeating: 0, count: 65_536))) == "00026F00")
    }

    @Test(arguments: [("127.0.0.1", "127.0.0.1:7"), ("::1", "[::1]:7"), ("lab", "lab:7")])
    func `an address names host and port`(host: String, text: String) {
        #expect(VPCDAddress(host: host, port: 7).description == text)
    }

    @Test func `by default the first slot on this machine is meant`() {
        #expect(VPCDAddress().description == "127.0.0.1:35963")
    }
}
