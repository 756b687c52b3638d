/// A data item of CBOR (RFC 8949) in a section of OpenPrintTag.
///
/// Only as much of an item is kept as OpenPrintTag's fields need; the bytes of every item stay where they were read.
indirect enum SectionItem: Sendable {
    case unsigned(UInt64)
    /// −1 − n.
    case negative(UInt64)
    case bytes([UInt8])
    /// The bytes of a text, which may not be UTF-8.
    case text([UInt8])
    case array([SectionItem])
    /// A map; what is in it is not kept.
    case map
    /// An item with a tag, neither of which is kept.
    case tagged
    case float(Double)
    /// True, false, null and the like, by number.
    case simple(UInt8)
}

/// Why bytes are not an item of CBOR that is read here.
enum CBORFault: String, Error, Hashable, Sendable {
    /// The bytes end before the item does.
    case truncated
    /// A byte that starts no item, or is not allowed where it is.
    case malformed
    /// More than ``SectionItemReader/maximumDepth`` items are within one another.
    case tooDeep
}

/// Reads items of CBOR, of any encoding that RFC 8949 calls well-formed, shortest or not.
struct SectionItemReader {
    /// The number of items that may be within one another, the outermost included.
    static let maximumDepth = 8

    private var reader: ByteReader

    init(_ bytes: ArraySlice<UInt8>) {
        reader = ByteReader(bytes)
    }

    /// Where the next item starts, as an index of the bytes given.
    var position: Int { reader.rest.startIndex }

    /// The next item, which is within `depth` others.
    mutating func value(depth: Int = 0) throws(CBORFault) -> SectionItem {
        guard depth < Self.maximumDepth else { throw .tooDeep }
        let head = try head()
        switch head.major {
        case .unsigned: return .unsigned(try head.number)
        case .negative: return .negative(try head.number)
        case .bytes: return .bytes(try string(head))
        case .text: return .text(try string(head))
        case .array: return .array(try items(count: head.argument, depth: depth))
        case .map:
            try skipPairs(count: head.argument, depth: depth)
            return .map
        case .tag:
            _ = try head.number
            _ = try value(depth: depth + 1)
            return .tagged
        case .simple: return try simple(head)
        }
    }

    /// Takes the head of a map.
    ///
    /// - Returns: the number of pairs; nil where a break ends them.
    mutating func mapHead() throws(CBORFault) -> UInt64? {
        let head = try head()
        guard head.major == .map else { throw .malformed }
        return head.argument
    }

    /// Takes the break that ends items without a number of them, if it is the next byte.
    mutating func takeBreak() -> Bool {
        guard reader.rest.first == CBORHead.breakByte else { return false }
        _ = reader.uint8()
        return true
    }
}

extension SectionItemReader {
    private mutating func head() throws(CBORFault) -> CBORHead {
        guard let first = reader.uint8() else { throw .truncated }
        guard let major = CBORHead.Major(rawValue: first >> 5) else { throw .malformed }
        switch first & 0x1F {
        case let small where small < 24: return CBORHead(major: major, argument: UInt64(small), width: 0)
        case let size where size < 28:
            let width = 1 << Int(size - 24)
            guard let bytes = reader.bytes(width) else { throw .truncated }
            return CBORHead(major: major, argument: bytes.reduce(0) { $0 << 8 | UInt64($1) }, width: width)
        case 31 where major.mayBeIndefinite: return CBORHead(major: major, argument: nil, width: 0)
        default: throw .malformed
        }
    }

    private mutating func string(_ head: CBORHead) throws(CBORFault) -> [UInt8] {
        if head.argument != nil { return try chunk(head) }
        var bytes: [UInt8] = []
        while !takeBreak() {
            let next = try self.head()
            guard next.major == head.major else { throw .malformed }
            bytes += try chunk(next)
        }
        return bytes
    }

    private mutating func chunk(_ head: CBORHead) throws(CBORFault) -> [UInt8] {
        guard let bytes = reader.bytes(Int(clamping: try head.number)) else { throw .truncated }
        return Array(bytes)
    }

    private mutating func items(count: UInt64?, depth: Int) throws(CBORFault) -> [SectionItem] {
        guard let count else {
            var items: [SectionItem] = []
            while !takeBreak() { items.append(try value(depth: depth + 1)) }
            return items
        }
        // Each item has a byte at least.
        guard count <= reader.remaining else { throw .truncated }
        var items: [SectionItem] = []
        for _ in 0..<count { items.append(try value(depth: depth + 1)) }
        return items
    }

    private mutating func skipPairs(count: UInt64?, depth: Int) throws(CBORFault) {
        var left = count
        while true {
            if let left, left == 0 { return }
            if left == nil, takeBreak() { return }
            _ = try value(depth: depth + 1)
            _ = try value(depth: depth + 1)
            left = left.map { $0 - 1 }
        }
    }

    private func simple(_ head: CBORHead) throws(CBORFault) -> SectionItem {
        let bits = try head.number
        switch head.width {
        case 0: return .simple(UInt8(truncatingIfNeeded: bits))
        case 1 where bits >= 32: return .simple(UInt8(truncatingIfNeeded: bits))
        case 2: return .float(Double(Float16(bitPattern: UInt16(truncatingIfNeeded: bits))))
        case 4: return .float(Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))))
        case 8: return .float(Double(bitPattern: bits))
        default: throw .malformed
        }
    }
}

/// The head of an item: its major type, and the number that follows.
private struct CBORHead {
    enum Major: UInt8 {
        case unsigned, negative, bytes, text, array, map, tag, simple

        /// Whether a break may end such an item.
        var mayBeIndefinite: Bool { [.bytes, .text, .array, .map].contains(self) }
    }

    static let breakByte: UInt8 = 0xFF

    let major: Major
    /// The number; nil where a break ends the item.
    let argument: UInt64?
    /// The bytes that the number has behind the first one.
    let width: Int

    /// The number of an item that has one.
    var number: UInt64 {
        get throws(CBORFault) {
            guard let argument else { throw .malformed }
            return argument
        }
    }
}
