import NFCTypes

/// What a raw command does to a tag, ordered by how much it takes.
public enum CommandEffect: Int, Sendable, Hashable, Comparable, CaseIterable {
    /// Nothing on the tag changes.
    case read
    /// Data changes that can be changed again.
    case write
    /// The tag becomes one with a message, which it was not: what formatting does.
    case format
    /// Lock or one-time bits are set, keys, the configuration or access rights change, or attempts are used up that may be limited: what
    /// cannot be undone, or locks out the owner of the tag.
    case lock
    /// The bytes do not show what it does, or it goes to the reader.
    case unknown

    /// Compares by how much it takes.
    public static func < (one: CommandEffect, other: CommandEffect) -> Bool { one.rawValue < other.rawValue }

    /// The capabilities that a command with this effect needs, all in one grant.
    public var capabilities: [Capability] {
        switch self {
        case .read: [.raw]
        case .write: [.raw, .write]
        case .format: [.raw, .write, .format]
        case .lock: [.raw, .lock]
        case .unknown: [.raw, .rawUnscreened]
        }
    }
}

/// A raw command, by the way it takes to the tag.
public enum RawCommand: Sendable, Hashable {
    /// A command APDU.
    case apdu([UInt8])
    /// A frame of a MIFARE tag's own command set.
    case miFare([UInt8])
    /// A FeliCa packet, from the command code on.
    case feliCa([UInt8])
    /// A request of ISO/IEC 15693, from the flags on.
    case iso15693([UInt8])
    /// A command to a block of a MIFARE Classic.
    case classic(MIFAREClassicCommand)
}

/// What is known of a raw command before it is sent.
public struct CommandJudgement: Sendable, Hashable {
    /// Which of a card's applications a command is about.
    public enum Reach: Sendable, Hashable {
        /// None: nothing of an application is read or changed.
        case none
        /// The one that is selected.
        case current
        /// It selects an ISO/IEC 7816 application, by name.
        case application([UInt8])
        /// It polls a FeliCa system.
        case system(UInt16)
        /// It may leave the selected one, or go to another; with the reason in words.
        case elsewhere(String)
    }

    /// What it does.
    public let effect: CommandEffect
    /// Which application it is about.
    public let reach: Reach
    /// The command and what it does, for errors: `WRITE to page 2 sets lock bits`.
    public let words: String

    init(_ effect: CommandEffect, _ words: String, reach: Reach = .none) {
        self.effect = effect
        self.reach = reach
        self.words = words
    }
}

/// One command of a technology: its exact form, and what it needs.
struct CommandRule<Knowledge: Sendable>: Sendable {
    /// What it does in some cases, for the table in the documentation.
    typealias Cases = [(effect: CommandEffect, condition: String)]

    /// The first byte, or the instruction byte.
    let code: UInt8
    /// The form in the documentation: `A2 page data`.
    let form: String
    /// The name in its standard or data sheet.
    let name: String
    /// How many bytes it has.
    let lengths: ClosedRange<Int>
    /// What it needs, for the documentation.
    let cases: Cases
    /// What it does, from its bytes and what is known of the tag.
    let judge: @Sendable ([UInt8], Knowledge) -> (CommandEffect, String)

    /// A command that always does the same.
    ///
    /// - Parameter what: what it does, for errors: `changes a key`.
    static func always(
        _ code: UInt8, _ form: String, _ name: String, _ lengths: ClosedRange<Int>, _ effect: CommandEffect,
        _ what: String = ""
    ) -> CommandRule {
        CommandRule(code: code, form: form, name: name, lengths: lengths, cases: [(effect, "")]) { _, _ in
            (effect, what)
        }
    }

    /// A command whose effect depends on its bytes or on the tag.
    static func depending(
        _ code: UInt8, _ form: String, _ name: String, _ lengths: ClosedRange<Int>, _ cases: Cases,
        _ judge: @escaping @Sendable ([UInt8], Knowledge) -> (CommandEffect, String)
    ) -> CommandRule {
        CommandRule(code: code, form: form, name: name, lengths: lengths, cases: cases, judge)
    }

    private init(
        code: UInt8, form: String, name: String, lengths: ClosedRange<Int>, cases: Cases,
        _ judge: @escaping @Sendable ([UInt8], Knowledge) -> (CommandEffect, String)
    ) {
        (self.code, self.form, self.name) = (code, form, name)
        (self.lengths, self.cases, self.judge) = (lengths, cases, judge)
    }
}

extension [UInt8] {
    /// The effect of these bytes by the rules of a technology. What no rule describes exactly is unknown.
    func judged<Knowledge>(
        by rules: [CommandRule<Knowledge>], _ code: UInt8?, knowing knowledge: Knowledge
    ) -> (effect: CommandEffect, words: String) {
        guard let code, let rule = rules.first(where: { $0.code == code }) else {
            return (
                .unknown,
                "command \(code.map { Hexadecimal.string([$0]) } ?? "without bytes"), which nfcd does not know,"
            )
        }
        guard rule.lengths.contains(count) else { return (.unknown, "\(rule.name) with \(count) bytes") }
        let (effect, what) = rule.judge(self, knowledge)
        return (effect, what.isEmpty ? rule.name : "\(rule.name), which \(what),")
    }
}

/// The raw commands of a technology and what each needs, for the documentation.
public struct RawCommandTable: Sendable {
    /// A command.
    public struct Row: Sendable {
        /// Its form: `A2 page data`.
        public let form: String
        /// Its name.
        public let name: String
        /// What it needs, and in which case.
        public let needs: [(effect: CommandEffect, condition: String)]
    }

    /// The technology and the method: `Type 2 tags (miFare.sendCommand)`.
    public let title: String
    /// The commands.
    public let rows: [Row]

    init(_ title: String, _ rules: [CommandRule<some Sendable>]) {
        self.title = title
        rows = rules.map { Row(form: $0.form, name: $0.name, needs: $0.cases) }
    }
}
