import ISO7816
import Testing

@Suite struct `Chaining of commands` {
    static let links: [(count: Int, sizes: [Int])] = [
        (0, [0]), (1, [1]), (255, [255]), (256, [255, 1]), (510, [255, 255]), (511, [255, 255, 1]),
    ]

    @Test(arguments: links)
    func `puts 255 bytes into each link`(count: Int, sizes: [Int]) throws {
        let data = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let links = try CommandAPDU(cla: 0x00, ins: 0xD6, p1: 0, p2: 2, data: data).shortLinks
        #expect(links.map(\.data.count) == sizes)
        #expect(links.flatMap(\.data) == data)
        #expect(links.dropLast().allSatisfy { $0.cla == 0x10 && $0.expectedLength == nil })
        #expect(links.last?.cla == 0x00)
        #expect(links.allSatisfy { $0.form == .short && $0.ins == 0xD6 && $0.p2 == 2 })
    }

    @Test func `leaves Le to the last link and cuts it to 256`() throws {
        let data = [UInt8](repeating: 0, count: 300)
        let command = try CommandAPDU(cla: 0x01, ins: 0xCB, p1: 0, p2: 0, data: data, expectedLength: 4_096)
        #expect(command.form == .extended)
        #expect(command.shortLinks.map(\.expectedLength) == [nil, 256])
        #expect(command.shortLinks.map(\.cla) == [0x11, 0x01])
    }

    @Test func `keeps a short command as it is`() throws {
        let command = try CommandAPDU(cla: 0x00, ins: 0xA4, p1: 4, p2: 0, data: [1, 2], expectedLength: 256)
        #expect(command.shortLinks == [command])
    }

    static let classes: [(cla: UInt8, answer: UInt8, isInterindustry: Bool)] = [
        (0x00, 0x00, true), (0x03, 0x03, true), (0x10, 0x00, true), (0x0C, 0x00, true), (0x41, 0x41, true),
        (0x6F, 0x4F, true), (0x80, 0x80, false), (0x90, 0x90, false), (0xFF, 0xFF, false),
    ]

    @Test(arguments: classes)
    func `fetches the rest on the same logical channel`(cla: UInt8, answer: UInt8, isInterindustry: Bool) throws {
        let command = try CommandAPDU(cla: cla, ins: 0xB0, p1: 0, p2: 0, expectedLength: 4)
        #expect(command.isInterindustry == isInterindustry)
        #expect(command.getResponse(256).bytes == [answer, 0xC0, 0, 0, 0])
        #expect(command.getResponse(16).bytes == [answer, 0xC0, 0, 0, 16])
    }

    @Test func `asks again with another length`() throws {
        let command = try CommandAPDU(cla: 0, ins: 0xB0, p1: 0, p2: 0, expectedLength: 15)
        #expect(command.expecting(7).bytes == hex("00B0000007"))
        #expect(command.expecting(0).expectedLength == 1)
        #expect(command.expecting(70_000).expectedLength == 65_536)
    }
}
