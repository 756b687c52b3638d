extension StatusWord: CustomStringConvertible {
    /// Four digits and the meaning, for example `6A82 (file, application or block not found)`.
    public var description: String {
        let digits = Hexadecimal.string([sw1, sw2])
        return meaning.map { "\(digits) (\($0))" } ?? digits
    }

    /// What the status word says, in words; `nil` for one that neither ISO/IEC 7816-4 nor a known reader defines.
    public var meaning: String? { StatusWord.meanings[rawValue] ?? countedMeaning ?? familyMeaning }

    /// Meanings that carry a number.
    private var countedMeaning: String? {
        if let remainingLength { return "\(remainingLength) more bytes, fetch them with GET RESPONSE" }
        if let correctLength { return "wrong expected length, \(correctLength) is right" }
        return remainingTries.map { "verification failed, \($0) tries left" }
    }

    /// What SW1 alone says.
    private var familyMeaning: String? {
        switch sw1 {
        case 0x62, 0x63: "warning"
        case 0x64, 0x65: "execution error"
        case 0x67: "wrong length"
        case 0x68: "function of the class byte not supported"
        case 0x69: "command not allowed"
        case 0x6A: "wrong parameters"
        case 0x91: "native DESFire status \(Hexadecimal.string(sw2))"
        default: nil
        }
    }

    private static let meanings: [UInt16: String] = [
        0x9000: "done",
        0x6282: "data ended before the expected length",
        0x6300: "operation failed: refused, no answer or not authenticated",
        0x6581: "memory failure",
        0x6700: "wrong length",
        0x6900: "command not allowed now",
        0x6981: "command does not fit the card",
        0x6982: "security status not satisfied",
        0x6983: "authentication blocked",
        0x6984: "reference data not usable",
        0x6985: "conditions of use not satisfied",
        0x6986: "no current file",
        0x6A80: "wrong data",
        0x6A81: "function not supported",
        0x6A82: "file, application or block not found",
        0x6A86: "wrong P1 or P2",
        0x6B00: "offset outside the file",
        0x6D00: "instruction not supported",
        0x6E00: "class not supported",
        0x6F00: "no precise diagnosis",
        0x9100: "native DESFire status: done",
        0x919D: "native DESFire status: permission denied",
        0x91AE: "native DESFire status: authentication error",
        0x91AF: "native DESFire status: more frames follow",
        0x91F0: "native DESFire status: file not found",
    ]
}
