/// What a reader is known to let through, and how.
public struct ReaderProfile: Sendable, Hashable {
    /// How frames of a tag's own command set travel.
    public enum NativeWay: String, Sendable, Hashable, CaseIterable {
        /// Not at all, or not known.
        case none
        /// `FF 00 00 00 Lc D4 42 frame`: ACR122U.
        case pn53x
        /// `FF 00 00 00 Lc frame`: ACR1251U, 1252U, 1255U, 1281U.
        case direct
        /// `FF C2`, in sessions: ACR1552U.
        case transparentSession
        /// `FF A0 00 05 Lc 01 00 nn frame`: OMNIKEY 5321.
        case omnikey
    }

    /// How ISO/IEC 15693 requests travel.
    public enum ISO15693Way: String, Sendable, Hashable, CaseIterable {
        /// Not at all, or not known.
        case none
        /// `FF C2` with technology 02.
        case transparentSession
        /// Blocks only, with `FF B0` and `FF D6`.
        case storageCard
        /// `FF FD`, Identiv readers.
        case identiv
    }

    /// How FeliCa commands travel.
    public enum FeliCaWay: String, Sendable, Hashable, CaseIterable {
        /// Not at all, or not known.
        case none
        /// `FF 00 00 00 Lc D4 40 01 len command` (InDataExchange).
        case pn53x
        /// `FF 00 00 00 Lc packet`, as recorded with an ACR1252U.
        case direct
        /// `FF C2` with technology 03; to be tried, no trace of it is known.
        case transparentSession
        /// `FF 40` to `FF 4A`, Identiv readers.
        case identiv
        /// `FF FB FC` selects a service, then `FF B0` and `FF D6`: SpringCard readers.
        case storageCard
    }

    /// A short name for configurations and lists, e.g. `acr122u`.
    public let slug: String
    /// The family, for people.
    public let name: String
    /// How Type 2 frames travel.
    public let nativeWay: NativeWay
    /// The longest answer to such a frame, in bytes; 0 where none travel.
    public let longestNativeAnswer: Int
    /// The most that `FF B0` gives of a Type 2 tag at once, in bytes. Pages are always written with `FF D6`: no
    /// pass-through tells for sure whether a native write was accepted.
    public let longestStorageRead: Int
    /// How ISO/IEC 15693 requests travel.
    public let iso15693Way: ISO15693Way
    /// How FeliCa commands travel.
    public let feliCaWay: FeliCaWay

    init(
        _ slug: String, name: String, native nativeWay: NativeWay = .none, longestStorageRead: Int = 16,
        iso15693 iso15693Way: ISO15693Way = .none, feliCa feliCaWay: FeliCaWay = .none
    ) {
        self.slug = slug
        self.name = name
        self.nativeWay = nativeWay
        longestNativeAnswer = nativeWay.longestAnswer
        self.longestStorageRead = longestStorageRead
        self.iso15693Way = iso15693Way
        self.feliCaWay = feliCaWay
    }

    /// The pass-through for tags of ISO/IEC 14443 type A, nil where there is none.
    public func nativeChannel(over channel: some CardChannel) -> (any NativeChannel)? {
        switch nativeWay {
        case .none: nil
        case .pn53x: PN53xChannel(channel: channel)
        case .direct: DirectChannel(channel: channel)
        case .transparentSession: TransparentChannel(channel: channel)
        case .omnikey: OmnikeyChannel(channel: channel)
        }
    }
}

extension ReaderProfile.NativeWay {
    /// In bytes. The PN532 gives 252. An answer of 256 bytes holds 240 besides the objects of a session. The others are not
    /// documented: what fits a short answer, in whole pages.
    var longestAnswer: Int {
        switch self {
        case .none: 0
        case .pn53x, .direct, .omnikey: 252
        case .transparentSession: 240
        }
    }

    /// How many exchanges with the reader one frame takes.
    var exchangesPerFrame: Int { self == .transparentSession ? 4 : 1 }

    /// Whether a tag that became mute can be selected again.
    var canReactivate: Bool { self == .pn53x || self == .transparentSession }
}
