/// pcscd, as far as it can be seen without being asked.
struct PCSCService: Sendable {
    /// The program.
    let program: String?
    /// Whether its socket is there.
    let hasSocket: Bool
    /// Such as [1, 9, 9].
    let version: [Int]
    /// Whether it asks polkit who may use readers.
    let asksPolkit: Bool

    /// Where clients connect.
    static let socket = "/run/pcscd/pcscd.comm"
    /// The oldest that nfcd was tried with.
    static let oldest = [1, 9, 9]

    init(_ tree: any SystemTree, _ host: Host) {
        program = SystemPrograms.find("pcscd", tree, host)
        hasSocket = tree.exists(Self.socket)
        let words = program.flatMap { host.run([$0, "--version"]) }?.output ?? ""
        version = Self.version(in: words)
        asksPolkit = words.split { $0.isWhitespace }.contains("polkit")
    }

    /// The version for people.
    var versionWords: String { version.map { "\($0)" }.joined(separator: ".") }

    /// Of `pcsc-lite version 1.9.9.`; nothing where it says something else.
    private static func version(in text: String) -> [Int] {
        let words = text.prefix { !$0.isNewline }.split { $0.isWhitespace }
        guard let mark = words.firstIndex(of: "version"), let word = words.dropFirst(mark + 1).first else { return [] }
        return word.split(separator: ".").prefix(4).compactMap { Int($0.prefix { $0.isASCII && $0.isNumber }) }
    }
}
