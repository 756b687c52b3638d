import ArgumentParser
import NFCClient
import NFCProtocol
import NFCTypes

/// `nfcctl apdu`: sends command APDUs to a tag.
struct APDUCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apdu",
        abstract: "Send command APDUs to the next tag and print the answers.",
        discussion: """
            The commands, which include pseudo-APDUs of PC/SC, are sent unchanged, in order, in one session. It stops at \
            the first answer with a status word other than 9000, unless --keep-going is given.

            Examples:
              nfcctl apdu 00A4040007D276000085010100
              nfcctl apdu FFCA000000 FFB0000410
            """)

    @Argument(help: "The commands in hexadecimal; spaces and colons are ignored.")
    var commands: [String]

    @Flag(help: "Continue after a status word other than 9000.")
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
                "\(command) is not an APDU: give at least \(ISO7816SendCommand.lengths.lowerBound) bytes in hexadecimal"
            )
        }
    }

    func run() async throws {
        let (commands, keepGoing, json) = (commands.compactMap(Self.bytes), keepGoing, options.json)
        try await TagOperation(options: options, kind: .tag, requires: ISO7816SendCommand.requirement).run { tag in
            for command in commands {
                let answer = try await tag.iso7816.sendCommand(command.bytes)
                Self.show(command, answer, tag, json: json)
                guard keepGoing || (answer.sw1, answer.sw2) == (0x90, 0x00) else { throw ExitCode.tagError }
            }
        }
    }

    private static func show(
        _ command: HexBytes, _ answer: ISO7816SendCommand.Result, _ tag: RemoteTag, json: Bool
    ) {
        if json {
            let exchange = Exchange(command: command, data: answer.data, sw1: answer.sw1, sw2: answer.sw2)
            Terminal.print(json: TagEvent(event: "answer", tag: tag.facts, extra: exchange))
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
