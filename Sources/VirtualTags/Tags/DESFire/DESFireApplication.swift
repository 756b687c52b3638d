/// An application: its keys and its files.
struct DESFireApplication: Sendable, Hashable {
    /// Three bytes, the least significant first.
    let identifier: [UInt8]
    /// The identifier of the dedicated file for SELECT, if any.
    let isoIdentifier: UInt16?
    /// The name for SELECT, empty for none.
    let name: [UInt8]
    /// Whether its files have identifiers for SELECT.
    let hasIsoFiles: Bool
    var keyring: DESFireKeyring
    private(set) var files: [DESFireFile] = []
    private var transactionInput: [UInt8] = []

    init(
        identifier: [UInt8], isoIdentifier: UInt16? = nil, name: [UInt8] = [], hasIsoFiles: Bool = false,
        keyring: DESFireKeyring, files: [DESFireFile] = []
    ) {
        self.identifier = identifier
        self.isoIdentifier = isoIdentifier
        self.name = name
        self.hasIsoFiles = hasIsoFiles
        self.keyring = keyring
        self.files = files
    }

    /// The bytes of memory that it takes with its files.
    var memorySize: Int { files.reduce(32 + 32 * ((keyring.count * 32 + 31) / 32)) { $0 + $1.memorySize } }

    /// The file with a number.
    func file(_ number: UInt8) throws(NativeStatus) -> DESFireFile {
        guard let file = files.first(where: { $0.number == number }) else { throw .fileNotFound }
        return file
    }

    /// Puts a changed file in the place of that with the same number.
    mutating func store(_ file: DESFireFile) {
        guard let index = files.firstIndex(where: { $0.number == file.number }) else { return }
        files[index] = file
    }

    mutating func add(_ file: DESFireFile) throws(NativeStatus) {
        guard file.number < 0x20, file.communication & 0xFC == 0, !file.rights.exceeds(keyCount: keyring.count) else {
            throw .wrongParameter
        }
        let isTaken = files.contains {
            $0.number == file.number || file.isoIdentifier != nil && $0.isoIdentifier == file.isoIdentifier
        }
        guard !isTaken else { throw .duplicate }
        if case .transactionCode = file.content, transactionCode != nil { throw .duplicate }
        files.append(file)
    }

    mutating func delete(_ number: UInt8) throws(NativeStatus) {
        _ = try file(number)
        files.removeAll { $0.number == number }
    }
}

// MARK: Transactions

extension DESFireApplication {
    /// TMC and TMV; nil without a transaction MAC file.
    var transactionCode: [UInt8]? {
        for case .transactionCode(let code) in files.map(\.content) { return code.bytes }
        return nil
    }

    /// Adds a command to what a transaction MAC covers.
    mutating func record(_ instruction: UInt8, _ parameters: [UInt8], _ data: [UInt8] = []) {
        guard transactionCode != nil else { return }
        transactionInput += DESFireTransactionCode.input(instruction, parameters, data)
    }

    /// Makes pending changes permanent.
    ///
    /// - Parameter serialNumber: that of the card.
    mutating func commit(serialNumber: [UInt8]) throws(NativeStatus) {
        guard files.contains(where: \.isPending) || !transactionInput.isEmpty else { throw .noChanges }
        for index in files.indices {
            if case .transactionCode(var code) = files[index].content {
                code.commit(transactionInput, identifier: serialNumber)
                files[index].content = .transactionCode(code)
            }
        }
        finish(commits: true)
    }

    /// Forgets pending changes.
    mutating func abort() { finish(commits: false) }

    /// Whether there is anything to forget.
    var isPending: Bool { files.contains(where: \.isPending) }

    private mutating func finish(commits: Bool) {
        for index in files.indices { files[index].finish(commits: commits) }
        transactionInput = []
    }
}

// MARK: New files

extension DESFireApplication {
    /// The file that the parameters of a create command describe.
    ///
    /// - Throws: the status that refuses them.
    func newFile(_ instruction: UInt8, _ parameters: [UInt8]) throws(NativeStatus) -> DESFireFile {
        let hasIdentifier = instruction != 0xCC && parameters.count == (Self.parameterSizes[instruction] ?? 0) + 2
        guard !hasIdentifier || hasIsoFiles else { throw .wrongParameter }
        var rest = parameters.dropFirst(hasIdentifier ? 3 : 1)
        let communication = rest.removeFirst()
        let rights = DESFireAccessRights(bytes: Array(rest.prefix(2)))
        return DESFireFile(
            number: parameters[0], isoIdentifier: hasIdentifier ? UInt16(NativeNumber.value(parameters[1..<3])) : nil,
            communication: communication, rights: rights,
            content: try Self.content(instruction, Array(rest.dropFirst(2))))
    }

    /// The bytes of parameters without an identifier for SELECT.
    static let parameterSizes: [UInt8: Int] = [0xCD: 7, 0xCB: 7, 0xCC: 17, 0xC1: 10, 0xC0: 10]

    private static func content(_ instruction: UInt8, _ rest: [UInt8]) throws(NativeStatus) -> DESFireFile.Content {
        if instruction == 0xCC {
            guard let value = DESFireValue(rest) else { throw .wrongParameter }
            return .value(value)
        }
        let size = NativeNumber.value(rest.prefix(3))
        guard size > 0 else { throw .wrongParameter }
        // Larger files fit no card.
        guard size < 1 << 16 else { throw .outOfMemory }
        if instruction == 0xCD { return .standard([UInt8](repeating: 0, count: size)) }
        if instruction == 0xCB { return .backup([UInt8](repeating: 0, count: size), pending: nil) }
        let limit = NativeNumber.value(rest.dropFirst(3))
        guard limit > (instruction == 0xC0 ? 1 : 0) else { throw .wrongParameter }
        return .records(DESFireRecords(isCyclic: instruction == 0xC0, size: size, limit: limit))
    }
}
