import ISO7816

/// Which NDEF application a Type 4 Tag has; the two versions select their files differently.
enum Type4Application: Sendable, Hashable, CaseIterable {
    /// `D2760000850101`, mapping version 2 and up.
    case version2
    /// `D2760000850100`, mapping version 1.
    case version1

    /// The name of the application.
    var name: [UInt8] { [0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, self == .version2 ? 0x01 : 0x00] }
    /// P2 of SELECT by file identifier: 0C asks for no answer data, version 1 has 00.
    var fileSelectionParameter: UInt8 { self == .version2 ? 0x0C : 0x00 }
}

/// A capability container and the application it was found in.
struct Type4Layout: Sendable, Hashable {
    let application: Type4Application
    let container: Type4CapabilityContainer
    let file: Type4FileControl
}

/// The result of the search for the NDEF application.
enum Type4Discovery: Sendable, Hashable {
    case found(Type4Layout)
    /// No NDEF, and why.
    case none(String)
}

/// Finds the NDEF application and its files.
struct Type4Finder: Sendable {
    static let containerIdentifier: UInt16 = 0xE103

    private let card: ISO7816Stack

    init(card: ISO7816Stack) { self.card = card }

    /// Selects the application, version 2 first, and reads its capability container.
    func discover() async throws(TagError) -> Type4Discovery {
        var refusal = StatusWord.success
        for application in Type4Application.allCases {
            refusal = try await select(application)
            if refusal.isSuccess { return try await discover(in: application) }
        }
        return .none("no NDEF application: \(refusal)")
    }

    private func discover(in application: Type4Application) async throws(TagError) -> Type4Discovery {
        let answer = try await select(Self.containerIdentifier, in: application)
        guard answer.isSuccess else { return .none("no capability container: \(answer)") }
        let bytes: [UInt8]
        do throws(TagError) {
            bytes = try await readContainer()
        } catch {
            guard let statusWord = error.statusWord, !statusWord.isSuccess else { throw error }
            return .none("the capability container cannot be read: \(statusWord)")
        }
        guard let container = Type4CapabilityContainer(bytes) else { return .none("no capability container") }
        guard container.isValid, let file = container.file else {
            return .none(container.faults.map(\.description).joined(separator: "; "))
        }
        return .found(Type4Layout(application: application, container: container, file: file))
    }

    /// The first 15 bytes, as some phones offer exactly that, then the rest. Where CCLEN is larger than the file, what can be read
    /// is enough if it names a file for the message.
    private func readContainer() async throws(TagError) -> [UInt8] {
        let size = Type4CapabilityContainer.minimumSize
        let head = try await BinaryFile(card: card, maximumReadSize: size, maximumWriteSize: 1).read(0..<size)
        guard let container = Type4CapabilityContainer(head), container.length > size else { return head }
        let file = BinaryFile(
            card: card, maximumReadSize: max(container.maximumReadSize, size), maximumWriteSize: 1)
        let end = min(container.length, Type4CapabilityContainer.sizeLimit)
        var bytes = head
        do throws(TagError) {
            while bytes.count < end { bytes += try await file.read(at: bytes.count, count: end - bytes.count) }
        } catch {
            guard error.statusWord != nil, Type4CapabilityContainer(bytes)?.file != nil else { throw error }
        }
        return bytes
    }
}

extension Type4Finder {
    /// Selects an application by name and returns the status word.
    func select(_ application: Type4Application) async throws(TagError) -> StatusWord {
        try await card.send(0x00, 0xA4, 0x04, 0x00, data: application.name, expectedLength: 256).statusWord
    }

    /// Selects a file by its identifier and returns the status word.
    func select(_ identifier: UInt16, in application: Type4Application) async throws(TagError) -> StatusWord {
        let bytes = [UInt8(truncatingIfNeeded: identifier >> 8), UInt8(truncatingIfNeeded: identifier)]
        return try await card.send(0x00, 0xA4, 0x00, application.fileSelectionParameter, data: bytes).statusWord
    }
}
