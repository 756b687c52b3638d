import NFCTags
import NFCTypes
import Synchronization
import Testing
import VirtualTags

/// A virtual card whose commands are kept.
private final class RecordingChannel: CardChannel {
    private let inner: ModelChannel
    private let log = Mutex<[[UInt8]]>([])

    init(_ card: any VirtualCard) { inner = ModelChannel(card) }

    var commands: [[UInt8]] { log.withLock { $0 } }

    func transmit(_ command: [UInt8]) async throws(CardChannelError) -> [UInt8] {
        log.withLock { $0.append(command) }
        return try await inner.transmit(command)
    }
}

/// A command with a secret, of one driver.
struct SecretUse: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let model: String
    let technology: TagTechnology
    /// What no error may show.
    let secrets: [[UInt8]]
    let use: @Sendable (any CardChannel, TagIdentity, ReaderProfile) async throws(TagError) -> Void
}

extension SecretUse {
    static let password: [UInt8] = [0xA1, 0xB2, 0xC3, 0xD4]
    static let pack: [UInt8] = [0xE7, 0x5B]
    static let aesKey: [UInt8] = (0..<16).map { 0x90 ^ ($0 * 11) }
    static let classicKey: [UInt8] = [0xC0, 0xC1, 0xC2, 0xC3, 0xC4, 0xC5]

    /// A command of the driver for settings.
    private static func setting(
        _ name: String, _ model: String, _ technology: TagTechnology, _ secrets: [[UInt8]],
        _ use: @escaping @Sendable (any SettableTag) async throws(TagError) -> Void
    ) -> SecretUse {
        SecretUse(testDescription: "\(name), \(model)", model: model, technology: technology, secrets: secrets) {
            channel, identity, profile throws(TagError) in
            guard let tag = ndefTag(for: identity, channel: AnyChannel(channel), profile: profile) as? any SettableTag
            else { return }
            try await use(tag)
        }
    }

    static let all: [SecretUse] =
        ["ntag213", "ntag210", "ultralight-ev1-21"].map(setPassword) + ["ntag213", "ultralight-aes"].map(give)
        + PasswordKind.allCases.map(setKind) + [setKey, giveICODE, hide, classic, desfire, feliCa]

    private static func setPassword(_ model: String) -> SecretUse {
        setting("set", model, .type2, [password, pack]) { (tag: any SettableTag) async throws(TagError) -> Void in
            let wanted = TagPassword(password: HexBytes(Self.password), pack: HexBytes(Self.pack))
            _ = try await tag.setPassword(wanted)
            try await tag.writeNDEF([0xD0, 0, 0], verifying: true)
            try await tag.removePassword()
        }
    }

    private static func give(_ model: String) -> SecretUse {
        let secret = model == "ntag213" ? password : aesKey
        return setting("give", model, .type2, [secret]) { (tag: any SettableTag) async throws(TagError) -> Void in
            _ = try await tag.authenticate(password: secret)
        }
    }

    private static func setKind(_ kind: PasswordKind) -> SecretUse {
        setting("set \(kind)", "slix2", .iso15693, [password]) {
            (tag: any SettableTag) async throws(TagError) -> Void in
            _ = try await tag.setPassword(TagPassword(password: HexBytes(Self.password), kind: kind))
            try await tag.removePassword()
        }
    }

    private static let setKey: SecretUse = setting("set", "ultralight-aes", .type2, [aesKey]) {
        (tag: any SettableTag) async throws(TagError) -> Void in
        _ = try await tag.setPassword(TagPassword(password: HexBytes(Self.aesKey)))
        try await tag.removePassword()
    }

    private static let giveICODE: SecretUse = setting("give", "slix2", .iso15693, [password]) {
        (tag: any SettableTag) async throws(TagError) -> Void in
        _ = try await tag.authenticate(password: Self.password)
    }

    private static let delivered: [UInt8] = [0x0F, 0x0F, 0x0F, 0x0F]

    private static let hide: SecretUse = setting("hide", "slix2", .iso15693, [delivered]) {
        (tag: any SettableTag) async throws(TagError) -> Void in
        _ = try await tag.authenticate(password: Self.delivered, kind: .privacy)
        _ = try await tag.configure(TagSettingChanges(privacy: true))
    }

    private static let classic = SecretUse(
        testDescription: "key, mifare-classic-1k", model: "mifare-classic-1k", technology: .mifareClassic,
        secrets: [classicKey], use: useClassicKey)

