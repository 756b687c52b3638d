/// How the value of one data type is read from, and written to, the content of its structure.
///
/// `read` gives nil unless writing the value gives the same content again.
struct BluetoothDataField<Value: Equatable & Sendable>: Sendable {
    let type: UInt8
    let read: @Sendable ([UInt8]) -> Value?
    let write: @Sendable (Value) -> [UInt8]

    /// The structure that holds this value.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `EIR_VALUE` where it would not be read again, or `EIR_TOO_LONG`.
    func structure(_ value: Value) throws(NDEFPayloadError) -> BluetoothDataStructure {
        let data = write(value)
        guard read(data) == value else {
            let digits = [type].hexadecimal
            throw NDEFPayloadError(.bluetoothDataValue, "the value is not one that data type \(digits) can hold")
        }
        return try BluetoothDataStructure(type: type, data: data)
    }
}

/// The data types whose values are shown (Bluetooth Assigned Numbers; Bluetooth CSS, Part A, §1).
enum BluetoothDataFields {
    static let flags = number(0x01, BluetoothFlags.init(rawValue:), \.rawValue)
    static let incompleteUUIDs16 = uuids(0x02, width: 2)
    static let uuids16 = uuids(0x03, width: 2)
    static let incompleteUUIDs32 = uuids(0x04, width: 4)
    static let uuids32 = uuids(0x05, width: 4)
    static let incompleteUUIDs128 = uuids(0x06, width: 16)
    static let uuids128 = uuids(0x07, width: 16)
    static let shortenedName = text(0x08)
    static let name = text(0x09)
    static let txPowerLevel = number(0x0A, Int8.init(bitPattern:), UInt8.init(bitPattern:))
    static let simplePairingHashC192 = bytes16(0x0E)
    static let simplePairingRandomizerR192 = bytes16(0x0F)
    static let securityManagerTK = bytes16(0x10)
    static let leRole = number(0x1C, BluetoothLERole.init(rawValue:), \.rawValue)
    static let simplePairingHashC256 = bytes16(0x1D)
    static let simplePairingRandomizerR256 = bytes16(0x1E)
    static let leSecureConnectionsConfirmation = bytes16(0x22)
    static let leSecureConnectionsRandom = bytes16(0x23)

    static let classOfDevice = BluetoothDataField<UInt32>(
        type: 0x0D,
        read: { $0.count == 3 ? $0.reversed().reduce(0) { $0 << 8 | UInt32($1) } : nil },
        write: { $0.bigEndianBytes.dropFirst().reversed() })

    static let appearance = BluetoothDataField<UInt16>(
        type: 0x19,
        read: { $0.count == 2 ? $0.reversed().reduce(0) { $0 << 8 | UInt16($1) } : nil },
        write: { $0.bigEndianBytes.reversed() })

    static let leAddress = BluetoothDataField<BluetoothLEAddress>(
        type: 0x1B,
        read: { data in
            guard let last = data.last, last <= 1 else { return nil }
            return BluetoothAddress(bytes: data.dropLast().reversed()).map {
                BluetoothLEAddress($0, isRandom: last == 1)
            }
        },
        write: { $0.address.bytes.reversed() + [$0.isRandom ? 1 : 0] })
}

// MARK: - Kinds of values

extension BluetoothDataFields {
    private static func text(_ type: UInt8) -> BluetoothDataField<String> {
        BluetoothDataField(
            type: type, read: { String(utf8: $0[...]) }, write: { Array($0.utf8) })
    }

    private static func bytes16(_ type: UInt8) -> BluetoothDataField<[UInt8]> {
        BluetoothDataField(type: type, read: { $0.count == 16 ? $0 : nil }, write: { $0 })
    }

    private static func number<Value>(
        _ type: UInt8, _ read: @escaping @Sendable (UInt8) -> Value, _ write: @escaping @Sendable (Value) -> UInt8
    ) -> BluetoothDataField<Value> {
        BluetoothDataField(
            type: type, read: { data in data.count == 1 ? data.first.map(read) : nil }, write: { [write($0)] })
    }

    /// A list of UUIDs of one width, which has at least one.
    private static func uuids(_ type: UInt8, width: Int) -> BluetoothDataField<[BluetoothUUID]> {
        BluetoothDataField(
            type: type,
            read: { data in
                guard !data.isEmpty, data.count.isMultiple(of: width) else { return nil }
                return stride(from: 0, to: data.count, by: width)
                    .compactMap { BluetoothUUID(bytes: data[$0..<$0 + width].reversed()) }
            },
            write: { $0.flatMap { $0.bytes.reversed() } })
    }
}

/// A data type whose value is shown, without the value's type.
struct BluetoothDataForm: Sendable {
    let type: UInt8
    /// Whether the content has a value.
    let isReadable: @Sendable ([UInt8]) -> Bool
    /// Whether content without a value is right all the same.
    private let isAllowed: @Sendable ([UInt8]) -> Bool

    init<Value>(
        _ field: BluetoothDataField<Value>, allowing isAllowed: @escaping @Sendable ([UInt8]) -> Bool = { _ in false }
    ) {
        type = field.type
        isReadable = { field.read($0) != nil }
        self.isAllowed = isAllowed
    }

    func isMalformed(_ data: [UInt8]) -> Bool { !isReadable(data) && !isAllowed(data) }

    /// The data types in the order in which fields are written: what pairing needs first, names last.
    static let all: [BluetoothDataForm] = [
        .init(BluetoothDataFields.classOfDevice),
        .init(BluetoothDataFields.simplePairingHashC192), .init(BluetoothDataFields.simplePairingRandomizerR192),
        .init(BluetoothDataFields.simplePairingHashC256), .init(BluetoothDataFields.simplePairingRandomizerR256),
        .init(BluetoothDataFields.leAddress), .init(BluetoothDataFields.leRole),
        // For BR/EDR the same type is the device identification, of 8 bytes.
        .init(BluetoothDataFields.securityManagerTK) { $0.count == 8 },
        .init(BluetoothDataFields.leSecureConnectionsConfirmation),
        .init(BluetoothDataFields.leSecureConnectionsRandom),
        .init(BluetoothDataFields.appearance),
        // There may be no flags, or more than eight.
        .init(BluetoothDataFields.flags) { _ in true }, .init(BluetoothDataFields.txPowerLevel),
        .init(BluetoothDataFields.uuids16, allowing: \.isEmpty),
        .init(BluetoothDataFields.incompleteUUIDs16, allowing: \.isEmpty),
        .init(BluetoothDataFields.uuids32, allowing: \.isEmpty),
        .init(BluetoothDataFields.incompleteUUIDs32, allowing: \.isEmpty),
        .init(BluetoothDataFields.uuids128, allowing: \.isEmpty),
        .init(BluetoothDataFields.incompleteUUIDs128, allowing: \.isEmpty),
        .init(BluetoothDataFields.name), .init(BluetoothDataFields.shortenedName),
    ]

    static let byType = Dictionary(all.map { ($0.type, $0) }, uniquingKeysWith: { first, _ in first })
}
