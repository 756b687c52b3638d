import NFCTags
import SecureTags

/// The steps from what a DESFire is to what it should be. Its applications and the versions of its keys are the log: no state is lost.
///
/// The master key of the application is changed after its other keys, and that of the card last: until then every fault can be repaired,
/// even without a record.
struct DESFirePlan: SetUpCourse {
    let keys: SetUpKeys
    let layout: DESFireLayout
    var options: SetUpOptions
    let state: DESFireState
    let card: DESFireCard

    var uid: [UInt8] { state.uid }
    var originality: SetUpOutcome.Originality { state.originality }

    /// The versions of the keys of the application, 0 without one, and of the card; FF for a card that hides it.
    var versions: [UInt8] { applicationVersions + [state.card?.version ?? 0xFF] }
    private var applicationVersions: [UInt8] {
        state.application?.versions ?? [UInt8](repeating: 0, count: Int(DESFireLayout.keyCount))
    }
    /// The versions that a set-up or a rotation leads to.
    private var target: [UInt8] { options.versions ?? keys.current }
    private var goalOfApplication: [UInt8] { target.dropLast() }
    /// A version that is not in the key ring is that of a card key which was not to be changed.
    private var goalOfCard: UInt8 {
        let (number, wanted) = (UInt8(DESFireLayout.cardKey), target[DESFireLayout.cardKey])
        return keys.knows(number, version: wanted) ? wanted : keys.current(number)
    }
    private var masterVersion: UInt8 { applicationVersions.first ?? 0xFF }

    func run(_ task: SetUpTask, _ reconnection: CardReconnection) -> DESFireRun { DESFireRun(self, task) }

    // MARK: The level of the card

    /// Whether the card master key has a version of the profile, with AES.
    private var hasOwnCardKey: Bool {
        guard let card = state.card, card.cipher == .aes, card.version != 0 else { return false }
        return keys.knows(UInt8(DESFireLayout.cardKey), version: card.version)
    }

    /// Whether the card master key may be that of a card as delivered.
    private var hasDeliveredCardKey: Bool { state.card?.cipher == .des && state.card?.version == 0 }

    /// Whether the card master key is one of the profile, or becomes one: not on a card with applications of others.
    var isCardOurs: Bool { !options.keepsCardKey && (hasOwnCardKey || hasDeliveredCardKey && !state.hasOthers) }

    /// Whether applications are created and deleted with the card master key; nil if they cannot be.
    private var usesCardKey: Bool? {
        if isCardOurs { return true }
        if state.card?.isOpen == true { return false }
        return hasOwnCardKey || hasDeliveredCardKey ? true : nil
    }

    /// Whether the application is created with the card master key, and not by everyone.
    var createsWithCardKey: Bool { usesCardKey ?? true }
    /// Whether the application is deleted with the card master key, and not with its own.
    var deletesWithCardKey: Bool { usesCardKey ?? true }

    /// The card master key stays while there are applications of others: everyone could delete them otherwise.
    private var resetVersionOfCard: UInt8 {
        isCardOurs && !state.hasOthers ? 0 : versions[DESFireLayout.cardKey]
    }

    private func checkAuthority() throws(SetUpError) {
        guard usesCardKey != nil else {
            throw SetUpError(
                .foreign,
                "the card has a master key of someone else, without which it creates and deletes no application")
        }
    }

    // MARK: Tasks

    /// The versions at the end.
    func goal(_ task: SetUpTask) -> [UInt8] {
        task == .reset
            ? applicationVersions.map { _ in 0 } + [resetVersionOfCard]
            : goalOfApplication + [isCardOurs ? goalOfCard : versions[DESFireLayout.cardKey]]
    }

    /// The steps of a task.
    ///
    /// - Throws: ``SetUpError`` if the card is not one for it.
    func steps(_ task: SetUpTask) throws(SetUpError) -> [DESFireStep] {
        try checkApplication()
        return switch task {
        case .setUp: try setUp()
        case .rotate: try rotate()
        case .reset: try reset()
        }
    }

    private func checkApplication() throws(SetUpError) {
        guard let application = state.application else { return }
        for (number, version) in application.versions.enumerated()
        where !keys.knows(UInt8(number), version: version) {
            throw SetUpError(
                .foreign,
                "key \(number) of the application has version \(version), which is not in the key store: it is not ours"
            )
        }
        guard isAsPlanned || masterVersion != 0 else {
            throw SetUpError(.foreign, "the application of the profile exists, and is of someone else")
        }
        guard masterVersion == 0 || !application.versions.contains(0), masterVersion == 0 || state.file != nil else {
            throw SetUpError(.foreign, "the application of the profile is not as a set-up leaves it")
        }
    }

