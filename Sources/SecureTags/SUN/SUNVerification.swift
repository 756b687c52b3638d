import Cryptography
import NFCTypes

/// A key of tags and its version.
public struct SUNKey: Sendable {
    /// 16 bytes.
    public let key: TagKey
    /// The version that the tag has for the key.
    public let version: UInt8

    /// A key with a version; a tag whose keys were never changed has version 0.
    public init(_ key: TagKey, version: UInt8) {
        self.key = key
        self.version = version
    }
}

/// Where the keys of a template are from.
public protocol SUNKeySource: Sendable {
    /// The keys that may have encrypted UID and counter, the newest first.
    var metaReadKeys: [SUNKey] { get }

    /// The keys for the code that a tag may have, the newest first: the current one, and the previous one if the tag may still have it.
    /// None for a tag that is not enrolled.
    func fileReadKeys(of uid: [UInt8]) async -> [SUNKey]
}

/// Keys that are given, or derived by a function.
public struct SUNKeys: SUNKeySource {
    /// The keys that may have encrypted UID and counter, the newest first.
    public let metaReadKeys: [SUNKey]
    private let derive: @Sendable ([UInt8]) async -> [SUNKey]

    /// - Parameter fileReadKeys: the keys of a tag by its UID; none for a tag that is not enrolled.
    public init(
        metaReadKeys: [SUNKey] = [], fileReadKeys: @escaping @Sendable (_ uid: [UInt8]) async -> [SUNKey]
    ) {
        self.metaReadKeys = metaReadKeys
        derive = fileReadKeys
    }

    /// The keys of a tag by its UID.
    public func fileReadKeys(of uid: [UInt8]) async -> [SUNKey] { await derive(uid) }
}

extension SUNTemplate {
    /// Verifies the URL of a tag. It is a proof only once its counter is stored: pass the result to ``CounterBook/record(_:)-(SUNProof)``,
    /// or store it otherwise, before a success is shown.
    ///
    /// - Parameters:
    ///   - url: the text as it came from the tag or the browser, or what follows the host; nothing of it is decoded.
    ///   - profile: the name under which counters are kept.
    ///   - observedUID: the UID that a reader saw at this tap; nil without a reader, or for a random UID (4 bytes).
    public func verify(
        _ url: String, profile: String = "", keys: some SUNKeySource, counters: some CounterRule,
        observedUID: [UInt8]? = nil
    ) async -> SUNProof {
        guard let parameters = SUNParameters(url, template: self) else {
            return SUNProof(.notProven, "the text does not have the form of the template")
        }
        guard !parameters.isStatic else {
            return SUNProof(
                .notProven, "the tag wrote nothing into the text: it was read in a session, or mirroring is off")
        }
        let check = MessageCheck(template: self, parameters: parameters, profile: profile, keys: keys)
        return await check.result(counters: counters, observedUID: observedUID)
    }
}

/// The check of one message.
private struct MessageCheck<Keys: SUNKeySource> {
    let template: SUNTemplate
    let parameters: SUNParameters
    let profile: String
    let keys: Keys

    func result(counters: some CounterRule, observedUID: [UInt8]?) async -> SUNProof {
        var isKnown = false
        for message in candidates {
            let keys = await keys.fileReadKeys(of: message.uid)
            isKnown = isKnown || !keys.isEmpty
            for key in keys {
                guard let session = session(key.key, message), isRight(session) else { continue }
                return proof(message, key, session, counters, observedUID)
            }
        }
        // Without the right code, UID and counter are what anyone may claim.
        if isKnown { return SUNProof(.failed, "the code of the message is wrong") }
        // As much work as for a known tag, so that the time does not show which tags are enrolled.
        let none = PICCData(uid: [UInt8](repeating: 0, count: 7), counter: 0)
        if let session = session(.random(), none) { _ = isRight(session) }
        return SUNProof(.unknownKey, "no key fits the tag")
    }

    /// What the message may say: in clear, or decrypted with each key.
    private var candidates: [PICCData] {
        if let uid = parameters.uid, let counter = parameters.counter { return [PICCData(uid: uid, counter: counter)] }
        guard let data = parameters.piccData else { return [] }
        return keys.metaReadKeys.compactMap { key in
            guard let plain = try? PICCData.decrypt(data, key: key.key.secret, isLRP: template.isLRP),
                let message = PICCData(plain: plain), message.uid.count == 7, message.counter != nil
            else { return nil }
            return message
        }
    }

    private func session(_ key: TagKey, _ message: PICCData) -> SDMSession? {
        try? SDMSession(key: key.secret, data: message, isLRP: template.isLRP)
    }

    private func isRight(_ session: SDMSession) -> Bool {
        (try? session.isCode(parameters.code, of: parameters.input)) ?? false
    }

    private func proof(
        _ message: PICCData, _ key: SUNKey, _ session: SDMSession, _ counters: some CounterRule, _ observedUID: [UInt8]?
    ) -> SUNProof {
        guard !key.key.isPublished else {
            return SUNProof(.unknownKey, "the key of the tag is published: everyone can make such a message", message)
        }
        if let observedUID, observedUID.count == 7, observedUID != message.uid {
            return SUNProof(.failed, "the message is that of another tag: it was copied", message)
        }
        let line = CounterLine(uid: message.uid, profile: profile, keyVersion: key.version)
        let previous = counters.highestCounter(of: line)
        let counter = message.counter ?? 0
        if let previous, counter <= previous {
            return SUNProof(
                .replayed, "counter \(counter) is not above \(previous), the highest seen", message, line,
                previous: previous)
        }
        let data = parameters.encryptedData.flatMap { try? session.decrypt($0) }
        let tamper = (template.hasHiddenTamper ? data.map { Array($0.prefix(2)) } : parameters.tamper)
            .flatMap(TamperStatus.init)
        let isIntact = !template.showsTamper || tamper?.isIntact == true
        return SUNProof(
            isIntact ? .proven : .tamperOpen,
            isIntact
                ? "the code is right and the counter is new" : "the tamper loop is \(tamper?.description ?? "unknown")",
            message, line, previous: previous
        ).with(fileData: data, tamper: tamper)
    }
}
