package import NFCTags
package import NFCTypes
package import TapJournal

/// Makes tags ones of the profiles of the configuration, by keys that stay in nfcd.
package protocol TagPersonaliser: Sendable {
    /// Does a task with a tag.
    ///
    /// - Parameters:
    ///   - allow: throws unless the client may have these settings made permanently; it is called before the first change, also
    ///     for what an interrupted task was asked for.
    ///   - progress: receives the steps; nil if the client did not ask for them.
    /// - Throws: ``TagError`` 1 if it cannot be done with this tag, this profile or these keys, 100 if the tag left, 102 if its
    ///   answer is wrong, 203 if the record was not read or stored or the token of a key does not answer; with what the tag is
    ///   now, and what to do.
    func personalise(
        _ request: PersonalisationRequest, _ tag: PersonalisedTag,
        allow: (Set<PermanentSetting>) throws(TagError) -> Void, progress: TagProgress?
    ) async throws(TagError) -> PersonalisationOutcome

    /// Returns how far a tag is one of a profile, without a change.
    ///
    /// - Parameters:
    ///   - profile: its name; nil: the only one that fits the tag.
    ///   - identifier: the UID of a tag that hides it, 7 bytes.
    /// - Throws: ``TagError`` as ``personalise(_:_:allow:progress:)``.
    func query(
        profile: String?, identifier: [UInt8]?, _ tag: PersonalisedTag
    ) async throws(TagError) -> PersonalisationStatus
}

/// A tag that rests on a reader while it is set up.
package struct PersonalisedTag: Sendable {
    /// Its technology and identifier.
    package let identity: TagIdentity
    /// The way to it.
    package let channel: any CardChannel
    /// What the reader can transmit.
    package let reader: ReaderProfile
    /// Turns the field off and on, and activates the tag again.
    package let reconnection: CardReconnection

    /// A tag.
    package init(
        _ identity: TagIdentity, over channel: any CardChannel, on reader: ReaderProfile,
        _ reconnection: CardReconnection
    ) {
        (self.identity, self.channel, self.reader, self.reconnection) = (identity, channel, reader, reconnection)
    }
}

/// What is to be done with a tag.
package struct PersonalisationRequest: Sendable, Hashable {
    /// The task.
    package var task: PersonalisationTask
    /// The name of the profile; nil: the only one that fits the tag.
    package var profile: String?
    /// Whether nothing is changed.
    package var isDryRun = false
    /// What the tag gets permanently.
    package var permanent: Set<PermanentSetting> = []
    /// Whether a message that is on the tag may be lost.
    package var overwritesMessage = false
    /// Whether a tag without the right signature of its maker is refused.
    package var requiresSignature = false
    /// The UID of a tag that hides it, 7 bytes.
    package var identifier: [UInt8]?
    /// What the protected file of a MIFARE DESFire says of its holder; nil for what is in it, or its UID.
    package var credential: [UInt8]?
    /// Whether the master key of a MIFARE DESFire card is left alone.
    package var keepsCardKey = false
    /// Whether the reset of a tag with keys as delivered has nfcd forget the keys that it gave to a tag with this UID.
    package var forgetsRecord = false

    /// A request for a task, without permission to lose anything.
    package init(_ task: PersonalisationTask, profile: String? = nil) {
        (self.task, self.profile) = (task, profile)
    }

    /// The change for the log, without any data; nil if the tag stays as it is.
    ///
    /// - Parameter chosen: the name of the profile that was chosen where the request names none.
    func change(by chosen: String?) -> TagAudit.Change? {
        guard !isDryRun, task != .verify else { return nil }
        return TagAudit.Change(effect: .lock, words: words((profile ?? chosen).map { " by profile \($0)" } ?? ""))
    }

    private func words(_ profile: String) -> String {
        switch task {
        case .setUp: "setting it up\(profile)"
        case .rotate: "changing its keys\(profile)"
        case .reset: "making it as delivered\(profile)"
        case .resume: "finishing what was interrupted\(profile)"
        case .verify: "checking it\(profile)"
        }
    }
}

