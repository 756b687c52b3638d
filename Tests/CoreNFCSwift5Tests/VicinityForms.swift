import CoreNFC

let range = NSRange(location: 1, length: 2)
let block = Data([9])
private let custom = NFCISO15693CustomCommandConfiguration(
    manufacturerCode: 4, customCommandCode: 0xA0, requestParameters: nil)
private let legacy = NFCISO15693ReadMultipleBlocksConfiguration(range: range, chunkSize: 1)

enum VicinityForms<Tag: OldTag & NFCISO15693Tag> {
    /// What stands on methods of iOS 13.
    static var iOS13: [Form<Tag>] {
        [
            Form("custom", "[7]") { words(try await $0.sendCustomCommand(commandConfiguration: custom)) },
            Form("legacy", "[7]") { words(try await $0.readMultipleBlock(readConfiguration: legacy)) },
            Form("02", "()") { try await $0.stayQuiet() },
            Form("20 2 3", "[7]") { words(try await $0.readSingleBlock(requestFlags: .highDataRate, blockNumber: 3)) },
            Form("21 2 3 09", "()") {
                try await $0.writeSingleBlock(requestFlags: .highDataRate, blockNumber: 3, dataBlock: block)
            },
            Form("22 2 3", "()") { try await $0.lockBlock(requestFlags: .highDataRate, blockNumber: 3) },
            Form("23 2 1+2", "[[7], [8]]") {
                words(try await $0.readMultipleBlocks(requestFlags: .highDataRate, blockRange: range))
            },
            Form("24 2 1+2 09,09", "()") {
                try await $0.writeMultipleBlocks(
                    requestFlags: .highDataRate, blockRange: range, dataBlocks: [block, block])
            },
            Form("25 2", "()") { try await $0.select(requestFlags: .highDataRate) },
            Form("26 2", "()") { try await $0.resetToReady(requestFlags: .highDataRate) },
            Form("27 2 5", "()") { try await $0.writeAFI(requestFlags: .highDataRate, afi: 5) },
            Form("28 2", "()") { try await $0.lockAFI(requestFlags: .highDataRate) },
            Form("29 2 6", "()") { try await $0.writeDSFID(requestFlags: .highDataRate, dsfid: 6) },
            Form("2A 2", "()") { try await $0.lockDFSID(requestFlags: .highDataRate) },
            Form("2B 2", "1 2 3 4 5") { words(try await $0.getSystemInfo(requestFlags: .highDataRate)) },
            Form("2C 2 1+2", "[0, 1]") {
                words(try await $0.getMultipleBlockSecurityStatus(requestFlags: .highDataRate, blockRange: range))
            },
            Form("A0 2 161 09", "[7]") {
                words(
                    try await $0.customCommand(
                        requestFlags: .highDataRate, customCommandCode: 0xA1, customRequestParameters: block))
            },
            Form("30 2 3", "[7]") {
                words(try await $0.extendedReadSingleBlock(requestFlags: .highDataRate, blockNumber: 3))
            },
            Form("31 2 3 09", "()") {
                try await $0.extendedWriteSingleBlock(requestFlags: .highDataRate, blockNumber: 3, dataBlock: block)
            },
            Form("32 2 3", "()") { try await $0.extendedLockBlock(requestFlags: .highDataRate, blockNumber: 3) },
            Form("33 2 1+2", "[[7], [8]]") {
                words(try await $0.extendedReadMultipleBlocks(requestFlags: .highDataRate, blockRange: range))
            },
            Form("2A 2", "()") { try await $0.lockDSFID(requestFlags: .highDataRate) },
            Form("20 2 3", "[7]") { tag in
                words(
                    try await result {
                        tag.readSingleBlock(requestFlags: .highDataRate, blockNumber: 3, resultHandler: $0)
                    })
            },
            Form("23 2 1+2", "[[7], [8]]") { tag in
                words(
                    try await result {
                        tag.readMultipleBlocks(requestFlags: .highDataRate, blockRange: range, resultHandler: $0)
                    })
            },
            Form("A0 2 161 09", "[7]") { tag in
                words(
                    try await result {
                        tag.customCommand(
                            requestFlags: .highDataRate, customCommandCode: 0xA1, customRequestParameters: block,
                            resultHandler: $0)
                    })
            },
            Form("30 2 3", "[7]") { tag in
                words(
                    try await result {
                        tag.extendedReadSingleBlock(requestFlags: .highDataRate, blockNumber: 3, resultHandler: $0)
                    })
            },
        ]
    }
}
