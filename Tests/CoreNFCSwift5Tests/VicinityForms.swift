import CoreNFC

let range = NSRange(location: 1, length: 2)
let block = Data([9])
private let custom = NFCISO15693CustomCommandConfiguration(
    manufacturerCode: 4, customCommandCode: 0xA0, requestParameters: nil)
private let legacy = NFCISO15693ReadMultipleBlocksConfiguration(range: range, chunkSize: 1)

enum VicinityForms<Tag: OldTag & NFCISO15693Tag> {
    /// What is declared on methods of iOS 13.
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

extension VicinityForms {
    /// What is declared on methods of iOS 14.
    static var iOS14: [Form<Tag>] {
        [
            Form("2B 2", "[7] 1 2 3 4 5") { words(try await $0.__systemInfoAndUID(with: .highDataRate)) },
            Form("2D 2 1+2", "[[7], [8]]") {
                words(try await $0.__fastReadMultipleBlocks(with: .highDataRate, blockRange: range))
            },
            Form("34 2 1+2 09,09", "()") {
                try await $0.__extendedWriteMultipleBlocks(
                    withRequestFlags: .highDataRate, blockRange: range, dataBlocks: [block, block])
            },
            Form("35 2 4 09", "4 [7]") {
                words(
                    try await $0.__authenticate(
                        withRequestFlags: .highDataRate, cryptoSuiteIdentifier: 4, message: block))
            },
            Form("36 2 4 09", "4 [7]") {
                words(try await $0.__keyUpdate(withRequestFlags: .highDataRate, keyIdentifier: 4, message: block))
            },
            Form("39 2 4 09", "()") {
                try await $0.__challenge(withRequestFlags: .highDataRate, cryptoSuiteIdentifier: 4, message: block)
            },
            Form("3A 2", "4 [7]") { words(try await $0.__readBuffer(withRequestFlags: .highDataRate)) },
            Form("3C 2 1+2", "[0, 1]") {
                words(try await $0.__extendedGetMultipleBlockSecurityStatus(with: .highDataRate, blockRange: range))
            },
            Form("3D 2 1+2", "[[7], [8]]") {
                words(try await $0.__extendedFastReadMultipleBlocks(with: .highDataRate, blockRange: range))
            },
            Form("raw 2 32 09", "4 [7]") {
                words(try await $0.__sendRequest(withFlag: 2, commandCode: 0x20, data: block))
            },
            Form("2B 2", "[7] 1 2 3 4 5") { words(try await $0.systemInfo(requestFlags: .highDataRate)) },
            Form("2B 2", "[7] 1 2 3 4 5") { tag in
                words(try await result { tag.getSystemInfo(requestFlags: .highDataRate, resultHandler: $0) })
            },
            Form("2D 2 1+2", "[[7], [8]]") {
                words(try await $0.fastReadMultipleBlocks(requestFlags: .highDataRate, blockRange: range))
            },
            Form("2D 2 1+2", "[[7], [8]]") { tag in
                words(
                    try await result {
                        tag.fastReadMultipleBlocks(requestFlags: .highDataRate, blockRange: range, resultHandler: $0)
                    })
            },
            Form("35 2 4 09", "4 [7]") {
                words(try await $0.authenticate(requestFlags: .highDataRate, cryptoSuiteIdentifier: 4, message: block))
            },
            Form("35 2 4 09", "4 [7]") { tag in
                words(
                    try await result {
                        tag.authenticate(
                            requestFlags: .highDataRate, cryptoSuiteIdentifier: 4, message: block, resultHandler: $0)
                    })
            },
            Form("36 2 4 09", "4 [7]") {
                words(try await $0.keyUpdate(requestFlags: .highDataRate, keyIdentifier: 4, message: block))
            },
            Form("36 2 4 09", "4 [7]") { tag in
                words(
                    try await result {
                        tag.keyUpdate(requestFlags: .highDataRate, keyIdentifier: 4, message: block, resultHandler: $0)
                    })
            },
            Form("3A 2", "4 [7]") { words(try await $0.readBuffer(requestFlags: .highDataRate)) },
            Form("3A 2", "4 [7]") { tag in
                words(try await result { tag.readBuffer(requestFlags: .highDataRate, resultHandler: $0) })
            },
            Form("3C 2 1+2", "[0, 1]") {
                words(
                    try await $0.extendedGetMultipleBlockSecurityStatus(requestFlags: .highDataRate, blockRange: range))
            },
            Form("3C 2 1+2", "[0, 1]") { tag in
                words(
                    try await result {
                        tag.extendedGetMultipleBlockSecurityStatus(
                            requestFlags: .highDataRate, blockRange: range, resultHandler: $0)
                    })
            },
            Form("3D 2 1+2", "[[7], [8]]") {
                words(try await $0.extendedFastReadMultipleBlocks(requestFlags: .highDataRate, blockRange: range))
            },
            Form("3D 2 1+2", "[[7], [8]]") { tag in
                words(
                    try await result {
                        tag.extendedFastReadMultipleBlocks(
                            requestFlags: .highDataRate, blockRange: range, resultHandler: $0)
                    })
            },
            Form("raw 2 32 09", "4 [7]") {
                words(try await $0.sendRequest(requestFlags: 2, commandCode: 0x20, data: block))
            },
            Form("raw 2 32 09", "4 [7]") { tag in
                words(
                    try await result {
                        tag.sendRequest(requestFlags: 2, commandCode: 0x20, data: block, resultHandler: $0)
                    })
            },
            Form("34 2 1+2 09,09", "()") {
                try await $0.extendedWriteMultipleBlocks(
                    requestFlags: .highDataRate, blockRange: range, dataBlocks: [block, block])
            },
            Form("34 2 1+2 09,09", "()") { tag in
                try await result { finish in
                    tag.extendedWriteMultipleBlocks(
                        requestFlags: .highDataRate, blockRange: range, dataBlocks: [block, block]
                    ) {
                        finish($0.map(Result.failure) ?? .success(()))
                    }
                }
            },
            Form("39 2 4 09", "()") {
                try await $0.challenge(requestFlags: .highDataRate, cryptoSuiteIdentifier: 4, message: block)
            },
            Form("39 2 4 09", "()") { tag in
                try await result { finish in
                    tag.challenge(requestFlags: .highDataRate, cryptoSuiteIdentifier: 4, message: block) {
                        finish($0.map(Result.failure) ?? .success(()))
                    }
                }
            },
        ]
    }
}
