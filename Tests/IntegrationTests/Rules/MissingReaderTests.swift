import Foundation
import NFCProtocol
import Testing

/// Sessions that begin where there is no reader, or no PC/SC service.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct `A session without a reader` {
    private static let waiting = #"{"kind":"ndef","waitForReader":true}"#

    @Test func `without a reader there is 1, and who waits for one gets it`() async throws {
        let pcsc = try await PrivatePCSC(hasReaders: false)
        let daemon = try await DaemonUnderTest(pcsc)
        let (hasty, patient) = (try LineClient(path: daemon.socket), try LineClient(path: daemon.socket))
        #expect(try await hasty.result("readers.list") == [])
        try await hasty.result("session.begin", #"{"kind":"ndef"}"#)
        #expect(try await hasty.notification("session.didInvalidate")["code"] == 1)
        try await patient.result("session.begin", Self.waiting)
        await pcsc.kill()
        try await pcsc.start()
        try await patient.notification("session.didBecomeActive")
        await daemon.process.end()
        await pcsc.end()
    }

    @Test func `without the service there is 6, and who waits gets the reader`() async throws {
        try await withReaders { daemon, pcsc in
            let (hasty, patient) = (try LineClient(path: daemon.socket), try LineClient(path: daemon.socket))
            await pcsc.kill()
            try await daemon.wait(for: "serviceUnavailable")
            try await hasty.result("session.begin", #"{"kind":"ndef"}"#)
            #expect(try await hasty.notification("session.didInvalidate")["code"] == 6)
            try await patient.result("session.begin", Self.waiting)
            try await pcsc.start()
            try await patient.notification("session.didBecomeActive")
        }
    }
}
