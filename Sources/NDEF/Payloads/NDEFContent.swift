/// What a record says, in fields: one conforming type per form of record.
///
/// Its `Codable` form holds the fields of the `decoded` object of a record's JSON form, without `kind`; they are enough to
/// make the record again. Its description tells what it holds on one line, with everything escaped that could drive a
/// terminal.
public protocol NDEFContent: Codable, Hashable, Sendable, CustomStringConvertible {
    /// The name in the JSON form, such as `uri`.
    static var kind: String { get }

    /// The record that says this, in its canonical form.
    ///
    /// - Parameter identifier: the ID field; empty for none.
    func record(identifier: [UInt8]) -> NDEFRecord
}

extension NDEFRecord {
    /// A record that says this.
    ///
    /// - Parameters:
    ///   - content: what the record is to say.
    ///   - identifier: the ID field; empty for none.
    public init(_ content: some NDEFContent, identifier: [UInt8] = []) {
        self = content.record(identifier: identifier)
    }
}
