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

extension NFCISO15693RequestFlag {
    /// The former name of ``dualSubCarriers``.
    @available(iOS, deprecated: 14.0, renamed: "dualSubCarriers")
    public static var RequestFlagDualSubCarriers: NFCISO15693RequestFlag { .dualSubCarriers }
    /// The former name of ``highDataRate``.
    @available(iOS, deprecated: 14.0, renamed: "highDataRate")
    public static var RequestFlagHighDataRate: NFCISO15693RequestFlag { .highDataRate }
    /// The former name of ``protocolExtension``.
    @available(iOS, deprecated: 14.0, renamed: "protocolExtension")
    public static var RequestFlagProtocolExtension: NFCISO15693RequestFlag { .protocolExtension }
    /// The former name of ``select``.
    @available(iOS, deprecated: 14.0, renamed: "select")
    public static var RequestFlagSelect: NFCISO15693RequestFlag { .select }
    /// The former name of ``address``.
    @available(iOS, deprecated: 14.0, renamed: "address")
    public static var RequestFlagAddress: NFCISO15693RequestFlag { .address }
    /// The former name of ``option``.
    @available(iOS, deprecated: 14.0, renamed: "option")
    public static var RequestFlagOption: NFCISO15693RequestFlag { .option }
}

extension NFCFeliCaPollingRequestCode {
    /// The former name of ``noRequest``.
    @available(iOS, deprecated: 14.0, renamed: "noRequest")
    public static var PollingRequestCodeNoRequest: NFCFeliCaPollingRequestCode { .noRequest }
    /// The former name of ``systemCode``.
    @available(iOS, deprecated: 14.0, renamed: "systemCode")
    public static var PollingRequestCodeSystemCode: NFCFeliCaPollingRequestCode { .systemCode }
    /// The former name of ``communicationPerformance``.
    @available(iOS, deprecated: 14.0, renamed: "communicationPerformance")
    public static var PollingRequestCodeCommunicationPerformance: NFCFeliCaPollingRequestCode {
        .communicationPerformance
    }
}

extension NFCFeliCaPollingTimeSlot {
    /// The former name of ``max1``.
    @available(iOS, deprecated: 14.0, renamed: "max1")
    public static var PollingTimeSlotMax1: NFCFeliCaPollingTimeSlot { .max1 }
    /// The former name of ``max2``.
    @available(iOS, deprecated: 14.0, renamed: "max2")
    public static var PollingTimeSlotMax2: NFCFeliCaPollingTimeSlot { .max2 }
    /// The former name of ``max4``.
    @available(iOS, deprecated: 14.0, renamed: "max4")
    public static var PollingTimeSlotMax4: NFCFeliCaPollingTimeSlot { .max4 }
    /// The former name of ``max8``.
    @available(iOS, deprecated: 14.0, renamed: "max8")
    public static var PollingTimeSlotMax8: NFCFeliCaPollingTimeSlot { .max8 }
    /// The former name of ``max16``.
    @available(iOS, deprecated: 14.0, renamed: "max16")
    public static var PollingTimeSlotMax16: NFCFeliCaPollingTimeSlot { .max16 }
}

extension NFCFeliCaEncryptionId {
    /// The former name of ``AES``.
    @available(iOS, deprecated: 14.0, renamed: "AES")
    public static var aes: NFCFeliCaEncryptionId { .AES }
    /// The former name of ``AES_DES``.
    @available(iOS, deprecated: 14.0, renamed: "AES_DES")
    public static var aes_des: NFCFeliCaEncryptionId { .AES_DES }
}

extension NFCVASCommandConfiguration.Mode {
    /// The former name of ``urlOnly``.
    @available(iOS, deprecated: 14.0, renamed: "urlOnly")
    public static var VASModeURLOnly: NFCVASCommandConfiguration.Mode { .urlOnly }
    /// The former name of ``normal``.
    @available(iOS, deprecated: 14.0, renamed: "normal")
    public static var VASModeNormal: NFCVASCommandConfiguration.Mode { .normal }
}

extension NFCVASResponse.ErrorCode {
    /// The former name of ``success``.
    @available(iOS, deprecated: 14.0, renamed: "success")
    public static var VASErrorCodeSuccess: NFCVASResponse.ErrorCode { .success }
    /// The former name of ``dataNotFound``.
    @available(iOS, deprecated: 14.0, renamed: "dataNotFound")
    public static var VASErrorCodeDataNotFound: NFCVASResponse.ErrorCode { .dataNotFound }
    /// The former name of ``dataNotActivated``.
    @available(iOS, deprecated: 14.0, renamed: "dataNotActivated")
    public static var VASErrorCodeDataNotActivated: NFCVASResponse.ErrorCode { .dataNotActivated }
    /// The former name of ``wrongParameters``.
    @available(iOS, deprecated: 14.0, renamed: "wrongParameters")
    public static var VASErrorCodeWrongParameters: NFCVASResponse.ErrorCode { .wrongParameters }
    /// The former name of ``wrongLCField``.
    @available(iOS, deprecated: 14.0, renamed: "wrongLCField")
    public static var VASErrorCodeWrongLCField: NFCVASResponse.ErrorCode { .wrongLCField }
    /// The former name of ``userIntervention``.
    @available(iOS, deprecated: 14.0, renamed: "userIntervention")
    public static var VASErrorCodeUserIntervention: NFCVASResponse.ErrorCode { .userIntervention }
    /// The former name of ``incorrectData``.
    @available(iOS, deprecated: 14.0, renamed: "incorrectData")
    public static var VASErrorCodeIncorrectData: NFCVASResponse.ErrorCode { .incorrectData }
    /// The former name of ``unsupportedApplicationVersion``.
    @available(iOS, deprecated: 14.0, renamed: "unsupportedApplicationVersion")
    public static var VASErrorCodeUnsupportedApplicationVersion: NFCVASResponse.ErrorCode {
        .unsupportedApplicationVersion
    }
}
