import ISO7816
import NFCTags
import Testing
import VirtualTags

@Suite struct `A Type 4 tag and its driver` {
    static func code(_ body: () async throws -> Void) async -> NFCErrorCode? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? TagError)?.code
        }
    }

    @Test(arguments: Type4Case.all)
    func `read the message`(row: Type4Case) async throws {
        for count in [0, 1, 13, 50, 51, min(300, row.capacity), row.capacity] {
            let result = try await row.tag(try row.reader(content(count))).readNDEF()
            #expect(result.status == .readWrite)
            #expect(result.capacity == row.capacity)
            #expect(result.message ?? [] == content(count), "\(count) bytes")
        }
    }

    @Test(arguments: Type4Case.all)
    func `write and read back, from empty to full and empty again`(row: Type4Case) async throws {
        let reader = try row.reader()
        let tag = row.tag(reader)
        for count in [3, row.capacity, 1, 0] {
            for verifying in [false, true] {
                try await tag.writeNDEF(content(count, from: verifying ? 1 : 2), verifying: verifying)
                #expect(try await tag.readNDEF().message ?? [] == content(count, from: verifying ? 1 : 2))
            }
        }
    }

    @Test(arguments: Type4Case.all)
    func `refuse one byte too many before the first write`(row: Type4Case) async throws {
        let reader = try row.reader(content(7))
        let tag = row.tag(reader)
        let error = await Self.code { try await tag.writeNDEF(content(row.capacity + 1), verifying: false) }
        #expect(error == .tagSizeTooSmall)
        #expect(try await tag.readNDEF().message == content(7))
    }

    static let counts: [Type4Case] = Type4Case.counted

    @Test(arguments: counts)
    func `need exactly as many exchanges as the sizes require`(row: Type4Case) async throws {
        for count in [0, 3, row.writeSize - 2, row.writeSize, row.capacity] where count >= 0 && count <= row.capacity {
            let reader = try row.reader(content(count))
            let tag = row.tag(reader)
            // The first read takes the length and up to 64 bytes with it.
            let rest = max(0, count + row.lengthFieldSize - min(64, row.readSize))
            let reads = (rest + row.readSize - 1) / row.readSize
            _ = try await tag.readNDEF()
            #expect(reader.exchanges.apdus == row.opening + 1 + reads, "first read of \(count)")
            _ = try await tag.readNDEF()
            #expect(reader.exchanges.apdus == row.opening + 2 * (1 + reads) + 2, "second read of \(count)")

            let other = try row.reader()
            try await row.tag(other).writeNDEF(content(count), verifying: false)
            let pieces = (count + row.writeSize - 1) / row.writeSize
            let isSingle = count + row.lengthFieldSize <= row.writeSize
            let probe = count == 0 ? 0 : 1
            // The length of the old message is read, and whether the file has room.
            #expect(other.exchanges.apdus == row.opening + probe + (isSingle ? 1 : 3 + pieces), "write of \(count)")
        }
    }

    @Test func `have these exchange counts`() async throws {
        let rows: [(row: Type4Case, small: [Int], full: [Int])] = [
            // Read, write, write and verify.
            (.plain, [5, 6, 7], [13, 17, 26]), (.desfire, [5, 6, 7], [39, 48, 83]),
            (.ntag424, [6, 7, 8], [7, 10, 12]),
            (.extendedFile, [6, 7, 8], [0, 0, 0]),
        ]
        for (row, small, full) in rows {
            for (count, expected) in [(3, small), (row.capacity, full)] where expected[0] > 0 {
                let reading = try row.reader(content(count))
                _ = try await row.tag(reading).readNDEF()
                let writing = try row.reader()
                try await row.tag(writing).writeNDEF(content(count), verifying: false)
                let verifying = try row.reader()
                try await row.tag(verifying).writeNDEF(content(count), verifying: true)
                let found = [reading, writing, verifying].map(\.exchanges.apdus)
                #expect(found == expected, "\(row.name), \(count) bytes")
            }
        }
    }

    @Test(arguments: Type4Case.all)
    func `erase with one write`(row: Type4Case) async throws {
        let reader = try row.reader(content(40))
        let tag = row.tag(reader)
        _ = try await tag.readNDEF()
        let before = reader.exchanges.apdus
        try await tag.writeNDEF([], verifying: false)
        #expect(reader.exchanges.apdus == before + 3)
        #expect(try await tag.readNDEF().message == nil)
    }

    @Test(arguments: Type4Case.all)
    func `keep the message when formatting`(row: Type4Case) async throws {
        let reader = try row.reader(content(9))
        try await row.tag(reader).formatNDEF()
        #expect(try await row.tag(reader).readNDEF().message == content(9))
    }

    @Test(arguments: Type4Case.all.filter(\.isLockable))
    func `lock permanently`(row: Type4Case) async throws {
        let reader = try row.reader(content(9))
        let tag = row.tag(reader)
        try await tag.makeReadOnly()
        #expect(try await tag.readNDEF().status == .readOnly)
        #expect(try await tag.readNDEF().message == content(9))
        let before = reader.exchanges.apdus
        #expect(await Self.code { try await tag.writeNDEF([], verifying: false) } == .tagNotWritable)
        #expect(await Self.code { try await tag.makeReadOnly() } == .tagNotWritable)
        #expect(reader.exchanges.apdus <= before + 1 + row.opening)
        reader.reset()
        #expect(await Self.code { try await row.tag(reader).writeNDEF([], verifying: false) } == .tagNotWritable)
        #expect(try await row.tag(reader).readNDEF().message == content(9))
    }

    @Test(arguments: Type4Case.all.filter { !$0.isLockable })
    func `report that a lock needs a key, and change nothing`(row: Type4Case) async throws {
        let reader = try row.reader(content(9))
        let tag = row.tag(reader)
        let error = await #expect(throws: TagError.self) { try await tag.makeReadOnly() }
        #expect(error?.code == .unsupportedFeature)
        #expect(error?.detail.contains("needs a key") == true)
        #expect(try await tag.readNDEF().status == .readWrite)
        try await tag.writeNDEF(content(3), verifying: true)
    }

    @Test func `select again after another client selected another file`() async throws {
        let reader = try Type4Case.plain.reader(content(9))
        let channel = ModelChannel(reader)
        let tag = Type4Tag(channel: channel)
        _ = try await tag.readNDEF()
        _ = try await channel.transmit([0x00, 0xA4, 0x00, 0x0C, 0x02, 0xE1, 0x03])
        #expect(try await tag.readNDEF().message == content(9))
        try await tag.writeNDEF(content(5), verifying: true)
    }

    @Test func `detect missing write access by the container or by a refusal`() async throws {
        let card = try VirtualDESFireCard(product: .desfireEV1, ndefMessage: content(9), isWritable: false)
        let reader = VirtualReader(tag: card)
        let tag = Type4Tag(channel: ModelChannel(reader))
        #expect(try await tag.readNDEF().status == .readOnly)
        #expect(await Self.code { try await tag.writeNDEF([1], verifying: false) } == .tagNotWritable)
        #expect(await Self.code { try await tag.makeReadOnly() } == .tagNotWritable)
    }
}

