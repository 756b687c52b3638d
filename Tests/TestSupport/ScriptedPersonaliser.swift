package import NFCSessions
package import NFCTags
package import NFCTypes
import Synchronization
import TapJournal

/// A personaliser whose tags do what a test says.
package final class ScriptedPersonaliser: TagPersonaliser {
    /// The UID of the tag.
    package static let identifier: [UInt8] = [0x04, 0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0xF6]

    private let failure: TagError?
    private let counter: Int64?
    private let begun: Set<PermanentSetting>
    private let asked = Mutex<[PersonalisationRequest]>([])

    /// - Parameters:
    ///   - failure: what every task ends with.
    ///   - counter: the counter of the message that is read.
    ///   - begun: the permanent settings of a task that was interrupted.
    package init(failure: TagError? = nil, counter: Int64? = nil, begun: Set<PermanentSetting> = []) {
        (self.failure, self.counter, self.begun) = (failure, counter, begun)
    }

    /// The requests so far that were allowed.
    package var requests: [PersonalisationRequest] { asked.withLock { $0 } }

    package func personalise(
        _ request: PersonalisationRequest, _ tag: PersonalisedTag,
        allow: (Set<PermanentSetting>) throws(TagError) -> Void, progress: TagProgress?
    ) async throws(TagError) -> PersonalisationOutcome {
        try allow(begun)
        asked.withLock { $0.append(request) }
        progress?(0, 2)
        progress?(2, 2)
        if let failure { throw failure }
        return PersonalisationOutcome(
            identifier: Self.identifier, profile: request.profile ?? "door", steps: ["one", "two"],
            signature: .genuine, keyVersions: [1, 2],
            claim: counter.map { CounterClaim(line: [UInt8](repeating: 1, count: 16), value: $0) },
            credential: request.credential, isDryRun: request.isDryRun)
    }

    package func query(
        profile: String?, identifier: [UInt8]?, _ tag: PersonalisedTag
    ) async throws(TagError) -> PersonalisationStatus {
        if let failure { throw failure }
        return PersonalisationStatus(
            identifier: identifier ?? Self.identifier, profile: profile ?? "door", state: .interrupted,
            interrupted: .rotate, signature: .missing, keyVersions: [1, 2], currentKeyVersions: [2, 2])
    }
}
