/// A command APDU of the short cases 1 to 4 (ISO/IEC 7816-3), as a reader's firmware takes it apart.
struct ShortAPDU: Hashable {
    /// CLA.
    let instructionClass: UInt8
    /// INS.
    let instructionCode: UInt8
    /// P1.
    let p1: UInt8
    /// P2.
    let p2: UInt8
    /// What follows the header, nil where the lengths contradict each other.
    let body: Body?

    /// The part after the header.
    struct Body: Hashable {
        /// The command data, nil in cases 1 and 2.
        let data: [UInt8]?
        /// The expected length as sent, 0 for the maximum, nil in cases 1 and 3.
        let expected: UInt8?
    }

    /// Takes a command apart; nil when there is not even a header.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 4 else { return nil }
        instructionClass = bytes[0]
        instructionCode = bytes[1]
        p1 = bytes[2]
        p2 = bytes[3]
        body = Body(bytes.dropFirst(4))
    }
}

extension ShortAPDU.Body {
    init?(_ bytes: ArraySlice<UInt8>) {
        guard let first = bytes.first else {
            self.init(data: nil, expected: nil)
            return
        }
        guard bytes.count > 1 else {
            self.init(data: nil, expected: first)
            return
        }
        let data = Array(bytes.dropFirst().prefix(Int(first)))
        let rest = bytes.dropFirst(1 + Int(first))
        // A first byte of 00 with more behind it would be an extended length, which these readers do not take.
        guard first != 0, data.count == Int(first), rest.count <= 1 else { return nil }
        self.init(data: data, expected: rest.first)
    }
}

/// The status words the reader models answer (PC/SC part 3, ISO/IEC 7816-4).
enum VirtualStatusWord {
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
