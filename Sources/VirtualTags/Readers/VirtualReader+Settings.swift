extension VirtualReader {
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

extension VirtualReader {
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

extension VirtualReader.Settings {
    /// SS and NN NN of the answer to reset that the reader makes up for a tag.
    func names(for tag: any VirtualTag) -> (standard: UInt8, cardName: UInt16) {
        switch tag {
        case let classic as MIFAREClassicTag: (0x03, classic.product.cardName)
        case let vicinity as ISO15693Tag: (0x0B, vicinity.product.cardName)
        case is FeliCaTag: (feliCaName & 0xFF00 == 0xF000 ? 0x03 : 0x11, feliCaName)
        case is TopazTag: (0x03, topazName)
        default: (0x03, 0x0003)
        }
    }
}
