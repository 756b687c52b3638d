import ArgumentParser
import FoundationEssentials
import NDEF
import NFCProtocol

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The report of a batch: a CSV file with a line for each tag that was written. A batch that was interrupted continues where
/// its report ends.
final class BatchReport: Sendable {
    /// A line: which row is on which tag.
    struct Entry: Equatable {
        let number: Int
        let tag: [UInt8]
        let message: [UInt8]
    }

    private static let columns = ["number", "uid", "time", "reader", "content", "ndef"]
    private static let limit = 256 * 1_048_576

    /// What the file held when it was opened.
    let entries: [Entry]

    private let path: String
    private let descriptor: Int32

    /// Opens a report, or creates one.
    ///
    /// - Throws: `ExitCode`, after printing the reason: 73 if the file cannot be created, 65 if it is no report, 75 if another
    ///   batch uses it.
    init(path: String) throws {
        self.path = path
        descriptor = Self.open(path)
        guard descriptor >= 0 else {
            Terminal.error("nfcctl: cannot create \(path.escaped): \(errorMessage(errno))")
            throw ExitCode.cannotCreate
        }
        do {
            try Self.claim(descriptor, path)
            let content = try InputFile(path: path).read(limit: Self.limit)
            // A line without its end was being written when the machine or the program was stopped.
            let end = (content.lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1
            if end < content.count, ftruncate(descriptor, off_t(end)) != 0 { throw Self.failure(path) }
            entries = try Self.entries(String(decoding: content[..<end], as: UTF8.self), path)
            if end == 0 { try put(Self.columns) }
        } catch {
            close(descriptor)
            throw error
        }
    }

    deinit { close(descriptor) }

    /// Adds a line, and waits until it is on the disk.
    ///
    /// - Throws: `ExitCode`, after printing the reason.
    func add(_ row: BatchRow, message: NDEFMessage, tag: HexBytes, reader: String) throws {
        let content = message.records.map { "\($0)" }.joined(separator: "; ")
        try put([
            "\(row.number)", tag.description, Date.now.formatted(.iso8601), reader, content,
            HexBytes(row.bytes).description,
        ])
    }

    private func put(_ fields: [String]) throws {
        let bytes = Array((CSVText.line(fields) + "\n").utf8)
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes {
                write(descriptor, $0.baseAddress?.advanced(by: written), $0.count - written)
            }
            if count < 0, errno != EINTR { throw Self.failure(path) }
            written += max(0, count)
        }
        // A pipe, for example, has no disk.
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw Self.failure(path) }
    }

    private static func open(_ path: String) -> Int32 {
        #if canImport(Glibc)
            Glibc.open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o666)
        #else
            Musl.open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o666)
        #endif
    }

    private static func claim(_ descriptor: Int32, _ path: String) throws {
        guard flock(descriptor, LOCK_EX | LOCK_NB) != 0 else { return }
        Terminal.error("nfcctl: another batch uses \(path.escaped). Wait for its end, or choose another file.")
        throw ExitCode.temporary
    }

    private static func failure(_ path: String) -> ExitCode {
        Terminal.error("nfcctl: cannot write to \(path.escaped): \(errorMessage(errno))")
        return .ioError
    }

    private static func entries(_ text: String, _ path: String) throws -> [Entry] {
        do throws(CSVError) {
            let rows = try CSVText.rows(text)
            guard let header = rows.first else { return [] }
            guard header == columns else { throw CSVError(line: 1, reason: "it is not a report of a batch") }
            var entries: [Entry] = []
            for (offset, fields) in rows.enumerated().dropFirst() {
                guard let entry = Entry(fields) else {
                    throw CSVError(line: offset + 1, reason: "it is not a line of a report")
                }
                entries.append(entry)
            }
            return entries
        } catch {
            Terminal.error(
                "nfcctl: \(path.escaped), line \(error.line): \(error.reason). Choose another file with --report.")
            throw ExitCode.badData
        }
    }
}

extension BatchReport.Entry {
    fileprivate init?(_ fields: [String]) {
        guard fields.count == 6, let number = Int(fields[0]), let tag = [UInt8](hexadecimal: fields[1]),
            let message = [UInt8](hexadecimal: fields[5])
        else { return nil }
        self.init(number: number, tag: tag, message: message)
    }
}
