import NFCTags
import SecureTags

/// NTAG 424 DNA of a profile.
struct NTAG424SetUp: SetUpProduct {
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
        var card = NTAG424Card(channel, allowsLRP: keys.profile.usesLRP)
        let state = try await NTAG424State.probe(
            &card,
            messageLength: layout.template?.file.count ?? (keys.profile.uriHost == nil ? 2 : SUNTemplate.fileSize),
            makers: options.makers)
        let plan = NTAG424Plan(keys: keys, layout: layout, options: options, state: state)
        let uid = try await uid(&card, plan)
        return NTAG424Course(card: card, plan: plan, uid: uid)
    }

    /// The UID; a tag that hides it is asked in a session. That is the only attempt of a probe, with the key of a tag as delivered, and only
    /// where the versions are not those of a tag of someone else.
    private func uid(_ card: inout NTAG424Card, _ plan: NTAG424Plan) async throws -> [UInt8] {
        if let uid = plan.state.uid { return uid }
        if let uid = plan.options.uid, uid.count == 7 { return uid }
        try plan.checkKeys()
        guard plan.state.versions.first == 0 else {
            throw SetUpError(.unsuitable, "the tag hides its UID, from which its keys follow; give the UID")
        }
        return try await NTAG424Run.hiddenUID(&card, plan.state.versions)
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

    var spentKey: UInt8? { plan.spentKey }
    var restartedKey: UInt8? { plan.restartedKey }

    func remarks(_ task: SetUpTask) -> [String] { plan.remarks(task) }

    func goal(_ task: SetUpTask) -> [UInt8] { plan.goal(task) }

    func steps(_ task: SetUpTask) throws(SetUpError) -> [NTAG424Step] { try plan.steps(task) }

    func run(_ task: SetUpTask, _ reconnection: CardReconnection) -> NTAG424Run {
        NTAG424Run(plan, task, uid: uid, card: card, reconnection: reconnection)
    }
}
