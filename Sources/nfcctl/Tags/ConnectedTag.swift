import NDEF
import NFCClient
import NFCProtocol

/// A tag that takes commands.
struct ConnectedTag: Sendable {
    let client: NFCClient
    let session: String
    let tag: SessionDidDetectTags.Tag

    /// What commands that take no more than the tag are given.
    var address: TagParameters { TagParameters(session: session, tag: tag.tag) }

    /// The tag in words: `NFC Forum Type 2, UID 04:6E:…, on Simulated Reader 0`.
    var words: String { "\(tag.technology.escaped), UID \(uid), on \(tag.readerName.escaped)" }

    /// The identifier for people.
    var uid: String {
        let uid = tag.identifier.bytes.map { HexBytes([$0]).description }.joined(separator: ":")
        return uid.isEmpty ? "unknown" : uid
    }
}

extension ConnectedTag {
    /// Gives the tag its password.
    func authenticate(_ password: HexBytes) async throws {
        _ = try await client.call(TagAuthenticate.self, .init(session: session, tag: tag.tag, password: password))
    }

    /// Says what was done: a line of JSON with this event, or a sentence.
    func report(_ event: String, _ sentence: String, json: Bool) {
        if json {
            Terminal.print(json: TagReport(event: event, tag: tag, extra: Empty()))
        } else {
            Terminal.print(sentence)
        }
    }
}
