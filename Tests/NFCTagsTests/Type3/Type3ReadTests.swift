import NFCTags
import Synchronization
import Testing
import TestSupport

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
        let blocks = stride(from: 0, to: 80, by: 16).map { hex(Array(padded[$0..<$0 + 16])) }
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

    @Test func `a large Nbr is reduced to the limit of the reader`() async throws {
        let data = (0..<14).map { Wire.block(UInt8($0 + 1)) }
        let body = "07 \(Wire.identifier) 0000 0E \(data.joined())"
        let list = (1...14).map { "80" + hex([UInt8($0)]) }.joined()
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

    @Test(arguments: access) func `RWFlag and MC determine whether it can be written`(
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

    @Test(arguments: foreign) func `a block that is not an attribute block is not NDEF`(block: String) async throws {
        let (tag, _) = Self.tag([(Wire.pollNDEF, Wire.polled(Self.plain)), (Wire.read(0), Wire.data(block))])
        let result = try await tag.readNDEF()
        #expect(result.status == .notSupported)
        #expect(result.reason?.isEmpty == false)
    }

    @Test func `a card that answers only to another system is not NDEF`() async throws {
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

    @Test(arguments: failures) func `failures are reported`(
        name: String, script: [(String, OrderedScript.Answer)], code: NFCErrorCode
    ) async {
        let (tag, channel) = Self.tag(script)
        #expect(await thrown { () throws(TagError) in try await tag.readNDEF() }?.code == code, "\(name)")
        #expect(channel.isDone)
    }
}

/// A channel whose answers have the right head for a while, and anything behind it.
private final class RandomFeliCaChannel: FeliCaChannel {
    let longestFrame = 252
    private let numbers: Mutex<SplitMix>
    private let count = Mutex(0)

    init(seed: UInt64) { numbers = Mutex(SplitMix(seed: seed)) }

    func transceive(_ frame: [UInt8]) async throws(TagError) -> [UInt8] {
        let number = count.withLock { count in
            count += 1
            return count
        }
        // Every call has to end.
        guard number < 20_000 else { throw TagError(.tagConnectionLost, "enough") }
        return numbers.withLock { Self.answer(to: frame, &$0) }
    }

    private static func answer(to frame: [UInt8], _ numbers: inout SplitMix) -> [UInt8] {
        let random = numbers.bytes(count: Int(numbers.next() % 140))
        switch numbers.next() % 8 {
        case 0: return random
        case 1...3: return Array(typeOne(frame, &numbers))
        default: return feliCa(frame, &numbers)
        }
    }

    private static func feliCa(_ frame: [UInt8], _ numbers: inout SplitMix) -> [UInt8] {
        let identifier: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
        var body: [UInt8] = [(frame.dropFirst().first ?? 0) &+ 1] + identifier
        switch frame.dropFirst().first {
        case 0x00: body += [0x00, 0xF0, 0, 0, 0, 1, 0x43, 0]
        case 0x06:
            let blocks = frame.dropFirst(13).first ?? 0
            var data = numbers.bytes(count: Int(blocks) * 16)
            let sum = data.prefix(14).reduce(0) { $0 + Int($1) } - Int(data.first ?? 0) + 0x10
            if data.count >= 16 { data.replaceSubrange(0..<1, with: [0x10]) }
            if data.count >= 16 { data.replaceSubrange(14..<16, with: [UInt8(sum >> 8), UInt8(sum & 0xFF)]) }
            body += [0, 0, blocks] + data
        default: body += [0, 0]
        }
        return [UInt8(truncatingIfNeeded: body.count + 1)] + body
    }

    private static func typeOne(_ frame: [UInt8], _ numbers: inout SplitMix) -> [UInt8] {
        let head: [UInt8] = [0x12, 0x4C, 1, 2, 3, 4]
        switch frame.first {
        case 0x78: return head
        case 0x00: return head + numbers.bytes(count: 116)
        case 0x10:
            let container: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0xE1, 0x10, UInt8(numbers.next() % 256), 0]
            return Array(frame.dropFirst().prefix(1)) + container + numbers.bytes(count: 116)
        default: return Array(frame.dropFirst().dropLast(4))
        }
    }
}

@Suite struct `Tags with random answers` {
    @Test(arguments: [UInt64](0..<300)) func `nothing traps and everything ends`(seed: UInt64) async {
        let tags: [any NDEFTag] = [
            Type3Tag(channel: RandomFeliCaChannel(seed: seed)),
            Type1Tag(channel: RandomFeliCaChannel(seed: seed &+ 1000)),
        ]
        for tag in tags {
            if let reading = try? await tag.readNDEF(), let found = reading.message {
                #expect(found.count <= reading.capacity && reading.status != .notSupported)
            }
            let message = Images.message(count: Int(seed))
            _ = await thrown { () throws(TagError) in try await tag.writeNDEF(message, verifying: seed % 2 == 0) }
            _ = await thrown { () throws(TagError) in try await tag.formatNDEF() }
            _ = await thrown { () throws(TagError) in try await tag.makeReadOnly() }
            _ = try? await tag.queryStatus()
            _ = try? await tag.describe()
            if seed < 20 { _ = try? await tag.dump() }
        }
    }
}
