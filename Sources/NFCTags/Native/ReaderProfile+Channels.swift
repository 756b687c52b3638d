extension ReaderProfile {
    /// The pass-through for requests of ISO/IEC 15693, nil where there is none.
    public func iso15693Channel(over channel: some CardChannel) -> (any NativeChannel)? {
        switch iso15693Way {
        case .none, .storageCard: nil
        case .transparentSession: TransparentChannel(channel: channel, technology: .iso15693, timer: .long)
        case .identiv: UTrustISO15693Channel(channel: channel)
        }
    }

    /// The way for FeliCa packets; that of the ACR122U where no other is known.
    public func feliCaChannel(over channel: some CardChannel) -> any FeliCaChannel {
        ACR122UDataExchange(channel: channel)
    }

    /// The way for frames of Type 1 Tags; that of the ACR122U where no other is known.
    public func type1Channel(over channel: some CardChannel) -> any NativeChannel {
        ACR122UDataExchange(channel: channel)
    }
}
