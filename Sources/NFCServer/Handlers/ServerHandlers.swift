import NFCProtocol
import NFCReaders
import NFCSessions

extension MethodTable {
    /// `server.*` and `readers.*`.
    mutating func addServerMethods(
        _ coordinator: SessionCoordinator, limits: SessionLimits, isSimulating: Bool
    ) {
        on(ServerInfo.self) { _, peer in
            let readers = await coordinator.readers()
            return Reply(
                ServerInfo.Result(
                    name: "nfcd", version: NFCDVersion.release, protocolVersion: NFCDVersion.protocolVersion,
                    readingAvailable: readers.contains { $0.entry.failure == nil },
                    limits: ServerInfo.Limits(
                        sessionTimeout: limits.timeout / .seconds(1), lineLength: JSONLine.maximumLength,
                        sessionsPerClient: limits.sessionsPerClient),
                    entitlements: ServerInfo.Entitlements(peer.credentials, isSimulating: isSimulating)))
        }
        on(ReadersList.self) { _, _ in
            Reply(await coordinator.readers().map { ReadersList.Reader($0.entry, isInUse: $0.isInUse) })
        }
    }
}

extension ServerInfo.Entitlements {
    fileprivate init(_ credentials: PeerCredentials, isSimulating: Bool) {
        self.init(
            formats: ["NDEF"],
            capabilities: ["read", "write", "format", "raw"] + (credentials.mayLock ? ["lock"] : [])
                + (isSimulating ? ["simulate"] : []))
    }
}
