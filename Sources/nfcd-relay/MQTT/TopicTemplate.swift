import Cryptography
import FoundationEssentials
import NFCProtocol
import NFCTypes

/// Where taps are published: a topic with placeholders.
struct TopicTemplate: Sendable, Hashable {
    /// What a placeholder stands for.
    enum Placeholder: String, CaseIterable, Sendable {
        case site, device, reader, type, identifier
    }

    private enum Part: Sendable, Hashable {
        case text(String)
        case placeholder(Placeholder)
    }

    /// Why a template is invalid.
    struct Failure: Error, Hashable, CustomStringConvertible {
        let description: String
    }

    /// The topic of taps where none is configured.
    static let standard = TopicTemplate(levels: [
        [.text("nfcd")], [.placeholder(.site)], [.placeholder(.device)], [.placeholder(.reader)], [.text("tap")],
    ])
    private static let mostLevels = 16

    private let levels: [[Part]]

    private init(levels: [[Part]]) {
        self.levels = levels
    }

    /// Reads a template such as `nfcd/{site}/{device}/{reader}/tap`.
    init(_ text: String) throws(Failure) {
        let words = text.split(separator: "/", omittingEmptySubsequences: false)
        guard words.count <= Self.mostLevels else {
            throw Failure(description: "at most \(Self.mostLevels) levels are allowed")
        }
        var levels: [[Part]] = []
        for word in words { levels.append(try Self.level(word)) }
        self.levels = levels
    }

    private static func level(_ word: Substring) throws(Failure) -> [Part] {
        guard !word.isEmpty else {
            throw Failure(description: "a level is empty; write no / at the ends, and no two in a row")
        }
        var parts: [Part] = []
        var rest = word
        while let open = rest.firstIndex(of: "{") {
            try add(rest[..<open], to: &parts)
            guard let close = rest[open...].firstIndex(of: "}") else {
                throw Failure(description: "a placeholder has no }")
            }
            let name = String(rest[rest.index(after: open)..<close])
            guard let placeholder = Placeholder(rawValue: name) else {
                let known = Placeholder.allCases.map { "{\($0.rawValue)}" }.joined(separator: ", ")
                throw Failure(description: "{\(name)} is not a placeholder; use \(known)")
            }
            parts.append(.placeholder(placeholder))
            rest = rest[rest.index(after: close)...]
        }
        try add(rest, to: &parts)
        return parts
    }

    private static func add(_ text: Substring, to parts: inout [Part]) throws(Failure) {
        guard !text.isEmpty else { return }
        guard text.utf8.allSatisfy(TopicLevel.isSafe) else {
            throw Failure(
                description: "\"\(text)\" is not allowed; use letters, digits, - and _, which every broker takes")
        }
        parts.append(.text(String(text)))
    }

    /// The topic of a tap.
    func topic(_ identity: RelayIdentity, _ tap: RecordedTap) -> String {
        topic { placeholder in
            switch placeholder {
            case .site: identity.site
            case .device: identity.device
            case .reader: tap.reader
            case .type: tap.tag.type.rawValue
            case .identifier: tap.tag.identifier.bytes.isEmpty ? "none" : Hexadecimal.string(tap.tag.identifier.bytes)
            }
        }
    }

    /// The topic of a notice, which has no tag.
    func topic(_ identity: RelayIdentity, reader: String?) -> String {
        topic { placeholder in
            switch placeholder {
            case .site: identity.site
            case .device: identity.device
            case .reader: reader ?? "none"
            case .type, .identifier: "none"
            }
        }
    }

    private func topic(_ value: (Placeholder) -> String) -> String {
        levels.map { parts in
            parts.map { part in
                switch part {
                case .text(let text): text
                case .placeholder(let placeholder): TopicLevel.safe(value(placeholder))
                }
            }.joined()
        }.joined(separator: "/")
    }
}

/// A level of a topic that every broker takes: letters, digits, `-` and `_`, at most 64.
enum TopicLevel {
    private static let longest = 64

    /// Whether a level may contain a byte.
    static func isSafe(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }

    /// A level for a name. What is not allowed becomes `-`, and then a hash of the name follows, so that two names do not share a
    /// level: NATS cuts the connection for a space, and takes `.`, `*` and `>` for parts of its topics.
    static func safe(_ name: String) -> String {
        let name = String(decoding: name.utf8, as: UTF8.self)
        if (1...longest).contains(name.utf8.count), name.utf8.allSatisfy(isSafe) { return name }
        let mapped = name.unicodeScalars.map { $0.isASCII && isSafe(UInt8($0.value)) ? Character($0) : "-" }
        let hash = Hexadecimal.string(Array(SHA256.hash(name.utf8).prefix(2))).lowercased()
        return String(mapped.prefix(longest - 5)) + "-" + hash
    }
}

/// The topics of a machine that are not those of its taps.
struct MachineTopics: Sendable, Hashable {
    private let base: String

    init(_ identity: RelayIdentity) {
        base = "nfcd/\(TopicLevel.safe(identity.site))/\(TopicLevel.safe(identity.device))"
    }

    /// Whether the machine is online, and its readers: retained, and the will.
    var state: String { "\(base)/state" }
    /// How many taps wait to be delivered: retained.
    var backlog: String { "\(base)/backlog" }
    /// Where remote commands arrive.
    var commands: String { "\(base)/cmd" }
    /// Where they are answered.
    var replies: String { "\(base)/reply" }

    /// Whether a reader is attached: retained.
    func state(of reader: String) -> String { "\(base)/\(TopicLevel.safe(reader))/state" }

    /// What happens on a reader now, for Home Assistant: taps that are delivered late are not published here.
    func event(of reader: String) -> String { "\(base)/\(TopicLevel.safe(reader))/event" }
}
