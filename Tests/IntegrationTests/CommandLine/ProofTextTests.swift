import Foundation
import NFCProtocol
import NFCTypes
import Testing

@testable import nfcctl

/// What nfcctl prints of a proof.
@Suite struct `A proof as text` {
    @Test(
        arguments: [
            (TapProof(.proven, .mutual, profile: "door"), "proven by door"),
            (TapProof(.proven, .sun, profile: "d", key: "door", keyVersion: 1, counter: 7), "proven by door v1"),
            (
                TapProof(.proven, .mutual, profile: "door", credential: HexBytes([0xC0, 0xDE])),
                "proven by door, credential C0DE"
            ),
            (
                TapProof(.proven, .sun, profile: "door", scope: .limited),
                "proven by door (limited: nfcd's counters were lost or restored)"
            ),
            (
                TapProof(.replayed, .sun, profile: "door", reason: "the counter 5 is not above 5"),
                "REPLAYED: the counter 5 is not above 5"
            ),
            (TapProof(.failed, profile: "door"), "FAILED (door)"),
            (TapProof(.tamperOpen, profile: "door"), "TAMPER LOOP OPEN (door)"),
            (TapProof(.weak, profile: "door", reason: "x"), "WEAK: x"),
            (TapProof(.unknownKey, profile: "door"), "unknown key (door)"),
            (TapProof(.notProven, profile: "door"), "not proven (door)"),
            (TapProof(.delayed, profile: "door"), "try later (door)"),
            (TapProof(.incomplete, profile: "door", reason: "it left"), "proof incomplete: it left"),
        ] as [(TapProof, String)])
    func `has the key or the reason`(proof: TapProof, text: String) {
        #expect(proof.text == text)
        #expect(proof.isProven == proof.text.hasPrefix("proven by "))
    }

    @Test(arguments: TapProof.Status.allCases, [TapProof.Method.mutual, .sun])
    func `says of a link that was proven that it can be used`(status: TapProof.Status, method: TapProof.Method) {
        let proof = TapProof(status, method, profile: "door")
        #expect((proof.linkAdvice != nil) == (status == .proven && method == .sun))
    }

    @Test(
        arguments: [
            ([], "none"), ([0, 0], "as delivered"), ([1, 1, 1], "version 1"),
            ([1, 2, 0], "0: version 1, 1: version 2, 2: version 0"),
        ] as [([Int], String)])
    func `has the versions of keys`(versions: [Int], text: String) {
        #expect(versions.keyText == text)
    }

    @Test(arguments: TapProof.Status.allCases, `Output for programs`.texts)
    func `has no character that controls a terminal`(status: TapProof.Status, text: String) {
        let proof = TapProof(
            status, .sun, profile: text, key: text, credential: HexBytes([0x1B, 0x5B]),
            tamper: .init(permanent: text, current: text), reason: text)
        let all = ([proof.text, proof.prefix] + proof.facts.flatMap(\.self)).joined()
        #expect(!all.unicodeScalars.contains { $0.isUnprintable }, "\(all.unicodeScalars.map(\.value))")
    }

    @Test func `is the same object in JSON`() throws {
        let proof = TapProof(
            .replayed, .sun, profile: "door", key: "front", keyVersion: 1, identifier: HexBytes([4]), counter: 5,
            previousCounter: 5, reason: "a copy")
        var tag = SessionDidDetectNDEFs(
            session: "s", reader: "r", readerName: "R", tag: "t", type: .iso7816, technology: nil,
            identifier: HexBytes([4]), messages: [], error: nil)
        tag.proof = proof
        struct Line: Decodable { let proof: TapProof? }
        let line = try JSONDecoder().decode(Line.self, from: JSONEncoder().encode(TapLine(tag)))
        #expect(line.proof == proof)
        tag.proof = nil
        let none = String(decoding: try JSONEncoder().encode(TapLine(tag)), as: UTF8.self)
        #expect(!none.contains("proof"))
    }
}
