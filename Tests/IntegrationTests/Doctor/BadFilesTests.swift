import Foundation
import Testing

@testable import nfcctl

/// Files that are not what they should be stop no check.
@Suite(.serialized)
struct `The doctor and bad files` {
    static let junk: [(name: String, content: String)] = [
        ("empty", ""), ("a newline", "\n"), ("zeros", String(repeating: "\0", count: 5000)),
        ("colons", String(repeating: ":", count: 5000)), ("one long line", String(repeating: "x", count: 100_000)),
        ("many lines", String(repeating: "blacklist a\n0x\n", count: 2_000)),
        ("numbers out of range", "root:x:99999999999999999999:-1::\nnfc:x:4294967296:ada\n"),
        ("signs of escape", "\u{1B}[2J\u{1B}]0;x\u{7}\n"), ("spaces", "   \t  \n   \n"),
        ("deep", "<plist><dict>" + String(repeating: "<array>", count: 2_000)),
        ("wrong types", "<plist version=\"1.0\"><dict><key>ifdVendorID</key><dict/></dict></plist>"),
    ]

    @Test(arguments: junk.map(\.name))
    func `whichever file has the junk`(name: String) throws {
        let content = try #require(Self.junk.first { $0.name == name }).content
        for path in FakeSystem().files.keys {
            var system = FakeSystem()
            system.files[path] = content
            let doctor = Doctor(system.scene())
            #expect(!doctor.findings.isEmpty)
            #expect(doctor.findings.allSatisfy { !$0.summary.contains("\u{1B}") && !$0.detail.contains("\u{1B}") })
        }
    }

    @Test func `a driver's list is whole or not used`() throws {
        let whole = FakeSystem.plist(readers: [("0x072F", "0x2200", "A"), ("7", "8", "B"), ("0x1FFFF", "x", "C")])
        for length in stride(from: 0, to: whole.utf8.count, by: 7) {
            var system = FakeSystem()
            system.files[FakeSystem.plist] = String(decoding: whole.utf8.prefix(length), as: UTF8.self)
            let scene = system.scene()
            #expect(scene.bundles.allSatisfy { $0.readers.count <= 2 })
            if scene.bundles.isEmpty {
                #expect(Doctor(scene).findings.contains { $0.summary.contains("its list cannot be read") })
            }
        }
        var system = FakeSystem()
        system.files[FakeSystem.plist] = whole
        let readers = try #require(system.scene().bundles.first).readers
        #expect(
            readers == [USBIdentity(vendor: 0x072F, product: 0x2200): "A", USBIdentity(vendor: 7, product: 8): "B"])
    }

    @Test func `one word in the place of a list is a list of one`() throws {
        var system = FakeSystem()
        let list = "<key>ifdVendorID</key><string>0x1</string><key>ifdProductID</key><string>2</string>"
        system.files[FakeSystem.plist] =
            "<plist version=\"1.0\"><dict>\(list)<key>ifdFriendlyName</key><string>N</string></dict></plist>"
        #expect(system.scene().bundles.first?.readers == [USBIdentity(vendor: 1, product: 2): "N"])
    }

    @Test func `answers of programs are not believed either`() throws {
        for (_, content) in Self.junk {
            var system = FakeSystem()
            for name in system.answers.keys { system.answers[name] = CommandResult(status: 3, output: content) }
            #expect(!Doctor(system.scene()).findings.isEmpty)
        }
        var system = FakeSystem()
        system.answers = [:]
        #expect(Doctor(system.scene()).status == 0)
    }

    @Test func `no more is read than the limit`() throws {
        let scratch = try Scratch()
        let path = try scratch.file("long", "AAAAAA\nB")
        let files = MachineFiles()
        #expect(files.bytes(path, limit: 3) == [65, 65, 65])
        #expect(files.lines(path) == ["AAAAAA", "B"])
        #expect(files.bytes(scratch.path, limit: 3) == nil)
        #expect(files.bytes("\(path)-not", limit: 3) == nil)
    }

    @Test func `the files of this machine are seen as they are`() throws {
        let scratch = try Scratch()
        let path = try scratch.file("file", "some text\n")
        chmod(path, 0o640)
        symlink("../far/away", "\(scratch.path)/link")
        mkfifo("\(scratch.path)/pipe", 0o600)
        let files = MachineFiles()
        #expect(files.names(in: scratch.path) == ["file", "link", "pipe"])
        #expect(files.linkedName("\(scratch.path)/link") == "away")
        #expect(files.facts(path) == FileFacts(mode: 0o640, user: geteuid(), group: getegid(), isFolder: false))
        #expect(files.facts(scratch.path)?.isFolder == true)
        #expect(files.exists(path) && files.canRead(path) && !files.canRun(path) && !files.canRun(scratch.path))
        #expect(files.contains("me te", in: path) && !files.contains("metal", in: path))
        // Nobody writes to it, and nobody waits.
        #expect(files.bytes("\(scratch.path)/pipe", limit: 10) == [])
    }
}
