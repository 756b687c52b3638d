import NFCTypes

/// A recording as the log of pcsc-lite's spy library, which `pcsc-spy FILE` shows as calls with their arguments.
///
/// Connections, resets, exchanges and commands to readers become the calls that bring them about. Masked bytes are 00.
public struct PCSCSpyExport: Sendable {
    /// The lines of the file.
    public private(set) var text = ""

    private static let thread = "1"
    private static let context = "0x00000001"
    private static let protocols = "0x00000003"
    private static let activeProtocol = "0x00000002"
    /// The size of SCARD_IO_REQUEST.
    private static let requestLength = "0x00000010"
    /// The codes of PC/SC for the errors that have a name (winscard.h).
    private static let codes = [
        "tagLost": "0x80100069", "timedOut": "0x8010000A", "readerFailed": "0x80100017", "busy": "0x8010000B",
    ]

    /// Converts a recording.
    public init(_ recording: Recording) {
        var handles: [String: Int] = [:]
        var names: [String: String] = [:]
        for reader in recording.readers { names[reader.id] = reader.name }
        for line in recording.lines {
            let reader = line.reader ?? ""
            let handle = handles[reader] ?? 0
            switch line.event {
            case .connect:
                if handles[reader] == nil { handles[reader] = handles.count + 1 }
                let handle = Self.hex(handles[reader] ?? 1)
                let name = Self.field(names[reader, default: reader])
                call(
                    "SCardConnect", line,
                    [Self.context, name, "0x00000001", Self.protocols, "0x00000000", "0x00000000"],
                    [handle, Self.activeProtocol])
            case .reset:
                call(
                    "SCardReconnect", line, [Self.hex(handle), "0x00000001", Self.protocols, "0x00000001"],
                    [Self.activeProtocol])
            case .transmit:
                let request = [Self.activeProtocol, Self.requestLength]
                call(
                    "SCardTransmit", line, [Self.hex(handle)] + request + Self.buffer(line.command),
                    request + Self.buffer(line.answer))
            case .control:
                call(
                    "SCardControl", line, [Self.hex(handle), "0x42000001"] + Self.buffer(line.command), Self.buffer(nil)
                )
            case .disconnect: call("SCardDisconnect", line, [Self.hex(handle), "0x00000000"], [])
            default: break
            }
        }
    }

    /// A call: its name and arguments, and after them its results and its return value.
    private mutating func call(_ name: String, _ line: RecordingLine, _ arguments: [String], _ results: [String]) {
        let took = line.took ?? 0
        let start = line.time >= took ? line.time - took : 0
        append(">|\(Self.time(start))|\(name)")
        for argument in arguments { append(argument) }
        for result in results { append(result) }
        let code = line.failure.map { failure in
            Self.codes[failure.name] ?? failure.code.map { Self.hex(Int($0)) } ?? "0x80100001"
        }
        let text = line.failure?.name ?? "success"
        append("<|\(Self.time(line.time))|\(name)|\(text.filter { $0.isLetter })|\(code ?? "0x00000000")")
    }

    /// A text without the separator of the format, and on one line.
    private static func field(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { $0 == "@" || $0.isUnprintable ? " " : $0 }))
    }

    private mutating func append(_ line: String) { text += "\(Self.thread)@\(line)\n" }

    private static func time(_ microseconds: UInt64) -> String {
        "\(microseconds / 1_000_000)|\(microseconds % 1_000_000)"
    }

    private static func hex(_ number: Int) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return "0x" + String(repeating: "0", count: max(0, 8 - digits.count)) + digits
    }

    /// The length, then the bytes.
    private static func buffer(_ bytes: MaskedBytes?) -> [String] {
        let bytes = bytes?.filled ?? []
        let text = bytes.map { byte in
            let digits = String(byte, radix: 16, uppercase: true)
            return digits.count == 1 ? "0\(digits)" : digits
        }
        return [hex(bytes.count), text.isEmpty ? "NULL" : text.joined(separator: " ")]
    }
}
