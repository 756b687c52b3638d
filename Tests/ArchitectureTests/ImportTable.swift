import Testing

/// What one target may import.
struct TargetRow: Sendable {
    let name: String
    /// Targets of this package.
    let ours: Set<String>
    /// Modules of the system and of other packages.
    let others: Set<String>

    init(_ name: String, ours: Set<String> = [], others: Set<String> = []) {
        self.name = name
        self.ours = ours
        self.others = others
    }
}

/// The allowed arrows, lowest target first: a target may import only what is above its row in this table.
struct ImportTable: Sendable {
    let rows: [TargetRow]

    /// nfcd's own.
    static let package = ImportTable(rows: [
        TargetRow("CPCSC"),
        TargetRow("CSQLite"),
        TargetRow("CMosquitto"),
        TargetRow("CTOML"),
        TargetRow("CCurl"),
        TargetRow("CCrypto"),
        TargetRow("CPKCS11"),
        TargetRow("CSDBus"),
        TargetRow("CLinux"),
        TargetRow("PCSC", ours: ["CPCSC"]),
        TargetRow("SQLite", ours: ["CSQLite"], others: libc.union(["Synchronization"])),
        TargetRow("Threading", ours: ["CLinux"], others: libc.union(["Dispatch", "Synchronization"])),
        TargetRow("Cryptography", ours: ["CCrypto"], others: ["Synchronization"]),
        TargetRow("NFCTypes"),
        TargetRow(
            "LocalSocket", ours: ["CLinux", "NFCTypes"],
            others: libc.union(["FoundationEssentials", "Synchronization"])),
        TargetRow("SecureTags", ours: ["Cryptography", "NFCTypes"]),
        TargetRow("SpoolTags", ours: ["Cryptography", "NFCTypes"]),
        TargetRow("NDEF", ours: ["NFCTypes"]),
        TargetRow("ISO7816", ours: ["NFCTypes"]),
        TargetRow(
            "NFCTags", ours: ["Cryptography", "ISO7816", "NFCTypes", "SpoolTags"],
            others: ["FoundationEssentials", "Synchronization"]),
        TargetRow("CTAP"),
        TargetRow("WebNFC", ours: ["NDEF", "NFCTypes"], others: ["FoundationEssentials"]),
        TargetRow("VirtualTags", others: libc.union(["Dispatch", "Synchronization"])),
        TargetRow(
            "VirtualAuthenticator", ours: ["Cryptography", "VirtualTags"]),
        TargetRow(
            "TagRecordings", ours: ["NFCTypes", "VirtualTags"], others: ["FoundationEssentials", "Synchronization"]),
        TargetRow(
            "NFCReaders", ours: ["TagRecordings", "VirtualTags", "NFCTags", "NFCTypes", "Threading"],
            others: libc.union(["Dispatch", "Synchronization"])),
        TargetRow(
            "PCSCReaders", ours: ["NFCReaders", "NFCTags", "PCSC", "Threading"],
            others: ["Dispatch", "Synchronization"]
        ),
        TargetRow("TapJournal", ours: ["NFCTypes"], others: libc.union(["Synchronization"])),
        TargetRow(
            "SQLiteJournal", ours: ["TapJournal", "NFCTypes", "SQLite", "Threading"],
            others: libc.union(["Dispatch", "FoundationEssentials", "Synchronization"])),
        TargetRow(
            "NFCSessions",
            ours: ["ISO7816", "NFCReaders", "NFCTags", "NFCTypes", "NDEF", "TapJournal", "Threading"],
            others: ["Synchronization"]),
        TargetRow(
            "TagProofs",
            ours: ["Cryptography", "NDEF", "NFCSessions", "NFCTags", "NFCTypes", "SecureTags", "TapJournal"],
            others: ["Synchronization"]),
        TargetRow("NFCProtocol", ours: ["CLinux", "NDEF", "NFCTypes"], others: ["FoundationEssentials"]),
        TargetRow("RelayProtocol", ours: ["NFCProtocol"], others: ["FoundationEssentials"]),
        TargetRow(
            "NFCServer",
            ours: [
                "LocalSocket", "NFCProtocol", "NFCSessions", "NFCReaders", "NFCTypes", "NDEF", "NFCTags",
                "TagRecordings", "TapJournal", "VirtualTags", "Threading",
            ],
            others: libc.union(["FoundationEssentials", "Synchronization"])),
        TargetRow(
            "NFCSocketServer",
            ours: ["LocalSocket", "NFCServer", "NFCProtocol", "NFCSessions", "NFCReaders", "NFCTypes", "Threading"],
            others: libc.union([
                "FoundationEssentials", "Synchronization", "NIOCore", "NIOPosix",
            ])),
        TargetRow(
            "NFCClient", ours: ["LocalSocket", "NFCProtocol", "NFCTypes", "NDEF", "Threading"],
            others: libc.union(["FoundationEssentials", "Synchronization"])),
        TargetRow(
            "CoreNFC", ours: ["NFCClient", "NFCProtocol", "NDEF", "ISO7816"],
            others: libc.union(["Foundation", "Dispatch", "Synchronization"])),
        TargetRow(
            "CoreNFCTesting",
            ours: [
                "CoreNFC", "LocalSocket", "NFCClient", "NFCServer", "NFCSessions", "NFCReaders", "NFCTags", "NFCTypes",
                "TagRecordings", "VirtualTags", "NDEF", "Threading",
            ],
            others: libc.union(["Synchronization"])),
        TargetRow("CommandSupport", ours: ["CLinux", "NFCTypes"], others: libc.union(["ArgumentParser"])),
        TargetRow(
            "ServiceSupport", ours: ["CommandSupport", "CTOML", "CLinux", "LocalSocket", "NFCTypes", "Threading"],
            others: libc.union([
                "ArgumentParser", "Dispatch", "FoundationEssentials", "Logging", "Synchronization", "UnixSignals",
            ])),
        TargetRow(
            "ServiceClient", ours: ["NFCClient", "NFCProtocol", "ServiceSupport", "Threading"],
            others: ["Logging", "Synchronization"]),
        TargetRow(
            "KeyStore",
            ours: [
                "CPKCS11", "Cryptography", "NFCTypes", "SecureTags", "ServiceSupport", "Threading", "VirtualTags",
            ],
            others: libc.union(["Dispatch", "Synchronization"])),
        TargetRow(
            "nfcd",
            ours: [
                "CommandSupport", "KeyStore", "LocalSocket", "SecureTags", "TagProofs", "TagRecordings", "VirtualTags",
                "CLinux", "Cryptography", "Threading", "ServiceSupport", "SQLiteJournal", "TapJournal",
                "NFCServer", "NFCSocketServer",
                "NFCSessions", "NFCReaders",
                "PCSCReaders", "NFCProtocol",
                "NFCTypes",
            ],
            others: libc.union([
                "FoundationEssentials", "Dispatch", "Synchronization", "ArgumentParser", "Logging", "UnixSignals",
            ])),
        TargetRow(
            "nfcctl",
            ours: [
                "CommandSupport", "Cryptography", "KeyStore", "NFCClient", "NFCProtocol", "NFCReaders", "NFCSessions",
                "NFCSocketServer", "NFCTags", "NFCTypes", "NDEF", "RelayProtocol", "SecureTags", "ServiceSupport",
                "SpoolTags", "TagRecordings", "Threading", "VirtualAuthenticator", "VirtualTags",
            ],
            others: libc.union(["FoundationEssentials", "Dispatch", "Synchronization", "ArgumentParser", "UnixSignals"])
        ),
        TargetRow(
            "nfcd-relay",
            ours: [
                "CommandSupport", "LocalSocket", "NFCClient", "NFCProtocol", "NFCTypes", "NDEF", "RelayProtocol",
                "ServiceClient",
                "ServiceSupport",
                "SQLite", "Threading", "CCurl", "CMosquitto", "CLinux", "Cryptography",
            ],
            others: libc.union([
                "FoundationEssentials", "Dispatch", "Synchronization", "ArgumentParser", "Logging", "NIOCore",
                "NIOPosix",
            ])),
        TargetRow(
            "nfcd-fido",
            ours: [
                "CommandSupport", "CTAP", "LocalSocket", "NFCClient", "NFCProtocol", "ServiceClient", "ServiceSupport",
                "Threading",
            ],
            others: libc.union([
                "ArgumentParser", "Dispatch", "FoundationEssentials", "Logging", "Synchronization",
            ])),
        TargetRow(
            "nfcd-web",
            ours: [
                "CommandSupport", "WebNFC", "NDEF", "NFCClient", "NFCProtocol", "ServiceClient", "ServiceSupport",
                "Threading",
            ],
            others: libc.union(["ArgumentParser", "FoundationEssentials", "Logging", "Synchronization"])),
        TargetRow(
            "nfcd-desktop",
            ours: [
                "CLinux", "CommandSupport", "CSDBus", "NDEF", "NFCClient", "NFCProtocol", "NFCTypes", "ServiceClient",
                "ServiceSupport", "Threading",
            ],
            others: libc.union(["ArgumentParser", "FoundationEssentials", "Logging"])),
    ])

