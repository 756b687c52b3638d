import FoundationEssentials
import Testing

@testable import nfcd

@Suite struct `The file of the journal` {
    @Test(arguments: [
        (nil, true), ("/nfcd/other.db", true), ("/nfcd/../other/taps.db", false), ("/nfcd/out/taps.db", false),
        ("/nfcd2/taps.db", false),
    ])
    func `is in the state directory by its real path`(path: String?, isInside: Bool) throws {
        let home = FileManager.default.temporaryDirectory.path + "/journal-place-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: home) }
        for name in ["nfcd", "other"] {
            try FileManager.default.createDirectory(atPath: "\(home)/\(name)", withIntermediateDirectories: true)
        }
        try FileManager.default.createSymbolicLink(atPath: "\(home)/nfcd/out", withDestinationPath: "../other")
        var journal = JournalConfiguration()
        journal.path = path.map { home + $0 }
        #expect(journal.isInStateDirectory(.user, ["XDG_STATE_HOME": home]) == isInside)
    }
}
