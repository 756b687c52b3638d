import PCSC
import Testing
import TestSupport

@testable import NFCReaders
@testable import PCSCReaders

@Suite struct `The watch of readers` {
    static let acr = ReaderName("ACR 00 00")
    static let atr = hex("3B8F8001804F0CA0000003060300030000000068")

    /// A reported state: flags in the low half, the card counter in the high half.
    static func found(_ flags: UInt32, _ answerToReset: [UInt8] = [], on name: ReaderName = acr) -> ReaderState {
        var state = ReaderState(name: name)
        state.event = StateFlags(rawValue: flags)
        state.answerToReset = answerToReset
        return state
    }

    struct Report: Sendable {
        let flags: UInt32
        let events: [String]

        init(_ flags: UInt32, _ events: String...) {
            self.flags = flags
            self.events = events
        }
    }

    static let sequences: [(name: String, reports: [Report])] = [
        ("empty", [Report(0x0000_0012), Report(0x0000_0010)]),
        ("a tap", [Report(0x0001_0022, "arrived acr-0 1"), Report(0x0002_0012, "left acr-0")]),
        (
            "other programs connect and disconnect",
            [Report(0x0001_0022, "arrived acr-0 1"), Report(0x0001_0122), Report(0x0001_01A2), Report(0x0001_0022)]
        ),
        (
            "swapped between two reports",
            [Report(0x0001_0022, "arrived acr-0 1"), Report(0x0003_0022, "left acr-0", "arrived acr-0 2")]
        ),
        (
            "the counter wraps",
            [Report(0xFFFF_0022, "arrived acr-0 1"), Report(0x0001_0022, "left acr-0", "arrived acr-0 2")]
        ),
        ("mute", [Report(0x0001_0222, "mute acr-0"), Report(0x0001_0222), Report(0x0002_0012)]),
        ("mute, then answers", [Report(0x0001_0222, "mute acr-0"), Report(0x0003_0022, "arrived acr-0 1")]),
        ("stops answering", [Report(0x0001_0022, "arrived acr-0 1"), Report(0x0003_0222, "left acr-0", "mute acr-0")]),
        (
            "the driver fails and recovers",
            [Report(0x0000_000A, "failed acr-0"), Report(0x0000_0012, "recovered acr-0")]
        ),
        (
            "the driver fails under a tag",
            [
                Report(0x0001_0022, "arrived acr-0 1"), Report(0x0001_000A, "left acr-0", "failed acr-0"),
                Report(0x0001_0022, "recovered acr-0", "arrived acr-0 2"),
            ]
        ),
        ("the reader becomes unknown", [Report(0x0001_0022, "arrived acr-0 1"), Report(0x0000_0006, "left acr-0")]),
        ("unknown overrides other flags", [Report(0x0000_002E)]),
    ]

    @Test(arguments: sequences) func `reports the changes between states`(name: String, reports: [Report]) {
        var watch = ReaderWatch()
        _ = watch.list([Self.acr])
        for report in reports {
            #expect(watch.update([Self.found(report.flags, Self.atr)]).map(\.words) == report.events)
        }
    }

    @Test(arguments: [[], hex("3B"), atr]) func `passes on the answer to reset unchanged`(answerToReset: [UInt8]) {
        var watch = ReaderWatch()
        _ = watch.list([Self.acr])
        let arrival = TagArrival(reader: ReaderID(rawValue: "acr-0"), number: 1, answerToReset: answerToReset)
        #expect(watch.update([Self.found(0x0001_0022, answerToReset)]) == [.tagArrived(arrival)])
    }

