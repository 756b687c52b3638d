/// A contactless tag in the field of a reader, seen at frame level: what goes over the air without its CRC.
///
/// A tag comes up *idle*: it answers commands only after ``activate()``, as after REQA, anticollision and SELECT of
/// ISO/IEC 14443-3. It is a value; its owner decides which thread uses it.
public protocol VirtualTag: Sendable {
    /// The identifier the tag shows in anticollision, first byte sent first: 4, 7 or 10 bytes for type A.
    var identifier: [UInt8] { get }

    /// How readers speak to the tag. The default follows from the identifier: 8 bytes are ISO/IEC 15693, if E0 is the first, or
    /// FeliCa; other lengths are an NFC Forum Type 2 Tag. A ``ContactlessCard`` or ``TypeBCard`` is a card of ISO/IEC 14443-4.
    var technology: VirtualTagTechnology { get }

    /// The card name NN NN that PC/SC readers report (PC/SC part 3); nil for the usual one of the technology, the default.
    var cardName: UInt16? { get }

    /// The SAK of a type A tag (ISO/IEC 14443-3). The default is the usual one of the technology.
    var selectAcknowledge: UInt8 { get }

    /// Whether a reader that looks for tags finds this one; false for a chip in privacy mode. The default is true.
    var isDetectable: Bool { get }

    /// What a test did not expect, such as commands that a script does not have, in words. A test with virtual readers fails if
    /// there is anything. The default is empty.
    var objections: [String] { get }

    /// Selects the tag. A tag that was mute after a refused command answers again; authentications are gone.
    mutating func activate()

    /// Sends one command frame, without CRC, and returns what the reader receives.
    ///
    /// Any bytes may be passed; a tag that is not selected answers ``VirtualTagAnswer/silence``.
    mutating func exchange(_ command: [UInt8]) -> VirtualTagAnswer

    /// Turns the field off: everything volatile is lost, and the tag is idle when the field is back.
    mutating func fieldDropped()

    /// Receives the first frames of a command of ISO/IEC 14443-4, then loses power as in ``fieldDropped()``.
    ///
    /// A tag that stores data while a command is still coming has then stored a part of it. A command of no more frames was
    /// received as a whole and is carried out. By default nothing of the command is carried out.
    mutating func receive(_ command: [UInt8], frames: Int)

    /// Puts the tag into the field of a reader that serves every tag, which is still off.
    func inReader() -> any VirtualCard
}

extension VirtualTag {
    /// By the identifier.
    public var technology: VirtualTagTechnology { VirtualTagTechnology(identifier: identifier) }
    /// The usual one.
    public var cardName: UInt16? { nil }
    /// The usual one.
    public var selectAcknowledge: UInt8 { technology.usualSelectAcknowledge }
    /// Found.
    public var isDetectable: Bool { true }
    /// None.
    public var objections: [String] { [] }

    /// Nothing of the command is carried out.
    public mutating func receive(_ command: [UInt8], frames: Int) { fieldDropped() }

    /// The generic PC/SC reader.
    public func inReader() -> any VirtualCard { VirtualReader(tag: self) }
}

/// What a reader receives after it sent a frame to a tag.
public enum VirtualTagAnswer: Sendable, Hashable {
    /// A frame of whole bytes, without its CRC.
    case data([UInt8])
    /// The 4-bit acknowledge `A` of Type 2 tags.
    case ack
    /// A 4-bit refusal: 0 invalid argument, 1 parity or CRC, 4 limit reached, 5 EEPROM write error
    /// (NTAG213/215/216 data sheet, §9.3).
    case nak(UInt8)
    /// Nothing within the tag's time-out.
    case silence
}

/// Why a virtual tag could not be made.
public enum VirtualTagError: Error, Hashable, CustomStringConvertible {
    /// The NDEF message does not fit; both sizes in bytes.
    case messageTooLarge(size: Int, capacity: Int)
    /// The memory image is not exactly as long as the product's memory; both sizes in bytes.
    case wrongMemorySize(size: Int, expected: Int)
    /// The identifier does not have the product's length in bytes.
    case wrongIdentifierSize(size: Int, expected: Int)
    /// The originality signature does not have the product's length in bytes.
    case wrongSignatureSize(size: Int, expected: Int)
    /// The card has no key of this number, or its length is another.
    case wrongKey(number: UInt8)
    /// More counter values were given than the product has counters, or one is over 24 bits.
    case wrongCounters(count: Int, expected: Int)
    /// The capability container of a Type 4 tag is not one of the forms modelled, or names a file that is not there.
    case wrongCapabilityContainer
    /// A card has at most 15 historical bytes, not this many.
    case tooManyHistoricalBytes(Int)
    /// The application data of a type B card does not have 4 bytes, its protocol information 3, or the index is over 15.
    case wrongAnswerToRequest
    /// The AID is not 5 to 16 bytes in hexadecimal.
    case wrongApplicationIdentifier(String)
    /// Two applications of a card have this AID.
    case repeatedApplicationIdentifier(String)
    /// The chip refuses these settings or options, or has no such file, or the content of a file is too large for it.
    case refusedSettings([UInt8])
    /// No model of the catalogue has this name; `known` are the names there are.
    case unknownModel(name: String, known: [String])

    /// The error as a sentence.
    public var description: String {
        switch self {
        case .messageTooLarge(let size, let capacity):
            "the NDEF message has \(size) bytes, the tag takes at most \(capacity)"
        case .wrongMemorySize(let size, let expected):
            "the memory image has \(size) bytes, the tag has \(expected)"
        case .wrongIdentifierSize(let size, let expected):
            "the identifier has \(size) bytes, the tag has \(expected)"
        case .wrongSignatureSize(let size, let expected):
            "the signature has \(size) bytes, the tag has \(expected)"
        case .wrongKey(let number):
            "key \(number) cannot be set; the card has keys 0 to 4 of 16 bytes each"
        case .wrongCounters(let count, let expected):
            "\(count) counter values were given, the tag has \(expected) counters of 24 bits"
        case .wrongCapabilityContainer:
            "the capability container (E103) does not declare a message file that is there"
        case .tooManyHistoricalBytes(let count):
            "a card has at most 15 historical bytes, not \(count)"
        case .wrongAnswerToRequest:
            "a type B card has 4 bytes of application data, 3 of protocol information, and an index of 0 to 15"
        case .wrongApplicationIdentifier(let name):
            "\"\(name)\" is not an AID; write 5 to 16 bytes in hexadecimal, such as A0000005272101"
        case .repeatedApplicationIdentifier(let name):
            "two applications of the card have the AID \"\(name)\"; each needs its own"
        case .refusedSettings(let bytes):
            "the chip does not take \(DumpHex.text(bytes, separator: "")) as settings, options or content of a file"
        case .unknownModel(let name, let known):
            "there is no virtual tag model \"\(name)\"; known models: \(known.joined(separator: ", "))"
        }
    }
}
