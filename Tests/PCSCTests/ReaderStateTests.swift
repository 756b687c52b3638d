import Testing

@testable import PCSC

@Suite struct `The state of a reader` {
    static let counters: [(UInt32, UInt16)] = [
        (0, 0), (0x0000_FFFF, 0), (0x0001_0020, 1), (0xFFFF_0022, 0xFFFF), (0x8000_0000, 0x8000),
    ]

    @Test(arguments: counters) func `has the card counter in its high half`(flags: UInt32, counter: UInt16) {
        #expect(StateFlags(rawValue: flags).cardCounter == counter)
    }

    static let flags: [(StateFlags, UInt32)] = [
        (.changed, 0x002), (.unknown, 0x004), (.unavailable, 0x008), (.empty, 0x010), (.present, 0x020),
        (.exclusive, 0x080), (.inUse, 0x100), (.mute, 0x200),
    ]

    @Test(arguments: flags) func `has the bits of PC/SC`(flag: StateFlags, bit: UInt32) {
        #expect(flag.rawValue == bit)
    }

    static let acknowledged: [(event: UInt32, known: UInt32)] = [
        (0, 0), (0x0002_0012, 0x0002_0010), (0x0003_0022, 0x0003_0020), (0x0003_01A2, 0x0003_0020),
        (0x0003_0222, 0x0003_0220), (0x0000_0006, 0x0000_0004), (0x0000_000A, 0x0000_0008),
        (0xFFFF_FFFF, 0xFFFF_FE7D),
    ]

    @Test(arguments: acknowledged)
    func `is acknowledged without the bits about other programs`(event: UInt32, known: UInt32) {
        var state = ReaderState(name: ReaderName("a reader"))
        state.event = StateFlags(rawValue: event)
        state.acknowledge()
        #expect(state.known.rawValue == known)
        #expect(state.event.rawValue == event)
    }

    @Test func `is unknown at first`() {
        let state = ReaderState(name: ReaderName("a reader"))
        #expect(state.known == [] && state.event == [] && state.answerToReset == [])
        #expect(state.name == ReaderName("a reader"))
    }
}

@Suite struct `The name of a reader` {
    static let names: [(String, bytes: [UInt8], shown: String)] = [
        ("", [], ""), ("ACS", [0x41, 0x43, 0x53], "ACS"), ("A\0B", [0x41], "A"), ("\0", [], ""),
        ("Lesegerät", [0x4C, 0x65, 0x73, 0x65, 0x67, 0x65, 0x72, 0xC3, 0xA4, 0x74], "Lesegerät"),
    ]

    @Test(arguments: names) func `is UTF-8 up to a NUL`(name: String, bytes: [UInt8], shown: String) {
        #expect(ReaderName(name).bytes == bytes.map { CChar(bitPattern: $0) })
        #expect("\(ReaderName(name))" == shown)
    }

    @Test func `keeps bytes in any encoding`() {
        let latin1 = ReaderName(bytes: [0x67, 0x65, 0x72, CChar(bitPattern: 0xE4), 0x74])
        let other = ReaderName(bytes: [0x67, 0x65, 0x72, CChar(bitPattern: 0xF6), 0x74])
        #expect("\(latin1)" == "ger\u{FFFD}t")
        #expect(latin1 != other)
    }

    @Test func `for reader notifications is that of pcsc-lite`() {
        #expect("\(ReaderName.plugAndPlayNotification)" == #"\\?PnP?\Notification"#)
    }
}
