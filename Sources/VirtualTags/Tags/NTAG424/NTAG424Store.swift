/// The non-volatile memory of an NTAG 424 DNA: what survives the loss of power. It counts how often it is written.
struct NTAG424Store: Sendable {
    /// UID, seven bytes.
    let identifier: [UInt8]
    /// The wire of a TagTamper; nil for a chip without it.
    let tamperLoop: VirtualTamperLoop?
    /// How authentications are delayed after wrong ones.
    let delay: NTAG424AuthenticationDelay

    /// Keys 0 to 4 with their versions.
    private(set) var keys: NTAG424Keys
    private var failures = [NTAG424Failures](repeating: .init(), count: NTAG424Keys.count)
    private(set) var configuration = NTAG424Configuration()
    /// Secure Dynamic Messaging of file 02; nil while it is off.
    private(set) var messaging: NTAG424SDMSettings?
    /// SDMReadCtr.
    private(set) var readCounter: UInt32 = 0
    private(set) var tamperStatus = NTAG424TamperStatus()
    /// How often the memory was written.
    private(set) var writes = 0

    init(
        identifier: [UInt8], keys: NTAG424Keys, tamperLoop: VirtualTamperLoop?, delay: NTAG424AuthenticationDelay
    ) {
        self.identifier = identifier
        self.keys = keys
        self.tamperLoop = tamperLoop
        self.delay = delay
    }

    /// Counts one more write, as to a file.
    mutating func wear() { writes += 1 }

    /// Begins to count again, as in a chip just delivered.
    mutating func forgetWear() { writes = 0 }
}

// MARK: Keys

extension NTAG424Store {
    /// The failed authentications with a key; none for a key that does not exist.
    func failures(of key: UInt8) -> NTAG424Failures {
        failures.indices.contains(Int(key)) ? failures[Int(key)] : .init()
    }

    /// Begins an authentication with a key.
    ///
    /// - Throws: 9D for a locked key, AD as long as its delay lasts.
    mutating func beginAuthentication(_ key: UInt8) throws(NativeStatus) {
        let before = failures[Int(key)]
        defer { if failures[Int(key)] != before { wear() } }
        try failures[Int(key)].begin(configuration.failures)
    }

    /// Counts an authentication that was begun.
    mutating func endAuthentication(_ key: UInt8, isRight: Bool) {
        let before = failures[Int(key)]
        if isRight {
            failures[Int(key)].succeeded(configuration.failures)
        } else {
            failures[Int(key)].failed(configuration.failures, delay)
        }
        if failures[Int(key)] != before { wear() }
    }

    /// Changes a key by the data of ChangeKey, which ends its failures as well.
    mutating func changeKey(_ number: UInt8, _ data: [UInt8]) throws(NativeStatus) {
        try keys.change(number, data)
        failures[Int(number)] = .init()
        wear()
    }
}

// MARK: Configuration

extension NTAG424Store {
    /// Applies an option of SetConfiguration. The switch to LRP ends Secure Dynamic Messaging, as PICCData needs more room.
    mutating func configure(_ option: UInt8, _ data: [UInt8]) throws(NativeStatus) {
        let wasLRP = configuration.isLRP
        try configuration.apply(option, data, hasTamperLoop: tamperLoop != nil)
        if configuration.isLRP, !wasLRP { messaging = nil }
        wear()
    }

    /// Measures the tamper loop, if the chip has one and is to do so.
    mutating func measureTamper() {
        guard configuration.measuresTamper, let tamperLoop else { return }
        let wasOpened = tamperStatus.wasOpened
        tamperStatus.measure(tamperLoop)
        if tamperStatus.wasOpened != wasOpened { wear() }
    }

    /// Ends what lasts as long as the power.
    mutating func fieldDropped() { tamperStatus.fieldDropped() }
}

// MARK: Secure Dynamic Messaging

extension NTAG424Store {
    /// What its settings are checked against.
    func bounds(fileSize: Int) -> NTAG424SDMSettings.Bounds {
        .init(
            fileSize: fileSize, isLRP: configuration.isLRP, hasTamperLoop: tamperLoop != nil,
            counter: messaging == nil ? 0 : readCounter)
    }

    /// Switches it on, with other settings, or off. The counter begins again where it was off.
    mutating func setMessaging(_ settings: NTAG424SDMSettings?) {
        if messaging == nil, settings != nil { readCounter = 0 }
        messaging = settings
    }

    /// Gives the counter a value.
    mutating func setReadCounter(_ value: UInt32) { readCounter = value }

    /// Begins a run of reads: counts it where the counter is on.
    ///
    /// - Throws: 1E once the counter is used up, 9D at its limit.
    mutating func beginRun(_ settings: NTAG424SDMSettings) throws(NativeStatus) {
        guard settings.isCounting else { return }
        guard readCounter < 0xFF_FFFF else { throw .integrityError }
        guard readCounter < settings.counterLimit ?? .max else { throw .permissionDenied }
        readCounter += 1
        wear()
    }

    /// What is written over a file's content with these settings.
    func mirror(_ settings: NTAG424SDMSettings) -> NTAG424SDM {
        NTAG424SDM(
            settings: settings, identifier: identifier, isLRP: configuration.isLRP,
            metaReadKey: settings.metaReadKey.flatMap { keys[$0] },
            fileReadKey: settings.fileReadKey.flatMap { keys[$0] })
    }
}
