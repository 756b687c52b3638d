import Foundation
import TestSupport
import Testing

@testable import SecureTags

/// Templates: their files, their places, and those that are refused.
@Suite struct SUNTemplateTests {
    @Test func `a short record has its text after seven bytes`() throws {
        let template = try SUNTemplate("https://ex.am/?p={picc}&c={mac}")
        let zeros = String(repeating: "0", count: 32)
        let text = "ex.am/?p=\(zeros)&c=\(zeros.prefix(16))"
        #expect(template.file == hex("0041 D1013D5504") + Array(text.utf8))
        let settings = template.settings(metaReadKey: 1, fileReadKey: 2)
        #expect(settings.piccDataOffset == 16)
        #expect(settings.macOffset == 51)
        #expect(settings.macInputOffset == 51)
        #expect(settings.bytes == hex("C1 FF 12 100000 330000 330000"))
    }

    @Test func `a Bolt Card writes its scheme out, and counts nine from p=`() throws {
        let text = "lnurlw://card.example/ln?p={picc}&c={mac}"
        for template in [try SUNTemplate(text), try SUNTemplate("https" + text.dropFirst(6), abbreviates: false)] {
            #expect(template.file[6] == 0)
            let written = template.description
            let index = written.utf8.distance(
                from: written.startIndex, to: try #require(written.range(of: "p=")).lowerBound)
            #expect(template.settings(metaReadKey: 1, fileReadKey: 2).piccDataOffset == index + 9)
        }
    }

    @Test func `NXP's example has its published places`() throws {
        let template = try SUNTemplate("https://choose.url.com/ntag424?e={picc}&c={mac}")
        var settings = template.settings(metaReadKey: 2, fileReadKey: 1, counterRetrieval: .key(1))
        settings.macInputOffset = settings.macOffset
        let file = FileSettings(
            content: .standard(size: 256), mode: .plain,
            rights: AccessRights(read: .free, write: .key(0), readWrite: .key(0), change: .key(0)), sdm: settings)
        #expect(file.changeData == hex("4000E0 C1 F121 200000 430000 430000"))
    }

    @Test func `a long record begins three bytes later, and the file is filled up to its last byte`() throws {
        let (head, tail) = ("https://ex.am/", "?p={picc}&c={mac}")
        // Record header 4, prefix 1, text: 254 bytes in all. A longer payload needs a longer header and a larger file.
        let fixed = "ex.am/".utf8.count + "?p=&c=".utf8.count + 48
        let full = String(repeating: "a", count: 254 - 5 - fixed)
        let template = try SUNTemplate(head + full + tail)
        #expect(template.file.count == 256)
        #expect(template.file[2] == 0xD1)
        let settings = template.settings(metaReadKey: 1, fileReadKey: 2)
        let offset = try #require(settings.macOffset)
        #expect(template.file[offset - 3..<offset].elementsEqual(Array("&c=".utf8)))
        #expect(throws: SecureTagError.self) { try SUNTemplate(head + full + "a" + tail) }
        let long = try SUNTemplate(head + String(repeating: "a", count: 220) + tail, fileSize: 1024)
        #expect(long.file[2] == 0xC1)
        #expect(long.file.prefix(10) == hex("0120 C101 00000119 5504")[...])
        let place = try #require(long.settings(metaReadKey: 1, fileReadKey: 2).piccDataOffset)
        #expect(long.file[place - 3..<place].elementsEqual(Array("?p=".utf8)))
    }

    @Test(arguments: [
        "", "https://ex.am/", "https://ex.am/?p={picc}", "https://ex.am/?c={mac}", "https://ex.am/?u={uid}&c={mac}",
        "https://ex.am/?n={ctr}&c={mac}", "https://ex.am/?p={picc}&u={uid}&c={mac}",
        "https://ex.am/?p={picc}&p={picc}&c={mac}",
        "https://ex.am/?p={picc}&c={mac}&e={enc:32}", "https://ex.am/?p={picc}&c={mac}&t={tt}",
        "https://ex.am/?p={picc}&e={enc:31}&c={mac}", "https://ex.am/?p={picc}&e={enc:0}&c={mac}",
        "https://ex.am/?p={picc}&e={enc:-32}&c={mac}", "https://ex.am/?p={picc}&e={enc}&c={mac}",
        "https://ex.am/?p={picc}&e={enc:9999999999999999999999}&c={mac}",
        "https://ex.am/?p={picc}&e={enc:32:x}&c={mac}",
        "https://ex.am/?p={picc}&t={tt}&e={enc:32:tt}&c={mac}", "https://ex.am/?p={picc}&c={mac",
        "https://ex.am/?p={picc}&c=mac}",
        "https://ex.am/?p={picc}&c={MAC}", "https://ex.am/?p={picc}&c={mac}{}", "https://ex.am/ ?p={picc}&c={mac}",
        "https://ex.äm/?p={picc}&c={mac}", "https://ex.am/?p={picc}&c={mac}\n",
        "{from}{from}https://ex.am/?p={picc}&c={mac}",
        "https://ex.am/?p={picc}&c={mac}{from}", "https://ex.am/?p={picc}&e={enc:32}{from}&c={mac}",
        "https://ex.am/?p={{picc}&c={mac}",
    ])
    func `a template that proves nothing, or has no meaning, is refused`(text: String) {
        #expect(throws: SecureTagError.self) { try SUNTemplate(text) }
    }

    @Test(arguments: SUNVerificationTests.templates, [false, true])
    func `what a template sets, the tag takes`(text: String, isLRP: Bool) throws {
        let template = try SUNTemplate(text, isLRP: isLRP)
        let settings = FileSettings(
            content: .standard(size: 256), mode: .plain,
            rights: AccessRights(read: .free, write: .key(0), readWrite: .key(0), change: .key(0)),
            sdm: template.settings(metaReadKey: 1, fileReadKey: 2))
        try settings.check(fileNumber: 2, isLRP: isLRP)
        let answer = [0x00] + settings.changeData.prefix(3) + [0x00, 0x01, 0x00] + settings.changeData.dropFirst(3)
        #expect(try FileSettings(parsing: answer) == settings)
    }

    @Test func `counters of machines merge to the highest`() {
        let line = CounterLine(uid: hex("04A1B2C3D4E5F6"), profile: "door", keyVersion: 1)
        let other = CounterLine(uid: hex("04A1B2C3D4E5F6"), profile: "till", keyVersion: 1)
        var (one, two) = (CounterBook(), CounterBook())
        let counters: [UInt32] = [7, 9, 9, 8]
        let isTaken = counters.map { one.record($0, of: line) }
        #expect(isTaken == [true, true, false, false])
        let isFirst = two.record(0, of: other)
        let isHigher = two.record(20, of: line)
        #expect(isFirst && isHigher)
        one.merge(two)
        two.merge(one)
        #expect(one == two)
        #expect(one.highestCounter(of: line) == 20)
        #expect(one.highestCounter(of: other) == 0)
        let isRecorded = one.record(0, of: other)
        #expect(!isRecorded)
    }
}