/// What came of it.
package struct PersonalisationOutcome: Sendable, Hashable {
    /// The UID, 7 bytes.
    package var identifier: [UInt8]
    /// The name of the profile.
    package var profile: String
    /// The steps, in words.
    package var steps: [String]
    /// The signature of the maker.
    package var signature: MakerSignature
    /// The versions of the tag's keys, from key 0 on.
    package var keyVersions: [UInt8]
    /// The counter of the message that was read to check it; nil if none was read.
    package var claim: CounterClaim?
    /// The counter up to which messages of the tag are refused because they were seen before it was reset; nil usually.
    package var refusedThrough: Int?
    /// What the protected file of a MIFARE DESFire says of its holder; nil for other tags.
    package var credential: [UInt8]?
    /// What a person should know besides.
    package var remarks: [String] = []
    /// Whether nothing was changed.
    package var isDryRun: Bool

    /// An outcome.
    package init(
        identifier: [UInt8], profile: String, steps: [String], signature: MakerSignature, keyVersions: [UInt8],
        claim: CounterClaim? = nil, credential: [UInt8]? = nil, isDryRun: Bool = false
    ) {
        (self.identifier, self.profile, self.steps) = (identifier, profile, steps)
        (self.signature, self.keyVersions, self.claim) = (signature, keyVersions, claim)
        (self.credential, self.isDryRun) = (credential, isDryRun)
    }
}

/// How far a tag is one of a profile.
package struct PersonalisationStatus: Sendable, Hashable {
    /// The UID, 7 bytes.
    package var identifier: [UInt8]
    /// Whether the tag hides its UID, so that the identifier is the one that was given, which nothing proves.
    package var isIdentifierGiven = false
    /// The name of the profile.
    package var profile: String
    /// How far it is.
    package var state: PersonalisationState
    /// What was interrupted; nil unless something was.
    package var interrupted: PersonalisationTask?
    /// The signature of the maker.
    package var signature: MakerSignature
    /// The versions of the tag's keys, from key 0 on.
    package var keyVersions: [UInt8]
    /// The versions that a tag gets that is set up now.
    package var currentKeyVersions: [UInt8]
    /// What a person should know besides.
    package var remarks: [String] = []

    /// A status.
    package init(
        identifier: [UInt8], profile: String, state: PersonalisationState, interrupted: PersonalisationTask? = nil,
        signature: MakerSignature, keyVersions: [UInt8], currentKeyVersions: [UInt8]
    ) {
        (self.identifier, self.profile, self.state) = (identifier, profile, state)
        (self.interrupted, self.signature) = (interrupted, signature)
        (self.keyVersions, self.currentKeyVersions) = (keyVersions, currentKeyVersions)
    }
}

/// Does what a client asks for with the personaliser, and stores the counters of the messages that this spends.
struct Personalisation: Sendable {
    let personaliser: any TagPersonaliser
    let recorder: TapRecorder

    /// Does a task with a tag. Where it returns, the message that was read to check the tag is spent.
    ///
    /// - Throws: ``TagError``; 203 if the counter was not stored.
    func perform(
        _ request: PersonalisationRequest, _ tag: PersonalisedTag,
        allow: (Set<PermanentSetting>) throws(TagError) -> Void, progress: TagProgress?
    ) async throws(TagError) -> PersonalisationOutcome {
        var outcome = try await personaliser.personalise(request, tag, allow: allow, progress: progress)
        guard let claim = outcome.claim else { return outcome }
        do throws(JournalError) {
            outcome.refusedThrough = try await recorder.spend(claim, profile: outcome.profile)
        } catch {
            throw TagError(
                .systemIsBusy,
                "tag \(Hexadecimal.string(outcome.identifier)) is finished, but the counter \(claim.value) of its message was not stored:"
                    + " \(error). Run `nfcctl secure verify`, which stores the next one.")
        }
        return outcome
    }
}
