import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The files of the machine that this runs on.
struct MachineFiles: SystemTree {
    func bytes(_ path: String, limit: Int) -> [UInt8]? {
        // A named pipe that nobody writes to must not hold us.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while content.count < limit {
            let count = buffer.withUnsafeMutableBytes { readRetrying(descriptor, into: $0) }
            guard count > 0 else { return count == 0 ? content : nil }
            content += buffer.prefix(min(count, limit - content.count))
        }
        return content
    }

    func names(in folder: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.prefix(Self.mostNames).sorted()
    }

    func linkedName(_ path: String) -> String? {
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
        return target?.split(separator: "/").last.map(String.init)
    }

    func canRead(_ path: String) -> Bool { access(path, R_OK) == 0 }

    func canRun(_ path: String) -> Bool { access(path, X_OK) == 0 && facts(path)?.isFolder == false }

    func facts(_ path: String) -> FileFacts? {
        var info = stat()
        guard stat(path, &info) == 0 else { return nil }
        return FileFacts(
            mode: info.st_mode & 0o7777, user: info.st_uid, group: info.st_gid,
            isFolder: info.st_mode & S_IFMT == S_IFDIR)
    }
}