@Suite struct `A Type 4 tag with wrong declarations` {
    static func tag(_ message: [UInt8], _ change: (inout VirtualType4Card.Configuration) -> Void) throws
        -> VirtualReader
    {
        var configuration = VirtualType4Card.Configuration()
        change(&configuration)
        return VirtualReader(tag: try VirtualType4Card(configuration, ndefMessage: message))
    }

    @Test func `of MLe gives error 102`() async throws {
        let reader = try Self.tag(content(200)) { $0.actualReadSize = 59 }
        let error = await #expect(throws: TagError.self) {
            try await Type4Tag(channel: ModelChannel(reader)).readNDEF()
        }
        #expect(error?.code == .tagResponseError)
        #expect(error?.statusWord == .wrongLength)
    }

    @Test func `of MLc keeps an empty message or the old one`() async throws {
        let reader = try Self.tag(content(9)) { $0.actualWriteSize = 59 }
        let tag = Type4Tag(channel: ModelChannel(reader))
        var error = await #expect(throws: TagError.self) { try await tag.writeNDEF(content(100), verifying: false) }
        #expect(error?.code == .tagUpdateFailure)
        #expect(error?.leaves == .old)
        #expect(try await tag.readNDEF().message == content(9))
        error = await #expect(throws: TagError.self) { try await tag.writeNDEF(content(600), verifying: false) }
        #expect(error?.leaves == .empty)
        #expect(try await tag.readNDEF().message == nil)
    }

    /// The real sizes of files declared with 2048 bytes, or 70,000 in mapping version 3.
    @Test(arguments: [0x20, 0x30] as [UInt8], [10, 64, 255, 256, 300, 2047])
    func `of the file's size keeps the old message, and reports the room`(version: UInt8, size: Int) async throws {
        let row = version == 0x30 ? Type4Case.extendedFile : .plain
        let old = content(3)
        let made = try row.reader(old)
        let card = try #require(made.tag as? VirtualType4Card)
        let files: [UInt16: [UInt8]] = [0xE103: card.capabilityContainer, 0xE104: Array(card.messageFile.prefix(size))]
        let reader = VirtualReader(tag: try VirtualType4Card(identifier: card.identifier, files: files))
        let room = size - row.lengthFieldSize
        for count in [room + 1, min(room + 200, row.capacity), row.capacity] {
            let error = await failure { try await row.tag(reader).writeNDEF(content(count, from: 9), verifying: true) }
            #expect(error?.code == .tagSizeTooSmall)
            #expect(error?.detail.contains("with room for \(room)") == true, "\(error?.detail ?? "")")
            #expect(try await row.tag(reader).readNDEF().message == old)
        }
        try await row.tag(reader).writeNDEF(content(room, from: 9), verifying: true)
        #expect(try await row.tag(reader).readNDEF().message == content(room, from: 9))
    }

    static let faults: [[UInt8]] = [
        [], [0x90], [0x90, 0x00], [0x6A, 0x82], [0x69, 0x82], [0x00, 0x00], [0x61, 0x05],
    ]

    @Test(arguments: faults)
    func `with a wrong answer at any exchange never gives a wrong message`(answer: [UInt8]) async throws {
        for exchange in 1...8 {
            let reader = try Self.tag(content(300)) { $0.hasProprietaryFile = true }
            let card = FaultInjectingCard(reader, plan: FaultPlan(.answer(answer), at: exchange))
            let result = try? await Type4Tag(channel: ModelChannel(card)).readNDEF()
            if let result, result.status != .notSupported {
                #expect(result.message == content(300), "\(answer) at \(exchange)")
            }
        }
    }

    @Test(arguments: [[0x69, 0x82], [0x65, 0x81], [0x00, 0x00], [0x90]] as [[UInt8]])
    func `whose write fails reports what is on it`(answer: [UInt8]) async throws {
        // The fifth exchange reads the length, the sixth asks whether the file has room.
        for exchange in 7...11 {
            let reader = try Self.tag(content(20)) { _ in }
            let card = FaultInjectingCard(reader, plan: FaultPlan(.answer(answer), at: exchange))
            let error = await #expect(throws: TagError.self) {
                try await Type4Tag(channel: ModelChannel(card)).writeNDEF(content(600), verifying: false)
            }
            #expect(error?.code == .tagUpdateFailure)
            #expect(error?.leaves != nil)
            #expect(card.isPresent)
        }
    }
}

