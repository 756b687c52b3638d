import FoundationEssentials

/// What a receiver answered.
struct WebhookAnswer: Sendable, Hashable {
    /// The bytes of a body that are shown to people.
    static let longestText = 1024

    var status: UInt
    var retryAfter: String?
    /// The receiver's own time.
    var date: String?
    /// The beginning of the body, for people.
    var text = ""
    /// As much of the body as is kept.
    var body: [UInt8] = []

    /// What it means for the tap.
    ///
    /// - Parameter clocks: where the clock is wrong, the receiver may refuse the timestamp of the signature.
    func delivery(_ clocks: ClockReading) -> Delivery {
        let words = text.isEmpty ? "" : ": \(text)"
        if [400, 401, 413, 422].contains(status), !clocks.isSynchronised {
            return .retry("HTTP \(status), perhaps because the clock of this machine is not set\(words)")
        }
        switch status {
        case 200..<300: return .delivered("HTTP \(status)")
        case 300..<400:
            return .held("HTTP \(status): redirects are not followed; write the final address into url")
        case 401, 403:
            return .held("HTTP \(status): the receiver refuses this relay; check its secret and headers-file\(words)")
        case 404: return .held("HTTP 404: the receiver does not know the address; check url\(words)")
        case 410:
            return .gone(
                "HTTP 410: the receiver is gone; remove it from relay.toml, or correct url and run nfcctl relay resume")
        case 400, 413, 422: return .refused("HTTP \(status)\(words)")
        default: return .retry("HTTP \(status)\(words)", after: wait(clocks.wall))
        }
    }

    /// How long to wait: so many seconds, or until a date (RFC 9110, §10.2.3).
    private func wait(_ now: Date) -> Duration? {
        guard let retryAfter else { return nil }
        if let seconds = Int64(retryAfter) { return .seconds(min(max(0, seconds), 86_400)) }
        guard let time = HTTPDate.date(retryAfter) else { return nil }
        let seconds = time.timeIntervalSince(date.flatMap { HTTPDate.date($0) } ?? now)
        return .seconds(min(max(0, seconds), 86_400))
    }
}

/// The date of HTTP: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, §5.6.7).
enum HTTPDate {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    static func date(_ text: String) -> Date? {
        let words = text.split { $0 == " " || $0 == "," || $0 == ":" }.map(String.init)
        guard words.count == 8, words[7] == "GMT", let month = months.firstIndex(of: words[2]) else { return nil }
        let numbers = [words[1], words[3], words[4], words[5], words[6]].compactMap { Int($0) }
        guard numbers.count == 5, (1...31).contains(numbers[0]), (1970...9999).contains(numbers[1]),
            (0..<24).contains(numbers[2]), (0..<60).contains(numbers[3]), (0...60).contains(numbers[4])
        else { return nil }
        let iso =
            "\(numbers[1])-\(two(month + 1))-\(two(numbers[0]))T\(two(numbers[2])):\(two(numbers[3])):\(two(numbers[4]))Z"
        return try? Date.ISO8601FormatStyle().parse(iso)
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
