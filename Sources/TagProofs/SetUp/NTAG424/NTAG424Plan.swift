import NDEF
import NFCSessions
import NFCTags
import SecureTags

/// The steps from what a tag is to what it should be. The versions of its keys and its settings are the log: no state is lost.
///
/// Key 0 is last: while it is as delivered, every fault can be repaired, even without a record.
struct NTAG424Plan: SetUpCourse {
    let keys: SetUpKeys
    let layout: NTAG424Layout
    var options: SetUpOptions
    let state: NTAG424State
    let uid: [UInt8]
    let card: NTAG424Card

    var versions: [UInt8] { state.versions }
    var originality: SetUpOutcome.Originality { state.originality }
    var isUIDGiven: Bool { state.uid == nil && options.uid == uid }
    private var masterVersion: UInt8 { versions.first ?? 0xFF }

    /// The versions that a set-up or a rotation leads to.
    private var target: [UInt8] { options.versions ?? keys.current }

    /// The versions at the end.
    func goal(_ task: SetUpTask) -> [UInt8] { task == .reset ? versions.map { _ in 0 } : target }

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

    func run(_ task: SetUpTask, _ reconnection: CardReconnection) -> NTAG424Run { NTAG424Run(self, task, reconnection) }

    private func checkKeys() throws(SetUpError) { try state.check(keys, layout) }

    private var isMessageFileKnown: Bool { state.hasKnownMessageFile(layout) }

    private var isMessageFileFinal: Bool { state.settings[2] == layout.messageFile }

