/// What an NTAG 424 DNA writes over the content of a file while it is read (NT4H2421Gx, §9.3).
struct NTAG424SDM: Sendable, Hashable {
    /// Reads that see one value of the counter, and the same random numbers.
    struct Run: Sendable, Hashable {
        /// By which command the file is read.
        enum Command: Sendable, Hashable {
            case readData
            case readBinary
        }

        let command: Command
        /// SDMReadCtr.
        let counter: UInt32
        /// At least 13 random bytes: padding and, with LRP, PICCRand.
        let random: [UInt8]
        /// How many random bytes it takes.
        static let randomCount = 16
    }

    let settings: NTAG424SDMSettings
    let identifier: [UInt8]
    let isLRP: Bool
    /// The key of SDMMetaRead.
    var metaReadKey: [UInt8]?
    /// The key of SDMFileRead.
    var fileReadKey: [UInt8]?

    /// The content of the file as it leaves the tag.
    ///
    /// - Parameter tamperStatus: TTPermStatus and TTCurrStatus; nil for a chip without a tamper loop.
    func mirrored(_ content: [UInt8], run: Run, tamperStatus: [UInt8]? = nil) -> [UInt8] {
        var content = content
        if let offset = settings.identifierOffset { content.overwrite(at: offset, with: Self.text(identifier)) }
        if let offset = settings.counterOffset, offset != NTAG424SDMSettings.hidden {
            content.overwrite(at: offset, with: Self.text(Self.bytes(run.counter).reversed()))
        }
        if let offset = settings.encryptedIdentityOffset, let metaReadKey {
            content.overwrite(at: offset, with: Self.text(encryptedIdentity(run, key: metaReadKey)))
        }
        if let offset = settings.tamperStatusOffset, let tamperStatus {
            content.overwrite(at: offset, with: tamperStatus)
        }
        guard let fileReadKey, let codeOffset = settings.codeOffset, let start = settings.codeInputOffset else {
            return content
        }
        let keys = sessionKeys(fileReadKey, counter: run.counter)
        if let place = settings.encryptedData, let plaintext = settings.plaintext {
            let encrypted = keys.encrypt(Array(content[plaintext]))
            content.overwrite(at: place.lowerBound, with: Self.text(encrypted))
        }
        content.overwrite(at: codeOffset, with: Self.text(keys.code(Array(content[start..<codeOffset]))))
        return content
    }

    /// Upper-case hexadecimal.
    private static func text(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        return bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0x0F)]] }
    }

    /// Least significant byte first.
    static func bytes(_ counter: UInt32) -> [UInt8] { NTAG424SDMSettings.threeBytes(Int(counter)) }
}

// MARK: PICCData (§9.3.4)

extension NTAG424SDM {
    /// Sixteen bytes, with LRP after the eight of PICCRand.
    private func encryptedIdentity(_ run: Run, key: [UInt8]) -> [UInt8] {
        let prefix = isLRP ? Array(run.random.prefix(8)) : []
        let plain = identity(run.counter, padding: Array(run.random.dropFirst(prefix.count)))
        guard isLRP else { return AES128(key: key).encryptCBC(plain) }
        return prefix + NTAG424LRP(key: key).encrypt(plain, counter: prefix)
    }

    /// The tag, what it announces, and the padding to one block.
    private func identity(_ counter: UInt32, padding: [UInt8]) -> [UInt8] {
        let hasIdentifier = settings.options.contains(.identifier)
        let hasCounter = settings.options.contains(.counter)
        let tag: UInt8 = (hasIdentifier ? 0x87 : 0x00) | (hasCounter ? 0x40 : 0x00)
        let parts = [tag] + (hasIdentifier ? identifier : []) + (hasCounter ? Self.bytes(counter) : [])
        let filling = padding + [UInt8](repeating: 0, count: AES128.blockSize)
        return Array((parts + filling).prefix(AES128.blockSize))
    }
}

// MARK: Session keys (§9.3.9)

extension NTAG424SDM {
    /// The keys of one value of the counter.
    struct SessionKeys: Sendable, Hashable {
        fileprivate let keys: NTAG424Cipher
        fileprivate let counter: [UInt8]

        /// The eight bytes of SDMMAC.
        func code(_ message: [UInt8]) -> [UInt8] { keys.code(message) }

        /// The CMAC of which SDMMAC has every second byte.
        func wholeCode(_ message: [UInt8]) -> [UInt8] { keys.wholeCode(message) }

        /// SDMENCFileData, of whole blocks.
        func encrypt(_ bytes: [UInt8]) -> [UInt8] {
            switch keys {
            case .aes(let encryption, _):
                let vector = encryption.encrypt(counter + [UInt8](repeating: 0, count: 13))
                return encryption.encryptCBC(bytes, vector: vector)
            case .lrp(let encryption, _, _): return encryption.encrypt(bytes, counter: counter + [0, 0, 0])
            }
        }
    }

    /// Derives the keys of a counter's value.
    func sessionKeys(_ key: [UInt8], counter: UInt32) -> SessionKeys {
        let counter = Self.bytes(counter)
        let context = (settings.bindsIdentifier ? identifier : []) + (settings.bindsCounter ? counter : [])
        return SessionKeys(keys: Self.keys(key, context: context, isLRP: isLRP), counter: counter)
    }

    /// - Parameter context: UID and counter, as far as they are mirrored.
    static func keys(_ key: [UInt8], context: [UInt8], isLRP: Bool) -> NTAG424Cipher {
        if isLRP {
            let vector = padded([0x00, 0x01, 0x00, 0x80] + context, to: 14) + [0x1E, 0xE1]
            return .lrp(master: NTAG424LRP(key: key).authenticationCode(vector))
        }
        let base = AES128(key: key)
        func derived(_ label: [UInt8]) -> AES128 {
            let vector = label + [0x00, 0x01, 0x00, 0x80] + context
            return AES128(key: base.authenticationCode(padded(vector, to: AES128.blockSize)))
        }
        return .aes(encryption: derived([0xC3, 0x3C]), authentication: derived([0x3C, 0xC3]))
    }

    private static func padded(_ bytes: [UInt8], to count: Int) -> [UInt8] {
        bytes + [UInt8](repeating: 0, count: max(count - bytes.count, 0))
    }
}
