/// The access rights of a file, 16 bits with the low byte first: `RW change`, then `read write`, a nibble each. 0 to D are the
/// number of a key, E is free, F never.
struct DESFireAccessRights: Sendable, Hashable {
    /// Both bytes as they are sent.
    let bytes: [UInt8]

    /// Free to read and write; the rights change with key 0.
    static let free = DESFireAccessRights(bytes: [0xE0, 0xEE])
    /// Free to read, written with key 0.
    static let writtenWithKey = DESFireAccessRights(bytes: [0x00, 0xE0])

    /// The rights that permit reading.
    var reading: [UInt8] { [bytes[1] >> 4, bytes[0] >> 4] }
    /// The rights that permit writing.
    var writing: [UInt8] { [bytes[1] & 0x0F, bytes[0] >> 4] }
    /// The rights that permit reading a value, and debits.
    var spending: [UInt8] { [bytes[1] >> 4, bytes[1] & 0x0F, bytes[0] >> 4] }
    /// The right that permits both.
    var full: [UInt8] { [bytes[0] >> 4] }
    /// The right to change the rights.
    var changing: [UInt8] { [bytes[0] & 0x0F] }

    /// Whether a nibble names a key that does not exist.
    func exceeds(keyCount: Int) -> Bool {
        (reading + writing + changing).contains { $0 < 0xE && $0 >= keyCount }
    }
}

/// A file of an application.
struct DESFireFile: Sendable, Hashable {
    /// What a file holds; a pending part becomes visible with a commit.
    enum Content: Sendable, Hashable {
        case standard([UInt8])
        case backup([UInt8], pending: [UInt8]?)
        case value(DESFireValue)
        case records(DESFireRecords)
        case transactionCode(DESFireTransactionCode)
    }

    let number: UInt8
    /// The identifier for SELECT, if any.
    let isoIdentifier: UInt16?
    var communication: UInt8
    var rights: DESFireAccessRights
    var content: Content

    /// The answer to GetFileSettings.
    var settings: [UInt8] {
        let head = [communication] + rights.bytes
        return switch content {
        case .standard(let bytes): [0x00] + head + NativeNumber.bytes(bytes.count, count: 3)
        case .backup(let bytes, _): [0x01] + head + NativeNumber.bytes(bytes.count, count: 3)
        case .value(let value): [0x02] + head + value.settings
        case .records(let records): [records.isCyclic ? 0x04 : 0x03] + head + records.settings
        case .transactionCode(let code): [0x05] + head + [0x02, code.version]
        }
    }

    /// The bytes that READ commands show; nil for values and records.
    var bytes: [UInt8]? {
        switch content {
        case .standard(let bytes), .backup(let bytes, _): bytes
        case .transactionCode(let code): code.bytes
        case .value, .records: nil
        }
    }

    /// Whether it holds bytes that can be written at an offset.
    var isWritable: Bool {
        switch content {
        case .standard, .backup: true
        default: false
        }
    }

    /// Overwrites bytes of a standard or a backup file; the range was checked before.
    mutating func write(_ data: [UInt8], at offset: Int) {
        switch content {
        case .standard(var bytes):
            bytes.overwrite(at: offset, with: data)
            content = .standard(bytes)
        case .backup(let bytes, let pending):
            var changed = pending ?? bytes
            changed.overwrite(at: offset, with: data)
            content = .backup(bytes, pending: changed)
        default: break
        }
    }

    /// The bytes of memory that it takes: blocks of 32, twice for a backup.
    var memorySize: Int {
        let size =
            switch content {
            case .standard(let bytes): bytes.count
            case .backup(let bytes, _): 2 * bytes.count
            case .value: 32
            case .records(let records): records.memorySize
            case .transactionCode: 32
            }
        return (size + 31) / 32 * 32
    }
}

extension DESFireFile {
    /// Whether a commit changes it.
    var isPending: Bool {
        switch content {
        case .backup(_, let pending): pending != nil
        case .value(let value): value.isPending
        case .records(let records): records.isPending
        case .standard, .transactionCode: false
        }
    }

    /// Makes pending changes permanent, or forgets them.
    mutating func finish(commits: Bool) {
        switch content {
        case .backup(let bytes, let pending): content = .backup(commits ? pending ?? bytes : bytes, pending: nil)
        case .value(var value):
            value.finish(commits: commits)
            content = .value(value)
        case .records(var records):
            records.finish(commits: commits)
            content = .records(records)
        case .standard, .transactionCode: break
        }
    }
}

/// The content of a value file: a number within limits.
struct DESFireValue: Sendable, Hashable {
    private let lower: Int
    private let upper: Int
    private var limitedCredit = 0
    private let flags: UInt8
    /// The committed value.
    private(set) var amount: Int
    private var credits = 0
    private var debits = 0
    private var usesLimitedCredit = false

