import NFCProtocol
import NFCTags

// What a tag is and holds, from the terms of its driver to those of the wire.

extension TagDescribe.Result {
    init(_ description: TagDescription) {
        self.init(
            product: description.productName, manufacturer: description.manufacturer,
            memorySize: description.memorySize, blockSize: description.blockSize,
            lockState: TagDescribe.LockState(description.lockState),
            fields: description.fields.map { TagDescribe.Field(label: $0.label, value: $0.value) })
    }
}

extension TagDescribe.LockState {
    fileprivate init(_ state: TagDescription.LockState) {
        self =
            switch state {
            case .unlocked: .unlocked
            case .partlyLocked: .partlyLocked
            case .locked: .locked
            case .passwordProtected: .passwordProtected
            case .unknown: .unknown
            }
    }
}

extension TagDumpMemory.Result {
    init(_ dump: TagDump) {
        self.init(
            layout: TagDumpMemory.Layout(dump.layout), product: dump.productName, blockSize: dump.blockSize,
            sections: dump.sections.map { TagDumpMemory.Section($0) }, facts: TagDumpMemory.Facts(dump.facts))
    }
}

extension TagDumpMemory.Layout {
    fileprivate init(_ layout: TagDump.Layout) {
        self =
            switch layout {
            case .type1: .type1
            case .type2: .type2
            case .type3: .type3
            case .type4: .type4
            case .type5: .type5
            case .mifareClassic: .mifareClassic
            }
    }
}

extension TagDumpMemory.Section {
    fileprivate init(_ section: TagDump.Section) {
        self.init(
            name: section.name,
            blocks: section.blocks.map {
                TagDumpMemory.Block(number: $0.number, bytes: $0.bytes.map { HexBytes($0) }, meaning: $0.meaning)
            })
    }
}

extension TagDumpMemory.Facts {
    fileprivate init(_ facts: TagDump.Facts) {
        self.init()
        version = facts.version.map { HexBytes($0) }
        signature = facts.signature.map { HexBytes($0) }
        counters = facts.counters.isEmpty ? nil : facts.counters
        manufactureParameter = facts.manufactureParameter.map { HexBytes($0) }
        (dsfid, afi, icReference) = (facts.dsfid, facts.afi, facts.icReference)
        lockedBlocks = facts.lockedBlocks.isEmpty ? nil : facts.lockedBlocks
    }
}
