/// How secret a byte of an exchange is.
enum ByteSecrecy: Sendable, Hashable {
    /// It is recorded.
    case open
    /// It is part of what a tag holds: recorded only where contents are asked for.
    case content
    /// It is a key, a password, a PIN, or cannot be judged: never recorded.
    case secret
}

/// How secret each byte of a command and of its answer is.
struct ExchangeSecrecy: Sendable, Hashable {
    private(set) var command: [ByteSecrecy]
    private(set) var answer: [ByteSecrecy]

    /// An exchange with nothing to hide.
    init(commandCount: Int, answerCount: Int) {
        command = Array(repeating: .open, count: commandCount)
        answer = Array(repeating: .open, count: answerCount)
    }

    /// Marks bytes of the command; what lies outside of it is ignored, and a byte never becomes less secret.
    mutating func mark(command range: Range<Int>, _ secrecy: ByteSecrecy) {
        Self.mark(&command, range, secrecy)
    }

    /// Marks bytes of the answer; what lies outside of it is ignored, and a byte never becomes less secret.
    mutating func mark(answer range: Range<Int>, _ secrecy: ByteSecrecy) {
        Self.mark(&answer, range, secrecy)
    }

    private static func mark(_ bytes: inout [ByteSecrecy], _ range: Range<Int>, _ secrecy: ByteSecrecy) {
        for index in range.clamped(to: 0..<bytes.count) where bytes[index] != .secret { bytes[index] = secrecy }
    }

    /// The bytes of a command or answer without what must not be recorded.
    static func masked(_ bytes: [UInt8], _ secrecy: [ByteSecrecy], withContent: Bool) -> MaskedBytes {
        MaskedBytes(
            masking: zip(bytes, secrecy).map { byte, secrecy in
                switch secrecy {
                case .open: byte
                case .content: withContent ? byte : nil
                case .secret: nil
                }
            })
    }
}

/// Where the parts of a command APDU are (ISO/IEC 7816-4, 5.1).
struct APDULayout: Sendable, Hashable {
    let instructionClass: UInt8
    let instruction: UInt8
    let parameter: UInt16
    /// The data; empty without.
    let data: Range<Int>

    /// Nil for bytes that are not a command APDU.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 4 else { return nil }
        instructionClass = bytes[0]
        instruction = bytes[1]
        parameter = UInt16(bytes[2]) << 8 | UInt16(bytes[3])
        guard let data = Self.data(bytes) else { return nil }
        self.data = data
    }

    private static func data(_ bytes: [UInt8]) -> Range<Int>? {
        if bytes.count <= 5 { return 4..<4 }
        let short = Int(bytes[4])
        if short > 0 { return [5 + short, 6 + short].contains(bytes.count) ? 5..<5 + short : nil }
        guard bytes.count >= 7 else { return nil }
        let long = Int(bytes[5]) << 8 | Int(bytes[6])
        if bytes.count == 7 { return 7..<7 }
        return long > 0 && [7 + long, 9 + long].contains(bytes.count) ? 7..<7 + long : nil
    }
}
