import NFCClient
import NFCProtocol
import RelayProtocol

/// The state of nfcd-relay, and its configuration.
struct RelayState: Sendable {
    /// The result of querying nfcd-relay.
    enum Answer: Sendable {
        case answered(RelayStatus.Result)
        /// No process listens on the control socket.
        case notRunning
        /// The user may not open the control socket.
        case notPermitted
        /// The request failed for another reason.
        case failed(String)
    }

    let answer: Answer
    /// The path of the control socket.
    let path: String
    let start: RelayInstructions
    let configuration: RelayConfigurationFile

    /// - Parameter answer: the result of querying the relay on the control socket.
    init(_ answer: Answer, path: String, _ files: any SystemFiles, _ host: Host) {
        self.answer = answer
        self.path = path
        start = RelayInstructions(path: path, files, host)
        configuration = RelayConfigurationFile(start.configuration ?? "/etc/nfcd/relay.toml", files, host)
    }

    /// Whether taps have to be delivered.
    var hasConsumers: Bool {
        if case .answered(let status) = answer { !status.consumers.isEmpty } else { configuration.hasConsumers }
    }
}

/// relay.toml, and the result of checking it.
struct RelayConfigurationFile: Sendable {
    let path: String
    /// Whether it, or a file of relay.d beside it, describes a consumer; false if none can be read.
    let hasConsumers: Bool
    /// The result of `nfcd-relay --check`; nil if it was not run.
    let checkResult: CommandResult?

    init(_ path: String, _ files: any SystemFiles, _ host: Host) {
        self.path = path
        let folder = "\(path.hasSuffix(".toml") ? String(path.dropLast(5)) : path).d"
        let parts = files.names(in: folder).filter { $0.hasSuffix(".toml") }.map { "\(folder)/\($0)" }
        hasConsumers = ([path] + parts).contains { Self.describesConsumer($0, files) }
        let relay = hasConsumers ? SystemPrograms.find("nfcd-relay", files, host) : nil
        checkResult = relay.flatMap { host.run([$0, "--check", "--config", path]) }
    }

    private static func describesConsumer(_ path: String, _ files: any SystemFiles) -> Bool {
        files.lines(path).contains { line in
            ["[[mqtt]]", "[[webhook]]", "[[command]]"].contains { line.hasPrefix($0) }
        }
    }

    /// The first line of what is wrong with it; nil if nothing is, or if the user may not read the secrets that it names.
    var problem: String? {
        guard let checkResult, checkResult.status == 78, !checkResult.output.contains("cannot be read") else {
            return nil
        }
        let line = checkResult.output.prefix { !$0.isNewline }
        return String(line.hasPrefix("nfcd-relay: ") ? line.dropFirst(12) : line)
    }
}

/// Queries the state of nfcd-relay, with a time limit.
struct RelayProbe: Sendable {
    let path: String
    var limit: Duration = .seconds(5)

    /// The result of `relay.status`.
    func answer() async -> RelayState.Answer {
        await withTaskGroup(of: RelayState.Answer?.self) { group in
            group.addTask { await query() }
            group.addTask {
                try? await Task.sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next().flatMap(\.self) ?? .failed("it does not answer within \(limit)")
        }
    }

    private func query() async -> RelayState.Answer {
        do {
            return .answered(try await NFCClient.answering(at: path) { try await $0.call(RelayStatus.self) })
        } catch NFCClientError.noDaemon {
            return .notRunning
        } catch NFCClientError.notPermitted {
            return .notPermitted
        } catch {
            return .failed("\(error)")
        }
    }
}
