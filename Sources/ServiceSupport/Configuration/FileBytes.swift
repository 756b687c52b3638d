#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The bytes of a regular file: the one that is checked is the one that is read, and no pipe or device is waited for.
package enum FileBytes {
    /// Why a file was not read.
    package struct Failure: Error {
        /// In the words of the system, mostly.
        package let reason: String
        /// What the check of the caller found.
        package var objection: ConfigurationError?
    }

    /// Opens a file, checks it, and reads it.
    ///
    /// - Parameter check: checks the path while the file is open.
    /// - Returns: nil where the file is longer.
    package static func read(
        _ file: String, atMost limit: Int, _ check: () throws(ConfigurationError) -> Void = {}
    ) throws(Failure) -> [UInt8]? {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw Failure(reason: String(cString: strerror(errno))) }
        defer { close(descriptor) }
        var (opened, named) = (stat(), stat())
        guard fstat(descriptor, &opened) == 0, opened.st_mode & S_IFMT == S_IFREG else {
            throw Failure(reason: "it is not a file")
        }
        do throws(ConfigurationError) {
            try check()
        } catch {
            throw Failure(reason: error.description, objection: error)
        }
        guard stat(file, &named) == 0, named.st_ino == opened.st_ino, named.st_dev == opened.st_dev else {
            throw Failure(reason: "it was replaced meanwhile; try again")
        }
        return try bytes(descriptor, limit)
    }

    private static func bytes(_ descriptor: Int32, _ limit: Int) throws(Failure) -> [UInt8]? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        defer { wipe(&buffer) }
        while bytes.count <= limit {
            let count = buffer.withUnsafeMutableBytes {
                #if canImport(Glibc)
                    Glibc.read(descriptor, $0.baseAddress, $0.count)
                #else
                    Musl.read(descriptor, $0.baseAddress, $0.count)
                #endif
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Failure(reason: String(cString: strerror(errno))) }
            guard count > 0 else { return bytes }
            bytes += buffer.prefix(count)
        }
        return nil
    }

    /// Overwrites bytes that are secret, in a way that the compiler keeps.
    package static func wipe(_ bytes: inout [UInt8]) {
        bytes.withUnsafeMutableBytes { bytes in
            if let start = bytes.baseAddress { explicit_bzero(start, bytes.count) }
        }
    }
}
