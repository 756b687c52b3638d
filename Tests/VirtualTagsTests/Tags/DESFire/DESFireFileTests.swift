import TestSupport
import Testing

@testable import VirtualTags

/// Files of all kinds in all modes of communication.
@Suite struct `DESFire files` {
    typealias Answer = DESFireHost.Answer
    static let zero = String(repeating: "00", count: 16)
    static let done = Answer(data: "", status: 0)

    /// A card with an application 010203 of keys of zeros, in which files may be created freely, selected.
    static func host(_ product: VirtualDESFireProduct = .desfireEV2, kinds: String = "84") throws -> DESFireHost {
        var host = DESFireHost(try VirtualDESFireCard(blank: product, identifier: hex("04112233445580")))
        #expect(host.plain(0xCA, "0102030F" + kinds).status == 0)
        #expect(host.plain(0x5A, "010203").status == 0)
        return host
    }

    static let creations: [(UInt8, String, UInt8)] = [
        (0xCD, "01 00 EEEE 200000", 0), (0xCD, "01 00 EEEE 200000", 0xDE), (0xCD, "20 00 EEEE 200000", 0x9E),
        (0xCD, "02 04 EEEE 200000", 0x9E), (0xCD, "02 00 EEE4 200000", 0x9E), (0xCD, "02 00 EEEE 000000", 0x9E),
        (0xCD, "02 00 EEEE 20", 0x7E), (0xCD, "02 04E1 00 EEEE 200000", 0x9E), (0xCD, "02 00 EEEE 000001", 0x0E),
        (0xCB, "02 01 1023 400000", 0), (0xCC, "03 03 1023 00000000 64000000 0A000000 01", 0),
        (0xCC, "04 03 1023 0A000000 64000000 00000000 00", 0x9E),
        (0xCC, "04 03 1023 00000000 64000000 0A000000 04", 0x9E),
        (0xC1, "04 00 1023 080000 030000", 0), (0xC0, "05 00 1023 080000 030000", 0),
        (0xC0, "06 00 1023 080000 010000", 0x9E),
        (0xCE, "06 00 1F23 02" + zero + "07", 0), (0xCE, "07 00 1F23 02" + zero + "07", 0xDE),
        (0xCE, "07 00 1F23 03" + zero + "07", 0x9E), (0xCE, "07 00 1F23 02" + zero, 0x7E),
    ]
    static let settings: [(String, String)] = [
        ("01", "0000EEEE200000"), ("02", "01011023400000"), ("03", "020310230000000064000000000000000 1"),
        ("04", "03001023080000030000000000"), ("05", "04001023080000030000000000"), ("06", "05001F230207"),
    ]

    @Test func `are created, listed, described and deleted`() throws {
        var host = try Self.host()
        for (command, parameters, status) in Self.creations {
            #expect(host.plain(command, parameters).status == status, "\(parameters)")
        }
        #expect(host.plain(0x6F) == Answer(data: "010203040506", status: 0))
        for (number, expected) in Self.settings {
            #expect(host.plain(0xF5, number) == Answer(data: hex(hex(expected)), status: 0))
        }
        #expect(host.plain(0xDF, "03") == Self.done)
        #expect(host.plain(0xDF, "03").status == 0xF0)
        #expect(host.plain(0xBD, "03000000000000").status == 0xF0)
        #expect(host.plain(0xBD, "04000000000000").status == 0xAE)
        #expect(host.plain(0x5A, "000000").status == 0)
        #expect(host.plain(0x6F).status == 0x9D)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let product: VirtualDESFireProduct
        let kinds: String
        let method: UInt8
        let kind: DESFireKeyKind
        let mode: DESFireHost.Mode
        var testDescription: String { "\(product) \(method) \(mode)" }
        var zero: String { String(repeating: "00", count: kind.size) }
        var communication: String { [.plain: "00", .mac: "01", .full: "03"][mode] ?? "00" }
        /// How answers without data are protected: as messages that have no mode, but plain in EV2.
        var empty: DESFireHost.Mode { mode == .plain && method == 0x71 ? .plain : mode == .full ? .ordinary : mode }
    }

