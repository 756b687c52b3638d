import Foundation
import NFCTags
import TagTable
import Testing
import VirtualTags

/// Random commands on random tags whose containers declare anything. None of the commands is meant for locks, configuration, counters
/// or keys, so the models must find these as they were.
///
/// `NFCD_RANDOM_COMMANDS` is how many commands, 800 without; `make random-test` sends 100,000.
@Suite struct `Random commands` {
    /// Numbers that are the same for the same seed (SplitMix64).
    struct Numbers: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var number = state
            number = (number ^ number >> 30) &* 0xBF58_476D_1CE4_E5B9
            number = (number ^ number >> 27) &* 0x94D0_49BB_1331_11EB
            return number ^ number >> 31
        }
    }

    enum Command: CaseIterable {
        case write, writeVerified, writeAll, update, erase, format, formatOver, restore, status, read, describe, dump
    }

    static let count = ProcessInfo.processInfo.environment["NFCD_RANDOM_COMMANDS"].flatMap { Int($0) } ?? 800
    static let commandsPerTag = 10

    @Test(arguments: 0..<8) func `never change a lock, configuration or counter byte`(part: Int) async throws {
        var numbers = Numbers(state: UInt64(part) &* 7919 &+ 34)
        var done = [String: Int]()
        var sent = 0
        while sent < Self.count / 8 {
            let place = try #require(TagTable.places.randomElement(using: &numbers))
            // The commands of cards with applications and of MIFARE Classic change what keys permit, and no more.
            guard let tag = try Self.tag(of: place, using: &numbers) else { continue }
            guard let bench = try? `A message stays in the memory for data`.Bench(tag, on: place.reader.name) else {
                continue
            }
            let before = try GuardedMemory.bytes(of: bench.card.tag)
            for _ in 0..<Self.commandsPerTag {
                let command = try #require(Command.allCases.randomElement(using: &numbers))
                let isDone = await Self.send(command, to: bench, using: &numbers)
                sent += 1
                done["\(command)", default: 0] += isDone ? 1 : 0
                let after = try GuardedMemory.bytes(of: bench.card.tag)
                guard after == before else {
                    Issue.record("part \(part), command \(sent): \(command) on \(place) changed what is guarded")
                    return
                }
            }
        }
        // A long run would show nothing if no command worked.
        guard Self.count >= 3_000 else { return }
        for command in Command.allCases { #expect(done["\(command)", default: 0] > 0, "\(command)") }
    }

    /// Whether it was done without an error.
    private static func send(
        _ command: Command, to bench: `A message stays in the memory for data`.Bench, using numbers: inout Numbers
    ) async -> Bool {
        let size = [3, 20, 46, 60, 137, 200, 500, 900].randomElement(using: &numbers) ?? 3
        let block = Int.random(in: 0...90, using: &numbers)
        let bytes = (0..<4).map { _ in UInt8.random(in: .min ... .max, using: &numbers) }
        do {
            let tag = try await bench.driver()
            switch command {
            case .write: try await tag.writeNDEF(TagTable.message(size), verifying: false)
            case .writeVerified: try await tag.writeNDEF(TagTable.message(size), verifying: true)
            case .writeAll:
                try await tag.writeNDEF(TagTable.message(max(3, tag.queryStatus().capacity)), verifying: false)
            case .update: try await update(tag, using: &numbers)
            case .erase: try await tag.writeNDEF([], verifying: true)
            case .format: try await tag.formatNDEF()
            case .formatOver: try await tag.formatNDEF(overwriting: true)
            case .restore:
                guard let memory = tag as? any WritableMemory else { return false }
                _ = try await memory.writeMemory([block: bytes], progress: nil)
            case .status: _ = try await tag.queryStatus()
            case .read: _ = try await tag.readNDEF()
            case .describe: _ = try await tag.describe()
            case .dump: _ = try await tag.dump()
            }
            return true
        } catch {
            return false
        }
    }

    /// Changes some bytes of the first record, as far as it is a short one of unknown type.
    private static func update(_ tag: any NDEFTag, using numbers: inout Numbers) async throws {
        guard let message = try await tag.readNDEF().message, message.count > 3, message[0] & 0x1F == 0x15 else {
            throw CancellationError()
        }
        let payload = message.dropFirst(3).prefix(Int(message[2]))
        let offset = Int.random(in: 0..<max(1, payload.count), using: &numbers)
        let old = Array(payload.dropFirst(offset).prefix(Int.random(in: 1...40, using: &numbers)))
        let stop = RecordUpdate.Stop(offset: offset, byte: 0xFF)
        let update = try RecordUpdate(record: 0, offset: offset, old: old, new: old.map { ~$0 }, stop: stop)
        try await tag.updateRecord(update, verifying: true, progress: nil)
    }

    /// A tag of the model with anything in its container and memory for data; nil for models that are not part of it.
    private static func tag(of place: TagTable.Place, using numbers: inout Numbers) throws -> (any VirtualTag)? {
        let size = UInt8.random(in: .min ... .max, using: &numbers)
        let tag = try place.model.makeTag(ndefMessage: nil)
        let hasContainer = UInt8.random(in: 0...7, using: &numbers) > 0
        let content = Self.content(using: &numbers)
        switch tag {
        case let tag as VirtualType2Tag:
            let container: [UInt8] = hasContainer ? [0xE1, 0x10, size, 0x00] : [0, 0, 0, 0]
            return try `A message stays in the memory for data`.type2(tag.product, container: container, area: content)
        case let tag as VirtualISO15693Tag:
            var memory = [UInt8](repeating: 0, count: tag.product.memorySize)
            let container: [UInt8] = hasContainer ? [0xE1, 0x40, size, 0x01] : []
            let filling = (container + content).prefix(tag.product.dataSize)
            memory.replaceSubrange(0..<filling.count, with: filling)
            return try VirtualISO15693Tag(product: tag.product, memory: memory)
        case let tag as VirtualTopazTag:
            var memory = tag.memory
            let filling = ((hasContainer ? [0xE1, 0x10, size, 0x00] : []) + content).prefix(96)
            memory.replaceSubrange(8..<8 + filling.count, with: filling)
            return try VirtualTopazTag(product: tag.product, memory: memory)
        case is VirtualFeliCaTag, is VirtualNTAGI2CTag, is VirtualType4Card: return tag
        default: return nil
        }
    }

    /// An empty message, a message, TLVs of unknown type, or data.
    private static func content(using numbers: inout Numbers) -> [UInt8] {
        let random = (0..<Int.random(in: 1...60, using: &numbers)).map { _ in
            UInt8.random(in: .min ... .max, using: &numbers)
        }
        switch UInt8.random(in: 0...4, using: &numbers) {
        case 0: return [0x03, 0x00, 0xFE]
        case 1: return [0x03, 0x10] + `A message stays in the memory for data`.old + [0xFE]
        case 2: return [0x41, 0x02, 0xAA, 0xBB, 0x03, 0x00, 0xFE]
        case 3: return [0x01, 0x03] + random.prefix(3) + [0x03, 0x00, 0xFE]
        default: return random
        }
    }
}
