/// The content of a transaction MAC file: a code over every transaction of its application, made with a key that only the card
/// and a back end know (MIFARE DESFire EV2; MF2DLHX0 data sheet, §10.3).
struct DESFireTransactionCode: Sendable, Hashable {
    private let key: [UInt8]
    /// The version of the key.
    let version: UInt8
    /// TMC, the number of transactions.
    private var counter = 0
    /// TMV, the code over the last one.
    private var value = [UInt8](repeating: 0, count: 8)

    /// - Parameter key: 16 bytes.
    init(key: [UInt8], version: UInt8) {
        self.key = key
        self.version = version
    }

    /// TMC and TMV, as reading shows them and a commit returns them.
    var bytes: [UInt8] { NativeNumber.bytes(counter, count: 4) + value }

    /// Counts a transaction.
    ///
    /// - Parameters:
    ///   - input: what the commands of the transaction contributed, whole blocks.
    ///   - identifier: the serial number of the card.
    mutating func commit(_ input: [UInt8], identifier: [UInt8]) {
        let session = Self.sessionKeys(key: key, counter: counter, identifier: identifier).authentication
        counter += 1
        let cipher = DESFireCipher(aes: session)
        value = Self.truncated(cipher.authenticationCode(input, vector: cipher.zero))
    }

    /// The keys of the transaction after the one that `counter` counted last.
    static func sessionKeys(
        key: [UInt8], counter: Int, identifier: [UInt8]
    ) -> (authentication: [UInt8], encryption: [UInt8]) {
        let cipher = DESFireCipher(aes: key)
        let context = [0x00, 0x01, 0x00, 0x80] + NativeNumber.bytes(counter + 1, count: 4) + identifier
        return (
            cipher.authenticationCode([0x5A] + context, vector: cipher.zero),
            cipher.authenticationCode([0xA5] + context, vector: cipher.zero)
        )
    }

    /// What a command contributes: its code and parameters, then its data, each filled up with zeros to whole blocks.
    static func input(_ instruction: UInt8, _ parameters: [UInt8], _ data: [UInt8] = []) -> [UInt8] {
        [[instruction] + parameters, data].flatMap { part in
            part + [UInt8](repeating: 0, count: (AES128.blockSize - part.count % AES128.blockSize) % AES128.blockSize)
        }
    }

    /// Every second byte of a CMAC, beginning with the second.
    static func truncated(_ code: [UInt8]) -> [UInt8] {
        code.enumerated().filter { !$0.offset.isMultiple(of: 2) }.map(\.element)
    }
}
