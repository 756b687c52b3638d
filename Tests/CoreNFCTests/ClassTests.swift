@testable import CoreNFC
import Testing

/// Classes that clients make, copy and subclass.
@Suite struct ClassTests {
    @Test func `the copy of a pass configuration changes on its own`() throws {
        let original = NFCVASCommandConfiguration(
            vasMode: .normal, passTypeIdentifier: "pass.example", url: URL(string: "https://example.com"))
        let copy = try #require(original.copy() as? NFCVASCommandConfiguration)
        original.passTypeIdentifier = "other"
        original.mode = .urlOnly
        original.url = nil
        #expect((copy.mode, copy.passTypeIdentifier) == (.normal, "pass.example"))
        #expect(copy.url?.host == "example.com")
    }

    @Test func `the copy of a command configuration is of its class`() throws {
        let custom = NFCISO15693CustomCommandConfiguration(
            manufacturerCode: 4, customCommandCode: 0xA1, requestParameters: nil, maximumRetries: 5, retryInterval: 0.5)
        let copy = try #require(custom.copy() as? NFCISO15693CustomCommandConfiguration)
        #expect((copy.manufacturerCode, copy.customCommandCode, copy.requestParameters) == (4, 0xA1, Data()))
        #expect((copy.maximumRetries, copy.retryInterval) == (5, 0.5))
        let read = NFCISO15693ReadMultipleBlocksConfiguration(range: NSRange(location: 2, length: 3), chunkSize: 2)
        let other = try #require(read.copy() as? NFCISO15693ReadMultipleBlocksConfiguration)
        #expect((other.range, other.chunkSize) == (NSRange(location: 2, length: 3), 2))
        #expect((other.maximumRetries, other.retryInterval) == (0, 0))
        #expect(NFCTagCommandConfiguration().copy() is NFCTagCommandConfiguration)
    }

    @Test func `the answer for a pass reads back, and so does its copy`() throws {
        let answer = NFCVASResponse(status: .dataNotFound, vasData: Data([1]), mobileToken: Data([2]))
        let copy = try #require(answer.copy() as? NFCVASResponse)
        #expect((copy.status, copy.vasData, copy.mobileToken) == (.dataNotFound, Data([1]), Data([2])))
    }

    @Test func `values of structures read back`() {
        let info = NFCISO15693SystemInfo(
            uniqueIdentifier: Data([1]), dataStorageFormatIdentifier: 2, applicationFamilyIdentifier: 3, blockSize: 4,
            totalBlocks: 5, icReference: 6)
        #expect((info.uniqueIdentifier, info.dataStorageFormatIdentifier) == (Data([1]), 2))
        #expect((info.applicationFamilyIdentifier, info.blockSize) == (3, 4))
        #expect((info.totalBlocks, info.icReference) == (5, 6))
        #expect(NFCISO15693MultipleBlockSecurityStatus(blockSecurityStatus: [1]).blockSecurityStatus == [1])
    }
}
