import ISO7816
import NFCTypes

/// What the raw commands to a card of ISO/IEC 14443-4 do, and which of its applications and files they reach.
///
/// A card does not show which application and file is selected, and a SELECT may fail: the screen keeps all that may be.
struct ISO7816Screen: Sendable, Hashable {
    /// An application that may be selected.
    enum Application: Sendable, Hashable {
        /// By its name.
        case name([UInt8])
        /// A DESFire application by its number, least significant byte first; 000000 is the card itself.
        case number([UInt8])
        /// None was selected, so it is the card's default.
        case initial
        /// Not known.
        case other
    }

    /// A file that may be selected.
    enum File: Sendable, Hashable {
        case identifier(UInt16)
        case other
    }

    /// What is selected on one logical channel.
    struct Selection: Sendable, Hashable {
        var applications: Set<Application> = [.initial]
        var files: Set<File> = [.other]
    }

    /// Whether the card takes the native commands of DESFire.
    private let isDESFire: Bool
    private var channels: [UInt8: Selection] = [:]
    /// What is selected on a channel that no command has come on.
    private var unused = Selection()
    /// The command of a CTAP message that is not complete.
    private var begunMessage: UInt8?
    /// What is known of a DESFire.
    private var native = DESFireCommand.Context()
    /// What is known of a card's PINs and keys.
    private var attempts = AttemptKnowledge()

    /// - Parameter selected: the application that was selected when the card was detected.
    init(isDESFire: Bool, selected: [UInt8]? = nil) {
        self.isDESFire = isDESFire
        if let selected { channels[0] = Selection(applications: [.name(selected)]) }
    }

    /// The selection on the channel of a command.
    func selection(for command: RawCommand) -> Selection {
        switch parsed(command) {
        case .interindustry(let apdu): channels[apdu.channel] ?? unused
        default: channels[0] ?? unused
        }
    }

    /// Forgets what is selected.
    mutating func forget() {
        channels = [:]
        unused = Selection(applications: [.other])
        native.selectionChanged()
        attempts = AttemptKnowledge()
    }

    // MARK: Commands

    private enum Parsed {
        case native(DESFireCommand)
        case fido(FIDOCommand)
        case interindustry(InterindustryCommand)
        case unknown(String)
    }

    private func parsed(_ command: RawCommand) -> Parsed {
        switch command {
        case .miFare(let frame):
            guard isDESFire else { return .unknown("a native command of a card that is not a DESFire") }
            return DESFireCommand(frame: frame).map { .native($0) } ?? .unknown("a long frame")
        case .apdu(let bytes): return parsed(apdu: bytes)
        default: return .unknown("a command of another technology")
        }
    }

    private func parsed(apdu bytes: [UInt8]) -> Parsed {
        if bytes.first == 0xFF { return .unknown("a command to the reader (class FF)") }
        if let fido = fidoCommand(bytes) { return .fido(fido) }
        if isDESFire, bytes.first == 0x90 {
            return DESFireCommand(wrappedIn: bytes).map { .native($0) } ?? .unknown("an unusual DESFire command")
        }
        guard let apdu = CommandAPDU(bytes: bytes), let command = InterindustryCommand(apdu) else {
            return .unknown("a command of a class that nfcd does not know, or with wrong lengths,")
        }
        return .interindustry(command)
    }

    /// A command to the FIDO application, where certainly that is selected.
    private func fidoCommand(_ bytes: [UInt8]) -> FIDOCommand? {
        guard selection.applications == [.name(FIDOCommand.application)] else { return nil }
        return CommandAPDU(bytes: bytes).flatMap { FIDOCommand($0, begun: begunMessage) }
    }

    /// What a command does.
    func judge(_ command: RawCommand) -> CommandJudgement {
        switch parsed(command) {
        case .native(let command): command.judge(knowing: native)
        case .fido(let command): command.judge()
        case .interindustry(let command): command.judge(in: channels[command.channel] ?? unused, attempts)
        case .unknown(let words): CommandJudgement(.unknown, words, reach: .elsewhere(words))
        }
    }

    private var selection: Selection { channels[0] ?? unused }

    // MARK: Answers

