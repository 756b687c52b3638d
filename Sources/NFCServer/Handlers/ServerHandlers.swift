import NFCProtocol
import NFCReaders
import NFCSessions

extension MethodTable {
    /// `server.*` and `readers.*`.
    mutating func addServerMethods(_ coordinator: SessionCoordinator, isSimulating: Bool) {
        on(ServerInfo.self) { [access] _, peer in
            let readers = await coordinator.readers()
            let limits = await coordinator.limits
            return Reply(
                ServerInfo.Result(
                    name: "nfcd", version: NFCDVersion.release, protocolVersion: NFCDVersion.protocolVersion,
                    readingAvailable: readers.contains { $0.entry.failure == nil },
                    limits: ServerInfo.Limits(
                        sessionTimeout: limits.timeout / .seconds(1), lineLength: JSONLine.maximumLength,
                        sessionsPerClient: limits.sessionsPerClient),
                    entitlements: ServerInfo.Entitlements(
                        access.entitlements(of: peer.credentials.principal), isSimulating: isSimulating)))
        }
        on(ReadersList.self) { _, _ in
            Reply(await coordinator.readers().map { ReadersList.Reader($0.entry, isInUse: $0.isInUse) })
        }
    }
}
