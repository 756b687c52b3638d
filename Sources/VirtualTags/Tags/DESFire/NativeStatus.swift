/// The status bytes behind 91 (MIFARE DESFire and NTAG 424 DNA data sheets), also as the reason of a refusal.
enum NativeStatus: UInt8, Error {
    case done = 0x00
    case noChanges = 0x0C
    case outOfMemory = 0x0E
    case illegalCommand = 0x1C
    case integrityError = 0x1E
    case noSuchKey = 0x40
    case wrongLength = 0x7E
    /// Done; the answer to Read_Sig.
    case signature = 0x90
    case permissionDenied = 0x9D
    case wrongParameter = 0x9E
    case applicationNotFound = 0xA0
    case authenticationDelay = 0xAD
    case authenticationError = 0xAE
    case additionalFrame = 0xAF
    case boundary = 0xBE
    case commandAborted = 0xCA
    case tooManyApplications = 0xCE
    case duplicate = 0xDE
    case fileNotFound = 0xF0

    /// The whole answer without data.
    var answer: [UInt8] { [0x91, rawValue] }
}

/// Numbers as native commands carry them, least significant byte first.
enum NativeNumber {
    /// An unsigned number of up to seven bytes.
    static func value(_ bytes: some Collection<UInt8>) -> Int { bytes.reversed().reduce(0) { $0 << 8 | Int($1) } }

    /// A number of four bytes with its sign.
    static func signed(_ bytes: some Collection<UInt8>) -> Int {
        Int(Int32(truncatingIfNeeded: value(bytes)))
    }

    /// The lowest bytes of a number.
    static func bytes(_ value: Int, count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
