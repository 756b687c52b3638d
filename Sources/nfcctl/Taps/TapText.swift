import NDEF
import NFCProtocol
import NFCTypes

extension RecordedTap {
    /// The columns of the table: sequence number, time, reader, identifier and content.
    var row: [String] { ["\(sequence)", time, reader.escaped, tag.identifierText, content] }

    /// What the tag has proven, if a profile fits it, and the records, or why there is no message, as text.
    var content: String {
        let content = error.map(\.words) ?? (message?.records ?? []).summary
        return "\(proof?.prefix ?? "")\(content)"
    }

    /// One line about the tap.
    var summary: String {
        "\(sequence)  \(time)  \(readerName.escaped): \(tag.kindText), \(tag.identifierText): \(content)"
    }

    /// The names and values of everything but the message.
    var facts: [[String]] {
        var facts = [
            ["tap", "\(sequence)"], ["id", id], ["time", "\(time)\(clock.remark)"],
            ["reader", "\(reader.escaped) (\(readerName.escaped)), its tap \(readerSequence)"],
            ["tag", "\(tag.kindText), \(tag.identifierText)"],
        ]
        if let status { facts.append(["state", "\(status.rawValue)\(capacity.map { ", \($0) bytes" } ?? "")"]) }
        facts += proof?.facts ?? []
        if let session { facts.append(["session", session.escaped]) }
        if let error { facts.append(["error", "\(error.message.escaped) (\(error.detail.escaped))"]) }
        return facts + [["journal", epoch], ["boot", "\(bootID), \(bootTime) s after its start"]]
    }
}

extension RecordedTap.Tag {
    /// The technology and CoreNFC's type.
    var kindText: String { technology.map { "\($0.escaped) (\(type.rawValue))" } ?? type.rawValue }

    /// The identifier with its form.
    var identifierText: String {
        switch identifierForm {
        case .hashed?: "hash \(Hexadecimal.string(identifier.bytes))"
        case .omitted?: "UID not stored"
        case .plain?, nil:
            identifier.bytes.isEmpty ? "UID unknown" : "UID \(HexDump.pairs(identifier.bytes, separator: ":"))"
        }
    }
}

extension ClockQuality {
    /// A remark behind a time that may be wrong.
    fileprivate var remark: String { self == .synchronised ? "" : " (the clock was not known to be right)" }
}