    /// Records the effect of a command that was sent, and its answer; nil: there was none.
    mutating func record(_ command: RawCommand, answer: [UInt8]?) {
        let sent = parsed(command)
        begunMessage = nil
        if case .native = sent {} else { native.interrupt() }
        switch sent {
        case .fido(let fido): if answer?.suffix(2) == [0x90, 0x00] { begunMessage = fido.begun }
        case .native(let sent):
            let isWrapped = if case .apdu = command { true } else { false }
            let status = isWrapped ? answer?.suffix(2).first == 0x91 ? answer?.last : nil : answer?.first
            native.record(
                sent, status: status, data: Array((isWrapped ? answer?.dropLast(2) : answer?.dropFirst()) ?? []))
            guard let number = sent.selectedApplication else { return }
            select(Selection(applications: [.number(number)]), on: 0, isCertain: status == 0x00)
        case .interindustry(let command):
            let isDone = answer?.suffix(2).first.map { [0x90, 0x61].contains($0) } ?? false
            attempts.record(command, answer: answer)
            if let next = command.selection(after: channels[command.channel] ?? unused) {
                select(next, on: command.channel, isCertain: isDone)
            }
            // A channel that is opened again selects the card's default.
            if command.ins == 0x70 { channels = channels.filter { $0.key == 0 } }
        case .unknown: forget()
        }
    }

    private mutating func select(_ next: Selection, on channel: UInt8, isCertain: Bool) {
        native.selectionChanged()
        let old = channels[channel] ?? unused
        channels[channel] =
            isCertain
            ? next
            : Selection(
                applications: old.applications.union(next.applications), files: old.files.union(next.files))
    }
}

/// A command of an interindustry class (ISO/IEC 7816-4, 5.4.1).
struct InterindustryCommand: Sendable, Hashable {
    let channel: UInt8
    let ins: UInt8
    let p1: UInt8
    let p2: UInt8
    let data: [UInt8]
    let isChained: Bool
    /// Whether it is under secure messaging, which hides its data.
    let isSecured: Bool

    /// nil for another class.
    init?(_ apdu: CommandAPDU) {
        switch apdu.cla {
        case 0x00...0x1F:
            channel = apdu.cla & 0x03
            isSecured = apdu.cla & 0x0C != 0
        case 0x40...0x7F:
            channel = 4 + apdu.cla & 0x0F
            isSecured = apdu.cla & 0x20 != 0
        default: return nil
        }
        isChained = apdu.cla & 0x10 != 0
        (ins, p1, p2, data) = (apdu.ins, apdu.p1, apdu.p2, apdu.data)
    }

    /// What it does.
    func judge(in selection: ISO7816Screen.Selection, _ attempts: AttemptKnowledge) -> CommandJudgement {
        guard !isSecured || ins == 0xA4 || Self.isReading(ins) else {
            return CommandJudgement(.unknown, "a command under secure messaging", reach: reach)
        }
        let context = Context(
            command: self, applications: selection.applications, files: selection.files, attempts: attempts)
        let judged = [ins].judged(by: Self.rules, ins, knowing: context)
        return CommandJudgement(judged.effect, judged.words, reach: reach)
    }

    private static func isReading(_ ins: UInt8) -> Bool {
        rules.contains { $0.code == ins && $0.cases.count == 1 && $0.cases[0].effect == .read }
    }

    private var reach: CommandJudgement.Reach {
        switch ins {
        case 0xA4 where isSecured || isChained:
            .elsewhere("a SELECT that is chained or under secure messaging hides what it selects")
        case 0xA4 where p1 & 0xFC == 0x04: .application(data)
        // By file id or path, to the master file or to a parent.
        case 0xA4 where p1 != 0x02 || data.count != 2:
            .elsewhere("SELECT may leave the application; select a file under it with P1 02")
        case 0xA4: .current
        case 0xC0, 0x84, 0x70: .none
        default: .current
        }
    }

    /// What is selected after the command succeeded; nil: the same.
    func selection(after old: ISO7816Screen.Selection) -> ISO7816Screen.Selection? {
        switch ins {
        case 0xA4 where isSecured || isChained: return .init(applications: [.other])
        case 0xA4 where p1 & 0xFC == 0x04: return .init(applications: [.name(data)])
        case 0xA4:
            let file = data.count == 2 ? UInt16(data[0]) << 8 | UInt16(data[1]) : nil
            let isFile = [0x00, 0x02].contains(p1) && file != nil
            let files: Set<ISO7816Screen.File> = isFile ? [file.map { .identifier($0) } ?? .other] : [.other]
            return .init(applications: p1 == 0x02 ? old.applications : old.applications.union([.other]), files: files)
        // A short file identifier selects the file as well.
        case 0xB0...0xB3, 0xD0...0xD7, 0xDC...0xDD, 0xE2, 0x0E...0x0F, 0xA0...0xA2:
            return .init(applications: old.applications, files: old.files.union(isShortFile ? [.other] : []))
        default: return nil
        }
    }

    /// Whether it names its file, by a short identifier or as a parameter.
    var isShortFile: Bool {
        switch ins {
        case 0xB0, 0xD0, 0xD6, 0x0E: p1 & 0x80 != 0
        case 0xB1, 0xD1, 0xD7, 0x0F: p1 != 0 || p2 != 0
        default: p2 & 0xF8 != 0
        }
    }
}