    private static func useClassicKey(
        _ channel: any CardChannel, _ identity: TagIdentity, _ profile: ReaderProfile
    ) async throws(TagError) {
        let card = mifareClassic(for: identity, channel: AnyChannel(channel), profile: profile)
        let delivered = MIFAREClassicKey([UInt8](repeating: 0xFF, count: 6))
        guard let card, let delivered, let key = MIFAREClassicKey(classicKey) else { return }
        try await card.authenticate(sector: 1, key: delivered, type: .a)
        let access: [UInt8] = [0xFF, 0x07, 0x80, 0x69]
        try await card.write(block: 7, classicKey + access + classicKey, allowing: .trailers)
        try await card.authenticate(sector: 1, key: key, type: .a)
    }

    private static let desfire = SecretUse(
        testDescription: "ChangeKey, desfire-ev1", model: "desfire-ev1", technology: .iso14443Part4(.a),
        secrets: [aesKey], use: changeKey)

    private static func changeKey(
        _ channel: any CardChannel, _ identity: TagIdentity, _ profile: ReaderProfile
    ) async throws(TagError) {
        _ = try await DESFireChannel(channel: AnyChannel(channel)).send(0xC4, [0x00] + aesKey)
    }

    private static let feliCa = SecretUse(
        testDescription: "card key, felica-lite-s", model: "felica-lite-s", technology: .feliCa,
        secrets: [aesKey], use: writeCardKey)

    private static func writeCardKey(
        _ channel: any CardChannel, _ identity: TagIdentity, _ profile: ReaderProfile
    ) async throws(TagError) {
        let list: [UInt8] = [0x01, 0x09, 0x00, 0x01, 0x80, 0x87]
        let body: [UInt8] = [0x08] + identity.identifier + list + aesKey
        _ = try await profile.feliCaChannel(over: AnyChannel(channel)).transceive([UInt8(body.count + 1)] + body)
    }
}

/// A channel of any type.
private struct AnyChannel: CardChannel {
    let channel: any CardChannel

    init(_ channel: any CardChannel) { self.channel = channel }

    func transmit(_ command: [UInt8]) async throws(CardChannelError) -> [UInt8] {
        try await channel.transmit(command)
    }
}

@Suite(.timeLimit(.minutes(20))) struct `An error about a command with a secret` {
    static let faults: [Fault] = [.removeBefore, .removeDuring, .answer([0x67]), .answer([0x63, 0x00]), .answer([])]

    @Test(arguments: SecretUse.all, VirtualReaderModel.all.map(\.name))
    func `shows no part of it, in whatever exchange the tag leaves`(use: SecretUse, reader: String) async throws {
        let model = try #require(VirtualReaderModel.named(reader))
        let profile = try #require(ReaderProfile.named(reader))
        var errors = 0
        for fault in Self.faults {
            for exchange in 1...60 {
                let tag = try VirtualTagModel.named(use.model).makeTag(ndefMessage: [0xD0, 0, 0])
                guard let card = model.card(tag) else { return }
                let identity = TagIdentity(technology: use.technology, identifier: tag.identifier, atr: [])
                let channel = RecordingChannel(FaultInjectingCard(card, plan: FaultPlan(fault, at: exchange)))
                let error = await failure { () throws(TagError) in try await use.use(channel, identity, profile) }
                // The reader sends no such commands.
                if channel.commands.isEmpty { return }
                if channel.commands.count < exchange { break }
                guard let error else { continue }
                errors += 1
                let sent = Self.hidden(in: channel.commands, identity)
                for part in (use.secrets + sent).flatMap(Self.parts) {
                    #expect(!Self.shown(error).contains(part), "exchange \(exchange): \(error)")
                }
            }
        }
        #expect(errors > 0)
    }

    /// What an error shows, without what separates bytes.
    private static func shown(_ error: TagError) -> String {
        (error.detail + " | " + Hexadecimal.string(error.response ?? [])).filter { $0 != " " && $0 != ":" }.uppercased()
    }

    /// Each 3 bytes that follow one another, in either direction; of 2 bytes both.
    private static func parts(_ secret: [UInt8]) -> [String] {
        let size = min(3, secret.count)
        return [secret, secret.reversed()].flatMap { bytes in
            (0...bytes.count - size).map { Hexadecimal.string(Array(bytes[$0..<$0 + size])) }
        }
    }

    /// The passwords that were sent exclusive-or a number which the tag sends openly.
    private static func hidden(in commands: [[UInt8]], _ identity: TagIdentity) -> [[UInt8]] {
        let uid = Array(identity.identifier.reversed())
        return commands.flatMap { command in
            [0xB3, 0xBA].flatMap { code in
                command.ranges(of: [code, 0x04] + uid).compactMap { range in
                    let start = range.upperBound + (code == 0xB3 ? 1 : 0)
                    return start + 4 <= command.count ? Array(command[start..<start + 4]) : nil
                }
            }
        }
    }
}
