import NDEF
import NFCClient
import NFCProtocol

/// A tag that a session found. Everything it does goes to nfcd, in the order in which it was asked for; handlers run on the
/// session's queue, once each.
class LiveTag: NSObject, NFCNDEFTag, __NFCTag, @unchecked Sendable {
    let engine: SessionEngine
    /// The tag of the daemon's session.
    let remote: RemoteTag
    /// The polling that found it.
    let polling: Int

    required init(_ remote: RemoteTag, polling: Int, engine: SessionEngine) {
        self.engine = engine
        self.remote = remote
        self.polling = polling
        super.init()
    }

    /// The facts that were known when it was found.
    var facts: SessionDidDetectTags.Tag { remote.facts }
    /// Its name within the session.
    var name: String { remote.id }
    /// The UID, first byte first; of ISO/IEC 15693 with E0 first.
    var identifier: Data { Data(remote.identifier) }
    /// Of a type A card of ISO/IEC 14443-4.
    var historicalBytes: Data? { facts.historicalBytes.map { Data($0.bytes) } }

    var isAvailable: Bool { engine.isConnected(self) }
    var session: (any NFCReaderSessionProtocol)? { engine.owner }

    // MARK: Kinds

    var type: __NFCTagType { .miFare }
    func asNFCISO15693Tag() -> (any NFCISO15693Tag)? { self as? any NFCISO15693Tag }
    func asNFCISO7816Tag() -> (any NFCISO7816Tag)? { self as? any NFCISO7816Tag }
    func asNFCFeliCaTag() -> (any NFCFeliCaTag)? { self as? any NFCFeliCaTag }
    func asNFCMiFareTag() -> (any NFCMiFareTag)? { self as? any NFCMiFareTag }

    // MARK: Copying. The copy of a tag is the tag itself, and it cannot be archived.

    static var supportsSecureCoding: Bool { true }
    required init?(coder: NSCoder) { nil }
    func encode(with coder: NSCoder) {}
    func copy(with zone: NSZone?) -> Any { self }
}

extension LiveTag {
    /// A tag of a class for its kind.
    static func make(_ remote: RemoteTag, polling: Int, engine: SessionEngine) -> LiveTag {
        let kind: LiveTag.Type =
            switch remote.facts.type {
            case .iso7816: LiveISO7816Tag.self
            case .miFare: LiveMiFareTag.self
            case .feliCa: LiveFeliCaTag.self
            case .iso15693: LiveISO15693Tag.self
            case .unknown: LiveTag.self
            }
        return kind.init(remote, polling: polling, engine: engine)
    }

    /// The tag as a session for tags delivers it; nil for a kind that an iPhone does not have.
    var asNFCTag: NFCTag? {
        switch self {
        case let tag as LiveISO7816Tag: .iso7816(tag)
        case let tag as LiveMiFareTag: .miFare(tag)
        case let tag as LiveFeliCaTag: .feliCa(tag)
        case let tag as LiveISO15693Tag: .iso15693(tag)
        default: nil
        }
    }

    /// The tag in what a session for tags has delivered; nil for a double of a test.
    static func of(_ tag: NFCTag) -> LiveTag? {
        switch tag {
        case .feliCa(let tag): tag as? LiveTag
        case .iso7816(let tag): tag as? LiveTag
        case .iso15693(let tag): tag as? LiveTag
        case .miFare(let tag): tag as? LiveTag
        }
    }
}

// The NDEF commands of every tag.

extension LiveTag {
    @preconcurrency
    func queryNDEFStatus(completionHandler: @escaping @Sendable (NFCNDEFStatus, Int, (any Error)?) -> Void) {
        engine.perform(on: self) {
            try await $0.queryNDEFStatus()
        } completion: { result in
            switch result {
            case .success(let found): completionHandler(NFCNDEFStatus(found.status), found.capacity, nil)
            case .failure(let error): completionHandler(.notSupported, 0, error)
            }
        }
    }

    @preconcurrency
    func readNDEF(completionHandler: @escaping @Sendable (NFCNDEFMessage?, (any Error)?) -> Void) {
        engine.perform(on: self) {
            try await $0.readNDEF()
        } completion: { result in
            switch result {
            case .success(let read): completionHandler(NFCNDEFMessage(read.message), nil)
            case .failure(let error): completionHandler(nil, error)
            }
        }
    }

    @preconcurrency
    func writeNDEF(_ ndefMessage: NFCNDEFMessage, completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        let message = ndefMessage.ndefMessage
        engine.perform(on: self) {
            try await $0.writeNDEF(message)
        } completion: {
            completionHandler($0.failure)
        }
    }

    @preconcurrency
    func writeLock(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        engine.perform(on: self) {
            try await $0.writeLock()
        } completion: {
            completionHandler($0.failure)
        }
    }
}

extension NFCNDEFStatus {
    fileprivate init(_ status: NDEFStatus) {
        self =
            switch status {
            case .notSupported: .notSupported
            case .readWrite: .readWrite
            case .readOnly: .readOnly
            }
    }
}

extension LiveTag {
    /// The handler of a command APDU: data, SW1, SW2; no data and zeros with an error.
    typealias APDUHandler = @Sendable (Data, UInt8, UInt8, (any Error)?) -> Void

    /// Sends a command APDU with one of the commands for it.
    func send(
        _ apdu: NFCISO7816APDU,
        with command: @escaping @Sendable (RemoteTag, [UInt8]) async throws -> ISO7816SendCommand.Result,
        _ handler: @escaping APDUHandler
    ) {
        let encoded: [UInt8]
        do throws(NFCReaderError) {
            encoded = try apdu.encoded()
        } catch {
            return engine.refuse(error) { handler(Data(), 0, 0, $0) }
        }
        engine.perform(on: self) {
            try await command($0, encoded)
        } completion: { result in
            switch result {
            case .success(let response): handler(Data(response.data.bytes), response.sw1, response.sw2, nil)
            case .failure(let error): handler(Data(), 0, 0, error)
            }
        }
    }
}
