import NFCTags
import SecureTags

/// Performs the steps of a plan with a DESFire.
struct DESFireRun: SetUpRun {
    /// The key of which a session is on.
    private enum Place: Sendable, Hashable {
        case card
        case application(key: UInt8)
    }

    private let plan: DESFirePlan
    private let task: SetUpTask
    private var card: DESFireCard
    private var versions: [UInt8]
    private var place: Place?
    /// What was compared with what the card showed at first.
    private var compared: Set<Place> = []
    private(set) var credential: [UInt8]?

    let counter: Int? = nil

    private var keys: SetUpKeys { plan.keys }
    private var layout: DESFireLayout { plan.layout }
    private var uid: [UInt8] { plan.uid }

    init(_ plan: DESFirePlan, _ task: SetUpTask) {
        (self.plan, self.task) = (plan, task)
        (card, versions) = (plan.card, plan.versions)
    }

    mutating func perform(_ step: DESFireStep, beforeChange: () -> Void) async throws {
        try await enter(step)
        if step.changesTag { beforeChange() }
        switch step {
        case .createApplication: try await create(0xCA, layout.applicationParameters)
        case .createFile: try await create(0xCD, layout.fileParameters)
        case .writeFile: try await writeFile()
        case .changeKey(let number, let version): try await changeKey(number, version)
        case .changeCardKey(let version): try await changeCardKey(version)
        case .check: try await check()
        case .proveKey(let number): try await enter(.application(key: number))
        case .prove: break
        case .deleteApplication: try await deleteApplication()
        case .confirm: try await confirm()
        }
    }

    private mutating func enter(_ step: DESFireStep) async throws {
        switch step {
        case .createApplication:
            if plan.createsWithCardKey { return try await enter(.card) }
            try await select(DESFireCard.level)
        case .deleteApplication: try await enter(plan.deletesWithCardKey ? .card : .application(key: 0))
        case .createFile, .writeFile, .changeKey, .proveKey, .prove: try await enter(.application(key: 0))
        case .changeCardKey: try await enter(.card)
        case .check: try await enter(.application(key: layout.readKey))
        case .confirm: break
        }
    }

    // MARK: Sessions

    /// One attempt, with the key that the version stands for; nothing if the session is on already.
    private mutating func enter(_ wanted: Place) async throws {
        guard place != wanted else { return }
        place = nil
        switch wanted {
        case .card:
            try await select(DESFireCard.level)
            let version = versions[DESFireLayout.cardKey]
            try await authenticate(
                UInt8(DESFireLayout.cardKey), as: 0, version == 0 ? .factory : cardMethod, "the card master key")
        case .application(let number):
            try await select(layout.application)
            try await authenticate(number, as: number, layout.method, "key \(number) of the application")
        }
        place = wanted
        guard !compared.contains(wanted) else { return }
        try await compare(wanted)
        compared.insert(wanted)
    }

    /// From AES back to DES, all cards go in a session of EV1; how they do in one of EV2 is not published.
    private var cardMethod: DESFireCard.Method { task == .reset ? .ev1 : layout.method }

    private mutating func select(_ application: [UInt8]) async throws {
        place = nil
        let status = try await card.select(application)
        guard status == .operationOK else { throw CardFailure.refused(status, by: .command(0x5A)) }
    }

    private mutating func authenticate(
        _ index: UInt8, as number: UInt8, _ method: DESFireCard.Method, _ name: String
    ) async throws {
        let version = versions[Int(index)]
        let key = try await keys.key(index, version: version, uid: uid)
        do throws(CardFailure) {
            try await card.authenticate(key, number: number, method)
        } catch {
            switch error {
            case .refused(.authenticationError, _), .session(.wrongProof):
                throw SetUpError(.keyRefused, "\(name) is not the one that its version, \(version), stands for")
            default: throw error
            }
        }
    }

