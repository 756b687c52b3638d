import Synchronization

/// What a person has to know who looks for a reason: lines on standard error, each text once in the life of the process.
enum Log {
    private static let told = Mutex<Set<String>>([])
    /// Texts are remembered up to this number; what comes after is left out.
    private static let limit = 1000

    /// Writes a line, unless it has been written before.
    static func once(_ text: String) {
        let isNew = told.withLock { $0.count < limit && $0.insert(text).inserted }
        if isNew { FileHandle.standardError.write(Data("CoreNFC: \(text)\n".utf8)) }
    }
}
