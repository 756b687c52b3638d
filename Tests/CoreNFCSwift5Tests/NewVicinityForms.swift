import CoreNFC

extension VicinityForms {
    /// What stands on methods of iOS 14.
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
