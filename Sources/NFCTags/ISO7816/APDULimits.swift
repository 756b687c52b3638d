/// What a reader lets through in one command APDU.
public struct APDULimits: Sendable, Hashable {
    /// Whether commands with length fields of two bytes go through (ISO/IEC 7816-4, extended length).
    public let allowsExtendedLength: Bool
    /// The most command data, in bytes: Lc.
    public let commandData: Int
    /// The most response data, in bytes: Le.
    public let responseData: Int

    /// Makes limits; they are cut to 1…255 bytes, or 1…65,535 with extended length.
    public init(allowsExtendedLength: Bool = false, commandData: Int = 65_535, responseData: Int = 65_535) {
        let most = allowsExtendedLength ? 65_535 : 255
        self.allowsExtendedLength = allowsExtendedLength
        self.commandData = min(max(commandData, 1), most)
        self.responseData = min(max(responseData, 1), most)
    }

    /// What every reader can do: 255 bytes each way.
    public static let short = APDULimits()
}
