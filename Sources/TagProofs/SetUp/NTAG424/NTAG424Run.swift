import Cryptography
import NDEF
import NFCTags
import SecureTags

/// Performs the steps of a plan with a tag.
struct NTAG424Run: SetUpRun {
    private let plan: NTAG424Plan
    private let task: SetUpTask
    private let reconnection: CardReconnection
    private var card: NTAG424Card
    private var versions: [UInt8]
    /// Whether the versions were compared with those that the tag proved.
    private var isCompared = false
    private(set) var counter: Int?

    private var keys: SetUpKeys { plan.keys }
    private var uid: [UInt8] { plan.uid }

    init(_ plan: NTAG424Plan, _ task: SetUpTask, _ reconnection: CardReconnection) {
        (self.plan, self.task, self.reconnection) = (plan, task, reconnection)
        (card, versions) = (plan.card, plan.versions)
    }

    mutating func perform(_ step: NTAG424Step, beforeChange: () -> Void) async throws {
        if needsSession(step) {
            try await authenticate()
            try checkMode(step)
        }
        if step == .set(.lrp), card.isLRP { return }
        if step.changesTag { beforeChange() }
        switch step {
        case .prove(let number): try await prove(number)
        case .writeMessage: try await writeMessage()
        case .clearMessage: try await card.write(2, [UInt8](repeating: 0, count: SUNTemplate.fileSize))
        case .restoreApplicationFile: try await card.writeEncrypted(3, NTAG424Layout.deliveredApplicationContent)
        case .changeKey(let number, let version): try await changeKey(number, version)
        case .writeContainer(let bytes): try await card.write(1, bytes)
        case .changeSettings(let file, let settings): try await card.change(file, settings)
        case .check: try await check()
        case .set(.lrp): try await switchToLRP()
        case .set(.randomUID): try await card.configure(0x00, [0x02])
        case .set(.tamper): try await card.configure(0x07, [0x01, tamperKey])
        case .set(.lockKeys): throw SetUpError(.unsuitable, "the keys of an NTAG 424 DNA cannot be locked")
        case .confirm: try await confirm()
        }
    }

    /// Whether a step is done in a session with key 0. A proof needs none, but what the tag showed is compared before it.
    private func needsSession(_ step: NTAG424Step) -> Bool {
        switch step {
        case .check: false
        case .prove: !isCompared
        default: true
        }
    }

    private var tamperKey: UInt8 {
        keys.profile.keys[.tag] == nil ? 0x0E : keys.profile.number(of: .tag) ?? 0x0E
    }

    // MARK: LRP

    /// A tag is reset in the mode that it has.
    private func checkMode(_ step: NTAG424Step) throws(SetUpError) {
        guard keys.profile.usesLRP, !card.isLRP, task != .reset, step != .set(.lrp) else { return }
        throw SetUpError(
            .unsuitable,
            plan.canSwitchToLRP
                ? "the profile has lrp = true and the tag does not use LRP; allow the permanent option lrp"
                : "the profile has lrp = true and the tag was set up without LRP; reset it first, then allow lrp")
    }

    /// The answer has no code: the next authentication shows the mode.
    private mutating func switchToLRP() async throws {
        try await card.switchToLRP()
        try await authenticate()
        guard card.isLRP else { throw SetUpError(.wrongResult, "the tag did not switch to LRP") }
    }

    // MARK: Keys

    /// One attempt, with the key that the version of key 0 stands for.
    private mutating func authenticate() async throws {
        guard !card.isAuthenticated else { return }
        let version = versions.first ?? 0
        let key = try await keys.key(0, version: version, uid: uid)
        do throws(CardFailure) { try await card.authenticate(key) } catch {
            throw Self.refusal(error, version: version, card)
        }
        if !isCompared { try await compare() }
        isCompared = true
    }

    /// One attempt with another key than key 0. The session ends.
    private mutating func prove(_ number: UInt8) async throws {
        let version = versions[Int(number)]
        let key = try await keys.key(number, version: version, uid: uid)
        do throws(CardFailure) { try await card.prove(key, number: number) } catch {
            throw Self.refusal(error, number, version: version, card)
        }
    }

