import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Gives back the memory that only starting needed.
enum Footprint {
    /// Forgets the pages of code that were used so far; those that are needed again come from the page cache, at the
    /// price of a minor fault each. Code is never written to, so nothing is lost.
    static func forgetStartup() {
        guard let maps = try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8) else { return }
        for line in maps.split(separator: "\n") { forgetCode(line) }
    }

    /// A line of proc(5)'s maps: `start-end r-xp offset device inode path`.
    private static func forgetCode(_ line: Substring) {
        let fields = line.split(separator: " ", omittingEmptySubsequences: true)
        guard fields.count == 6, fields[1] == "r-xp", fields[5].hasPrefix("/") else { return }
        let range = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
        guard range.count == 2, range[0] < range[1] else { return }
        _ = madvise(UnsafeMutableRawPointer(bitPattern: range[0]), Int(range[1] - range[0]), MADV_DONTNEED)
    }
}
