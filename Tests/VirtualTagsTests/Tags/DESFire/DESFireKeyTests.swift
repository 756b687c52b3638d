import TestSupport
import Testing

@testable import VirtualTags

/// Keys, authentications and messages of the card, command by command.
@Suite struct `DESFire keys and sessions` {
    static let zero = String(repeating: "00", count: 16)
    static let keyA = "000102030405060708090A0B0C0D0E0F"
    static let keyB = "F0E1D2C3B4A5968778695A4B3C2D1E0F"
    static let identifier = "04112233445580"

    static func blank(_ product: VirtualDESFireProduct) throws -> DESFireHost {
        DESFireHost(try VirtualDESFireCard(blank: product, identifier: hex(identifier)))
    }

    /// A card with an application 010203 of three AES keys of zeros, selected.
    static func withApplication(
        _ product: VirtualDESFireProduct, settings: String = "0F", kinds: String = "83"
    ) throws -> DESFireHost {
        var host = try blank(product)
        #expect(host.plain(0xCA, "010203" + settings + kinds).status == 0)
        #expect(host.plain(0x5A, "010203").status == 0)
        return host
    }

    static let versions: [(VirtualDESFireProduct, String)] = [
        (.desfireEV1, "0401010100180504010101041805"), (.desfireEV1Small, "0401010100160504010101041605"),
        (.desfireEV1Large, "04010101001A0504010101041A05"), (.desfireEV2, "0401011200180504010102011805"),
        (.desfireEV3, "0401013300180504010103001805"),
    ]

    @Test(arguments: versions) func `the version names the product`(
        product: VirtualDESFireProduct, version: String
    ) throws {
        var host = try Self.blank(product)
        #expect(host.plain(0x60).data.hasPrefix(version + Self.identifier))
        #expect(host.plain(0x45) == DESFireHost.Answer(data: "0F01", status: 0))
        #expect(host.plain(0x64, "00") == DESFireHost.Answer(data: "00", status: 0))
        #expect(host.plain(0x6A) == DESFireHost.Answer(data: "", status: 0))
    }

    static let authentications: [(UInt8, UInt8, DESFireKeyKind, String, UInt8)] = [
        (0x0A, 0, .des, zero, 0), (0x1A, 0, .des, zero, 0), (0xAA, 0, .des, zero, 0xAE), (0x71, 0, .des, zero, 0xAE),
        (0x1A, 0, .des, keyA, 0xAE), (0x1A, 1, .des, zero, 0x40), (0x0A, 0, .des, keyA, 0xAE),
    ]

    @Test(arguments: authentications) func `the card as delivered takes DES of zeros`(
        method: UInt8, number: UInt8, kind: DESFireKeyKind, value: String, status: UInt8
    ) throws {
        var host = try Self.blank(.desfireEV2)
        #expect(host.authenticate(method, number, kind, value) == status)
        #expect(host.card.failedAuthentications == (value == Self.keyA ? 1 : 0))
    }

    static let migrations: [(VirtualDESFireProduct, UInt8, UInt8)] = [
        (.desfireEV1, 0x1A, 0xAA), (.desfireEV1, 0x0A, 0xAA), (.desfireEV2, 0x1A, 0x71), (.desfireEV3, 0x0A, 0x71),
    ]

    @Test(arguments: migrations) func `the card master key becomes an AES key`(
        product: VirtualDESFireProduct, from: UInt8, to: UInt8
    ) throws {
        var host = try Self.blank(product)
        #expect(host.authenticate(from, 0, .des, Self.zero) == 0)
        #expect(host.changeOwnKey(0x80, Self.keyA, version: "05") == 0)
        #expect(host.card.hasKey(application: [0, 0, 0], number: 0, value: hex(Self.keyA)))
        #expect(!host.card.hasKey(application: [0, 0, 0], number: 0, value: hex(Self.keyB)))
        #expect(host.card.keyVersion(application: [0, 0, 0], number: 0) == 5)
        #expect(host.authenticate(from, 0, .des, Self.zero) == 0xAE)
        #expect(host.authenticate(to, 0, .aes, Self.keyA) == 0)
        #expect(host.send(0x45) == DESFireHost.Answer(data: "0F81", status: 0))
        // Without the bit of AES the card expects a DES key.
        #expect(host.changeOwnKey(0x00, Self.keyB, version: "06") != 0)
        #expect(host.authenticate(to, 0, .aes, Self.keyA) == 0)
        #expect(host.changeOwnKey(0x00, Self.zero) == 0)
        #expect(host.authenticate(0x1A, 0, .des, Self.zero) == 0)
        #expect(host.changeOwnKey(0x40, Self.keyA + "1011121314151617") == 0)
        #expect(host.authenticate(0x1A, 0, .tripleDES, Self.keyA + "1011121314151617") == 0)
        #expect(host.send(0x45) == DESFireHost.Answer(data: "0F41", status: 0))
        #expect(host.send(0x51, answering: .full, count: 7).data == Self.identifier)
    }

