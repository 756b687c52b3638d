import NFCClient
import NFCProtocol
import Synchronization

/// A FeliCa card.
final class LiveFeliCaTag: LiveTag, NFCFeliCaTag, @unchecked Sendable {
    struct System: Sendable {
        var code: Data
        /// The IDm with which the system answered last.
        var identifier: Data
    }

    let system: Mutex<System>

    required init(_ facts: SessionDidDetectTags.Tag, polling: Int, engine: SessionEngine) {
        system = Mutex(
            System(
                code: Data(facts.currentSystemCode?.bytes ?? []),
                identifier: Data((facts.currentIDm ?? facts.identifier).bytes)))
        super.init(facts, polling: polling, engine: engine)
    }

    required init?(coder: NSCoder) { nil }

    override var type: __NFCTagType { .feliCa }
    var currentSystemCode: Data { system.withLock { $0.code } }
    var currentIDm: Data { system.withLock { $0.identifier } }

    /// Sends a packet that is built when its turn has come, by the IDm of that time, and reads what comes back.
    func exchange<Value: Sendable>(
        _ packet: @escaping @Sendable (_ identifier: Data) throws(NFCReaderError) -> FeliCaPacket,
        read: @escaping @Sendable (inout FeliCaAnswer) throws(NFCReaderError) -> Value,
        completion: @escaping @Sendable (Result<Value, NFCReaderError>) -> Void
    ) {
        let name = name
        engine.perform(on: self) { [self] client, session in
            let packet = try packet(currentIDm)
            let parameters = FeliCaSendCommand.Parameters(
                session: session, tag: name, packet: HexBytes(try packet.checked()))
            let answer = try await client.call(FeliCaSendCommand.self, parameters)
            var reading = try FeliCaAnswer(answer.data.bytes, to: packet)
            return try read(&reading)
        } completion: {
            completion($0)
        }
    }
}
