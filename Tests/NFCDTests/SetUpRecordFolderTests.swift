import FoundationEssentials
import Glibc
import NFCTypes
import Synchronization
import TagProofs
import Testing

@testable import nfcd

/// The records of tags that are set up, on disk.
@Suite struct `The records of set-ups` {
    private typealias Step = SetUpRecordFolder.Step

    private static let uid: [UInt8] = [0x04, 0x95, 0x8C, 0xAA, 0x5C, 0x5E, 0x80]
    private static let begun =
        #"{"irreversible":["tamper"],"isDone":false,"keepsCardKey":false,"keys":[{"name":"master","new":2,"number":0,"old":1}],"#
        + #""profile":"web","task":"rotate","uid":[4,149,140,170,92,94,128]}"#

    private struct PowerLoss: Error {}

    /// A folder that is removed with the test.
    private final class Place: Sendable {
        let home = FileManager.default.temporaryDirectory.path + "/setups-" + UUID().uuidString
        var path: String { "\(home)/state/setups" }
        var file: String { "\(path)/04958CAA5C5E80.json" }

        deinit { try? FileManager.default.removeItem(atPath: home) }

        func mode(_ path: String) -> mode_t {
            var status = stat()
            return stat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
        }

        func write(_ text: String) throws {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: URL(filePath: file))
        }

        var text: String? { FileManager.default.contents(atPath: file).map { String(decoding: $0, as: UTF8.self) } }
    }

    private let place = Place()

    private static func record(isDone: Bool = false) throws -> SetUpRecord {
        var record = try JSONDecoder().decode(SetUpRecord.self, from: Data(begun.utf8))
        record.isDone = isDone
        return record
    }

    @Test func `are what was saved, for a tag alone`() async throws {
        let folder = SetUpRecordFolder(place.path)
        #expect(try await folder.load(Self.uid) == nil)
        for isDone in [false, true] {
            try await folder.save(Self.record(isDone: isDone))
            #expect(try await SetUpRecordFolder(place.path).load(Self.uid) == Self.record(isDone: isDone))
        }
        #expect(try await folder.load([4, 1, 2, 3, 4, 5, 6]) == nil)
        try await folder.remove(Self.uid)
        try await folder.remove(Self.uid)
        #expect(try await folder.load(Self.uid) == nil)
    }

    @Test func `are read by nfcd alone`() async throws {
        let mask = umask(0)
        defer { umask(mask) }
        try await SetUpRecordFolder(place.path).save(Self.record())
        #expect(place.mode(place.path) == 0o700 && place.mode(place.file) == 0o600)
    }

    @Test func `are on the disk before they have their name, and the name before the save ends`() async throws {
        let steps = Mutex<[Step]>([])
        let (file, draft) = (place.file, place.file + ".new")
        let folder = SetUpRecordFolder(place.path) { step in
            steps.withLock { $0.append(step) }
            #expect(FileManager.default.fileExists(atPath: draft) == [.syncDraft, .rename].contains(step))
            #expect(FileManager.default.fileExists(atPath: file) == (step == .syncFolder))
        }
        try await folder.save(Self.record())
        #expect(steps.withLock { $0 } == Step.allCases)
    }

    @Test(arguments: SetUpRecordFolder.Step.allCases)
    func `are the old or the new one, whole, after a loss of power`(step: SetUpRecordFolder.Step) async throws {
        try await SetUpRecordFolder(place.path).save(Self.record())
        let crashing = SetUpRecordFolder(place.path) { if $0 == step { throw PowerLoss() } }
        await #expect(throws: PowerLoss.self) { try await crashing.save(Self.record(isDone: true)) }
        let folder = SetUpRecordFolder(place.path)
        #expect(try await folder.load(Self.uid) == Self.record(isDone: step == .syncFolder))
        try await folder.save(Self.record(isDone: true))
        #expect(try await folder.load(Self.uid)?.isDone == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.path) == ["04958CAA5C5E80.json"])
    }

    @Test func `replace a half-written draft`() async throws {
        try place.write("")
        try FileManager.default.removeItem(atPath: place.file)
        #expect(FileManager.default.createFile(atPath: place.file + ".new", contents: Data("{\"form".utf8)))
        try await SetUpRecordFolder(place.path).save(Self.record())
        #expect(try await SetUpRecordFolder(place.path).load(Self.uid) == Self.record())
    }

    @Test(arguments: [
        "", "{", "{}", #"{"format":2,"record":\#(begun)}"#,
        #"{"format":1,"record":\#(begun.replacing("128", with: "129"))}"#,
        #"{"format":1,"record":\#(begun.replacing("rotate", with: "erase"))}"#,
        #"{"format":1,"record":\#(begun)}"# + String(repeating: " ", count: SetUpRecordFolder.longest),
    ])
    func `that are broken are an error with the file, and stay as they are`(text: String) async throws {
        try place.write(text)
        let folder = SetUpRecordFolder(place.path)
        let failure = await #expect(throws: SetUpRecordFolder.Failure.self) { try await folder.load(Self.uid) }
        #expect(failure?.description.hasPrefix("\(place.file) is broken") == true)
        await #expect(throws: SetUpRecordFolder.Failure.self) { try await folder.save(Self.record()) }
        #expect(place.text == text)
    }

    @Test func `that are whole are read`() async throws {
        try place.write(#"{"format":1,"record":\#(Self.begun)}"#)
        #expect(try await SetUpRecordFolder(place.path).load(Self.uid) == Self.record())
    }

    @Test func `that are not a file are an error`() async throws {
        try FileManager.default.createDirectory(atPath: place.file, withIntermediateDirectories: true)
        await #expect(throws: SetUpRecordFolder.Failure.self) {
            try await SetUpRecordFolder(place.path).load(Self.uid)
        }
    }

    @Test func `that are too long are not saved`() async throws {
        var record = try Self.record()
        record.keys[0].name = String(repeating: "k", count: SetUpRecordFolder.longest)
        let long = record
        await #expect(throws: SetUpRecordFolder.Failure.self) {
            try await SetUpRecordFolder(place.path).save(long)
        }
        #expect(try await SetUpRecordFolder(place.path).load(Self.uid) == nil)
    }

    @Test func `need a directory`() async throws {
        let folder = SetUpRecordFolder(nil)
        await #expect(throws: SetUpRecordFolder.Failure.self) { try await folder.save(Self.record()) }
        await #expect(throws: SetUpRecordFolder.Failure.self) { try await folder.load(Self.uid) }
    }

    @Test(
        arguments: [
            (nil, ["XDG_STATE_HOME": "/s"], "/s/nfcd/setups"), (nil, ["HOME": "/h"], "/h/.local/state/nfcd/setups"),
            ("/data/taps.db", [:], "/data/setups"), (nil, [:], nil),
        ] as [(String?, [String: String], String?)])
    func `are beside the journal, which need not be enabled`(
        path: String?, environment: [String: String], folder: String?
    ) {
        var journal = JournalConfiguration()
        journal.path = path
        #expect(journal.setUpFolder(.user, environment) == folder)
        #expect(JournalConfiguration().setUpFolder(.system, environment) == "/var/lib/nfcd/setups")
    }
}
