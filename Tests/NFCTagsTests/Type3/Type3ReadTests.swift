import NFCTags
import Testing

@Suite struct `Reading a Type 3 Tag` {
    typealias Wire = FeliCaWire
    static let plain = "0120220427674EFF"

    static func tag(_ script: [(String, OrderedScript.Answer)]) -> (Type3Tag, OrderedScript) {
        let channel = OrderedScript(script)
        return (Type3Tag(channel: ACR122UDataExchange(channel: channel), identifier: hex(Wire.identifier)), channel)
    }

    @Test func `a Lite-S is read in polling, attributes with MC, and data in Nbr blocks`() async throws {
        let message = Images.message(count: 70)
        let padded = message + [UInt8](repeating: 0, count: 10)
        let blocks = stride(from: 0, to: 80, by: 16).map { hexDigits(Array(padded[$0..<$0 + 16])) }
        let (tag, channel) = Self.tag([
            (Wire.pollNDEF, Wire.polled()),
            (Wire.read(0, 0x88), Wire.data(Wire.attribute(length: 70), Wire.configuration)),
            (Wire.read(1, 2, 3, 4), Wire.data(blocks[0], blocks[1], blocks[2], blocks[3])),
            (Wire.read(5), Wire.data(blocks[4])),
        ])
        let result = try await tag.readNDEF()
        #expect(result == NDEFReadResult(status: .readWrite, capacity: 208, message: message))
        #expect(channel.isDone)
    }

    @Test func `polling happens once for a connection`() async throws {
        let (tag, channel) = Self.tag([
            (Wire.pollNDEF, Wire.polled(Self.plain)),
            (Wire.read(0), Wire.data(Wire.attribute())),
            (Wire.read(0), Wire.data(Wire.attribute(length: 1))),
            (Wire.read(1), Wire.data(Wire.block(0xD0))),
        ])
        #expect(try await tag.readNDEF().message == nil)
        #expect(try await tag.readNDEF().message == [0xD0])
        #expect(channel.isDone)
    }

    @Test func `a Lite that refuses MC is asked for block 0 alone`() async throws {
        let (tag, channel) = Self.tag([
            (Wire.pollNDEF, Wire.polled()),
            (Wire.read(0, 0x88), Wire.refused("06", "02A8")),
            (Wire.read(0), Wire.data(Wire.attribute())),
        ])
        #expect(try await tag.readNDEF().status == .readWrite)
        #expect(channel.isDone)
    }

    @Test func `Nbr 0 is read block by block, with a warning`() async throws {
        let (tag, channel) = Self.tag([
            (Wire.pollNDEF, Wire.polled(Self.plain)),
            (Wire.read(0), Wire.data(Wire.attribute(nbr: 0, nbw: 0, length: 17))),
            (Wire.read(1), Wire.data(Wire.block(0xAA))),
            (Wire.read(2), Wire.data(Wire.block(0xBB))),
        ])
        let result = try await tag.readNDEF()
        #expect(result.message?.count == 17)
        #expect(result.warnings.count == 2)
        #expect(channel.isDone)
    }

    @Test func `a large Nbr is cut to what the reader carries`() async throws {
        let data = (0..<14).map { Wire.block(UInt8($0 + 1)) }
        let body = "07 \(Wire.identifier) 0000 0E \(data.joined())"
        let list = (1...14).map { "80" + hexDigits([UInt8($0)]) }.joined()
        let command = Wire.command(Wire.packet("06 \(Wire.identifier) 010B00 0E \(list)"))
        let (tag, channel) = Self.tag([
            (Wire.pollNDEF, Wire.polled(Self.plain)),
            (Wire.read(0), Wire.data(Wire.attribute(nbr: 255, nmaxb: 100, length: 225))),
            (command, Wire.answer(Wire.packet(body))),
            (Wire.read(15), Wire.data(Wire.block(0x0F))),
        ])
        #expect(try await tag.readNDEF().message?.count == 225)
        #expect(channel.isDone)
    }

