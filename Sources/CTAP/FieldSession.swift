/// What a card remembers between two commands, as long as it stays in the field and its application stays selected
/// (CTAP 2.1, §6.5.2, §6.3).
struct FieldSession: Sendable, Hashable {
    /// Whether the card gave its key for a PIN.
    private var hasKeyAgreement = false
    /// Whether the card issued a token.
    private var hasToken = false
    /// Whether the card can continue with a list that it began.
    private var isEnumerating = false

    /// The answer to a request that belongs to another field session; nil where the card may get it.
    ///
    /// A PIN hash or a token of before must not reach the card: it would cost one of the tries, perhaps those of another card.
    func objection(to command: CTAPCommand) -> CTAPStatus? {
        if command.continuesPrevious { return isEnumerating ? nil : .notAllowed }
        switch command.material {
        case .none: return nil
        case .keyAgreement: return hasKeyAgreement ? nil : .pinAuthInvalid
        case .token: return hasToken ? nil : .pinAuthInvalid
        }
    }

    /// Notes that the card carried out a command.
    mutating func completed(_ command: CTAPCommand, _ status: CTAPStatus) {
        isEnumerating = status == .ok && (command.beginsList || command.continuesPrevious)
        guard status == .ok else { return }
        switch (command.code, command.subcommand) {
        case (CTAPCommand.Code.clientPIN, 2): hasKeyAgreement = true
        case (CTAPCommand.Code.clientPIN, 5), (CTAPCommand.Code.clientPIN, 6), (CTAPCommand.Code.clientPIN, 9):
            hasToken = true
        case (CTAPCommand.Code.reset, _): self = FieldSession()
        default: break
        }
    }
}