@Suite struct `A large Type 4 file` {
    static let counts = [3, 251, 252, 32_763, 32_764, 32_765, 40_000]

    @Test(arguments: counts)
    func `is written and read beyond offset 7FFF`(count: Int) async throws {
        let reader = try Type4Case.extendedFile.reader()
        let tag = Type4Case.extendedFile.tag(reader)
        try await tag.writeNDEF(content(count), verifying: false)
        let result = try await tag.readNDEF()
        #expect(result.message == content(count))
        #expect(result.capacity == 69_996)
    }

    @Test func `is written and read to its end`() async throws {
        let row = Type4Case.extendedFile
        let reader = try row.reader()
        let tag = Type4Tag(
            channel: ModelChannel(reader), limits: APDULimits(allowsExtendedLength: true))
        try await tag.writeNDEF(content(69_996), verifying: true)
        #expect(
            await `A Type 4 tag and its driver`.code { try await tag.writeNDEF(content(69_997), verifying: false) }
                == .tagSizeTooSmall)
        try await tag.makeReadOnly()
        #expect(try await tag.readNDEF().status == .readOnly)
    }
}

@Suite struct `Pulling a Type 4 tag away while it is written` {
    /// Old and new lengths; -1 stands for a full tag.
    static let pairs: [(old: Int, new: Int)] = [
        (20, 5), (5, 20), (253, 254), (254, 255), (255, 254), (0, -1), (-1, 0), (300, 0), (60, 61), (0, 3),
    ]