    private static let libc: Set<String> = ["Glibc", "Musl"]

    subscript(target: String) -> TargetRow? {
        rows.first { $0.name == target }
    }

    /// Arrows that do not point to a row above, such as `NDEF → nfcd`.
    var arrowsUp: [String] {
        rows.enumerated().flatMap { index, row in
            row.ours.subtracting(rows.prefix(index).map(\.name)).sorted().map { "\(row.name) → \($0)" }
        }
    }

    /// Every target of ours that comes along with a target.
    func reach(of target: String) -> Set<String> {
        var reached: Set<String> = []
        var open = [target]
        while let name = open.popLast() {
            open += (self[name]?.ours ?? []).filter { reached.insert($0).inserted }
        }
        return reached
    }

    /// What is wrong with an import in a file of `Sources`, in words; nil where it is allowed.
    func objection(to module: String, in file: PackageFile) -> String? {
        guard let target = file.components.dropFirst().first.map(String.init) else { return nil }
        guard let row = self[target] else { return "\(file.path): target \(target) is not in the table" }
        let isAllowed = row.ours.contains(module) || row.others.contains(module)
        return isAllowed ? nil : "\(file.path): \(target) may not import \(module)"
    }
}

@Suite struct ArrowTests {
    static let table = ImportTable.package

