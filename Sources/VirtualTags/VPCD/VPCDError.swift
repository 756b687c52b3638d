/// Why a card could not be presented to vpcd.
public struct VPCDError: Error, Hashable, CustomStringConvertible {
    /// The kind of failure, open for kinds to come.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The stable name of the kind.
        public let rawValue: String

        /// A kind by its stable name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Nobody listens at the address.
        public static let connectionRefused = Code(rawValue: "connectionRefused")
        /// The host name has no address.
        public static let unknownHost = Code(rawValue: "unknownHost")
        /// Nobody answered within the time allowed.
        public static let timedOut = Code(rawValue: "timedOut")
        /// The presenter presents its card already.
        public static let alreadyPresented = Code(rawValue: "alreadyPresented")
        /// The card was removed, or the task cancelled, before the connection stood.
        public static let removed = Code(rawValue: "removed")
        /// Another failure of the network; the sentence holds its number.
        public static let network = Code(rawValue: "network")
    }

    /// The kind of failure.
    public let code: Code
    /// The failure as a sentence for people.
    public let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}

/// Why a card is no longer presented.
public enum VPCDEnd: Sendable, Hashable {
    /// ``VPCDPresenter/remove()`` was called, or the task was cancelled.
    case removed
    /// The card is gone by itself: a fault took it out of the field.
    case cardLeft
    /// vpcd closed the connection, for example because pcscd stopped.
    case peerClosed
    /// Reading or writing failed with this `errno`.
    case failed(errno: Int32)
}
