import FoundationEssentials
import NFCProtocol

/// A CloudEvents 1.0 object in JSON (structured mode).
struct CloudEvent: Encodable, Sendable {
    private let specversion = "1.0"
    private let id: String
    private let source: String
    private let type: String
    private let time: String
    private let subject: String?
    private let datacontenttype = "application/json"
    /// The order within the source: text, because an integer has 32 bits (CloudEvents, extension "sequence").
    private let sequence: String?
    /// When the tap was recorded, where `time` was corrected since.
    private let recordedtime: String?
    /// Whether `time` is right, unless it is.
    private let timequality: String?
    private let replay: String?
    private let data: Payload

    /// What happened.
    private enum Payload: Encodable {
        case tap(RecordedTap)
        case lost(LostData)
        case test(TestData)

        func encode(to encoder: any Encoder) throws {
            switch self {
            case .tap(let tap): try tap.encode(to: encoder)
            case .lost(let lost): try lost.encode(to: encoder)
            case .test(let test): try test.encode(to: encoder)
            }
        }
    }

    private struct LostData: Encodable {
        let epoch: String
        let reader: String?
        let first: Int64?
        let last: Int64?
        let message: String
    }

    private struct TestData: Encodable {
        let consumer: String
        let message: String
    }

    /// The event of a tap.
    init(_ tap: RecordedTap, _ identity: RelayIdentity, clocks: ClockReading, isReplay: Bool) {
        let corrected = clocks.correctedTime(of: tap)
        id = tap.id
        source = identity.source(reader: tap.reader)
        type = tap.error == nil ? "org.nfcd.tap.read" : "org.nfcd.tap.failed"
        time = corrected ?? tap.time
        subject = tap.tag.identifier.bytes.isEmpty ? nil : tap.tag.identifier.description
        sequence = Self.sequence(tap.readerSequence)
        recordedtime = corrected == nil ? nil : tap.time
        timequality = tap.clock == .synchronised || corrected != nil ? nil : tap.clock.rawValue
        replay = isReplay ? "true" : nil
        data = .tap(tap)
    }

    /// The event of lost taps.
    fileprivate init(_ lost: LostTaps, id: String, _ identity: RelayIdentity, _ time: String) {
        self.id = id
        source = identity.source(reader: lost.range?.reader)
        type = RelayNotice.Subject.journalLost.rawValue
        self.time = time
        (subject, sequence, recordedtime, timequality, replay) = (lost.range?.reader, nil, nil, nil, nil)
        let numbers = lost.range?.numbers
        data = .lost(
            LostData(
                epoch: lost.epoch, reader: lost.range?.reader, first: numbers?.lowerBound, last: numbers?.upperBound,
                message: lost.text))
    }

    /// The event of a test.
    fileprivate init(testing consumer: String, id: String, _ identity: RelayIdentity, _ time: String) {
        self.id = id
        source = identity.source(reader: nil)
        type = RelayNotice.Subject.test.rawValue
        self.time = time
        (subject, sequence, recordedtime, timequality, replay) = (consumer, nil, nil, nil, nil)
        data = .test(TestData(consumer: consumer, message: "a test of nfcd-relay; no tag was read"))
    }

    /// 20 digits, which are ordered like their number.
    private static func sequence(_ number: Int64) -> String {
        let digits = String(max(0, number))
        return String(repeating: "0", count: max(0, 20 - digits.count)) + digits
    }

    /// The JSON, without a newline. Keys are sorted, so that the same event is the same bytes.
    var json: Data { get throws { Data(try JSONLine.encode(self).dropLast()) } }
}

extension RelayNotice {
    /// The notice of lost taps. Its id is the same for the same loss.
    init(_ lost: LostTaps, _ identity: RelayIdentity, time: String) throws {
        let range = lost.range.map { "\($0.reader)-\($0.numbers.lowerBound)-\($0.numbers.upperBound)" } ?? "all"
        let id = "lost-\(lost.epoch)-\(range)".filter { $0 != "." }
        self.init(
            subject: .journalLost, id: id, reader: lost.range?.reader, text: lost.text,
            cloudEvent: try CloudEvent(lost, id: id, identity, time).json)
    }

    /// The notice of a test.
    init(testing consumer: String, _ identity: RelayIdentity, time: String) throws {
        let id = "test-\(UUID().uuidString.lowercased())"
        self.init(
            subject: .test, id: id, reader: nil, text: "a test of consumer \(consumer)",
            cloudEvent: try CloudEvent(testing: consumer, id: id, identity, time).json)
    }
}

extension TapEvent {
    /// The event of a tap for one attempt.
    init(
        _ tap: RecordedTap, _ identity: RelayIdentity, attempt: Int, isReplay: Bool, clocks: ClockReading = .now
    ) throws {
        self.init(
            tap: tap, cloudEvent: try CloudEvent(tap, identity, clocks: clocks, isReplay: isReplay).json,
            attempt: attempt,
            isReplay: isReplay, age: clocks.age(of: tap))
    }
}
