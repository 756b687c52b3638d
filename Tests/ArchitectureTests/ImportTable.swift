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

/// The allowed arrows, lowest target first: a target may import only what stands above its row in this table.
struct ImportTable: Sendable {
    let rows: [TargetRow]

    /// nfcd's own.
    static let package = ImportTable(rows: [
        TargetRow("CPCSC"),
        TargetRow("CTOML"),
        TargetRow("CExecutor"),
        TargetRow("CTimer"),
        TargetRow("PCSC", ours: ["CPCSC"]),
        TargetRow("NDEF"),
        TargetRow("ISO7816"),
        TargetRow("NFCTags", ours: ["ISO7816"]),
        TargetRow("VirtualTags", others: libc.union(["Dispatch", "Synchronization"])),
        TargetRow(
            "NFCReaders", ours: ["PCSC", "VirtualTags", "NFCTags"],
            others: libc.union(["Dispatch", "Synchronization"])),
        TargetRow(
            "NFCSessions", ours: ["ISO7816", "NFCReaders", "NFCTags", "NDEF"],
            others: ["Synchronization", "Logging"]),
        TargetRow("NFCProtocol", others: ["FoundationEssentials"]),
        TargetRow(
            "NFCServer", ours: ["NFCProtocol", "NFCSessions", "NFCReaders", "NDEF", "NFCTags", "VirtualTags"],
            others: libc.union([
                "FoundationEssentials", "Synchronization", "Logging", "NIOCore", "NIOPosix", "ServiceLifecycle",
            ])),
        TargetRow(
            "NFCClient", ours: ["NFCProtocol", "NDEF"],
            others: libc.union(["FoundationEssentials", "Synchronization", "NIOCore", "NIOPosix"])),
        TargetRow(
            "CoreNFC", ours: ["NFCClient", "NFCProtocol", "NDEF", "ISO7816"],
            others: libc.union(["Foundation", "Dispatch", "Synchronization"])),
        TargetRow(
            "CoreNFCTesting",
            ours: ["CoreNFC", "NFCServer", "NFCSessions", "NFCReaders", "NFCTags", "VirtualTags", "NDEF"],
            others: libc.union(["Synchronization", "Logging"])),
        TargetRow(
            "nfcd", ours: ["CExecutor", "CTimer", "CTOML", "NFCServer", "NFCSessions", "NFCReaders", "NFCProtocol"],
            others: libc.union([
                "FoundationEssentials", "Dispatch", "Synchronization", "ArgumentParser", "Logging", "ServiceLifecycle",
                "UnixSignals",
            ])),
        TargetRow(
            "nfcctl", ours: ["NFCClient", "NFCProtocol", "NDEF", "VirtualTags"],
            others: libc.union(["FoundationEssentials", "Dispatch", "Synchronization", "ArgumentParser", "UnixSignals"])
        ),
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
