import CoreNFCTesting
import Testing

@testable import corenfc_programs

/// An authenticator with a serial queue of commands, and the reasons for which its sessions end.
@Suite(.timeLimit(.minutes(5)))
struct AuthenticatorTests {
    @Test func `a key answers`() async throws {
        try await withVirtualTag(.type4()) { _ in
            let authenticator = CardAuthenticator(application: TagSessionTests.ndefApplication)
            authenticator.start()
            await authenticator.happenings.wait(for: "closed")
            #expect(authenticator.happenings.all == ["ready", "answered with 15 bytes", "closed"])
        }
    }

    @Test func `wrong tags are passed over until a key comes`() async throws {
        try await withVirtualReaders { readers in
            let authenticator = CardAuthenticator(application: TagSessionTests.ndefApplication)
            try readers[0].present(.ntag213())
            authenticator.start()
            await authenticator.happenings.wait(for: "not a key")
            readers[0].remove()
            try readers[0].present(.type4())
            await authenticator.happenings.wait(for: "closed")
            #expect(authenticator.happenings.all.suffix(2) == ["answered with 15 bytes", "closed"])
        }
    }

    @Test func `a card without the application is not the key, and polling goes on`() async throws {
        try await withVirtualReaders { readers in
            let authenticator = CardAuthenticator(application: Data([0xA0, 0, 0, 0, 1]))
            try readers[0].present(.type4())
            authenticator.start()
            await authenticator.happenings.wait(for: "wrong key: 6a82")
            await authenticator.happenings.wait(for: "wrong key: 6a82")
            readers[0].remove()
        }
    }

    @Test func `a key that is torn away is an error, not a hang`() async throws {
        try await withVirtualReaders { readers in
            let authenticator = CardAuthenticator(application: TagSessionTests.ndefApplication)
            try readers[0].present(.type4().tornAway(atExchange: 3))
            authenticator.start()
            await authenticator.happenings.wait(for: "closed")
            #expect(authenticator.happenings.all.contains { $0.hasPrefix("failed: ") })
        }
    }

    @Test func `the reasons of an end are told apart`() async throws {
        try await withoutNFC {
            let nowhere = CardAuthenticator(application: Data())
            nowhere.start()
            #expect(await nowhere.happenings.next() == "no NFC here")
        }
        let terminated = CardAuthenticator(application: Data())
        try await withVirtualReaders { _ in
            terminated.start()
            await terminated.happenings.wait(for: "ready")
            let busy = CardAuthenticator(application: Data())
            busy.start()
            #expect(await busy.happenings.next() == "busy")
        }
        #expect(await terminated.happenings.next() == "terminated")
    }
}
