import NFCSessions
import NFCTags
import NFCTypes
import SecureTags

/// The proof of a DESFire by a challenge of its application, and by a file that only its key can read.
///
/// The file holds 01, the number of bytes of the credential, the credential, 00 up to 25 bytes, and the UID.
struct DESFireProof: ChallengeProof {
    static let framing = SecureCard.Framing.native
    static let unfitReason = "the tag does not have the application of the profile"
    static let hiddenIdentifierAdvice = ""

    let candidate: Candidate

    var authentication: ChallengeAuthentication { profile.messaging == .ev2 ? .ev2 : .ev1 }

    func prove(_ card: SecureCard) async throws(CardFailure) -> TapProof? {
        guard try await select(card).status == .operationOK else { return nil }
        let answer = try await keyVersion(card)
        switch answer.status {
        case .operationOK where answer.data.count == 1: return await prove(card, version: answer.data[0])
        // An application that lists nothing without its master key does not show versions either.
        case .authenticationError, .permissionDenied: return try await proveByOrder(card)
        default: return nil
        }
    }

    private func select(_ card: SecureCard) async throws(CardFailure) -> DESFireResponse {
        try await card.send(0x5A, profile.application.reversed())
    }

    /// Tries the current version of the key, then the one before: a DESFire counts no failures.
    private func proveByOrder(_ card: SecureCard) async throws(CardFailure) -> TapProof {
        let versions = profile.keys[.tag].map { candidate.keys.versions(of: $0) } ?? []
        var proof = candidate.proof(.unknownKey, "the key store has no version of the key")
        for entry in versions.prefix(2) {
            if proof.status == .failed { _ = try await select(card) }
            proof = await prove(card, entry)
            guard proof.status == .failed else { return proof }
        }
        return proof
    }

    /// Reads the UID, and the protected file.
    func conclude(
        _ card: SecureCard, _ session: inout some SecureMessaging, _ entry: KeyRing.Entry
    ) async throws(CardFailure) -> TapProof {
        let uid = try await identifier(card, &session)
        let header = [profile.fileNumber, 0, 0, 0, UInt8(CredentialFile.length), 0, 0]
        let read = SecureCommand(0xBD, header: header, mode: .full, answerLength: CredentialFile.length)
        let file = CredentialFile(try await card.run(read, in: &session))
        if let objection = objection(to: uid, entry) { return objection }
        guard let file, file.uid == uid else {
            return candidate.proof(
                .failed, "the protected file does not hold the UID of the tag: it is a copy", .mutual, entry)
        }
        return proven(uid, entry, credential: file.credential)
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
