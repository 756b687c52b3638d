/// What a card keeps without a field: its master key, its configuration, and its applications.
struct DESFireMemory: Sendable, Hashable {
    /// The number of the level above the applications.
    static let cardLevel: [UInt8] = [0, 0, 0]

    private let capacity: Int
    private let applicationLimit: Int
    /// The card master key.
    private var keyring = DESFireKeyring(key: .zero(.des), count: 1, settings: 0x0F)
    private(set) var configuration = DESFireConfiguration()
    private(set) var applications: [DESFireApplication] = []
    /// How many commands changed the memory.
    private(set) var writes = 0

    /// A card as delivered.
    ///
    /// - Parameters:
    ///   - capacity: bytes for applications and files.
    ///   - applicationLimit: the most applications.
    init(capacity: Int, applicationLimit: Int) {
        self.capacity = capacity
        self.applicationLimit = applicationLimit
    }

    /// The same card with another master key, other settings of it, and flags of SetConfiguration.
    func personalised(_ keyring: DESFireKeyring, flags: UInt8) -> DESFireMemory {
        var memory = self
        memory.keyring = keyring
        memory.configuration.setFlags(flags)
        return memory
    }

    /// The bytes of memory that are left.
    var free: Int { max(capacity - applications.reduce(0) { $0 + $1.memorySize }, 0) }

    /// The application with a number.
    func application(_ identifier: [UInt8]) -> DESFireApplication? {
        applications.first { $0.identifier == identifier }
    }

    /// The keys of an application or, at the card level, of the card.
    func keyring(_ level: [UInt8]) throws(NativeStatus) -> DESFireKeyring {
        if level == Self.cardLevel { return keyring }
        guard let application = application(level) else { throw .applicationNotFound }
        return application.keyring
    }

    /// Changes the keys or settings of a level.
    mutating func changeKeyring(_ level: [UInt8], _ change: (inout DESFireKeyring) -> Void) {
        writes += 1
        guard level != Self.cardLevel else { return change(&keyring) }
        for index in applications.indices where applications[index].identifier == level {
            change(&applications[index].keyring)
        }
    }

    /// Changes an application.
    ///
    /// - Throws: the status that refuses the change, which is then not made, or that the card has no room for it.
    mutating func change(
        _ level: [UInt8], _ change: (inout DESFireApplication) throws(NativeStatus) -> Void
    ) throws(NativeStatus) {
        guard let index = applications.firstIndex(where: { $0.identifier == level }) else { throw .permissionDenied }
        var application = applications[index]
        try change(&application)
        guard application.memorySize - applications[index].memorySize <= free else { throw .outOfMemory }
        applications[index] = application
        writes += 1
    }

    /// Forgets pending changes of all files.
    mutating func abort() {
        for index in applications.indices where applications[index].isPending { applications[index].abort() }
    }

    /// Carries out an option of SetConfiguration.
    mutating func configure(_ change: (inout DESFireConfiguration) -> Void) {
        change(&configuration)
        writes += 1
    }

    mutating func deleteApplication(_ identifier: [UInt8]) throws(NativeStatus) {
        guard application(identifier) != nil else { throw .applicationNotFound }
        applications.removeAll { $0.identifier == identifier }
        writes += 1
    }

    /// FormatPICC: deletes all applications; the key and the settings stay.
    mutating func format() throws(NativeStatus) {
        guard !configuration.forbidsFormat else { throw .permissionDenied }
        applications = []
        writes += 1
    }

    mutating func add(_ application: DESFireApplication) throws(NativeStatus) {
        guard applications.count < applicationLimit else { throw .tooManyApplications }
        let isTaken = applications.contains {
            $0.identifier == application.identifier
                || application.isoIdentifier != nil && $0.isoIdentifier == application.isoIdentifier
                || !application.name.isEmpty && $0.name == application.name
        }
        guard !isTaken, application.identifier != Self.cardLevel else { throw .duplicate }
        guard application.memorySize <= free else { throw .outOfMemory }
        applications.append(application)
        writes += 1
    }

    /// CreateApplication: number, settings, number and kind of the keys, and as far as bit 5 of that byte permits them, an identifier
    /// and a name for SELECT. Key sets, bit 4, are not modelled.
    mutating func createApplication(_ parameters: [UInt8]) throws(NativeStatus) {
        let kinds = parameters[4]
        let rest = Array(parameters.dropFirst(5))
        let hasIsoFiles = kinds & 0x20 != 0
        guard kinds & 0x10 == 0, let kind = DESFireKeyKind(rawValue: kinds & 0xC0), (1...14).contains(kinds & 0x0F)
        else { throw .wrongParameter }
        guard rest.isEmpty || hasIsoFiles && rest.count >= 2 else { throw .wrongLength }
        try add(
            DESFireApplication(
                identifier: Array(parameters.prefix(3)),
                isoIdentifier: rest.isEmpty ? nil : UInt16(NativeNumber.value(rest.prefix(2))),
                name: Array(rest.dropFirst(2)), hasIsoFiles: hasIsoFiles,
                keyring: DESFireKeyring(
                    key: configuration.defaultKey(kind), count: Int(kinds & 0x0F), settings: parameters[3])))
    }
}

/// What SetConfiguration sets.
struct DESFireConfiguration: Sendable, Hashable {
    private var flags: UInt8 = 0
    private var defaultKey = [UInt8](repeating: 0, count: 24)
    private var defaultVersion: UInt8 = 0
    private var answerToSelect: [UInt8] = [0x06, 0x75, 0x77, 0x81, 0x02, 0x80]

    /// Whether FormatPICC is disabled.
    var forbidsFormat: Bool { flags & 0x01 != 0 }
    /// Whether anticollision shows a random identifier.
    var hidesIdentifier: Bool { flags & 0x02 != 0 }

    /// Option 00. Bits are only ever set.
    mutating func setFlags(_ new: UInt8) { flags |= new }

    /// Option 01: 24 bytes and a version.
    mutating func setDefaultKey(_ data: [UInt8]) {
        defaultKey = Array(data.prefix(24))
        defaultVersion = data[24]
    }

    /// Option 02: an answer to select with its length byte.
    mutating func setAnswerToSelect(_ data: [UInt8]) { answerToSelect = data }

    /// The key of a new application.
    func defaultKey(_ kind: DESFireKeyKind) -> DESFireKey {
        DESFireKey(kind, Array(defaultKey.prefix(kind.size)), version: defaultVersion)
    }

    /// What follows TL, T0 and the interface bytes of the answer to select.
    var historicalBytes: [UInt8] {
        let format = answerToSelect.dropFirst().first ?? 0
        return Array(answerToSelect.dropFirst(2 + (format >> 4 & 0x07).nonzeroBitCount))
    }
}
