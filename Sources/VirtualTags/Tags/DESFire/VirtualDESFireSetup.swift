/// An application of AES keys with one file, for a card that is personalised.
public struct VirtualDESFireSetup: Sendable {
    /// A key with its version.
    public struct Key: Sendable, Hashable {
        /// Sixteen bytes.
        public var value: [UInt8]
        /// The version that GetKeyVersion shows.
        public var version: UInt8

        /// A key of sixteen bytes.
        public init(_ value: [UInt8], version: UInt8 = 0x00) {
            self.value = value
            self.version = version
        }
    }

    /// Three bytes, the least significant first, as SelectApplication has them.
    public var application: [UInt8]
    /// The key settings, KeySettings1.
    public var settings: UInt8 = 0x0F
    /// The keys, number 0 first: 1 to 14.
    public var keys: [Key]
    /// The number of the file.
    public var fileNumber: UInt8 = 1
    /// The bytes of the file, a standard one.
    public var content: [UInt8]
    /// How the file is protected in a session: 0 plain, 1 MAC, 3 full.
    public var communication: UInt8 = 3
    /// The access rights of the file as they are sent: ReadWrite and Change, Read and Write.
    public var rights: [UInt8]

    /// An application; its file is read with key 1, written with key 2, and its rights are changed with key 0.
    public init(application: [UInt8], keys: [Key], content: [UInt8], rights: [UInt8] = [0x00, 0x12]) {
        self.application = application
        self.keys = keys
        self.content = content
        self.rights = rights
    }

    /// The application of the model.
    func made() throws(VirtualTagError) -> DESFireApplication {
        guard application.count == 3, rights.count == 2, (1...14).contains(keys.count) else {
            throw .wrongKey(number: UInt8(truncatingIfNeeded: keys.count))
        }
        for (number, key) in keys.enumerated() where key.value.count != 16 { throw .wrongKey(number: UInt8(number)) }
        var keyring = DESFireKeyring(key: .zero(.aes), count: keys.count, settings: settings)
        for (number, key) in keys.enumerated() {
            keyring.replace(UInt8(number), by: DESFireKey(.aes, key.value, version: key.version))
        }
        let file = DESFireFile(
            number: fileNumber, isoIdentifier: nil, communication: communication,
            rights: DESFireAccessRights(bytes: rights), content: .standard(content))
        return DESFireApplication(identifier: application, keyring: keyring, files: [file])
    }
}

extension VirtualDESFireCard {
    /// A card with an application of AES keys; the card master key is as delivered.
    ///
    /// - Throws: ``VirtualTagError`` for a key or an application that the card cannot have.
    public init(
        product: VirtualDESFireProduct, identifier: [UInt8]? = nil, setup: VirtualDESFireSetup
    ) throws(VirtualTagError) {
        try self.init(product: product, identifier: identifier, applications: [try setup.made()])
    }
}

/// The level of the card above its applications, for a card that is personalised; as delivered at first.
public struct VirtualDESFireLevel: Sendable, Hashable {
    /// The ciphers of a card master key.
    public enum Cipher: Sendable, Hashable {
        /// DES or triple DES with two keys: 16 bytes.
        case des
        /// Triple DES with three keys: 24 bytes.
        case tripleDES
        /// AES: 16 bytes.
        case aes
    }

    /// The cipher of the card master key.
    public var cipher = Cipher.des
    /// The card master key.
    public var key = VirtualDESFireSetup.Key([UInt8](repeating: 0, count: 16))
    /// The key settings, KeySettings1.
    public var settings: UInt8 = 0x0F
    /// The byte of option 00 of SetConfiguration: 01 without FormatPICC, 02 with a random identifier.
    public var flags: UInt8 = 0x00

    /// A level as delivered: DES of zeros, everything permitted.
    public init() {}

    var keyring: DESFireKeyring {
        let kind: DESFireKeyKind =
            switch cipher {
            case .des: .des
            case .tripleDES: .tripleDES
            case .aes: .aes
            }
        return DESFireKeyring(
            key: DESFireKey(kind, key.value, version: key.version), count: 1, settings: settings)
    }
}

extension VirtualDESFireCard {
    /// A card with applications of AES keys, and a level above them.
    ///
    /// - Throws: ``VirtualTagError`` for a key or an application that the card cannot have.
    public init(
        product: VirtualDESFireProduct, identifier: [UInt8]? = nil, level: VirtualDESFireLevel,
        setups: [VirtualDESFireSetup] = [], signature: [UInt8]? = nil
    ) throws(VirtualTagError) {
        guard level.key.value.count == (level.cipher == .tripleDES ? 24 : 16) else { throw .wrongKey(number: 0) }
        var applications: [DESFireApplication] = []
        for setup in setups { applications.append(try setup.made()) }
        try self.init(
            product: product, identifier: identifier, applications: applications, signature: signature, level: level)
    }
}
