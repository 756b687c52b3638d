package import NFCSessions
package import NFCTags
package import NFCTypes
package import SecureTags
import Synchronization
import TapJournal

/// Sets up tags by the profiles of a configuration, with a record of what was begun with each.
package struct ProfilePersonaliser: TagPersonaliser {
    private let profiles: [TagProfile]
    private let keys: KeyRing
    private let records: any SetUpRecords
    private let makers: [UIDSignature.PublicKey]
    private let inProgress = TagsInProgress()

    /// A personaliser.
    ///
    /// - Parameters:
    ///   - profiles: in any order.
    ///   - keys: those that the profiles name.
    ///   - makers: the public keys for the signatures of tags.
    package init(
        profiles: [TagProfile], keys: KeyRing, records: any SetUpRecords,
        makers: [UIDSignature.PublicKey] = UIDSignature.keys
    ) {
        (self.profiles, self.keys, self.records, self.makers) = (profiles, keys, records, makers)
    }

    package func personalise(
        _ request: PersonalisationRequest, _ tag: PersonalisedTag,
        allow: (Set<PermanentSetting>) throws(TagError) -> Void, progress: TagProgress?
    ) async throws(TagError) -> PersonalisationOutcome {
        var options = try options(request)
        try checkIdentifier(request, tag)
        let uid = tag.uid ?? request.identifier
        guard inProgress.begin(uid) else {
            throw TagError(
                .systemIsBusy, "\(tag.name) is being set up on another reader, or another tag with its UID is")
        }
        defer { inProgress.end(uid) }
        let record = try await record(of: tag, request.identifier)
        if let record, !record.isDone { try allow(Set(record.irreversible.map(\.setting))) }
        // The record of a tag that hides its UID is found only in a session with it.
        options.allowedIrreversible = Set(
            PermanentSetting.allCases.filter { (try? allow([$0])) != nil }.map { SetUpOptions.Irreversible($0) })
        let channel = ObservedChannel(tag.channel)
        let profile = try await choice(tag, over: channel).profile(named: request.profile, record)
        let outcome = try await attempt(channel, request.task.words(tag.name), by: profile) {
            () throws(SetUpError) in
            let setUp = try TagSetUp(profile, keys: keys, options: options, records: records, on: tag.reader) {
                step in
                progress?(step.number - 1, step.count)
            }
            let outcome = try await setUp.perform(request.task, channel, channel.observing(tag.reconnection))
            progress?(outcome.steps.count, outcome.steps.count)
            return outcome
        }
        var result = PersonalisationOutcome(
            identifier: outcome.uid, profile: profile.name, steps: outcome.steps,
            signature: MakerSignature(outcome.originality), keyVersions: outcome.versions,
            claim: claim(outcome, profile), credential: outcome.credential, isDryRun: outcome.isDryRun)
        result.remarks = outcome.remarks
        return result
    }

    package func query(
        profile name: String?, identifier: [UInt8]?, _ tag: PersonalisedTag
    ) async throws(TagError) -> PersonalisationStatus {
        var request = PersonalisationRequest(.verify)
        request.identifier = identifier
        let options = try options(request)
        let record = try await record(of: tag, identifier)
        let channel = ObservedChannel(tag.channel)
        let profile = try await choice(tag, over: channel).profile(named: name, record)
        let status = try await attempt(channel, "asking \(tag.name)", by: profile) {
            () throws(SetUpError) in
            try await TagSetUp(profile, keys: keys, options: options, records: records, on: tag.reader).status(channel)
        }
        let state = status.state
        var result = PersonalisationStatus(
            identifier: status.uid, profile: profile.name, state: state,
            interrupted: state == .interrupted ? status.interruptedTask.map { PersonalisationTask($0) } : nil,
            signature: MakerSignature(status.originality), keyVersions: status.versions,
            currentKeyVersions: status.current)
        (result.isIdentifierGiven, result.remarks) = (status.isUIDGiven, status.remarks)
        return result
    }

    private func options(_ request: PersonalisationRequest) throws(TagError) -> SetUpOptions {
        var options = SetUpOptions()
        options.makers = makers
        options.isDryRun = request.isDryRun
        options.overwritesMessage = request.overwritesMessage
        options.originality = request.requiresSignature ? .required : .reported
        guard request.permanent.isEmpty || [.setUp, .resume].contains(request.task) else {
            throw TagError(
                .unsupportedFeature, "task \(request.task.rawValue) makes nothing permanent; only setUp and resume do")
        }
        guard !request.forgetsRecord || request.task == .reset else {
            throw TagError(
                .unsupportedFeature, "task \(request.task.rawValue) forgets no record; only reset does")
        }
        options.forgetsRecord = request.forgetsRecord
        options.irreversible = Set(request.permanent.map { SetUpOptions.Irreversible($0) })
        if let identifier = request.identifier, identifier.count != 7 {
            throw TagError(.unsupportedFeature, "the UID of such a tag has 7 bytes, not \(identifier.count)")
        }
        options.uid = request.identifier
        (options.credential, options.keepsCardKey) = (request.credential, request.keepsCardKey)
        return options
    }

    private func checkIdentifier(_ request: PersonalisationRequest, _ tag: PersonalisedTag) throws(TagError) {
        guard let given = request.identifier, let shown = tag.uid, given != shown else { return }
        throw TagError(
            .unsupportedFeature,
            "the tag on the reader has the UID \(Hexadecimal.string(shown)), not \(Hexadecimal.string(given))")
    }

    /// The record of a tag by the UID that it shows, or that was given; nil if it has none, or hides its UID.
    private func record(of tag: PersonalisedTag, _ given: [UInt8]?) async throws(TagError) -> SetUpRecord? {
        guard let uid = tag.uid ?? given else { return nil }
        do { return try await records.load(uid) } catch {
            throw TagError(.systemIsBusy, "the record of tag \(Hexadecimal.string(uid)) could not be read: \(error)")
        }
    }

    private func choice(_ tag: PersonalisedTag, over channel: ObservedChannel) -> ProfileChoice {
        ProfileChoice(profiles: profiles, tag: tag.identity, channel: channel)
    }

    /// The counter of the message that was read, on the line of the key that the tag has now.
    private func claim(_ outcome: SetUpOutcome, _ profile: TagProfile) -> CounterClaim? {
        guard let counter = outcome.counter, let name = profile.keys[.file], let number = profile.number(of: .file),
            outcome.versions.indices.contains(Int(number))
        else { return nil }
        let line = MessageProof.line(key: name, version: outcome.versions[Int(number)], uid: outcome.uid)
        return CounterClaim(line: line, value: Int64(counter))
    }

    private func attempt<Value>(
        _ channel: ObservedChannel, _ what: String, by profile: TagProfile,
        _ body: () async throws(SetUpError) -> Value
    ) async throws(TagError) -> Value {
        do throws(SetUpError) { return try await body() } catch {
            var failure = TagError(
                error.code(channel.failure), "\(what) by profile \(profile.name) failed: \(error)")
            failure.profile = profile.name
            throw failure
        }
    }
}

