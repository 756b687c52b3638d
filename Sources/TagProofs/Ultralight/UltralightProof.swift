import Cryptography
import NFCSessions
import NFCTags
import NFCTypes
import SecureTags

/// The proof of MIFARE Ultralight C (MF0ICU2, §7.5) and Ultralight AES (MF0AES(H)20) by a challenge.
///
/// **Ultralight C** is `weak` whatever it answers: its key can be found (IACR ePrint 2026/100), and a copy with that key answers as the
/// tag does.
///
/// **Ultralight AES** is `proven` only if it shows, with codes and in the session of the challenge, that SEC_MSG_ACT and the lock of its
/// key are set: otherwise its key can be overwritten in parts, and so be found.
///
/// AUTHLIM makes an Ultralight AES refuse every key, the right one too, after some wrong ones, permanently. The tag of someone else must
/// not be worn out by being held to a reader of this site. So a tag whose AUTHLIM is set is asked only if its message is of the host that
/// the profile names (`uri-host`): such a tag claims to be one of the site. Any other tag with AUTHLIM, or one that does not show it, is
/// `notProven` without an attempt. There is one attempt per tap, with a key that the profile names: the version that VCTID names if nfcd
/// has set up the tag and the key ring has it, otherwise the current one.
struct UltralightProof: Sendable {
    let candidate: Candidate
    let reader: ReaderProfile

    private var profile: TagProfile { candidate.profile }
    private var isAES: Bool { profile.product == .ultralightAES }

    /// What the tag answers; nil if the profile does not fit it.
    func attempt(over channel: any CardChannel) async -> ProofAttempt? {
        guard candidate.tag.technology == .type2, mayFit else { return unfit }
        guard let frames = UltralightFrames(reader, channel) else {
            let reason =
                "this reader (\(reader.name)) does not pass on the commands of the tag; use another reader, or "
                + "set its profile"
            return ProofAttempt(candidate.proof(.notProven, reason))
        }
        do throws(UltralightFailure) {
            let proof = try await (isAES ? proveAES(frames) : proveC(frames))
            return proof.map { ProofAttempt($0) } ?? unfit
        } catch {
            return ProofAttempt(proof(error, nil))
        }
    }

    private var unfit: ProofAttempt? {
        guard candidate.isSelected else { return nil }
        return ProofAttempt(
            candidate.proof(.notProven, "the tag is not a MIFARE Ultralight \(isAES ? "AES" : "C")"))
    }

    /// Whether the product, where reading has shown it, is that of the profile. An Ultralight C does not show it.
    private var mayFit: Bool {
        guard let product = candidate.reading.product else { return true }
        return isAES && product == Type2Product.ultralightAES.name
    }

    // MARK: Ultralight AES

    private func proveAES(_ frames: UltralightFrames) async throws(UltralightFailure) -> TapProof? {
        do throws(UltralightFailure) {
            return try await frames.visit { () async throws(UltralightFailure) in
                guard try await isUltralightAES(frames) else { return TapProof?.none }
                let answer = try await frames.send([0x30, UltralightSettings.firstPage], .settings)
                guard let settings = UltralightSettings(answer) else { throw .refused(.settings) }
                return await prove(frames, settings)
            }
        } catch {
            switch error {
            case .refused(.version): return nil
            case .refused(.settings):
                guard candidate.isSelected else {
                    return candidate.proof(
                        .notProven, "the tag does not show its AUTHLIM, and may be someone else's: \(Self.advice)")
                }
                // All pages that show the settings are protected.
                return try await frames.visit { () async throws(UltralightFailure) in await prove(frames, nil) }
            default: throw error
            }
        }
    }

    private static let advice = "name the host of its message in the profile (uri-host)"

    private func isUltralightAES(_ frames: UltralightFrames) async throws(UltralightFailure) -> Bool {
        if candidate.reading.product != nil { return true }
        return Type2Version(try await frames.send([0x60], .version))?.product == .ultralightAES
    }

