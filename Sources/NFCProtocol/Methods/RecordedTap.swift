// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// A test requires a description of every field.
public import NDEF
public import NFCTypes

/// A tap of the journal: the same object on the socket, in `nfcctl taps list --json`, in a webhook and on MQTT.
public struct RecordedTap: Codable, Sendable {
    public struct Tag: Codable, Sendable, Hashable {
        /// CoreNFC's type of the tag.
        public var type: TagType
        /// The technology of the tag, for people; absent if the tag could not be connected to.
        public var technology: String?
        /// The UID; empty if the reader does not report it, or if the journal does not store it.
        public var identifier: HexBytes
        /// The form of `identifier`, unless it is the UID itself.
        public var identifierForm: IdentifierForm?
    }

    /// Its place among the taps of all readers: greater than that of every earlier tap.
    public var sequence: Int64
    /// A UUID of version 7, the same in every delivery of this tap.
    public var id: String
    /// When the tag was read: RFC 3339 with milliseconds, in UTC.
    public var time: String
    /// The id of the reader within nfcd.
    public var reader: String
    /// The name of the reader for people.
    public var readerName: String
    /// Its place among the taps of its reader, counted from 1 without gaps: a gap shows a loss.
    public var readerSequence: Int64
    /// The tag.
    public var tag: Tag
    /// The message; null if there is none, and then `error` gives the reason.
    public var message: NDEFMessage?
    /// The first URI of the message whose scheme is http or https; absent if there is none. Others are in the message.
    public var uri: String?
    /// The text of its first Text record; absent if there is none.
    public var text: String?
    /// The reason why there is no message.
    public var error: SessionDidDetectNDEFs.Failure?
    /// Whether the tag holds NDEF, and whether it can be written; absent if reading failed.
    public var status: NDEFStatus?
    /// The size of the largest message that fits, in bytes.
    public var capacity: Int?
    /// What the tag has proven; absent if no profile fits it.
    public var proof: TapProof?
    /// The session that the tap belonged to; absent if it was read in the background.
    public var session: String?
    /// The journal that `sequence` is of: a new one begins at 1 again.
    public var epoch: String
    /// The boot of the machine.
    public var bootID: String
    /// When the tag was read, in seconds since that boot.
    public var bootTime: Double
    /// Whether `time` is right.
    public var clock: ClockQuality

    public init(
        sequence: Int64, id: String, time: String, reader: String, readerName: String, readerSequence: Int64, tag: Tag,
        message: NDEFMessage?, error: SessionDidDetectNDEFs.Failure? = nil, status: NDEFStatus? = nil,
        capacity: Int? = nil, session: String? = nil, epoch: String, bootID: String, bootTime: Double,
        clock: ClockQuality
    ) {
        self.sequence = sequence
        self.id = id
        self.time = time
        self.reader = reader
        self.readerName = readerName
        self.readerSequence = readerSequence
        self.tag = tag
        self.message = message
        uri = message?.firstWebURI
        text = message?.firstText
        self.error = error
        self.status = status
        self.capacity = capacity
        self.session = session
        self.epoch = epoch
        self.bootID = bootID
        self.bootTime = bootTime
        self.clock = clock
    }
}

extension RecordedTap {
    /// Encodes a tap without a message with `null` for it.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(sequence, forKey: .sequence)
        try values.encode(id, forKey: .id)
        try values.encode(time, forKey: .time)
        try values.encode(reader, forKey: .reader)
        try values.encode(readerName, forKey: .readerName)
        try values.encode(readerSequence, forKey: .readerSequence)
        try values.encode(tag, forKey: .tag)
        try values.encode(message, forKey: .message)
        try values.encodeIfPresent(uri, forKey: .uri)
        try values.encodeIfPresent(text, forKey: .text)
        try values.encodeIfPresent(error, forKey: .error)
        try values.encodeIfPresent(status, forKey: .status)
        try values.encodeIfPresent(capacity, forKey: .capacity)
        try values.encodeIfPresent(proof, forKey: .proof)
        try values.encodeIfPresent(session, forKey: .session)
        try values.encode(epoch, forKey: .epoch)
        try values.encode(bootID, forKey: .bootID)
        try values.encode(bootTime, forKey: .bootTime)
        try values.encode(clock, forKey: .clock)
    }
}
