public import NFCTypes

/// A tap to be stored: everything that is known when it was read.
public struct TapRecord: Sendable, Hashable {
    /// Made once, and the same in every delivery.
    public var id: TapID
    /// When the tag was read.
    public var time: TapTime
    /// The reader it was read on: the id within nfcd.
    public var reader: String
    /// The name of the reader for people.
    public var readerName: String
    /// CoreNFC's type of the tag.
    public var type: TagType
    /// The technology of the tag, for people; nil where connecting to it failed.
    public var technology: String?
    /// The UID in its form; empty where the reader does not report it, or where it is omitted.
    public var identifier: [UInt8]
    /// The form of `identifier`.
    public var identifierForm: IdentifierForm
    /// The encoded NDEF message; nil if there is none.
    public var message: [UInt8]?
    /// Whether the tag holds NDEF, and whether it can be written; nil where reading failed.
    public var status: NDEFStatus?
    /// The size of the largest message that fits, in bytes.
    public var capacity: Int?
    /// Why there is no message; nil if there is one.
    public var failure: TapFailure?
    /// The session that the tap belonged to; nil for a tap read in the background.
    public var session: String?
    /// What the tag has proven; nil where no profile fits it.
    public var proof: TapProof?
    /// The counter that the proof depends on. The journal compares it as it stores the tap, and does not store it itself.
    public var claim: CounterClaim?

    /// Makes a record.
    public init(
        id: TapID, time: TapTime, reader: String, readerName: String, type: TagType, technology: String? = nil,
        identifier: [UInt8], identifierForm: IdentifierForm = .plain, message: [UInt8]? = nil,
        status: NDEFStatus? = nil, capacity: Int? = nil, failure: TapFailure? = nil, session: String? = nil,
        proof: TapProof? = nil, claim: CounterClaim? = nil
    ) {
        self.id = id
        self.time = time
        self.reader = reader
        self.readerName = readerName
        self.type = type
        self.technology = technology
        self.identifier = identifier
        self.identifierForm = identifierForm
        self.message = message
        self.status = status
        self.capacity = capacity
        self.failure = failure
        self.session = session
        self.proof = proof
        self.claim = claim
    }
}

/// Why a tap has no message.
public struct TapFailure: Sendable, Hashable {
    /// CoreNFC's code.
    public var code: NFCErrorCode
    /// The cause in words.
    public var detail: String

    /// Makes a failure.
    public init(_ code: NFCErrorCode, _ detail: String) {
        self.code = code
        self.detail = detail
    }
}

/// A tap that the journal has stored.
public struct JournalTap: Sendable, Hashable {
    /// Its place among the taps of all readers: greater than that of every earlier tap, never reused within an epoch.
    public var sequence: Int64
    /// Its place among the taps of its reader, counted from 1 without gaps: only this shows a loss.
    public var readerSequence: Int64
    /// The tap.
    public var record: TapRecord

    /// Makes a stored tap.
    public init(sequence: Int64, readerSequence: Int64, record: TapRecord) {
        self.sequence = sequence
        self.readerSequence = readerSequence
        self.record = record
    }
}

/// When a tap was read: by the wall clock, which may be wrong, and by the clock since boot, which is not.
public struct TapTime: Sendable, Hashable {
    /// Milliseconds since 1970 in UTC (CLOCK_REALTIME).
    public var milliseconds: Int64
    /// The time since boot, with suspended time (CLOCK_BOOTTIME).
    public var sinceBoot: Duration
    /// The boot (`/proc/sys/kernel/random/boot_id`), 36 characters.
    public var bootID: String
    /// Whether the wall clock was synchronised.
    public var clock: ClockQuality

    /// Makes a time.
    public init(milliseconds: Int64, sinceBoot: Duration, bootID: String, clock: ClockQuality) {
        self.milliseconds = milliseconds
        self.sinceBoot = sinceBoot
        self.bootID = bootID
        self.clock = clock
    }
}

/// The identifier of a tap: a UUID of version 7, ordered by time as far as the wall clock is right (RFC 9562, 5.7).
public struct TapID: Sendable, Hashable, CustomStringConvertible {
    /// 16 bytes.
    public let bytes: [UInt8]

    /// The bytes of a stored id; nil unless there are 16.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// Makes an id.
    ///
    /// - Parameters:
    ///   - milliseconds: since 1970 in UTC, 48 bits of it.
    ///   - random: the source of the other 74 bits.
    public init(milliseconds: Int64, using random: inout some RandomNumberGenerator) {
        var bytes = (0..<6).map { UInt8(truncatingIfNeeded: milliseconds >> (8 * (5 - $0))) }
        let (high, low) = (random.next() as UInt64, random.next() as UInt64)
        bytes += [0x70 | UInt8(truncatingIfNeeded: high >> 8) & 0x0F, UInt8(truncatingIfNeeded: high)]
        bytes += (0..<8).map { UInt8(truncatingIfNeeded: low >> (8 * (7 - $0))) }
        bytes[8] = 0x80 | bytes[8] & 0x3F
        self.bytes = bytes
    }

    /// The 36 characters of a UUID, lower case (RFC 9562, 4).
    public var description: String {
        let digits = Array(Hexadecimal.string(bytes).lowercased())
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
    }
}
