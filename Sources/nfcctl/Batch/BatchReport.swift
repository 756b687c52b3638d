import ArgumentParser
import CommandSupport
import FoundationEssentials
import NDEF
import NFCProtocol

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The report of a batch: a CSV file with a line for each tag that was written. A batch that was interrupted continues where
/// its report ends. A new report has the dialect and the columns of the batch's table; one that was saved by a spreadsheet in
/// another dialect is continued in that one.
final class BatchReport: Sendable {
    /// A line: which row is on which tag.
    struct Entry: Equatable {
        let number: Int
        let tag: [UInt8]
        let message: [UInt8]
    }

    /// The columns of every report. Those of the table follow.
    private static let columns = ["number", "uid", "time", "reader", "content", "ndef"]
    private static let limit = 256 * 1_048_576

    /// What the file held when it was opened.
    let entries: [Entry]

    private let path: String
    /// Open for reading, with the lock; for writing there is another one once the file is known to be a report.
    private let lock: Int32
    private let descriptor: Int32
    private let dialect: TableDialect
    /// The names of the columns behind those of every report.
    private let tableColumns: [String]

    /// Opens a report, or creates one.
    ///
    /// - Parameters:
    ///   - dialect: how a new report is written.
    ///   - tableColumns: the columns of the table, which a new report repeats.
    ///   - declared: the encoding of a report without a byte order mark that is not UTF-8.
    /// - Throws: `ExitCode`, after printing the reason: 73 if the file cannot be created, 65 if it is not a report, 75 if another
    ///   batch uses it.
    init(
        path: String, dialect: TableDialect = TableDialect(), tableColumns: [String] = [],
        declared: TextEncoding? = nil
    ) throws {
        self.path = path
        lock = try Self.openForReading(path)
        var opened: Int32 = -1
        do {
            try Self.claim(lock, path)
            let bytes = try Self.bytes(of: lock, path)
            let heading = dialect.beginning + dialect.bytes(of: Self.columns + tableColumns)
            let end = heading.starts(with: bytes) ? bytes.count : Self.endOfCharacters(bytes)
            let fallback = declared ?? (dialect.encoding == .utf8 ? nil : dialect.encoding)
            let content =
                heading.starts(with: bytes)
                ? nil : try Self.content(InputFile(path: path), Array(bytes.prefix(end)), fallback)
            let found = try content.map { try ReportContent($0, columns: Self.columns, path) }
            opened = try Self.openForWriting(path, sameAs: lock)
            descriptor = opened
            if end < bytes.count, ftruncate(descriptor, off_t(end)) != 0 { throw Self.failure(path) }
            self.dialect = found?.dialect ?? dialect
            self.tableColumns = found?.tableColumns ?? tableColumns
            entries = found?.entries ?? []
            if let cut = found?.cut {
                // A line without its end was being written when the machine or the program was stopped.
                guard ftruncate(descriptor, off_t(cut)) == 0 else { throw Self.failure(path) }
            }
            if found?.needsLineEnd == true { try put(self.dialect.encoding.bytes(of: self.dialect.lineEnd)) }
            if found == nil {
                // What is there is the beginning of the heading.
                try put(Array(heading.dropFirst(bytes.count)))
            }
        } catch {
            if opened >= 0 { close(opened) }
            close(lock)
            throw error
        }
    }

    /// What a report holds, without opening it for a batch.
    ///
    /// - Throws: `ExitCode`, after printing the reason: 66 if it cannot be read, 65 if it is not a report.
    static func entries(of path: String, declared: TextEncoding? = nil) throws -> [Entry] {
        let file = InputFile(path: path)
        let bytes = try file.read(limit: limit)
        let whole = Array(bytes.prefix(endOfCharacters(bytes)))
        return try ReportContent(content(file, whole, declared), columns: columns, path).entries
    }