/// The UIDs of the tags that are being set up: one task at a time reads and writes the record of a tag.
private final class TagsInProgress: Sendable {
    private let uids = Mutex<Set<[UInt8]>>([])

    /// Whether no task is in progress with this UID; one is then. A tag without a UID is not compared.
    func begin(_ uid: [UInt8]?) -> Bool {
        guard let uid else { return true }
        return uids.withLock { $0.insert(uid).inserted }
    }

    func end(_ uid: [UInt8]?) {
        guard let uid else { return }
        uids.withLock { _ = $0.remove(uid) }
    }
}

/// The profile for a tag.
private struct ProfileChoice {
    let profiles: [TagProfile]
    let tag: TagIdentity
    let channel: ObservedChannel

    private var names: String { profiles.map(\.name).joined(separator: ", ") }

    /// The profile of this name; without a name one that finishes what was begun, or else the only one that fits the tag.
    ///
    /// - Throws: ``TagError`` 1, which lists the names.
    func profile(named name: String?, _ record: SetUpRecord?) async throws(TagError) -> TagProfile {
        if let name {
            guard let profile = profiles.first(where: { $0.name == name }) else {
                throw TagError(.unsupportedFeature, "there is no profile \"\(name)\": keys.toml has \(names)")
                    .about("params.profile")
            }
            return profile
        }
        if let record {
            if !record.isDone { return try profile(finishing: record) }
            if record.task != .reset, let profile = profiles.first(where: { $0.name == record.profile }) {
                return profile
            }
        }
        if profiles.count == 1, let profile = profiles.first { return profile }
        let products = try await products()
        let fitting = profiles.filter { products.contains($0.product) }
        if fitting.count == 1, let profile = fitting.first { return profile }
        throw TagError(
            .unsupportedFeature,
            fitting.isEmpty
                ? "no profile is for this tag (\(tag.technology)): keys.toml has \(names)"
                : "several profiles are for this tag: name one of \(fitting.map(\.name).joined(separator: ", "))"
        ).about(fitting.isEmpty ? nil : "params.profile")
    }

