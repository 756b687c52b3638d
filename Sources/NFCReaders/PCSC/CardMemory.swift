import NFCTags
import PCSC

/// What went over a connection so far, as far as it tells whether a command that failed may be sent once more. A value: no
/// I/O.
struct CardMemory {
    /// How a failed command may be sent once more.
    enum Remedy: Equatable {
        /// Not at all.
        case none
        /// After a reset of the card.
        case reset
        /// After joining in again, if the card still answers as it did to the command that asks for its identifier.
        case rejoin(identifying: [UInt8], identifier: [UInt8])
    }

    private let technology: TagTechnology
    /// Whether a reset takes nothing away: no key, no selected application, no selected sector.
    private var isStateless = true
    private var identifying: (command: [UInt8], answer: [UInt8])?

    /// A fresh connection to the card with this answer to reset.
    init(answerToReset: [UInt8]) {
        let answer = try? AnswerToReset(answerToReset)
        technology = answer.map { TagTechnology($0) } ?? .unknown
    }

    /// A command is about to go out.
    mutating func willSend(_ command: [UInt8]) {
        guard isRead(command) || command.starts(with: [0xFF, 0xD6]) else {
            isStateless = false
            return
        }
    }

    /// A command was answered.
    mutating func answered(_ command: [UInt8], with response: [UInt8]) {
        guard command.starts(with: [0xFF, 0xCA]), response.suffix(2) == [0x90, 0x00] else { return }
        identifying = (command, response)
    }

    /// The card was reset on purpose.
    mutating func cardWasReset() {
        isStateless = true
    }

    /// What to do about a failure. Only reads are ever repeated, and only where the card had nothing to lose.
    func remedy(for code: PCSCCode, after command: [UInt8]) -> Remedy {
        guard isStateless, isRead(command) else { return .none }
        switch code {
        case .notTransacted: return .reset
        case .resetCard:
            return identifying.map { .rejoin(identifying: $0.command, identifier: $0.answer) } ?? .none
        default: return .none
        }
    }

    /// `FF CA`, and `FF B0` where no key comes before it (PC/SC Part 3, Get Data and Read Binary).
    private func isRead(_ command: [UInt8]) -> Bool {
        if command.starts(with: [0xFF, 0xCA]) { return true }
        return command.starts(with: [0xFF, 0xB0]) && (technology == .type2 || technology == .iso15693)
    }
}
