import ArgumentParser
import FoundationEssentials
import NFCTypes
import SecureTags

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The highest counters that were seen, in a file of JSON lines that one process at a time has. What is added is on the disk before a
/// result is printed.
final class CounterFile {
    /// One line of the file.
    private struct Entry: Codable {
        let profile: String
        let identifier: HexBytes
        let keyVersion: UInt8
        let counter: UInt32

        var line: CounterLine { CounterLine(uid: identifier.bytes, profile: profile, keyVersion: keyVersion) }
    }

    /// The counters.
    private(set) var book = CounterBook()
    private let path: String
    private let descriptor: Int32

    /// Opens and locks the file, and reads it.
    ///
    /// - Throws: `ExitCode`, after printing the reason.
    init(path: String) throws {
        self.path = path
        descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            Terminal.error("nfcctl: \(path.printable) cannot be opened: \(errorMessage(errno))")
            throw ExitCode.cannotCreate
        }
        flock(descriptor, LOCK_EX)
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { throw damaged(1) }
        // Bytes, since CR and LF are one character: a file from an editor would be one line, and taken for a damaged one.
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() where !line.allSatisfy({ $0 == UInt8(ascii: "\r") }) {
            if let entry = try? JSONDecoder().decode(Entry.self, from: Data(line)) {
                _ = book.record(entry.counter, of: entry.line)
                if index == lines.count - 1 { try append("\n") }
            } else if index == lines.count - 1 {
                // A line that a crash has cut off: its result was never printed.
                ftruncate(descriptor, off_t(text.utf8.count - line.count))
            } else {
                throw damaged(index + 1)
            }
        }
    }

    deinit { close(descriptor) }

    private func damaged(_ line: Int) -> ExitCode {
        Terminal.error(
            "nfcctl: line \(line) of \(path.printable) is not a counter; restore the file, or name a new one")
        return .badData
    }

    /// Compares the counter of a proof, and stores it.
    ///
    /// - Returns: the proof as it counts.
    /// - Throws: `ExitCode` 74 if it cannot be stored; then nothing is proven.
    func settle(_ found: SUNVerifier.Result) throws -> TapProof {
        var proof = found.proof
        guard let line = found.line, let counter = proof.counter.map({ UInt32($0) }),
            proof.status == .proven || proof.status == .tamperOpen
        else { return proof }
        guard book.record(counter, of: line) else {
            (proof.status, proof.scope, proof.reason) = (.replayed, nil, "the counter was used meanwhile")
            return proof
        }
        let entry = Entry(
            profile: line.profile, identifier: HexBytes(line.uid), keyVersion: line.keyVersion, counter: counter)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        guard let data = try? encoder.encode(entry) else { throw ExitCode.ioError }
        try append(String(decoding: data, as: UTF8.self) + "\n")
        if proof.isProven { proof.scope = .thisMachine }
        return proof
    }

    private func append(_ text: String) throws {
        let bytes = Array(text.utf8)
        guard write(descriptor, bytes, bytes.count) == bytes.count, fsync(descriptor) == 0 else {
            Terminal.error("nfcctl: \(path.printable) cannot be written: \(errorMessage(errno))")
            throw ExitCode.ioError
        }
    }
}