    @Test func `the sources are there to be checked`() {
        #expect(PackageFiles.sources.count(where: \.isSwift) > 50)
    }

    @Test func `every import is in the table`() {
        for file in PackageFiles.sources where file.isSwift {
            for module in ImportScanner.modules(ofCode: file.code) {
                let objection = Self.table.objection(to: module, in: file)
                #expect(objection == nil, "\(objection ?? "")")
            }
        }
    }

    @Test func `every folder in Sources has a row, and every row a folder`() {
        #expect(PackageFiles.targets == Self.table.rows.map(\.name).sorted())
    }

    @Test func `only CoreNFC, which hands it on, may import Foundation, which loads ICU`() {
        #expect(Self.table.rows.filter { $0.others.contains("Foundation") }.map(\.name) == ["CoreNFC"])
    }

    @Test func `no target is called what a module of others is called`() {
        let names = Set(Self.table.rows.map(\.name))
        #expect(names.count == Self.table.rows.count)
        for row in Self.table.rows {
            #expect(names.isDisjoint(with: row.others), "\(row.name)")
        }
    }

    @Test func `no arrow points up`() {
        #expect(Self.table.arrowsUp.isEmpty)
    }

    @Test(arguments: ["NFCTypes", "VirtualTags"])
    func `an independent target imports nothing of ours`(target: String) throws {
        #expect(try #require(Self.table[target]).ours.isEmpty)
    }

