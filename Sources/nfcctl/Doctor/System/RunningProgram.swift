/// A process, as /proc shows it.
struct RunningProgram: Sendable, Equatable {
    let number: Int
    /// Its name, at most 15 bytes (proc_pid_comm(5)).
    let name: String
    let user: UInt32
    /// Whether it has libpcsclite in its memory; false also where that may not be seen.
    let usesPCSC: Bool

    /// Every process that may be seen.
    static func all(_ tree: any SystemTree) -> [RunningProgram] {
        tree.names(in: "/proc").compactMap { Int($0) }.sorted().compactMap { number in
            guard let name = tree.word("/proc/\(number)/comm") else { return nil }
            return RunningProgram(
                number: number, name: name, user: tree.facts("/proc/\(number)")?.user ?? 0,
                usesPCSC: tree.contains("libpcsclite", in: "/proc/\(number)/maps"))
        }
    }
}
