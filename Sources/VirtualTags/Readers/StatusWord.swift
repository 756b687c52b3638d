/// The status words the reader models answer (PC/SC part 3, ISO/IEC 7816-4).
enum StatusWord {
    static let done: [UInt8] = [0x90, 0x00]
    /// The tag refused, was silent or answered nonsense.
    static let failed: [UInt8] = [0x63, 0x00]
    static let wrongLength: [UInt8] = [0x67, 0x00]
    /// Not allowed now.
    static let notAllowed: [UInt8] = [0x69, 0x00]
    static let functionNotSupported: [UInt8] = [0x6A, 0x81]
    /// No such key slot.
    static let keySlotInvalid: [UInt8] = [0x69, 0x88]
    /// A key of another length.
    static let keyLengthWrong: [UInt8] = [0x69, 0x89]
    /// The addressed page cannot exist.
    static let notFound: [UInt8] = [0x6A, 0x82]
    static let instructionNotSupported: [UInt8] = [0x6D, 0x00]
    static let classNotSupported: [UInt8] = [0x6E, 0x00]
    /// No precise diagnosis; here: an APDU for a card without power.
    static let noDiagnosis: [UInt8] = [0x6F, 0x00]

    /// The right Le is `count`, at most 255.
    static func rightLength(_ count: Int) -> [UInt8] { [0x6C, UInt8(truncatingIfNeeded: count)] }
}
