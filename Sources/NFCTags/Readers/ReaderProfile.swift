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

extension ReaderProfile {
    /// Any reader: `FF CA`, `FF B0` and `FF D6` only, until it is probed.
    public static let generic = ReaderProfile("generic", name: "PC/SC reader")
    /// ACR122U and others around a PN532.
    public static let acr122 = ReaderProfile("acr122u", name: "ACR122U", native: .pn53x, feliCa: .pn53x)
    /// ACR1251U, ACR1252U, ACR1255U and ACR1281U.
    public static let acr125x = ReaderProfile(
        "acr1252u", name: "ACR1251U/1252U/1255U/1281U", native: .direct, feliCa: .direct)
    /// ACR1552U and ACR1581U.
    public static let acr1552 = ReaderProfile(
        "acr1552u", name: "ACR1552U/1581U", native: .transparentSession, iso15693: .transparentSession,
        feliCa: .transparentSession)
    /// OMNIKEY 5321.
    public static let omnikey5321 = ReaderProfile("omnikey-5321", name: "OMNIKEY 5321", native: .omnikey)
    /// OMNIKEY 5022, 5023, 5122, 5422 and 5427.
    public static let omnikey5x22 = ReaderProfile(
        "omnikey-5422", name: "OMNIKEY 5022/5422/5427", iso15693: .storageCard)
    /// Identiv uTrust 3700 F, 3720 F, 4701 F and CLOUD 4700 F, which give one page at a time.
    public static let identiv = ReaderProfile(
        "identiv", name: "Identiv uTrust", longestStorageRead: 4, iso15693: .identiv, feliCa: .identiv)
    /// Sony RC-S300 and RC-S660, as far as they are known: sessions for tags of type A and FeliCa, to be tried.
    public static let rcS300 = ReaderProfile(
        "rc-s300", name: "Sony RC-S300", native: .transparentSession, feliCa: .transparentSession)
    /// SpringCard.
    public static let springCard = ReaderProfile("springcard", name: "SpringCard", feliCa: .storageCard)

    /// Every profile there is.
    public static let all = [
        generic, acr122, acr125x, acr1552, omnikey5321, omnikey5x22, identiv, rcS300, springCard,
    ]

    /// The profile with a slug; nil where there is none.
    public static func named(_ slug: String) -> ReaderProfile? { all.first { $0.slug == slug } }

    /// The profile of a reader by its USB numbers, where they are known, or by the name libccid or acsccid gives it.
    ///
    /// - Parameters:
    ///   - reader: the name as PC/SC lists it; letter case does not matter.
    ///   - vendorID: the USB vendor number.
    ///   - productID: the USB product number.
    public static func profile(reader: String, vendorID: UInt16? = nil, productID: UInt16? = nil) -> ReaderProfile {
        if let vendorID, let productID, let known = numbers[Device(vendor: vendorID, product: productID)] {
            return known
        }
        let name = reader.uppercased()
        return names.first { name.contains($0.part) }?.profile ?? .generic
    }

    private struct Device: Hashable {
        let vendor: UInt16
        let product: UInt16
    }

    private static let numbers: [Device: ReaderProfile] = {
        let rows: [(UInt16, [UInt16], ReaderProfile)] = [
            (0x072F, [0x2200], acr122),
            (0x072F, [0x221A, 0x223B, 0x223E, 0x223F, 0x2224], acr125x),
            (0x072F, [0x2303, 0x2308, 0x2301], acr1552),
            (0x076B, [0x532A], omnikey5321),
            (0x076B, [0x5022, 0x5023, 0x5432, 0x5422, 0x5427], omnikey5x22),
            (0x054C, [0x0DC8, 0x0DC9, 0x0D8F], rcS300),
            (0x04E6, [0x5790, 0x5612, 0x5724, 0x5720], identiv),
        ]
        var table: [Device: ReaderProfile] = [:]
        for (vendor, products, profile) in rows {
            for product in products { table[Device(vendor: vendor, product: product)] = profile }
        }
        return table
    }()

    /// Parts of reader names; the first one that fits counts.
    private static let names: [(part: String, profile: ReaderProfile)] = [
        ("ACR1552", acr1552), ("ACR1581", acr1552),
        ("ACR1251", acr125x), ("ACR1252", acr125x), ("ACR1255", acr125x), ("ACR1281", acr125x),
        ("ACR122", acr122),
        ("OMNIKEY 5321", omnikey5321), ("OMNIKEY CARDMAN 5321", omnikey5321), ("OMNIKEY 5X21", omnikey5321),
        ("OMNIKEY 5022", omnikey5x22), ("OMNIKEY 5023", omnikey5x22), ("OMNIKEY 5122", omnikey5x22),
        ("OMNIKEY 5422", omnikey5x22), ("OMNIKEY 5427", omnikey5x22), ("OMNIKEY 5025", omnikey5x22),
        ("UTRUST 3700", identiv), ("UTRUST 3720", identiv), ("UTRUST 4701", identiv), ("CLOUD 4700", identiv),
        ("CLOUD 4701", identiv), ("SPRINGCARD", springCard), ("RC-S300", rcS300), ("RC-S660", rcS300),
    ]
}

extension ReaderProfile {
    /// The pass-through for requests of ISO/IEC 15693, nil where there is none.
    public func iso15693Channel(over channel: some CardChannel) -> (any NativeChannel)? {
        switch iso15693Way {
        case .none, .storageCard: nil
        case .transparentSession: TransparentChannel(channel: channel, technology: .iso15693, timer: .long)
        case .identiv: UTrustISO15693Channel(channel: channel)
        }
    }

    /// The way for FeliCa packets. Where none is known that of the ACR122U is tried; another reader's refusal is an error 1.
    public func feliCaChannel(over channel: some CardChannel) -> any FeliCaChannel {
        switch feliCaWay {
        case .none, .pn53x: ACR122UDataExchange(channel: channel)
        case .direct: DirectChannel(channel: channel)
        case .transparentSession: TransparentChannel(channel: channel, technology: .feliCa, timer: .medium)
        case .identiv: UTrustFeliCaChannel(channel: channel)
        case .storageCard: UnsupportedChannel(reason: "FeliCa cards through \(name) readers are not supported")
        }
    }

    /// The way for frames of Type 1 Tags. Where nothing else is known that of the ACR122U is tried; another reader's refusal
    /// is an error 1.
    public func type1Channel(over channel: some CardChannel) -> any NativeChannel {
        switch (nativeWay, feliCaWay) {
        case (_, .identiv): UTrustType1Channel(channel: channel)
        // Such readers would hand the wrapper to the tag.
        case (.direct, _), (.transparentSession, _):
            UnsupportedChannel(reason: "\(name) readers give no known way to Type 1 Tags")
        default: ACR122UDataExchange(channel: channel)
        }
    }
}
