import Foundation
import NDEF

/// The fields of a record as clients see them: reading a byte of `Data` copies nothing.
struct PayloadFields: Sendable {
    /// Of our library, which knows the reserved value, too.
    var format: TypeNameFormat
    var type: Data
    var identifier: Data
    var payload: Data

    init(format: TypeNameFormat, type: Data, identifier: Data, payload: Data) {
        self.format = format
        (self.type, self.identifier, self.payload) = (type.fromZero, identifier.fromZero, payload.fromZero)
    }

    init(_ record: NDEFRecord) {
        self.init(
            format: record.typeNameFormat, type: Data(record.type), identifier: Data(record.identifier),
            payload: Data(record.payload))
    }

    /// The record for our NDEF library.
    var record: NDEFRecord {
        NDEFRecord(
            typeNameFormat: format, type: Array(type), identifier: Array(identifier), payload: Array(payload))
    }

    /// The payload in a form, where the record is of that well-known type and well formed.
    func wellKnown<Form: NDEFTypedPayload>(_ form: Form.Type) -> Form? {
        let isOfType = form.recordTypes.contains { $0.typeNameFormat == format && type.elementsEqual($0.type) }
        return isOfType ? try? form.init(payload: Array(payload)) : nil
    }
}

extension TypeNameFormat {
    init(_ format: NFCTypeNameFormat) {
        // The library has a case for every value of the field.
        self = TypeNameFormat(rawValue: format.rawValue) ?? .unknown
    }
}

extension NFCTypeNameFormat {
    /// The format; `reserved` is to be treated as `unknown` (NFC Forum NDEF 1.0, §3.2.6).
    init(_ format: TypeNameFormat) {
        self = NFCTypeNameFormat(rawValue: format.rawValue) ?? .unknown
    }
}
