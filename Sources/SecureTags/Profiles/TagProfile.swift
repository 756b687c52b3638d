/// How tags of a site prove themselves: which tags, by which keys, and how.
public struct TagProfile: Sendable, Hashable {
    /// The kinds of tags.
    public enum Product: String, Sendable, CaseIterable {
        /// NTAG 424 DNA, with or without TagTamper.
        case ntag424
        /// MIFARE DESFire EV1 to EV3 with an AES application.
        case desfire
        /// MIFARE Ultralight AES.
        case ultralightAES = "ultralight-aes"
        /// MIFARE Ultralight C, which proves nothing: it is always weak.
        case ultralightC = "ultralight-c"
    }

    /// How a tag is asked.
    public enum Method: String, Sendable, CaseIterable {
        /// By a challenge: the tag is at the reader now.
        case mutual
        /// By the code in its message (SUN).
        case sun
    }

    /// What a key of a tag is for.
    public enum Role: String, Sendable, CaseIterable {
        /// Changes the other keys and the settings: key 0.
        case master
        /// Decrypts UID and counter in the message of an NTAG 424; all tags share it.
        case meta
        /// Makes the code of the message of an NTAG 424.
        case file
        /// Answers the challenge.
        case tag
        /// Changes the protected file of a DESFire.
        case write
    }

    /// How the keys of tags follow from those of the site.
    public enum Derivation: String, Sendable, CaseIterable {
        /// AN10922 over UID ‖ application ‖ key number ‖ system identifier.
        case an10922
        /// The same with an ordinary CMAC, as libfreefare and python-desfire compute it.
        case cmac
        /// Not at all: every tag has the same key.
        case none
    }

    /// How a DESFire protects its messages.
    public enum Messaging: String, Sendable, CaseIterable {
        /// EV2 and later.
        case ev2
        /// EV1.
        case ev1
    }

    /// The name, for taps and commands.
    public var name: String
    /// The kind of tag.
    public var product: Product
    /// How it is asked.
    public var method: Method
    /// The names of the keys.
    public var keys: [Role: String]
    /// How keys follow from those of the site.
    public var derivation = Derivation.an10922
    /// What distinguishes the keys of this system from those of others with the same master: at most 16 bytes.
    public var systemIdentifier: [UInt8] = []
    /// The host of the URI in the message; nil: any message, or none.
    public var uriHost: String?
    /// The template of the URI of an NTAG 424, such as `https://ex.am/?p={picc}&c={mac}`.
    public var url: String?
    /// Whether the tag is in LRP mode.
    public var usesLRP = false
    /// Whether the tag has to have a tamper loop that was never opened.
    public var expectsTamper = false
    /// The application of a DESFire, as it is printed: 3 bytes, the highest first.
    public var application: [UInt8] = []
    /// The number of the protected file of a DESFire.
    public var fileNumber: UInt8 = 1
    /// How a DESFire protects its messages.
    public var messaging = Messaging.ev2

    /// A profile.
    public init(name: String, product: Product, method: Method = .mutual, keys: [Role: String]) {
        self.name = name
        self.product = product
        self.method = method
        self.keys = keys
    }

    /// The number on the tag of the key of a role; nil if the product has none.
    public func number(of role: Role) -> UInt8? {
        switch (product, role) {
        case (.ntag424, .master), (.desfire, .master), (.ultralightAES, .tag), (.ultralightC, .tag): 0
        case (.ntag424, .meta), (.desfire, .tag): 1
        case (.ntag424, .file), (.desfire, .write): 2
        case (.ntag424, .tag): 3
        default: nil
        }
    }

    /// The longest system identifier, in bytes: so that M of AN10922 has at most 31.
    public static let longestSystemIdentifier = 16
    /// The name of the application of an NTAG 424 (NT4H2421Gx, §8.2.1).
    static let ntag424Application: [UInt8] = [0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x01]

    /// The level above the applications of a DESFire.
    private static let cardLevel: [UInt8] = [0x00, 0x00, 0x00]

    /// M of AN10922 for a key: UID ‖ application ‖ key number ‖ system identifier.
    public func input(uid: [UInt8], role: Role) -> [UInt8] {
        input(uid: uid, number: number(of: role) ?? 0)
    }

    private func input(uid: [UInt8], number: UInt8, application: [UInt8]? = nil) -> [UInt8] {
        let place = application ?? (product == .ntag424 ? Self.ntag424Application : self.application)
        return uid + place + [number] + systemIdentifier
    }

    /// A key that no role uses, derived from the master key of the tag: no key of a tag is left as delivered.
    ///
    /// - Parameters:
    ///   - number: its number on the tag.
    ///   - uid: the real UID, 7 bytes.
    ///   - master: the key of the site for ``Role/master``.
    /// - Throws: ``SecureTagError``, ``UnavailableKey``, or the error of a token.
    public func spareKey(_ number: UInt8, of uid: [UInt8], from master: any MasterKey) async throws -> TagKey {
        try await derived(input(uid: uid, number: number), of: uid, from: master)
    }

    /// The master key of a DESFire card: as key 0 of the application, with application 000000, which stands for the card.
    ///
    /// - Parameters:
    ///   - uid: the real UID, 7 bytes.
    ///   - master: the key of the site for ``Role/master``.
    /// - Throws: ``SecureTagError``, ``UnavailableKey``, or the error of a token.
    public func cardKey(of uid: [UInt8], from master: any MasterKey) async throws -> TagKey {
        try await derived(input(uid: uid, number: 0, application: Self.cardLevel), of: uid, from: master)
    }

    private func derived(_ input: [UInt8], of uid: [UInt8], from master: any MasterKey) async throws -> TagKey {
        guard uid.count == 7 else { throw SecureTagError.malformed("a UID of 7 bytes") }
        return try await master.derived(from: input, padding: derivation == .cmac ? .wholeBlocks : .twoBlocks)
    }

    /// The key of a tag.
    ///
    /// - Parameter uid: the real UID, 7 bytes. A shared key does not need it.
    /// - Throws: ``SecureTagError``, ``UnavailableKey``, or the error of a token.
    public func key(_ role: Role, of uid: [UInt8], from master: any MasterKey) async throws -> TagKey {
        guard derivation != .none, role != .meta else { return try master.shared() }
        return try await derived(input(uid: uid, role: role), of: uid, from: master)
    }
}
