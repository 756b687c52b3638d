extension FeliCaProduct {
    /// The product that a card with this PMm of 8 bytes is: Lite or Lite-S by its IC type, else a Type 3 Tag of nothing but
    /// user blocks, whose limits the attribute block tells.
    static func of(_ parameter: [UInt8], blockCount: Int, attributes: [UInt8]?) -> FeliCaProduct {
        let icType = parameter.dropFirst().first
        let lite = [FeliCaProduct.lite, .liteS].first { $0.manufactureParameter.dropFirst().first == icType }
        let limits = (attributes ?? []).dropFirst().prefix(2).map { max(Int($0), 1) }
        return FeliCaProduct(
            name: lite?.name ?? type3.name, manufactureParameter: parameter,
            readLimit: lite?.readLimit ?? limits.first ?? 1, writeLimit: lite?.writeLimit ?? limits.last ?? 1,
            dataBlocks: lite?.dataBlocks ?? max(blockCount - 1, 0), family: lite?.family ?? .plain)
    }
}
