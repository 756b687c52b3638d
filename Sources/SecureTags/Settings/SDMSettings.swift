/// The part of file settings for secure dynamic messaging: what the tag writes into its NDEF text at each tap (NT4H2421Gx, §9.3).
///
/// All offsets count from the first byte of the file, and are the first byte of a placeholder.
public struct SDMSettings: Sendable, Equatable {
    /// Encrypted file data.
    public struct Encryption: Sendable, Equatable {
        /// Where its placeholder begins.
        public var offset: Int
        /// Characters of the placeholder: a multiple of 32. The first half of it is the plaintext.
        public var length: Int

        /// A placeholder.
        public init(offset: Int, length: Int) {
            self.offset = offset
            self.length = length
        }
    }

    /// The key that encrypts UID and counter; `free` shows them in clear.
    public var metaRead: AccessCondition
    /// The key of the code; `never` for no code.
    public var fileRead: AccessCondition
    /// Who may read the counter with GetFileCounters.
    public var counterRetrieval: AccessCondition
    /// Whether the UID is mirrored.
    public var mirrorsUID = true
    /// Whether the counter counts and is mirrored.
    public var mirrorsCounter = true
    /// Where the UID is mirrored in clear: 14 characters.
    public var uidOffset: Int?
    /// Where the counter is mirrored in clear: 6 characters; nil if it counts and is not mirrored.
    public var counterOffset: Int?
    /// Where the encrypted UID and counter are: 32 characters, or 48 in LRP mode.
    public var piccDataOffset: Int?
    /// Where the tamper status is: 2 characters.
    public var tamperOffset: Int?
    /// Where the input of the code begins; it ends before the code.
    public var macInputOffset: Int?
    /// Where the code is: 16 characters.
    public var macOffset: Int?
    /// Encrypted file data.
    public var encryption: Encryption?
    /// The last value of the counter.
    public var counterLimit: Int?

    /// Settings for UID and counter; the offsets are set afterwards.
    public init(
        metaRead: AccessCondition, fileRead: AccessCondition, counterRetrieval: AccessCondition = .never
    ) {
        self.metaRead = metaRead
        self.fileRead = fileRead
        self.counterRetrieval = counterRetrieval
    }
}

extension SDMSettings {
    private enum Option {
        static let (uid, counter, limit, encryption): (UInt8, UInt8, UInt8, UInt8) = (0x80, 0x40, 0x20, 0x10)
        static let (tamper, ascii): (UInt8, UInt8) = (0x08, 0x01)
    }

    private static let noOffset = 0xFFFFFF

    private var options: UInt8 {
        Option.ascii | (mirrorsUID ? Option.uid : 0) | (mirrorsCounter ? Option.counter : 0)
            | (counterLimit == nil ? 0 : Option.limit) | (encryption == nil ? 0 : Option.encryption)
            | (tamperOffset == nil ? 0 : Option.tamper)
    }

    /// The option byte, two bytes of access rights, and the fields that these ask for.
    var bytes: [UInt8] {
        var bytes = [
            options, 0xF0 | counterRetrieval.nibble, metaRead.nibble << 4 | fileRead.nibble,
        ]
        func append(_ number: Int?) { bytes += [UInt8](littleEndian: number ?? Self.noOffset, count: 3) }
        if metaRead == .free, mirrorsUID { append(uidOffset) }
        if metaRead == .free, mirrorsCounter { append(counterOffset) }
        if metaRead.keyNumber != nil { append(piccDataOffset) }
        if tamperOffset != nil { append(tamperOffset) }
        if fileRead != .never {
            append(macInputOffset)
            if let encryption {
                append(encryption.offset)
                append(encryption.length)
            }
            append(macOffset)
        }
        if counterLimit != nil { append(counterLimit) }
        return bytes
    }

    /// Reads the part.
    init(parsing bytes: [UInt8]) throws(SecureTagError) {
        guard bytes.count >= 3, bytes[0] & 0x06 == 0, bytes[0] & Option.ascii != 0 else {
            throw .malformed("settings of secure dynamic messaging")
        }
        let options = bytes[0]
        self.init(
            metaRead: AccessCondition(nibble: bytes[2] >> 4), fileRead: AccessCondition(nibble: bytes[2]),
            counterRetrieval: AccessCondition(nibble: bytes[1]))
        mirrorsUID = options & Option.uid != 0
        mirrorsCounter = options & Option.counter != 0
        try parseFields(Array(bytes.dropFirst(3)), options)
    }

    private mutating func parseFields(_ bytes: [UInt8], _ options: UInt8) throws(SecureTagError) {
        var position = 0
        func next() throws(SecureTagError) -> Int {
            guard let field = bytes.part(position, 3) else {
                throw .malformed("settings of secure dynamic messaging: a field is missing")
            }
            position += 3
            return field.littleEndianNumber
        }
        if metaRead == .free, mirrorsUID { uidOffset = try next() }
        if metaRead == .free, mirrorsCounter {
            let offset = try next()
            counterOffset = offset == Self.noOffset ? nil : offset
        }
        if metaRead.keyNumber != nil { piccDataOffset = try next() }
        if options & Option.tamper != 0 { tamperOffset = try next() }
        if fileRead != .never {
            macInputOffset = try next()
            if options & Option.encryption != 0 { encryption = Encryption(offset: try next(), length: try next()) }
            macOffset = try next()
        }
        if options & Option.limit != 0 { counterLimit = try next() }
        guard position == bytes.count else {
            throw .malformed("settings of secure dynamic messaging: \(bytes.count - position) bytes too many")
        }
    }
}