    @Test(arguments: ["NDEF", "ISO7816"])
    func `a target above the vocabulary imports only that`(target: String) throws {
        #expect(try #require(Self.table[target]).ours == ["NFCTypes"])
    }

    @Test(arguments: ["NFCTags", "NFCClient", "CoreNFC", "CoreNFCTesting", "nfcctl"])
    func `libpcsclite does not come along`(target: String) throws {
        _ = try #require(Self.table[target])
        #expect(Self.table.reach(of: target).isDisjoint(with: ["PCSC", "CPCSC"]))
    }

    /// The packages that only nfcd and nfcctl need are behind the trait `Programs`; an app does without them.
    @Test(arguments: ["CoreNFC", "CoreNFCTesting", "NFCClient"])
    func `an app and its tests need no other package`(target: String) throws {
        let reached = Self.table.reach(of: target).union([target])
        let modules = Self.table.rows.filter { reached.contains($0.name) }.flatMap(\.others)
        #expect(
            Set(modules).isDisjoint(with: [
                "NIOCore", "NIOPosix", "UnixSignals", "ArgumentParser", "Logging",
            ]))
    }

    @Test func `a program with CoreNFC brings no part of the server along`() {
        let reached = Self.table.reach(of: "CoreNFC")
        #expect(reached.isDisjoint(with: ["NFCServer", "NFCSocketServer", "NFCSessions", "NFCReaders", "NFCTags"]))
    }

    /// Its flags for libpcsclite make every build print a warning, also that of an app that does not use the library.
    @Test func `no target asks pkg-config`() throws {
        let manifest = try #require(PackageFiles.text(of: "Package.swift"))
        #expect(!manifest.contains("pkgConfig"))
    }

    @Test func `only PCSC imports the C shim`() {
        #expect(Self.table.rows.filter { $0.ours.contains("CPCSC") }.map(\.name) == ["PCSC"])
    }
}

@Suite struct ImportTableTests {
    static let table = ImportTable(rows: [
        TargetRow("Low", others: ["Dispatch"]),
        TargetRow("Middle", ours: ["Low"]),
        TargetRow("High", ours: ["Middle"]),
    ])

    @Test func `an arrow up, to itself or to nowhere is seen`() {
        let table = ImportTable(rows: [
            TargetRow("Low", ours: ["High"]), TargetRow("Middle", ours: ["Middle", "Missing"]),
            TargetRow("High", ours: ["Low"]),
        ])
        #expect(table.arrowsUp == ["Low → High", "Middle → Middle", "Middle → Missing"])
    }

    @Test func `reach follows arrows to the end`() {
        #expect(Self.table.reach(of: "High") == ["Low", "Middle"])
        #expect(Self.table.reach(of: "Low").isEmpty)
    }

    @Test func `reach ends in a circle`() {
        let circle = ImportTable(rows: [TargetRow("A", ours: ["B"]), TargetRow("B", ours: ["A"])])
        #expect(circle.reach(of: "A") == ["A", "B"])
    }

    @Test(
        arguments: [
            ("Low", "Dispatch", nil),
            ("Middle", "Low", nil),
            ("Middle", "Dispatch", "Sources/Middle/File.swift: Middle may not import Dispatch"),
            ("High", "Low", "Sources/High/File.swift: High may not import Low"),
            ("Low", "Foundation", "Sources/Low/File.swift: Low may not import Foundation"),
            ("Other", "Low", "Sources/Other/File.swift: target Other is not in the table"),
        ] as [(String, String, String?)])
    func `an import that is not in the table is named`(target: String, module: String, objection: String?) {
        let file = PackageFile(path: "Sources/\(target)/File.swift", text: "import \(module)")
        #expect(Self.table.objection(to: module, in: file) == objection)
    }
}
