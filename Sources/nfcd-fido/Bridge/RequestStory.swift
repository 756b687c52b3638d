import CTAP

/// What the log says of a request: its command, lengths, status and time, and nothing of its payload.
struct RequestStory: Sendable {
    private let command: String
    private let isU2F: Bool
    private let length: Int
    private let start: Duration

    init(_ body: HIDEndpoint.Body, at time: Duration) {
        start = time
        switch body {
        case .cbor(let message):
            isU2F = false
            let command = CTAPCommand(message)
            let subcommand = command.subcommand.map { " \($0)" } ?? ""
            self.command = (Self.names[command.code] ?? "command \(Self.hexadecimal(command.code))") + subcommand
            length = message.count
        case .message(let bytes):
            isU2F = true
            command = "U2F " + (bytes.count > 1 ? Self.hexadecimal(bytes[1]) : "command")
            length = bytes.count
        }
    }

    /// The line for an end of the request.
    func line(_ outcome: CardSecurityKey.Outcome, at time: Duration) -> String {
        let took = Int((time - start) / .milliseconds(1))
        return "\(command), \(length) bytes: \(text(outcome)) after \(took) ms"
    }

    private func text(_ outcome: CardSecurityKey.Outcome) -> String {
        switch outcome {
        case .answer(let bytes): "\(status(of: bytes)), \(bytes.count) bytes"
        case .cardLost: "the card left"
        case .deselected: "another program used the card"
        case .failed(.status(let status)): "status word \(Self.hexadecimal(status))"
        case .failed(let failure): "no answer (\(failure))"
        }
    }

    /// A CTAP answer begins with its status; a U2F answer ends with its status word.
    private func status(of bytes: [UInt8]) -> String {
        guard isU2F else { return bytes.first.map { "status \(Self.hexadecimal($0))" } ?? "no status" }
        return "status word \(Self.hexadecimal(bytes.suffix(2).reduce(UInt16(0)) { $0 << 8 | UInt16($1) }))"
    }

    private static func hexadecimal(_ value: some FixedWidthInteger) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, value.bitWidth / 4 - digits.count)) + digits
    }

    private static let names: [UInt8: String] = [
        CTAPCommand.Code.makeCredential: "makeCredential", CTAPCommand.Code.getAssertion: "getAssertion",
        CTAPCommand.Code.getInfo: "getInfo", CTAPCommand.Code.clientPIN: "clientPIN",
        CTAPCommand.Code.reset: "reset", CTAPCommand.Code.getNextAssertion: "getNextAssertion",
        CTAPCommand.Code.bioEnrollment: "bioEnrollment",
        CTAPCommand.Code.credentialManagement: "credentialManagement", CTAPCommand.Code.selection: "selection",
        CTAPCommand.Code.largeBlobs: "largeBlobs", CTAPCommand.Code.configuration: "configuration",
    ]
}
