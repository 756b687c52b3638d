import NFCProtocol
import NFCReaders
import NFCSessions
import NFCTags

extension Entitlements {
    /// Why a session must not begin; nil where it may.
    func objection(
        to request: SessionRequest, _ parameters: SessionBegin.Parameters, on coordinator: SessionCoordinator
    ) async -> TagError? {
        guard let format = Format(parameters.kind) else {
            return TagError(.securityViolation, "no format covers sessions of kind \(parameters.kind.rawValue)")
        }
        // Only names of readers need the readers there are.
        let isRestricted = parameters.readers != nil && readers != .all
        let known = isRestricted ? await coordinator.readers().map(\.entry.description) : []
        return objection(
            toFormat: format, selectIdentifiers: request.selectIdentifiers ?? [],
            systemCodes: request.systemCodes ?? [], readers: parameters.readers, among: known)
            ?? (request.polling.contains(.pace) ? objection(toFormat: .pace) : nil)
            ?? (parameters.deliversMessages ? objection(to: .read) : nil)
    }
}

extension Entitlements {
    /// Why polling must not be restarted in this way; nil where it may.
    func objection(to change: PollingChange) -> TagError? {
        objection(toSelecting: change.selectIdentifiers ?? [], polling: change.systemCodes ?? [])
            ?? (change.technologies?.contains(.pace) == true ? objection(toFormat: .pace) : nil)
    }
}

extension SessionRequest {
    /// Gives the session what its client may have: its readers, and without lists of its own those that are granted.
    mutating func narrow(to entitlements: Entitlements) {
        grantedReaders = entitlements.readers
        guard kind == .tag else { return }
        selectIdentifiers = selectIdentifiers ?? entitlements.selectIdentifiers.whole
        systemCodes = systemCodes ?? entitlements.systemCodes.whole
    }
}

extension Entitlements.Format {
    /// The format that covers a kind of session: it has the same name, in capitals.
    init?(_ kind: SessionBegin.Kind) { self.init(rawValue: kind.rawValue.uppercased()) }
}

extension SessionBegin.Parameters {
    /// Whether tags are read for the client without a command.
    fileprivate var deliversMessages: Bool { kind == .ndef && detection != .tags }
}
