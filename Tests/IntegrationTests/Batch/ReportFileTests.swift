import Foundation
import Testing

/// The file of `nfcctl write --each --report`: one that is not a report stays unchanged.
@Suite(.timeLimit(.minutes(5))) struct `The report of a batch` {
    private static func write(_ report: String, _ scratch: Scratch) async throws -> Finished {
        try await run(
            [Programs.nfcctl, "write", "--each", "--text", "{n}", "--count", "2", "--report", report],
            environment: ["NFCD_SOCKET": "\(scratch.path)/none"])
    }

    static let foreign: [[UInt8]] = [
        Array("one line\nand one without its end".utf8), Array("no line end".utf8), [0x00], Array("{}\n".utf8),
        [0xFF, 0xFE, 0x00, 0xD8, 0x41], Array("Gr\u{FC}n\n".utf8) + [0xC3], [0xC3],
        [0xEF, 0xBB, 0xBF, 0x61, 0xE2, 0x82],
        Array("number;uid\n1;04".utf8), Array("uid,number,time,reader,content,ndef\n1".utf8), Array("\n\n\nx".utf8),
        [0x7F, 0x45, 0x4C, 0x46] + (0...255), Array("number,uid,time,reader,content,ndef\nx,y,z,,,\n1,04".utf8),
    ]

    @Test(arguments: foreign.indices) func `is never a file that is something else`(index: Int) async throws {
        let scratch = try Scratch()
        let file = try scratch.file("other", Self.foreign[index])
        let finished = try await Self.write(file, scratch)
        #expect(finished.status == 65, "\(finished)")
        #expect([UInt8](try Data(contentsOf: URL(fileURLWithPath: file))) == Self.foreign[index])
    }

    @Test func `is not the file behind a symbolic link`() async throws {
        let scratch = try Scratch()
        let link = "\(scratch.path)/link"
        for target in [try scratch.file("empty", ""), "\(scratch.path)/missing"] {
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
            let finished = try await Self.write(link, scratch)
            #expect(finished.status == 73 && finished.errors.joined().contains("symbolic link"), "\(finished)")
            try FileManager.default.removeItem(atPath: link)
        }
        #expect(!FileManager.default.fileExists(atPath: "\(scratch.path)/missing"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: "\(scratch.path)/empty")).isEmpty)
    }

    @Test func `of another command is written beside the old one, and replaces it`() async throws {
        let scratch = try Scratch()
        let file = try scratch.file("message", "old")
        let finished = try await run([Programs.nfcctl, "ndef", "encode", "--text", "x", "--output", file])
        #expect(finished.status == 0)
        #expect(try String(contentsOfFile: file, encoding: .utf8) != "old")
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == ["message"])
    }
}
