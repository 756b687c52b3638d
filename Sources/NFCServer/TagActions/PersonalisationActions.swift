import NFCProtocol
import NFCSessions
import NFCTags
import TapJournal

// The profiles of nfcd's key store. No key is in a request or in an answer.

extension TagPersonalise: TagAction {
    static func perform(
        _ arguments: Arguments, on tag: TagCommands, _ progress: TagProgress?
    ) async throws(TagError) -> Result {
        let outcome = try await tag.personalise(PersonalisationRequest(arguments), progress: progress)
        return Result(
            identifier: HexBytes(outcome.identifier), profile: outcome.profile, steps: outcome.steps,
            signature: outcome.signature, keyVersions: outcome.keyVersions.map { Int($0) },
            counter: outcome.claim.map { Int($0.value) }, refusedThrough: outcome.refusedThrough,
            credential: outcome.credential.map { HexBytes($0) }, remarks: outcome.remarks,
            dryRun: outcome.isDryRun)
    }
}

extension PersonalisationRequest {
    fileprivate init(_ arguments: TagPersonalise.Arguments) {
        self.init(arguments.task, profile: arguments.profile)
        isDryRun = arguments.dryRun ?? false
        permanent = Set(arguments.permanent ?? [])
        overwritesMessage = arguments.overwriteMessage ?? false
        requiresSignature = arguments.requireSignature ?? false
        identifier = arguments.identifier?.bytes
        credential = arguments.credential?.bytes
        keepsCardKey = arguments.keepCardKey ?? false
        forgetsRecord = arguments.forgetRecord ?? false
    }
}

extension TagQueryPersonalisation: TagAction {
    static func perform(
        _ arguments: Arguments, on tag: TagCommands, _ progress: TagProgress?
    ) async throws(TagError) -> Result {
        let status = try await tag.queryPersonalisation(
            profile: arguments.profile, identifier: arguments.identifier?.bytes)
        return Result(
            identifier: HexBytes(status.identifier), identifierGiven: status.isIdentifierGiven ? true : nil,
            profile: status.profile, state: status.state, interrupted: status.interrupted, signature: status.signature,
            keyVersions: status.keyVersions.map { Int($0) },
            currentKeyVersions: status.currentKeyVersions.map { Int($0) }, remarks: status.remarks)
    }
}
