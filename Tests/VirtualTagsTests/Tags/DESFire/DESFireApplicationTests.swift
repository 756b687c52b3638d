import TestSupport
import Testing

@testable import VirtualTags

/// The card level: applications, configuration, memory.
@Suite struct `DESFire applications` {
    typealias Answer = DESFireHost.Answer
    static let zero = String(repeating: "00", count: 16)

    static func blank(_ product: VirtualDESFireProduct = .desfireEV1) throws -> DESFireHost {
        DESFireHost(try VirtualDESFireCard(blank: product, identifier: hex("04112233445580")))
    }

    static let creations: [(String, UInt8)] = [
        ("010203 0F 81", 0), ("010204 0F 0E", 0), ("010203 0F 81", 0xDE), ("000000 0F 81", 0xDE),
        ("010205 0F 80", 0x9E),
        ("010205 0F 8F", 0x9E), ("010205 0F C1", 0x9E), ("010205 0F 91", 0x9E), ("010205 0F", 0x7E),
        ("010205 0F 81 10E1", 0x7E), ("010205 0F A1 10E1 A0A1A2", 0), ("010206 0F A1 10E1 A0A1A3", 0xDE),
        ("010206 0F A1 11E1 A0A1A2", 0xDE), ("010206 0F A1 11E1", 0),
        ("010207 0F A1 12E1" + String(repeating: "00", count: 17), 0x7E),
    ]

    @Test func `are created, listed, selected and deleted`() throws {
        var host = try Self.blank()
        for (parameters, status) in Self.creations {
            #expect(host.plain(0xCA, parameters).status == status, "\(parameters)")
        }
        #expect(host.plain(0x6A) == Answer(data: "010203010204010205010206", status: 0))
        #expect(host.plain(0x6D) == Answer(data: "01020510E1A0A1A201020611E1", status: 0))
        #expect(host.card.applications.count == 4)
        #expect(host.card.send("00A4040003A0A1A200") == "9000")
        #expect(host.plain(0x45) == Answer(data: "0F81", status: 0))
        #expect(host.plain(0x6A).status == 0x9D)
        #expect(host.plain(0xCA, "0102080F81").status == 0x9D)
        #expect(host.card.send("00A4040007D276000085010000") == "9000")
        #expect(host.plain(0xDA, "010204").status == 0xAE)
        #expect(host.authenticate(0x1A, 0, .des, Self.zero) == 0)
        #expect(host.send(0xDA, "010204") == Answer(data: "", status: 0))
        #expect(host.send(0xDA, "010204").status == 0xA0)
        // Within the application, its own key deletes it.
        #expect(host.plain(0x5A, "010203").status == 0)
        #expect(host.authenticate(0xAA, 0, .aes, Self.zero) == 0)
        #expect(host.send(0xDA, "010203") == Answer(data: "", status: 0))
        #expect(host.plain(0x6A) == Answer(data: "010205010206", status: 0))
    }

