/// What else a FeliCa tag is to tell when it is polled (JIS X 6319-4, request code).
public enum NFCFeliCaPollingRequestCode: Int, Sendable {
    /// Nothing.
    case noRequest = 0
    /// Its system code.
    case systemCode = 1
    /// The speeds that it can do.
    case communicationPerformance = 2
}

/// How many time slots FeliCa tags may answer in (JIS X 6319-4, time slot number).
public enum NFCFeliCaPollingTimeSlot: Int, Sendable {
    /// One.
    case max1 = 0
    /// Two.
    case max2 = 1
    /// Four.
    case max4 = 3
    /// Eight.
    case max8 = 7
    /// Sixteen.
    case max16 = 15
}

/// How the keys of a FeliCa node are used.
///
/// An iPhone can hand out numbers that have no name. Here an unlisted number gives nil.
public enum NFCFeliCaEncryptionId: Int, Sendable {
    /// AES alone.
    case AES = 0x4F
    /// AES and DES.
    case AES_DES = 0x41
}