    static let cases = [DESFireHost.Mode.plain, .mac, .full].flatMap { mode in
        [
            Case(product: .desfireEV1, kinds: "04", method: 0x0A, kind: .des, mode: mode),
            Case(product: .desfireEV1, kinds: "04", method: 0x1A, kind: .des, mode: mode),
            Case(product: .desfireEV1, kinds: "44", method: 0x1A, kind: .tripleDES, mode: mode),
            Case(product: .desfireEV1, kinds: "84", method: 0xAA, kind: .aes, mode: mode),
            Case(product: .desfireEV2, kinds: "84", method: 0x71, kind: .aes, mode: mode),
            Case(product: .desfireEV3, kinds: "84", method: 0x71, kind: .aes, mode: mode),
        ]
    }

    @Test(arguments: cases) func `are written and read in their mode, in several frames`(row: Case) throws {
        var host = try Self.host(row.product, kinds: row.kinds)
        #expect(host.plain(0xCD, "01" + row.communication + "1123 800000").status == 0)
        #expect(host.plain(0xBD, "01000000100000").status == 0xAE)
        #expect(host.authenticate(row.method, 1, row.kind, row.zero) == 0)
        let data = hex((0..<100).map { UInt8($0) })
        #expect(host.send(0x3D, "01040000640000", data, row.mode, answering: row.empty) == Self.done)
        // A reading has no data of which EV1 would make a code.
        let read = host.send(0xBD, "01040000640000", "", row.mode, answering: row.mode, count: 100)
        #expect(read == Answer(data: data, status: 0))
        #expect(host.send(0x64, "01") == Answer(data: "00", status: 0))
        #expect(host.card.fileContent(application: [1, 2, 3], number: 1)?.prefix(6) == hex("000000000001")[...])
        // Another key.
        #expect(host.authenticate(row.method, 0, row.kind, row.zero) == 0)
        #expect(host.send(0xBD, "01000000100000", "", row.mode).status == 0xAE)
    }

    @Test(arguments: cases.filter { $0.mode != .plain }) func `refuse a wrong code or cryptogram`(row: Case) throws {
        var host = try Self.host(row.product, kinds: row.kinds)
        #expect(host.plain(0xCD, "01" + row.communication + "1111 200000").status == 0)
        #expect(host.authenticate(row.method, 1, row.kind, row.zero) == 0)
        let writes = host.card.memoryWrites
        let sizes: [UInt8: Int] = [0x0A: 24, 0x1A: 24, 0xAA: 32, 0x71: 40]
        let count = row.mode == .full ? sizes[row.method] ?? 0 : row.method == 0x0A ? 20 : 24
        let body = String(repeating: "5A", count: count)
        #expect(host.plain(0x3D, "01000000100000" + body).status == 0x1E)
        #expect(host.card.memoryWrites == writes)
        #expect(host.plain(0x51).status == 0xAE)
    }

    @Test func `take chained commands of EV2 whole only`() throws {
        var host = try Self.host(.desfireEV2)
        #expect(host.plain(0xCD, "01 00 EEEE 000200").status == 0)
        let data = String(repeating: "5A", count: 200)
        #expect(host.plain(0x8D, "01000000C80000" + data) == Self.done)
        #expect(host.plain(0x8D, "01000000C80000" + data.dropLast(2)).status == 0x7E)
        #expect(host.plain(0x8D, "01000000C90000" + data).status == 0x7E)
        #expect(host.card.send("90AD00000701000000C8000000") == data + "9100")
        #expect(host.card.send("90AD000007010000000101000000") == "6700")
        #expect(host.card.send("90AD00000701000000000000 00") == "917E")
        #expect(host.frame(0xBD, hex("01000000C80000")).data.count == 123)
        #expect(host.frame(0xAF).data.count == 77)
        var first = try Self.host(.desfireEV1)
        #expect(first.plain(0xCD, "01 00 EEEE 000200").status == 0)
        #expect(first.plain(0x3D, "01000000C80000" + String(data.prefix(98))).status == 0x7E)
    }

