import NDEF
import NFCProtocol
import Synchronization

/// A scan for people: results on standard output, everything else on standard error.
final class ScanPeopleOutput: ScanOutput {
    private let place = Mutex("a reader")

    func begin(readers: [ReadersList.Reader]) {
        let names = readers.map { $0.name.escaped }
        place.withLock { $0 = names.isEmpty ? "a reader, once there is one" : names.joined(separator: " or ") }
        guard !Terminal.watchesStatus, !readers.isEmpty else { return }
        Terminal.error("Hold a tag to \(place.withLock { $0 }). Ctrl-C ends.")
    }

    func waiting(secondsLeft: Double?) {
        guard let secondsLeft else { return Terminal.status("Waiting for a reader… Ctrl-C ends.") }
        let seconds = Int(max(0, secondsLeft).rounded(.up))
        Terminal.status("Hold a tag to \(place.withLock { $0 }): \(seconds) s left. Ctrl-C ends.")
    }

    func tag(_ tag: SessionDidDetectNDEFs<NDEFMessage>) {
        Terminal.endStatus()
        let kind = tag.technology.map { "\(tag.type.rawValue), \($0)" } ?? tag.type.rawValue
        Terminal.print("Tag on \(tag.readerName.escaped): \(kind.escaped), UID \(uid(tag.identifier))")
        for record in tag.messages.flatMap(\.records).enumerated() {
            Terminal.print("  \(record.offset + 1)  \(record.element)")
        }
        if let error = tag.error { Terminal.print("  no message: \(error.message) (\(error.detail.escaped))") }
    }

    func end(_ reason: SessionDidInvalidate) {
        Terminal.endStatus()
        guard reason.code != 200 else { return }
        let detail = reason.detail.isEmpty ? "" : ": \(reason.detail.escaped)"
        Terminal.error("\(reason.message)\(detail) (\(reason.code) \(reason.name))")
    }

    private func uid(_ identifier: HexBytes) -> String {
        guard !identifier.bytes.isEmpty else { return "unknown" }
        return identifier.bytes.map { HexBytes([$0]).description }.joined(separator: ":")
    }
}
