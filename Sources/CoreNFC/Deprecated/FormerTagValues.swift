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
