import Foundation
import NDEF

extension PayloadFields {
    private enum Key {
        static let format = "typeNameFormat"
        static let type = "type"
        static let identifier = "identifier"
        static let payload = "payload"
    }

    /// The fields in an archive; nil where one is missing or is none.
    init?(coder: NSCoder) {
        if let carrier = coder as? RecordCarrier {
            self.init(carrier.record)
            return
        }
        guard coder.containsValue(forKey: Key.format),
            let format = UInt8(exactly: coder.decodeInteger(forKey: Key.format)).flatMap(
                TypeNameFormat.init(rawValue:)),
            let type = coder.decodeObject(of: NSData.self, forKey: Key.type),
            let identifier = coder.decodeObject(of: NSData.self, forKey: Key.identifier),
            let payload = coder.decodeObject(of: NSData.self, forKey: Key.payload)
        else { return nil }
        self.init(
            format: format, type: Data(referencing: type), identifier: Data(referencing: identifier),
            payload: Data(referencing: payload))
    }

    /// Puts the fields into an archive.
    func encode(with coder: NSCoder) {
        coder.encode(Int(format.rawValue), forKey: Key.format)
        coder.encode(type as NSData, forKey: Key.type)
        coder.encode(identifier as NSData, forKey: Key.identifier)
        coder.encode(payload as NSData, forKey: Key.payload)
    }
}