    @Test func `describes a reader by its name`() {
        var watch = ReaderWatch()
        let events = watch.list([ReaderName("ACR (E012-1) 00 01")])
        #expect(
            events == [
                .attached(
                    ReaderDescription(
                        id: ReaderID(rawValue: "acr-e012-1-1"), name: "ACR (E012-1) 00 01",
                        isProfileKnown: false, serial: "E012-1"))
            ])
    }

    struct Listing: Sendable {
        let names: [String]
        let events: [String]

        init(_ names: [String], _ events: String...) {
            self.names = names
            self.events = events
        }
    }

    static let listings: [(name: String, listings: [Listing])] = [
        ("none", [Listing([])]),
        (
            "attached, listed again, detached",
            [Listing(["A 00 00"], "attached a-0"), Listing(["A 00 00"]), Listing([], "detached a-0")]
        ),
        (
            "one replaced by another",
            [Listing(["A 00 00"], "attached a-0"), Listing(["B 00 00"], "detached a-0", "attached b-0")]
        ),
        ("two slots of one reader", [Listing(["A 00 00", "A 00 01"], "attached a-0", "attached a-1")]),
        (
            "two equal readers",
            [
                Listing(["A 00 00", "A 01 00"], "attached a-0", "attached a-0-2"),
                Listing(["A 01 00"], "detached a-0"), Listing(["A 01 00", "A 02 00"], "attached a-0"),
            ]
        ),
        (
            "an access module is not a reader",
            [
                Listing(["A [A SAM] 00 01", "A [A PICC] 00 00"], "attached a-a-picc-0"),
                Listing([], "detached a-a-picc-0"),
            ]
        ),
        (
            "plugged in elsewhere",
            [Listing(["A 00 00"], "attached a-0"), Listing(["A 01 00"], "detached a-0", "attached a-0")]
        ),
    ]

    @Test(arguments: listings) func `reports attached and detached readers`(name: String, listings: [Listing]) {
        var watch = ReaderWatch()
        for listing in listings {
            #expect(watch.list(listing.names.map { ReaderName($0) }).map(\.words) == listing.events)
        }
    }

    @Test func `keeps the PC/SC name of each reader`() {
        var watch = ReaderWatch()
        _ = watch.list([ReaderName("A 00 00"), ReaderName("A 01 00"), ReaderName("A [SAM] 00 01")])
        #expect(watch.name(of: ReaderID(rawValue: "a-0")) == ReaderName("A 00 00"))
        #expect(watch.name(of: ReaderID(rawValue: "a-0-2")) == ReaderName("A 01 00"))
        #expect(watch.name(of: ReaderID(rawValue: "a-sam-1")) == nil)
    }

    @Test func `waits for the notification first, then for each reader`() {
        var watch = ReaderWatch()
        #expect(watch.states.map(\.name) == [.plugAndPlayNotification])
        _ = watch.list([ReaderName("B 00 00"), Self.acr])
        #expect(watch.states.map(\.name) == [.plugAndPlayNotification, ReaderName("B 00 00"), Self.acr])
        #expect(watch.states.map(\.known) == [[], [], []])
    }

    @Test func `acknowledges reported states, the notification's counter included`() {
        var watch = ReaderWatch()
        _ = watch.list([Self.acr])
        let events = watch.update([
            Self.found(0x0003_0002, on: .plugAndPlayNotification), Self.found(0x0001_0122, Self.atr),
        ])
        #expect(events.map(\.words) == ["arrived acr-0 1"])
        #expect(watch.states.map(\.known.rawValue) == [0x0003_0000, 0x0001_0020])
    }

    @Test func `ignores states of detached readers`() {
        var watch = ReaderWatch()
        _ = watch.list([Self.acr])
        _ = watch.list([])
        #expect(watch.update([Self.found(0x0001_0022, Self.atr)]) == [])
    }

    @Test func `numbers arrivals across all readers`() {
        var watch = ReaderWatch()
        let other = ReaderName("B 00 00")
        _ = watch.list([Self.acr, other])
        let events = watch.update([Self.found(0x0001_0022), Self.found(0x0001_0022, on: other)])
        #expect(events.map(\.words) == ["arrived acr-0 1", "arrived b-0 2"])
        _ = watch.list([other])
        _ = watch.list([other, Self.acr])
        #expect(watch.update([Self.found(0x0001_0022)]).map(\.words) == ["arrived acr-0 3"])
    }
}

@Suite struct `A pcsc-lite reader name` {
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let base: String
        var slot = 0
        var serial: String?
        let slug: String

        var testDescription: String { name }
    }

    static let rows: [Row] = [
        Row(
            name: "ACS ACR122U PICC Interface 00 00", base: "ACS ACR122U PICC Interface",
            slug: "acs-acr122u-picc-interface-0"),
        Row(
            name: "ACS ACR122U PICC Interface 01 00", base: "ACS ACR122U PICC Interface",
            slug: "acs-acr122u-picc-interface-0"),
        Row(
            name: "ACS ACR1252 Dual Reader [ACR1252 Dual Reader PICC] (E012-1) 02 00",
            base: "ACS ACR1252 Dual Reader [ACR1252 Dual Reader PICC] (E012-1)", serial: "E012-1",
            slug: "acs-acr1252-dual-reader-acr1252-dual-reader-picc-e012-1-0"),
        Row(
            name: "HID Global OMNIKEY 5422 (AB) 0A 01", base: "HID Global OMNIKEY 5422 (AB)", slot: 1, serial: "AB",
            slug: "hid-global-omnikey-5422-ab-1"),
        Row(name: "Virtual PCD 00 1F", base: "Virtual PCD", slot: 31, slug: "virtual-pcd-31"),
        Row(name: "Reader (one) (two) 00 00", base: "Reader (one) (two)", serial: "two", slug: "reader-one-two-0"),
        Row(name: "Reader () 00 00", base: "Reader ()", slug: "reader-0"),
        Row(name: "Reader )( 00 00", base: "Reader )(", slug: "reader-0"),
        Row(name: "No numbers", base: "No numbers", slug: "no-numbers-0"),
        Row(name: "Reader 00 0", base: "Reader 00 0", slug: "reader-00-0-0"),
        Row(name: "Reader 000 00", base: "Reader 000 00", slug: "reader-000-00-0"),
        Row(name: "Reader XY 00", base: "Reader XY 00", slug: "reader-xy-00-0"),
        Row(name: "00 00", base: "00 00", slug: "00-00-0"),
        Row(name: "", base: "", slug: "reader-0"),
        Row(name: "Lesegerät 00 00", base: "Lesegerät", slug: "leseger-t-0"),
    ]

    @Test(arguments: rows) func `contains base, slot and serial number`(row: Row) {
        let naming = ReaderNaming(row.name)
        #expect(naming.base == row.base)
        #expect(naming.slot == row.slot)
        #expect(naming.serial == row.serial)
        #expect(naming.slug == row.slug)
    }

    static let modules: [(String, Bool)] = [
        ("ACS ACR1252 Dual Reader [ACR1252 Dual Reader SAM] (E012-1) 03 00", true),
        ("ACS ACR1281 SAM Interface 00 02", true),
        ("ACS ACR1252 Dual Reader [ACR1252 Dual Reader PICC] (E012-1) 02 00", false), ("SAMSUNG Reader 00 00", false),
        ("Sam's Reader 00 00", false),
    ]

    @Test(arguments: modules) func `identifies slots for access modules`(name: String, isModule: Bool) {
        #expect(ReaderNaming(name).isSecureAccessModule == isModule)
    }
}
