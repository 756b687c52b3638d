// Names of iOS 11 to 13 that code still uses. They are marked for iOS, where they warn; on Linux they are silent.

/// The former name of ``NFCISO15693RequestFlag``.
@available(iOS, deprecated: 14.0, renamed: "NFCISO15693RequestFlag")
public typealias RequestFlag = NFCISO15693RequestFlag

/// The former name of ``NFCFeliCaPollingRequestCode``.
@available(iOS, deprecated: 14.0, renamed: "NFCFeliCaPollingRequestCode")
public typealias PollingRequestCode = NFCFeliCaPollingRequestCode

/// The former name of ``NFCFeliCaPollingTimeSlot``.
@available(iOS, deprecated: 14.0, renamed: "NFCFeliCaPollingTimeSlot")
public typealias PollingTimeSlot = NFCFeliCaPollingTimeSlot

/// The former name of ``NFCFeliCaEncryptionId``.
@available(iOS, deprecated: 14.0, renamed: "NFCFeliCaEncryptionId")
public typealias EncryptionId = NFCFeliCaEncryptionId

/// The former name of ``NFCVASCommandConfiguration/Mode``.
@available(iOS, deprecated: 14.0, renamed: "NFCVASCommandConfiguration.Mode")
public typealias VASMode = NFCVASCommandConfiguration.Mode

/// The former name of ``NFCVASResponse/ErrorCode``.
@available(iOS, deprecated: 14.0, renamed: "NFCVASResponse.ErrorCode")
public typealias VASErrorCode = NFCVASResponse.ErrorCode
