import CLinux
import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The wall clock.
package enum WallClock {
    /// Whether a time source has set it since the machine was started (adjtimex(2)). A machine without a battery for its clock starts
    /// in the past. Where a unit with `ProtectClock=` forbids the question, systemd-timesyncd's mark answers it.
    package static var isSynchronised: Bool {
        ctimer_is_wall_clock_synchronised() == 1 || access("/run/systemd/timesync/synchronized", F_OK) == 0
    }

    /// Milliseconds since 1970 in UTC.
    package static var milliseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}

/// The name of this run of the machine: 36 characters.
package struct BootID: Sendable, Hashable {
    /// The name.
    package let text: String

    /// Reads the name. Without it, one that no other start of the service has: times since boot of two starts are then not compared.
    ///
    /// - Parameters:
    ///   - environment: NFCD_BOOT_ID is the name where a unit with `ProcSubset=pid` hides the kernel's.
    ///   - file: the kernel's.
    package init(_ environment: [String: String] = [:], file: String = "/proc/sys/kernel/random/boot_id") {
        let kernel = (try? Data(contentsOf: URL(filePath: file))).map { String(decoding: $0, as: UTF8.self) }
        let known = [kernel, environment["NFCD_BOOT_ID"]].lazy.compactMap { $0.flatMap { Self.uuid($0) } }.first
        text = known ?? UUID().uuidString.lowercased()
    }

    /// A UUID in its usual form; systemd writes it without hyphens. Nil for anything else.
    private static func uuid(_ text: String) -> String? {
        let digits = Array(text.lowercased().filter { $0 != "-" && !$0.isWhitespace })
        guard digits.count == 32, digits.allSatisfy(\.isHexDigit) else { return nil }
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
    }
}
