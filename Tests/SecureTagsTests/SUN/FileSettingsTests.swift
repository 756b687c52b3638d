import TestSupport
import Testing

@testable import SecureTags

/// Settings of files, and what a tag would refuse.
@Suite struct FileSettingsTests {
    private static func settings(_ change: (inout SDMSettings) -> Void) -> FileSettings {
        var sdm = SDMSettings(metaRead: .key(1), fileRead: .key(2), counterRetrieval: .free)
        (sdm.piccDataOffset, sdm.macInputOffset, sdm.macOffset) = (0x20, 0x43, 0x80)
        change(&sdm)
        return FileSettings(
            content: .standard(size: 256), mode: .plain,
            rights: AccessRights(read: .free, write: .key(0), readWrite: .key(0), change: .key(0)), sdm: sdm)
    }

    static let refused: [(String, @Sendable (inout SDMSettings) -> Void)] = [
        ("a key that does not exist", { $0.metaRead = .key(5) }),
        ("a key that does not exist", { $0.fileRead = .key(9) }),
        ("a key that does not exist", { $0.counterRetrieval = .key(13) }),
        ("a free code", { $0.fileRead = .free }),
        ("nothing mirrored", { ($0.mirrorsUID, $0.mirrorsCounter, $0.counterRetrieval) = (false, false, .never) }),
        ("UID without a right", { $0.metaRead = .never }),
        ("counter retrieval without counter", { $0.mirrorsCounter = false }),
        ("no place for the PICC data", { $0.piccDataOffset = nil }),
        ("no place for the UID", { $0.metaRead = .free }),
        ("no place for the code", { $0.macOffset = nil }),
        ("no place for the code's input", { $0.macInputOffset = nil }),
        ("input after the code", { $0.macInputOffset = 0x81 }),
        ("PICC data over the code", { $0.piccDataOffset = 0x70 }),
        ("code past the end", { $0.macOffset = 256 - 15 }),
        ("PICC data past the end", { ($0.piccDataOffset, $0.macOffset) = (0xFFFFFE, 0x80) }),
        ("encryption without a code", { ($0.fileRead, $0.encryption) = (.never, .init(offset: 0x50, length: 32)) }),
        ("encryption of 31", { $0.encryption = .init(offset: 0x50, length: 31) }),
        ("encryption of none", { $0.encryption = .init(offset: 0x50, length: 0) }),
        ("encryption before the input", { $0.encryption = .init(offset: 0x42, length: 32) }),
        ("encryption over the code", { $0.encryption = .init(offset: 0x61, length: 32) }),
        (
            "encryption without counter",
            {
                ($0.mirrorsCounter, $0.counterRetrieval) = (false, .never)
                $0.encryption = .init(offset: 0x50, length: 32)
            }
        ),
        ("a limit without counter", { ($0.mirrorsCounter, $0.counterRetrieval, $0.counterLimit) = (false, .never, 9) }),
        ("a limit of none", { $0.counterLimit = 0 }),
        ("a limit that is reached", { $0.counterLimit = 10 }),
        ("tamper in the PICC data", { $0.tamperOffset = 0x21 }),
        (
            "tamper in the second half of the encryption",
            { ($0.encryption, $0.tamperOffset) = (.init(offset: 0x50, length: 32), 0x5F) }
        ),
    ]

