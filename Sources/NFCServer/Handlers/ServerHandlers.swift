import NFCProtocol
import NFCReaders
import NFCSessions

extension MethodTable {
    /// `server.*` and `readers.*`.
    mutating func addServerMethods(
        _ coordinator: SessionCoordinator, limits: SessionLimits, entitlements: ServerInfo.Entitlements
    ) {
        on(ServerInfo.self) { _, _ in
            let readers = await coordinator.readers()
            return Reply(
                ServerInfo.Result(
                    name: "nfcd", version: NFCDVersion.release, protocolVersion: NFCDVersion.protocolVersion,
                    readingAvailable: readers.contains { $0.entry.failure == nil },
                    limits: ServerInfo.Limits(
                        sessionTimeout: limits.timeout / .seconds(1), lineLength: JSONLine.maximumLength,
                        sessionsPerClient: limits.sessionsPerClient),
                    entitlements: entitlements))
        }
        on(ReadersList.self) { _, _ in
            Reply(await coordinator.readers().map { ReadersList.Reader($0.entry, isInUse: $0.isInUse) })
        }
    }
}