    @Test(arguments: [0x0F, 0x01, 0xFF] as [UInt8])
    func `an interrupted write reads as empty and writable, with a warning`(flag: UInt8) async throws {
        let (tag, channel) = Self.tag([
            (Wire.pollNDEF, Wire.polled(Self.plain)),
            (Wire.read(0), Wire.data(Wire.attribute(writing: flag, length: 40))),
        ])
        let result = try await tag.readNDEF()
        #expect(
            result
                == NDEFReadResult(status: .readWrite, capacity: 208, message: nil, warnings: [.interruptedWrite]))
        #expect(channel.isDone)
    }

    static let access: [(rw: UInt8, configuration: String?, status: NDEFStatus)] = [
        (1, nil, .readWrite), (0, nil, .readOnly), (2, nil, .readOnly),
        (1, Wire.configuration, .readWrite),
        // RW bits of blocks 0 and 1; then Lite-S: an authentication, a MAC for block 1.
        (1, "FEFFFF01FF0000000000000000000000", .readOnly), (1, "FDFFFF01FF0000000000000000000000", .readOnly),
        (1, "FFFFFF01FF0000000200000000000000", .readOnly), (1, "FFFFFF01FF0000000000020000000000", .readOnly),
        (1, "FFFFFF01FF0002000000000000000000", .readWrite),
    ]

    @Test(arguments: access) func `RWFlag and MC tell whether it can be written`(
        row: (rw: UInt8, configuration: String?, status: NDEFStatus)
    ) async throws {
        let attribute = Wire.attribute(rw: row.rw)
        let read: (String, OrderedScript.Answer) =
            row.configuration.map { (Wire.read(0, 0x88), Wire.data(attribute, $0)) }
            ?? (Wire.read(0), Wire.data(attribute))
        let (tag, _) = Self.tag([
            (Wire.pollNDEF, Wire.polled(row.configuration == nil ? Self.plain : Wire.parameter)), read,
        ])
        #expect(try await tag.readNDEF().status == row.status)
    }

    static let foreign: [String] = [
        Wire.block(0), Wire.block(0xFF), "DEADBEAF0000000000000000DEADBEAF", Wire.attribute(version: 0x20),
        Wire.attribute(version: 0x00), "10040100 0D00 00000000 01 000000 0024",
    ]

    @Test(arguments: foreign) func `a block that is no attribute block is no NDEF`(block: String) async throws {
        let (tag, _) = Self.tag([(Wire.pollNDEF, Wire.polled(Self.plain)), (Wire.read(0), Wire.data(block))])
        let result = try await tag.readNDEF()
        #expect(result.status == .notSupported)
        #expect(result.reason?.isEmpty == false)
    }

    @Test func `a card that answers only to another system is no NDEF`() async throws {
        let (tag, channel) = Self.tag([(Wire.pollNDEF, Wire.silence), (Wire.pollAny, Wire.polled())])
        let result = try await tag.readNDEF()
        #expect(result.reason == "FeliCa Lite-S has no NDEF system 12FC")
        #expect(channel.isDone)
    }

    static let failures: [(String, [(String, OrderedScript.Answer)], NFCErrorCode)] = [
        ("silent", [(Wire.pollNDEF, Wire.silence), (Wire.pollAny, Wire.silence)], .tagResponseError),
        ("gone", [(Wire.pollNDEF, .failure(.tagLost))], .tagConnectionLost),
        (
            "another card", [(Wire.pollNDEF, Wire.polled(plain, identifier: "0909090909090909"))], .tagConnectionLost
        ),
        (
            "swapped later",
            [
                (Wire.pollNDEF, Wire.polled(plain)),
                (Wire.read(0), Wire.answer("1D07 0909090909090909 000001 \(Wire.attribute())")),
            ], .tagConnectionLost
        ),
        (
            "refuses block 0", [(Wire.pollNDEF, Wire.polled(plain)), (Wire.read(0), Wire.refused("06", "01A6"))],
            .tagResponseError
        ),
        (
            "Ln over Nmaxb",
            [(Wire.pollNDEF, Wire.polled(plain)), (Wire.read(0), Wire.data(Wire.attribute(length: 209)))],
            .tagResponseError
        ),
        (
            "Nmaxb 0 with a message",
            [(Wire.pollNDEF, Wire.polled(plain)), (Wire.read(0), Wire.data(Wire.attribute(nmaxb: 0, length: 1)))],
            .tagResponseError
        ),
        (
            "no data",
            [
                (Wire.pollNDEF, Wire.polled(plain)), (Wire.read(0), Wire.data(Wire.attribute(length: 1))),
                (Wire.read(1), Wire.answer("0D07 \(Wire.identifier) 0000 00")),
            ], .tagResponseError
        ),
    ]

    @Test(arguments: failures) func `what goes wrong is told`(
        name: String, script: [(String, OrderedScript.Answer)], code: NFCErrorCode
    ) async {
        let (tag, channel) = Self.tag(script)
        #expect(await thrown { () throws(TagError) in try await tag.readNDEF() }?.code == code, "\(name)")
        #expect(channel.isDone)
    }
}
