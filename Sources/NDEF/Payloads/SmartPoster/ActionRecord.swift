/// What to do with the URI of the Smart Poster around: local type `act` (NFC Forum RTD Smart Poster 1.0).
///
/// The payload is one byte.
public struct ActionRecord: NDEFTypedPayload {
    /// The action.
    public let action: SmartPosterAction

    /// An action to be written.
    public init(_ action: SmartPosterAction) {
        self.action = action
    }

    /// Well-known type `act`.
    public static let recordTypes = [NDEFRecordType.wellKnown("act")]
    /// `action`.
    public static let kind = "action"

    /// Decodes a payload.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `ACT_LENGTH` or `ACT_RFU`.
    public init(payload: [UInt8], warnings: inout [NDEFWarning.Code]) throws(NDEFPayloadError) {
        guard payload.count == 1, let byte = payload.first else {
            let reason = "the action record has \(counted(payload.count, "byte")) in place of 1"
            throw NDEFPayloadError(.actionLength, reason)
        }
        guard let action = SmartPosterAction(rawValue: byte) else {
            throw NDEFPayloadError(.actionReserved, "action \(byte) is reserved; the last in use is 2")
        }
        self.action = action
    }

    /// The action's byte.
    public var payload: [UInt8] { [action.rawValue] }

    /// Such as `Action save`.
    public var description: String { "Action \(action)" }
}

extension NDEFPayloadError.Code {
    /// An action payload is not one byte long.
    public static let actionLength = Self(rawValue: "ACT_LENGTH")
    /// An action is reserved: 3 or above.
    public static let actionReserved = Self(rawValue: "ACT_RFU")
}