    static let sessions: [(VirtualDESFireProduct, String, UInt8, DESFireKeyKind, String)] = [
        (.desfireEV1, "83", 0xAA, .aes, zero), (.desfireEV2, "83", 0xAA, .aes, zero),
        (.desfireEV2, "83", 0x71, .aes, zero),
        (.desfireEV3, "83", 0x71, .aes, zero), (.desfireEV1, "03", 0x1A, .des, zero),
        (.desfireEV1, "03", 0x0A, .des, zero),
        (.desfireEV2, "43", 0x1A, .tripleDES, zero + "0000000000000000"),
    ]

    @Test(arguments: sessions) func `a session changes other keys, and its own last`(
        product: VirtualDESFireProduct, kinds: String, method: UInt8, kind: DESFireKeyKind, zero: String
    ) throws {
        var host = try Self.withApplication(product, kinds: kinds)
        let more = kind == .tripleDES ? "1020304050607080" : ""
        let (new, version) = (Self.keyA + more, kind == .aes ? "42" : "")
        #expect(host.authenticate(method, 0, kind, zero) == 0)
        #expect(host.changeKey(1, from: zero, to: new, version: version) == DESFireHost.Answer(data: "", status: 0))
        #expect(host.card.hasKey(application: [1, 2, 3], number: 1, value: hex(new)))
        #expect(host.send(0x64, "01") == DESFireHost.Answer(data: kind == .aes ? "42" : "55", status: 0))
        #expect(host.send(0x51, answering: .full, count: 7) == DESFireHost.Answer(data: Self.identifier, status: 0))
        #expect(host.send(0x60).data.count == 56)
        #expect(host.send(0x6E).status == 0)
        // A wrong old value has a wrong checksum; that ends the session, and counts no failure.
        #expect(host.changeKey(1, from: zero, to: zero, version: version).status == 0x1E)
        #expect(host.plain(0x51).status == 0xAE)
        #expect(host.card.failedAuthentications == 0)
        #expect(host.authenticate(method, 0, kind, zero) == 0)
        #expect(host.changeOwnKey(0, new, version: version) == 0)
        #expect(host.plain(0x51).status == 0xAE)
        #expect(host.authenticate(method, 0, kind, new) == 0)
    }

    @Test func `a triple DES key with two halves has a longer session key`() throws {
        var host = try Self.withApplication(.desfireEV1, kinds: "02")
        #expect(host.authenticate(0x1A, 0, .des, Self.zero) == 0)
        #expect(host.changeOwnKey(0, Self.keyB) == 0)
        for method: UInt8 in [0x1A, 0x0A] {
            #expect(host.authenticate(method, 0, .des, Self.keyB) == 0)
            #expect(host.send(0x51, answering: .full, count: 7).data == Self.identifier)
            #expect(host.send(0x45).data == "0F02")
        }
        // Parity bits do not count for the cipher, but are the version, and make two halves different.
        #expect(host.card.keyVersion(application: [1, 2, 3], number: 0) == 0x55)
        #expect(host.changeOwnKey(0, "00000000000000000101010101010101") == 0)
        #expect(host.card.hasKey(application: [1, 2, 3], number: 0, value: hex(Self.zero)))
        #expect(host.authenticate(0x1A, 0, .des, "00000000000000000101010101010101") == 0)
        #expect(host.send(0x45).isProven)
        #expect(host.authenticate(0x1A, 0, .des, Self.zero) == 0)
        #expect(!host.send(0x45).isProven)
    }

    static let changes: [(String, UInt8, UInt8, UInt8)] = [
        ("0F", 0, 1, 0), ("0F", 1, 2, 0xAE), ("0F", 1, 1, 0xAE), ("1F", 1, 2, 0), ("1F", 0, 1, 0), ("1F", 0, 2, 0xAE),
        ("EF", 1, 1, 0), ("EF", 0, 1, 0xAE), ("FF", 0, 1, 0x9D), ("FF", 1, 1, 0x9D), ("0E", 0, 0, 0x9D),
        ("0F", 0, 0, 0),
        ("0F", 0, 3, 0x40), ("FF", 0, 0, 0),
    ]

    @Test(arguments: changes) func `the settings name the key that changes keys`(
        settings: String, proven: UInt8, changed: UInt8, status: UInt8
    ) throws {
        var host = try Self.withApplication(.desfireEV2, settings: settings)
        #expect(host.authenticate(0xAA, proven, .aes, Self.zero) == 0)
        let answer =
            proven == changed
            ? host.changeOwnKey(changed, Self.keyA, version: "01")
            : host.changeKey(changed, from: Self.zero, to: Self.keyA, version: "01").status
        #expect(answer == status)
        #expect(host.card.hasKey(application: [1, 2, 3], number: changed, value: hex(Self.keyA)) == (status == 0))
    }

