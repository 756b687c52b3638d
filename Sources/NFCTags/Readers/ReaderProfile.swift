/// A family of readers: how to recognize them, which frames they pass to a tag and how, and how they show a result.
///
/// Each family is one static constant in its own file. To add a family, write that file and add the constant to
/// ``all``.
public struct ReaderProfile: Sendable {
    /// Opens a channel for one kind of frame over a connection to a tag.
    typealias Transport<Channel> = @Sendable (any CardChannel) -> Channel

    /// A short name for configurations and lists, for example `acr122u`.
    public let slug: String
    /// The display name of the family.
    public let name: String
    /// The USB product ids of the family by USB vendor id.
    private(set) var usbProducts: [UInt16: [UInt16]] = [:]
    /// Parts of the names that pcscd gives to readers of the family, in upper case.
    private(set) var readerNames: [String] = []
    /// The tag technologies that readers of the family support.
    public private(set) var technologies: [PollingTechnology] = [.iso14443]
    /// The longest answer to `FF B0` from a Type 2 tag, in bytes. Pages are always written with `FF D6`: no transport
    /// reports reliably whether the tag accepted its own WRITE command.
    public private(set) var longestStorageRead = 16
    /// How the family handles MIFARE Classic cards.
    public private(set) var mifareClassic = MIFAREClassicReader()
    /// Frames of ISO/IEC 14443 type A tags.
    private(set) var native: Transport<any NativeChannel>?
    /// Requests of ISO/IEC 15693.
    private(set) var iso15693: Transport<any NativeChannel>?
    /// FeliCa packets.
    private(set) var feliCa: Transport<any FeliCaChannel>?
    /// Frames of Type 1 tags.
    private(set) var type1: Transport<any NativeChannel>?
    /// The commands that show the result of an operation.
    private(set) var feedback: [ReaderFeedback.Kind: ReaderFeedback] = [:]
    /// How ``ReaderProbe`` recognizes a reader of the family; nil if it cannot.
    private(set) var probe: ReaderProbe.Method?
}

extension ReaderProfile: Hashable {
    /// Whether both are the same family.
    public static func == (one: ReaderProfile, other: ReaderProfile) -> Bool { one.slug == other.slug }

    /// Hashes the family's short name.
    public func hash(into hasher: inout Hasher) { hasher.combine(slug) }
}

extension ReaderProfile {
    /// Whether readers of the family send any frame to a Type 2 tag, and so a password.
    package var sendsRawFrames: Bool { native != nil }

    /// Every family.
    public static let all = [
        generic, acr122u, acr1252u, acr1552u, omnikey5321, omnikey5422, identiv, rcS300, springCard,
    ]

    /// An unknown reader, until it is probed: `FF CA`, `FF B0` and `FF D6` only.
    public static let generic = ReaderProfile(slug: "generic", name: "PC/SC reader")

    /// The family with a short name; nil if there is none.
    public static func named(_ slug: String) -> ReaderProfile? { all.first { $0.slug == slug } }

    /// The family of a reader, by its USB ids if they are known, otherwise by its name.
    ///
    /// - Parameters:
    ///   - reader: the name that pcscd gives to the reader; case does not matter.
    ///   - vendorID: the USB vendor id.
    ///   - productID: the USB product id.
    public static func profile(reader: String, vendorID: UInt16? = nil, productID: UInt16? = nil) -> ReaderProfile {
        if let vendorID, let productID,
            let known = all.first(where: { $0.usbProducts[vendorID]?.contains(productID) == true })
        {
            return known
        }
        let name = reader.uppercased()
        return all.first { $0.readerNames.contains { name.contains($0) } } ?? .generic
    }
}

extension ReaderProfile {
    /// The transport for frames of ISO/IEC 14443 type A tags; nil if there is none.
    public func nativeChannel(over channel: some CardChannel) -> (any NativeChannel)? { native?(channel) }

    /// The transport for requests of ISO/IEC 15693; nil if there is none.
    public func iso15693Channel(over channel: some CardChannel) -> (any NativeChannel)? { iso15693?(channel) }

    /// The transport for FeliCa packets. If none is known, the one of the ACR122U is tried; a reader that rejects it fails
    /// with ``TagError`` 1.
    public func feliCaChannel(over channel: some CardChannel) -> any FeliCaChannel {
        feliCa?(channel) ?? ACR122UDataExchange(channel: channel)
    }

    /// Whether the transport for FeliCa packets is known.
    public var knowsFeliCaTransport: Bool { feliCa != nil }

    /// The transport for frames of Type 1 tags. If none is known, the one of the ACR122U is tried; a reader that rejects it
    /// fails with ``TagError`` 1.
    public func type1Channel(over channel: some CardChannel) -> any NativeChannel {
        type1?(channel) ?? ACR122UDataExchange(channel: channel)
    }

    /// The command that shows the result of an operation at the reader; nil if none is known.
    public func feedback(_ kind: ReaderFeedback.Kind) -> ReaderFeedback? { feedback[kind] }
}

/// How a family of readers handles MIFARE Classic cards.
public struct MIFAREClassicReader: Sendable, Hashable {
    /// The commands for value blocks, which no standard defines.
    public enum ValueCommands: Sendable, Hashable {
        /// `FF D7` and `FF B1`, most significant byte first: ACS.
        case acs
        /// `FF D4` and `FF D8`, least significant byte first: HID Omnikey.
        case hid
    }

    /// The number of the volatile slot for key A.
    public var keySlotA: UInt8
    /// The number of the volatile slot for key B.
    public var keySlotB: UInt8
    /// The longest answer to `FF B0`, in bytes: 16, or 48 and 240 on newer ACS readers.
    public var maximumRead: Int
    /// The commands for value blocks; nil if the family has none.
    public var valueCommands: ValueCommands?

    /// By default slot 0 for both keys, reads of one block and no value commands.
    public init(
        keySlotA: UInt8 = 0, keySlotB: UInt8 = 0, maximumRead: Int = 16, valueCommands: ValueCommands? = nil
    ) {
        self.keySlotA = keySlotA
        self.keySlotB = keySlotB
        self.maximumRead = maximumRead
        self.valueCommands = valueCommands
    }

    /// Blocks per `FF B0`: at least one, at most the 15 of a large sector.
    var blocksPerRead: Int { min(max(maximumRead / MIFAREClassicSize.blockSize, 1), 15) }

    func keySlot(_ type: MIFAREClassicKeyType) -> UInt8 { type == .a ? keySlotA : keySlotB }
}

/// A command that makes a reader show or sound a result. A value: the caller sends it.
public struct ReaderFeedback: Sendable, Hashable {
    /// The result to show.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The operation succeeded.
        case success
        /// The operation failed.
        case failure
    }

    /// How the command reaches the reader.
    public enum Route: String, Sendable, Hashable, CaseIterable {
        /// As a pseudo-APDU to the connected tag (SCardTransmit).
        case transmit
        /// As an escape command (SCardControl), which the driver must allow.
        case escape
    }

    /// How the command reaches the reader.
    public let route: Route
    /// The bytes to send. The answer contains the state of the lights and no status word.
    public let command: [UInt8]
}
