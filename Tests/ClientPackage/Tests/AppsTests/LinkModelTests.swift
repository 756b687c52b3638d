import CoreNFCTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(20)))
struct LinkModelTests {
    @Test func `a model on the main actor is called on it, in order, by a session without a queue`() async throws {
        try await withVirtualTag(.ntag213(uri: "https://example.com")) { _ in
            let states = await statesOfScan()
            #expect(
                states == [.idle, .scanning, .read("https://example.com"), .over("First NDEF tag read")])
        }
    }

    @Test func `a scan that is cancelled ends on the main actor`() async throws {
        try await withVirtualReaders { _ in
            let scan = Task { await statesOfScan() }
            try await SystemSheet.waitUntil { $0 == "Hold the tag to the reader." }
            try await SystemSheet.cancel()
            #expect(await scan.value.last == .over("Session invalidated by user"))
        }
    }
}

/// What the model shows from the beginning of a scan to its end.
@MainActor
private func statesOfScan() async -> [LinkModel.State] {
    let model = LinkModel()
    let (changes, change) = AsyncStream.makeStream(of: LinkModel.State.self)
    model.$state.sink { change.yield($0) }
    model.scan()
    var states: [LinkModel.State] = []
    for await state in changes {
        states.append(state)
        if case .over = state { break }
    }
    return states
}
