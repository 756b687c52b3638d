import NDEF
public import NFCReaders
import NFCTags

/// The taps that a background subscription wants. All fields that are set have to match, those about a record on the same
/// record. Without any, every tap matches, also of a tag without a message.
public struct BackgroundFilter: Sendable, Hashable {
    /// The prefix of the record's URI, compared exactly.
    public var uriPrefix: String?
    /// The host of the record's URI; case is ignored.
    public var uriHost: String?
    /// The record's media type; case and parameters are ignored.
    public var mimeType: String?
    /// The record's external type, such as `example.com:door`; case is ignored (NFC Forum RTD 1.0, 3.3).
    public var externalType: String?
    /// The kind of the record: the `kind` of its JSON form.
    public var kind: String?
    /// The UID of the tag.
    public var identifier: [UInt8]?
    /// The reader, by id or name.
    public var reader: String?

    /// Makes a filter that matches every tap until fields are set.
    public init() {}

    /// Whether taps on this reader can match at all.
    public func matches(_ reader: ReaderDescription) -> Bool {
        self.reader.map { reader.matches($0) } ?? true
    }

    /// Whether a tap matches.
    public func matches(_ tap: BackgroundTap) -> Bool {
        guard matches(tap.reader), identifier == nil || identifier == tap.identity?.identifier else { return false }
        return !isAboutRecords || tap.reading.messages.contains { $0.records.contains(where: matches) }
    }

    private var isAboutRecords: Bool {
        uriPrefix != nil || uriHost != nil || mimeType != nil || externalType != nil || kind != nil
    }

    private func matches(_ record: NDEFRecord) -> Bool {
        matchesType(record) && matchesURI(record)
            && (kind == nil || kind == record.decoded.content.map { type(of: $0).kind })
    }

    private func matchesType(_ record: NDEFRecord) -> Bool {
        let type = record.typeText
        if let mimeType, record.typeNameFormat != .media || mimeType.mediaEssence != type.mediaEssence { return false }
        if let externalType, record.typeNameFormat != .nfcExternal || externalType.lowercased() != type.lowercased() {
            return false
        }
        return true
    }

    private func matchesURI(_ record: NDEFRecord) -> Bool {
        guard uriPrefix != nil || uriHost != nil else { return true }
        guard let uri = record.decoded.uri else { return false }
        if let uriPrefix, !uri.utf8.starts(with: uriPrefix.utf8) { return false }
        return uriHost == nil || uriHost?.lowercased() == uri.uriHost?.lowercased()
    }
}

// The parts of a record that filters compare.

extension NDEFRecord {
    /// The type as text.
    var typeText: String { String(decoding: type, as: UTF8.self) }
}

extension String {
    /// A media type in lower case and without its parameters (RFC 2045, 5.1).
    var mediaEssence: String {
        let essence = prefix { $0 != ";" }
        let end = essence.lastIndex { $0 != " " && $0 != "\t" }
        return end.map { essence[...$0].drop { $0 == " " || $0 == "\t" }.lowercased() } ?? ""
    }

    /// The host of a URI, an address of version 6 with its brackets (RFC 3986, 3.2.2); nil where there is none.
    var uriHost: String? {
        guard let scheme = firstIndex(of: ":") else { return nil }
        let rest = self[index(after: scheme)...]
        guard rest.hasPrefix("//") else { return nil }
        let authority = rest.dropFirst(2).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        if host.first == "[" { return host.firstIndex(of: "]").map { String(host[...$0]) } }
        return String(host.prefix { $0 != ":" })
    }
}
