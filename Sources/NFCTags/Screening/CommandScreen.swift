import NFCTypes

/// What is known of a tag while raw commands go to it, and with it what the next command does. A value: no I/O.
///
/// The screen judges by the bytes of a command and by the answers to earlier ones. It never sends anything itself.
public struct CommandScreen: Sendable {
    private enum Technology: Sendable {
        case type2(Type2Screen)
        case classic(MIFAREClassicScreen)
        case card(ISO7816Screen)
        case feliCa(FeliCaScreen)
        case iso15693(ISO15693Screen)
        case other
    }

    private var technology: Technology

    /// The screen of a tag that was just detected.
    ///
    /// - Parameters:
    ///   - isDESFire: whether the card takes the native commands of DESFire.
    ///   - application: the application that was selected, by name.
    ///   - system: the FeliCa system that was polled, with its IDm.
    public init(
        _ identity: TagIdentity, isDESFire: Bool = false, application: [UInt8]? = nil,
        system: (code: UInt16, identifier: [UInt8])? = nil
    ) {
        technology =
            switch identity.technology {
            case .type2: .type2(Type2Screen())
            case .mifareClassic: .classic(MIFAREClassicScreen())
            case .iso14443Part4: .card(ISO7816Screen(isDESFire: isDESFire, selected: application))
            case .feliCa: .feliCa(FeliCaScreen(detected: system.map { ($0.code, $0.identifier) }))
            case .iso15693: .iso15693(ISO15693Screen(identifier: identity.identifier))
            default: .other
            }
    }

    /// What a command does.
    public func judge(_ command: RawCommand) -> CommandJudgement {
        switch (technology, command) {
        case (.type2(let screen), .miFare(let frame)): screen.judge(frame)
        case (.classic(let screen), .miFare(let frame)): screen.judge(frame)
        case (.classic(let screen), .classic(let command)): screen.judge(command)
        case (.card(let screen), _): screen.judge(command)
        case (.feliCa(let screen), .feliCa(let packet)): screen.judge(packet)
        case (.iso15693(let screen), .iso15693(let request)): screen.judge(request)
        case (_, .apdu):
            CommandJudgement(.unknown, "a command APDU to this tag, which goes to the reader,", reach: Self.reader)
        default: CommandJudgement(.unknown, "this command", reach: Self.reader)
        }
    }

    /// Whether one of a card's applications, all of them by name, must be the selected one.
    ///
    /// - Parameters:
    ///   - names: the names.
    ///   - allowsInitial: whether it may also be the card's default, as before the first selection.
    public func isSelected(oneOf names: Set<[UInt8]>, for command: RawCommand, allowsInitial: Bool) -> Bool {
        guard case .card(let screen) = technology else { return true }
        return screen.selection(for: command).applications.allSatisfy { application in
            switch application {
            case .name(let name): names.contains(name)
            case .initial: allowsInitial
            case .number, .other: false
            }
        }
    }

    /// Records the effect of a command that was sent, and its answer; nil: there was none.
    public mutating func record(_ command: RawCommand, answer: [UInt8]?) {
        switch (technology, command) {
        case (.type2(var screen), .miFare(let frame)):
            screen.record(frame, answer: answer)
            technology = .type2(screen)
        case (.classic(var screen), .miFare(let frame)):
            screen.record(frame)
            technology = .classic(screen)
        case (.card(var screen), _):
            screen.record(command, answer: answer)
            technology = .card(screen)
        case (.feliCa(var screen), .feliCa(let packet)):
            screen.record(packet, answer: answer)
            technology = .feliCa(screen)
        case (.iso15693(var screen), .iso15693(let request)):
            screen.record(request, answer: answer)
            technology = .iso15693(screen)
        default: break
        }
    }

    /// Forgets what is selected: something else than a recorded command was sent.
    public mutating func forgetSelection() {
        guard case .card(var screen) = technology else { return }
        screen.forget()
        technology = .card(screen)
    }

    private static let reader = CommandJudgement.Reach.elsewhere("a command to the reader")

    /// The commands of every technology, for the documentation.
    public static let tables = [
        RawCommandTable("Type 2: `miFare.sendCommand`", Type2Screen.rules),
        RawCommandTable("MIFARE Classic: `miFareClassic`", MIFAREClassicScreen.methods),
        RawCommandTable("MIFARE Classic: `miFare.sendCommand`", MIFAREClassicScreen.rules),
        RawCommandTable(
            "ISO 7816: `iso7816.sendCommand`, `miFare.sendISO7816Command`, by INS", InterindustryCommand.rules),
        RawCommandTable("DESFire: native, or wrapped as `90 …`", DESFireCommand.rules),
        RawCommandTable("FIDO: while the application A0000006472F0001 is selected", FIDOCommand.rules),
        RawCommandTable("FeliCa: `feliCa.sendCommand`", FeliCaScreen.rules),
        RawCommandTable("ISO 15693: `iso15693.sendRequest`, after the flags and the UID", ISO15693Screen.rules),
    ]
}
