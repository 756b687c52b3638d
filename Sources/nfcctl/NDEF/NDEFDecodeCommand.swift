import ArgumentParser
import NDEF

/// `nfcctl ndef decode`: what a message says.
struct NDEFDecodeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode",
        abstract: "Show what a message says, record by record, down to its bytes.",
        discussion: """
            The message is given as INPUT, in a file, or on standard input; in hexadecimal (spaces, colons, dashes, line \
            breaks and 0x do not matter), in base64, or as it is. What it looks like decides, unless --hex, --base64 or \
            --binary says it. For each record there is where it begins, its flags and fields, what its payload says, and \
            the payload's bytes. A message that breaks off is shown up to the fault.

            With --json, one line per message:
              {"ok":true,"records":[…],"warnings":[…]}
              {"ok":false,"error":{"code":"TRUNCATED_PAYLOAD","message":…}}

            Examples:
              nfcctl ndef decode D1010C55046578616D706C652E636F6D
              nfcctl ndef decode 'd1 01 0c 55 04 65 78 61 6d 70 6c 65 2e 63 6f 6d'
              nfcctl ndef decode 0QEMVQRleGFtcGxlLmNvbQ==
              nfcctl ndef decode --file message.bin --full
              generate-messages | nfcctl ndef decode --json --stdin-lines

            Exit codes: 0 done, 64 usage, 65 no message or a broken one, 66 the file cannot be read.
            """)

    @Argument(help: "The message in hexadecimal or base64; - is standard input.")
    var input: String?

    @Option(help: ArgumentHelp("Read the message from this file; - is standard input.", valueName: "path"))
    var file: String?

    @Flag var notation: MessageNotation?

    @Flag(help: "Show long payloads and texts whole.")
    var full = false

    @Flag(help: "JSON in place of text.")
    var json = false

    @Flag(
        help: """
            One message in plain hexadecimal per line of standard input, each answered with one line at once (needs --json).
            """)
    var stdinLines = false

    func validate() throws {
        if input != nil, file != nil { throw ValidationError("give the message or --file, not both") }
        if input != nil, notation == .binary {
            throw ValidationError("--binary is for files and standard input; give the path with --file")
        }
        if full, json { throw ValidationError("--json shows everything; it takes no --full") }
        guard stdinLines else {
            if input == nil, file == nil, Terminal.isInput {
                throw ValidationError("give a message, e.g. D1010C55046578616D706C652E636F6D, or --file")
            }
            return
        }
        if input != nil || file != nil { throw ValidationError("--stdin-lines takes the messages from standard input") }
        if let notation, notation != .hexadecimal { throw ValidationError("--stdin-lines takes hexadecimal only") }
        if !json { throw ValidationError("--stdin-lines answers in JSON: add --json") }
    }

    func run() async throws {
        if stdinLines {
            return try LineService(limit: InputLimits.hexadecimalLine).run { try $1.put(DecodeOutcome($0)) }
        }
        let bytes = try message()
        let isWhole = json ? try printJSON(bytes) : try printSheet(bytes)
        if !isWhole { throw ExitCode.badData }
    }

    /// The message's bytes.
    private func message() throws -> [UInt8] {
        let argument = input == "-" ? nil : input
        let source = file.map { InputFile(path: $0) } ?? .standardInput
        let text = try argument.map { Array($0.utf8) } ?? source.read(limit: InputLimits.text)
        do throws(NotationError) {
            return try (notation ?? .recognized(in: text)).bytes(of: text)
        } catch {
            let place = argument == nil ? source.name : "the message"
            throw refuse(Refusal(code: error.code, message: "\(place), \(error.message)"))
        }
    }

    private func refuse(_ refusal: Refusal) -> ExitCode {
        if json { Terminal.print(json: refusal) } else { Terminal.error("nfcctl: \(refusal)") }
        return .badData
    }

    private func printJSON(_ bytes: [UInt8]) throws -> Bool {
        let outcome = DecodeOutcome(bytes)
        let writer = AnswerWriter()
        try writer.put(outcome)
        try writer.flush()
        if case .success = outcome { return true }
        return false
    }

    private func printSheet(_ bytes: [UInt8]) throws -> Bool {
        let output = OutputBuffer()
        let isWhole = try MessageSheet(isFull: full, put: output.put(line:)).show(bytes)
        try output.flush()
        return isWhole
    }
}

/// What decoding a message gave; as JSON, a fixed interface.
enum DecodeOutcome: Encodable {
    case success(NDEFMessage, warnings: [NDEFWarning])
    case failure(Refusal)

    private enum CodingKeys: String, CodingKey {
        case ok, records, warnings
    }

    init(_ bytes: [UInt8]) {
        do throws(NDEFError) {
            let decoding = try NDEFMessage.decode(bytes)
            self = .success(decoding.message, warnings: decoding.warnings + decoding.message.payloadWarnings)
        } catch {
            self = .failure(Refusal(code: error.code.rawValue, message: error.message))
        }
    }

    /// Decodes a line of digits of either case, with nothing between them.
    init(_ line: BoundedLineReader.Line) {
        switch line {
        case .tooLong: self = .failure(.lineTooLong)
        case .line(let digits):
            guard let bytes = [UInt8](hexadecimal: String(decoding: digits, as: UTF8.self)) else {
                let reason = "expected an even number of hexadecimal digits, and nothing else"
                self = .failure(Refusal(code: NotationError.notHexadecimal, message: reason))
                return
            }
            self.init(bytes)
        }
    }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .failure(let refusal): try refusal.encode(to: encoder)
        case .success(let message, let warnings):
            var object = encoder.container(keyedBy: CodingKeys.self)
            try object.encode(true, forKey: .ok)
            try object.encode(message.records, forKey: .records)
            try object.encode(warnings.map(\.code.rawValue), forKey: .warnings)
        }
    }
}
