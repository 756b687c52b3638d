import ArgumentParser
import NDEF

/// `nfcctl ndef encode`: encodes a message.
struct NDEFEncodeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "encode",
        abstract: "Encode a message.",
        discussion: """
            The message is given either with options, record by record, or in the JSON form: as an argument, with --file, \
            or on standard input. Options add records in the order in which they are given; an option for details of a \
            record follows the option for the record. Use = for a value that begins with a dash: --text=-5°.

            With --json-lines, each line of standard input is a message in the JSON form, as printed by ndef decode \
            --json, and is answered with one line:
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

            Exit codes: 0 done, 64 usage error, 65 invalid message, 66 a file cannot be read, 73 the output file cannot be \
            created.
            """)

    /// The format of the output.
    enum Form: String, EnumerableFlag {
        case base64, binary, json, jsonLines

        static func name(for value: Self) -> NameSpecification {
            value == .jsonLines ? .customLong("json-lines") : .long
        }

        static func help(for value: Self) -> ArgumentHelp? {
            switch value {
            case .base64: "Print base64 instead of hexadecimal."
            case .binary: "Write binary, to a file or a pipe."
            case .json: "Print one line of JSON."
            case .jsonLines:
                "Read one message in the JSON form per line of standard input, and answer each line immediately."
            }
        }
    }

    @Argument(help: ArgumentHelp("The message in the JSON form.", valueName: "message-json"))
    var json: String?

    @Flag var form: Form?

    @Option(help: ArgumentHelp("Write to this file.", valueName: "path"), completion: .file())
    var output: String?

    @OptionGroup var content: NDEFOptions

    func validate() throws {
        if form == .jsonLines, json != nil || output != nil || content.isGiven {
            throw ValidationError(
                "--json-lines reads messages from standard input; give no message, options for records or --output")
        }
        if json != nil, content.isGiven {
            throw ValidationError("a JSON message and options for records cannot be combined; give one of them")
        }
        if form != .jsonLines, json == nil, !content.isGiven, Terminal.isInput {
            throw ValidationError("no message given; give one such as --uri https://example.com")
        }
        if form == .binary, output == nil, Terminal.isOutput {
            throw ValidationError(
                "--binary does not write to a terminal; use --output, or redirect to a file or a pipe")
        }
    }

    func run() async throws {
        if form == .jsonLines { return try answerLines() }
        let message = try content.message(for: "ndef encode") ?? messageFromJSON()
        guard let output else { return try OutputFile(path: nil).write(formatted(message)) }
        try SavedFile(path: output, replaces: true).write(Array(formatted(message)))
    }

    private func formatted(_ message: [UInt8]) -> [UInt8] {
        switch form {
        case .binary: message
        case .base64: Array("\(Base64Notation.text(of: message))\n".utf8)
        case .json, .jsonLines: Array("\(Self.answer(message))\n".utf8)
        case nil: Array("\(message.hexadecimal)\n".utf8)
        }
    }

    /// The answer in its fixed JSON form. Hexadecimal digits need no escaping.
    private static func answer(_ message: [UInt8]) -> String {
        "{\"ok\":true,\"hex\":\"\(message.hexadecimal)\"}"
    }

    /// The message in the argument, or on standard input.
    private func messageFromJSON() throws -> [UInt8] {
        let text = try json.map { Array($0.utf8) } ?? InputFile.standardInput.read(limit: InputLimits.json)
        do throws(MessageError) {
            return try MessageJSON().encodedMessage(in: text)
        } catch {
            if form == .json { Terminal.print(json: error) } else { Terminal.error("nfcctl: \(error)") }
            throw ExitCode.badData
        }
    }

    private func answerLines() throws {
        let messages = MessageJSON()
        try LineService(limit: InputLimits.json).run { line, writer in
            do {
                try writer.put(line: Self.answer(messages.encodedMessage(in: line)))
            } catch let error as MessageError {
                try writer.put(error)
            }
        }
    }
}
