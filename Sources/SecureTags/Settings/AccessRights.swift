/// Who may do something with a file: a nibble of the access rights.
public enum AccessCondition: Sendable, Hashable, CustomStringConvertible {
    /// The holder of an application key, by its number: 0 to 13.
    case key(UInt8)
    /// Everyone.
    case free
    /// No one.
    case never

    /// The condition of the low four bits of a byte.
    public init(nibble: UInt8) {
        switch nibble & 0x0F {
        case 0x0E: self = .free
        case 0x0F: self = .never
        case let number: self = .key(number)
        }
    }

    /// The four bits. Of a key number above 13, which does not exist, only the low four bits are taken.
    public var nibble: UInt8 {
        switch self {
        case .key(let number): number & 0x0F
        case .free: 0x0E
        case .never: 0x0F
        }
    }

    /// Whether it is a key, and which.
    var keyNumber: UInt8? {
        if case .key(let number) = self { number } else { nil }
    }

    /// The hexadecimal digit.
    public var description: String { String(nibble, radix: 16) }
}

/// The access rights of a file: two bytes, ReadWrite ‖ Change and Read ‖ Write (NT4H2421Gx, §8.2.3.3).
public struct AccessRights: Sendable, Hashable {
    /// Who may read.
    public var read: AccessCondition
    /// Who may write.
    public var write: AccessCondition
    /// Who may do both.
    public var readWrite: AccessCondition
    /// Who may change the settings.
    public var change: AccessCondition

    /// Rights of four conditions.
    public init(read: AccessCondition, write: AccessCondition, readWrite: AccessCondition, change: AccessCondition) {
        self.read = read
        self.write = write
        self.readWrite = readWrite
        self.change = change
    }

    init(first: UInt8, second: UInt8) {
        self.init(
            read: AccessCondition(nibble: second >> 4), write: AccessCondition(nibble: second),
            readWrite: AccessCondition(nibble: first >> 4), change: AccessCondition(nibble: first))
    }

    /// The two bytes.
    public var bytes: [UInt8] { [readWrite.nibble << 4 | change.nibble, read.nibble << 4 | write.nibble] }

    var all: [AccessCondition] { [read, write, readWrite, change] }
}
