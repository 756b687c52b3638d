import Cryptography
import NFCSessions
import NFCTags
import NFCTypes
import SecureTags

/// The proof of a DESFire by a challenge of its application, and by a file that only its key can read.
///
/// The file holds 01, the number of bytes of the credential, the credential, 00 up to 25 bytes, and the UID.
struct DESFireProof: Sendable {
    let candidate: Candidate

    private var profile: TagProfile { candidate.profile }
    private static let role = TagProfile.Role.tag

    /// What the tag answers; nil if the profile does not fit it.
    func attempt(over channel: any CardChannel) async -> ProofAttempt? {
        guard candidate.tag.technology.isPart4 else { return unfit }
        let card = SecureCard(channel, .native)
        do throws(CardFailure) {
            guard try await card.send(0x5A, profile.application.reversed()).status == .operationOK else { return unfit }
            let answer = try await card.send(0x64, [profile.number(of: Self.role) ?? 0])
            switch answer.status {
            case .operationOK where answer.data.count == 1:
                return ProofAttempt(await prove(card, version: answer.data[0]))
            // An application that lists nothing without its master key does not show versions either.
            case .authenticationError, .permissionDenied: return ProofAttempt(try await proveByOrder(card))
            default: return unfit
            }
        } catch {
            guard case .lost(let failure) = error, failure.code == .tagConnectionLost else { return unfit }
            return ProofAttempt(candidate.proof(error, nil))
        }
    }

    private var unfit: ProofAttempt? {
        guard candidate.isSelected else { return nil }
        return ProofAttempt(candidate.proof(.notProven, "the tag does not have the application of the profile"))
    }

    private func prove(_ card: SecureCard, version: UInt8) async -> TapProof {
        guard let entry = candidate.entry(Self.role, version: version), version != 0 else {
            return candidate.proof(.unknownKey, "key version \(version) of the tag is not in the key store")
        }
        return await prove(card, entry)
    }

    /// Tries the current version of the key, then the one before: a DESFire counts no failures.
    private func proveByOrder(_ card: SecureCard) async throws(CardFailure) -> TapProof {
        let versions = profile.keys[Self.role].map { candidate.keys.versions(of: $0) } ?? []
        var proof = candidate.proof(.unknownKey, "the key store has no version of the key")
        for entry in versions.prefix(2) {
            if proof.status == .failed { _ = try await card.send(0x5A, profile.application.reversed()) }
            proof = await prove(card, entry)
            guard proof.status == .failed else { return proof }
        }
        return proof
    }

    private func prove(_ card: SecureCard, _ entry: KeyRing.Entry) async -> TapProof {
        guard profile.derivation == .none || candidate.seenIdentifier != nil else {
            return candidate.proof(
                .notProven, "the tag hides its UID, from which its key follows", .mutual, entry)
        }
        let key: TagKey
        do {
            key = try profile.key(Self.role, of: candidate.seenIdentifier ?? [], from: entry.master)
        } catch {
            return candidate.proof(.incomplete, "the key could not be derived: \(error)", .mutual, entry)
        }
        guard !key.isPublished else {
            return candidate.proof(
                .unknownKey, "key \(entry.name) is published, so that it proves nothing", .mutual, entry)
        }
        do throws(CardFailure) {
            return profile.messaging == .ev2 ? try await ev2(card, key, entry) : try await ev1(card, key, entry)
        } catch {
            return candidate.proof(error, entry)
        }
    }

    private func ev2(_ card: SecureCard, _ key: TagKey, _ entry: KeyRing.Entry) async throws(CardFailure) -> TapProof {
        let attempt: EV2Authentication
        do throws(SecureTagError) {
            attempt = try EV2Authentication(key: key.secret, keyNumber: profile.number(of: Self.role) ?? 0)
        } catch { throw .session(error) }
        var session = try await card.authenticate(attempt)
        return try await conclude(card, &session, entry)
    }

    private func ev1(_ card: SecureCard, _ key: TagKey, _ entry: KeyRing.Entry) async throws(CardFailure) -> TapProof {
        let attempt: EV1Authentication
        do throws(SecureTagError) {
            attempt = try EV1Authentication(.aes, key: key.secret, keyNumber: profile.number(of: Self.role) ?? 0)
        } catch { throw .session(error) }
        var session = try await card.authenticate(attempt)
        return try await conclude(card, &session, entry)
    }

    private func conclude(
        _ card: SecureCard, _ session: inout some SecureMessaging, _ entry: KeyRing.Entry
    ) async throws(CardFailure) -> TapProof {
        let uid = try await card.run(SecureCommand(0x51, mode: .full, answerLength: 7), in: &session)
        let header = [profile.fileNumber, 0, 0, 0, UInt8(CredentialFile.length), 0, 0]
        let read = SecureCommand(0xBD, header: header, mode: .full, answerLength: CredentialFile.length)
        let file = CredentialFile(try await card.run(read, in: &session))
        guard candidate.seenIdentifier == nil || candidate.seenIdentifier == uid else {
            return candidate.proof(.failed, "the UID of the tag is not the one that the reader saw", .mutual, entry)
        }
        guard let file, file.uid == uid else {
            return candidate.proof(
                .failed, "the protected file does not hold the UID of the tag: it is a copy", .mutual, entry)
        }
        return TapProof(
            .proven, .mutual, profile: profile.name, key: entry.name, keyVersion: Int(entry.version),
            identifier: HexBytes(uid), credential: HexBytes(file.credential), scope: .everywhere)
    }
}

/// What the protected file of a DESFire holds: 32 bytes.
struct CredentialFile: Sendable, Hashable {
    static let length = 32
    /// The most bytes of a credential.
    static let longestCredential = 23
    private static let version: UInt8 = 1

    let credential: [UInt8]
    let uid: [UInt8]

    /// A file; nil if the credential or the UID has another length.
    init?(credential: [UInt8], uid: [UInt8]) {
        guard credential.count <= Self.longestCredential, uid.count == 7 else { return nil }
        (self.credential, self.uid) = (credential, uid)
    }

    /// Reads the bytes of a file; nil unless they have this form.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.length, bytes[0] == Self.version, Int(bytes[1]) <= Self.longestCredential else {
            return nil
        }
        let rest = bytes[2..<25]
        guard rest.dropFirst(Int(bytes[1])).allSatisfy({ $0 == 0 }) else { return nil }
        self.init(credential: Array(rest.prefix(Int(bytes[1]))), uid: Array(bytes[25...]))
    }

    /// The bytes of the file.
    var bytes: [UInt8] {
        let padding = [UInt8](repeating: 0, count: Self.longestCredential - credential.count)
        return [Self.version, UInt8(credential.count)] + credential + padding + uid
    }
}
