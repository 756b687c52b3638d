public import NFCTypes

/// Verifies messages of NTAG 424 DNA tags by the profiles of a site, without a reader: for servers that receive their URLs.
///
/// It keeps no counters. Whoever calls it stores the counter of a proof durably before a success is shown, and compares with what was
/// stored; see ``CounterBook``. On one machine with one store, each message counts once. Machines that are not connected accept a
/// message once each; merged, their books show the highest counter of all.
public struct SUNVerifier: Sendable {
    /// What was found.
    public struct Result: Sendable, Equatable {
        /// The proof, in the form that taps have.
        public let proof: TapProof
        /// What its counter belongs to; nil if nothing was verified.
        public let line: CounterLine?
    }

    private let profiles: [TagProfile]
    private let keys: KeyRing

    /// A verifier of the profiles whose tags prove themselves by their message, in their order.
    public init(profiles: [TagProfile], keys: KeyRing) {
        self.profiles = profiles.filter { $0.method == .sun }
        self.keys = keys
    }

    /// Verifies a URL as a browser or a telephone sent it, or the path and query of a request.
    ///
    /// - Parameters:
    ///   - counters: what was seen.
    ///   - observedUID: the UID that a reader saw, if there was one.
    /// - Returns: nil if the URL has the form of no profile.
    public func verify(_ url: String, counters: some CounterRule, observedUID: [UInt8]? = nil) async -> Result? {
        var first: Result?
        for profile in profiles {
            let found = await profile.verify(url, keys, counters: counters, observedUID: observedUID)
            guard let found else { continue }
            let result = Result(proof: found.tapProof(by: profile), line: found.line)
            if found.status != .notProven { return result }
            first = first ?? result
        }
        return first
    }
}

extension TagProfile {
    /// What a URL proves by this profile; nil if the profile has no template.
    package func verify(
        _ url: String, _ ring: KeyRing, counters: some CounterRule, observedUID: [UInt8]?
    ) async -> SUNProof? {
        guard let text = self.url, let template = try? SUNTemplate(text, isLRP: usesLRP) else { return nil }
        guard !expectsTamper || template.showsTamper else {
            return SUNProof(
                .notProven, "the profile expects a tamper loop, which its URL does not show: add {tt} to the URL")
        }
        let proof = await template.verify(
            url, profile: name, keys: await messageKeys(ring), counters: counters, observedUID: observedUID)
        // The right key may be one that a token did not make.
        guard [.failed, .unknownKey].contains(proof.status), let failure = await fileKeyFailure(ring) else {
            return proof
        }
        return SUNProof(.incomplete, "the key could not be derived: \(failure)")
    }

    /// Why a version of the key of the code makes no keys of tags now; nil if all do.
    private func fileKeyFailure(_ ring: KeyRing) async -> (any Error)? {
        let anyUID = [UInt8](repeating: 0, count: 7)
        for entry in keys[.file].map(ring.versions) ?? [] {
            do { _ = try await key(.file, of: anyUID, from: entry.master) } catch { return error }
        }
        return nil
    }

    /// The keys that may fit: every version of the two, the current one first. All are tried on the text, which costs the tag nothing.
    private func messageKeys(_ ring: KeyRing) async -> SUNKeys {
        @Sendable func versions(_ role: Role, _ uid: [UInt8]) async -> [SUNKey] {
            var found: [SUNKey] = []
            for entry in keys[role].map(ring.versions) ?? [] {
                guard let key = try? await key(role, of: uid, from: entry.master) else { continue }
                found.append(SUNKey(key, version: entry.version))
            }
            return found
        }
        return SUNKeys(metaReadKeys: await versions(.meta, [])) { await versions(.file, $0) }
    }
}

extension SUNProof {
    /// The proof in the form that taps have, before anything else is known of its counter.
    package func tapProof(by profile: TagProfile) -> TapProof {
        var proof = TapProof(status, .sun, profile: profile.name, key: profile.keys[.file])
        if let keyVersion { proof.keyVersion = Int(keyVersion) }
        if let uid { proof.identifier = HexBytes(uid) }
        if let counter { proof.counter = Int(counter) }
        if let previousCounter { proof.previousCounter = Int(previousCounter) }
        if let tamper { proof.tamper = tamper.state }
        if !isProven { proof.reason = reason }
        return proof
    }
}

extension TamperStatus {
    fileprivate var state: TapProof.Tamper {
        let characters = description.map { String($0) }
        return TapProof.Tamper(permanent: characters[0], current: characters[1])
    }
}
