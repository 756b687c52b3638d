/// The URL of a tag with secure dynamic messaging, with a placeholder for each thing that the tag writes into it at a tap.
///
/// | Placeholder | Characters | Meaning |
/// |---|---|---|
/// | `{picc}` | 32, in LRP mode 48 | UID and counter, encrypted |
/// | `{uid}`, `{ctr}` | 14, 6 | UID and counter in clear |
/// | `{enc:N}` | N, a multiple of 32 | encrypted file data; `{enc:N:tt}` if it begins with the tamper status |
/// | `{tt}` | 2 | the tamper status in clear |
/// | `{mac}` | 16 | the code |
/// | `{from}` | 0 | where the input of the code begins; by default at `{enc}` or `{tt}`, or at the code if there is neither |
public struct SUNTemplate: Sendable, Equatable, CustomStringConvertible {
    enum Field: Sendable, Hashable {
        case uid, counter, piccData, encryptedData, tamper, code
    }

    enum Part: Sendable, Equatable {
        case text([UInt8])
        case field(Field, length: Int)
    }

    /// Bytes of file 2 of an NTAG 424 DNA.
    public static let fileSize = 256

    /// The template as text.
    public let description: String
    /// Whether the tag is in LRP mode.
    public let isLRP: Bool
    /// Whether the encrypted file data begins with the tamper status.
    let hasHiddenTamper: Bool
    /// What follows the prefix of the URI, in order.
    let parts: [Part]
    /// The prefix code of the URI record, and its text.
    let prefix: WebPrefix
    /// The index, in ``parts``, of the first one of the code's input.
    let firstOfInput: Int
    /// Bytes of the file before ``parts``.
    private let start: Int

    /// A template.
    ///
    /// - Parameters:
    ///   - text: a URL of printable ASCII with placeholders.
    ///   - isLRP: whether the tag is in LRP mode.
    ///   - abbreviates: whether `https://` and its like become a prefix code; Bolt Cards write the scheme out.
    ///   - fileSize: bytes of the file.
    /// - Throws: ``SecureTagError/invalidSettings(_:)`` with the reason, also if messages of the template would prove nothing.
    public init(
        _ text: String, isLRP: Bool = false, abbreviates: Bool = true, fileSize: Int = Self.fileSize
    ) throws(SecureTagError) {
        var reader = TemplateReader(text: Array(text.utf8), isLRP: isLRP)
        try reader.read()
        prefix = abbreviates ? reader.takePrefix() : .none
        parts = reader.parts
        hasHiddenTamper = reader.hasHiddenTamper
        firstOfInput = try reader.firstOfInput()
        self.isLRP = isLRP
        description = text
        let payload = 1 + parts.reduce(0) { $0 + $1.length }
        // NLEN 2, record header 4 (7 if the payload has more than 255 bytes), prefix code 1.
        start = payload > 255 ? 10 : 7
        guard start - 1 + payload <= min(fileSize, 0x7FFF) else {
            throw .invalidSettings(
                "the text needs \(start - 1 + payload) bytes of a file of \(fileSize). Shorten the URL.")
        }
    }

    // MARK: Places in the file

    /// The place of a placeholder in the file, counted from its first byte; nil if the template does not have it.
    func offset(of field: Field) -> Int? {
        parts.firstIndex { $0.isField(field) }.map(offset(ofPart:))
    }

    /// Whether the tag writes the state of its tamper loop into the URL.
    package var showsTamper: Bool { hasHiddenTamper || has(.tamper) }

    func has(_ field: Field) -> Bool { parts.contains { $0.isField(field) } }

    private func offset(ofPart index: Int) -> Int { parts[..<index].reduce(start) { $0 + $1.length } }

    /// The content of the file: NLEN, and a URI record with zeros as placeholders.
    public var file: [UInt8] {
        let payload = [prefix.code] + parts.flatMap(\.placeholder)
        let isShort = payload.count <= 255
        let header: [UInt8] =
            isShort
            ? [0xD1, 0x01, UInt8(payload.count), 0x55]
            : [0xC1, 0x01, 0, 0, UInt8(payload.count >> 8 & 0xFF), UInt8(payload.count & 0xFF), 0x55]
        let length = header.count + payload.count
        return [UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF)] + header + payload
    }

    /// The settings of secure dynamic messaging that fit the file.
    ///
    /// - Parameters:
    ///   - metaReadKey: the number of the key for `{picc}`; not used with `{uid}` and `{ctr}`.
    ///   - fileReadKey: the number of the key for the code.
    ///   - counterRetrieval: who may read the counter with a command.
    public func settings(
        metaReadKey: UInt8, fileReadKey: UInt8, counterRetrieval: AccessCondition = .never
    ) -> SDMSettings {
        var settings = SDMSettings(
            metaRead: has(.piccData) ? .key(metaReadKey) : .free, fileRead: .key(fileReadKey),
            counterRetrieval: counterRetrieval)
        settings.uidOffset = offset(of: .uid)
        settings.counterOffset = offset(of: .counter)
        settings.piccDataOffset = offset(of: .piccData)
        settings.macInputOffset = offset(ofPart: firstOfInput)
        settings.macOffset = offset(of: .code)
        settings.tamperOffset = hasHiddenTamper ? offset(of: .encryptedData) : offset(of: .tamper)
        for case .field(.encryptedData, let length) in parts {
            settings.encryption = offset(of: .encryptedData).map { .init(offset: $0, length: length) }
        }
        return settings
    }
}

extension SUNTemplate.Part {
    var length: Int {
        switch self {
        case .text(let bytes): bytes.count
        case .field(_, let length): length
        }
    }

    fileprivate var placeholder: [UInt8] {
        switch self {
        case .text(let bytes): bytes
        case .field(_, let length): [UInt8](repeating: UInt8(ascii: "0"), count: length)
        }
    }

    func isField(_ field: SUNTemplate.Field) -> Bool {
        if case .field(field, _) = self { true } else { false }
    }
}

/// The abbreviated beginnings of a URI that a web address has (NFC Forum URI record, §3.2.2).
enum WebPrefix: String, Sendable, CaseIterable {
    case httpsWWW = "https://www."
    case httpWWW = "http://www."
    case https = "https://"
    case http = "http://"
    case none = ""

    var code: UInt8 {
        switch self {
        case .none: 0
        case .httpWWW: 1
        case .httpsWWW: 2
        case .http: 3
        case .https: 4
        }
    }
}
