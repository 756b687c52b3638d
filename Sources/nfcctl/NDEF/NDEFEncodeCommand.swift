import ArgumentParser
import NDEF

/// `nfcctl ndef encode`: the bytes of a message.
struct NDEFEncodeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "encode",
        abstract: "Make the bytes of a message.",
        discussion: """
            The message is given record by record with options, or whole in the JSON form: as an argument, with --file, or \
            on standard input. Options add records in the order in which they are given; one that says more about a \
            record stands after that record's option. A value that begins with a dash is joined: --text=-5°.

            With --json-lines, each line of standard input is a message in the JSON form, as ndef decode --json prints \
            it, and is answered with one line:
              {"ok":true,"hex":"D101…"}
              {"ok":false,"error":{"code":"INVALID_MESSAGE","message":…}}

            Examples:
              nfcctl ndef encode --uri https://example.com --base64
              nfcctl ndef encode --text Hello --language de --text "Grüß Gott"
              nfcctl ndef encode --smart-poster https://example.com --title Example
              nfcctl ndef encode --wifi Guests --password "correct horse"
              nfcctl ndef encode --mime application/json --content '{"door":7}'
              nfcctl ndef encode --uri app:door/7 --aar com.example.door
              nfcctl ndef encode --vcard ada.vcf --binary --output ada.ndef
              nfcctl ndef encode '{"records":[{"decoded":{"kind":"uri","uri":"tel:1"}}]}'
              generate-messages | nfcctl ndef encode --json-lines

            Exit codes: 0 done, 64 usage, 65 no message, 66 a file cannot be read, 73 the output cannot be made.
            """)

    /// How the message is written.
    enum Form: String, EnumerableFlag {
        case base64, binary, json, jsonLines

        static func name(for value: Self) -> NameSpecification {
            value == .jsonLines ? .customLong("json-lines") : .long
        }

        static func help(for value: Self) -> ArgumentHelp? {
            switch value {
            case .base64: "Base64 in place of hexadecimal."
            case .binary: "The bytes themselves, for a file or a pipe."
            case .json: "A line of JSON."
            case .jsonLines:
                "A message in the JSON form per line of standard input, each answered with one line at once."
            }
        }
    }

    @Argument(help: ArgumentHelp("The message in the JSON form.", valueName: "message-json"))
    var json: String?

    @Flag var form: Form?

    @Option(help: ArgumentHelp("Write to this file.", valueName: "path"))
    var output: String?

    @OptionGroup var content: NDEFOptions

    func validate() throws {
        if form == .jsonLines, json != nil || output != nil || content.isGiven {
            throw ValidationError("--json-lines takes the messages from standard input, and nothing else")
        }
        if json != nil, content.isGiven { throw ValidationError("give the message as JSON or with options, not both") }
        if form != .jsonLines, json == nil, !content.isGiven, Terminal.isInput {
            throw ValidationError("say what the message holds, e.g. --uri https://example.com")
        }
        if form == .binary, output == nil, Terminal.isOutput {
            throw ValidationError("--binary is not for a terminal; add --output, or send it to a file or a pipe")
        }
    }

    func run() async throws {
        if form == .jsonLines { return try serveLines() }
        let message = try content.message(for: "ndef encode") ?? messageInJSON()
        try OutputFile(path: output).write(written(message))
    }

    private func written(_ message: [UInt8]) -> [UInt8] {
        switch form {
        case .binary: message
        case .base64: Array("\(Base64Notation.text(of: message))\n".utf8)
        case .json, .jsonLines: Array("\(Self.answer(message))\n".utf8)
        case nil: Array("\(message.hexadecimal)\n".utf8)
        }
    }

    /// The fixed form of an answer. Hexadecimal digits need no escaping.
    private static func answer(_ message: [UInt8]) -> String {
        "{\"ok\":true,\"hex\":\"\(message.hexadecimal)\"}"
    }

    /// The message of the argument, or of standard input.
    private func messageInJSON() throws -> [UInt8] {
        let text = try json.map { Array($0.utf8) } ?? InputFile.standardInput.read(limit: InputLimits.json)
        do throws(Refusal) {
            return try MessageJSON().encodedMessage(in: text)
        } catch {
            if form == .json { Terminal.print(json: error) } else { Terminal.error("nfcctl: \(error)") }
            throw ExitCode.badData
        }
    }

    private func serveLines() throws {
        let messages = MessageJSON()
        try LineService(limit: InputLimits.json).run { line, writer in
            do {
                try writer.put(line: Self.answer(messages.encodedMessage(in: line)))
            } catch let refusal as Refusal {
                try writer.put(refusal)
            }
        }
    }
}
