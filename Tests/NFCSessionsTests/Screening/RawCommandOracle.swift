import Foundation
import NFCReaders
import NFCTags
import NFCTypes
import Testing
import TestSupport
import VirtualTags

@testable import NFCSessions

/// A virtual tag as the oracle sees it: it takes commands, and shows what is in its memory.
protocol OracleTag {
    /// What nfcd knows of the tag.
    var identity: TagIdentity { get }
    /// What a client may not change without `lock`: lock and one-time bits, keys, the configuration, access rights.
    var protected: [UInt8] { get }
    /// Everything that is stored.
    var everything: [UInt8] { get }
    /// Sends a command; nil: there was no answer.
    mutating func send(_ command: RawCommand) -> [UInt8]?
}

/// Sends generated commands to virtual tags, through the screen and the grants, as a client's commands go. The memory of the tag
/// decides what a command did, not the screen.
struct RawCommandOracle {
    /// What came of the sequences.
    struct Outcome {
        var sent = 0
        var refused = 0
        /// Sequences after which something protected was different.
        var protectedChanges: [[RawCommand]] = []
        /// Sequences after which anything was different.
        var changes = 0
        /// Answers that contain the secret of a foreign application.
        var leaks: [[RawCommand]] = []
    }

    static let reader = ReaderDescription(id: ReaderID(rawValue: "desk"), name: "Desk Reader")
    /// 10,000 with NFCD_SEQUENCES=10000, as `make attack` runs it; fewer in the tests of every day.
    static let sequences = ProcessInfo.processInfo.environment["NFCD_SEQUENCES"].flatMap { Int($0) } ?? 1_000

    let makeTag: (Int) throws -> any OracleTag
    let makeCommands: (Int, inout SplitMix) -> [RawCommand]
    var isDESFire = false
    /// Bytes that only a foreign application has.
    var secret: [UInt8] = []

    /// A grant of capabilities on the reader, by default with every application.
    static func grant(
        _ capabilities: Set<Capability>, names: Entitlements.Names<[UInt8]> = .all,
        systems: Entitlements.Names<UInt16> = .all
    ) -> Permissions {
        Permissions([
            Entitlements(
                formats: [.tag], capabilities: capabilities, selectIdentifiers: names, systemCodes: systems,
                readers: .all)
        ])
    }

    /// Runs the sequences with what a client may do.
    func run(_ permissions: Permissions, sequences: Int = sequences, seed: UInt64) async throws -> Outcome {
        var outcome = Outcome()
        var random = SplitMix(seed: seed)
        let rules = CommandRules(reader: Self.reader) { permissions }
        for number in 0..<sequences {
            // Other tests run on the same threads.
            if number.isMultiple(of: 16) { await Task.yield() }
            var tag = try makeTag(number)
            let (protected, everything) = (tag.protected, tag.everything)
            var screen = CommandScreen(tag.identity, isDESFire: isDESFire)
            var sent: [RawCommand] = []
            for command in makeCommands(number, &random) {
                guard isAllowed(command, rules, screen) else {
                    outcome.refused += 1
                    continue
                }
                let answer = tag.send(command)
                screen.record(command, answer: answer)
                sent.append(command)
                if let answer, contains(answer, secret) { outcome.leaks.append(sent) }
            }
            outcome.sent += sent.count
            if tag.protected != protected { outcome.protectedChanges.append(sent) }
            if tag.everything != everything { outcome.changes += 1 }
        }
        return outcome
    }

    private func isAllowed(_ command: RawCommand, _ rules: CommandRules, _ screen: CommandScreen) -> Bool {
        do throws(TagError) {
            try rules.check(command, by: screen)
            return true
        } catch {
            return false
        }
    }

    private func contains(_ answer: [UInt8], _ secret: [UInt8]) -> Bool {
        guard !secret.isEmpty, answer.count >= secret.count else { return false }
        return (0...answer.count - secret.count).contains { answer[$0..<$0 + secret.count].elementsEqual(secret) }
    }
}

extension RawCommandOracle {
    /// What every technology has to pass: with `lock` the sequences do harm, without it none does, and with `raw` alone nothing
    /// changes.
    func check(seed: UInt64, _ place: SourceLocation = #_sourceLocation) async throws {
        let all = try await run(
            Self.grant(Set(Capability.allCases).subtracting([.simulate])), sequences: 500, seed: seed)
        #expect(!all.protectedChanges.isEmpty, "no sequence does any harm", sourceLocation: place)
        #expect(all.refused == 0, sourceLocation: place)
        let writing = try await run(Self.grant([.raw, .read, .write]), seed: seed)
        #expect(writing.protectedChanges.isEmpty, "\(writing.protectedChanges.first ?? [])", sourceLocation: place)
        #expect(writing.changes > 0 && writing.refused > 0, sourceLocation: place)
        let reading = try await run(Self.grant([.raw, .read]), seed: seed)
        #expect(reading.changes == 0 && reading.sent > 0, sourceLocation: place)
    }
}

extension SplitMix {
    /// One of these.
    mutating func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: 0..<values.count, using: &self)] }

    /// True once in so many times.
    mutating func once(in times: Int) -> Bool { Int.random(in: 0..<times, using: &self) == 0 }

    /// Bytes for data: often all bits set or none.
    mutating func data(count: Int) -> [UInt8] {
        switch Int.random(in: 0..<4, using: &self) {
        case 0: [UInt8](repeating: 0xFF, count: count)
        case 1: [UInt8](repeating: 0x00, count: count)
        default: bytes(count: count)
        }
    }

    /// The same bytes, once in a while cut, extended or with a wrong one.
    mutating func spoiled(_ bytes: [UInt8], onceIn times: Int = 12) -> [UInt8] {
        guard once(in: times) else { return bytes }
        switch Int.random(in: 0..<3, using: &self) {
        case 0: return Array(bytes.dropLast())
        case 1: return bytes + self.bytes(count: 1 + Int.random(in: 0..<16, using: &self))
        default:
            guard !bytes.isEmpty else { return [0x00] }
            var spoiled = bytes
            spoiled[Int.random(in: 0..<bytes.count, using: &self)] = UInt8.random(in: 0...255, using: &self)
            return spoiled
        }
    }
}
