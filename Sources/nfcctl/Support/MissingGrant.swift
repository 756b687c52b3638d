import FoundationEssentials
import NFCClient
import NFCProtocol
import NFCTypes

extension ServerInfo.Entitlements {
    /// The error of an operation that no grant allows, which would otherwise fail only when there is a tag; nil if each
    /// requirement is met by one of the grants.
    ///
    /// nfcd is asked for it: so its log has the refusal, and its error has the grant to add.
    func refusal(of requirements: [Requirement], by client: NFCClient) async throws -> NFCClientError? {
        guard let grants else { return nil }
        for requirement in requirements {
            guard case .capabilities(let capabilities) = requirement else { continue }
            let names = capabilities.map(\.rawValue)
            if grants.contains(where: { grant in names.allSatisfy(grant.capabilities.contains) }) { continue }
            return try await client.refusal(of: requirement) ?? .notGranted(names)
        }
        return nil
    }
}

extension NFCClient {
    /// The error with which nfcd refuses a command of a requirement; nil if there is no such command, or it is not refused.
    fileprivate func refusal(of requirement: Requirement) async throws -> NFCClientError? {
        for case let method as any TagMethod.Type in Interface.methods where method.requirement == requirement {
            guard let refusal = try await refusal(of: method) else { continue }
            return refusal
        }
        return nil
    }

    /// Sends a command to a tag that no session has: grants are checked before that is noticed.
    private func refusal<Command: TagMethod>(of command: Command.Type) async throws -> NFCClientError? {
        let arguments = #""task":"setUp","message":{"records":[]},"apdu":"00A40400","command":"00""#
        let parameters = Data(#"{"session":"none","tag":"none",\#(arguments)}"#.utf8)
        guard let parameters = try? JSONDecoder().decode(Command.Parameters.self, from: parameters) else { return nil }
        do {
            _ = try await call(command, parameters)
            return nil
        } catch let error as NFCClientError where error.nfcCode != nil {
            return error.nfcCode == .securityViolation ? error : nil
        }
    }
}

extension NFCClientError {
    /// The error for capabilities that one grant has to give.
    fileprivate static func notGranted(_ names: [String]) -> NFCClientError {
        let list = names.map { "\"\($0)\"" }.joined(separator: ", ")
        let detail = "this command is not granted to you; add capabilities = [\(list)] to a [[grant]] in nfcd.toml"
        let code = NFCErrorCode.securityViolation
        return .refused(
            RPCError(
                code: code.rawValue, message: code.text,
                data: .init(domain: "NFCError", name: code.name, detail: detail)))
    }
}
