import ArgumentParser
import FoundationEssentials
import NFCProtocol
import VirtualTags

/// What a shell proposes for values that are known only when Tab is pressed.
extension CompletionKind {
    /// The readers of the running daemon, by id; none if it does not answer soon.
    static var readers: CompletionKind {
        .custom { words, index, prefix in await ReaderCompletion(words, index).candidates(prefix) }
    }

    /// The products of virtual tags, and files.
    static var tagModelsAndFiles: CompletionKind {
        .custom { _, _, prefix in TagModelCompletion.candidates(prefix) }
    }
}

/// The readers that are proposed for `--reader`.
struct ReaderCompletion: Sendable {
    /// The option `--socket` of the command line.
    let socket: String?

    /// A shell waits for the answer.
    private static let limit = Duration.seconds(2)

    /// - Parameters:
    ///   - words: the words of the command line.
    ///   - index: the index of the word to be completed.
    init(_ words: [String], _ index: Int) {
        let option = words.lastIndex(of: "--socket")
        socket = option.flatMap { place in
            place + 1 < words.count && place + 1 != index ? words[place + 1] : nil
        }
    }

    /// The ids that begin with a text.
    func candidates(_ prefix: String) async -> [String] {
        let path = SocketPath.client(option: socket, environment: ProcessInfo.processInfo.environment) {
            FileManager.default.fileExists(atPath: $0)
        }
        let probe = DaemonProbe(path: path, hasSocket: false, limit: Self.limit, startLimit: .zero)
        let readers = await probe.status().state?.readers ?? []
        return readers.map(\.reader).filter { $0.hasPrefix(prefix) }
    }
}

/// The values that are proposed for the tag of `virtual-tag`.
enum TagModelCompletion {
    /// The products and files that begin with a text. Hidden files are not proposed.
    static func candidates(_ prefix: String) -> [String] {
        let models = VirtualTagModel.all.map(\.name) + [SecurityKeyOptions.model]
        return models.filter { $0.hasPrefix(prefix) } + files(prefix)
    }

    private static func files(_ prefix: String) -> [String] {
        let folder = prefix.lastIndex(of: "/").map { String(prefix[...$0]) } ?? ""
        let files = MachineFiles()
        return files.names(in: folder.isEmpty ? "." : folder).filter { !$0.hasPrefix(".") }
            .map { folder + $0 }
            .filter { $0.hasPrefix(prefix) }
            .map { files.attributes($0)?.isFolder == true ? "\($0)/" : $0 }
    }
}
