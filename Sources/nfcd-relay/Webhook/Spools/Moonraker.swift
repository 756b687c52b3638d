import FoundationEssentials
import NFCTypes

/// Moonraker, whose active spool becomes that of a tag.
///
/// Moonraker takes any number for the active spool, also that of no spool. So the number comes from Spoolman, in its answer to a scan that
/// Moonraker passes on to it: Moonraker's own address is enough.
enum Moonraker {
    static let scanPath = "/server/spoolman/proxy"
    static let spoolPath = "/server/spoolman/spool_id"
    /// The bytes of an answer that are read: Spoolman describes the spool in it.
    static let longestAnswer = 64 * 1024

    /// A request that Moonraker passes on to Spoolman.
    struct ScanRequest: Encodable {
        private let useV2Response = true
        private let method = "POST"
        private let path = "/v1/tag/scan"
        private let body: SpoolmanScan

        init(_ scan: SpoolmanScan) { body = scan }

        private enum CodingKeys: String, CodingKey {
            case useV2Response = "use_v2_response"
            case method = "request_method"
            case path, body
        }
    }

    /// The number of the active spool: in a request, and in the answer to it.
    struct ActiveSpool: Codable {
        let spool: Int

        init(_ spool: Int) { self.spool = spool }

        private enum CodingKeys: String, CodingKey { case spool = "spool_id" }
    }

    /// What came of a scan.
    enum ScanOutcome {
        /// The number of the spool with the tag.
        case spool(Int)
        /// Spoolman knows no spool with this tag.
        case unknownTag
        case failed(Delivery)
    }

    /// What Moonraker's answer to a scan means.
    static func outcome(of answer: WebhookAnswer, _ clocks: ClockReading) -> ScanOutcome {
        if let failure = failure(answer, clocks) { return .failed(failure) }
        guard let result = try? JSONDecoder().decode(Envelope<ScanResult>.self, from: Data(answer.body)).result else {
            return .failed(.retry("Moonraker's answer to the scan is not valid: \(answer.text.prefix(200))"))
        }
        if let error = result.error {
            let answer = WebhookAnswer(
                status: UInt(clamping: error.status),
                text: String((error.message ?? "").prefix(WebhookAnswer.longestText)).printable)
            return .failed(failure(ofSpoolman: answer, clocks))
        }
        guard let match = result.response else {
            return .failed(.retry("Moonraker passed on no answer of Spoolman to the scan; update Moonraker"))
        }
        return match.spool.map { .spool($0) } ?? .unknownTag
    }

    /// A success is one that Moonraker confirms with the number.
    static func delivery(of spool: Int, _ answer: WebhookAnswer, _ clocks: ClockReading) -> Delivery {
        if let failure = failure(answer, clocks) { return failure }
        let confirmed = try? JSONDecoder().decode(Envelope<ActiveSpool>.self, from: Data(answer.body)).result.spool
        guard confirmed == spool else {
            return .retry("Moonraker does not confirm that spool \(spool) is active: \(answer.text.prefix(200))")
        }
        return .delivered("Moonraker's active spool is \(spool)")
    }

    /// Why Moonraker itself refuses a request; nil: it does not.
    private static func failure(_ answer: WebhookAnswer, _ clocks: ClockReading) -> Delivery? {
        switch answer.status {
        case 200..<300: nil
        case 401, 403:
            .held(
                "HTTP \(answer.status): Moonraker refuses this relay; write \"X-Api-Key: KEY\" into its headers-file, or add"
                    + " this machine to trusted_clients of moonraker.conf")
        case 404:
            .held(
                "HTTP 404: Moonraker does not know Spoolman; add [spoolman] with its server to moonraker.conf, or correct"
                    + " url")
        default: answer.delivery(clocks)
        }
    }

    /// Without a status of HTTP, Moonraker did not reach it.
    private static func failure(ofSpoolman answer: WebhookAnswer, _ clocks: ClockReading) -> Delivery {
        guard answer.status >= 300 else {
            return .retry("Moonraker does not reach Spoolman\(answer.text.isEmpty ? "" : ": \(answer.text)")")
        }
        return answer.scanDelivery(clocks, address: "server in section [spoolman] of moonraker.conf")
    }

    // MARK: Answers; fields that are not listed are ignored

    private struct Envelope<Result: Decodable>: Decodable {
        let result: Result
    }

    private struct ScanResult: Decodable {
        let response: Match?
        let error: Problem?
    }

    private struct Problem: Decodable {
        let status: Int
        let message: String?

        private enum CodingKeys: String, CodingKey {
            case status = "status_code"
            case message
        }
    }

    private struct Match: Decodable {
        /// Nil: there is none.
        let spool: Int?

        private enum CodingKeys: String, CodingKey { case spool = "matched_spool_id" }

        /// Spoolman's answer always has the field; null where no spool has the tag.
        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            spool = try values.decodeNil(forKey: .spool) ? nil : values.decode(Int.self, forKey: .spool)
            guard spool ?? 1 > 0 else {
                throw DecodingError.dataCorruptedError(
                    forKey: .spool, in: values, debugDescription: "not the number of a spool")
            }
        }
    }
}
