extension BluetoothData {
    /// The complete name of the device (09).
    public var name: String? { self[BluetoothDataFields.name] }
    /// The name of the device, cut short (08).
    public var shortenedName: String? { self[BluetoothDataFields.shortenedName] }
    /// What kind of device it is: 24 bits (0D; Bluetooth Assigned Numbers).
    public var classOfDevice: UInt32? { self[BluetoothDataFields.classOfDevice] }
    /// All service classes of the device; for each width of UUID the list may be missing (03, 05, 07).
    public var serviceClassUUIDs: [BluetoothUUID] {
        [BluetoothDataFields.uuids16, BluetoothDataFields.uuids32, BluetoothDataFields.uuids128]
            .flatMap { self[$0] ?? [] }
    }
    /// Some service classes of the device, where the list is not complete (02, 04, 06).
    public var incompleteServiceClassUUIDs: [BluetoothUUID] {
        let fields = [
            BluetoothDataFields.incompleteUUIDs16, BluetoothDataFields.incompleteUUIDs32,
            BluetoothDataFields.incompleteUUIDs128,
        ]
        return fields.flatMap { self[$0] ?? [] }
    }
    /// The hash C-192 of secure simple pairing: 16 bytes, the least significant first (0E).
    public var simplePairingHashC192: [UInt8]? { self[BluetoothDataFields.simplePairingHashC192] }
    /// The randomizer R-192 of secure simple pairing: 16 bytes, the least significant first (0F).
    public var simplePairingRandomizerR192: [UInt8]? { self[BluetoothDataFields.simplePairingRandomizerR192] }
    /// The hash C-256 of secure simple pairing: 16 bytes, the least significant first (1D).
    public var simplePairingHashC256: [UInt8]? { self[BluetoothDataFields.simplePairingHashC256] }
    /// The randomizer R-256 of secure simple pairing: 16 bytes, the least significant first (1E).
    public var simplePairingRandomizerR256: [UInt8]? { self[BluetoothDataFields.simplePairingRandomizerR256] }
    /// The address for Low Energy (1B).
    public var leAddress: BluetoothLEAddress? { self[BluetoothDataFields.leAddress] }
    /// The roles that the device takes for Low Energy (1C).
    public var leRole: BluetoothLERole? { self[BluetoothDataFields.leRole] }
    /// The temporary key of the security manager, for legacy pairing: 16 bytes, the least significant first (10).
    public var securityManagerTK: [UInt8]? { self[BluetoothDataFields.securityManagerTK] }
    /// The confirmation value of LE Secure Connections: 16 bytes, the least significant first (22).
    public var leSecureConnectionsConfirmation: [UInt8]? {
        self[BluetoothDataFields.leSecureConnectionsConfirmation]
    }
    /// The random value of LE Secure Connections: 16 bytes, the least significant first (23).
    public var leSecureConnectionsRandom: [UInt8]? { self[BluetoothDataFields.leSecureConnectionsRandom] }
    /// How the device looks from outside (19; Bluetooth Assigned Numbers).
    public var appearance: UInt16? { self[BluetoothDataFields.appearance] }
    /// What the device is capable of (01); nil where there is not exactly one byte.
    public var flags: BluetoothFlags? { self[BluetoothDataFields.flags] }
    /// The power it sends with, in dBm (0A).
    public var txPowerLevel: Int8? { self[BluetoothDataFields.txPowerLevel] }
    /// The structures that no other property shows, in their order.
    public var other: [BluetoothDataStructure] { parts.other }

    /// The structures in the order in which fields are written: those that properties show, then the others.
    var canonicalStructures: [BluetoothDataStructure] {
        let (shown, other) = parts
        return BluetoothDataForm.all.compactMap { shown[$0.type] } + other
    }

    private subscript<Value>(field: BluetoothDataField<Value>) -> Value? {
        structures.first { $0.type == field.type }.flatMap { field.read($0.data) }
    }

    private var parts: (shown: [UInt8: BluetoothDataStructure], other: [BluetoothDataStructure]) {
        var known: Set<UInt8> = []
        var shown: [UInt8: BluetoothDataStructure] = [:]
        var other: [BluetoothDataStructure] = []
        for structure in structures {
            let isFirst = known.insert(structure.type).inserted
            if isFirst, BluetoothDataForm.byType[structure.type]?.isReadable(structure.data) == true {
                shown[structure.type] = structure
            } else {
                other.append(structure)
            }
        }
        return (shown, other)
    }
}
