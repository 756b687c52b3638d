import FoundationEssentials
import Glibc
import Synchronization

/// The lines that clients and a server send each other, in the form that `Scripts/checks/check-protocol` reads.
package final class TrafficRecord: Sendable {
    /// The lines that one end of a connection sends; a line is recorded once it is complete.
    package final class Sender: Sendable {
        private let record: TrafficRecord
        private let name: String
        private let connection: Int
        private let partial = Mutex<[UInt8]>([])

        fileprivate init(_ record: TrafficRecord, _ name: String, _ connection: Int) {
            self.record = record
            self.name = name
            self.connection = connection
        }

        /// Bytes, before they are passed on.
        package func add(_ bytes: [UInt8]) {
            let lines = partial.withLock { partial in
                let parts = (partial + bytes).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
                partial = Array(parts.last ?? [])
                return parts.dropLast().map { String(decoding: $0, as: UTF8.self) }
            }
            record.keep(lines.map { Line(connection: connection, from: name, line: $0) })
        }
    }

    private struct Line: Encodable {
        let connection: Int
        let from: String
        let line: String
    }

    private struct State {
        var connections = 0
        var text = Data()
    }

    /// What all clients of a test run send and get, in the file that `NFCD_RECORD` names; nil where it names none.
    package static let shared: TrafficRecord? = getenv("NFCD_RECORD").map { TrafficRecord(file: String(cString: $0)) }

    private let state = Mutex(State())
    /// Where lines go; below 0 for memory.
    private let file: Int32

    /// Keeps lines in memory, or adds them to a file.
    package init(file path: String? = nil) {
        file = path.map { open($0, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o644) } ?? -1
    }

    deinit {
        if file >= 0 { close(file) }
    }

    /// The two ends of another connection.
    package func connect() -> (client: Sender, server: Sender) {
        let number = state.withLock { state in
            state.connections += 1
            return state.connections
        }
        return (Sender(self, "client", number), Sender(self, "server", number))
    }

    /// Everything that is in memory, a JSON object a line.
    package var text: String { state.withLock { String(decoding: $0.text, as: UTF8.self) } }

    private func keep(_ lines: [Line]) {
        state.withLock { state in
            for line in lines {
                guard let text = try? JSONEncoder().encode(line) else { continue }
                state.text += text + [UInt8(ascii: "\n")]
            }
            guard file >= 0 else { return }
            state.text.withUnsafeBytes { _ = write(file, $0.baseAddress, $0.count) }
            state.text = Data()
        }
    }
}
