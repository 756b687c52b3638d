import ArgumentParser
import NDEF
import VirtualTags

/// `nfcctl ndef decode`: shows the content of a message.
struct NDEFDecodeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode",
        abstract: "Show the content of a message, record by record.",
        discussion: """
            The message is given as an argument, in a file, or on standard input: in hexadecimal (spaces, colons, dashes, \
            line breaks and 0x are ignored), in base64, or in binary. The notation is detected, unless --hex, --base64 or \
            --binary is given. For each record, it shows the position, the flags and fields, the decoded content, and the \
            bytes of the payload. An invalid message is shown up to the error.

            With --json, prints one line per message:
              {"ok":true,"records":[…],"warnings":[…]}
              {"ok":false,"error":{"code":"TRUNCATED_PAYLOAD","message":…}}

            Examples:
              nfcctl ndef decode D1010C55046578616D706C652E636F6D
              nfcctl ndef decode 'd1 01 0c 55 04 65 78 61 6d 70 6c 65 2e 63 6f 6d'
              nfcctl ndef decode 0QEMVQRleGFtcGxlLmNvbQ==
              nfcctl ndef decode --file message.bin --full
              generate-messages | nfcctl ndef decode --json --stdin-lines

            Exit codes: 0 done, 64 usage error, 65 invalid message, 66 the file cannot be read.
            """)

    @Argument(help: "The message in hexadecimal or base64; - is standard input.")
    var input: String?

    @Option(
        help: ArgumentHelp("Read the message from this file; - is standard input.", valueName: "path"),
        completion: .file())
    var file: String?

    @Flag var notation: MessageNotation?

    @Flag(help: "Do not truncate long payloads and texts.")
    var full = false

    @Flag(help: "Print JSON.")
    var json = false

    @Flag(
        help: """
            Read one message in plain hexadecimal per line of standard input, and answer each line immediately (requires \
            --json).
            """)
    var stdinLines = false

    func validate() throws {
        if input != nil, file != nil {
            throw ValidationError("a message and --file cannot be combined; give one of them")
        }
        if input != nil, notation == .binary {
            throw ValidationError("--binary requires a file or standard input; use --file")
        }
        if full, json { throw ValidationError("--full cannot be combined with --json, which never truncates") }
        guard stdinLines else {
            if input == nil, file == nil, Terminal.isInput {
                throw ValidationError(
                    "no message given; give one such as D1010C55046578616D706C652E636F6D, or use --file")
            }
            return
        }
        if input != nil || file != nil {
            throw ValidationError("--stdin-lines reads standard input; give no message and no --file")
        }
        if let notation, notation != .hexadecimal { throw ValidationError("--stdin-lines supports only hexadecimal") }
        if !json { throw ValidationError("--stdin-lines requires --json") }
    }

    func run() async throws {
        if stdinLines {
            return try LineService(limit: InputLimits.hexadecimalLine).run { try $1.put(DecodingResult($0)) }
        }
        let bytes = try message()
        let isValid = json ? try printJSON(bytes) : try printReport(bytes)
        guard !isValid else { return }
        if (try? TagImage(dump: bytes)) != nil {
            Terminal.error(
                "nfcctl: This is not a message, but the memory of a tag, which nfcctl virtual-tag and nfcctl restore read."
            )
        }
        throw ExitCode.badData
    }

    /// The bytes of the message.
    private func message() throws -> [UInt8] {
        let argument = input == "-" ? nil : input
        let source = file.map { InputFile(path: $0) } ?? .standardInput
        let text = try argument.map { Array($0.utf8) } ?? source.read(limit: InputLimits.text)
        do throws(NotationError) {
            return try (notation ?? .detected(in: text)).bytes(of: text)
        } catch {
            let place = argument == nil ? source.name : "the message"
            throw exitCode(reporting: MessageError(code: error.code, message: "\(place), \(error.message)"))
        }
    }

    private func exitCode(reporting error: MessageError) -> ExitCode {
        if json { Terminal.print(json: error) } else { Terminal.error("nfcctl: \(error)") }
        return .badData
    }

    private func printJSON(_ bytes: [UInt8]) throws -> Bool {
        let result = DecodingResult(bytes)
        let writer = JSONLineWriter()
        try writer.put(result)
        try writer.flush()
        if case .success = result { return true }
        return false
    }

    private func printReport(_ bytes: [UInt8]) throws -> Bool {
        let output = OutputBuffer()
        let isValid = try MessageReport(isFull: full, put: output.put(line:)).show(bytes)
        try output.flush()
        return isValid
    }
}

/// The result of decoding a message. Its JSON form is a fixed interface.
enum DecodingResult: Encodable {
    case success(NDEFMessage, warnings: [NDEFWarning])
    case failure(MessageError)

    private enum CodingKeys: String, CodingKey {
        case ok, records, warnings
    }

    init(_ bytes: [UInt8]) {
        do throws(NDEFError) {
            let decoding = try NDEFMessage.decode(bytes)
            self = .success(decoding.message, warnings: decoding.warnings + decoding.message.payloadWarnings)
        } catch {
            self = .failure(MessageError(code: error.code.rawValue, message: error.message))
        }
    }

    /// Decodes a line of hexadecimal digits of either case, without separators.
    init(_ line: BoundedLineReader.Line) {
        switch line {
        case .tooLong: self = .failure(.lineTooLong)
        case .line(let digits):
            guard let bytes = [UInt8](hexadecimal: String(decoding: digits, as: UTF8.self)) else {
                let reason = "expected an even number of hexadecimal digits and no other characters"
                self = .failure(MessageError(code: NotationError.notHexadecimal, message: reason))
                return
            }
            self.init(bytes)
        }
    }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .failure(let error): try error.encode(to: encoder)
        case .success(let message, let warnings):
            var object = encoder.container(keyedBy: CodingKeys.self)
            try object.encode(true, forKey: .ok)
            try object.encode(message.records, forKey: .records)
            try object.encode(warnings.map(\.code.rawValue), forKey: .warnings)
        }
    }
}