    @Test func `settings change once they are protected, and can be frozen`() throws {
        var host = try Self.withApplication(.desfireEV1)
        #expect(host.plain(0x54, "09").status == 0xAE)
        #expect(host.authenticate(0xAA, 1, .aes, Self.zero) == 0)
        #expect(host.send(0x54, "", "09", .full).status == 0xAE)
        #expect(host.authenticate(0xAA, 0, .aes, Self.zero) == 0)
        #expect(host.send(0x54, "", "01", .full) == DESFireHost.Answer(data: "", status: 0))
        #expect(host.send(0x54, "", "0F", .full).status == 0x9D)
        for command: UInt8 in [0x45, 0x6F, 0x64, 0xF5] {
            #expect(host.plain(command, command == 0x64 || command == 0xF5 ? "00" : "").status == 0xAE)
        }
        #expect(host.plain(0xCD, "01 00 EEEE 200000").status == 0xAE)
        #expect(host.authenticate(0xAA, 0, .aes, Self.zero) == 0)
        #expect(host.send(0x45).data == "0183")
        #expect(host.send(0xCD, "0100EEEE200000").status == 0)
    }

    @Test func `EV2 continues a transaction with another key`() throws {
        var host = try Self.withApplication(.desfireEV2)
        #expect(host.plain(0x77, "00").status == 0xAE)
        #expect(host.authenticate(0x71, 0, .aes, Self.zero) == 0)
        #expect(host.send(0x64, "01") == DESFireHost.Answer(data: "00", status: 0))
        #expect(host.authenticate(0x77, 1, .aes, Self.zero) == 0)
        #expect(host.send(0x64, "02") == DESFireHost.Answer(data: "00", status: 0))
        #expect(host.send(0x51, answering: .full).data == Self.identifier)
        // In plain, or with another counter: refused, and the session is over.
        #expect(host.plain(0x64, "02").status == 0x7E)
        #expect(host.plain(0x51).status == 0xAE)
        #expect(host.authenticate(0x71, 0, .aes, Self.zero) == 0)
        let saved = host.session
        #expect(host.send(0x64, "01").status == 0)
        host.session = saved
        #expect(host.send(0x64, "01").status == 0x1E)
        #expect(host.authenticate(0xAA, 0, .aes, Self.zero) == 0)
        #expect(host.plain(0x77, "00").status == 0xAE)
    }

    @Test func `EV1 has no commands of EV2`() throws {
        var host = try Self.withApplication(.desfireEV1)
        for command: UInt8 in [0x71, 0x77, 0x3C, 0xAD, 0x8D, 0xAB, 0x8B, 0xBA, 0xDB, 0xCE, 0xC6] {
            #expect(host.plain(command, "00").status == 0x1C, "\(command)")
        }
        var later = try Self.blank(.desfireEV2)
        #expect(later.plain(0x3C, "00") == DESFireHost.Answer(data: String(repeating: "00", count: 56), status: 0x90))
    }

    @Test func `a session of EV1 notices a skipped command`() throws {
        var host = try Self.withApplication(.desfireEV1)
        #expect(host.authenticate(0xAA, 0, .aes, Self.zero) == 0)
        let saved = host.session
        #expect(host.send(0x64, "00").isProven)
        host.session = saved
        #expect(!host.send(0x64, "00").isProven)
    }

    @Test func `a session ends with the field, a selection and an error`() throws {
        var host = try Self.withApplication(.desfireEV2)
        let ends: [(inout DESFireHost) -> Void] = [
            { host in
                host.card.fieldDropped()
                host.card.activate()
                _ = host.plain(0x5A, "010203")
            },
            { host in #expect(host.plain(0x5A, "010203").status == 0) },
            { host in #expect(host.plain(0x99).status == 0x1C) },
            { host in #expect(host.card.send("00A4040007D276000085010000") == "9000") },
        ]
        for end in ends {
            #expect(host.plain(0x5A, "010203").status == 0)
            #expect(host.authenticate(0x71, 0, .aes, Self.zero) == 0)
            end(&host)
            #expect(host.plain(0x51).status == 0xAE)
        }
    }

    @Test func `nothing comes between the parts of an authentication`() throws {
        var host = try Self.withApplication(.desfireEV2)
        #expect(host.frame(0xAA, [0]).status == 0xAF)
        #expect(host.frame(0x60).status == 0xCA)
        #expect(host.frame(0xAF, [UInt8](repeating: 0, count: 32)).status == 0x1C)
        #expect(host.card.failedAuthentications == 0)
    }
}
