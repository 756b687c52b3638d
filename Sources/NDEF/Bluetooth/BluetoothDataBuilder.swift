extension BluetoothData {
    /// Data that says this: what pairing needs first, then services and names; the other structures come last.
    ///
    /// - Parameters:
    ///   - name: the complete name of the device; at most 254 bytes in UTF-8.
    ///   - shortenedName: the name, cut short; at most 254 bytes in UTF-8.
    ///   - classOfDevice: what kind of device it is; 24 bits.
    ///   - serviceClassUUIDs: all service classes, of any width; at most 254 bytes of each width.
    ///   - incompleteServiceClassUUIDs: some of the service classes, in the same way.
    ///   - simplePairingHashC192: 16 bytes.
    ///   - simplePairingRandomizerR192: 16 bytes.
    ///   - simplePairingHashC256: 16 bytes.
    ///   - simplePairingRandomizerR256: 16 bytes.
    ///   - leAddress: the address for Low Energy.
    ///   - leRole: the roles that the device takes for Low Energy.
    ///   - securityManagerTK: 16 bytes.
    ///   - leSecureConnectionsConfirmation: 16 bytes.
    ///   - leSecureConnectionsRandom: 16 bytes.
    ///   - appearance: how the device looks.
    ///   - flags: what the device is capable of.
    ///   - txPowerLevel: the power it sends with, in dBm.
    ///   - other: structures of other types.
    /// - Throws: ``NDEFPayloadError`` with code `EIR_VALUE` where a value does not fit its field, or `EIR_TOO_LONG`.
    public init(
        name: String? = nil,
        shortenedName: String? = nil,
        classOfDevice: UInt32? = nil,
        serviceClassUUIDs: [BluetoothUUID] = [],
        incompleteServiceClassUUIDs: [BluetoothUUID] = [],
        simplePairingHashC192: [UInt8]? = nil,
        simplePairingRandomizerR192: [UInt8]? = nil,
        simplePairingHashC256: [UInt8]? = nil,
        simplePairingRandomizerR256: [UInt8]? = nil,
        leAddress: BluetoothLEAddress? = nil,
        leRole: BluetoothLERole? = nil,
        securityManagerTK: [UInt8]? = nil,
        leSecureConnectionsConfirmation: [UInt8]? = nil,
        leSecureConnectionsRandom: [UInt8]? = nil,
        appearance: UInt16? = nil,
        flags: BluetoothFlags? = nil,
        txPowerLevel: Int8? = nil,
        other: [BluetoothDataStructure] = []
    ) throws(NDEFPayloadError) {
        typealias Fields = BluetoothDataFields
        var builder = BluetoothDataBuilder()
        try builder.add(Fields.classOfDevice, classOfDevice)
        try builder.add(Fields.simplePairingHashC192, simplePairingHashC192)
        try builder.add(Fields.simplePairingRandomizerR192, simplePairingRandomizerR192)
        try builder.add(Fields.simplePairingHashC256, simplePairingHashC256)
        try builder.add(Fields.simplePairingRandomizerR256, simplePairingRandomizerR256)
        try builder.add(Fields.leAddress, leAddress)
        try builder.add(Fields.leRole, leRole)
        try builder.add(Fields.securityManagerTK, securityManagerTK)
        try builder.add(Fields.leSecureConnectionsConfirmation, leSecureConnectionsConfirmation)
        try builder.add(Fields.leSecureConnectionsRandom, leSecureConnectionsRandom)
        try builder.add(Fields.appearance, appearance)
        try builder.add(Fields.flags, flags)
        try builder.add(Fields.txPowerLevel, txPowerLevel)
        try builder.add(serviceClassUUIDs: serviceClassUUIDs)
        try builder.add(incompleteServiceClassUUIDs: incompleteServiceClassUUIDs)
        try builder.add(Fields.name, name)
        try builder.add(Fields.shortenedName, shortenedName)
        try self.init(builder, other: other)
    }

    /// The structures of a builder in the canonical order, and others behind them.
    init(_ builder: BluetoothDataBuilder, other: [BluetoothDataStructure]) throws(NDEFPayloadError) {
        let written = BluetoothDataForm.all.compactMap { builder.structures[$0.type] }
        try self.init(structures: written + other)
    }
}

/// Collects the structures of fields, at most one of each type.
struct BluetoothDataBuilder {
    private(set) var structures: [UInt8: BluetoothDataStructure] = [:]

    mutating func add<Value>(_ field: BluetoothDataField<Value>, _ value: Value?) throws(NDEFPayloadError) {
        if let value { structures[field.type] = try field.structure(value) }
    }

    mutating func add(serviceClassUUIDs uuids: [BluetoothUUID]) throws(NDEFPayloadError) {
        try add(uuids, width: 2, BluetoothDataFields.uuids16)
        try add(uuids, width: 4, BluetoothDataFields.uuids32)
        try add(uuids, width: 16, BluetoothDataFields.uuids128)
    }

    mutating func add(incompleteServiceClassUUIDs uuids: [BluetoothUUID]) throws(NDEFPayloadError) {
        try add(uuids, width: 2, BluetoothDataFields.incompleteUUIDs16)
        try add(uuids, width: 4, BluetoothDataFields.incompleteUUIDs32)
        try add(uuids, width: 16, BluetoothDataFields.incompleteUUIDs128)
    }

    private mutating func add(
        _ uuids: [BluetoothUUID], width: Int, _ field: BluetoothDataField<[BluetoothUUID]>
    ) throws(NDEFPayloadError) {
        let list = uuids.filter { $0.bytes.count == width }
        try add(field, list.isEmpty ? nil : list)
    }
}