    /// Proves an Ultralight AES in a visit; nil for settings that it does not show without its key.
    private func prove(_ frames: UltralightFrames, _ settings: UltralightSettings?) async -> TapProof {
        guard candidate.isSelected || settings?.attemptLimit == 0 else {
            return candidate.proof(
                .notProven, "the tag counts wrong keys (AUTHLIM), and may be someone else's: \(Self.advice)")
        }
        guard let name = profile.keys[.tag],
            let entry = settings.flatMap({ candidate.keys.entry(name, version: $0.keyVersion) })
                ?? candidate.keys.versions(of: name).first
        else { return candidate.proof(.unknownKey, "the key store has no version of the key") }
        do throws(UltralightFailure) {
            return try await prove(entry) { (key) async throws(UltralightFailure) in
                let attempt = try Self.attempt(.ultralightAES, key)
                guard var session = try await frames.authenticate(attempt) else { throw .session(.noSession) }
                guard settings?.hasCodes != false else {
                    return weak(entry, "commands have no codes (SEC_MSG_ACT)")
                }
                return try await conclude(frames, &session, entry)
            }
        } catch {
            return proof(error, entry)
        }
    }

    /// Reads in the session, with codes, what makes the tag more than a weak one; and the UID if the key does not follow from it.
    private func conclude(
        _ frames: UltralightFrames, _ session: inout UltralightAESSession, _ entry: KeyRing.Entry
    ) async throws(UltralightFailure) -> TapProof {
        let first: UInt8 = profile.derivation == .none ? 0 : UltralightSettings.firstPage
        let pages: [UInt8]
        do throws(UltralightFailure) {
            pages = try await frames.send([0x3A, first, UltralightSettings.lockPage], in: &session, .command)
        } catch {
            guard case .refused = error else { throw error }
            return weak(entry, "it does not show, with codes, that its key is locked")
        }
        guard pages.count == 4 * Int(UltralightSettings.lockPage - first + 1),
            let settings = UltralightSettings(pages.dropFirst(4 * Int(UltralightSettings.firstPage - first)))
        else { throw .session(.wrongLength(pages.count)) }
        guard settings.hasCodes else { return weak(entry, "commands have no codes (SEC_MSG_ACT)") }
        guard settings.locksKey else { return weak(entry, "its key can be overwritten (LOCK_KEYS)") }
        let uid = first == 0 ? Array(pages[..<3] + pages[4..<8]) : candidate.seenIdentifier ?? []
        guard candidate.seenIdentifier == nil || candidate.seenIdentifier == uid else {
            return candidate.proof(
                .failed, "the UID of the tag is not the one that the reader saw", .mutual, entry)
        }
        return TapProof(
            .proven, .mutual, profile: profile.name, key: entry.name, keyVersion: Int(entry.version),
            identifier: HexBytes(uid), scope: .everywhere)
    }

    // MARK: Ultralight C

    /// Tries the current version of the key, then the one before: an Ultralight C counts no failures.
    private func proveC(_ frames: UltralightFrames) async throws(UltralightFailure) -> TapProof? {
        let versions = profile.keys[.tag].map { candidate.keys.versions(of: $0) } ?? []
        let proof = try await proveC(frames, versions.first, isKnown: false)
        guard proof?.status == .failed, versions.count > 1 else { return proof }
        return try await proveC(frames, versions[1], isKnown: true)
    }

    private func proveC(
        _ frames: UltralightFrames, _ entry: KeyRing.Entry?, isKnown: Bool
    ) async throws(UltralightFailure) -> TapProof? {
        do throws(UltralightFailure) {
            return try await frames.visit { () async throws(UltralightFailure) in
                let isUltralightC = if isKnown { true } else { try await showsFirstPage(frames) }
                guard isUltralightC else { return TapProof?.none }
                return try await authenticateC(frames, entry)
            }
        } catch {
            switch error {
            case .refused(.settings):
                guard frames.canReactivate, try await refusesVersion(frames) else { return nil }
                return try await proveC(frames, entry, isKnown: true)
            // A tag of another kind, which does not know the command: an Ultralight C has no limit.
            case .refused(.challenge): return nil
            default: return proof(error, entry)
            }
        }
    }

