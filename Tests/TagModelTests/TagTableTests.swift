import NFCTags
import TagTable
import Testing
import VirtualTags

/// Every virtual tag on every reader model that sees it, through the way nfcd takes: detect, identify, driver.
@Suite struct `Every tag on every reader` {
    private static let writable = TagTable.places.filter { !$0.isReadOnly }

    @Test(arguments: TagTable.places) func `is read`(place: TagTable.Place) async throws {
        let full = TagTable.message(try await place.capacity())
        let short = try #require(try await TableOperation.readShort.perform(at: place))
        #expect(short.found.message == TableOperation.short)
        #expect(try await TableOperation.readFull.perform(at: place)?.found.message == full)
    }

    @Test(arguments: writable) func `accepts a short and a full message, and none that is larger`(
        place: TagTable.Place
    ) async throws {
        let full = TagTable.message(try await place.capacity())
        #expect(try await TableOperation.writeShort.perform(at: place)?.found.message == TableOperation.short)
        let outcome = try #require(try await TableOperation.writeFull.perform(at: place))
        #expect(outcome.found.message == full)
        let tag = try #require(try await outcome.card.driver())
        await #expect(throws: TagError.self) { try await tag.writeNDEF(full + [0], verifying: false) }
        #expect(outcome.card.updates == 0)
        #expect(try await outcome.card.driver()?.readNDEF().message == full)
    }

    @Test(arguments: writable) func `can be erased`(place: TagTable.Place) async throws {
        let outcome = try #require(try await TableOperation.erase.perform(at: place))
        #expect((outcome.found.message ?? []).isEmpty && outcome.found.status == .readWrite)
    }

    @Test(arguments: TagTable.places.filter(\.isReadOnly))
    func `keeps its message if the reader cannot write to it`(place: TagTable.Place) async throws {
        let card = try #require(try place.card(message: TableOperation.short))
        let tag = try #require(try await card.driver())
        let error = await #expect(throws: TagError.self) { try await tag.writeNDEF([], verifying: false) }
        #expect(error?.code == .tagUpdateFailure && error?.mayHaveKeptMessage == true)
        #expect(try await card.driver()?.readNDEF().message == TableOperation.short)
    }

    @Test(arguments: TagTable.places) func `is formatted, or reports why it cannot be`(place: TagTable.Place)
        async throws
    {
        let outcome = try #require(try await TableOperation.format.perform(at: place))
        #expect(outcome.refusal != nil || outcome.found.status == .readWrite)
    }

    @Test(arguments: TagTable.places) func `is locked permanently, or reports why it cannot be`(
        place: TagTable.Place
    ) async throws {
        let outcome = try #require(try await TableOperation.lock.perform(at: place))
        #expect(outcome.found.message == TableOperation.short)
        guard outcome.refusal == nil else { return #expect(outcome.found.status == .readWrite) }
        #expect(outcome.found.status == .readOnly)
        let tag = try #require(try await outcome.card.driver())
        let error = await #expect(throws: TagError.self) { try await tag.writeNDEF([], verifying: false) }
        #expect(error?.code == .tagNotWritable)
        #expect(outcome.card.updates == 0)
    }
}
