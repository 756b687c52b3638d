import NDEF
public import NFCReaders
import NFCTags

/// The taps that a background subscription wants. All fields that are set have to match, those about a record on the same
/// record. Without any, every tap matches, also of a tag without a message.
public struct BackgroundFilter: Sendable, Hashable {
    /// The prefix of the record's URI, compared exactly.
    public var uriPrefix: String?
    /// The schemes of the URIs that the client may receive, beside http, https and the one that `uriPrefix` spells out; `*` is every
    /// scheme.
    public var uriSchemes: [String] = []
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
    /// Whether only tags match that have proven themselves.
    public var requiresProof = false

    /// Makes a filter that matches every tap until fields are set.
    public init() {}

    /// Whether taps on this reader can match at all.
    public func matches(_ reader: ReaderDescription) -> Bool {
        self.reader.map { reader.matches($0) } ?? true
    }

    /// The tap with what matched in it; nil where it does not match.
    ///
    /// A program opens the URI that it receives: it is the one of the record that was compared, never that of another record.
    func matched(_ tap: BackgroundTap) -> BackgroundTap? {
        guard matches(tap.reader), identifier == nil || identifier == tap.identity?.identifier,
            !requiresProof || tap.reading.isProven
        else { return nil }
        let records = tap.reading.messages.flatMap(\.records)
        var matched = tap
        guard isAboutRecords else {
            matched.uri = records.lazy.compactMap { deliverableURI(of: $0) }.first
            return matched
        }
        let places = records.indices.filter { matches(records[$0]) }
        guard let first = places.first else { return nil }
        // Of several that match, the one with a URI that the client may receive.
        let place = places.first { deliverableURI(of: records[$0]) != nil } ?? first
        (matched.record, matched.uri) = (place, deliverableURI(of: records[place]))
        return matched
    }

    /// The URI of a record, if its scheme is one that the client asked for.
    private func deliverableURI(of record: NDEFRecord) -> String? {
        record.decoded.uri.flatMap { uri in
            uriSchemes.contains("*") || uri.hasScheme(among: schemes) ? uri : nil
        }
    }

    private var schemes: Set<String> {
        let spelled = uriPrefix.flatMap { prefix in prefix.firstIndex(of: ":").map { String(prefix[..<$0]) } }
        return Set((uriSchemes + [spelled].compactMap { $0 }).map { $0.lowercased() } + ["http", "https"])
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
        guard let uri = deliverableURI(of: record), uri.isReadAlikeByAll else { return false }
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

    /// Whether every program finds the same host and path in a URI. Browsers take `\` for `/`, drop tabs and line ends, and resolve
    /// `..`: what is opened is then something else than what was compared.
    var isReadAlikeByAll: Bool {
        let isPlain = unicodeScalars.allSatisfy { scalar in
            scalar != "\\" && !scalar.properties.isWhitespace && scalar.properties.generalCategory != .control
        }
        let path = prefix { $0 != "?" && $0 != "#" }
        let segments = path.split(separator: "/").map { $0.lowercased().replacing("%2e", with: ".") }
        return isPlain && !segments.contains(".") && !segments.contains("..")
    }

    /// The host of a URI, an address of version 6 with its brackets (RFC 3986, 3.2.2); nil if there is none.
    package var uriHost: String? {
        guard let scheme = firstIndex(of: ":") else { return nil }
        let rest = self[index(after: scheme)...]
        guard rest.hasPrefix("//") else { return nil }
        let authority = rest.dropFirst(2).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        if host.first == "[" { return host.firstIndex(of: "]").map { String(host[...$0]) } }
        return String(host.prefix { $0 != ":" })
    }
}
