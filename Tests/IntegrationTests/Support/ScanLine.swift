import Foundation

/// A line of `nfcctl scan --json`.
struct ScanLine: Decodable {
    struct Tag: Decodable {
        let type: String
        let identifier: String
    }

    struct Message: Decodable {
        struct Record: Decodable {
            struct Decoded: Decodable {
                let kind: String
                let uri: String?
                let text: String?
            }

            let typeNameFormat: String
            let type: String
            let payload: String
            let decoded: Decoded?
        }

        let records: [Record]
    }

    struct Failure: Decodable {
        let code: Int
        let detail: String
    }

    let event: String
    let reader: String?
    let tag: Tag?
    let message: Message?
    let error: Failure?
    let code: Int?
    let name: String?
    let detail: String?

    private enum CodingKeys: String, CodingKey {
        case event, reader, tag, message, error, code, name, detail
    }

    init(from decoder: any Decoder) throws {
        let line = try decoder.container(keyedBy: CodingKeys.self)
        event = try line.decode(String.self, forKey: .event)
        reader = try line.decodeIfPresent(String.self, forKey: .reader)
        tag = try line.decodeIfPresent(Tag.self, forKey: .tag)
        // An NDEF message in the line of a tag, a text in the last line.
        message = event == "tag" ? try line.decode(Message?.self, forKey: .message) : nil
        error = try line.decodeIfPresent(Failure.self, forKey: .error)
        code = try line.decodeIfPresent(Int.self, forKey: .code)
        name = try line.decodeIfPresent(String.self, forKey: .name)
        detail = try line.decodeIfPresent(String.self, forKey: .detail)
    }

    /// The URI of the first record.
    var uri: String? { message?.records.first?.decoded?.uri }
}

extension LineLog {
    /// The next line, decoded.
    func nextScanLine() async throws -> ScanLine {
        guard let line = await next() else { throw TestError("nfcctl scan ended early") }
        return try JSONDecoder().decode(ScanLine.self, from: Data(line.utf8))
    }
}
