/// The domain of every ``NFCReaderError``: `NFCError`, as observed on devices.
public let NFCErrorDomain: String = "NFCError"

/// Key in an error's `userInfo`: the error byte of an ISO 15693 reply (ISO/IEC 15693-3, error code), as an `Int`.
///
/// The text of the key on an iPhone is not documented; use the constant.
public let NFCISO15693TagResponseErrorKey: String = "NFCISO15693TagResponseErrorKey"

/// Key in an error's `userInfo`: its presence says that the tag's reply had a wrong length.
///
/// The text of the key on an iPhone is not documented; use the constant.
public let NFCTagResponseUnexpectedLengthErrorKey: String = "NFCTagResponseUnexpectedLengthErrorKey"
