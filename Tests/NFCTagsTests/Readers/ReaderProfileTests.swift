import NFCTags
import Testing
import TestSupport

@Suite struct `A reader profile` {
    static let names: [(reader: String, profile: ReaderProfile)] = [
        ("ACS ACR122U PICC Interface 00 00", .acr122u), ("ACS ACR122U 00 00", .acr122u),
        ("ACS ACR1251 CL Reader [ACR1251 CL Reader] 00 00", .acr1252u),
        ("ACS ACR1252 1S CL Reader [ACR1252 Dual Reader PICC] 01 00", .acr1252u),
        ("ACS ACR1252 Dual Reader PICC 00 00", .acr1252u), ("ACS ACR1255U-J1 [ACR1255U-J1] 00 00", .acr1252u),
        ("ACS ACR1281U-C1 PICC 00 01", .acr1252u), ("ACS ACR1281 1S Dual Reader PICC 00 00", .acr1252u),
        ("ACS ACR1552 1S CL Reader [ACR1552 CL Reader PICC] 00 00", .acr1552u),
        ("ACS ACR1581 1S Dual Reader [ACR1581 PICC] 00 00", .acr1552u),
        ("HID Global OMNIKEY 5022 Smart Card Reader [OMNIKEY 5022] 00 00", .omnikey5422),
        ("HID Global OMNIKEY 5422 Smartcard Reader 00 00", .omnikey5422),
        ("HID OMNIKEY 5427 CK 00 00", .omnikey5422), ("OMNIKEY CardMan 5321 00 00", .omnikey5321),
        ("Identiv uTrust 3700 F CL Reader 00 00", .identiv),
        ("Identiv uTrust 4701 F Dual Interface Reader 00 00", .identiv),
        ("SpringCard Puck One 00 00", .springCard),
        ("Virtual PCD 00 00", .generic), ("Sony FeliCa RC-S300/S 00 00", .rcS300), ("", .generic),
        ("acs acr122u", .acr122u),
    ]

    @Test(arguments: names)
    func `is found by reader name`(row: (reader: String, profile: ReaderProfile)) {
        #expect(ReaderProfile.profile(reader: row.reader) == row.profile)
    }

    static let numbers: [(vendor: UInt16, product: UInt16, profile: ReaderProfile)] = [
        (0x072F, 0x2200, .acr122u), (0x072F, 0x221A, .acr1252u), (0x072F, 0x223B, .acr1252u),
        (0x072F, 0x223E, .acr1252u), (0x072F, 0x223F, .acr1252u), (0x072F, 0x2224, .acr1252u),
        (0x072F, 0x2303, .acr1552u), (0x072F, 0x2308, .acr1552u), (0x072F, 0x2301, .acr1552u),
        (0x076B, 0x532A, .omnikey5321), (0x076B, 0x5022, .omnikey5422), (0x04E6, 0x5790, .identiv),
        (0x054C, 0x0DC8, .rcS300), (0xFFFF, 0xFFFF, .generic),
    ]

    @Test(arguments: numbers)
    func `is found by USB ids`(row: (vendor: UInt16, product: UInt16, profile: ReaderProfile)) {
        #expect(ReaderProfile.profile(reader: "", vendorID: row.vendor, productID: row.product) == row.profile)
    }

    @Test func `prefers the USB ids to the name`() {
        let profile = ReaderProfile.profile(reader: "ACS ACR1252", vendorID: 0x072F, productID: 0x2200)
        #expect(profile == .acr122u)
        #expect(ReaderProfile.profile(reader: "ACS ACR1252", vendorID: 1, productID: 1) == .acr1252u)
        #expect(ReaderProfile.profile(reader: "ACS ACR1252", vendorID: 0x072F) == .acr1252u)
    }

