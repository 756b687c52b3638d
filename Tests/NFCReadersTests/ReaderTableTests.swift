import NFCReaders
import Testing
import TestSupport

@Suite struct `The table of readers` {
    static let desk = reader("desk")
    static let door = reader("door")
    static let tap = TagArrival(reader: desk.id, number: 1, answerToReset: hex("3B00"))
    static let other = TagArrival(reader: desk.id, number: 2, answerToReset: hex("3B01"))

    static func reader(_ name: String) -> ReaderDescription {
        ReaderDescription(
            id: ReaderID(rawValue: name), name: "The \(name) reader")
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let events: [ReaderEvent]
        var unavailable: String?
        /// Reader, number of the tag, failure.
        let entries: [String]

        var testDescription: String { name }
    }

    static let rows: [Row] = [
        Row(name: "nothing yet", events: [], unavailable: "the PC/SC service is being started", entries: []),
        Row(
            name: "a service that is started again",
            events: [.serviceAvailable, .attached(desk), .serviceUnavailable(reason: "gone"), .serviceStarting],
            unavailable: "the PC/SC service is being started", entries: []),
        Row(name: "no readers", events: [.serviceAvailable], entries: []),
        Row(
            name: "in the order of plugging", events: [.serviceAvailable, .attached(door), .attached(desk)],
            entries: ["door", "desk"]),
        Row(
            name: "unplugged", events: [.serviceAvailable, .attached(door), .attached(desk), .detached(door.id)],
            entries: ["desk"]),
        Row(name: "a tag", events: [.serviceAvailable, .attached(desk), .tagArrived(tap)], entries: ["desk tag 1"]),
        Row(
            name: "another tag", events: [.serviceAvailable, .attached(desk), .tagArrived(tap), .tagArrived(other)],
            entries: ["desk tag 2"]),
        Row(
            name: "a tag that left", events: [.serviceAvailable, .attached(desk), .tagArrived(tap), .tagLeft(desk.id)],
            entries: ["desk"]),
        Row(
            name: "a mute tag", events: [.serviceAvailable, .attached(desk), .tagArrived(tap), .tagMute(desk.id)],
            entries: ["desk"]),
        Row(
            name: "plugged in again, without the old tag",
            events: [.serviceAvailable, .attached(desk), .tagArrived(tap), .attached(door), .attached(desk)],
            entries: ["door", "desk"]),
        Row(
            name: "failed", events: [.serviceAvailable, .attached(desk), .failed(desk.id, reason: "stuck")],
            entries: ["desk stuck"]),
        Row(
            name: "recovered",
            events: [.serviceAvailable, .attached(desk), .failed(desk.id, reason: "stuck"), .recovered(desk.id)],
            entries: ["desk"]),
        Row(
            name: "no service", events: [.serviceAvailable, .attached(desk), .serviceUnavailable(reason: "gone")],
            unavailable: "gone", entries: []),
        Row(
            name: "service again", events: [.serviceUnavailable(reason: "gone"), .serviceAvailable, .attached(door)],
            entries: ["door"]),
        Row(
            name: "events of an unknown reader",
            events: [
                .serviceAvailable, .attached(door), .tagArrived(tap), .tagLeft(desk.id), .tagMute(desk.id),
                .detached(desk.id), .failed(desk.id, reason: "stuck"), .recovered(desk.id),
            ], entries: ["door"]),
    ]

    @Test(arguments: rows) func `applies events`(row: Row) {
        var table = ReaderTable()
        for event in row.events { table.apply(event) }
        #expect(table.unavailable == row.unavailable)
        let entries = table.entries.map { entry in
            let parts = ["\(entry.description.id)", entry.tag.map { "tag \($0.number)" }, entry.failure]
            return parts.compactMap(\.self).joined(separator: " ")
        }
        #expect(entries == row.entries)
    }

    @Test func `finds a reader by its id`() {
        var table = ReaderTable()
        table.apply(.attached(Self.desk))
        #expect(table[Self.desk.id]?.description == Self.desk)
        #expect(table[Self.door.id] == nil)
    }

    static let calls: [(String, Bool)] = [
        ("desk", true), ("The desk reader", true), ("Desk", false), ("", false), ("the desk reader", false),
    ]

    @Test(arguments: calls) func `matches readers by id and name`(text: String, isMeant: Bool) {
        #expect(Self.desk.matches(text) == isMeant)
    }
}
