import Logging
import NFCClient
import NFCProtocol
import ServiceClient
import ServiceSupport
import Threading

/// Follows the taps of nfcd, and gives each reader its ``ReaderBridge``.
struct KeyService: Service {
    let configuration: FIDOConfiguration
    let maker: any HIDDeviceMaker
    let link: DaemonLink
    let time: ServiceTime
    let logger: Logger

    func run(until stop: StopSignal) async {
        await stop.cancelling { await follow() }
    }

    private func follow() async {
        await withDiscardingTaskGroup { group in
            var bridges: [ReaderBridge.Reader: ReaderBridge] = [:]
            await link.forEachConnection { client in
                do {
                    try await follow(client, &bridges, &group)
                } catch let error as NFCClientError {
                    note(error)
                    throw error
                }
            }
        }
    }

    /// Follows one connection until it ends.
    private func follow(
        _ client: NFCClient, _ bridges: inout [ReaderBridge.Reader: ReaderBridge], _ group: inout DiscardingTaskGroup
    ) async throws {
        let observation = try await client.observeEvents()
        try await observation.includeTaps()
        link.noteRefusal(nil)
        logger.info("waiting for security keys")
        let isPermanent = configuration.device == .always
        for reader in isPermanent ? try await client.call(ReadersList.self) : [] {
            _ = bridge(reader.reader, reader.name, &bridges, &group)
        }
        for try await event in observation {
            switch event {
            case .didReadTag(let tap) where tap.tag.type == .iso7816:
                bridge(tap.reader, tap.readerName, &bridges, &group)?.tapped(client)
            case .readerAttached(let reader) where isPermanent:
                _ = bridge(reader.reader, reader.name, &bridges, &group)
            default: break
            }
        }
    }

    /// The bridge of a reader; nil where the configuration leaves the reader out.
    private func bridge(
        _ id: String, _ name: String, _ bridges: inout [ReaderBridge.Reader: ReaderBridge],
        _ group: inout DiscardingTaskGroup
    ) -> ReaderBridge? {
        let reader = ReaderBridge.Reader(id: id, name: name)
        guard configuration.uses(reader: id, name: name) else { return nil }
        if let known = bridges[reader] { return known }
        let bridge = ReaderBridge(
            reader, configuration.keySettings, maker: maker, notices: CardNotices(link, reader: name), time: time,
            logger: logger)
        bridges[reader] = bridge
        group.addTask { await bridge.run() }
        return bridge
    }

    /// Reports that nfcd does not grant what the service needs.
    private func note(_ error: NFCClientError) {
        guard case .refused = error else { return }
        link.noteRefusal("\(error)")
        logger.error("\(error). Set user in section [fido] of nfcd.toml to the user of this service.")
    }
}
