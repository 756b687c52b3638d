import CSQLite
import FoundationEssentials
import Synchronization
import TestSupport

/// A disk that keeps only what was synced when the power fails, and that refuses writes.
///
/// It is below SQLite as a separate file system (vfs.html): the default one, with the functions replaced that write.
/// It applies to the files of one folder.
final class FaultyDisk: Sendable {
    private struct State {
        /// The content of each file when it was last synced.
        var synced: [String: [UInt8]] = [:]
        var operations = 0
        var failsFrom: Int?
        var code = SQLITE_OK
    }

    /// The name of the file system.
    static let name = "faulty"

    private let folder: String
    private let state = Mutex(State())

    init(_ folder: TestFolder) {
        self.folder = folder.path
        FaultyFiles.register
        FaultyFiles.shared.add(self, folder.path)
    }

    deinit {
        FaultyFiles.shared.remove(folder)
    }

    /// How many writes, syncs and truncations there were.
    var operations: Int { state.withLock(\.operations) }

    /// Refuses every operation after some more.
    func fail(after count: Int, _ code: Int32) {
        state.withLock { ($0.failsFrom, $0.code) = ($0.operations + count, code) }
    }

    /// Works again.
    func heal() {
        state.withLock { $0.failsFrom = nil }
    }

    /// Writes what would be on the disk if the power failed now to another folder.
    func cutPower() throws -> TestFolder {
        let result = try TestFolder()
        for (path, content) in state.withLock(\.synced) {
            let name = path.dropFirst(folder.count + 1)
            try Data(content).write(to: URL(filePath: result.file(String(name))))
        }
        return result
    }

    fileprivate func refusal() -> Int32 {
        state.withLock { state in
            state.operations += 1
            return state.failsFrom.map { state.operations > $0 } == true ? state.code : SQLITE_OK
        }
    }

    fileprivate func noteSync(_ path: String, _ content: [UInt8]) {
        state.withLock { $0.synced[path] = content }
    }

    fileprivate func noteDeletion(_ path: String) {
        state.withLock { $0.synced[path] = nil }
    }
}

/// The open files on faulty disks.
private final class FaultyFiles: Sendable {
    typealias Methods = UnsafePointer<sqlite3_io_methods>

    private struct OpenFile: Sendable {
        let disk: FaultyDisk
        let path: String
        let table: MethodTable

        var methods: Methods { table.methods }
    }

    /// The functions of a file; they are never freed.
    private struct MethodTable: Hashable, @unchecked Sendable {
        let methods: Methods
    }

    private typealias FileAddress = UInt

    private struct State: Sendable {
        var disks: [String: Weak] = [:]
        var files: [FileAddress: OpenFile] = [:]
        var replaced: [MethodTable: MethodTable] = [:]
    }

    private struct Weak {
        weak var disk: FaultyDisk?
    }

    static let shared = FaultyFiles()
    private let state = Mutex(State())

    /// Registers the file system with SQLite, once.
    static let register: Void = {
        guard let original = sqlite3_vfs_find(nil) else { return }
        let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        vfs.initialize(to: original.pointee)
        let name = FaultyDisk.name.utf8CString
        let start = UnsafeMutablePointer<CChar>.allocate(capacity: name.count)
        for (index, character) in name.enumerated() { start[index] = character }
        vfs.pointee.zName = UnsafePointer(start)
        vfs.pointee.pNext = nil
        vfs.pointee.xOpen = { _, name, file, flags, outFlags in
            guard let original = sqlite3_vfs_find(nil) else { return SQLITE_ERROR }
            let result = original.pointee.xOpen(original, name, file, flags, outFlags)
            if result == SQLITE_OK, let file, let name { shared.adopt(file, String(cString: name)) }
            return result
        }
        vfs.pointee.xDelete = { _, name, sync in
            guard let original = sqlite3_vfs_find(nil), let name else { return SQLITE_ERROR }
            let path = String(cString: name)
            shared.disk(of: path)?.noteDeletion(path)
            return original.pointee.xDelete(original, name, sync)
        }
        sqlite3_vfs_register(vfs, 0)
    }()

    func add(_ disk: FaultyDisk, _ folder: String) {
        state.withLock { $0.disks[folder] = Weak(disk: disk) }
    }

    func remove(_ folder: String) {
        state.withLock { $0.disks[folder] = nil }
    }

    private func disk(of path: String) -> FaultyDisk? {
        guard let slash = path.lastIndex(of: "/") else { return nil }
        return state.withLock { $0.disks[String(path[..<slash])]?.disk }
    }

    private func adopt(_ file: UnsafeMutablePointer<sqlite3_file>, _ path: String) {
        guard let disk = disk(of: path), let methods = file.pointee.pMethods else { return }
        let (table, address) = (MethodTable(methods: methods), FileAddress(bitPattern: file))
        let replaced = state.withLock { state in
            state.files[address] = OpenFile(disk: disk, path: path, table: table)
            if let known = state.replaced[table] { return known }
            let replaced = MethodTable(methods: Self.replacement(of: table.methods))
            state.replaced[table] = replaced
            return replaced
        }
        file.pointee.pMethods = replaced.methods
    }

    private func openFile(_ file: UnsafeMutablePointer<sqlite3_file>?) -> OpenFile? {
        let address = FileAddress(bitPattern: file)
        return state.withLock { $0.files[address] }
    }

    private func forget(_ file: UnsafeMutablePointer<sqlite3_file>) {
        let address = FileAddress(bitPattern: file)
        state.withLock { $0.files[address] = nil }
    }

    private static func replacement(of methods: Methods) -> Methods {
        let replaced = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        replaced.initialize(to: methods.pointee)
        replaced.pointee.xWrite = { file, bytes, count, offset in
            guard let open = FaultyFiles.shared.openFile(file) else { return SQLITE_IOERR }
            let refusal = open.disk.refusal()
            return refusal == SQLITE_OK ? open.methods.pointee.xWrite(file, bytes, count, offset) : refusal
        }
        replaced.pointee.xTruncate = { file, size in
            guard let open = FaultyFiles.shared.openFile(file) else { return SQLITE_IOERR }
            let refusal = open.disk.refusal()
            return refusal == SQLITE_OK ? open.methods.pointee.xTruncate(file, size) : refusal
        }
        replaced.pointee.xSync = { file, flags in
            guard let file, let open = FaultyFiles.shared.openFile(file) else { return SQLITE_IOERR }
            let refusal = open.disk.refusal()
            guard refusal == SQLITE_OK else { return refusal }
            let result = open.methods.pointee.xSync(file, flags)
            if result == SQLITE_OK { open.disk.noteSync(open.path, FaultyFiles.content(of: file, open.methods)) }
            return result
        }
        replaced.pointee.xClose = { file in
            guard let file, let open = FaultyFiles.shared.openFile(file) else { return SQLITE_IOERR }
            FaultyFiles.shared.forget(file)
            return open.methods.pointee.xClose(file)
        }
        return UnsafePointer(replaced)
    }

    private static func content(of file: UnsafeMutablePointer<sqlite3_file>, _ methods: Methods) -> [UInt8] {
        var size: sqlite3_int64 = 0
        guard methods.pointee.xFileSize(file, &size) == SQLITE_OK else { return [] }
        var bytes = [UInt8](repeating: 0, count: Int(size))
        _ = methods.pointee.xRead(file, &bytes, Int32(size), 0)
        return bytes
    }
}
