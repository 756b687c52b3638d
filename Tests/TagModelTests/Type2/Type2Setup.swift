import NFCTags
import Testing
import VirtualTags

/// A tag of the catalogue behind a reader of the catalogue.
struct Type2Setup: Sendable, CustomTestStringConvertible {
    let model: String
    let reader: String

    var testDescription: String { "\(model) on \(reader)" }

    static let models = [
        "ntag213", "ntag215", "ntag216", "ultralight-ev1-11", "ultralight-ev1-21", "ultralight", "ultralight-c",
        "ntag203", "ntag210", "ntag212",
    ]
    static let readers = ["generic", "acr122u", "acr1252u", "acr1552u"]
    static let all = models.flatMap { model in readers.map { Type2Setup(model: model, reader: $0) } }

    func capacity() throws -> Int { try VirtualTagModel.named(model).messageCapacity }

    func card(_ message: [UInt8]?) throws -> VirtualReader {
        let settings = try #require(VirtualReaderModel.named(reader)).settings
        return VirtualReader(
            tag: try VirtualTagModel.named(model).makeTag(ndefMessage: message), settings: settings)
    }

    func tag(_ card: any VirtualCard, expecting identifier: [UInt8]? = nil) -> NFCTags.Type2Tag {
        NFCTags.Type2Tag(
            channel: ModelChannel(card), profile: .profile(reader: reader), expectedIdentifier: identifier)
    }

    static func message(_ count: Int) -> [UInt8] { (0..<count).map { UInt8($0 % 200 + 4) } }
}

/// The error that a call ends with.
func failure(_ body: () async throws -> Void) async -> TagError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? TagError
    }
}

extension VirtualReader {
    /// The pages that were written, in order.
    var writtenPages: [UInt8] {
        trace.compactMap { entry in
            guard case .frame(let command, _) = entry, command.first == 0xA2 else { return nil }
            return command.dropFirst().first
        }
    }
}