    private static func content(_ file: InputFile, _ bytes: [UInt8], _ declared: TextEncoding?) throws -> TextContent {
        // A report is UTF-8 if it can be: a spreadsheet may have changed its encoding to that.
        let encoding = (try? TextContent(bytes)) == nil ? declared : nil
        return try file.text(
            of: bytes, declared: encoding, advice: "Choose another file with --report, or save it as UTF-8.")
    }

    /// The end of the last whole character: the file may end within one if the program was stopped.
    private static func endOfCharacters(_ bytes: [UInt8]) -> Int {
        if [TextEncoding.utf16LittleEndian, .utf16BigEndian].contains(where: { bytes.starts(with: $0.mark) }) {
            return bytes.count - bytes.count % 2
        }
        guard let offset = UTF8Text.firstInvalid(in: bytes), offset + 4 > bytes.count, bytes[offset] >= 0xC2,
            bytes[(offset + 1)...].allSatisfy({ $0 & 0xC0 == 0x80 }),
            (try? TextContent(Array(bytes[..<offset]))) != nil
        else { return bytes.count }
        return offset
    }

    deinit {
        // A process that is being started may hold a copy of the descriptor, and the lock with it, until it is running.
        flock(lock, LOCK_UN)
        close(descriptor)
        close(lock)
    }

    /// Adds a line, and waits until it is on the disk.
    ///
    /// - Throws: `ExitCode`, after printing the reason.
    func add(_ row: BatchRow, message: NDEFMessage, tag: HexBytes, reader: String) throws {
        let content = message.records.summary
        let fields = [
            "\(row.number)", tag.description, Date.now.formatted(.iso8601), reader, content,
            HexBytes(row.bytes.isEmpty ? [] : try message.encoded()).description,
        ]
        try put(dialect.bytes(of: fields + tableColumns.map { row.columns[$0] ?? "" }))
    }

    private func put(_ bytes: [UInt8]) throws {
        do throws(OutputFailure) {
            try ProgramOutput.write(bytes, to: descriptor)
        } catch {
            throw Self.failure(path, error.number)
        }
        // A pipe, for example, has no disk.
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw Self.failure(path) }
    }

    /// Opens the file, or creates an empty one. A symbolic link is refused: the file behind it may be another person's choice.
    ///
    /// - Throws: `ExitCode`, after printing the reason.
    private static func openForReading(_ path: String) throws -> Int32 {
        var descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        if descriptor < 0, errno == ENOENT {
            descriptor = open(path, O_RDONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC)
        }
        guard descriptor < 0 else { return descriptor }
        let reason = errno == ELOOP ? "it is a symbolic link; name the file itself" : errorMessage(errno)
        Terminal.error("nfcctl: cannot create \(path.escaped): \(reason)")
        throw ExitCode.cannotCreate
    }

    /// Opens a report for writing at its end: the file that was read, and no other that has taken its name.
    private static func openForWriting(_ path: String, sameAs read: Int32) throws -> Int32 {
        let descriptor = open(path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else {
            Terminal.error("nfcctl: cannot create \(path.escaped): \(errorMessage(errno))")
            throw ExitCode.cannotCreate
        }
        var (one, other) = (stat(), stat())
        guard fstat(read, &one) == 0, fstat(descriptor, &other) == 0, one.st_dev == other.st_dev,
            one.st_ino == other.st_ino
        else {
            close(descriptor)
            Terminal.error("nfcctl: cannot write to \(path.escaped): another file has taken its place")
            throw ExitCode.cannotCreate
        }
        return descriptor
    }

    private static func open(_ path: String, _ flags: Int32) -> Int32 {
        #if canImport(Glibc)
            Glibc.open(path, flags, 0o666)
        #else
            Musl.open(path, flags, 0o666)
        #endif
    }

    /// The content of the open file; nothing of a device or a pipe.
    private static func bytes(of descriptor: Int32, _ path: String) throws -> [UInt8] {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return [] }
        guard status.st_size <= limit else {
            Terminal.error(
                "nfcctl: \(path.escaped) is larger than \(limit / 1_048_576) MiB. Choose another file with --report.")
            throw ExitCode.badData
        }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        var count = 0
        while count < bytes.count {
            let read = bytes.withUnsafeMutableBytes { buffer in
                pread(descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count, off_t(count))
            }
            if read < 0, errno == EINTR { continue }
            guard read >= 0 else {
                Terminal.error("nfcctl: cannot read \(path.escaped): \(errorMessage(errno))")
                throw ExitCode.noInput
            }
            if read == 0 { break }
            count += read
        }
        return Array(bytes.prefix(count))
    }

    private static func claim(_ descriptor: Int32, _ path: String) throws {
        guard flock(descriptor, LOCK_EX | LOCK_NB) != 0 else { return }
        Terminal.error("nfcctl: another batch uses \(path.escaped). Wait for its end, or choose another file.")
        throw ExitCode.temporary
    }

    private static func failure(_ path: String, _ number: Int32 = errno) -> ExitCode {
        Terminal.error("nfcctl: cannot write to \(path.escaped): \(errorMessage(number))")
        return .ioError
    }
}

