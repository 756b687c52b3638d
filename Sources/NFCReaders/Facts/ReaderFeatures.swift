/// What a driver says it can do beyond exchanges with a card: the answer to CM_IOCTL_GET_FEATURE_REQUEST (PC/SC Part 10,
/// 2.2), a list of tag, length 4 and a control code, most significant byte first. A value: no I/O.
struct ReaderFeatures: Sendable, Hashable {
    /// The control code that asks for the features, as Linux numbers it: 42000000 + 3400.
    static let request: UInt32 = 0x4200_0D48

    /// The features that matter here (PC/SC Part 10, 2.3).
    enum Feature: UInt8 {
        /// FEATURE_GET_TLV_PROPERTIES.
        case properties = 0x12
        /// FEATURE_CCID_ESC_COMMAND; a driver lists it only where it lets such commands pass.
        case escape = 0x13
    }

    private var codes: [UInt8: UInt32] = [:]

    /// Takes an answer; entries that are no control code are left out, and what does not fit ends the list. Of a feature
    /// that is listed twice the first counts.
    init(_ answer: [UInt8]) {
        for entry in TagLengthValues(answer) where entry.value.count == 4 {
            guard codes[entry.tag] == nil else { continue }
            codes[entry.tag] = entry.value.reduce(0) { $0 << 8 | UInt32($1) }
        }
    }

    /// The control code of a feature, nil where the driver does not have it.
    func code(_ feature: Feature) -> UInt32? { codes[feature.rawValue] }
}
