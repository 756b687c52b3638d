/// How an NTAG 424 DNA is made: as delivered, or personalised for a demonstration or a test.
public struct VirtualNTAG424Setup: Sendable {
    /// A key with its version.
    public struct Key: Sendable, Hashable {
        /// Sixteen bytes.
        public var value: [UInt8]
        /// The version that GetKeyVersion shows.
        public var version: UInt8

        /// A key of sixteen bytes.
        public init(_ value: [UInt8], version: UInt8 = 0x00) {
            self.value = value
            self.version = version
        }
    }

    /// Seven bytes, nil for made-up ones.
    public var identifier: [UInt8]?
    /// Keys 0 to 4, as far as they are not zero with version 00, as delivered.
    public var keys: [UInt8: Key] = [:]
    /// The content of files by their numbers, from the first byte; the rest of a file is as delivered. File 02 begins with the
    /// two bytes of NLEN.
    public var files: [UInt8: [UInt8]] = [:]
    /// The settings of files by their numbers, in the bytes of ChangeFileSettings behind the file's number: file option, two bytes of
    /// access rights, and with bit 6 of the option Secure Dynamic Messaging (NT4H2421Gx, table 69).
    public var settings: [UInt8: [UInt8]] = [:]
    /// Options as SetConfiguration takes them, each followed by its data (NT4H2421Gx, table 50), such as ``randomIdentifier``.
    public var configuration: [[UInt8]] = []
    /// SDMReadCtr, the times that the file was read so far, 24 bits.
    public var readCounter: UInt32 = 0
    /// The low nibble of the sub type that GetVersion shows: 2, or 8 with a tamper loop.
    public var subtype: UInt8 = 0x02
    /// The wire of a TagTamper; nil for a chip without it.
    public var tamperLoop: VirtualTamperLoop?
    /// How authentications are delayed after many wrong ones.
    public var delay = NTAG424AuthenticationDelay()
    /// Gives this many random bytes.
    public var random: @Sendable (_ count: Int) -> [UInt8] = { count in
        (0..<count).map { _ in UInt8.random(in: 0...255) }
    }

    /// A chip as delivered.
    public init() {}

    /// A TagTamper as delivered: its loop is not measured before SetConfiguration or ``tamper(key:)`` enables that.
    public init(tamperLoop: VirtualTamperLoop) {
        self.tamperLoop = tamperLoop
        subtype = 0x08
    }

    /// The option that makes the chip show a random identifier.
    public static let randomIdentifier: [UInt8] = [0x00, 0x02]
    /// The option that switches to LRP.
    public static let lrp: [UInt8] = [0x05, 0, 0, 0, 0, 0x02, 0, 0, 0, 0, 0]

    /// The option that measures the tamper loop.
    ///
    /// - Parameter key: who may ask for the status: a key, 0E for everyone, 0F for no one.
    public static func tamper(key: UInt8 = 0x0E) -> [UInt8] { [0x07, 0x01, key] }
}

extension VirtualNTAG424Setup {
    /// The chip.
    func chip(_ message: [UInt8], isWritable: Bool) throws(VirtualTagError) -> NTAG424Chip {
        let store = NTAG424Store(
            identifier: try Type4Content.identifier(identifier, default: [0x04, 0x44, 0x45, 0x30, 0x11, 0x5A, 0x80]),
            keys: try NTAG424Keys(keys.mapValues(\.value), versions: keys.mapValues(\.version)), tamperLoop: tamperLoop,
            delay: delay)
        var chip = NTAG424Chip(
            store: store, application: try NTAG424Files.application(message, isWritable: isWritable), random: random)
        for option in configuration {
            try Self.refusing(option) { () throws(NativeStatus) in
                try chip.store.configure(option.first ?? 0xFF, Array(option.dropFirst()))
            }
        }
        for (number, content) in files {
            guard chip.overwrite(file: number, with: content) else { throw .refusedSettings(content) }
        }
        for (number, bytes) in settings {
            try Self.refusing(bytes) { () throws(NativeStatus) in
                try chip.applySettings(bytes, at: Int(number) - 1)
            }
        }
        chip.store.setReadCounter(readCounter & 0xFF_FFFF)
        chip.store.forgetWear()
        return chip
    }

    private static func refusing(
        _ bytes: [UInt8], _ body: () throws(NativeStatus) -> Void
    ) throws(VirtualTagError) {
        do throws(NativeStatus) {
            try body()
        } catch {
            throw .refusedSettings(bytes)
        }
    }
}
