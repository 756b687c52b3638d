import NFCTags
import Testing
import VirtualTags

@Suite struct `Describing a Type 4 tag` {
    @Test func `reports product and container in words`() async throws {
        let reader = try Type4Case.desfire.reader(content(9))
        let tag = Type4Case.desfire.tag(reader)
        let description = try await tag.describe()
        #expect(reader.exchanges.apdus == 6)
        #expect(description.product == "MIFARE DESFire EV1")
        #expect(description.manufacturer == "NXP")
        #expect(description.memorySize == 4096)
        #expect(description.lockState == .unlocked)
        #expect(
            description.fields == [
                .init(
                    "Proof", "possible: it can prove that it has your key; nfcd asks for it if a profile fits the tag"),
                .init("Mapping version", "2.0"), .init("Longest read", "59 bytes"),
                .init("Longest write", "52 bytes"), .init("NDEF file", "E104, 2048 bytes"),
                .init("Read access", "free"), .init("Write access", "free"), .init("Hardware version", "1.0"),
                .init("Software version", "1.4"),
            ])
        // NDEF works on as if nothing had been.
        #expect(try await tag.readNDEF().message == content(9))
        try await tag.writeNDEF(content(5), verifying: true)
    }

    @Test(arguments: [(Type4Case.ntag424, "NTAG 424 DNA", 7), (.plain, "Type 4 Tag", 4), (.version1, "Type 4 Tag", 5)])
    func `reports other cards`(row: Type4Case, name: String, exchanges: Int) async throws {
        let reader = try row.reader(content(9))
        let tag = row.tag(reader)
        let description = try await tag.describe()
        #expect(description.product == name)
        #expect(description.memorySize == nil)
        #expect(reader.exchanges.apdus == exchanges)
        #expect(try await tag.readNDEF().message == content(9))
    }

    @Test func `reports a locked tag`() async throws {
        let reader = try Type4Case.plain.reader(content(9))
        try await Type4Case.plain.tag(reader).makeReadOnly()
        let description = try await Type4Case.plain.tag(reader).describe()
        #expect(description.lockState == .locked)
        #expect(description.fields.contains(.init("Write access", "never")))
    }

    struct Count: Sendable {
        let row: Type4Case
        let container: Int
        let file: Int
        let exchanges: Int
        let steps: Int
    }

    static let counts = [
        Count(row: .desfire, container: 15, file: 2048, exchanges: 43, steps: 36),
        Count(row: .ntag424, container: 23, file: 256, exchanges: 11, steps: 3),
        Count(row: .plain, container: 15, file: 2048, exchanges: 15, steps: 10),
    ]

    @Test(arguments: counts) func `dumps container and file`(count: Count) async throws {
        let message = content(40)
        let reader = try count.row.reader(message)
        let tag = count.row.tag(reader)
        let log = ProgressLog()
        let dump = try await tag.dump(progress: log.listener)
        #expect(reader.exchanges.apdus == count.exchanges)
        #expect(log.count() == count.steps)
        #expect(dump.layout == .type4)
        #expect(dump.sections.map(\.name) == ["E103", "E104"])
        let files = dump.sections.map { section in section.blocks.flatMap { $0.bytes?.bytes ?? [] } }
        #expect(files[0].count == count.container)
        #expect(files[0].prefix(3) == [0x00, UInt8(count.container), 0x20])
        #expect(files[1] == [0, 40] + message + [UInt8](repeating: 0, count: count.file - 42))
        for section in dump.sections {
            #expect(section.blocks.map(\.number) == Array(section.blocks.indices))
            #expect(section.blocks.dropLast().allSatisfy { $0.bytes?.bytes.count == 16 })
        }
        #expect(try await tag.readNDEF().message == message)
    }

    @Test func `dumps as far as the card permits`() async throws {
        let reader = try Type4Case.plain.reader(content(9))
        // Application, container file, container, container again, file; the second read of the file is refused.
        let card = FaultInjectingCard(reader, plan: FaultPlan(.answer([0x69, 0x82]), at: 7))
        let log = ProgressLog()
        let dump = try await Type4Tag(channel: ModelChannel(card)).dump(progress: log.listener)
        #expect(dump.sections.map { $0.blocks.reduce(0) { $0 + ($1.bytes?.bytes.count ?? 0) } } == [15, 255])
        #expect(dump.sections.last?.blocks.last?.bytes?.bytes.count == 15)
        #expect(log.count() == 3)
    }
}
