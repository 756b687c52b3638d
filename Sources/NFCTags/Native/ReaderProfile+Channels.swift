extension ReaderProfile {
    /// The pass-through for requests of ISO/IEC 15693, nil where there is none.
    public func iso15693Channel(over channel: some CardChannel) -> (any NativeChannel)? {
        switch iso15693Way {
        case .none, .storageCard: nil
        case .transparentSession: TransparentChannel(channel: channel, technology: .iso15693, timer: .long)
        case .identiv: UTrustISO15693Channel(channel: channel)
        }
    }

    /// The way for FeliCa packets. Where none is known that of the ACR122U is tried; another reader's refusal is an error 1.
    public func feliCaChannel(over channel: some CardChannel) -> any FeliCaChannel {
        switch feliCaWay {
        case .none, .pn53x: ACR122UDataExchange(channel: channel)
        case .direct: DirectChannel(channel: channel)
        case .transparentSession: TransparentChannel(channel: channel, technology: .feliCa, timer: .medium)
        case .identiv: UTrustFeliCaChannel(channel: channel)
        case .storageCard: UnsupportedChannel(reason: "FeliCa cards through \(name) readers are not supported")
        }
    }

    /// The way for frames of Type 1 Tags. Where nothing else is known that of the ACR122U is tried; another reader's refusal
    /// is an error 1.
    public func type1Channel(over channel: some CardChannel) -> any NativeChannel {
        switch (nativeWay, feliCaWay) {
        case (_, .identiv): UTrustType1Channel(channel: channel)
        // Such readers would hand the wrapper to the tag.
        case (.direct, _), (.transparentSession, _):
            UnsupportedChannel(reason: "\(name) readers give no known way to Type 1 Tags")
        default: ACR122UDataExchange(channel: channel)
        }
    }
}
