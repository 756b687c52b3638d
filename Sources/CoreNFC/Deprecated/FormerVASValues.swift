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