    /// Whether application and file, if they exist, are as a set-up makes them.
    private var isAsPlanned: Bool {
        state.application?.settings ?? DESFireLayout.settings == DESFireLayout.settings
            && state.file ?? layout.file == layout.file
    }

    private func checkPlanned() throws(SetUpError) {
        guard isAsPlanned else {
            throw SetUpError(.foreign, "the settings of the application are not those of the profile; reset it first")
        }
    }

    private func setUp() throws(SetUpError) -> [DESFireStep] {
        guard masterVersion == 0 || masterVersion == target[0] else {
            throw SetUpError(.foreign, "the card is set up already, with an earlier key; change its keys with rotate")
        }
        try checkPlanned()
        try checkOriginality()
        return try content() + keySteps()
    }

    private func checkOriginality() throws(SetUpError) {
        guard options.originality == .required else { return }
        guard case .genuine = state.originality else {
            throw SetUpError(.wrongTag, "the signature of the maker is missing or wrong")
        }
    }

    private func content() throws(SetUpError) -> [DESFireStep] {
        guard state.application == nil else {
            guard masterVersion == 0 else { return [] }
            return proofs + (state.file == nil ? [.createFile, .writeFile] : [.writeFile])
        }
        try checkAuthority()
        if let free = state.freeMemory, free < DESFireLayout.memorySize {
            throw SetUpError(
                .unsuitable,
                "the memory of the card is full: \(free) bytes are free, \(DESFireLayout.memorySize) are needed")
        }
        return [.createApplication, .createFile, .writeFile]
    }

    /// As long as key 0 is as delivered, everyone can read what the card gets: it proves the keys that it has already before it gets more.
    private var proofs: [DESFireStep] {
        (1..<DESFireLayout.keyCount).filter { applicationVersions[Int($0)] != 0 }.map { .proveKey($0) }
    }

    /// Master keys last.
    private func keySteps() -> [DESFireStep] {
        let changed = (0..<DESFireLayout.keyCount).reversed().filter {
            applicationVersions[Int($0)] != target[Int($0)]
        }
        let changes = changed.map { DESFireStep.changeKey($0, version: target[Int($0)]) }
        return changes.filter { !$0.isOfMaster } + [.check] + changes.filter(\.isOfMaster) + cardStep(goalOfCard)
            + [.confirm]
    }

    private func cardStep(_ version: UInt8) -> [DESFireStep] {
        isCardOurs && versions[DESFireLayout.cardKey] != version ? [.changeCardKey(version: version)] : []
    }

    private func rotate() throws(SetUpError) -> [DESFireStep] {
        guard state.application != nil, masterVersion != 0 else {
            throw SetUpError(.foreign, "the card is not one that was set up with the profile")
        }
        try checkPlanned()
        return keySteps()
    }

    private func reset() throws(SetUpError) -> [DESFireStep] {
        guard state.application != nil else { return cardStep(resetVersionOfCard) + [.confirm] }
        try checkAuthority()
        return [.prove, .deleteApplication] + cardStep(resetVersionOfCard) + [.confirm]
    }

    // MARK: What was begun

    /// Whether the card is as a set-up leaves it.
    var isComplete: Bool { state.application != nil && isAsPlanned && versions == goal(.setUp) }

    /// What was begun and not finished, by what the card shows.
    var interruptedTask: SetUpTask? {
        guard state.application != nil else {
            // Set-up changes the card master key last, so that only a reset leaves it without the application.
            return isCardOurs && hasOwnCardKey && !state.hasOthers ? .reset : nil
        }
        guard (try? checkApplication()) != nil else { return nil }
        if masterVersion == 0 || isComplete { return .setUp }
        if isCardOurs, versions[DESFireLayout.cardKey] == 0 {
            return applicationVersions == goalOfApplication ? .setUp : .rotate
        }
        let pairs = zip(versions, goal(.rotate)).prefix(isCardOurs ? versions.count : Int(DESFireLayout.keyCount))
        return pairs.contains { $0 == $1 } ? .rotate : nil
    }
}

extension DESFireStep {
    fileprivate var isOfMaster: Bool {
        if case .changeKey(0, _) = self { true } else { false }
    }
}