    @Test func `has a transport for each technology beyond type A, and reads whole pages`() {
        let channel = AnsweringChannel([String]())
        for profile in ReaderProfile.all {
            #expect(profile.technologies.first == .iso14443)
            #expect(profile.technologies.contains(.iso18092) == profile.knowsFeliCaTransport, "\(profile.name)")
            if profile.iso15693Channel(over: channel) != nil { #expect(profile.technologies.contains(.iso15693)) }
            if let native = profile.nativeChannel(over: channel) { #expect(native.longestAnswer % 4 == 0) }
            #expect([4, 16].contains(profile.longestStorageRead))
        }
        #expect(PN53xChannel(channel: channel).longestAnswer / 4 == 63)
        #expect(ReaderProfile.generic.nativeChannel(over: channel) == nil)
    }

    @Test func `selects value commands for MIFARE Classic by the maker`() {
        for profile in [ReaderProfile.acr122u, .acr1252u, .acr1552u] {
            #expect(profile.mifareClassic.valueCommands == .acs)
        }
        for profile in [ReaderProfile.omnikey5321, .omnikey5422] {
            #expect(profile.mifareClassic.valueCommands == .hid)
        }
        for profile in [ReaderProfile.generic, .identiv, .rcS300, .springCard] {
            #expect(profile.mifareClassic == MIFAREClassicReader())
        }
    }
}

@Suite struct `Probing a reader` {
    static let firmware = "41435231323255323134"
    static let information = "01000703000000000104" + "30313233" + "9000"
    static let page0 = "04112233445566804848000000000000" + "9000"
    static let rows: [(answers: [String], profile: ReaderProfile, needsReset: Bool, exchanges: Int)] = [
        ([firmware], .acr122u, false, 1),
        (["6D00", information], .identiv, false, 2),
        // Another reader that answers FF CC.
        (["6D00", "9000", "6D00", "6D00", "6D00", "6D00"], .generic, false, 6),
        (["6D00", "6D00", "C0030090009000", "C0030090008F01009000", "C0030090009000"], .acr1552u, false, 5),
        // Sessions are refused, and ended nevertheless; the tag answers a direct frame.
        (["6D00", "6D00", "6D00", "6D00", page0], .acr1252u, false, 5),
        (["6D00", "6D00", "6D00", "6D00", "6D00", page0], .omnikey5321, false, 6),
        (["6D00", "6D00", "6D00", "6D00", "6300", page0], .omnikey5321, true, 6),
        (["6D00", "6D00", "6D00", "6D00", "6D00", "6D00"], .generic, false, 6),
        (["6D00", "6D00", "6D00", "6D00", "6D00", "6300"], .generic, true, 6),
        (["", "", "", "", "", ""], .generic, true, 6),
        (["9000", "9000", "9000", "9000", "9000", "9000"], .generic, true, 6),
    ]

    @Test(arguments: rows)
    func `tries the least disturbing method first`(
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
    func `fails if the tag leaves`(after: Int) async {
        let script = AnsweringChannel([String](repeating: "6D00", count: after))
        let error = await tagError { _ = try await ReaderProbe(channel: script).run() }
        #expect(error?.code == .tagConnectionLost)
    }
}

@Suite struct `The transport` {
    static let polling = "060012FC0000"
    static let feliCa: [(profile: ReaderProfile, command: String)] = [
        (.generic, "FF00000009D44001" + polling), (.acr122u, "FF00000009D44001" + polling),
        (.acr1252u, "FF00000006" + polling), (.acr1552u, "FFC2000002810000"), (.rcS300, "FFC2000002810000"),
        (.identiv, "FF4000000412FC0000"),
    ]

    @Test(arguments: feliCa) func `for FeliCa is that of the reader family`(
        row: (profile: ReaderProfile, command: String)
    ) async {
        let script = AnsweringChannel(["6300", "6300"])
        let error = await tagError {
            _ = try await row.profile.feliCaChannel(over: script).transceive(hex(Self.polling))
        }
        #expect(error?.code == .tagResponseError)
        #expect(script.log.first == hex(row.command))
    }

    static let type1: [(profile: ReaderProfile, command: String?)] = [
        (.generic, "FF0000000AD4400178000000000000"), (.acr122u, "FF0000000AD4400178000000000000"),
        (.identiv, "FF50000000"), (.acr1252u, nil), (.acr1552u, nil), (.rcS300, nil),
    ]

    @Test(arguments: type1) func `for a Type 1 Tag is that of the reader family`(
        row: (profile: ReaderProfile, command: String?)
    )
        async
    {
        let script = AnsweringChannel(["6300"])
        let channel = row.profile.type1Channel(over: script)
        let error = await tagError { _ = try await channel.transceive(hex("78000000000000")) }
        #expect(error?.code == (row.command == nil ? .unsupportedFeature : .tagResponseError))
        #expect(script.log.first == row.command.map { hex($0) })
    }

    @Test(arguments: ["6D00", "6A81"])
    func `of an unknown reader fails with code 1 if the reader rejects it`(answer: String) async {
        for channel in [
            ReaderProfile.generic.feliCaChannel(over: AnsweringChannel([answer])),
            ReaderProfile.generic.type1Channel(over: AnsweringChannel([answer])),
        ] as [any NativeChannel] {
            let error = await tagError { _ = try await channel.transceive(hex(Self.polling)) }
            #expect(error?.code == .unsupportedFeature)
            #expect(error?.detail.contains("ACR122U commands") == true)
        }
    }

    @Test func `for FeliCa is missing on a SpringCard reader, and nothing is sent`() async {
        let script = AnsweringChannel([String]())
        let channel = ReaderProfile.springCard.feliCaChannel(over: script)
        let error = await tagError { _ = try await channel.transceive(hex(Self.polling)) }
        #expect(error?.code == .unsupportedFeature)
        #expect(error?.detail.contains("SpringCard") == true)
        #expect(script.log.isEmpty)
    }

    @Test func `refuses packets longer than its limit`() async {
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
        (.acr122u, "FF0040A00401010101", "FF0040500401010201"),
        (.acr1252u, "E0000028010A", "E00000280132"), (.acr1552u, "E0000028010A", "E00000280132"),
    ]

    @Test(arguments: rows) func `is one command`(row: (profile: ReaderProfile, success: String, failure: String)) {
        #expect(row.profile.feedback(.success)?.command == hex(row.success))
        #expect(row.profile.feedback(.failure)?.command == hex(row.failure))
    }

    @Test func `is sent to the tag on ACR122U, and as an escape command to newer ACS readers`() {
        for kind in ReaderFeedback.Kind.allCases {
            #expect(ReaderProfile.acr122u.feedback(kind)?.route == .transmit)
            for profile in [ReaderProfile.acr1252u, .acr1552u] { #expect(profile.feedback(kind)?.route == .escape) }
        }
    }

    @Test func `is unknown for every other family`() {
        for profile in ReaderProfile.all where ![.acr122u, .acr1252u, .acr1552u].contains(profile) {
            for kind in ReaderFeedback.Kind.allCases { #expect(profile.feedback(kind) == nil, "\(profile.name)") }
        }
    }
}
