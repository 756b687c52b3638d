import NFCTags
import Testing

@Suite struct `A reader profile` {
    static let names: [(reader: String, profile: ReaderProfile)] = [
        ("ACS ACR122U PICC Interface 00 00", .acr122), ("ACS ACR122U 00 00", .acr122),
        ("ACS ACR1251 CL Reader [ACR1251 CL Reader] 00 00", .acr125x),
        ("ACS ACR1252 1S CL Reader [ACR1252 Dual Reader PICC] 01 00", .acr125x),
        ("ACS ACR1252 Dual Reader PICC 00 00", .acr125x), ("ACS ACR1255U-J1 [ACR1255U-J1] 00 00", .acr125x),
        ("ACS ACR1281U-C1 PICC 00 01", .acr125x), ("ACS ACR1281 1S Dual Reader PICC 00 00", .acr125x),
        ("ACS ACR1552 1S CL Reader [ACR1552 CL Reader PICC] 00 00", .acr1552),
        ("ACS ACR1581 1S Dual Reader [ACR1581 PICC] 00 00", .acr1552),
        ("HID Global OMNIKEY 5022 Smart Card Reader [OMNIKEY 5022] 00 00", .omnikey5x22),
        ("HID Global OMNIKEY 5422 Smartcard Reader 00 00", .omnikey5x22),
        ("HID OMNIKEY 5427 CK 00 00", .omnikey5x22), ("OMNIKEY CardMan 5321 00 00", .omnikey5321),
        ("Identiv uTrust 3700 F CL Reader 00 00", .identiv),
        ("Identiv uTrust 4701 F Dual Interface Reader 00 00", .identiv),
        ("SpringCard Puck One 00 00", .springCard),
        ("Virtual PCD 00 00", .generic), ("Sony FeliCa RC-S300/S 00 00", .rcS300), ("", .generic),
        ("acs acr122u", .acr122),
    ]

    @Test(arguments: names)
    func `is found by the reader's name`(row: (reader: String, profile: ReaderProfile)) {
        #expect(ReaderProfile.profile(reader: row.reader) == row.profile)
    }

    static let numbers: [(vendor: UInt16, product: UInt16, profile: ReaderProfile)] = [
        (0x072F, 0x2200, .acr122), (0x072F, 0x221A, .acr125x), (0x072F, 0x223B, .acr125x),
        (0x072F, 0x223E, .acr125x), (0x072F, 0x223F, .acr125x), (0x072F, 0x2224, .acr125x),
        (0x072F, 0x2303, .acr1552), (0x072F, 0x2308, .acr1552), (0x072F, 0x2301, .acr1552),
        (0x076B, 0x532A, .omnikey5321), (0x076B, 0x5022, .omnikey5x22), (0x04E6, 0x5790, .identiv),
        (0x054C, 0x0DC8, .rcS300), (0xFFFF, 0xFFFF, .generic),
    ]

    @Test(arguments: numbers)
    func `is found by the USB numbers`(row: (vendor: UInt16, product: UInt16, profile: ReaderProfile)) {
        #expect(ReaderProfile.profile(reader: "", vendorID: row.vendor, productID: row.product) == row.profile)
    }

    @Test func `goes by the numbers before the name`() {
        let profile = ReaderProfile.profile(reader: "ACS ACR1252", vendorID: 0x072F, productID: 0x2200)
        #expect(profile == .acr122)
        #expect(ReaderProfile.profile(reader: "ACS ACR1252", vendorID: 1, productID: 1) == .acr125x)
        #expect(ReaderProfile.profile(reader: "ACS ACR1252", vendorID: 0x072F) == .acr125x)
    }

    @Test func `promises no native answer where none travels`() {
        for profile in ReaderProfile.all {
            #expect((profile.longestNativeAnswer > 0) == (profile.nativeWay != .none), "\(profile.name)")
            #expect(profile.longestNativeAnswer % 4 == 0)
            #expect((profile.nativeChannel(over: AnsweringChannel([String]())) != nil) == (profile.nativeWay != .none))
            #expect([4, 16].contains(profile.longestStorageRead))
        }
        #expect(ReaderProfile.acr122.longestNativeAnswer / 4 == 63)
        #expect(ReaderProfile.generic.nativeWay == .none)
    }
}

