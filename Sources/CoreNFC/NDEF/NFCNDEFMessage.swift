public import Foundation
import NDEF
import Synchronization

/// An NDEF message: a row of records (NFC Forum NDEF 1.0, §2.3).
///
/// Reading and writing its records is safe from any thread.
open class NFCNDEFMessage: NSObject, NSSecureCoding, @unchecked Sendable {
    // A subclass may add what is not safe; of this class only the records change, under their lock.
    private let list: Mutex<[NFCNDEFPayload]>

    /// The records in their order.
    open var records: [NFCNDEFPayload] {
        get { list.withLock { $0 } }
        set { list.withLock { $0 = newValue } }
    }

    /// The size in bytes of the message on a tag, every record whole and in its shortest form.
    open var length: Int { ndefMessage.encodedLength }

    /// A message of these records.
    public init(records: [NFCNDEFPayload]) {
        list = Mutex(records)
    }

    /// The message in these bytes; nil where they are not exactly one well-formed message.
    public convenience init?(data: Data) {
        guard let message = try? NDEFMessage(decoding: Array(data)) else { return nil }
        self.init(message)
    }

    /// A message of our NDEF library.
    convenience init(_ message: NDEFMessage) {
        self.init(records: message.records.map { NFCNDEFPayload($0) })
    }

    /// The message for our NDEF library. Whether it can be encoded is not checked.
    var ndefMessage: NDEFMessage { NDEFMessage(records: records.map(\.record)) }

    /// A message from an archive; nil if its records are missing or of another class.
    public required init?(coder: NSCoder) {
        let classes = [NSArray.self, NFCNDEFPayload.self]
        guard let records = coder.decodeObject(of: classes, forKey: Self.recordsKey) as? [NFCNDEFPayload] else {
            return nil
        }
        list = Mutex(records)
    }

    /// Puts the records into an archive.
    open func encode(with coder: NSCoder) {
        coder.encode(records as NSArray, forKey: Self.recordsKey)
    }

    /// True.
    open class var supportsSecureCoding: Bool { true }

    /// Assumed: which keys an iPhone writes is not known. An archive of an iPhone cannot be read here, nor the other way round.
    private static let recordsKey = "records"
}

extension NFCNDEFMessage {
    /// The message as it is on a tag; no bytes for one without records.
    ///
    /// - Throws: `NDEFError` where it cannot be encoded.
    package func encodedBytes() throws -> [UInt8] { try ndefMessage.encoded() }
}
