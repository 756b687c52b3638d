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
