import Cryptography
import NFCTags
import SecureTags
import Synchronization
import TagProofs
import TestSupport
import VirtualTags

/// Records in memory, whose saves fail on request.
final class MemoryRecords: SetUpRecords {
    struct Failure: Error {}

    private struct State {
        var records: [[UInt8]: SetUpRecord] = [:]
        var saves = 0
        var failing: Int?
    }

    private let state = Mutex(State())

    /// The number of the save that fails, 1 for the next.
    func fail(at save: Int?) { state.withLock { ($0.saves, $0.failing) = (0, save) } }
    /// Loses everything.
    func lose() { state.withLock { $0.records = [:] } }
    var all: [SetUpRecord] { state.withLock { Array($0.records.values) } }

    func load(_ uid: [UInt8]) async throws -> SetUpRecord? { state.withLock { $0.records[uid] } }

    func save(_ record: SetUpRecord) async throws {
        try state.withLock { state in
            state.saves += 1
            guard state.saves != state.failing else { throw Failure() }
            state.records[record.uid] = record
        }
    }

    func remove(_ uid: [UInt8]) async throws { state.withLock { $0.records[uid] = nil } }
}

/// A virtual NTAG 424 DNA on a reader, which is set up.
struct SetUpBench: SettingUp {
    let tag: SharedTag<VirtualNTAG424Card>
    let reader: any VirtualCard
    let records = MemoryRecords()
    var profile: TagProfile
    var ring: KeyRing
    var options = SetUpOptions()

    /// Two versions of each key, the second one current.
    static let rotated = KeyRing(
        Site.ring.entries.map { .init(name: $0.name, version: 1, state: .previous, master: $0.master) }
            + Site.ring.entries.enumerated().map { index, entry in
                .init(name: entry.name, version: 2, state: .current, master: Site.key(0x60 + UInt8(index)))
            })

    /// A third version of each key, and the two before.
    static let third = KeyRing(
        rotated.entries.map { .init(name: $0.name, version: $0.version, state: .previous, master: $0.master) }
            + Site.ring.entries.enumerated().map { index, entry in
                .init(name: entry.name, version: 3, state: .current, master: Site.key(0x90 + UInt8(index)))
            })

    static let profile = Site.sun {
        $0.keys = [.master: "master", .meta: "meta", .file: "file", .tag: "door"]
    }

    /// The tag is asked by a challenge only.
    static let challenge = Site.mutual { $0.keys[.master] = "master" }

    init(
        _ profile: TagProfile = Self.profile, ring: KeyRing = Site.ring,
        setup change: (inout VirtualNTAG424Setup) -> Void = { _ in }
    ) throws {
        var setup = VirtualNTAG424Setup()
        setup.identifier = Site.uid
        change(&setup)
        tag = SharedTag(try VirtualNTAG424Card(setup))
        (self.profile, self.ring, reader) = (profile, ring, tag.inReader())
    }

    // MARK: What the tag is

    private func key(_ number: UInt8, version: UInt8) -> [UInt8] {
        guard version != 0 else { return [UInt8](repeating: 0, count: 16) }
        let role = TagProfile.Role.allCases.first { profile.number(of: $0) == number && profile.keys[$0] != nil }
        let name = role.flatMap { profile.keys[$0] } ?? profile.keys[.master] ?? ""
        guard let master = ring.entry(name, version: version)?.master else { return [] }
        let key =
            role.map { try? profile.expectedKey($0, of: Site.uid, from: master) }
            ?? (try? profile.expectedSpareKey(number, of: Site.uid, from: master))
        return key.map(Site.bytes) ?? []
    }

    /// Whether every key is the one that its version stands for.
    var hasKnownKeys: Bool {
        let card = tag.state
        return card.keyVersions.enumerated().allSatisfy { number, version in
            let value = key(UInt8(number), version: version)
            return value.count == 16 && card.hasKey(UInt8(number), value)
        }
    }

    /// The failed authentications that the tag counts.
    var failures: Int {
        let card = tag.state
        return (0..<5).reduce(0) { $0 + card.failures(of: $1) }
    }

    /// Whether no authentication failed.
    var isUncounted: Bool {
        let card = tag.state
        return (0..<5).allSatisfy { card.failures(of: $0) == 0 && card.consecutiveFailures(of: $0) == 0 }
    }

    /// Whether the files are as delivered.
    var hasDeliveredContent: Bool { (try? VirtualNTAG424Card().contents == tag.state.contents) ?? false }

    /// Whether all keys have this version and are known.
    func hasKeys(version: UInt8) -> Bool {
        hasKnownKeys && tag.state.keyVersions.allSatisfy { $0 == version }
    }

    /// What a tap proves.
    func status(_ method: TagProfile.Method? = nil) async throws -> Tap {
        var profile = profile
        if let method { profile.method = method }
        return try await Site(profile, ring: ring).tap(reader)
    }
}
