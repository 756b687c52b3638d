/// The meaning of the configuration pages CFG0, CFG1, PWD and PACK (NTAG213/215/216 data sheet, §8.5.7). A chip without
/// them protects nothing.
struct Type2Configuration {
    /// The sixteen bytes of the four pages.
    private let bytes: [UInt8]

    init(_ bytes: some Collection<UInt8>) {
        self.bytes = Array(bytes)
    }

    /// The first page that needs the password; beyond the memory, nothing does.
    var firstProtectedPage: Int { bytes.isEmpty ? 0xFF : Int(byte(3)) }
    /// PROT: reading needs the password as well.
    var protectsReading: Bool { access & 0x80 != 0 }
    /// CFGLCK: CFG0 and CFG1 are read-only for good, from the next power-on.
    var isLocked: Bool { access & 0x40 != 0 }
    /// NFC_CNT_EN of NTAG21x.
    var countsReads: Bool { access & 0x10 != 0 }
    /// NFC_CNT_PWD_PROT of NTAG21x.
    var protectsCounter: Bool { access & 0x08 != 0 }
    /// AUTHLIM: how many wrong passwords are taken, 0 for any number.
    var attemptLimit: Int { Int(access & 0x07) }
    /// VCTID of Ultralight EV1, the answer to VCSL.
    var virtualCardTypeIdentifier: UInt8 { byte(5) }
    /// PWD, four bytes.
    var password: [UInt8] { Array(bytes.dropFirst(8).prefix(4)) }
    /// PACK, the two bytes PWD_AUTH answers.
    var passwordAcknowledge: [UInt8] { Array(bytes.dropFirst(12).prefix(2)) }

    private var access: UInt8 { byte(4) }

    private func byte(_ offset: Int) -> UInt8 { bytes.dropFirst(offset).first ?? 0 }
}
