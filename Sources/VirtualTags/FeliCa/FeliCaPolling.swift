extension FeliCaTag {
    /// Polling: system code, request code, time slots (JIS X 6319-4). A byte FF of the system code stands for any.
    func poll(_ body: [UInt8]) -> [UInt8]? {
        guard body.count == 4, let system = systems.first(where: { Self.matches($0, body) }) else { return nil }
        let answer = identifier + product.manufactureParameter
        return body[2] == 0x01 ? answer + system : answer
    }

    /// The system codes it answers to. Lite has 88B4, and 12FC where SYS_OP is set.
    private var systems: [[UInt8]] {
        switch product.family {
        case .plain: [[0x12, 0xFC]]
        case .lite, .liteS: [[0x88, 0xB4]] + (configuration.isNDEF ? [[0x12, 0xFC]] : [])
        }
    }

    private static func matches(_ system: [UInt8], _ wanted: [UInt8]) -> Bool {
        zip(system, wanted).allSatisfy { $1 == 0xFF || $0 == $1 }
    }

    /// Request Service: key version 0000 for the two services there are, FFFF for others.
    func requestService(_ parameters: [UInt8]) -> [UInt8]? {
        guard let count = parameters.first, (1...32).contains(count), parameters.count == 1 + 2 * Int(count) else {
            return nil
        }
        let versions = stride(from: 1, to: parameters.count, by: 2).flatMap { place -> [UInt8] in
            let isKnown = [0x09, 0x0B].contains(parameters[place]) && parameters[place + 1] == 0x00
            return isKnown ? [0x00, 0x00] : [0xFF, 0xFF]
        }
        return [count] + versions
    }
}