    @Test func `with free rights are plain in a session, whatever their mode`() throws {
        for (method, product) in [(0xAA, .desfireEV1), (0x71, .desfireEV2)] as [(UInt8, VirtualDESFireProduct)] {
            var host = try Self.host(product)
            #expect(host.plain(0xCD, "01 03 E0EE 200000").status == 0)
            #expect(host.plain(0x3D, "0100000002000001 02") == Self.done)
            #expect(host.authenticate(method, 1, .aes, Self.zero) == 0)
            let answering: DESFireHost.Mode = .plain
            #expect(host.send(0xBD, "01000000020000", "", .plain, answering: answering).data == "0102")
            #expect(host.send(0x64, "00").isProven)
        }
    }

    @Test func `change their settings with the key of that right`() throws {
        var host = try Self.host(.desfireEV1)
        #expect(host.plain(0xCD, "01 00 E1EE 200000").status == 0)
        #expect(host.plain(0xCD, "02 00 EEEE 200000").status == 0)
        #expect(host.plain(0xCD, "03 00 EFEE 200000").status == 0)
        #expect(host.plain(0x5F, "01 03 1111").status == 0xAE)
        #expect(host.plain(0x5F, "02 01 1023") == Self.done)
        #expect(host.plain(0x5F, "03 01 1023").status == 0x9D)
        #expect(host.authenticate(0xAA, 1, .aes, Self.zero) == 0)
        #expect(host.send(0x5F, "01", "031111", .full) == Self.done)
        #expect(host.send(0xF5, "01") == Answer(data: "00031111200000", status: 0))
        #expect(host.send(0x5F, "01", "431111", .full).status == 0x9E)
    }

    // MARK: Transactions

