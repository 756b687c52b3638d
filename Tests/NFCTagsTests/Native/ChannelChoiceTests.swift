import NFCTags
import Testing

@Suite struct `The way to a card` {
    static let polling = "060012FC0000"
    static let feliCa: [(profile: ReaderProfile, command: String)] = [
        (.generic, "FF00000009D44001" + polling), (.acr122, "FF00000009D44001" + polling),
        (.acr125x, "FF00000006" + polling), (.acr1552, "FFC2000002810000"), (.rcS300, "FFC2000002810000"),
        (.identiv, "FF4000000412FC0000"),
    ]

    @Test(arguments: feliCa) func `for FeliCa is the reader's`(row: (profile: ReaderProfile, command: String)) async {
        let script = AnsweringChannel(["6300", "6300"])
        let error = await tagError {
            _ = try await row.profile.feliCaChannel(over: script).transceive(hex(Self.polling))
        }
        #expect(error?.code == .tagResponseError)
        #expect(script.log.first == hex(row.command))
    }

    static let type1: [(profile: ReaderProfile, command: String?)] = [
        (.generic, "FF0000000AD4400178000000000000"), (.acr122, "FF0000000AD4400178000000000000"),
        (.identiv, "FF50000000"), (.acr125x, nil), (.acr1552, nil), (.rcS300, nil),
    ]

    @Test(arguments: type1) func `for a Type 1 Tag is the reader's`(row: (profile: ReaderProfile, command: String?))
        async
    {
        let script = AnsweringChannel(["6300"])
        let channel = row.profile.type1Channel(over: script)
        let error = await tagError { _ = try await channel.transceive(hex("78000000000000")) }
        #expect(error?.code == (row.command == nil ? .unsupportedFeature : .tagResponseError))
        #expect(script.log.first == row.command.map { hex($0) })
    }

    @Test(arguments: ["6D00", "6A81"])
    func `through an unknown reader that refuses is an error of the reader`(answer: String) async {
        for channel in [
            ReaderProfile.generic.feliCaChannel(over: AnsweringChannel([answer])),
            ReaderProfile.generic.type1Channel(over: AnsweringChannel([answer])),
        ] as [any NativeChannel] {
            let error = await tagError { _ = try await channel.transceive(hex(Self.polling)) }
            #expect(error?.code == .unsupportedFeature)
            #expect(error?.detail.contains("ACR122U family") == true)
        }
    }

    @Test func `to a FeliCa card in a SpringCard reader is not there, and nothing is sent`() async {
        let script = AnsweringChannel([String]())
        let channel = ReaderProfile.springCard.feliCaChannel(over: script)
        let error = await tagError { _ = try await channel.transceive(hex(Self.polling)) }
        #expect(error?.code == .unsupportedFeature)
        #expect(error?.detail.contains("SpringCard") == true)
        #expect(script.log.isEmpty)
    }

    @Test func `takes no packet that is longer than it says`() async {
        for profile in ReaderProfile.all {
            let script = AnsweringChannel([String](repeating: "6300", count: 4))
            let channel = profile.feliCaChannel(over: script)
            let frame = [UInt8](repeating: 6, count: channel.longestFrame + 4)
            #expect(await tagError { _ = try await channel.transceive(frame) } != nil)
            #expect(script.log.isEmpty, "\(profile.name)")
        }
    }
}
