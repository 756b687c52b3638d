import Testing

@testable import VirtualTags

/// Framing and control bytes of vpcd.
@Suite struct VPCDMessageTests {
    static let bodies: [(String, VPCDMessage)] = [
        ("00", .powerOff), ("01", .powerOn), ("02", .reset), ("04", .answerToReset),
        ("03", .command([0x03])), ("FF", .command([0xFF])), ("00 00", .command([0, 0])),
        ("FF CA 00 00 00", .command([0xFF, 0xCA, 0, 0, 0])),
    ]

    @Test(arguments: bodies) func `a body is a control or a command`(body: String, message: VPCDMessage) {
        #expect(VPCDMessage(hex(body)) == message)
    }

    @Test(arguments: [(0, "0000"), (1, "0001"), (256, "0100"), (65_535, "FFFF")])
    func `a frame starts with its length`(count: Int, header: String) {
        let frame = VPCDMessage.frame([UInt8](repeating: 0xAB, count: count))
        #expect(hex(frame.prefix(2)) == header)
        #expect(frame.count == count + 2)
        #expect(VPCDMessage.length(Array(frame.prefix(2))) == count)
    }

    @Test func `a body that no length can announce becomes a status word`() {
        #expect(hex(VPCDMessage.frame([UInt8](repeating: 0, count: 65_536))) == "00026F00")
    }

    @Test(arguments: [("127.0.0.1", "127.0.0.1:7"), ("::1", "[::1]:7"), ("lab", "lab:7")])
    func `an address names host and port`(host: String, text: String) {
        #expect(VPCDAddress(host: host, port: 7).description == text)
    }

    @Test func `by default the first slot on this machine is meant`() {
        #expect(VPCDAddress().description == "127.0.0.1:35963")
    }
}
