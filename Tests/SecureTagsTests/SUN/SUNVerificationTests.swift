import NFCTypes
import Cryptography
import Foundation
import TestSupport
import Testing

@testable import SecureTags

/// Messages of tags: true ones, and all kinds of false ones.
@Suite struct SUNVerificationTests {
    static let uid = hex("04A1B2C3D4E5F6")
    static let metaKey = SecretBytes(hex("9A10F00D5EED0123456789ABCDEF1357"))
    static let fileKey = SecretBytes(hex("246813579BDFACE00FEEDC0FFEE5EED1"))

    static let keys = SUNKeys(metaReadKeys: [SUNKey(metaKey, 1)]) { uid in
        uid == Self.uid ? [SUNKey(fileKey, 1)] : []
    }

    static let templates = [
        "https://ex.am/?p={picc}&c={mac}", "https://www.ex.am/t/{uid}x{ctr}/{mac}",
        "http://ex.am/{from}?u={uid}&n={ctr}&c={mac}",
        "https://ex.am/tag?picc_data={picc}&enc={enc:32}&cmac={mac}", "https://ex.am/?e={picc}{enc:64:tt}{mac}",
        "lnurlw://ex.am/ln?p={picc}&c={mac}", "https://ex.am/?c={mac}&p={picc}",
        "https://ex.am/?p={picc}&t={tt}&c={mac}",
    ]

    private func tag(_ template: SUNTemplate, fileKey: SecretBytes = Self.fileKey) -> SUNTag {
        SUNTag(template, uid: Self.uid, metaKey: Self.metaKey, fileKey: fileKey)
    }

    @Test(arguments: templates, [false, true])
    func `a message is proven once, in every form`(text: String, isLRP: Bool) async throws {
        let template = try SUNTemplate(text, isLRP: isLRP)
        let tag = tag(template)
        var book = CounterBook()
        for counter in [UInt32(1), 2, 700, 0xFFFFFE] {
            let url = try tag.url(counter: counter)
            let proof = await template.verify(url, keys: Self.keys, counters: book, observedUID: Self.uid)
            #expect(proof.status == .proven, "\(url): \(proof.reason)")
            #expect(proof.uid == Self.uid)
            #expect(proof.counter == counter)
            let isRecorded2 = book.record(proof)
            #expect(isRecorded2)
            let isRecorded3 = book.record(proof)
            #expect(!isRecorded3)
            let again = await template.verify(url, keys: Self.keys, counters: book)
            #expect(again.status == .replayed)
            #expect(!again.isProven)
            #expect(again.previousCounter == counter)
        }
        let old = await template.verify(try tag.url(counter: 3), keys: Self.keys, counters: book)
        #expect(old.status == .replayed)
    }

    @Test(arguments: templates)
    func `digits of a message may be in lower case, and scheme and host in any`(text: String) async throws {
        let template = try SUNTemplate(text)
        let url = try tag(template).url(counter: 9)
        if !text.contains("tt}") {
            #expect(await template.verify(url.lowercased(), keys: Self.keys, counters: CounterBook()).isProven)
        }
        let shouted = url.replacing("ex.am", with: "EX.Am").replacing("https", with: "HTTPS")
        #expect(await template.verify(shouted, keys: Self.keys, counters: CounterBook()).isProven)
    }

    @Test(arguments: templates)
    func `a server may pass on what follows the host`(text: String) async throws {
        let template = try SUNTemplate(text)
        let url = try tag(template).url(counter: 9)
        let path = url[try #require(url.range(of: "ex.am")).upperBound...]
        let proof = await template.verify(String(path), keys: Self.keys, counters: CounterBook())
        #expect(proof.status == .proven, "\(path): \(proof.reason)")
    }

    @Test(arguments: templates)
    func `a changed character is never proven`(text: String) async throws {
        let template = try SUNTemplate(text)
        let url = Array(try tag(template).url(counter: 9).utf8)
        for index in url.indices {
            for replacement in [UInt8(ascii: "0"), UInt8(ascii: "7"), UInt8(ascii: "%"), UInt8(ascii: "&")] {
                var changed = url
                changed[index] = replacement
                guard changed != url else { continue }
                let proof = await template.verify(
                    String(decoding: changed, as: UTF8.self), keys: Self.keys, counters: CounterBook())
                #expect(!proof.isProven, "index \(index)")
            }
        }
    }

    @Test(arguments: templates)
    func `text that is cut, longer or in another order is not of the template`(text: String) async throws {
        let template = try SUNTemplate(text)
        let url = try tag(template).url(counter: 9)
        for count in 0..<url.count {
            #expect(
                await template.verify(String(url.prefix(count)), keys: Self.keys, counters: CounterBook()).status
                    == .notProven)
        }
        for other in [url + "0", url + "&x=1", url + "#", " " + url, url + "\u{0}", "x" + url, url + url] {
            #expect(await template.verify(other, keys: Self.keys, counters: CounterBook()).status == .notProven)
        }
    }

