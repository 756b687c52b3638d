import NFCProtocol
import NFCReaders
import NFCSessions
import NFCTags

extension MethodTable {
    /// `session.*`.
    mutating func addSessionMethods(_ coordinator: SessionCoordinator) {
        on(SessionBegin.self) { parameters, peer in
            var request = try SessionRequest(parameters)
            let permissions = peer.permissions
            let objection = await permissions.objection(to: request, on: coordinator)
                .map { peer.refused($0, of: SessionBegin.name) }
            request.grantedReaders = permissions.readers(for: request)
            request.grantedTimeout = permissions.sessionTimeout(for: request)
            let id = try await coordinator.open(request, for: peer)
            return Reply(SessionBegin.Result(session: id.rawValue)) { await coordinator.begin(id, unless: objection) }
        }
        on(SessionRestartPolling.self) { parameters, peer in
            let change = try PollingChange(parameters)
            if let objection = peer.permissions.objection(to: change) { throw objection }
            try await coordinator.restartPolling(SessionID(rawValue: parameters.session), change, by: peer.id)
            return Reply(Empty())
        }
        on(SessionSetAlertMessage.self) { parameters, peer in
            try await coordinator.setAlertMessage(
                parameters.message, of: SessionID(rawValue: parameters.session), by: peer.id)
            return Reply(Empty())
        }
        on(SessionSetYielding.self) { parameters, peer in
            try await coordinator.setYielding(
                parameters.yields, of: SessionID(rawValue: parameters.session), by: peer.id)
            return Reply(Empty())
        }
        on(SessionInvalidate.self) { parameters, peer in
            try await coordinator.invalidate(
                SessionID(rawValue: parameters.session), errorMessage: parameters.errorMessage, by: peer.id)
            return Reply(Empty())
        }
    }
}

extension Permissions {
    /// The reason why a session must not begin; nil if it may.
    fileprivate func objection(to request: SessionRequest, on coordinator: SessionCoordinator) async -> TagError? {
        // Only the names of readers have to be compared with the available readers.
        let isRestricted = request.readers != nil && self != .everything
        return objection(to: request, among: isRestricted ? await coordinator.readers().map(\.entry.description) : [])
    }

    /// The reason why polling must not be restarted in this way; nil if it may.
    fileprivate func objection(to change: PollingChange) -> TagError? {
        objection(toSelecting: change.selectIdentifiers ?? [], polling: change.systemCodes ?? [])
            ?? (change.technologies?.contains(.pace) == true ? objection(toFormats: [.pace]) : nil)
    }
}

// The parameters of a client, checked: every error names the wrong parameter.

extension SessionRequest {
    init(_ parameters: SessionBegin.Parameters) throws(RPCError) {
        try parameters.checkKind()
        let change = try PollingChange(parameters)
        self.init(
            kind: parameters.kind,
            detection: parameters.detection ?? .messages,
            polling: change.technologies ?? PollingTechnology.usual, selectIdentifiers: change.selectIdentifiers,
            systemCodes: change.systemCodes, selectsByDefault: parameters.defaultSelection ?? false,
            invalidateAfterFirstRead: parameters.invalidateAfterFirstRead ?? false,
            alertMessage: parameters.alertMessage ?? "", readers: parameters.readers,
            whenBusy: parameters.whenBusy ?? .fail,
            waitForReader: parameters.waitForReader ?? false,
            timeout: try Duration?(seconds: parameters.timeout, path: "params.timeout"),
            queueTimeout: try Duration?(seconds: parameters.queueTimeout, path: "params.queueTimeout"),
            yields: parameters.yields ?? false)
    }
}

extension SessionBegin.Parameters {
    /// Refuses parameters of the other kind of session.
    fileprivate func checkKind() throws(RPCError) {
        switch kind {
        case .tag:
            if detection != nil { throw .invalidParameters("only for sessions of kind ndef", path: "params.detection") }
        case .ndef:
            let onlyTag = "only for sessions of kind tag"
            if iso7816SelectIdentifiers != nil {
                throw .invalidParameters(onlyTag, path: "params.iso7816SelectIdentifiers")
            }
            if feliCaSystemCodes != nil { throw .invalidParameters(onlyTag, path: "params.feliCaSystemCodes") }
            if let place = pollingOption?.firstIndex(of: .pace) {
                throw .invalidParameters(onlyTag, path: "params.pollingOption[\(place)]")
            }
        }
    }
}

extension PollingChange {
    init(_ parameters: some PollingParameters) throws(RPCError) {
        self.init(
            technologies: try Self.technologies(parameters.pollingOption),
            selectIdentifiers: try Self.identifiers(parameters.iso7816SelectIdentifiers),
            systemCodes: try Self.codes(parameters.feliCaSystemCodes))
    }

    private static func technologies(_ options: [PollingTechnology]?) throws(RPCError) -> Set<PollingTechnology>? {
        guard let options else { return nil }
        guard !options.isEmpty else {
            throw .invalidParameters("expected at least one technology", path: "params.pollingOption")
        }
        return Set(options)
    }

    private static func identifiers(_ names: [HexBytes]?) throws(RPCError) -> [[UInt8]]? {
        let path = "params.iso7816SelectIdentifiers"
        for (index, name) in (names ?? []).enumerated() where !(5...16).contains(name.bytes.count) {
            throw .invalidParameters("expected 5 to 16 bytes, not \(name.bytes.count)", path: "\(path)[\(index)]")
        }
        return names?.map(\.bytes)
    }

    private static func codes(_ codes: [HexBytes]?) throws(RPCError) -> [UInt16]? {
        let path = "params.feliCaSystemCodes"
        for (index, code) in (codes ?? []).enumerated() where code.bytes.count != 2 || code.bytes.contains(0xFF) {
            throw .invalidParameters("expected 2 bytes, neither of them FF", path: "\(path)[\(index)]")
        }
        return codes?.map { $0.bytes.reduce(0) { $0 << 8 | UInt16($1) } }
    }
}

extension Duration? {
    fileprivate init(seconds: Double?, path: String) throws(RPCError) {
        guard let seconds else {
            self = nil
            return
        }
        self = try Duration(seconds: seconds, atMost: 86_400, path: path)
    }
}
