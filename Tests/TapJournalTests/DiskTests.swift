import FoundationEssentials
import NFCTypes
import SQLiteJournal
import Synchronization
import TapJournal
import Testing
import Threading

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Journals on a real file system that gets full or read-only. They need the right to mount, and are skipped without it.
@Suite struct DiskTests {
    @Test(.enabled(if: SmallDisk.isAvailable, "mounting a file system is not permitted"))
    func `a full disk is reported, loses nothing and is used again when it has space`() async throws {
        let disk = try await SmallDisk(megabytes: 8)
        let test = try await disk.run { try TestJournal(disk.folder) { $0.reserve = 1 << 20 } }
        try await test.acknowledge("relay", 0)
        var stored = try await test.append(50, message: 800).map(\.record.id)
        try await disk.run { try disk.fill(sparing: 0) }
        while let tap = try? await test.append(1, message: 800).first { stored.append(tap.record.id) }
        let status = await test.journal.status()
        #expect(status.state == .full && status.reason?.contains("free space") == true)
        #expect(try await test.allTaps().map(\.record.id) == stored)

        // The reserve was given up, so that what was delivered can be deleted on a full disk.
        try await test.acknowledge("relay", 30)
        stored += try await test.append(5, message: 800).map(\.record.id)
        #expect(await test.journal.status().state == .ready)

        try await disk.run { try FileManager.default.removeItem(atPath: disk.folder.file("ballast")) }
        stored += try await test.append(50, message: 800).map(\.record.id)
        let taps = try await test.allTaps()
        #expect(taps.map(\.record.id) == stored.suffix(taps.count) && taps.map(\.sequence).contains(31))
        await test.journal.close()
    }

    @Test(.enabled(if: SmallDisk.isAvailable, "mounting a file system is not permitted"))
    func `a journal on a read-only disk says so, and works again when the disk is writable`() async throws {
        let disk = try await SmallDisk(megabytes: 8)
        let first = try await disk.run { try TestJournal(disk.folder) }
        try await first.append(3)
        await first.journal.close()
        try await disk.run { try disk.set(isReadOnly: true) }
        let second = try await disk.run { try TestJournal(disk.folder) }
        let error = await #expect(throws: JournalError.self) { try await second.append(1) }
        #expect(error?.description.contains("Read-only file system") == true)
        #expect(await second.journal.status().state == .failed)
        try await disk.run { try disk.set(isReadOnly: false) }
        second.time.advance(by: .seconds(60))
        #expect(try await second.append(1).map(\.sequence) == [4])
        await second.journal.close()
    }

    @Test func `a folder that cannot be made is named`() async throws {
        let folder = try TestFolder()
        try Data().write(to: URL(filePath: folder.file("file")))
        let test = try TestJournal(folder) { $0.path = folder.file("file/taps.db") }
        let error = await #expect(throws: JournalError.self) { try await test.append(1) }
        #expect(
            error?.description.contains("file/taps.db.lock: Not a directory") == true
                || error?.description.contains("Not a directory") == true)
        #expect(test.events.count == 1)
    }
}

/// A file system in memory that only one thread, and the threads it starts, can see: a separate mount namespace.
private final class SmallDisk: Sendable {
    struct Failure: Error {
        let code: Int32
    }

    let folder: TestFolder
    private let executor = ThreadExecutor()

    /// Whether this process may mount.
    static let isAvailable = getuid() == 0 && canMount()

    private static func canMount() -> Bool {
        let executor = ThreadExecutor()
        let result = Mutex<Bool?>(nil)
        executor.run { result.withLock { $0 = makeNamespace() } }
        while result.withLock({ $0 == nil }) { sched_yield() }
        return result.withLock { $0 == true }
    }

    /// Gives the thread a mount namespace (unshare(2), which the C library's module does not import).
    private static func makeNamespace() -> Bool {
        guard let symbol = dlsym(nil, "unshare") else { return false }
        let unshare = unsafeBitCast(symbol, to: (@convention(c) (Int32) -> Int32).self)
        let newNamespace: Int32 = 0x0002_0000
        return unshare(newNamespace) == 0 && mount("none", "/", nil, UInt(MS_REC | MS_PRIVATE), nil) == 0
    }

    init(megabytes: Int) async throws {
        folder = try TestFolder()
        let path = folder.path
        try await run {
            guard Self.makeNamespace(), mount("tmpfs", path, "tmpfs", 0, "size=\(megabytes)m") == 0 else {
                throw Failure(code: errno)
            }
        }
    }

    /// Runs a function on the thread that sees the file system.
    func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            executor.run { continuation.resume(with: Result { try body() }) }
        }
    }

    /// Makes the file system read-only, or writable.
    func set(isReadOnly: Bool) throws {
        let flags = UInt(MS_REMOUNT) | (isReadOnly ? UInt(MS_RDONLY) : 0)
        guard mount("tmpfs", folder.path, "tmpfs", flags, nil) == 0 else { throw Failure(code: errno) }
    }

    /// Fills the file system, but for so many bytes.
    func fill(sparing bytes: UInt64) throws {
        var information = statvfs()
        guard statvfs(folder.path, &information) == 0 else { throw Failure(code: errno) }
        let free = UInt64(information.f_bavail) * UInt64(information.f_frsize)
        try Data(count: Int(free - min(free, bytes))).write(to: URL(filePath: folder.file("ballast")))
    }
}
