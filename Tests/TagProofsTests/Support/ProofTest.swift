import Cryptography
import NFCReaders
import NFCSessions
import NFCTags
import NFCTypes
import SecureTags
import Synchronization
import TagProofs
import VirtualTags

/// A site with profiles and keys, at whose reader virtual tags are presented.
struct Site {
    var profiles: [TagProfile]
    var ring: KeyRing

    /// The UID of every card of the site, unless a test says otherwise.
    static let uid: [UInt8] = [0x04, 0x95, 0x8C, 0xAA, 0x5C, 0x5E, 0x80]
    /// Keys of no published example.
    static let (door, file, meta, master, write) = (key(0x11), key(0x22), key(0x33), key(0x44), key(0x55))

    static func key(_ start: UInt8) -> TagKey {
        TagKey((0..<16).map { start &+ $0 &* 0x1D ^ 0xA6 }) ?? TagKey.random()
    }

    /// The keys `door`, `file`, `meta`, `master` and `write` with version 1.
    static let ring = KeyRing(
        [("door", door), ("file", file), ("meta", meta), ("master", master), ("write", write)].map { name, key in
            KeyRing.Entry(name: name, version: 1, state: .current, master: key)
        })

    /// The tag is asked by a challenge.
    static func mutual(_ change: (inout TagProfile) -> Void = { _ in }) -> TagProfile {
        var profile = TagProfile(name: "front", product: .ntag424, keys: [.tag: "door"])
        change(&profile)
        return profile
    }

    /// The tag proves itself by its message.
    static func sun(_ change: (inout TagProfile) -> Void = { _ in }) -> TagProfile {
        var profile = TagProfile(name: "web", product: .ntag424, method: .sun, keys: [.meta: "meta", .file: "file"])
        profile.url = "https://ex.am/?p={picc}&c={mac}"
        profile.uriHost = "ex.am"
        change(&profile)
        return profile
    }

    init(_ profiles: TagProfile..., ring: KeyRing = Site.ring) {
        (self.profiles, self.ring) = (profiles, ring)
    }

    /// The bytes of a key, for a card.
    static func bytes(_ key: TagKey) -> [UInt8] { key.secret.withUnsafeBytes { Array($0) } }

    /// A card's key as the profile derives it.
    static func key(_ role: TagProfile.Role, _ profile: TagProfile, of uid: [UInt8] = uid, from key: TagKey) -> [UInt8]
    {
        (try? profile.expectedKey(role, of: uid, from: key)).map(bytes) ?? []
    }

    /// Reads the tag as nfcd does, and has it prove itself.
    func tap(
        _ card: any VirtualCard, on reader: ReaderProfile = .generic, silence: CountingChannel.Silence? = nil
    ) async throws -> Tap {
        let channel = CountingChannel(card, silence: silence)
        let identity = try await identify(atr: card.answerToReset, channel: channel)
        let reading: NDEFReading
        do throws(TagError) {
            reading = NDEFReading(try await readNDEF(from: identity, channel: channel, profile: reader))
        } catch {
            reading = NDEFReading(failure: error)
        }
        let before = channel.exchanges
        let attempt = await ProfileProver(profiles: profiles, keys: ring)
            .prove(identity, reading, over: channel, on: reader)
        return Tap(
            attempt: attempt, exchanges: channel.exchanges - before, allExchanges: channel.exchanges, reading: reading)
    }

    func tap(_ tag: any VirtualTag) async throws -> Tap { try await tap(tag.inReader()) }
}

/// What came of a tap.
struct Tap {
    let attempt: ProofAttempt?
    /// The exchanges beyond detection and reading.
    let exchanges: Int
    let allExchanges: Int
    let reading: NDEFReading

    var status: TapProof.Status? { attempt?.proof.status }
}

/// A card that is powered on, with its exchanges counted.
final class CountingChannel: CardChannel {
    /// Exchanges, 1 for the first, that do not reach the card and end with an error.
    struct Silence {
        let exchanges: ClosedRange<Int>
        let error: CardChannelError
    }

    private let card: any VirtualCard
    private let silence: Silence?
    private let count = Mutex(0)

    init(_ card: any VirtualCard, silence: Silence? = nil) {
        (self.card, self.silence) = (card, silence)
        card.powerOn()
    }

    var exchanges: Int { count.withLock { $0 } }

    func transmit(_ command: [UInt8]) async throws(CardChannelError) -> [UInt8] {
        let exchange = count.withLock { count in
            count += 1
            return count
        }
        if let silence, silence.exchanges.contains(exchange) { throw silence.error }
        let response = card.transmit(command)
        guard card.isPresent || !response.isEmpty else { throw .tagLost }
        return response
    }
}

/// The keys of tags as the reference has them, of a master key in memory.
extension TagProfile {
    /// The key of a role.
    func expectedKey(_ role: Role, of uid: [UInt8], from master: any MasterKey) throws -> TagKey {
        guard derivation != .none, role != .meta else { return try master.shared() }
        return try expectedSpareKey(number(of: role) ?? 0, of: uid, from: master)
    }

    /// The key with a number, which may have no role.
    func expectedSpareKey(_ number: UInt8, of uid: [UInt8], from master: any MasterKey) throws -> TagKey {
        let place = product == .ntag424 ? [0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x01] : application
        return try expected(uid + place + [number] + systemIdentifier, master)
    }

    /// The master key of a DESFire card.
    func expectedCardKey(of uid: [UInt8], from master: any MasterKey) throws -> TagKey {
        try expected(uid + [0x00, 0x00, 0x00] + [0x00] + systemIdentifier, master)
    }

    private func expected(_ input: [UInt8], _ master: any MasterKey) throws -> TagKey {
        let padding: KeyDiversification.Padding = derivation == .cmac ? .wholeBlocks : .twoBlocks
        return try KeyDiversification.aes128(master: master.shared(), input: input, padding: padding)
    }
}
