/// The parameters of a read or write without encryption: services, block list, data (JIS X 6319-4).
struct FeliCaRequest {
    /// One element of the block list.
    struct Element {
        /// The place of the service in the service list.
        let service: Int
        let accessMode: Int
        let block: Int
    }

    /// Service codes as numbers.
    let services: [Int]
    let elements: [Element]
    /// What follows the block list.
    let data: [UInt8]

    /// Takes parameters apart; nil where they end too early.
    init?(_ parameters: [UInt8]) {
        var rest = parameters[...]
        guard let serviceCount = rest.popFirst(), rest.count >= 2 * Int(serviceCount) else { return nil }
        services = (0..<Int(serviceCount)).map { Int(parameters[1 + 2 * $0]) | Int(parameters[2 + 2 * $0]) << 8 }
        rest = rest.dropFirst(2 * Int(serviceCount))
        guard let blockCount = rest.popFirst() else { return nil }
        var elements: [Element] = []
        for _ in 0..<blockCount {
            guard let element = Element(&rest) else { return nil }
            elements.append(element)
        }
        self.elements = elements
        data = Array(rest)
    }
}

extension FeliCaRequest.Element {
    /// Two bytes where the first bit is set, else three with the block number least significant byte first.
    init?(_ rest: inout ArraySlice<UInt8>) {
        guard let mode = rest.popFirst(), let low = rest.popFirst() else { return nil }
        var number = Int(low)
        if mode & 0x80 == 0 {
            guard let high = rest.popFirst() else { return nil }
            number |= Int(high) << 8
        }
        self.init(service: Int(mode & 0x0F), accessMode: Int(mode >> 4 & 0x07), block: number)
    }
}
