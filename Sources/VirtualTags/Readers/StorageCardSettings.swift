extension StorageCardReader {
    /// How a reader deals with MIFARE Classic cards.
    public struct ClassicSupport: Sendable, Hashable {
        /// The commands for value blocks.
        public enum ValueCommands: Sendable, Hashable {
            /// `FF D7` and `FF B1`, as ACS readers have them.
            case acs
            /// `FF D4` and `FF D8`, as HID Omnikey readers have them.
            case hid
            /// None.
            case none
        }

        /// Whether it knows `FF 86`.
        public var hasGeneralAuthenticate: Bool
        /// Whether it knows the obsolete `FF 88`.
        public var hasObsoleteAuthenticate: Bool
        /// The most `FF B0` gives at once, in bytes.
        public var maximumRead: Int
        /// The commands for value blocks.
        public var valueCommands: ValueCommands

        /// The common reader: both ways to authenticate, one block at a time, value commands of ACS.
        public init(
            hasGeneralAuthenticate: Bool = true, hasObsoleteAuthenticate: Bool = true, maximumRead: Int = 16,
            valueCommands: ValueCommands = .acs
        ) {
            self.hasGeneralAuthenticate = hasGeneralAuthenticate
            self.hasObsoleteAuthenticate = hasObsoleteAuthenticate
            self.maximumRead = maximumRead
            self.valueCommands = valueCommands
        }
    }
}

extension StorageCardReader {
    /// How a reader deals with ISO/IEC 15693 tags.
    public struct VicinitySupport: Sendable, Hashable {
        /// Whether `FF FD` lets frames pass, as uTrust readers do.
        public var passesFrames: Bool
        /// Whether `FF CA` gives the UID least significant byte first, as the ACR1552U does.
        public var reversesIdentifier: Bool

        /// The common reader: block access only, E0 first.
        public init(passesFrames: Bool = false, reversesIdentifier: Bool = false) {
            self.passesFrames = passesFrames
            self.reversesIdentifier = reversesIdentifier
        }
    }
}

extension StorageCardReader.Settings {
    /// Settings of the common reader, with the answer to reset it makes up for this tag.
    public init(for tag: any VirtualTag) {
        self.init()
        if let classic = tag as? MIFAREClassicTag { cardName = classic.product.cardName }
        if let vicinity = tag as? ISO15693Tag { (standard, cardName) = (0x0B, vicinity.product.cardName) }
    }
}
