/// Why a file is no dump that can be used.
public struct DumpError: Error, Sendable, Hashable {
    /// What is wrong.
    public enum Reason: Sendable, Hashable {
        /// The file is larger than ``TagImage/largestFile``.
        case tooLarge(Int)
        /// None of the formats is recognised.
        case unknownFormat
        /// The format is known, but not this kind of tag or version of it.
        case unsupported(String)
        /// A field that has to be there is not.
        case missing
        /// A field is there twice.
        case repeated
        /// The value is not what the field holds.
        case invalid(String)
        /// The image has holes, so no tag can be made of it.
        case incomplete
        /// The memory says something else than the field.
        case contradiction(String)
        /// No tag can be made of the image for another reason.
        case tag(VirtualTagError)
    }

    /// What is wrong.
    public let reason: Reason
    /// The line, counted from 1, where the file has lines.
    public let line: Int?
    /// The field.
    public let field: String?

    /// A tag that a dump has no room for, in words.
    public init(unsupported what: String) {
        self.init(.unsupported(what))
    }

    init(_ reason: Reason, line: Int? = nil, field: String? = nil) {
        self.reason = reason
        self.line = line
        self.field = field
    }
}

extension DumpError: CustomStringConvertible {
    /// Line, field and reason.
    public var description: String {
        let place = (line.map { "line \($0): " } ?? "") + (field.map { "\($0): " } ?? "")
        return place + reason.text
    }
}

extension DumpError.Reason {
    fileprivate var text: String {
        switch self {
        case .tooLarge(let size): "the file has \(size) bytes, at most \(TagImage.largestFile) are read"
        case .unknownFormat: "this is no dump file of a known format"
        case .unsupported(let what): "\(what) is not supported"
        case .missing: "the field is missing"
        case .repeated: "the field is there twice"
        case .invalid(let value): "\"\(value.prefix(40))\" is not a value for this field"
        case .incomplete: "these bytes are not known, so no tag can be made"
        case .contradiction(let value): "the memory has \(value) in its place"
        case .tag(let error): "\(error)"
        }
    }
}
