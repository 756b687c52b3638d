public import NFCTypes

/// The state of a tamper loop: two characters, what was ever found and what is now (NT4H2421Tx).
public struct TamperStatus: Sendable, Equatable, CustomStringConvertible {
    /// `C` closed, `O` opened once, `I` not in use; anything else is unknown.
    public let permanent: Character
    /// The same for now.
    public let current: Character

    /// The status of two ASCII characters; nil for another number of bytes.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == 2 else { return nil }
        permanent = Character(Unicode.Scalar(bytes[0]))
        current = Character(Unicode.Scalar(bytes[1]))
    }

    /// Whether the loop is closed, and was never open.
    public var isIntact: Bool { permanent == "C" && current == "C" }

    /// The two characters, or `?` for what is not one of `C`, `O` and `I`.
    public var description: String {
        String([permanent, current].map { "COI".contains($0) ? $0 : "?" })
    }
}

/// The result of verifying a SUN message. It proves that the tag made the message after the previous one that was seen, not that
/// the tag is here now.
public struct SUNProof: Sendable, Equatable {
    /// What was found.
    public let status: TapProof.Status
    /// Why, in words; not for the one who sent the message.
    public let reason: String
    /// The UID of the message: 7 bytes; nil unless the code is right.
    public private(set) var uid: [UInt8]?
    /// SDMReadCtr of the message; nil unless the code is right.
    public private(set) var counter: UInt32?
    /// The highest counter seen before.
    public private(set) var previousCounter: UInt32?
    /// What the counter is recorded under; nil unless the code is right.
    public private(set) var line: CounterLine?
    /// The decrypted file data; nil without it, and unless the code is right.
    public private(set) var fileData: [UInt8]?
    /// The tamper status; nil without it, and unless the code is right.
    public private(set) var tamper: TamperStatus?

    init(_ status: TapProof.Status, _ reason: String) {
        self.status = status
        self.reason = reason
    }

    init(_ status: TapProof.Status, _ reason: String, _ message: PICCData) {
        self.init(status, reason)
        uid = message.uid
        counter = message.counter
    }

    init(_ status: TapProof.Status, _ reason: String, _ message: PICCData, _ line: CounterLine, previous: UInt32?) {
        self.init(status, reason, message)
        self.line = line
        previousCounter = previous
    }

    func with(fileData: [UInt8]?, tamper: TamperStatus?) -> SUNProof {
        var proof = self
        proof.fileData = fileData
        proof.tamper = tamper
        return proof
    }

    /// True for ``TapProof.Status/proven`` only. It counts once the counter is stored.
    public var isProven: Bool { status == .proven }

    /// Whether the counter of the message is used up by it.
    public var usesCounter: Bool { status == .proven || status == .tamperOpen }

    /// The version of the key; nil unless the code is right.
    public var keyVersion: UInt8? { line?.keyVersion }
}