    /// What was read without a key may be forged.
    private mutating func compare(_ place: Place) async throws {
        let (uid, versions) = try await proven(place)
        guard uid == self.uid, versions == expected(place) else {
            throw SetUpError(.foreign, "the card proved another UID, or other versions, than it showed at first")
        }
    }

    private mutating func proven(_ place: Place) async throws -> (uid: [UInt8], versions: [UInt8]) {
        try await card.provenState(keys: place == .card ? 1 : DESFireLayout.keyCount)
    }

    private func expected(_ place: Place) -> [UInt8] {
        place == .card ? [versions[DESFireLayout.cardKey]] : Array(versions.prefix(Int(DESFireLayout.keyCount)))
    }

    // MARK: Application and file

    private mutating func create(_ instruction: UInt8, _ parameters: [UInt8]) async throws {
        do throws(CardFailure) {
            try await card.perform(instruction, parameters)
        } catch {
            guard case .refused(DESFireStatus(rawValue: 0x0E), _) = error else { throw error }
            throw SetUpError(.unsuitable, "the memory of the card is full")
        }
    }

    private mutating func writeFile() async throws {
        let found = CredentialFile(try await card.read(layout.fileNumber, count: CredentialFile.length))
        let wanted = plan.options.credential
        if let found, found.uid == uid, wanted == nil || wanted == found.credential { return }
        guard let file = CredentialFile(credential: wanted ?? uid, uid: uid) else {
            throw SetUpError(
                .unsuitable, "the credential has more than \(CredentialFile.longestCredential) bytes")
        }
        try await card.write(layout.fileNumber, file.bytes)
    }

    private mutating func check() async throws {
        let bytes = try await card.read(layout.fileNumber, count: CredentialFile.length)
        guard let file = CredentialFile(bytes), file.uid == uid else {
            throw SetUpError(.wrongResult, "the protected file does not hold the UID of the card")
        }
        guard plan.options.credential == nil || plan.options.credential == file.credential else {
            throw SetUpError(.wrongResult, "the protected file holds another credential; reset the card first")
        }
        credential = file.credential
    }

    private mutating func deleteApplication() async throws {
        if plan.deletesWithCardKey {
            try await card.perform(0xDA, layout.application)
        } else {
            try await card.deleteSelected(layout.application)
            place = nil
        }
        for number in 0..<Int(DESFireLayout.keyCount) { versions[number] = 0 }
    }

    // MARK: Keys

    private mutating func changeKey(_ number: UInt8, _ version: UInt8) async throws {
        let index = Int(number)
        let old = number == 0 ? nil : try await keys.key(number, version: versions[index], uid: uid)
        let new = try await keys.key(number, version: version, uid: uid)
        if number == 0 { place = nil }
        try await card.change(KeyChange(number: number, new: new, old: old, version: version))
        versions[index] = version
    }

    /// The number of the card master key names the cipher of the new one: 80 is AES, 00 is DES, which has its version in its parity bits.
    private mutating func changeCardKey(_ version: UInt8) async throws {
        let new = try await keys.key(UInt8(DESFireLayout.cardKey), version: version, uid: uid)
        place = nil
        try await card.change(
            KeyChange(number: version == 0 ? 0x00 : 0x80, new: new, old: nil, version: version == 0 ? nil : version))
        versions[DESFireLayout.cardKey] = version
    }

    private mutating func confirm() async throws {
        if task == .reset {
            guard try await card.select(layout.application) == .applicationNotFound else {
                throw SetUpError(.wrongResult, "the application is still on the card")
            }
            place = nil
        } else {
            try await confirm(.application(key: 0))
        }
        if plan.isCardOurs { try await confirm(.card) }
        guard versions == plan.goal(task) else {
            throw SetUpError(.wrongResult, "the versions of the keys are \(versions)")
        }
    }

    private mutating func confirm(_ wanted: Place) async throws {
        try await enter(wanted)
        let (uid, versions) = try await proven(wanted)
        guard uid == self.uid, versions == expected(wanted) else {
            throw SetUpError(.wrongResult, "the versions of the keys are \(versions)")
        }
    }
}
