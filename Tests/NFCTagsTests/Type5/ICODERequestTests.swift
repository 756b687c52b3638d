import NFCTypes
import Testing
import TestSupport

@testable import NFCTags

@Suite struct `Requests of ICODE SLIX2` {
    static let uid = hex("E004010849D0DC81")
    private static let sent = "81DCD049080104E0"

    static let requests: [(ISO15693Request, String)] = [
        (.getNXPSystemInformation, "22AB04" + sent), (.getRandomNumber, "22B204" + sent),
        (.setPassword(.read, hidden: [1, 2, 3, 4]), "22B304" + sent + "0101020304"),
        (.setPassword(.write, hidden: [1, 2, 3, 4]), "22B304" + sent + "0201020304"),
        (.setPassword(.privacy, hidden: [1, 2, 3, 4]), "22B304" + sent + "0401020304"),
        (.setPassword(.destroy, hidden: [1, 2, 3, 4]), "22B304" + sent + "0801020304"),
        (.setPassword(.easAFI, hidden: [1, 2, 3, 4]), "22B304" + sent + "1001020304"),
        (.writePassword(.write, [0xA1, 0xB2, 0xC3, 0xD4]), "22B404" + sent + "02A1B2C3D4"),
        (.lockPassword(.read), "22B504" + sent + "01"),
        (.protectPages(ICODEProtection(pointer: 67, conditions: [.writeLow])), "22B604" + sent + "4302"),
        (.protectPages(ICODEProtection(pointer: 0, conditions: [.readHigh, .writeHigh])), "22B604" + sent + "0030"),
        (.lockProtection(pointer: 67), "22B704" + sent + "43"),
        (.getMultipleBlockProtectionStatus(0...78), "22B804" + sent + "004E"),
        (.enablePrivacy(hidden: [9, 8, 7, 6]), "22BA04" + sent + "09080706"),
        (.requireBothPasswords, "22BB04" + sent), (.setEAS, "22A204" + sent), (.resetEAS, "22A304" + sent),
        (.lockEAS, "22A404" + sent), (.easAlarm, "22A504" + sent), (.protectEASOrAFI, "22A604" + sent),
        (.writeAFI(0x07), "2227" + sent + "07"), (.lockAFI, "2228" + sent),
    ]

    @Test(arguments: requests.indices) func `have the code of the maker in front of the UID`(index: Int) {
        let (request, frame) = Self.requests[index]
        #expect(request.frame(to: .uid(Self.uid)) == hex(frame))
    }

    static let answers: [(content: String, pointer: Int, conditions: UInt8, locks: UInt8, features: [String])] = [
        ("00 00 00 00000000", 0, 0x00, 0x00, []),
        ("43 02 08 01000000", 67, 0x02, 0x08, ["page protection"]),
        ("00 31 03 02300000", 0, 0x31, 0x03, ["counter", "privacy", "destroy"]),
    ]

    @Test(arguments: answers.indices) func `system information is read`(index: Int) throws {
        let row = Self.answers[index]
        let found = try #require(ICODESystemInformation(hex(row.content)))
        #expect(found.protection == ICODEProtection(pointer: row.pointer, conditions: .init(rawValue: row.conditions)))
        #expect(found.locks.rawValue == row.locks)
        #expect(found.featureWords == row.features)
    }

    @Test(arguments: ["", "00", "000000000000", "00 00 00 00000000 00", "00 04 00 00000000", "00 C0 00 00000000"])
    func `system information of another form is refused`(content: String) {
        #expect(ICODESystemInformation(hex(content)) == nil)
    }

    static let protections: [(pointer: Int, conditions: UInt8, read: Range<Int>, write: Range<Int>)] = [
        (0, 0x00, 0..<0, 0..<0), (67, 0x02, 67..<67, 0..<67), (67, 0x20, 67..<67, 67..<79), (67, 0x22, 67..<67, 0..<79),
        (0, 0x30, 0..<79, 0..<79), (10, 0x21, 0..<10, 10..<79), (200, 0x02, 79..<79, 0..<79),
    ]

    @Test(arguments: protections.indices) func `the pointer divides the blocks`(index: Int) {
        let row = Self.protections[index]
        let protection = ICODEProtection(pointer: row.pointer, conditions: .init(rawValue: row.conditions))
        #expect(protection.blocks(needing: .read, of: 79) == row.read)
        #expect(protection.blocks(needing: .write, of: 79) == row.write)
        #expect(protection.blocks(needing: .privacy, of: 79).isEmpty)
        for block in 0..<79 {
            let status = protection.status(of: block, of: 79)
            #expect(status.contains(.needsReadPassword) == row.read.contains(block))
            #expect(status.contains(.needsWritePassword) == row.write.contains(block))
        }
    }

    static let counters: [(String, Int, Bool)] = [
        ("00000000", 0, false), ("34120001", 0x1234, true), ("FFFF00FE", 65535, false),
    ]

    @Test(arguments: counters.indices) func `the counter is the first two bytes`(index: Int) {
        let (bytes, value, needsPassword) = Self.counters[index]
        #expect(ICODECounter(hex(bytes)) == ICODECounter(value: value, needsPassword: needsPassword))
        #expect(ICODECounter(Array(hex(bytes).prefix(3))) == nil)
    }
}
