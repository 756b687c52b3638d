import CCurl
import FoundationEssentials
import NFCTypes
import ServiceSupport

/// A POST.
struct HTTPRequest: Sendable {
    let url: String
    let headers: [(name: String, value: String)]
    let body: Data
    /// Certificates of private authorities; nil: those of the system.
    let authorities: String?
    /// Until the head of the answer is complete.
    let timeout: Duration
    /// How long the body is read then.
    let bodyWait: Duration
    /// The bytes of the answer's body that are kept.
    let answerLength: Int
}

/// Why there is no answer.
enum HTTPFailure: Error, Equatable, CustomStringConvertible {
    /// The receiver closed the connection, in order or with a reset, and sent nothing.
    case closed
    case cancelled
    case other(String)

    var description: String {
        switch self {
        case .closed: "the receiver closed the connection without an answer"
        case .cancelled: "cancelled"
        case .other(let words): words
        }
    }
}

/// A POST under way with libcurl: a handle with its options, and what arrived.
///
/// Only the thread of its ``HTTPSender`` uses it.
final class HTTPTransfer {
    typealias Outcome = Result<WebhookAnswer, HTTPFailure>

    private static let connectSeconds = 5

    let handle: UnsafeMutableRawPointer
    private let request: HTTPRequest
    private let message = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private var headers: UnsafeMutablePointer<curl_slist>?
    private var reader: AnswerReader
    private var objection: InvalidAnswer?
    /// When the head has to be complete, and then, until when the body is read.
    private(set) var deadline: Duration
    private let time: ServiceTime

    /// - Throws: if libcurl refuses an option, or memory is exhausted.
    init(_ request: HTTPRequest, _ time: ServiceTime) throws(HTTPFailure) {
        guard let handle = curl_easy_init() else { throw .other("libcurl has no memory") }
        self.handle = handle
        self.request = request
        self.time = time
        reader = AnswerReader(keeping: request.answerLength)
        deadline = time.now() + request.timeout
        message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        for (name, value) in request.headers { headers = curl_slist_append(headers, "\(name): \(value)") }
        // libcurl would wait a second for a receiver's permission to send a large body.
        headers = curl_slist_append(headers, "expect:")
        for code in options() where code != CURLE_OK {
            throw .other("libcurl: \(String(cString: curl_easy_strerror(code)))")
        }
    }

    deinit {
        curl_easy_cleanup(handle)
        curl_slist_free_all(headers)
        message.deallocate()
    }

    private func options() -> [CURLcode] {
        var codes = [
            ccurl_set_text(handle, CURLOPT_URL, request.url),
            ccurl_set_text(handle, CURLOPT_PROTOCOLS_STR, "http,https"),
            ccurl_set_number(handle, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)),
            // TLS 1.0 and 1.1 are obsolete (RFC 8996).
            ccurl_set_number(handle, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)),
            ccurl_set_number(handle, CURLOPT_CONNECTTIMEOUT, Self.connectSeconds),
            // Not the proxy of a variable in the environment.
            ccurl_set_text(handle, CURLOPT_PROXY, ""),
            ccurl_set_number(handle, CURLOPT_NOSIGNAL, 1),
            ccurl_set_pointer(handle, CURLOPT_ERRORBUFFER, message),
            ccurl_set_pointer(handle, CURLOPT_HTTPHEADER, headers),
            request.body.withUnsafeBytes {
                ccurl_set_body(handle, $0.baseAddress, curl_off_t($0.count))
            },
            ccurl_set_pointer(handle, CURLOPT_HEADERDATA, Unmanaged.passUnretained(self).toOpaque()),
            ccurl_set_callback(handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, owner in
                HTTPTransfer.pass(bytes, size * count, to: owner) { $0.take(line: $1) }
            },
            ccurl_set_pointer(handle, CURLOPT_WRITEDATA, Unmanaged.passUnretained(self).toOpaque()),
            ccurl_set_callback(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, owner in
                HTTPTransfer.pass(bytes, size * count, to: owner) { $0.reader.take(body: $1) }
            },
        ]
        if let file = request.authorities {
            codes += [ccurl_set_text(handle, CURLOPT_CAINFO, file), ccurl_set_text(handle, CURLOPT_CAPATH, nil)]
        }
        return codes
    }

    /// Passes bytes to a transfer.
    ///
    /// - Returns: how many it took: all, or none, which ends the transfer.
    private static func pass(
        _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int, to owner: UnsafeMutableRawPointer?,
        _ body: (HTTPTransfer, UnsafeRawBufferPointer) -> Bool
    ) -> Int {
        guard let owner else { return 0 }
        let transfer = Unmanaged<HTTPTransfer>.fromOpaque(owner).takeUnretainedValue()
        return body(transfer, UnsafeRawBufferPointer(start: bytes, count: count)) ? count : 0
    }

    private func take(line: UnsafeRawBufferPointer) -> Bool {
        let wasComplete = reader.answer != nil
        do throws(InvalidAnswer) {
            try reader.take(line: line)
        } catch {
            objection = error
            return false
        }
        if !wasComplete, reader.answer != nil { deadline = time.now() + min(request.bodyWait, request.timeout) }
        return true
    }

    /// What came of it. The status is the answer: a body that is cut off, or never ends, changes nothing.
    ///
    /// - Parameter code: how libcurl ended it; nil: it was ended at its deadline.
    func outcome(_ code: CURLcode?) -> Outcome {
        if let objection { return .failure(.other("\(objection)")) }
        if let answer = reader.answer { return .success(answer) }
        switch code {
        case nil: return .failure(.other("no answer within \(request.timeout.wholeSeconds) s"))
        case CURLE_OK: return .failure(.closed)
        case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR: return .failure(.closed)
        case CURLE_OPERATION_TIMEDOUT:
            return .failure(.other("no connection within \(Self.connectSeconds) s"))
        case let code?:
            let words = String(cString: message)
            return .failure(.other((words.isEmpty ? String(cString: curl_easy_strerror(code)) : words).printable))
        }
    }
}
