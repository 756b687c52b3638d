import FoundationEssentials
import NFCProtocol

/// One request, or a batch (JSON-RPC 2.0, §6).
enum IncomingCalls {
    case single(IncomingCall)
    case batch([IncomingCall])
    /// A batch with so many requests that none of them is carried out.
    case tooMany(Int)

    /// The limit of requests in a batch.
    static let limit = 100

    private struct Batch: Decodable {
        let calls: IncomingCalls

        init(from decoder: any Decoder) throws {
            var array = try decoder.unkeyedContainer()
            if let count = array.count, count > limit {
                calls = .tooMany(count)
                return
            }
            var list: [IncomingCall] = []
            while !array.isAtEnd { list.append(try array.decode(IncomingCall.self)) }
            calls = .batch(list)
        }
    }

    /// A line that `JSONDecoder` decodes: that of a batch, a request that is not flat or an invalid one.
    ///
    /// - Throws: what the decoder throws for a line that is not JSON.
    init(_ line: Data, _ decoder: JSONDecoder) throws {
        // The white space of JSON (RFC 8259, §2).
        let first = line.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        if first == UInt8(ascii: "[") {
            self = try decoder.decode(Batch.self, from: line).calls
        } else {
            self = .single(try decoder.decode(IncomingCall.self, from: line))
        }
    }
}

extension CodingUserInfoKey {
    /// The method table, for decoding parameters in the same pass as the request around them.
    static let methods = CodingUserInfoKey(rawValue: "nfcd.methods")
}

/// A request of a line. The error of an invalid request is part of the value, because it becomes the answer.
struct IncomingCall: Decodable {
    /// Nil: a notification, which gets no answer (JSON-RPC 2.0, §4.1).
    let id: RequestID?
    /// The call, or the error of an invalid request.
    let call: Result<PreparedCall, RPCError>

    private enum CodingKeys: String, CodingKey {
        case jsonrpc, id, method, params
    }

    /// A valid request in its usual form, with the result that `JSONDecoder` has for it; nil for any other.
    init?(flat line: Data, _ methods: MethodTable) {
        guard let request = FlatRequest(line), let call = methods.prepare(request) else { return nil }
        id = request.id
        self.call = .success(call)
    }

    init(from decoder: any Decoder) throws {
        let object: KeyedDecodingContainer<CodingKeys>
        do {
            object = try decoder.container(keyedBy: CodingKeys.self)
            id = try Self.id(object)
        } catch let error as DecodingError {
            id = .null
            call = .failure(.invalidRequest(error.words))
            return
        }
        call = Result {
            try Self.prepare(object, decoder.userInfo)
        }.mapError { RPCError(request: $0) }
    }

    /// The id; nil for a notification, null for an object that is neither a request nor a notification.
    private static func id(_ object: KeyedDecodingContainer<CodingKeys>) throws -> RequestID? {
        if object.contains(.id) { return try object.decode(RequestID.self, forKey: .id) }
        return (try? object.decode(String.self, forKey: .method)) == nil ? .null : nil
    }

    private static func prepare(
        _ object: KeyedDecodingContainer<CodingKeys>, _ userInfo: [CodingUserInfoKey: Any]
    ) throws -> PreparedCall {
        guard (try? object.decode(String.self, forKey: .jsonrpc)) == "2.0" else {
            throw RPCError.invalidRequest("jsonrpc must be \"2.0\"")
        }
        guard let method = try? object.decode(String.self, forKey: .method) else {
            throw RPCError.invalidRequest("method must be text")
        }
        guard let key = CodingUserInfoKey.methods, let methods = userInfo[key] as? MethodTable else {
            throw RPCError.internalError("the decoder has no method table")
        }
        let source =
            object.contains(.params) ? ParameterSource.decoder(try object.superDecoder(forKey: .params)) : .absent
        return try methods.prepare(method, source)
    }
}

/// The `params` of the request that is being decoded.
enum ParameterSource {
    case absent
    case flat(FlatObject)
    case decoder(any Decoder)

    /// The parameters, by name (JSON-RPC 2.0, §4.2).
    ///
    /// - Throws: an error for a wrong or unknown parameter; ``decoder(_:)`` a `DecodingError` with its path.
    func decode<Parameters: Decodable>(
        _ type: Parameters.Type, checking names: ParameterNames
    ) throws -> Parameters {
        switch self {
        case .absent: return try NoParameters.decode(type)
        case .flat(let object):
            try names.check(object)
            return try object.decode(type)
        case .decoder(let decoder):
            try names.check(decoder)
            return try Parameters(from: decoder)
        }
    }
}

/// Decodes parameters from an empty object, instead of a missing `params`.
private enum NoParameters {
    private struct Request<Parameters: Decodable>: Decodable {
        let params: Parameters
    }

    static func decode<Parameters: Decodable>(_ type: Parameters.Type) throws -> Parameters {
        try JSONLine.decode(Request<Parameters>.self, from: .init(#"{"params":{}}"#.utf8)).params
    }
}

extension RPCError {
    /// The error of an invalid request, with the path of the parameter at fault.
    fileprivate init(request error: any Error) {
        switch error {
        case let error as RPCError: self = error
        case let error as DecodingError: self = .invalidParameters(error.words, path: error.path)
        // The decoder's own error for a number that is too large, such as 1e999.
        default: self = .invalidParameters("invalid value: \(error)", path: "params")
        }
    }
}
