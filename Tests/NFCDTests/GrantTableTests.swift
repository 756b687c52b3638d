import NFCSessions
import NFCTags
import NFCTypes
import Testing

@testable import nfcd

/// The tables that error 2 shows, put into a file of nfcd.
@Suite struct `The tables that permit what was refused` {
    private static let user = Principal(userID: 4242, groupIDs: [100])
    private static let other = Principal(userID: 4243, groupIDs: [100])

    private static let capabilities: [[Capability]] =
        Capability.allCases.map { [$0] } + [
            [.raw, .lock], [.raw, .write], [.raw, .rawUnscreened], [.background, .read],
        ]

    private static let files = [
        "", "[[grant]]\nuser = \"4242\"\nformats = [\"NDEF\"]\ncapabilities = [\"read\"]\nreaders = [\"desk\"]\n",
        "[[grant]]\ngroup = \"100\"\ncapabilities = [\"monitor\"]\n",
    ]

    /// The objection that is left once the tables of the first one are in the file, and what another user has before and after.
    private func retry(_ file: String, _ objection: (Permissions) -> TagError?) throws -> TagError? {
        let before = AccessRules(grants: try Configuration(text: file, file: "nfcd.toml").grants)
        guard let refusal = objection(before.permissions(of: Self.user))?.refusal else { return nil }
        let text = "\(file)\n\(before.tables(for: refusal, to: Self.user))\n"
        let after = AccessRules(grants: try Configuration(text: text, file: "nfcd.toml").grants)
        #expect(after.permissions(of: Self.other) == before.permissions(of: Self.other), "\(text)")
        #expect(
            Set(after.permissions(of: Self.user).sentences).isSuperset(of: before.permissions(of: Self.user).sentences))
        return objection(after.permissions(of: Self.user))
    }

    @Test(arguments: files, capabilities)
    func `give the capabilities`(file: String, capabilities: [Capability]) throws {
        #expect(try retry(file) { $0.objection(to: capabilities) } == nil)
    }

    private static let requests = [
        SessionRequest(), SessionRequest(detection: .tags), SessionRequest(kind: .tag),
        SessionRequest(kind: .tag, polling: [.pace]), SessionRequest(readers: ["door"]),
        SessionRequest(readers: [#"a "quoted\" name"#]), SessionRequest(readers: ["two\nlines", "ü"]),
        SessionRequest(kind: .tag, selectIdentifiers: [[0xA0, 0, 0, 3, 8], [1, 2, 3, 4, 5]]),
        SessionRequest(kind: .tag, systemCodes: [0x12FC, 0x0003], readers: ["desk", "door"]),
    ]

    @Test(arguments: files, requests)
    func `let the session begin`(file: String, request: SessionRequest) throws {
        #expect(try retry(file) { $0.objection(to: request) } == nil)
    }

    @Test(arguments: files)
    func `let applications be selected and systems be polled`(file: String) throws {
        #expect(try retry(file) { $0.objection(toSelecting: [[1, 2, 3, 4, 5]], polling: [0x12FC]) } == nil)
        #expect(try retry(file) { $0.objection(toFormats: [.tag, .pace]) } == nil)
    }

    @Test func `keep the built-in grant, and are part of the error`() throws {
        let refused = try #require(AccessRules().permissions(of: Self.user).objection(to: [.lock]))
        let detail = AccessPolicy().explained(refused, to: Self.user).detail
        #expect(
            detail == """
                this command is not granted to you: no [[grant]] of nfcd.toml gives capabilities = ["lock"]. To permit it, add this \
                to nfcd.toml and reload nfcd:

                [[grant]]
                user = "4242"
                capabilities = ["lock"]
                readers = ["*"]

                # The built-in grant of every user, which the first grant of the file replaces.
                \(Grant.defaultTable)
                """)
    }
}
