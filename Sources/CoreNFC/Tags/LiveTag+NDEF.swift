import NDEF
import NFCProtocol

// What every tag can do with messages.

extension LiveTag {
    @preconcurrency
    func queryNDEFStatus(completionHandler: @escaping @Sendable (NFCNDEFStatus, Int, (any Error)?) -> Void) {
        ask(TagQueryNDEFStatus.self, TagParameters.init) { result in
            switch result {
            case .success(let found): completionHandler(NFCNDEFStatus(found.status), found.capacity, nil)
            case .failure(let error): completionHandler(.notSupported, 0, error)
            }
        }
    }

    @preconcurrency
    func readNDEF(completionHandler: @escaping @Sendable (NFCNDEFMessage?, (any Error)?) -> Void) {
        ask(TagReadNDEF<NDEF.NDEFMessage>.self, TagParameters.init) { result in
            switch result {
            case .success(let read): completionHandler(NFCNDEFMessage(read.message), nil)
            case .failure(let error): completionHandler(nil, error)
            }
        }
    }

    @preconcurrency
    func writeNDEF(_ ndefMessage: NFCNDEFMessage, completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        let message = ndefMessage.ndefMessage
        ask(TagWriteNDEF<NDEF.NDEFMessage>.self) {
            TagWriteNDEF<NDEF.NDEFMessage>.Parameters(session: $0, tag: $1, message: message)
        } completion: {
            completionHandler($0.failure)
        }
    }

    @preconcurrency
    func writeLock(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        ask(TagWriteLock.self, TagParameters.init) { completionHandler($0.failure) }
    }
}

extension NFCNDEFStatus {
    fileprivate init(_ status: TagQueryNDEFStatus.Status) {
        self =
            switch status {
            case .notSupported: .notSupported
            case .readWrite: .readWrite
            case .readOnly: .readOnly
            }
    }
}
