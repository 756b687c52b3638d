/// The status bytes behind 91 (MIFARE DESFire EV1 and NTAG 424 DNA data sheets).
enum NativeStatus: UInt8 {
    case done = 0x00
    case illegalCommand = 0x1C
    case noSuchKey = 0x40
    case wrongLength = 0x7E
    case permissionDenied = 0x9D
    case wrongParameter = 0x9E
    case applicationNotFound = 0xA0
    case authenticationError = 0xAE
    case additionalFrame = 0xAF
    case boundary = 0xBE
    case commandAborted = 0xCA
    case fileNotFound = 0xF0

    /// The whole answer without data.
    var answer: [UInt8] { [0x91, rawValue] }
}

/// What a card expects after it answered `91 AF`.
enum NativePending: Sendable, Hashable {
    /// These frames are to be fetched.
    case frames([[UInt8]])
    /// This much data is still to come for a file at an offset.
    case writing(file: Int, offset: Int, received: [UInt8], total: Int)
    /// An answer to its challenge.
    case authentication
}
