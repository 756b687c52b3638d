import NFCTags
import Testing
import TestSupport

@Suite struct `Frames of ISO 15693` {
    static let uid = hex("E004010849D0DC81")

    static let requests: [(ISO15693Request, String)] = [
        (.readSingleBlock(5), "022005"),
        (.readSingleBlock(255), "0220FF"), (.readSingleBlock(256), "02300001"), (.readSingleBlock(65535), "0230FFFF"),
        (.writeSingleBlock(1, [1, 2, 3, 4]), "02210101020304"), (.writeSingleBlock(0x123, [9]), "0231230109"),
        (.lockBlock(7), "022207"), (.lockBlock(0x7FF), "0232FF07"), (.readMultipleBlocks(0...0), "02230000"),
        (.readMultipleBlocks(1...32), "0223011F"), (.readMultipleBlocks(0...255), "022300FF"),
        (.readMultipleBlocks(250...256), "0233FA000600"), (.readMultipleBlocks(0...65535), "02330000FFFF"),
        (.getSystemInformation, "022B"), (.extendedGetSystemInformation(), "023B0F"),
        (.getMultipleBlockSecurityStatus(0...3), "022C0003"),
        (.getMultipleBlockSecurityStatus(300...301), "023C2C010100"),
        (.readSingleBlock(5, extended: true), "02300500"), (.lockBlock(5, extended: true), "02320500"),
        (.writeSingleBlock(5, [1], extended: true), "0231050001"),
        (.readMultipleBlocks(1...2, extended: true), "023301000100"),
        (.getMultipleBlockSecurityStatus(0...1, extended: true), "023C00000100"),
    ]

    @Test(arguments: requests) func `are encoded`(request: ISO15693Request, frame: String) {
        #expect(request.frame() == hex(frame))
    }

    @Test func `name the tag by its UID, least significant byte first`() {
        let read = ISO15693Request.readSingleBlock(5)
        #expect(read.frame(to: .uid(Self.uid)) == hex("222081DCD049080104E005"))
        #expect(read.frame(to: .any, flags: [.highDataRate, .option, .address]) == hex("422005"))
    }

    static let responses: [(String, ISO15693Response?)] = [
        ("", nil), ("01", nil), ("00", .content([])), ("000102", .content([1, 2])),
        ("0110", .error(.blockNotAvailable)),
        ("0310FF", .error(.blockNotAvailable)), ("0E01", .content([1])),
    ]

    @Test(arguments: responses) func `are answered with content or an error`(bytes: String, response: ISO15693Response?)
    {
        #expect(ISO15693Response(hex(bytes)) == response)
    }

    static let codes: [(UInt8, String)] = [
        (0x01, "command not supported (01)"), (0x02, "command not recognised (02)"),
        (0x03, "option not supported (03)"),
        (0x0F, "unknown error (0F)"), (0x10, "no such block (10)"), (0x11, "block locked already (11)"),
        (0x12, "block locked (12)"), (0x13, "block not written (13)"), (0x14, "block not locked (14)"),
        (0xA0, "custom error (A0)"), (0xDF, "custom error (DF)"), (0x77, "error 77"),
    ]

    @Test(arguments: codes) func `have errors with names`(code: UInt8, words: String) {
        #expect(ISO15693ErrorCode(rawValue: code).description == words)
    }

    @Test func `give the memory size`() throws {
        let short = try #require(ISO15693SystemInformation(hex("0F 81DCD049080104E0 AA BB 4F 03 01")))
        #expect(short.uid == Self.uid)
        #expect([short.dsfid, short.afi, short.icReference] == [0xAA, 0xBB, 0x01])
        #expect([short.blockSize, short.blockCount] == [4, 80])
        let long = try #require(
            ISO15693SystemInformation(hex("0F 81DCD049080104E0 00 00 FF07 03 26"), isExtended: true))
        #expect([long.blockSize, long.blockCount] == [4, 2048])
        let bare = try #require(ISO15693SystemInformation(hex("00 81DCD049080104E0")))
        #expect(bare.blockSize == nil && bare.blockCount == nil && bare.afi == nil)
        let full = hex("0F 81DCD049080104E0 AA BB 4F 03 01")
        for count in full.indices { #expect(ISO15693SystemInformation(Array(full.prefix(count))) == nil) }
        #expect(ISO15693SystemInformation(hex("04 81DCD049080104E0 FF E3"))?.blockSize == 4)
    }
}
