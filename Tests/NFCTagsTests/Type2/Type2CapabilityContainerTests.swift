import NFCTags
import Testing
import TestSupport

@Suite struct `A Type 2 capability container` {
    typealias Fault = Type2CapabilityContainer.Fault

    static let valid: [(bytes: String, size: Int, minor: UInt8, write: Type2CapabilityContainer.Access)] = [
        ("E1100600", 48, 0, .free),
        ("E1101200", 144, 0, .free),
        ("E1103E00", 496, 0, .free),
        ("E1106D00", 872, 0, .free),
        ("E110FF00", 2040, 0, .free),
        ("E1111200", 144, 1, .free),
        ("E1131200", 144, 3, .free),
        ("E110060F", 48, 0, .never),
        ("E1101208", 144, 0, .proprietary),
        ("E1101203", 144, 0, .reserved(3)),
    ]

    @Test(arguments: valid)
    func `contains size and access`(
        bytes: String, size: Int, minor: UInt8, write: Type2CapabilityContainer.Access
    ) throws {
        let container = try #require(Type2CapabilityContainer(hex(bytes)))
        #expect(container.isValid)
        #expect(container.faults.isEmpty)
        #expect(container.magic == 0xE1)
        #expect(container.majorVersion == 1)
        #expect(container.minorVersion == minor)
        #expect(container.dataAreaSize == size)
        #expect(container.readAccess == .free)
        #expect(container.writeAccess == write)
        #expect(container.bytes == hex(bytes))
    }

    static let invalid: [(bytes: String, faults: [Fault], words: String)] = [
        ("00000000", [.blank], "the capability container is blank"),
        ("FFFFFFFF", [.wrongMagic(0xFF)], "the capability container starts with FF, not E1"),
        ("F110FFEE", [.wrongMagic(0xF1)], "the capability container starts with F1, not E1"),
        ("E2101200", [.wrongMagic(0xE2)], "the capability container starts with E2, not E1"),
        ("00101200", [.wrongMagic(0x00)], "the capability container starts with 00, not E1"),
        ("E1201200", [.unsupportedVersion(major: 2, minor: 0)], "mapping version 2.0 is not supported"),
        ("E1011200", [.unsupportedVersion(major: 0, minor: 1)], "mapping version 0.1 is not supported"),
        ("E1100000", [.noDataArea], "the data area has no bytes"),
        ("E1101280", [.notReadable(.proprietary)], "reading needs a password or a proprietary procedure"),
        ("E11012F0", [.notReadable(.never)], "the capability container denies reading"),
        ("E1101210", [.notReadable(.reserved(1))], "the capability container denies reading"),
        (
            "E1000000", [.unsupportedVersion(major: 0, minor: 0), .noDataArea],
            "mapping version 0.0 is not supported; the data area has no bytes"
        ),
    ]

    @Test(arguments: invalid)
    func `reports what is wrong`(bytes: String, faults: [Fault], words: String) async throws {
        let container = try #require(Type2CapabilityContainer(hex(bytes)))
        #expect(!container.isValid)
        #expect(container.faults == faults)
        let tag = FakeTag(Images.type2(pages: 45, container: bytes, area: hex("0301D0FE")))
        let result = try await Type2Tag(channel: tag).readNDEF()
        #expect(result == .notSupported(words))
        #expect(tag.log.count == 1)
    }

    @Test(arguments: ["", "E1", "E11012", "E110120000"])
    func `is exactly four bytes`(bytes: String) {
        #expect(Type2CapabilityContainer(hex(bytes)) == nil)
    }

    @Test func `every value is evaluated without a trap`() {
        for byte0 in [UInt8(0), 0xE1, 0xFF] {
            for byte1 in UInt8.min...UInt8.max {
                for byte3 in UInt8.min...UInt8.max {
                    let container = Type2CapabilityContainer([byte0, byte1, 0x12, byte3])
                    #expect(container?.isValid == (byte0 == 0xE1 && byte1 >> 4 == 1 && byte3 >> 4 == 0))
                }
            }
        }
    }
}
