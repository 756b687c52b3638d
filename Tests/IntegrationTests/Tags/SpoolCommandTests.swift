import Foundation
import NFCProtocol
import Testing

/// `nfcctl spool`.
@Suite(.timeLimit(.minutes(20)))
struct `The tag of a spool` {
    /// Meta; main: FFF, 1000 g, an empty spool of 187 g; aux: 100 g consumed.
    static let payload =
        "A10214" + "BF0800101903E81218BBFF" + "000000000000" + "BF001864FF" + "0000000000000000000000"
    static let record = ["--mime", "application/vnd.openprinttag", "--data", payload]

    /// The bytes of a record of OpenPrintTag.
    static let message = "D21C24" + "6170706C69636174696F6E2F766E642E6F70656E7072696E74746167" + payload

    /// A TigerTag without a signature: the memory of an NTAG213.
    private static let tigerTag: [UInt8] = {
        let pages =
            "04EEEE8C 783E6181 A6480000 E1101200 5BF59264 FFFFFFFF 954B68FF 8E38E120 BCBCBCFF 0003E815 00BE00F0 32082D37 3162E429"
        let start = pages.split(separator: " ").flatMap { word in
            stride(from: 0, to: 8, by: 2).compactMap { UInt8(word.dropFirst($0).prefix(2), radix: 16) }
        }
        return start + [UInt8](repeating: 0, count: 180 - start.count - 20)
            + [0, 0, 0, 0xBD, 0x04, 0, 0, 0xFF, 0, 0x05] + [UInt8](repeating: 0, count: 10)
    }()

    private func shown(_ daemon: DaemonUnderTest) async throws -> JSONValue {
        let finished = try await daemon.run("spool", "show", "--json")
        #expect(finished.status == 0, "\(finished)")
        return try JSONLine.decode(JSONValue.self, from: Data((finished.output.first ?? "").utf8))["spool"] ?? .null
    }