/// What a report held when it was opened.
private struct ReportContent {
    var entries: [BatchReport.Entry] = []
    let dialect: TableDialect
    let tableColumns: [String]
    /// The offset in bytes of a last line that is not complete, and is to be removed.
    var cut: Int?
    /// Whether the last line lacks only its end.
    var needsLineEnd = false

    init(_ content: TextContent, columns: [String], _ path: String) throws {
        do throws(CSVError) {
            let table = try TableFile(content, allowsOpenField: true)
            guard Array(table.names.prefix(columns.count)) == columns else {
                throw CSVError(line: 1, reason: "it is not a report of a batch")
            }
            dialect = table.dialect
            tableColumns = Array(table.names.dropFirst(columns.count))
            for row in table.rows {
                if let entry = try Self.entry(row, of: table) {
                    entries.append(entry)
                } else {
                    cut = Self.offset(of: row, in: table, content)
                }
            }
            needsLineEnd = cut == nil && !["\n", "\r", "\r\n"].contains(content.text.last)
        } catch {
            Terminal.error(
                "nfcctl: \(path.escaped), line \(error.line): \(error.reason). Choose another file with --report.")
            throw ExitCode.badData
        }
    }

    /// The entry of a line; nil for a last line that is not complete.
    private static func entry(_ row: CSVText.Row, of table: TableFile) throws(CSVError) -> BatchReport.Entry? {
        // What has no line end is either cut or from a program that writes none. A cut message cannot be decoded.
        if row.isLast, row.isOpen || row.fields.count < table.names.count { return nil }
        guard row.fields.count == table.names.count, let number = Int(row.fields[0]) else {
            throw CSVError(line: row.line, reason: "it is not a line of a report")
        }
        guard let tag = identifier(row.fields[1]), let message = [UInt8](hexadecimal: row.fields[5]),
            !row.isLast || message.isEmpty || (try? NDEFMessage(decoding: message)) != nil
        else {
            if row.isLast { return nil }
            throw CSVError(
                line: row.line,
                reason:
                    "its uid or ndef is not hexadecimal; a spreadsheet may have changed it into a number. Import these columns as text"
            )
        }
        return BatchReport.Entry(number: number, tag: tag, message: message)
    }

    /// A UID, also one whose leading zero a spreadsheet has removed.
    private static func identifier(_ text: String) -> [UInt8]? {
        [UInt8](hexadecimal: text.utf8.count.isMultiple(of: 2) ? text : "0" + text)
    }

    private static func offset(of row: CSVText.Row, in table: TableFile, _ content: TextContent) -> Int {
        let before = String(String.UnicodeScalarView(table.text.unicodeScalars.prefix(row.offset)))
        let skipped = content.text.unicodeScalars.count - table.text.unicodeScalars.count
        let declaration = String(String.UnicodeScalarView(content.text.unicodeScalars.prefix(skipped)))
        return (content.hasMark ? content.encoding.mark.count : 0)
            + content.encoding.bytes(of: declaration).count + content.encoding.bytes(of: before).count
    }
}
