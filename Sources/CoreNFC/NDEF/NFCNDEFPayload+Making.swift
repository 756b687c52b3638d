import Foundation
import NDEF

extension NFCNDEFPayload {
    /// A record made by the class that is asked, which may be a subclass.
    ///
    /// `init?(coder:)` is the one initializer that every subclass has.
    static func making(_ make: () throws(NDEFPayloadError) -> NDEFRecord) -> Self? {
        guard let record = try? make() else { return nil }
        return Self(coder: RecordCarrier(record))
    }
}

/// Carries one record to ``NFCNDEFPayload/init(coder:)`` without an archive.
final class RecordCarrier: NSCoder {
    let record: NDEFRecord

    init(_ record: NDEFRecord) {
        self.record = record
    }

    override var allowsKeyedCoding: Bool { true }
    // A subclass that looks for fields of its own finds none.
    override func containsValue(forKey key: String) -> Bool { false }
}
