import ArgumentParser
import NFCClient
import NFCProtocol

/// `nfcctl apdu`: commands of one's own to one tag.
struct APDUCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apdu",
        abstract: "Send command APDUs to the next tag and show what it answers.",
        discussion: """
            The commands go one after another in one session, as they are; pseudo-APDUs of PC/SC as well. It stops at the \
            first answer whose status word is not 9000, unless --keep-going is given.

            Examples:
              nfcctl apdu 00A4040007D276000085010100
              nfcctl apdu FFCA000000 FFB0000410
            """)

    @Argument(help: "The commands in hexadecimal; spaces and colons do not matter.")
    var commands: [String]

    @Flag(help: "Go on after a status word other than 9000.")
    var keepGoing = false

    @OptionGroup var options: TagOptions

    private struct Exchange: Encodable {
        let command: HexBytes
        let data: HexBytes
        let sw1: UInt8
        let sw2: UInt8
    }

    func validate() throws {
        for command in commands where Self.bytes(command) == nil {
            throw ValidationError(
                "\(command): an APDU is an even number of hexadecimal digits, \(ISO7816SendCommand.lengths.lowerBound) bytes "
                    + "at least")
        }
    }

    func run() async throws {
        let (commands, keepGoing, json) = (commands.compactMap(Self.bytes), keepGoing, options.json)
        try await TagErrand(options: options, kind: .tag).run { tag in
            for command in commands {
                let answer = try await tag.client.call(
                    ISO7816SendCommand.self, .init(session: tag.session, tag: tag.tag.tag, apdu: command))
                Self.show(command, answer, tag, json: json)
                guard keepGoing || (answer.sw1, answer.sw2) == (0x90, 0x00) else { throw ExitCode.tagError }
            }
        }
    }

    private static func show(
        _ command: HexBytes, _ answer: ISO7816SendCommand.Result, _ tag: ConnectedTag, json: Bool
    ) {
        if json {
            let exchange = Exchange(command: command, data: answer.data, sw1: answer.sw1, sw2: answer.sw2)
            Terminal.print(json: TagEvent(event: "answer", tag: tag.tag, extra: exchange))
        } else {
            Terminal.print(
                "> \(command)\n< \(answer.data)\(answer.data.bytes.isEmpty ? "" : " ")\(HexBytes([answer.sw1, answer.sw2]))"
            )
        }
    }

    private static func bytes(_ text: String) -> HexBytes? {
        HexBytes(typed: text).flatMap { ISO7816SendCommand.lengths.contains($0.bytes.count) ? $0 : nil }
    }
}
