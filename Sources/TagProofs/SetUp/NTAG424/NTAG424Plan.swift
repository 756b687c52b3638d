import SecureTags

/// The steps from what a tag is to what it should be. The versions of its keys and its settings are the log: no state is lost.
///
/// Key 0 is last: while it is as delivered, every fault can be repaired, even without a record.
struct NTAG424Plan: Sendable {
    let keys: SetUpKeys
    let layout: NTAG424Layout
    var options: SetUpOptions
    let state: NTAG424State

    private var versions: [UInt8] { state.versions }
    private var masterVersion: UInt8 { versions.first ?? 0xFF }

    /// The versions at the end.
    func goal(_ task: SetUpTask) -> [UInt8] { task == .reset ? versions.map { _ in 0 } : keys.current }

    /// The steps of a task.
    ///
    /// - Throws: ``SetUpError`` if the tag is not one for it.
    func steps(_ task: SetUpTask) throws(SetUpError) -> [NTAG424Step] {
        try checkKeys()
        return switch task {
        case .setUp: try setUp()
        case .rotate: try rotate()
        case .reset: reset()
        }
    }

    private func checkKeys() throws(SetUpError) {
        for (number, version) in versions.enumerated() where !keys.knows(UInt8(number), version: version) {
            throw SetUpError(
                .foreign, "key \(number) has version \(version), which is not in the key store: the tag is not ours")
        }
        guard versions.contains(where: { $0 != 0 }) || isMessageFileKnown else {
            throw SetUpError(.foreign, "the tag has settings that are not as delivered: it is of someone else")
        }
    }

    private var isMessageFileKnown: Bool {
        [NTAG424Layout.deliveredMessageFile, layout.messageFile].contains(state.settings[2])
    }

    private var isMessageFileFinal: Bool { state.settings[2] == layout.messageFile }

    private func setUp() throws(SetUpError) -> [NTAG424Step] {
        guard masterVersion == 0 || masterVersion == keys.current(0) else {
            throw SetUpError(.foreign, "the tag is set up already, with an earlier key; change its keys with rotate")
        }
        guard isMessageFileFinal || masterVersion == 0 else {
            throw SetUpError(.foreign, "the settings of the tag are not those of the profile; reset it first")
        }
        guard isMessageFileKnown else {
            throw SetUpError(.foreign, "the rights of the message are neither as delivered nor of the profile")
        }
        guard !options.irreversible.contains(.tamper) || state.hasTamperLoop else {
            throw SetUpError(.unsuitable, "the tag has no tamper loop")
        }
        try checkOriginality()
        return try message() + subordinateKeys(keys.current) + files() + tail()
    }

    private func checkOriginality() throws(SetUpError) {
        guard options.originality == .required else { return }
        guard case .genuine = state.originality else {
            throw SetUpError(.wrongTag, "the signature of the maker is missing or wrong")
        }
    }

    private func message() throws(SetUpError) -> [NTAG424Step] {
        guard let template = layout.template, !isMessageFileFinal, let found = state.message else { return [] }
        let isEmpty = found.prefix(2).allSatisfy { $0 == 0 }
        guard isEmpty || found == template.file || options.overwritesMessage else {
            throw SetUpError(.unsuitable, "the tag has a message already; allow to overwrite it")
        }
        return found == template.file ? [] : [.writeMessage]
    }

    private func subordinateKeys(_ goal: [UInt8]) -> [NTAG424Step] {
        (1..<NTAG424Product.keyCount).reversed().compactMap { number in
            let version = goal[Int(number)]
            return versions[Int(number)] == version ? nil : .changeKey(number, version: version)
        }
    }

    private func files() -> [NTAG424Step] {
        var steps: [NTAG424Step] = []
        if state.container.prefix(NTAG424Layout.container.count) != NTAG424Layout.container[...] {
            steps.append(.writeContainer(NTAG424Layout.container))
        }
        if state.settings[3] != NTAG424Layout.applicationFile {
            steps.append(.changeSettings(file: 3, NTAG424Layout.applicationFile))
        }
        if !isMessageFileFinal { steps.append(.changeSettings(file: 2, layout.messageFile)) }
        return steps
    }

    private func tail() -> [NTAG424Step] {
        var steps: [NTAG424Step] = layout.template == nil ? [] : [.check]
        // Whether the loop is measured cannot be read without a key; setting it again changes nothing.
        if options.irreversible.contains(.tamper), masterVersion == 0 { steps.append(.set(.tamper)) }
        if options.irreversible.contains(.randomUID), state.uid != nil, masterVersion == 0 {
            steps.append(.set(.randomUID))
        }
        if masterVersion != keys.current(0) { steps.append(.changeKey(0, version: keys.current(0))) }
        return steps + [.confirm]
    }

    private func rotate() throws(SetUpError) -> [NTAG424Step] {
        guard masterVersion != 0, isMessageFileFinal else {
            throw SetUpError(.foreign, "the tag is not one that was set up with the profile")
        }
        let check: [NTAG424Step] = layout.template == nil ? [] : [.check]
        let last: [NTAG424Step] =
            masterVersion == keys.current(0) ? [] : [.changeKey(0, version: keys.current(0))]
        return subordinateKeys(keys.current) + check + last + [.confirm]
    }

    private func reset() -> [NTAG424Step] {
        var steps: [NTAG424Step] = []
        for (file, settings): (UInt8, [UInt8]) in [
            (2, NTAG424Layout.deliveredMessageFile), (3, NTAG424Layout.deliveredApplicationFile),
        ] where state.settings[file] != settings {
            steps.append(.changeSettings(file: file, settings))
        }
        if state.container.prefix(NTAG424Layout.container.count) != NTAG424Layout.deliveredContainer[...] {
            steps.append(.writeContainer(NTAG424Layout.deliveredContainer))
        }
        if versions.contains(where: { $0 != 0 }), layout.template != nil { steps.append(.clearMessage) }
        steps += subordinateKeys(goal(.reset))
        if masterVersion != 0 { steps.append(.changeKey(0, version: 0)) }
        return steps + [.confirm]
    }

    /// Whether the tag has all keys and the message's settings.
    var isComplete: Bool { versions == keys.current && isMessageFileFinal }

    /// The task of a tag that was interrupted and whose record is lost; nil if the tag is not between two states.
    /// Of a complete tag, it is the set-up, which only proves it.
    var interruptedTask: SetUpTask? {
        if masterVersion == 0 { return versions.contains { $0 != 0 } ? .setUp : nil }
        // Set-up changes key 0 last, so that only a reset leaves these behind.
        if versions.contains(0) || state.settings[2] == NTAG424Layout.deliveredMessageFile { return .reset }
        if isComplete { return .setUp }
        let isPartlyCurrent = zip(versions, keys.current).contains { $0 == $1 }
        return isPartlyCurrent ? .rotate : nil
    }
}
