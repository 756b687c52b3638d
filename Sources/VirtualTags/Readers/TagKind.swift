/// What a reader takes a tag for when it selects it.
enum TagKind: Sendable, Hashable, CaseIterable {
    case type2, mifareClassic, iso15693, feliCa, topaz, iso14443Part4

    /// A tag that is none of the others is spoken to as a Type 2 Tag.
    init(_ tag: any VirtualTag) {
        switch tag {
        case is any ContactlessCard: self = .iso14443Part4
        case is MIFAREClassicTag: self = .mifareClassic
        case is ISO15693Tag: self = .iso15693
        case is FeliCaTag: self = .feliCa
        case is TopazTag: self = .topaz
        default: self = .type2
        }
    }
}