    @Test(arguments: ["slix2", "ntag215", "type4", "mifare-classic-1k", "felica-lite-s"])
    func `is shown, and its weight changed in place`(model: String) async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1, model: model == "slix2" ? "acr1552u" : "acr122u")
        let tag = try await daemon.tap([model] + Self.record)
        let plain = try await daemon.run("spool", "show")
        #expect(plain.status == 0, "\(plain)")
        for (name, value) in [("consumed_weight", "100 g"), ("remaining_weight", "900 g")] {
            #expect(plain.output.contains { $0.contains(name) && $0.hasSuffix(" \(value)") }, "\(plain)")
        }
        let changes: [([String], JSONValue)] = [
            (["use", "12.5"], .number(112.5)), (["use", "100"], .number(212.5)), (["weigh", "843"], 344),
            (["weigh", "1000", "--empty", "200"], 200), (["weigh", "186"], 1000), (["weigh", "137"], 1000),
            (["weigh", "1188"], 0), (["weigh", "1237"], 0), (["set", "consumed_weight=7", "storage_location=B3"], 7),
            (["set", "aux.storage_location="], 7),
        ]
        for (arguments, consumed) in changes {
            let done = try await daemon.run(["spool"] + arguments)
            #expect(done.status == 0, "\(arguments): \(done)")
            let data = try await shown(daemon)["data"]
            #expect(data?["aux"]?["consumed_weight"] == consumed, "\(arguments): \(String(describing: data))")
            #expect(data?["main"]?["nominal_netto_full_weight"] == 1000)
        }
        try await daemon.takeAway(tag)
        await daemon.process.end()
    }

    @Test(arguments: [
        (["use", "2000"], "100 g of 1000 g are used already"), (["weigh", "5000"], "Is it this spool?"),
        (["weigh", "100"], "Is it this spool?"), (["weigh", "1238"], "Is it this spool?"),
        (["weigh", "136"], "Is it this spool?"), (["weigh", "843", "--empty", "0.187"], "far from the 187 g"),
        (["weigh", "843", "--empty", "375"], "far from the 187 g"), (["use", "0x10"], "not a number in digits"),
        (["weigh", "nan"], "not a number in digits"), (["weigh", "inf"], "not a number in digits"),
        (["weigh", "1e3"], "not a number in digits"), (["weigh", "843", "--empty", "0xBB"], "not a number in digits"),
        (["use", "1", "--timeout", "0x1"], "not a number in digits"),
        (["set", "consumed_weight=0x10"], "consumed_weight cannot be 0x10"),
        (["set", "consumed_weight=nan"], "consumed_weight cannot be nan"),
        (["set", "storage_location=far too long"], "storage_location cannot be"),
        (["set", "consumed_wieght=5"], "did you mean consumed_weight?"), (["set", "consumed_weight"], "has no value"),
        (["set", "consumed_weight=-5"], "consumed_weight cannot be -5"), (["use", "0"], "a number above 0"),
        (["new", "brand_name=x"], "--force replaces it; nothing was written"),
        (["new"], "no field given; give one such as material_type=PLA"),
        (["new", "consumed_weight="], "no field given"),
        (["new", "gtin=1", "--uri", "example.com/42"], "it has no scheme"), (["use", "-12"], "they are above 0"),
        (["use", "12,5"], "did you mean 12.5?"), (["use", "12g"], "did you mean 12?"),
        (["weigh", "0.8kg"], "did you mean 800?"), (["set", "brand=x"], "did you mean brand_name?"),
        (["new", "brand=x"], "nfcctl help spool set lists all"),
        (["new", "brand_name=x", "--keep-id"], "is for --file"),
        (["set", "manufactured_date=2026-02-31"], "there is no such day"),
        (["set", "nominal_netto_full_weight=1kg"], "did you mean nominal_netto_full_weight=1000?"),
    ])
    func `is left as it is for what cannot be`(arguments: [String], reason: String) async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let tag = try await daemon.tap(["ntag215"] + Self.record)
        let refused = try await daemon.run(["spool"] + arguments)
        #expect([64, 65].contains(refused.status), "\(refused)")
        #expect(refused.errors.contains { $0.contains(reason) }, "\(refused)")
        #expect(try await shown(daemon)["payload"] == .string(Self.payload))
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test func `is made new, from options or from what another one shows`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let first = try await daemon.tap(["ntag216"])
        let made = try await daemon.run(
            "spool", "new", "material_type=PETG", "brand_name=Example", "nominal_netto_full_weight=1000",
            "primary_color=#3A3A3A", "--uri", "https://example.com/s/1")
        #expect(made.status == 0, "\(made)")
        let spool = try await daemon.run("spool", "show", "--json")
        let file = try daemon.scratch.file("spool.json", spool.output.first ?? "")
        #expect(try await daemon.run("spool", "use", "5").status == 0)
        try await daemon.takeAway(first)
        let second = try await daemon.tap(["ntag215"])
        let copied = try await daemon.run("spool", "new", "--file", file, "material_name=Black")
        #expect(copied.status == 0, "\(copied)")
        let main = try await shown(daemon)["data"]?["main"]
        #expect(main?["material_type"] == "PETG" && main?["material_name"] == "Black")
        #expect(main?["primary_color"] == "#3a3a3a" && main?["material_class"] == "FFF")
        await second.end(SIGINT)
        await daemon.process.end()
    }

    @Test(arguments: [
        (
            #"{"material_type":"pla"}"#,
            #"spool.json: material_type cannot be "pla"; did you mean PLA? Nothing was written."#
        ),
        ("{}", "spool.json has no field of a spool"),
        (#"{"color":"x"}"#, "spool.json: there is no field color; did you mean"),
        ("x", "spool.json: it is not JSON."),
    ])
    func `is not made of a file that is not understood`(text: String, reason: String) async throws {
        let scratch = try Scratch()
        let file = try scratch.file("spool.json", text)
        for more in [[], ["--each", "--count", "2", "--dry-run"]] {
            let refused = try await run([Programs.nfcctl, "spool", "new", "--file", file] + more)
            #expect(refused.status == 65 && refused.errors.contains { $0.contains(reason) }, "\(refused)")
        }
    }

    @Test func `that is made of what another one says has its own identity`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let first = try await daemon.tap(["ntag216"])
        let made = try await daemon.run(
            "spool", "new", "material_type=PETG", "consumed_weight=300", "manufactured_date=2026-01-31",
            "material_name=")
        #expect(made.status == 0 && made.output.contains { $0.hasSuffix(" 2026-01-31") }, "\(made)")
        #expect(made.errors.count == 1 && made.errors[0].contains("recommended fields are missing"), "\(made)")
        var files: [String] = []
        for (name, command) in [("show.json", ["spool", "show", "--json"]), ("read.json", ["read", "--json"])] {
            files.append(try daemon.scratch.file(name, try await daemon.run(command).output.first ?? ""))
        }
        let old = try await shown(daemon)["data"]
        #expect(old?["main"]?["manufactured_date"] == 1_769_817_600 && old?["main"]?["material_name"] == nil)
        try await daemon.takeAway(first)
        let second = try await daemon.tap(["ntag216"])
        for file in files {
            let copied = try await daemon.run("spool", "new", "--force", "--file", file)
            #expect(copied.status == 0, "\(copied)")
            #expect(copied.errors.contains { $0.contains("left out are instance_uuid, consumed_weight.") }, "\(copied)")
            let data = try await shown(daemon)["data"]
            #expect(data?["main"]?["material_type"] == "PETG" && data?["aux"]?["consumed_weight"] == nil)
            #expect(data?["main"]?["instance_uuid"] != old?["main"]?["instance_uuid"])
            let kept = try await daemon.run("spool", "new", "--force", "--file", file, "--keep-id")
            #expect(kept.status == 0 && kept.output.last == "The message replaced an OpenPrintTag.", "\(kept)")
            let same = try await shown(daemon)["data"]
            #expect(same?["main"] == old?["main"] && same?["aux"] == old?["aux"])
        }
        await second.end(SIGINT)
        await daemon.process.end()
    }

    @Test func `without an instance is made where the field has no value`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let tag = try await daemon.tap(["ntag216"])
        #expect(try await daemon.run("spool", "new", "material_type=PLA", "instance_uuid=").status == 0)
        #expect(try await shown(daemon)["data"]?["main"] == ["material_class": "FFF", "material_type": "PLA"])
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test func `with unusual values is written, with a warning for each`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let tag = try await daemon.tap(["ntag216"])
        let made = try await daemon.run("spool", "new", "gtin=4006381333932", "min_print_temperature=2200")
        #expect(made.status == 0, "\(made)")
        for text in ["gtin: the last digit", "min_print_temperature: 2200 °C is unusual"] {
            #expect(made.errors.count { $0.hasPrefix("nfcctl: warning: ") && $0.contains(text) } == 1, "\(made)")
        }
        let set = try await daemon.run("spool", "set", "density=1240")
        #expect(set.status == 0 && set.errors == ["nfcctl: warning: density: 1240 g/cm³ is unusual"], "\(set)")
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test func `is not chosen where two tags lie on the readers`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 2)
        let first = try await daemon.tap(["ntag215"] + Self.record)
        let second = try await daemon.tap(["ntag215", "--uid", "04112233445500"] + Self.record)
        for arguments in [
            ["use", "5"], ["weigh", "843"], ["set", "storage_location=B3"], ["new", "gtin=1", "--force"],
        ] {
            let refused = try await daemon.run(["spool"] + arguments)
            #expect(refused.status == 65 && refused.errors.contains { $0.contains("with --reader") }, "\(refused)")
            let chosen = try await daemon.run(["spool"] + arguments + ["--reader", "simulated-1"])
            #expect(chosen.status == 0, "\(chosen)")
        }
        #expect(try await daemon.run("spool", "show").status == 0)
        await first.end(SIGINT)
        await second.end(SIGINT)
        await daemon.process.end()
    }

    @Test(arguments: [
        (["min_print_temperature=9", "max_print_temperature=8"], "min_print_temperature, 9, is above"),
        (["nominal_netto_full_weight=1000", "actual_netto_full_weight=999"], "is above actual_netto_full_weight, 999"),
    ])
    func `that its specification does not allow is neither made nor set`(fields: [String], reason: String) async throws
    {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let refused = try await daemon.run(["spool", "new"] + fields)
        #expect(refused.status == 65 && refused.errors.contains { $0.contains(reason) }, "\(refused)")
        let tag = try await daemon.tap(["ntag215"] + Self.record)
        let unset = try await daemon.run(["spool", "set"] + fields)
        #expect(unset.status == 65 && unset.errors.contains { $0.contains(reason) }, "\(unset)")
        #expect(try await shown(daemon)["payload"] == .string(Self.payload))
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test func `shows the UUIDs that follow, and what its specification finds`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1, model: "acr1552u")
        let tag = try await daemon.tap("slix2", "--uid", "E0040108662F6FBC")
        let fields = ["brand_name=Prusament", "tags=contains_carbon_fiber", "instance_uuid="]
        let made = try await daemon.run(["spool", "new", "--format", "--workgroup", "desk"] + fields.prefix(2))
        #expect(made.status == 0, "\(made)")
        #expect(
            made.errors.contains { $0.contains("the tag contains_carbon_fiber implies contains_carbon") }, "\(made)")
        #expect(try await daemon.run(["spool", "set", fields[2]]).status == 0)
        let finished = try await daemon.run("spool", "show", "--json")
        let line = try JSONLine.decode(JSONValue.self, from: Data((finished.output.first ?? "").utf8))
        #expect(line["uuids"]?["brand_uuid"] == "ae5ff34e-298e-50c9-8f77-92a97fb30b09")
        #expect(line["uuids"]?["instance_uuid"] == "bf63e92d-9ca5-53d7-9fab-ffdd0240c585")
        #expect(line["check"]?["errors"] == [])
        let plain = try await daemon.run("spool", "show")
        for text in ["bf63e92d-9ca5-53d7-9fab-ffdd0240c585 (follows", "warning: the tag contains_carbon_fiber implies"]
        {
            #expect(plain.output.contains { $0.contains(text) }, "\(plain)")
        }
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test func `of another workgroup is kept, and gets the one of the desk`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1, environment: ["NFCCTL_WORKGROUP": "desk"])
        let tag = try await daemon.tap(["ntag215"] + Self.record)
        let first = try await daemon.run("spool", "use", "5")
        #expect(first.status == 0 && first.errors.contains { $0.contains("It was kept") }, "\(first)")
        let second = try await daemon.run("spool", "use", "5")
        #expect(second.status == 0 && !second.errors.contains { $0.contains("kept") }, "\(second)")
        var aux = try await shown(daemon)["data"]?["aux"]
        #expect(aux?["workgroup"] == "desk" && aux?["consumed_weight"] == 110)
        #expect(try await daemon.run("spool", "use", "5", "--workgroup", "far too long").status == 64)
        #expect(try await daemon.run("spool", "set", "--empty-aux", "storage_location=B3").status == 0)
        aux = try await shown(daemon)["data"]?["aux"]
        #expect(aux == ["storage_location": "B3"])
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    /// Aux sections that anyone may have written, with what `use` and `show` say.
    private static let hostile: [(aux: String, used: String?, shown: String)] = [
        ("BF0020FF", "cannot be read as one", "not valid"), ("BF00F97E00FF", "cannot be read as one", "not valid"),
        ("BF00F97C00FF", "cannot be read as one", "not valid"),
        ("BF00FB7FEFFFFFFFFFFFFFFF", "are used already", "remaining_weight"),
        ("BF00F5FF", "cannot be read as one", "not valid"), ("BF006131FF", "cannot be read as one", "not valid"),
        ("BF00FA7F7FFFFFFF", "are used already", "remaining_weight"),
        ("BF04671B5B324A0D0A07FF", nil, #"\u{1B}[2J\u{D}\u{A}\u{7}"#),
        ("BF0466E280AEE280ABFF", nil, #"\u{202E}\u{202B}"#),
        ("9F0101FF", "cannot be read as one", "unknown"), ("BF01", "cannot be read as one", "unknown"),
        ("BF190FFF98FF0000", "cannot be read as one", "unknown"),
    ]

    @Test(arguments: hostile.indices) func `that anyone has written is shown, and not taken at its word`(
        index: Int
    ) async throws {
        let row = Self.hostile[index]
        let front = Self.payload.prefix(40)
        let aux = row.aux + String(repeating: "0", count: 32 - row.aux.count)
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let tag = try await daemon.tap("ntag215", "--mime", "application/vnd.openprinttag", "--data", front + aux)
        for arguments in [["show"], ["show", "--json"]] {
            let finished = try await daemon.run(["spool"] + arguments)
            #expect(finished.status == 0, "\(finished)")
            let scalars = finished.output.joined().unicodeScalars
            #expect(!scalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) || $0.value == 0x202E })
            if arguments.count == 1 { #expect(finished.output.contains { $0.contains(row.shown) }, "\(finished)") }
        }
        let used = try await daemon.run("spool", "use", "5")
        #expect(used.status == (row.used == nil ? 0 : 65), "\(used)")
        if let reason = row.used { #expect(used.errors.contains { $0.contains(reason) }, "\(used)") }
        #expect(try await daemon.run("spool", "set", "--empty-aux").status == 0)
        #expect(try await daemon.run("spool", "weigh", "987").status == 0)
        #expect(try await shown(daemon)["remaining_weight"] == 800)
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test func `of OpenTag3D takes its fields, and those alone`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        var payload = [UInt8](repeating: 0, count: 187)
        payload.replaceSubrange(0..<7, with: [0x03, 0xE8] + Array("PETG".utf8) + [0])
        payload.replaceSubrange(0x5E..<0x60, with: [0x03, 0xE8])
        let tag = try await daemon.tap(
            "ntag215", "--mime", "application/opentag3d", "--data", HexBytes(payload).description)
        for arguments in [["use", "5"], ["weigh", "500", "--empty", "100"]] {
            let refused = try await daemon.run(["spool"] + arguments)
            #expect(refused.status == 65 && refused.errors.contains { $0.contains("target_weight=") }, "\(refused)")
        }
        for (fields, place, bytes) in [
            (["target_weight=1001"], 0x5E, [0x03, 0xE9]), (["target_weight=750"], 0x5E, [0x02, 0xEE]),
            (["manufacturer=Example", "density=1.27"], 0x62, [0x04, 0xF6]),
        ] as [([String], Int, [UInt8])] {
            let done = try await daemon.run(["spool", "set"] + fields)
            #expect(done.status == 0, "\(done)")
            payload.replaceSubrange(place..<place + 2, with: bytes)
            if fields.count > 1 { payload.replaceSubrange(0x1B..<0x22, with: Array("Example".utf8)) }
            #expect(try await shown(daemon)["payload"] == .string(HexBytes(payload).description))
        }
        for (fields, reason) in [
            (["storage_location=B3"], "does not have the field storage_location."),
            (["storage_location=B3", "workgroup=x"], "the fields storage_location, workgroup."),
            (["target_weight=70000"], "at most 65535"),
        ] {
            let refused = try await daemon.run(["spool", "set"] + fields)
            #expect(refused.status == 65 && refused.errors.contains { $0.contains(reason) }, "\(refused)")
        }
        let mixed = try await daemon.run(["spool", "set", "storage_location=B3", "target_weight=1", "workgroup=x"])
        let reason = "OpenPrintTag has storage_location, workgroup, other formats have target_weight."
        #expect(mixed.status == 64 && mixed.errors.contains { $0.contains(reason) }, "\(mixed)")
        for fields in [["target_weight=1", "target_weight=2"], ["workgroup=a", "aux.workgroup=a"]] {
            let twice = try await daemon.run(["spool", "set"] + fields)
            #expect(twice.status == 64 && twice.errors.contains { $0.contains("is given twice") }, "\(twice)")
        }
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test func `of OpenSpool is not changed, and the way out is named`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let json =
            #"{"protocol":"openspool","version":"1.0","type":"PLA","color_hex":"FFAABB","brand":"Example","min_temp":"220","max_temp":"240"}"#
        let tag = try await daemon.tap("ntag215", "--mime", "application/json", "--content", json)
        for arguments in [["use", "5"], ["weigh", "500", "--empty", "100"], ["set", "brand_name=x"]] {
            let refused = try await daemon.run(["spool"] + arguments)
            #expect(refused.status == 65 && refused.errors.contains { $0.contains("does not change. ") }, "\(refused)")
        }
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    /// Page 23 after each command on a TigerTag of 1000 g, or why there is no change.
    private static let tigerTagCommands: [(arguments: [String], page: String?, reason: String)] = [
        (["use", "5"], nil, "does not say how much is left"), (["weigh", "1000"], nil, "Give it with --empty"),
        (["weigh", "1300", "--empty", "187"], nil, "Is it this spool?"),
        (["weigh", "187", "--empty", "187"], nil, "0 stands for an unknown amount"),
        (["weigh", "1187", "--empty", "187"], "0003E800", ""), (["use", "12.4"], "0003DC00", ""),
        (["use", "0.4"], nil, "counts in whole g"), (["use", "988.5"], nil, "988 g are left"),
        (["use", "988"], nil, "0 stands for an unknown amount"), (["set", "measure_available=500"], "0001F400", ""),
        (["set", "measure_available=1001"], nil, "a full spool holds 1000 g"),
        (["set", "measure_available=x"], nil, "it is a whole number of g"),
        (["set", "storage_location=B3"], nil, "only measure_available can be changed"),
        (["set", "measure_available="], "00000000", ""), (["set", "--empty-aux"], nil, "only measure_available"),
    ]

    @Test func `of TigerTag takes what is left, in one page`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let tag = try await daemon.tap([try daemon.scratch.file("tiger.bin", Self.tigerTag)])
        func pages() async throws -> [JSONValue] {
            let dump = try await daemon.run("dump", "--json")
            let line = try JSONLine.decode(JSONValue.self, from: Data((dump.output.first ?? "").utf8))
            guard case .array(let sections)? = line["sections"], case .array(let blocks)? = sections.first?["blocks"]
            else { return [] }
            return blocks.map { $0["bytes"] ?? .null }
        }
        var expected = try await pages()
        try #require(expected.count == 45)
        for row in Self.tigerTagCommands {
            let finished = try await daemon.run(["spool"] + row.arguments)
            #expect(finished.status == (row.page == nil ? 65 : 0), "\(row.arguments): \(finished)")
            #expect(row.page != nil || finished.errors.contains { $0.contains(row.reason) }, "\(finished)")
            if let page = row.page { expected[23] = .string(page) }
            #expect(try await pages() == expected, "\(row.arguments)")
        }
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test func `is not overwritten by a memory unasked, and named`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let plain = try await daemon.tap(["ntag213", "--uri", "https://a.b/c"])
        let file = "\(daemon.scratch.path)/plain.bin"
        #expect(try await daemon.run("dump", "--output", file).status == 0)
        try await daemon.takeAway(plain)
        let tiger = try daemon.scratch.file("tiger.bin", Self.tigerTag)
        let contents = [
            ([tiger], "a TigerTag", ["set", "measure_available=500"]),
            (["ntag213"] + Self.record, "an OpenPrintTag", ["use", "5"]),
        ]
        for (content, name, change) in contents {
            let tag = try await daemon.tap(content)
            let own = "\(daemon.scratch.path)/\(name).bin"
            #expect(try await daemon.run("dump", "--output", own).status == 0)
            let refused = try await daemon.run("restore", file, "--memory")
            #expect(refused.status == 74, "\(refused)")
            #expect(refused.errors.contains { $0.contains(name) && $0.contains("--force overwrites it") }, "\(refused)")
            // Its own dump and what was used are written.
            #expect(try await daemon.run("restore", own, "--memory").status == 0)
            #expect(try await daemon.run(["spool"] + change).status == 0)
            let forced = try await daemon.run("restore", file, "--memory", "--force")
            #expect(forced.status == 0 && forced.output.last?.hasPrefix("The memory replaced ") == true, "\(forced)")
            #expect(forced.output.last?.contains(name) == true, "\(forced)")
            #expect(try await daemon.run("read").output.contains("  1  URI https://a.b/c"))
            try await daemon.takeAway(tag)
        }
        await daemon.process.end()
    }

    @Test func `is replaced by write and removed by erase, which name it`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let first = try await daemon.tap(["ntag215"] + Self.record)
        let written = try await daemon.run("write", "--uri", "https://a.b/c")
        #expect(written.status == 0 && written.output.last == "The message replaced an OpenPrintTag.", "\(written)")
        let again = try await daemon.run("write", "--uri", "https://a.b/d")
        #expect(again.status == 0 && again.output.count == 1, "\(again)")
        #expect(try await daemon.run("write", "--ndef", Self.message).status == 0)
        let json = try await daemon.run("write", "--uri", "https://a.b/c", "--json")
        #expect(json.status == 0 && json.output.count == 1, "\(json)")
        #expect(try await daemon.run("write", "--ndef", Self.message).status == 0)
        let new = try await daemon.run("spool", "new", "gtin=1", "--force")
        #expect(new.status == 0 && new.output.last == "The message replaced an OpenPrintTag.", "\(new)")
        let file = "\(daemon.scratch.path)/spool.nfc"
        #expect(try await daemon.run("dump", "--output", file).status == 0)
        let restored = try await daemon.run("restore", file)
        #expect(restored.status == 0 && restored.output.last == "The message replaced an OpenPrintTag.", "\(restored)")
        #expect(try await daemon.run("write", "--ndef", Self.message).status == 0)
        let erased = try await daemon.run("erase")
        #expect(erased.status == 0 && erased.output.last?.hasSuffix("; it was an OpenPrintTag") == true, "\(erased)")
        let format = try await daemon.run("format")
        #expect(format.status == 0 && format.output.last?.contains("nothing was changed") == true, "\(format)")
        let line = try await daemon.run("format", "--json").output.first ?? ""
        #expect(line.contains(#""event":"formatted""#) && line.contains(#""changed":false"#), "\(line)")
        await first.end(SIGINT)
        await daemon.process.end()
    }

    @Test func `cannot be made of a tag that is not formatted without --format, which the error names`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1, model: "acr1552u")
        let tag = try await daemon.tap("slix2")
        let new = try await daemon.run("spool", "new", "material_type=PLA")
        #expect(new.status == 74 && new.errors.contains { $0.contains("Add --format") }, "\(new)")
        let erase = try await daemon.run("erase")
        #expect(erase.status == 74 && erase.errors.contains { $0.contains("nfcctl format") }, "\(erase)")
        let format = try await daemon.run("format", "--json").output.first ?? ""
        #expect(format.contains(#""changed":true"#), "\(format)")
        let info = try await daemon.run("info").output
        #expect(info.contains { $0.hasPrefix("Memory") && $0.hasSuffix("316 bytes, blocks of 4 bytes") }, "\(info)")
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    /// An answer, what is consumed then, and the status of nfcctl.
    static let answers: [(String, JSONValue, Int32)] = [
        ("empty", 5, 0), ("keep", 105, 0), ("no", 100, 130), ("", 100, 130),
    ]

    @Test(`On a terminal`.hasScript, arguments: answers)
    func `of another workgroup is written for the answers that the question names alone`(
        answer: String, consumed: JSONValue, status: Int32
    ) async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let tag = try await daemon.tap(["ntag215"] + Self.record)
        let command = "\(Programs.nfcctl) spool use 5 --workgroup desk"
        let finished = try await run(
            ["/bin/sh", "-c", "echo '\(answer)' | /usr/bin/script --quiet --return --command '\(command)' /dev/null"],
            environment: ["NFCD_SOCKET": daemon.socket, "TERM": "dumb"])
        #expect(finished.status == status, "\(finished)")
        let aux = try await shown(daemon)["data"]?["aux"]
        #expect(aux?["consumed_weight"] == consumed, "\(finished)")
        let group: JSONValue? = status == 0 ? "desk" : nil
        #expect(aux?["workgroup"] == group)
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test(`On a terminal`.hasScript)
    func `is locked only after it was said that it cannot be weighed any more`() async throws {
        for (model, hasOther) in [("slix2", true), ("ntag215", false)] {
            let daemon = try await DaemonUnderTest(
                simulatedReaders: 1, model: model == "slix2" ? "acr1552u" : "acr122u")
            let tag = try await daemon.tap([model] + Self.record)
            let finished = try await run(
                [
                    "/bin/sh", "-c",
                    "echo no | /usr/bin/script --quiet --return --command '\(Programs.nfcctl) lock' /dev/null",
                ], environment: ["NFCD_SOCKET": daemon.socket, "TERM": "dumb"])
            #expect(finished.status == 130, "\(finished)")
            let text = finished.output.joined()
            #expect(text.contains("This spool can then not be weighed any more."), "\(finished)")
            #expect(text.contains("nfcctl password set --before-page aux") == hasOther, "\(finished)")
            #expect(try await daemon.run("spool", "weigh", "843").status == 0)
            await tag.end(SIGINT)
            await daemon.process.end()
        }
    }

    @Test func `of another format is shown`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let file = try daemon.scratch.file("tiger.bin", Self.tigerTag)
        let tag = try await daemon.tap([file])
        #expect(try await shown(daemon)["kind"] == "tigertag")
        let plain = try await daemon.run("spool", "show")
        #expect(
            plain.output.contains { $0.contains("TigerTag") } && plain.output.contains { $0.contains("1000 g") },
            "\(plain)")
        try await daemon.takeAway(tag)
        let plainTag = try await daemon.tap(["ntag215", "--text", "Hello"])
        let unknown = try await daemon.run("spool", "show")
        #expect(
            unknown.status == 65 && unknown.errors.contains { $0.contains("is not the tag of a spool") }, "\(unknown)")
        await plainTag.end(SIGINT)
        await daemon.process.end()
    }
}