    private static func refusal(
        _ error: CardFailure, _ number: UInt8 = 0, version: UInt8, _ card: NTAG424Card
    ) -> any Error {
        switch error {
        case .refused(.permissionDenied, .challenge):
            SetUpError(
                .foreign,
                card.allowsLRP
                    ? "key \(number) is locked after too many failed authentications"
                    : "key \(number) is locked, or the tag uses LRP, for which a profile needs lrp = true")
        case .refused(.authenticationError, _), .session(.wrongProof):
            SetUpError(.keyRefused, "the tag does not have the key \(number) that version \(version) stands for")
        default: error
        }
    }

    /// What was read without a key may be forged.
    private mutating func compare() async throws {
        let proven = try await card.provenState()
        guard proven.uid == uid, proven.versions == versions else { throw Self.otherState }
    }

    private static let otherState = SetUpError(
        .foreign, "the tag proved another UID, or other versions, than it showed at first")

    private mutating func changeKey(_ number: UInt8, _ version: UInt8) async throws {
        let index = Int(number)
        let old = number == 0 ? nil : try await keys.key(number, version: versions[index], uid: uid)
        let new = try await keys.key(number, version: version, uid: uid)
        try await card.change(KeyChange(number: number, new: new, old: old, version: version))
        versions[index] = version
    }

    private mutating func confirm() async throws {
        let proven = try await card.provenState()
        guard proven.uid == uid, proven.versions == plan.goal(task) else {
            throw SetUpError(.wrongResult, "the versions of the keys are \(proven.versions)")
        }
    }

    // MARK: Message

    private mutating func writeMessage() async throws {
        guard let file = plan.layout.template?.file else { return }
        guard file.count > NTAG424Card.writeSize else { return try await card.write(2, file) }
        // The length is last: until then the tag is empty.
        try await card.write(2, [0, 0])
        try await card.write(2, Array(file.dropFirst(2)), at: 2)
        try await card.write(2, Array(file.prefix(2)))
    }

    /// Reads the message after a new activation, and verifies it with the keys that the tag should have.
    private mutating func check() async throws {
        guard let template = plan.layout.template else { return }
        let source = try await source
        do throws(CardChannelError) { try await reconnection.perform() } catch {
            throw CardFailure.lost(TagError(.tagConnectionLost, "\(error)"))
        }
        try await card.select()
        let file = try await card.readAsPhone(count: template.file.count)
        guard let message = try? NDEFMessage(decoding: Array(file.dropFirst(2))), let uri = message.firstURI else {
            throw SetUpError(.wrongResult, "the tag has no message")
        }
        let proof = await template.verify(
            uri, profile: keys.profile.name, keys: source, counters: CounterBook(), observedUID: uid)
        guard proof.isProven || proof.status == .tamperOpen else {
            throw SetUpError(.wrongResult, "the message of the tag is not right: \(proof.reason)")
        }
        counter = proof.counter.map { Int($0) }
    }

    private var source: SUNKeys {
        get async throws(SetUpError) {
            let (meta, file, ours) = (try await messageKeys(1), try await messageKeys(2), uid)
            return SUNKeys(metaReadKeys: meta) { $0 == ours ? file : [] }
        }
    }

    private func messageKeys(_ number: UInt8) async throws(SetUpError) -> [SUNKey] {
        let version = versions[Int(number)]
        let secret = try await keys.key(number, version: version, uid: uid)
        return TagKey(secret).map { [SUNKey($0, version: version)] } ?? []
    }

    // MARK: Random UID

    /// The UID of a tag that hides it and whose key 0 is as delivered, in one attempt. The session continues.
    static func hiddenUID(_ card: inout NTAG424Card, _ versions: [UInt8]) async throws -> [UInt8] {
        do throws(CardFailure) {
            try await card.authenticate(SecretBytes([UInt8](repeating: 0, count: TagKey.length)))
        } catch {
            throw refusal(error, version: 0, card)
        }
        let proven = try await card.provenState()
        guard proven.versions == versions else { throw otherState }
        return proven.uid
    }
}
