import NFCTags
import SecureTags

/// NTAG 424 DNA of a profile.
struct NTAG424Product: SetUpProduct {
    /// Keys of a tag.
    static let keyCount: UInt8 = 5

    let keys: SetUpKeys
    let layout: NTAG424Layout

    /// - Throws: ``SetUpError`` if profile or keys do not allow to set up tags.
    init(_ profile: TagProfile, _ ring: KeyRing) throws(SetUpError) {
        layout = try NTAG424Layout(profile)
        keys = try SetUpKeys(profile, ring, count: Self.keyCount)
    }

    func probe(_ channel: any CardChannel, _ options: SetUpOptions) async throws -> NTAG424Course {
        var card = NTAG424Card(channel)
        let state = try await NTAG424State.probe(
            &card, messageLength: min(layout.template?.file.count ?? 2, 240), makers: options.makers)
        let uid = try await uid(&card, state, options)
        return NTAG424Course(
            card: card, plan: NTAG424Plan(keys: keys, layout: layout, options: options, state: state), uid: uid)
    }

    private func uid(
        _ card: inout NTAG424Card, _ state: NTAG424State, _ options: SetUpOptions
    ) async throws -> [UInt8] {
        if let uid = state.uid { return uid }
        if let uid = options.uid, uid.count == 7 { return uid }
        guard state.versions.first == 0 else {
            throw SetUpError(.unsuitable, "the tag hides its UID, from which its keys follow; give the UID")
        }
        return try await NTAG424Run.hiddenUID(&card)
    }
}

/// An NTAG 424 DNA on the reader, and the plan for it.
struct NTAG424Course: SetUpCourse {
    let card: NTAG424Card
    var plan: NTAG424Plan
    let uid: [UInt8]

    var versions: [UInt8] { plan.state.versions }
    var originality: SetUpOutcome.Originality { plan.state.originality }
    var isComplete: Bool { plan.isComplete }
    var interruptedTask: SetUpTask? { plan.interruptedTask }
    var options: SetUpOptions {
        get { plan.options }
        set { plan.options = newValue }
    }

    func goal(_ task: SetUpTask) -> [UInt8] { plan.goal(task) }

    func steps(_ task: SetUpTask) throws(SetUpError) -> [NTAG424Step] { try plan.steps(task) }

    func run(_ task: SetUpTask, _ reconnection: CardReconnection) -> NTAG424Run {
        NTAG424Run(plan, task, uid: uid, card: card, reconnection: reconnection)
    }
}