@Suite struct `Probing a reader` {
    static let firmware = "41435231323255323134"
    static let information = "01000703000000000104" + "30313233" + "9000"
    static let page0 = "04112233445566804848000000000000" + "9000"
    static let rows: [(answers: [String], profile: ReaderProfile, needsReset: Bool, exchanges: Int)] = [
        ([firmware], .acr122, false, 1),
        (["6D00", information], .identiv, false, 2),
        // Another reader's idea of FF CC.
        (["6D00", "9000", "6D00", "6D00", "6D00", "6D00"], .generic, false, 6),
        (["6D00", "6D00", "C0030090009000", "C0030090008F01009000", "C0030090009000"], .acr1552, false, 5),
        // Sessions are refused, and ended all the same; the tag answers a direct frame.
        (["6D00", "6D00", "6D00", "6D00", page0], .acr125x, false, 5),
        (["6D00", "6D00", "6D00", "6D00", "6D00", page0], .omnikey5321, false, 6),
        (["6D00", "6D00", "6D00", "6D00", "6300", page0], .omnikey5321, true, 6),
        (["6D00", "6D00", "6D00", "6D00", "6D00", "6D00"], .generic, false, 6),
        (["6D00", "6D00", "6D00", "6D00", "6D00", "6300"], .generic, true, 6),
        (["", "", "", "", "", ""], .generic, true, 6),
        (["9000", "9000", "9000", "9000", "9000", "9000"], .generic, true, 6),
    ]

    @Test(arguments: rows)
    func `tries what harms least first`(
        row: (answers: [String], profile: ReaderProfile, needsReset: Bool, exchanges: Int)
    ) async throws {
        let script = AnsweringChannel(row.answers)
        let finding = try await ReaderProbe(channel: script).run()
        #expect(finding.profile == row.profile)
        #expect(finding.needsReset == row.needsReset)
        #expect(script.log.count == row.exchanges)
        #expect(script.log.first == hex("FF00480000"))
    }

    @Test(arguments: 0...5)
    func `says nothing about the reader when the tag leaves`(after: Int) async {
        let script = AnsweringChannel([String](repeating: "6D00", count: after))
        let error = await tagError { _ = try await ReaderProbe(channel: script).run() }
        #expect(error?.code == .tagConnectionLost)
    }
}

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

@Suite struct `Feedback of a reader` {
    static let rows: [(profile: ReaderProfile, success: String, failure: String)] = [
        (.acr122, "FF0040A00401010101", "FF0040500401010201"),
        (.acr125x, "E0000028010A", "E00000280132"), (.acr1552, "E0000028010A", "E00000280132"),
    ]

    @Test(arguments: rows) func `is one command`(row: (profile: ReaderProfile, success: String, failure: String)) {
        #expect(row.profile.feedback(.success)?.command == hex(row.success))
        #expect(row.profile.feedback(.failure)?.command == hex(row.failure))
    }

    @Test func `says how it gets there and what a good answer is`() {
        for kind in ReaderFeedback.Kind.allCases {
            let blink = ReaderProfile.acr122.feedback(kind)
            #expect(blink?.route == .transmit && blink?.answerPrefix == [0x90] && blink?.isSlow == true)
            for profile in [ReaderProfile.acr125x, .acr1552] {
                let sound = profile.feedback(kind)
                #expect(sound?.route == .escape && sound?.answerPrefix == hex("E1000000") && sound?.isSlow == false)
            }
        }
    }

    @Test func `is unknown for every other reader`() {
        for profile in ReaderProfile.all where ![.acr122, .acr125x, .acr1552].contains(profile) {
            for kind in ReaderFeedback.Kind.allCases { #expect(profile.feedback(kind) == nil, "\(profile.name)") }
        }
    }

    @Test func `can greet tags without a sound on an ACR122U only`() {
        #expect(ReaderProfile.acr122.detectionBeep(false)?.command == hex("FF00520000"))
        #expect(ReaderProfile.acr122.detectionBeep(true)?.command == hex("FF0052FF00"))
        for profile in ReaderProfile.all where profile != .acr122 {
            #expect(profile.detectionBeep(false) == nil && profile.detectionBeep(true) == nil, "\(profile.name)")
        }
    }
}