    @Test func `parameters in another order, percent-encoding and another name are not of the template`() async throws {
        let template = try SUNTemplate("https://ex.am/?p={picc}&c={mac}")
        let url = try tag(template).url(counter: 9)
        let (picc, code) = (url.dropFirst(17).prefix(32), url.suffix(16))
        for other in [
            "https://ex.am/?c=\(code)&p=\(picc)", "https://ex.am/?p=\(picc)&C=\(code)",
            "https://ex.am?p=\(picc)&c=\(code)",
            "https://ex.am/?p=%3\(picc.dropFirst(2))&c=\(code)", "https://ex.am/?p=\(picc)&amp;c=\(code)",
            "https://ex.bm/?p=\(picc)&c=\(code)", "http://ex.am/?p=\(picc)&c=\(code)",
            "https://ex.am/?p=+\(picc.dropFirst())&c=\(code)", "https://ex.am/?p=\(code)&c=\(picc)",
            "https://ex.am/?p=٠\(picc.dropFirst())&c=\(code)",
        ] {
            #expect(
                await template.verify(other, keys: Self.keys, counters: CounterBook()).status == .notProven, "\(other)")
        }
        #expect(
            await template.verify("https://ex.am/?p=\(picc)&c=\(code)", keys: Self.keys, counters: CounterBook())
                .isProven)
    }

    @Test(arguments: templates)
    func `the text that was written to the tag is not a failure`(text: String) async throws {
        let template = try SUNTemplate(text)
        let tag = tag(template)
        let proof = await template.verify(tag.text(of: tag.file), keys: Self.keys, counters: CounterBook())
        #expect(proof.status == .notProven)
    }

    @Test func `keys that do not fit have their status`() async throws {
        let template = try SUNTemplate("https://ex.am/?p={picc}&c={mac}")
        let book = CounterBook()
        let forged = try tag(template, fileKey: SecretBytes(randomCount: 16)).url(counter: 9)
        #expect(await template.verify(forged, keys: Self.keys, counters: book).status == .failed)
        let url = try tag(template).url(counter: 9)
        let noMetaKey = SUNKeys(metaReadKeys: [SUNKey(SecretBytes(randomCount: 16), 1)]) { _ in
            [SUNKey(Self.fileKey, 1)]
        }
        #expect(await template.verify(url, keys: noMetaKey, counters: book).status == .unknownKey)
        let noTag = SUNKeys(metaReadKeys: [SUNKey(Self.metaKey, 1)]) { _ in [] }
        #expect(await template.verify(url, keys: noTag, counters: book).status == .unknownKey)
        #expect(
            await template.verify(url, keys: SUNKeys { _ in [SUNKey(Self.fileKey, 1)] }, counters: book).status
                == .unknownKey
        )
    }

    @Test(arguments: [
        "00000000000000000000000000000000", "FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF", "00112233445566778899AABBCCDDEEFF",
        "5ACE7E50AB65D5D51FD5BF5A16B8205B",
    ])
    func `a published key proves nothing`(key: String) async throws {
        let template = try SUNTemplate("https://ex.am/?p={picc}&c={mac}")
        let url = try tag(template, fileKey: SecretBytes(hex(key))).url(counter: 9)
        let keys = SUNKeys(metaReadKeys: [SUNKey(Self.metaKey, 1)]) { _ in [SUNKey(SecretBytes(hex(key)), 1)] }
        var book = CounterBook()
        let proof = await template.verify(url, keys: keys, counters: book)
        #expect(proof.status == .unknownKey)
        let isRecorded4 = book.record(proof)
        #expect(!isRecorded4)
    }

    @Test func `NXP's and Bolt Card's example URLs verify, and prove nothing`() async throws {
        for (text, url, meta, file) in [
            (
                "https://choose.url.com/ntag424?e={picc}&c={mac}",
                "https://choose.url.com/ntag424?e=EF963FF7828658A599F3041510671E88&c=94EED9EE65337086",
                "00000000000000000000000000000000", "00000000000000000000000000000000"
            ),
            (
                "lnurlw://x/?p={picc}&c={mac}", "lnurlw://x/?p=4E2E289D945A66BB13377A728884E867&c=E19CCB1FED8892CE",
                "0C3B25D92B38AE443229DD59AD34B85D", "B45775776CB224C75BCDE7CA3704E933"
            ),
        ] {
            let keys = SUNKeys(metaReadKeys: [SUNKey(SecretBytes(hex(meta)), 0)]) { _ in
                [SUNKey(SecretBytes(hex(file)), 0)]
            }
            let proof = try await SUNTemplate(text).verify(url, keys: keys, counters: CounterBook())
            #expect(proof.status == .unknownKey)
            #expect(proof.reason.contains("published"))
        }
    }

    @Test func `a tag that may have the previous key is verified with both`() async throws {
        let template = try SUNTemplate("https://ex.am/?p={picc}&c={mac}")
        let (new, old) = (SecretBytes(randomCount: 16), Self.fileKey)
        let keys = SUNKeys(metaReadKeys: [SUNKey(SecretBytes(randomCount: 16), 2), SUNKey(Self.metaKey, 1)]) { _ in
            [SUNKey(new, 2), SUNKey(old, 1)]
        }
        var book = CounterBook()
        let before = await template.verify(try tag(template, fileKey: old).url(counter: 80), keys: keys, counters: book)
        #expect(before.keyVersion == 1)
        let isRecorded5 = book.record(before)
        #expect(isRecorded5)
        // With the new key the counter begins again; old messages stay refused.
        let after = await template.verify(try tag(template, fileKey: new).url(counter: 1), keys: keys, counters: book)
        #expect(after.keyVersion == 2)
        let isRecorded6 = book.record(after)
        #expect(isRecorded6)
        let replay = await template.verify(try tag(template, fileKey: old).url(counter: 80), keys: keys, counters: book)
        #expect(replay.status == .replayed)
    }

    @Test func `a message on another tag is refused`() async throws {
        let template = try SUNTemplate("https://ex.am/?p={picc}&c={mac}")
        let url = try tag(template).url(counter: 9)
        let other = await template.verify(
            url, keys: Self.keys, counters: CounterBook(), observedUID: hex("04A1B2C3D4E5F7"))
        #expect(other.status == .failed)
        #expect(other.line == nil)
        let random = await template.verify(url, keys: Self.keys, counters: CounterBook(), observedUID: hex("08A1B2C3"))
        #expect(random.isProven)
    }

    @Test(arguments: [
        ("CC", TapProof.Status.proven), ("OC", .tamperOpen), ("OO", .tamperOpen), ("CO", .tamperOpen),
        ("II", .tamperOpen),
        ("cc", .tamperOpen), ("C ", .tamperOpen),
    ])
    func `an open tamper loop is not proven, and uses the counter`(tamper: String, status: TapProof.Status) async throws
    {
        for text in ["https://ex.am/?p={picc}&t={tt}&c={mac}", "https://ex.am/?p={picc}&e={enc:32:tt}&c={mac}"] {
            let template = try SUNTemplate(text)
            var tag = tag(template)
            tag.tamper = Array(tamper.utf8)
            var book = CounterBook()
            let proof = await template.verify(try tag.url(counter: 4), keys: Self.keys, counters: book)
            #expect(proof.status == status)
            #expect(proof.tamper.map { "\($0.permanent)\($0.current)" } == tamper)
            let isRecorded7 = book.record(proof)
            #expect(isRecorded7)
        }
    }

    @Test func `file data is decrypted`() async throws {
        for isLRP in [false, true] {
            let template = try SUNTemplate("https://ex.am/?p={picc}&e={enc:64}&c={mac}", isLRP: isLRP)
            var tag = tag(template)
            let offset = try #require(tag.settings.encryption).offset
            tag.file.replaceSubrange(offset..<offset + 32, with: Array("badge 4711, building north, 2026".utf8))
            let proof = await template.verify(try tag.url(counter: 4), keys: Self.keys, counters: CounterBook())
            #expect(proof.fileData.map { String(decoding: $0, as: UTF8.self) } == "badge 4711, building north, 2026")
        }
    }

    @Test func `any text is refused without a trap`() async throws {
        var generator = SplitMix(seed: 1138)
        let templates = try Self.templates.map { try SUNTemplate($0) }
        for round in 0..<2000 {
            let template = templates[round % templates.count]
            var bytes = Array(try tag(template).url(counter: 1).utf8)
            for _ in 0..<1 + round % 5 {
                let index = Int.random(in: bytes.indices, using: &generator)
                switch round % 3 {
                case 0: bytes[index] = UInt8.random(in: .min ... .max, using: &generator)
                case 1: bytes.remove(at: index)
                default: bytes.insert(UInt8.random(in: .min ... .max, using: &generator), at: index)
                }
            }
            _ = await template.verify(String(decoding: bytes, as: UTF8.self), keys: Self.keys, counters: CounterBook())
            _ = await template.verify(
                String(decoding: generator.bytes(count: round % 200), as: UTF8.self), keys: Self.keys,
                counters: CounterBook())
        }
    }
}

extension SUNKey {
    fileprivate init(_ secret: SecretBytes, _ version: UInt8) {
        self.init(TagKey(secret: secret, isPublished: false), version: version)
    }
}
