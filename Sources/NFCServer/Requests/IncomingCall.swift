import NFCProtocol

extension CodingUserInfoKey {
    /// The method table, for decoding parameters in the same pass as the request around them.
    static let methods = CodingUserInfoKey(rawValue: "nfcd.methods")
}

/// One request out of a line. What is wrong with it is part of the value: a bad request is answered, not thrown.
struct IncomingCall: Decodable {
    /// Nil: a notification, which gets no answer (JSON-RPC 2.0, §4.1).
    private(set) var id: RequestID?
    /// What to do, or why it cannot be done.
    let call: Result<PreparedCall, RPCError>

    private enum CodingKeys: String, CodingKey {
        case jsonrpc, id, method, params
    }

    /// A plain request. Nil: it is not plain, or its parameters are not, or something is wrong with it.
    init?(plain line: [UInt8], _ methods: MethodTable) {
        guard let request = PlainRequest(line), let call = try? methods.prepare(request.method, .plain(request)) else {
            return nil
        }
        id = request.id
        self.call = .success(call)
    }

    init(from decoder: any Decoder) throws {
        let object: KeyedDecodingContainer<CodingKeys>
        do {
            object = try decoder.container(keyedBy: CodingKeys.self)
            id = object.contains(.id) ? try object.decode(RequestID.self, forKey: .id) : nil
        } catch let error as DecodingError {
            id = .null
            call = .failure(.invalidRequest(error.words))
            return
        }
        call = Result {
            try Self.prepare(object, decoder.userInfo)
        }.mapError { RPCError(request: $0) }
    }

    /// Whether the id is a number.
    var hasNumber: Bool {
        switch id {
        case .integer, .fraction, .literal: true
        case .string, .null, nil: false
        }
    }

    /// Gives back a number as it was written, where decoding it may have changed it.
    mutating func restoreID(_ number: String?) {
        guard let number, let id, number != id.digits else { return }
        self.id = .literal(number)
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
            throw RPCError.internalError("there is no method table")
        }
        return try methods.prepare(method, ParameterSource(object: object, .params))
    }
}

extension RequestID {
    /// How an answer would write an integer; nil for anything else.
    fileprivate var digits: String? {
        if case .integer(let number) = self { "\(number)" } else { nil }
    }
}

/// The `params` of the request that is being decoded.
enum ParameterSource {
    case plain(PlainRequest)
    /// Nil: the request has no `params`.
    case coded((any Decoder)?)

    fileprivate init<Key: CodingKey>(object: KeyedDecodingContainer<Key>, _ key: Key) throws {
        self = .coded(object.contains(key) ? try object.superDecoder(forKey: key) : nil)
    }

    /// The parameters, by name (JSON-RPC 2.0, §4.2).
    ///
    /// - Throws: `DecodingError` for a wrong or unknown parameter.
    func decode<Parameters: Decodable>(
        _ type: Parameters.Type, checking names: ParameterNames
    ) throws -> Parameters {
        switch self {
        case .plain(let request): return try request.decode(type, checking: names)
        case .coded(let decoder?):
            try names.check(decoder)
            return try Parameters(from: decoder)
        case .coded(nil): return try NoParameters.decode(type)
        }
    }
}

/// Stands for a missing `params`: an object without members.
private enum NoParameters {
    private struct Request<Parameters: Decodable>: Decodable {
        let params: Parameters
    }

    static func decode<Parameters: Decodable>(_ type: Parameters.Type) throws -> Parameters {
        try JSONLine.decode(Request<Parameters>.self, from: .init(#"{"params":{}}"#.utf8)).params
    }
}

extension RPCError {
    /// What is wrong with a request, with the path of the parameter at fault.
    fileprivate init(request error: any Error) {
        switch error {
        case let error as RPCError: self = error
        case let error as DecodingError: self = .invalidParameters(error.words, path: error.path)
        // The decoder's own error for a number beyond all bounds, such as 1e999.
        default: self = .invalidParameters("a value cannot be used: \(error)", path: "params")
        }
    }
}