    static let rows: [Type4Case] = [.plain, .desfire, .ntag424, .version3, .small, .pieces]

    @Test(arguments: rows, pairs)
    func `leaves the old message, none or the new one`(row: Type4Case, pair: (old: Int, new: Int)) async throws {
        let old = content(min(pair.old < 0 ? row.capacity : pair.old, row.capacity), from: 1)
        let new = content(min(pair.new < 0 ? row.capacity : pair.new, row.capacity), from: 2)
        let test = TearTest(
            makeCard: { try row.reader(old) }, makeTag: { Type4Tag(channel: $0, limits: row.limits) }, old: old,
            new: new)
        let cases = try await test.run()
        // Three faults at every exchange, of which there are five at least.
        #expect(cases >= 15)
        #expect(cases == 3 * (try await exchanges(row, old, new)))
    }

    private func exchanges(_ row: Type4Case, _ old: [UInt8], _ new: [UInt8]) async throws -> Int {
        let reader = try row.reader(old)
        try await row.tag(reader).writeNDEF(new, verifying: false)
        return reader.exchanges.apdus
    }

    @Test func `leaves a large file readable`() async throws {
        let row = Type4Case.extendedFile
        let limits = APDULimits(allowsExtendedLength: true)
        let makeCard: @Sendable () throws -> any VirtualCard = {
            var configuration = VirtualType4Card.Configuration()
            (configuration.mappingVersion, configuration.fileSize) = (0x30, 70_000)
            (configuration.maximumReadSize, configuration.maximumWriteSize) = (0x7000, 0x7000)
            return VirtualReader(tag: try VirtualType4Card(configuration, ndefMessage: content(300)))
        }
        let test = TearTest(
            makeCard: makeCard, makeTag: { Type4Tag(channel: $0, limits: limits) }, old: content(300),
            new: content(row.capacity, from: 2))
        #expect(try await test.run() == 3 * 12)
    }

    @Test func `while it is locked leaves it readable`() async throws {
        for exchange in 1...6 {
            for fault in [Fault.removeBefore, .removeDuring, .removeAfter] {
                let reader = try Type4Case.plain.reader(content(9))
                let card = FaultInjectingCard(reader, plan: FaultPlan(fault, at: exchange))
                try? await Type4Tag(channel: ModelChannel(card)).makeReadOnly()
                #expect(try await Type4Case.plain.tag(reader).readNDEF().message == content(9))
            }
        }
    }
}
