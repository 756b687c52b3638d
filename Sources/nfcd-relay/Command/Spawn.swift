import CSpawn

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Starts a program (posix_spawn(3)): in a new session, in the directory `/`, with default signals and three descriptors.
enum Spawn {
    /// A code of errno(3).
    struct Failure: Error {
        let code: Int32
    }

    /// - Parameters:
    ///   - arguments: the path of the program, and its arguments.
    ///   - environment: `NAME=value`.
    ///   - input: becomes standard input.
    ///   - output: becomes standard output and standard error.
    static func start(
        _ arguments: [String], _ environment: [String], input: Int32, output: Int32
    ) -> Result<pid_t, Failure> {
        guard let program = arguments.first else { return .failure(Failure(code: ENOENT)) }
        var child: pid_t = 0
        let code = withStrings(arguments) { arguments in
            withStrings(environment) { cspawn_start(program, arguments, $0, input, output, &child) }
        }
        return code == 0 ? .success(child) : .failure(Failure(code: code))
    }

    private static func withStrings<Value>(
        _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Value
    ) -> Value {
        let copies: [UnsafeMutablePointer<CChar>?] = texts.map { strdup($0) } + [nil]
        defer { for copy in copies { free(copy) } }
        return body(copies)
    }
}