    private func setUp() throws(SetUpError) -> [NTAG424Step] {
        guard masterVersion == 0 || masterVersion == target[0] else {
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
        guard !options.irreversible.contains(.lockKeys) else {
            throw SetUpError(.unsuitable, "the keys of an NTAG 424 DNA cannot be locked, and need not be")
        }
        try checkOriginality()
        return try proofs + mode() + message() + subordinateKeys(target) + files() + tail()
    }

    private func checkOriginality() throws(SetUpError) {
        guard options.originality == .required else { return }
        guard case .genuine = state.originality else {
            throw SetUpError(.wrongTag, "the signature of the maker is missing or wrong")
        }
    }

    /// LRP is before everything else: the switch to it ends Secure Dynamic Messaging (§9.3.4.2).
    private func mode() throws(SetUpError) -> [NTAG424Step] {
        guard options.irreversible.contains(.lrp) else { return [] }
        guard keys.profile.usesLRP else {
            throw SetUpError(.unsuitable, "the profile is not one of LRP; give it lrp = true")
        }
        return canSwitchToLRP ? [.set(.lrp)] : []
    }

    /// Whether nothing that the switch to LRP would end is on the tag.
    var canSwitchToLRP: Bool { masterVersion == 0 && !isMessageFileFinal }

    private func message() throws(SetUpError) -> [NTAG424Step] {
        guard let template = layout.template else {
            try checkLink()
            return []
        }
        // Interrupted behind it. The answer to a write has no code, so that the message may be another one.
        guard !isMessageFileFinal else { return masterVersion == 0 ? [.writeMessage] : [] }
        guard let found = state.message else { return [] }
        let isEmpty = found.prefix(2).allSatisfy { $0 == 0 }
        guard isEmpty || found == template.file || options.overwritesMessage else {
            throw SetUpError(.unsuitable, "the tag has a message already; allow to overwrite it with --overwrite")
        }
        return found == template.file ? [] : [.writeMessage]
    }

    /// A tag without the link that its profile asks for would never be asked to prove itself.
    private func checkLink() throws(SetUpError) {
        guard let host = keys.profile.uriHost, !isMessageFileFinal, let file = state.message, file.count > 2 else {
            return
        }
        let length = Int(file[0]) << 8 | Int(file[1])
        let message = try? NDEFMessage(decoding: Array(file.dropFirst(2).prefix(length)))
        let found = message?.records.lazy.compactMap(\.decoded.uri).first?.uriHost
        guard found?.lowercased() != host.lowercased() else { return }
        throw SetUpError(
            .unsuitable,
            "the profile is for tags with a link to \(host), and the tag has none. Write it first, for example with "
                + "`nfcctl write --uri https://\(host)/`")
    }

    /// As long as key 0 is as delivered, everyone can read what the tag gets: it proves the keys that it has already before it gets more. A
    /// reset sends the old ones (§10.6.1).
    private var proofs: [NTAG424Step] {
        guard masterVersion == 0 else { return [] }
        return (1..<NTAG424SetUp.keyCount).filter { versions[Int($0)] != 0 }.map { .prove($0) }
    }

    private func subordinateKeys(_ goal: [UInt8]) -> [NTAG424Step] {
        (1..<NTAG424SetUp.keyCount).reversed().compactMap { number in
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
        // Whether the loop is measured cannot be read; setting it again changes nothing.
        if options.irreversible.contains(.tamper) { steps.append(.set(.tamper)) }
        if options.irreversible.contains(.randomUID), state.uid != nil { steps.append(.set(.randomUID)) }
        return steps + masterKey + [.confirm]
    }

    private var masterKey: [NTAG424Step] {
        masterVersion == target[0] ? [] : [.changeKey(0, version: target[0])]
    }

    private func rotate() throws(SetUpError) -> [NTAG424Step] {
        guard masterVersion != 0, isMessageFileFinal else {
            throw SetUpError(.foreign, "the tag is not one that was set up with the profile")
        }
        let check: [NTAG424Step] = layout.template == nil ? [] : [.check]
        return subordinateKeys(target) + check + masterKey + [.confirm]
    }

    private func reset() -> [NTAG424Step] {
        var steps = proofs
        if state.settings[2] != NTAG424Layout.deliveredMessageFile {
            steps.append(.changeSettings(file: 2, NTAG424Layout.deliveredMessageFile))
        }
        steps += applicationFile
        if state.container.prefix(NTAG424Layout.container.count) != NTAG424Layout.deliveredContainer[...] {
            steps.append(.writeContainer(NTAG424Layout.deliveredContainer))
        }
        if isOurs { steps.append(.clearMessage) }
        steps += subordinateKeys(goal(.reset))
        if masterVersion != 0 { steps.append(.changeKey(0, version: 0)) }
        return steps + [.confirm]
    }

    /// Whether something of a set-up is on the tag.
    private var isOurs: Bool {
        versions.contains { $0 != 0 } || state.settings[2] != NTAG424Layout.deliveredMessageFile
            || layout.template.map { $0.file == state.message } ?? false
    }

    /// File 3 is restored while key 0 has all rights. A file with the rights that it has as delivered was restored, or was never changed.
    private var applicationFile: [NTAG424Step] {
        guard state.settings[3] != NTAG424Layout.deliveredApplicationFile else { return [] }
        let opening: [NTAG424Step] =
            state.settings[3] == NTAG424Layout.applicationFile
            ? [] : [.changeSettings(file: 3, NTAG424Layout.applicationFile)]
        return opening + [
            .restoreApplicationFile, .changeSettings(file: 3, NTAG424Layout.deliveredApplicationFile),
        ]
    }

    // MARK: Counters

    private var fileKeyNumber: UInt8 { keys.profile.number(of: .file) ?? 2 }

    /// The key of messages that were sent, or may have been: with key 0 as delivered and the settings too, none was.
    var spentKey: UInt8? {
        let isMessaging = masterVersion != 0 || state.settings[2] != NTAG424Layout.deliveredMessageFile
        return layout.template != nil && isMessaging && versions[Int(fileKeyNumber)] != 0 ? fileKeyNumber : nil
    }

    /// The key whose counter begins again with a set-up: it switches messages on (§9.3.1).
    var restartedKey: UInt8? { layout.template != nil && !isMessageFileFinal ? fileKeyNumber : nil }

    // MARK: What cannot be changed or known

    /// What a task leaves on the tag that its steps do not show.
    func remarks(_ task: SetUpTask) -> [String] {
        guard task == .reset else { return [] }
        var kept: [String] = []
        if state.uid == nil { kept.append("it hides its UID") }
        if keys.profile.usesLRP { kept.append("it uses LRP") }
        if keys.profile.expectsTamper, state.hasTamperLoop { kept.append("it measures its tamper loop") }
        return kept.isEmpty ? [] : ["the tag keeps permanently what was set: " + kept.joined(separator: ", ")]
    }

    /// Whether the tag has all keys and the message's settings.
    var isComplete: Bool { versions == target && isMessageFileFinal }

    /// The task of a tag that was interrupted and whose record is lost; nil if the tag is not between two states.
    /// Of a complete tag, it is the set-up, which only proves it.
    var interruptedTask: SetUpTask? {
        guard (try? checkKeys()) != nil else { return nil }
        if masterVersion == 0 { return versions.contains { $0 != 0 } ? .setUp : nil }
        // Set-up changes key 0 last, so that only a reset leaves these behind.
        if versions.contains(0) || state.settings[2] == NTAG424Layout.deliveredMessageFile { return .reset }
        if isComplete { return .setUp }
        let areCurrent = (0..<NTAG424SetUp.keyCount).filter(keys.isRotated).map {
            versions[Int($0)] == keys.current($0)
        }
        return isMessageFileFinal && Set(areCurrent).count == 2 ? .rotate : nil
    }
}
