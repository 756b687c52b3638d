package import ArgumentParser

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What every program does first and last.
package enum ProgramStart {
    /// Prepares the process before its arguments are parsed: a descriptor that is closed stays unusable, and arguments that
    /// are not UTF-8 end the program with 64.
    ///
    /// - Parameter program: the name of the program in messages.
    package static func prepare(_ program: String) {
        reserveStandardDescriptors()
        guard let reason = invalidArgument() ?? invalidVariable() else { return }
        ProgramOutput.complain("\(program): \(reason)")
        exit(EX_USAGE)
    }

    /// Keeps sockets and files off the numbers 0, 1 and 2. What opens next would get the number of a closed standard output,
    /// and lines for a person would be sent to nfcd.
    private static func reserveStandardDescriptors() {
        // Reading from standard input, and writing to the others, fails with EBADF as before.
        for (descriptor, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
        where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
            // The lowest free number is this one: those below are in use.
            _ = open("/dev/null", mode)
        }
    }

    /// Why an argument cannot be used. `CommandLine.arguments` would replace what is not UTF-8 by U+FFFD.
    private static func invalidArgument() -> String? {
        for position in 0..<Int(CommandLine.argc) {
            guard let argument = CommandLine.unsafeArgv[position] else { continue }
            let bytes = bytes(argument)
            guard let offset = UTF8Text.firstInvalid(in: bytes) else { continue }
            return """
                argument \(position) is not UTF-8: byte 0x\(UTF8Text.hexadecimal(bytes[offset])) at its column \
                \(offset + 1), in \(UTF8Text.shown(bytes.prefix(100))). Nothing was done. Convert it to UTF-8, or use a \
                terminal with a UTF-8 locale.
                """
        }
        return nil
    }

    /// Why a variable of nfcd's programs cannot be used. Others are not read.
    private static func invalidVariable() -> String? {
        for bytes in environment().split(separator: 0) {
            let name = bytes.prefix { $0 != UInt8(ascii: "=") }
            guard name.starts(with: "NFCD_".utf8) || name.starts(with: "XDG_".utf8),
                let offset = UTF8Text.firstInvalid(in: bytes)
            else { continue }
            return """
                the environment variable \(UTF8Text.shown(name)) is not UTF-8: byte \
                0x\(UTF8Text.hexadecimal(bytes[bytes.startIndex + offset])) at column \(offset - name.count) of its value. Nothing was done. \
                Convert it to UTF-8.
                """
        }
        return nil
    }

    /// The environment that the program was started with, as bytes.
    private static func environment() -> [UInt8] {
        guard let file = fopen("/proc/self/environ", "re") else { return [] }
        defer { fclose(file) }
        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = fread(&buffer, 1, buffer.count, file)
            if count == 0 { return content }
            content += buffer.prefix(count)
        }
    }

    private static func bytes(_ text: UnsafeMutablePointer<CChar>) -> [UInt8] {
        UnsafeBufferPointer(start: text, count: strlen(text)).map { UInt8(bitPattern: $0) }
    }
}

extension AsyncParsableCommand {
    private static var programName: String { configuration.commandName ?? "" }

    /// Runs the command of the arguments, as the entry point of a program.
    package static func runProgram() async {
        ProgramStart.prepare(programName)
        do {
            try await runParsed()
        } catch {
            finish(with: error)
        }
    }

    /// Parses the arguments and runs their command.
    package static func runParsed() async throws {
        var command = try await asyncParseAsRoot()
        guard var asynchronous = command as? any AsyncParsableCommand else { return try command.run() }
        try await asynchronous.run()
    }

    /// Prints the help, version or error that ends the program, and exits. Unlike `exit(withError:)`, which ignores it, help
    /// that was not delivered is an error.
    package static func finish(with error: any Error) -> Never {
        let code = exitCode(for: error)
        let text = fullMessage(for: error)
        if !text.isEmpty {
            if code.isSuccess {
                ProgramOutput.deliver("\(text)\n", program: programName)
            } else {
                ProgramOutput.complain(text)
            }
        }
        Self.exit(withError: code)
    }
}
