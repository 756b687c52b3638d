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

    func probe(_ channel: any CardChannel, _ options: SetUpOptions) async throws -> NTAG424Plan {
        var card = NTAG424Card(channel, allowsLRP: keys.profile.usesLRP)
        let state = try await NTAG424State.probe(
            &card,
            messageLength: layout.template?.file.count ?? (keys.profile.uriHost == nil ? 2 : SUNTemplate.fileSize),
            makers: options.makers)
        let uid = try await uid(&card, state, given: options.uid)
        return NTAG424Plan(keys: keys, layout: layout, options: options, state: state, uid: uid, card: card)
    }

    /// The UID; a tag that hides it is asked in a session. That is the only attempt of a probe, with the key of a tag as delivered, and only
    /// where the versions are not those of a tag of someone else.
    private func uid(
        _ card: inout NTAG424Card, _ state: NTAG424State, given: [UInt8]?
    ) async throws -> [UInt8] {
        if let uid = state.uid { return uid }
        if let given, given.count == 7 { return given }
        try state.check(keys, layout)
        guard state.versions.first == 0 else {
            throw SetUpError(.unsuitable, "the tag hides its UID, from which its keys follow; give the UID")
        }
        return try await NTAG424Run.hiddenUID(&card, state.versions)
    }
}