    @Test func `of backup change with a commit, and not with an abort, an error or without a field`() throws {
        var host = try Self.host(.desfireEV1)
        #expect(host.plain(0xCB, "01 00 EEEE 040000").status == 0)
        let write = "01000000040000AABBCCDD"
        let read = "01000000040000"
        #expect(host.plain(0xC7).status == 0x0C)
        let aborts: [(inout DESFireHost) -> Void] = [
            { host in #expect(host.plain(0xA7) == Self.done) },
            { host in #expect(host.plain(0x99).status == 0x1C) },
            { host in #expect(host.plain(0x5A, "010203").status == 0) },
            { host in #expect(host.authenticate(0xAA, 0, .aes, Self.zero) == 0) },
            { host in
                host.card.fieldDropped()
                host.card.activate()
                #expect(host.plain(0x5A, "010203").status == 0)
            },
        ]
        for abort in aborts {
            #expect(host.plain(0x5A, "010203").status == 0)
            #expect(host.plain(0x3D, write) == Self.done)
            #expect(host.plain(0xBD, read).data == "00000000")
            abort(&host)
            #expect(host.plain(0x5A, "010203").status == 0)
            #expect(host.plain(0xC7).status == 0x0C)
            #expect(host.plain(0xBD, read).data == "00000000")
        }
        #expect(host.plain(0x3D, write) == Self.done)
        #expect(host.plain(0xC7) == Self.done)
        #expect(host.plain(0xBD, read).data == "AABBCCDD")
    }

    @Test func `of a value stay within their limits`() throws {
        var host = try Self.host(.desfireEV1)
        #expect(host.plain(0xCC, "01 00 EEEE 00000000 64000000 0A000000 03").status == 0)
        let turns: [(UInt8, String, String, UInt8)] = [
            (0x6C, "01", "0A000000", 0), (0x0C, "0105000000", "", 0), (0x6C, "01", "0A000000", 0), (0xC7, "", "", 0),
            (0x6C, "01", "0F000000", 0), (0x0C, "0156000000", "", 0xBE), (0xDC, "0110000000", "", 0xBE),
            (0xDC, "010A000000", "", 0), (0xDC, "0105000000", "", 0), (0xC7, "", "", 0), (0x6C, "01", "00000000", 0),
            // At most what the last debits took, and once only.
            (0x1C, "0110000000", "", 0xBE), (0x1C, "0103000000", "", 0), (0xC7, "", "", 0), (0x6C, "01", "03000000", 0),
            (0x1C, "0101000000", "", 0xBE), (0x0C, "01FFFFFFFF", "", 0xBE), (0x0C, "0101", "", 0x7E),
            (0xBD, "01000000010000", "", 0x9D), (0x0C, "0161000000", "", 0), (0xA7, "", "", 0),
            (0x6C, "01", "03000000", 0),
        ]
        for (number, (command, parameters, data, status)) in turns.enumerated() {
            #expect(host.plain(command, parameters) == Answer(data: data, status: status), "\(number)")
        }
        #expect(host.plain(0xF5, "01").data == "0200EEEE00000000640000000000000003")
    }

    @Test(arguments: cases.filter { $0.mode != .plain }) func `of a value change in a session`(row: Case) throws {
        var host = try Self.host(row.product, kinds: row.kinds)
        #expect(host.plain(0xCC, "01" + row.communication + "1111 00000000 64000000 0A000000 00").status == 0)
        #expect(host.authenticate(row.method, 1, row.kind, row.zero) == 0)
        let before = host.send(0x6C, "01", "", row.mode, answering: row.mode, count: 4)
        #expect(before == Answer(data: "0A000000", status: 0))
        #expect(host.send(0x0C, "01", "05000000", row.mode, answering: row.empty) == Self.done)
        #expect(host.send(0xDC, "01", "01000000", row.mode, answering: row.empty) == Self.done)
        #expect(host.send(0xC7) == Self.done)
        #expect(host.send(0x6C, "01", "", row.mode, answering: row.mode, count: 4).data == "0E000000")
    }

    @Test(arguments: [0xC1, 0xC0] as [UInt8]) func `of records give the newest, and replace the oldest if cyclic`(
        kind: UInt8
    ) throws {
        var host = try Self.host(.desfireEV2)
        #expect(host.plain(kind, "01 00 EEEE 020000 030000").status == 0)
        #expect(host.plain(0xBB, "01000000000000").status == 0xBE)
        let isCyclic = kind == 0xC0
        for number in 1...(isCyclic ? 5 : 3) {
            let byte = hex([UInt8(number)])
            #expect(host.plain(0x3B, "01000000010000" + byte) == Self.done)
            #expect(host.plain(0x8B, "01010000010000" + byte) == Self.done)
            #expect(host.plain(0xC7) == Self.done)
        }
        #expect(host.plain(0x3B, "0100000001000009").status == (isCyclic ? 0 : 0xBE))
        #expect(host.plain(0x5A, "010203").status == 0)
        let all = isCyclic ? "04040505" : "010102020303"
        #expect(host.plain(0xBB, "01000000000000") == Answer(data: all, status: 0))
        #expect(host.plain(0xAB, "01000000010000") == Answer(data: isCyclic ? "0505" : "0303", status: 0))
        #expect(host.plain(0xBB, "01010000010000") == Answer(data: isCyclic ? "0404" : "0202", status: 0))
        #expect(host.plain(0xBB, "01010000030000").status == 0xBE)
        #expect(host.plain(0x3B, "01000000030000010203").status == 0xBE)
        #expect(host.plain(0xDB, "0101000001000001 00007F") == Self.done)
        #expect(host.plain(0xC7) == Self.done)
        #expect(host.plain(0xBB, "01010000010000").data == (isCyclic ? "047F" : "027F"))
        #expect(host.plain(0xEB, "01") == Self.done)
        #expect(host.plain(0xBB, "01010000010000").data == (isCyclic ? "047F" : "027F"))
        #expect(host.plain(0x3B, "0100000001000009").status == 0x9D)
        #expect(host.plain(0xEB, "01") == Self.done)
        #expect(host.plain(0xC7) == Self.done)
        #expect(host.plain(0xBB, "01000000000000").status == 0xBE)
        #expect(host.plain(0xF5, "01").data.hasSuffix("020000030000000000"))
    }

    @Test func `get a code over each transaction`() throws {
        var host = try Self.host(.desfireEV2)
        let key = "66A8CB93269DC9BC2885B7A91B9C697B"
        #expect(host.authenticate(0x71, 0, .aes, Self.zero) == 0)
        #expect(host.send(0xCE, "06000FEF02", key + "07", .full) == Self.done)
        #expect(host.send(0xCB, "0100EEEE040000") == Self.done)
        #expect(host.send(0xBD, "06000000000000", "", .plain).data == String(repeating: "00", count: 12))
        #expect(host.send(0x3D, "01000000040000", "AABBCCDD", .plain) == Self.done)
        let code = host.send(0xC7, "01")
        let session = DESFireTransactionCode.sessionKeys(key: hex(key), counter: 0, identifier: hex("04112233445580"))
        let input = hex("3D01000000040000 0000000000000000 AABBCCDD" + String(repeating: "00", count: 12))
        let expected = DESFireTransactionCode.truncated(
            AES128(key: session.authentication).authenticationCode(input))
        #expect(code == Answer(data: "01000000" + hex(expected), status: 0))
        #expect(host.card.fileContent(application: [1, 2, 3], number: 6) == hex("01000000") + expected)
        #expect(host.send(0xBD, "01000000040000", "", .plain).data == "AABBCCDD")
        #expect(host.send(0xC7, "00") == Self.done)
        #expect(host.card.fileContent(application: [1, 2, 3], number: 6)?.prefix(4) == hex("02000000")[...])
        var first = try Self.host(.desfireEV1)
        #expect(first.plain(0xC7, "01").status == 0x7E)
    }

    @Test func `with identifiers are selected and read by ISO commands`() throws {
        var host = DESFireHost(try VirtualDESFireCard(blank: .desfireEV2))
        #expect(host.plain(0xCA, "0102030FA110E1A0A1A2").status == 0)
        #expect(host.plain(0x5A, "010203").status == 0)
        #expect(host.plain(0xCD, "01 05E1 00 EEEE 040000") == Self.done)
        #expect(host.plain(0xCB, "02 06E1 00 0EE0 040000") == Self.done)
        #expect(host.plain(0x61) == Answer(data: "05E106E1", status: 0))
        let turns = [
            Turn("00A4040003A0A1A200", "9000"), Turn("00A4020002E105", "9000"), Turn("00D6000002AABB", "9000"),
            Turn("00B0000004", "AABB00009000"), Turn("00B0000004", "AABB00009000"), Turn("00A4020002E106", "9000"),
            Turn("00D6000001AA", "6982"), Turn("00B0000001", "009000"), Turn("00A40000023F00", "9000"),
            Turn("00B0000001", "6986"), Turn("00A4000002E110", "9000"), Turn("00A4020002E109", "6A82"),
            Turn("00B2010004", "6D00"),
        ]
        for turn in turns { #expect(host.card.send(turn.command) == turn.answer, "\(turn.command)") }
        // A deleted file is not selected any more.
        #expect(host.card.send("00A4020002E105") == "9000")
        #expect(host.plain(0xDF, "01") == Self.done)
        #expect(host.card.send("00B0000001") == "6986")
    }
}
