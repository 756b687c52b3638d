import CoreNFC
import CoreNFCTesting
import Testing

@testable import corenfc_programs

/// The ways in which a session ends from outside, on demand of a test.
@Suite(.timeLimit(.minutes(20)))
struct `Sessions that end from outside` {
    private func session(_ log: SessionLog) -> NFCTagReaderSession {
        NFCTagReaderSession(configuration: .init(pollingOption: .iso14443), delegate: log)
    }

    private func reason(_ log: SessionLog) -> String? {
        log.error?.errorUserInfo[NSLocalizedFailureReasonErrorKey] as? String
    }

    @Test func `the user taps Cancel`() async throws {
        try await withVirtualReaders { _ in
            let log = SessionLog()
            let session = session(log)
            session.begin()
            try await SystemSheet.cancel()
            await log.happenings.wait(for: "over: 200")
            #expect(try await SystemSheet.message == nil)
        }
    }

    @Test func `the time limit passes, also while a tag is connected`() async throws {
        try await Bench.use(.ntag215(), .iso14443, ending: "over: 201") { _ in try await SystemSheet.timeOut() }
    }

    @Test func `the app moves to the background`() async throws {
        try await withVirtualReaders { _ in
            let log = SessionLog()
            let session = session(log)
            session.begin()
            try await SystemSheet.moveAppToBackground()
            await log.happenings.wait(for: "over: 202")
        }
    }

    @Test func `the reader is unplugged, and plugged in again`() async throws {
        try await withVirtualReaders { readers in
            let (reader, log) = (try #require(readers.first), SessionLog())
            let session = session(log)
            session.begin()
            try await SystemSheet.appears()
            reader.unplug()
            await log.happenings.wait(for: "over: 202")

            let without = SessionLog()
            let second = self.session(without)
            second.begin()
            await without.happenings.wait(for: "over: 1")

            reader.plugIn()
            try reader.present(.ntag213())
            let again = SessionLog()
            let third = self.session(again)
            third.begin()
            await again.happenings.wait(for: "tags: 1")
            third.invalidate()
            await again.happenings.wait(for: "over: 200")
        }
    }

    @Test func `another program holds the reader`() async throws {
        try await withVirtualReaders { readers in
            let (reader, log, later) = (try #require(readers.first), SessionLog(), SessionLog())
            let session = session(log)
            try await reader.whileHeldByAnotherProgram {
                session.begin()
                await log.happenings.wait(for: "over: 203")
                #expect(reason(log)?.contains("another program") == true)
            }
            let second = self.session(later)
            second.begin()
            try await SystemSheet.appears()
            await #expect(throws: TestTagError.self) { try await reader.whileHeldByAnotherProgram {} }
            second.invalidate()
            await later.happenings.wait(for: "over: 200")
        }
    }

    @Test func `the texts of a session are shown`() async throws {
        try await withVirtualReaders { _ in
            let log = SessionLog()
            let session = session(log)
            session.alertMessage = "Hold the tag to the reader."
            session.begin()
            try await SystemSheet.appears()
            #expect(try await SystemSheet.message == "Hold the tag to the reader.")
            session.alertMessage = "Keep holding."
            try await SystemSheet.waitUntil { $0 == "Keep holding." }
            session.invalidate(errorMessage: "This tag is not yours.")
            await log.happenings.wait(for: "over: 200")
            #expect(try await SystemSheet.errorMessage == "This tag is not yours.")
        }
    }

    @Test func `a Topaz tag is read in a session for messages`() async throws {
        try await withVirtualTag(.topaz512(uri: "https://example.com")) { _ in
            let link = try await LinkReader().link()
            #expect(link?.absoluteString == "https://example.com")
        }
    }

    @Test func `outside of virtual readers there is no sheet`() async throws {
        try await withoutNFC {
            await #expect(throws: TestTagError.self) { try await SystemSheet.errorMessage }
            await #expect(throws: TestTagError.self) { try await SystemSheet.cancel() }
        }
    }
}