    @Test(arguments: refused.indices) func `what the tag would refuse is not sent`(index: Int) throws {
        let (what, change) = Self.refused[index]
        #expect(throws: SecureTagError.self, "\(what)") {
            try Self.settings(change).check(fileNumber: 2, counter: 10)
        }
    }

    static let taken: [@Sendable (inout SDMSettings) -> Void] = [
        { _ in }, { $0.macInputOffset = 0x80 }, { $0.macInputOffset = 0x12 }, { $0.counterLimit = 11 },
        { $0.encryption = .init(offset: 0x43, length: 32) }, { $0.encryption = .init(offset: 0x60, length: 32) },
        { $0.macOffset = 240 }, { ($0.encryption, $0.tamperOffset) = (.init(offset: 0x50, length: 32), 0x5E) },
        { $0.tamperOffset = 0x78 }, { $0.fileRead = .never },
        { ($0.metaRead, $0.mirrorsUID, $0.fileRead) = (.never, false, .key(1)) },
    ]

    @Test(arguments: taken.indices) func `what the tag would take is read back as it was`(index: Int) throws {
        let settings = Self.settings(Self.taken[index])
        try settings.check(fileNumber: 2, counter: 10)
        let data = settings.changeData
        var parsed = try FileSettings(parsing: [0] + data.prefix(3) + [0, 1, 0] + data.dropFirst(3))
        // Offsets of what is not used are not part of the bytes.
        parsed.sdm?.piccDataOffset = settings.sdm?.piccDataOffset
        if settings.sdm?.fileRead == .never {
            parsed.sdm?.macInputOffset = settings.sdm?.macInputOffset
            parsed.sdm?.macOffset = settings.sdm?.macOffset
        }
        #expect(parsed == settings)
    }

    @Test func `only file 2 mirrors, and keys of rights exist`() throws {
        #expect(throws: SecureTagError.self) { try Self.settings { _ in }.check(fileNumber: 3) }
        var plain = Self.settings { _ in }
        plain.sdm = nil
        try plain.check(fileNumber: 3)
        plain.rights.write = .key(5)
        #expect(throws: SecureTagError.self) { try plain.check(fileNumber: 3) }
        try plain.check(fileNumber: 3, keyCount: 14)
    }

    @Test func `the rights decide how a command is protected`() {
        let file = FileSettings(
            content: .standard(size: 128), mode: .full,
            rights: AccessRights(read: .key(2), write: .free, readWrite: .key(3), change: .key(0)))
        #expect([nil, 0, 2, 3].map { file.readMode(key: $0) } == [nil, nil, .full, .full])
        #expect([nil, 0, 2, 3].map { file.writeMode(key: $0) } == [.plain, .plain, .plain, .full])
    }

    /// What other programs send: without type and size.
    @Test(arguments: [
        ("0000E0EE", 256), ("4000E0C1FF12200000430000430000", 256), ("40E0EEC1F000160000120000390000", 256),
        ("4000E0C1FFE2100000200000300000400000", 256), ("430000D9FF12200000100100430000500000200000800000", 256),
    ])
    func `settings in the field are read and written`(data: String, size: Int) throws {
        let data = hex(data.count == 8 ? String(data.prefix(2) + data.suffix(4)) : data)
        let settings = try FileSettings(parsing: [0] + data.prefix(3) + [0, 1, 0] + data.dropFirst(3))
        #expect(settings.changeData == data)
        #expect(settings.size == size)
    }

    @Test(arguments: [
        ("0100E0EE000100", FileSettings.Content.backup(size: 256)),
        ("020000001234FFFFFFFF640000000A00000001", .value(lower: 0x3412, upper: -1, limitedCredit: 100, options: 10)),
        ("0300E0EE100000050000030000", .records(isCyclic: false, size: 16, most: 5, count: 3)),
        ("0400E0EE100000050000030000", .records(isCyclic: true, size: 16, most: 5, count: 3)),
        ("0500E0EE0201", .transactionMAC(keyType: 2, keyVersion: 1)),
    ])
    func `files of DESFire have their content`(bytes: String, content: FileSettings.Content) throws {
        let bytes = hex(bytes)
        if case .value = content {
            let value = hex("02000000 00000000 FFFFFF7F 64000000 0A")
            #expect(
                try FileSettings(parsing: value).content
                    == .value(lower: 0, upper: .max, limitedCredit: 100, options: 10))
            return
        }
        #expect(try FileSettings(parsing: bytes).content == content)
        #expect(throws: SecureTagError.self) { try FileSettings(parsing: Array(bytes.dropLast())) }
    }

    @Test func `any bytes are read or refused without a trap`() {
        var generator = SplitMix(seed: 424)
        for round in 0..<20_000 {
            var bytes = generator.bytes(count: round % 50)
            if round.isMultiple(of: 2), bytes.count > 8 {
                (bytes[0], bytes[1], bytes[7]) = (0, 0x40, bytes[7] & 0xF9 | 1)
            }
            guard let settings = try? FileSettings(parsing: bytes) else { continue }
            _ = settings.changeData
            try? settings.check(fileNumber: 2)
        }
    }
}
