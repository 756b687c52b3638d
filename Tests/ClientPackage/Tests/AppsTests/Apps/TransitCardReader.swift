import CoreNFC

/// Reads a transit card of FeliCa without encryption: balance and journeys of one system, and a shop's points in another, where it adds
/// some.
nonisolated struct TransitCardReader {
    struct Content: Equatable {
        var balance: Int
        /// The stations, latest first.
        var stations: [Int]
        var points: Int
        /// Key versions of the services, FFFF for one that is missing.
        var versions: [Int]
    }

    private static let transit = Data([0x00, 0x03])
    private static let shops = Data([0xFE, 0x00])
    private static let balance = Data([0x8B, 0x00])
    private static let journeys = Data([0x0F, 0x09])
    private static let points = Data([0x09, 0x10])

    /// Reads the card in the field, and adds points.
    func read(adding bonus: Int) async throws -> Content {
        let configuration = NFCTagReaderSession.Configuration(
            pollingOption: .iso18092, feliCaSystemCodes: ["0003", "FE00"])
        let found = try await TagFinder().find(configuration)
        defer { found.session.invalidate() }
        guard case .feliCa(let card) = found.tag, card.currentSystemCode == Self.transit else {
            throw NFCReaderError(.readerErrorUnsupportedFeature)
        }
        let versions = try await card.requestService(nodeCodeList: [Self.balance, Self.journeys, Self.points])
        // Two services in one command: a block of the first, two blocks of the second.
        let blocks = try await Self.read(
            [Self.balance, Self.journeys], [Data([0x80, 0]), Data([0x81, 0]), Data([0x81, 1])], of: card)
        _ = try await card.polling(systemCode: Self.shops, requestCode: .noRequest, timeSlot: .max1)
        let points = try await Self.read([Self.points], [Data([0x80, 0])], of: card)
        let sum = Self.number(points[0]) + bonus
        let block = Data([UInt8(sum & 0xFF), UInt8(sum >> 8)]) + Data(count: 14)
        let (flag, _) = try await card.writeWithoutEncryption(
            serviceCodeList: [Self.points], blockList: [Data([0x80, 0])], blockData: [block])
        guard flag == 0 else { throw NFCReaderError(.readerTransceiveErrorTagResponseError) }
        return Content(
            balance: Self.number(blocks[0]), stations: blocks.dropFirst().map { Self.number($0) }, points: sum,
            versions: versions.map { Self.number($0) })
    }

    private static func read(_ services: [Data], _ blocks: [Data], of card: any NFCFeliCaTag) async throws -> [Data] {
        let (flag, _, data) = try await card.readWithoutEncryption(serviceCodeList: services, blockList: blocks)
        guard flag == 0, data.count == blocks.count else {
            throw NFCReaderError(.readerTransceiveErrorTagResponseError)
        }
        return data
    }

    /// The first two bytes, least significant first.
    private static func number(_ data: Data) -> Int {
        let bytes = Array(data)
        return bytes.count >= 2 ? Int(bytes[0]) | Int(bytes[1]) << 8 : 0
    }
}