    /// The profile with the keys of a record: that of its name, if it still has them. A profile of its name that has others says so.
    private func profile(finishing record: SetUpRecord) throws(TagError) -> TagProfile {
        let named = profiles.first { $0.name == record.profile }
        if let named, named.makesKeys(of: record) { return named }
        if let profile = profiles.first(where: { $0.makesKeys(of: record) }) ?? named { return profile }
        throw TagError(
            .unsupportedFeature,
            record.mismatch("nfcd has no profile of this name or with its keys (keys.toml has \(names))")
        ).about("keys.toml")
    }

    /// The products that the tag may be.
    private func products() async throws(TagError) -> Set<TagProfile.Product> {
        switch tag.technology {
        case .type2: return [.ultralightAES, .ultralightC]
        case .iso14443Part4: break
        default: return []
        }
        // An NTAG 424 DNA answers in its application; a DESFire answers everywhere.
        _ = try? await channel.transmit(TagProfile.ntag424Selection)
        let version: DESFireVersion
        do throws(TagError) { version = try await DESFireChannel(channel: channel).version() } catch {
            guard error.code == .tagResponseError else { throw error }
            return []
        }
        return switch version.product {
        case .ntag424DNA: [.ntag424]
        case .desfireEV1, .desfireEV2, .desfireEV3: [.desfire]
        default: []
        }
    }
}

extension TagProfile {
    /// SELECT of the application of an NTAG 424 DNA (NT4H2421Gx, §8.2.1).
    fileprivate static let ntag424Selection: [UInt8] = [
        0x00, 0xA4, 0x04, 0x0C, 0x07, 0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x01,
    ]
}

extension TagSetUp {
    fileprivate func perform(
        _ task: PersonalisationTask, _ channel: any CardChannel, _ reconnection: CardReconnection
    ) async throws(SetUpError) -> SetUpOutcome {
        switch task {
        case .setUp: try await run(.setUp, channel, reconnection)
        case .rotate: try await run(.rotate, channel, reconnection)
        case .reset: try await run(.reset, channel, reconnection)
        case .resume: try await resume(channel, reconnection)
        case .verify: try await verify(channel, reconnection)
        }
    }
}

extension SetUpStatus {
    /// How far the tag is one of the profile.
    fileprivate var state: PersonalisationState {
        if !isOurs { return .foreign }
        if let record, !record.isDone { return .interrupted }
        switch interruptedTask {
        // Of a whole tag whose record is lost, too.
        case .setUp where isComplete: return .current
        case .some: return .interrupted
        case nil: break
        }
        if isComplete { return .current }
        return versions.allSatisfy { $0 == 0 } ? .delivered : .outdated
    }
}

// MARK: - Vocabulary

extension PersonalisationTask {
    fileprivate init(_ task: SetUpTask) {
        self =
            switch task {
            case .setUp: .setUp
            case .rotate: .rotate
            case .reset: .reset
            }
    }

    /// What is done with a tag, for an error.
    fileprivate func words(_ tag: String) -> String {
        switch self {
        case .setUp: "setting up \(tag)"
        case .rotate: "changing the keys of \(tag)"
        case .reset: "resetting \(tag)"
        case .resume: "finishing what was interrupted with \(tag)"
        case .verify: "checking \(tag)"
        }
    }
}

extension PersonalisedTag {
    /// The UID that it shows, 7 bytes; nil if it hides it.
    fileprivate var uid: [UInt8]? { identity.identifier.count == 7 ? identity.identifier : nil }

    /// The tag for an error.
    fileprivate var name: String {
        uid.map { "tag \(Hexadecimal.string($0))" } ?? "the tag"
    }
}

extension SetUpOptions.Irreversible {
    fileprivate init(_ setting: PermanentSetting) {
        self =
            switch setting {
            case .randomIdentifier: .randomUID
            case .tamper: .tamper
            case .lrp: .lrp
            case .lockKeys: .lockKeys
            }
    }

    fileprivate var setting: PermanentSetting {
        switch self {
        case .randomUID: .randomIdentifier
        case .tamper: .tamper
        case .lrp: .lrp
        case .lockKeys: .lockKeys
        }
    }
}

extension MakerSignature {
    fileprivate init(_ originality: SetUpOutcome.Originality) {
        self =
            switch originality {
            case .genuine: .genuine
            case .wrong: .wrong
            case .missing: .missing
            }
    }
}

extension SetUpError {
    /// CoreNFC's code.
    ///
    /// - Parameter failure: how the last exchange failed; nil if it was answered.
    fileprivate func code(_ failure: CardChannelError?) -> NFCErrorCode {
        if let failure { return failure.code }
        return switch reason {
        case .unsuitable, .wrongTag, .foreign, .nothingToResume: .unsupportedFeature
        case .keyRefused, .interrupted, .wrongResult: .tagResponseError
        case .record, .keyUnavailable: .systemIsBusy
        }
    }
}