    private func authenticateC(
        _ frames: UltralightFrames, _ entry: KeyRing.Entry?
    ) async throws(UltralightFailure) -> TapProof {
        guard let entry else { return candidate.proof(.unknownKey, "the key store has no version of the key") }
        return try await prove(entry) { (key) async throws(UltralightFailure) in
            guard !PublishedKeys.containsDES(key) else { return published(entry) }
            _ = try await frames.authenticate(try Self.attempt(.ultralightC, key))
            return weak(
                entry, "that of a MIFARE Ultralight C can be found, and then be copied (IACR ePrint 2026/100)")
        }
    }

    /// READ continues with page 0 behind page 43, the last one that can be read.
    private func showsFirstPage(_ frames: UltralightFrames) async throws(UltralightFailure) -> Bool {
        let answer = try await frames.send([0x30, 0x29], .settings)
        guard let uid = candidate.seenIdentifier, answer.count == 16 else { return false }
        return answer[12..<15].elementsEqual(uid.prefix(3))
    }

    /// Of a tag that protects its last pages, GET_VERSION decides: an Ultralight AES answers it.
    private func refusesVersion(_ frames: UltralightFrames) async throws(UltralightFailure) -> Bool {
        do throws(UltralightFailure) {
            return try await frames.visit { () async throws(UltralightFailure) in
                _ = try await frames.send([0x60], .version)
                return false
            }
        } catch {
            guard case .refused = error else { throw error }
            return true
        }
    }

    // MARK: Both

    private static func attempt(
        _ product: UltralightAuthentication.Product, _ key: SecretBytes
    ) throws(UltralightFailure) -> UltralightAuthentication {
        do throws(SecureTagError) { return try UltralightAuthentication(product, key: key) } catch {
            throw .session(error)
        }
    }

    /// Derives the key of the tag, and asks the tag with it.
    private func prove(
        _ entry: KeyRing.Entry, _ ask: (SecretBytes) async throws(UltralightFailure) -> TapProof
    ) async throws(UltralightFailure) -> TapProof {
        guard profile.derivation == .none || candidate.seenIdentifier != nil else {
            return candidate.proof(
                .notProven, "the tag hides its UID, from which its key follows", .mutual, entry)
        }
        let key: TagKey
        do {
            key = try await profile.key(.tag, of: candidate.seenIdentifier ?? [], from: entry.master)
        } catch {
            return candidate.proof(.incomplete, "the key could not be derived: \(error)", .mutual, entry)
        }
        guard !key.isPublished else { return published(entry) }
        return try await ask(key.secret)
    }

    private func published(_ entry: KeyRing.Entry) -> TapProof {
        candidate.proof(.unknownKey, "key \(entry.name) is published, so that it proves nothing", .mutual, entry)
    }

    private func weak(_ entry: KeyRing.Entry, _ reason: String) -> TapProof {
        candidate.proof(.weak, "the tag knows its key, but \(reason)", .mutual, entry)
    }

    private func proof(_ failure: UltralightFailure, _ entry: KeyRing.Entry?) -> TapProof {
        let reason = "\(failure)"
        return switch failure {
        case .lost(let error) where error.code == .unsupportedFeature:
            candidate.proof(.failed, reason, .mutual, entry)
        case .lost: candidate.proof(.incomplete, reason, .mutual, entry)
        case .refused(.challenge):
            candidate.proof(.delayed, "\(reason): it has counted too many wrong keys (AUTHLIM)", .mutual, entry)
        case .refused, .session: candidate.proof(.failed, reason, .mutual, entry)
        }
    }
}