    @Test func `of EV1 are 28 at most, and come in frames`() throws {
        var host = try Self.blank()
        for number in 1...28 { #expect(host.plain(0xCA, hex([UInt8(number), 0, 1]) + "0F01").status == 0) }
        #expect(host.plain(0xCA, "FF00010F01").status == 0xCE)
        #expect(host.frame(0x6A).data.count == 57)
        #expect(host.frame(0xAF).data.count == 27)
        #expect(host.frame(0x6A).status == 0xAF)
        #expect(host.plain(0xCA, "FF00010F01").status == 0xCA)
        var later = try Self.blank(.desfireEV2)
        for number in 1...40 { #expect(later.plain(0xCA, hex([UInt8(number), 0, 1]) + "0F01").status == 0) }
    }

    @Test func `and listings need the card master key where its settings say so`() throws {
        var host = try Self.blank()
        #expect(host.authenticate(0x1A, 0, .des, Self.zero) == 0)
        #expect(host.send(0xCA, "0102030F81") == Answer(data: "", status: 0))
        #expect(host.send(0x54, "", "08", .full) == Answer(data: "", status: 0))
        host.session = nil
        #expect(host.plain(0x5A, "000000").status == 0)
        for (command, parameters) in [(0x6A, ""), (0x6D, ""), (0x45, ""), (0xCA, "0102040F81")] as [(UInt8, String)] {
            #expect(host.plain(command, parameters).status == 0xAE)
        }
        #expect(host.plain(0x5A, "010203").status == 0)
        #expect(host.authenticate(0xAA, 0, .aes, Self.zero) == 0)
        #expect(host.send(0xDA, "010203").status == 0xAE)
        #expect(host.plain(0x5A, "000000").status == 0)
        #expect(host.authenticate(0x1A, 0, .des, Self.zero) == 0)
        #expect(host.send(0x6A) == Answer(data: "010203", status: 0))
        #expect(host.send(0xDA, "010203") == Answer(data: "", status: 0))
        // Bit 0 is clear: the key is permanent.
        #expect(host.changeOwnKey(0x80, Self.zero, version: "00") == 0x9D)
    }

    @Test func `fill the memory`() throws {
        var host = try Self.blank(.desfireEV1Small)
        #expect(host.plain(0x6E) == Answer(data: "000A00", status: 0))
        #expect(host.plain(0xCA, "0102030F81").status == 0)
        #expect(host.plain(0x5A, "010203").status == 0)
        #expect(host.plain(0xCD, "01 00 EEEE 000900").status == 0)
        #expect(host.plain(0x6E) == Answer(data: "C00000", status: 0))
        #expect(host.plain(0xCB, "02 00 EEEE 800000").status == 0x0E)
        #expect(host.plain(0xCB, "02 00 EEEE 600000").status == 0)
        #expect(host.plain(0x5A, "000000").status == 0)
        #expect(host.plain(0xCA, "0102040F81").status == 0x0E)
        #expect(host.plain(0xFC).status == 0xAE)
        #expect(host.authenticate(0x1A, 0, .des, Self.zero) == 0)
        #expect(host.send(0xFC) == Answer(data: "", status: 0))
        #expect(host.send(0x6E) == Answer(data: "000A00", status: 0))
        #expect(host.send(0x6A) == Answer(data: "", status: 0))
    }

    @Test func `take the default key, and formatting can be forbidden`() throws {
        var host = try Self.blank()
        let value = "000102030405060708090A0B0C0D0E0F1011121314151617"
        #expect(host.plain(0x5C, "0001").status == 0xAE)
        #expect(host.authenticate(0x1A, 0, .des, Self.zero) == 0)
        #expect(host.send(0x5C, "01", value + "07", .full) == Answer(data: "", status: 0))
        #expect(host.send(0x5C, "00", "01", .full) == Answer(data: "", status: 0))
        #expect(host.send(0xCA, "0102030F81").status == 0)
        #expect(host.card.hasKey(application: [1, 2, 3], number: 0, value: hex(String(value.prefix(32)))))
        #expect(host.card.keyVersion(application: [1, 2, 3], number: 0) == 7)
        #expect(host.send(0xFC).status == 0x9D)
        for (option, data, status) in [("00", "04", 0x9E), ("07", "00", 0x9E), ("01", "00", 0x7E)]
            as [(String, String, UInt8)]
        {
            #expect(host.authenticate(0x1A, 0, .des, Self.zero) == 0)
            #expect(host.send(0x5C, option, data, .full).status == status)
        }
    }

    static let generations: [(VirtualDESFireProduct, UInt8)] = [(.desfireEV1, 0x1A), (.desfireEV2, 0x71)]

    @Test(arguments: generations) func `a random identifier and an answer to select stay`(
        product: VirtualDESFireProduct, method: UInt8
    ) throws {
        var host = try Self.blank(product)
        #expect(host.authenticate(0x1A, 0, .des, Self.zero) == 0)
        if method == 0x71 { #expect(host.changeOwnKey(0x80, Self.zero, version: "00") == 0) }
        let kind: DESFireKeyKind = method == 0x71 ? .aes : .des
        #expect(host.authenticate(method, 0, kind, Self.zero) == 0)
        #expect(host.send(0x5C, "00", "02", .full) == Answer(data: "", status: 0))
        #expect(host.send(0x5C, "02", "08757781028001020", .full).status != 0)
        #expect(host.authenticate(method, 0, kind, Self.zero) == 0)
        #expect(host.send(0x5C, "02", "0775778102C1C2", .full) == Answer(data: "", status: 0))
        #expect(host.card.identifier == hex("04112233445580"))
        #expect(host.card.historicalBytes == hex("C1C2"))
        host.card.fieldDropped()
        host.card.activate()
        let first = host.card.identifier
        #expect(first.count == 4 && first[0] == 0x08)
        host.card.activate()
        #expect(host.card.identifier != first)
        #expect(host.card.serialNumber == hex("04112233445580"))
        host.session = nil
        #expect(host.plain(0x60).data.hasSuffix("00000000000000BA5EBA11002624"))
        #expect(host.authenticate(method, 0, kind, Self.zero) == 0)
        #expect(host.send(0x51, answering: .full, count: 7).data == "04112233445580")
    }

    @Test func `writes of the memory are counted`() throws {
        var host = try Self.blank()
        #expect(host.card.memoryWrites == 0)
        _ = host.plain(0x60)
        _ = host.authenticate(0x1A, 0, .des, Self.zero)
        #expect(host.card.memoryWrites == 0)
        #expect(host.send(0xCA, "0102030F81").status == 0)
        #expect(host.card.memoryWrites == 1)
    }

    @Test func `a blank card has no message, and keeps what it gets`() throws {
        let model = try VirtualTagModel.named("desfire-ev3-blank")
        let blank = try #require(try model.makeTag() as? VirtualDESFireCard)
        #expect(blank.messageFile.isEmpty && blank.applications.isEmpty)
        let filled = try #require(try model.makeTag(ndefMessage: hex("D00000")) as? VirtualDESFireCard)
        #expect(filled.messageFile.prefix(5) == hex("0003D00000")[...])
        #expect(throws: VirtualTagError.wrongSignatureSize(size: 1, expected: 56)) {
            try VirtualDESFireCard(blank: .desfireEV2, signature: [0])
        }
    }
}