    /// The parameters of CreateValueFile from the lower limit on, 13 bytes; nil if they contradict each other.
    init?(_ parameters: [UInt8]) {
        lower = NativeNumber.signed(parameters[0..<4])
        upper = NativeNumber.signed(parameters[4..<8])
        amount = NativeNumber.signed(parameters[8..<12])
        flags = parameters[12]
        guard lower <= amount, amount <= upper, flags <= 0x03 else { return nil }
    }

    /// Limits, limited credit, and the flags.
    var settings: [UInt8] {
        NativeNumber.bytes(lower, count: 4) + NativeNumber.bytes(upper, count: 4)
            + NativeNumber.bytes(limitedCredit, count: 4) + [flags]
    }
    /// Whether the value is read without a key.
    var isFreelyRead: Bool { flags & 0x02 != 0 }
    var isPending: Bool { credits != 0 || debits != 0 || usesLimitedCredit }

    /// Adds to the pending value. A pending debit gives no room for a credit, nor the other way round.
    mutating func credit(_ amount: Int) throws(NativeStatus) {
        guard amount >= 0, self.amount + credits + amount <= upper else { throw .boundary }
        credits += amount
    }

    mutating func debit(_ amount: Int) throws(NativeStatus) {
        guard amount >= 0, self.amount - debits - amount >= lower else { throw .boundary }
        debits += amount
    }

    /// Adds at most what the last debits took.
    mutating func creditLimited(_ amount: Int) throws(NativeStatus) {
        guard flags & 0x01 != 0 else { throw .permissionDenied }
        guard !usesLimitedCredit, amount <= limitedCredit else { throw .boundary }
        try credit(amount)
        usesLimitedCredit = true
    }

    mutating func finish(commits: Bool) {
        if commits {
            amount += credits - debits
            if usesLimitedCredit { limitedCredit = 0 }
            if debits != 0, flags & 0x01 != 0 { limitedCredit = debits }
        }
        (credits, debits, usesLimitedCredit) = (0, 0, false)
    }
}

/// The content of a record file, the oldest record first.
struct DESFireRecords: Sendable, Hashable {
    /// Whether the newest record replaces the oldest one when the file is full.
    let isCyclic: Bool
    /// The bytes of a record.
    let size: Int
    private let limit: Int
    private var committed: [[UInt8]] = []
    private var pending: [[UInt8]]?
    private var hasNewRecord = false
    private var isCleared = false

    init(isCyclic: Bool, size: Int, limit: Int) {
        self.isCyclic = isCyclic
        self.size = size
        self.limit = limit
    }

    /// The size of a record, how many there can be, and how many there are.
    var settings: [UInt8] { [size, limit, committed.count].flatMap { NativeNumber.bytes($0, count: 3) } }
    var memorySize: Int { size * limit }
    var isPending: Bool { pending != nil }

    /// Records, `first` counted from the newest one, which is 0; a count of 0 stands for all from there on.
    func read(first: Int, count: Int) throws(NativeStatus) -> [UInt8] {
        let available = committed.count - first
        guard available > 0, count <= available else { throw .boundary }
        return committed.prefix(available).suffix(count == 0 ? available : count).flatMap(\.self)
    }

    /// Throws the status that refuses data at an offset of a record.
    func checkRange(offset: Int, count: Int) throws(NativeStatus) {
        guard count > 0, offset + count <= size else { throw .boundary }
    }

    /// Writes into a new record, the same one until the commit. A cyclic file keeps one record free for it.
    mutating func write(_ data: [UInt8], at offset: Int) throws(NativeStatus) {
        try checkRange(offset: offset, count: data.count)
        guard !isCleared else { throw .permissionDenied }
        var records = pending ?? committed
        if !hasNewRecord {
            guard isCyclic || records.count < limit else { throw .boundary }
            if isCyclic, records.count >= limit - 1 { records.removeFirst() }
            records.append([UInt8](repeating: 0, count: size))
        }
        records[records.count - 1].overwrite(at: offset, with: data)
        pending = records
        hasNewRecord = true
    }

    /// Changes a record, counted from the newest one.
    mutating func update(_ number: Int, _ data: [UInt8], at offset: Int) throws(NativeStatus) {
        try checkRange(offset: offset, count: data.count)
        var records = pending ?? committed
        guard number < records.count, !isCleared else { throw .boundary }
        records[records.count - 1 - number].overwrite(at: offset, with: data)
        pending = records
    }

    mutating func clear() {
        pending = []
        isCleared = true
    }

    mutating func finish(commits: Bool) {
        if commits, let pending { committed = pending }
        pending = nil
        hasNewRecord = false
        isCleared = false
    }
}
