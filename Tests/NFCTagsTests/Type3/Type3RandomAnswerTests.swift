import NFCTags
import Synchronization
import TestSupport
import Testing

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
        // Nothing may go on for ever.
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
            return frame.dropFirst().prefix(1) + container + numbers.bytes(count: 116)
        default: return Array(frame.dropFirst().dropLast(4))
        }
    }
}

@Suite struct `Tags that answer at random` {
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
