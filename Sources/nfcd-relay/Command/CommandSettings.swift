import RelayProtocol
import ServiceSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A `[[command]]` of relay.toml.
struct CommandSettings: SinkSettings {
    static let kind = RelayStatus.Kind.command

    /// The program, by its absolute path, and its arguments. No shell reads them.
    let run: [String]
    /// How long a run may take.
    let timeout: Duration

    var longestWait: Duration { .seconds(60) }

    init(run: [String], timeout: Duration = .seconds(10)) {
        self.run = run
        self.timeout = timeout
    }

    init(
        _ table: String, of source: inout ConfigurationSource, _ secrets: SecretReader
    ) throws(ConfigurationError) {
        let key = "\(table).run"
        let example = "run = [\"/usr/local/bin/on-tap\"]"
        guard let run = try source.list(key, limit: 64, expected: "a text", { $0.utf8.contains(0) ? nil : $0 }) else {
            throw source.missing("run", in: table, example: example)
        }
        guard let program = run.first else { throw source.wrong(key, "the list is empty; write \(example)") }
        guard program.hasPrefix("/") else {
            throw source.wrong("\(key)[0]", "expected the absolute path of a program: \(example)")
        }
        guard access(program, X_OK) == 0 else {
            throw source.wrong(
                "\(key)[0]",
                "\(program) cannot be run: \(String(cString: strerror(errno))); correct the path, or run chmod +x")
        }
        self.run = run
        timeout = try source.seconds("\(table).timeout", 1...3_600) ?? .seconds(10)
    }

    func makeSink(_ context: SinkContext) throws -> any Sink {
        CommandSink(self, logger: context.logger, name: context.consumer)
    }
}
