import NFCTags

extension HeldTag {
    /// What is counted of a command besides its exchanges.
    enum Counted {
        case read
        case write
    }

    /// Counts a command by its result.
    func counted<Value>(
        _ kind: Counted, _ command: () async throws(TagError) -> Value
    ) async throws(TagError) -> Value {
        do throws(TagError) {
            let value = try await command()
            count(kind, nil)
            return value
        } catch {
            count(kind, error)
            throw error
        }
    }

    private func count(_ kind: Counted, _ failure: TagError?) {
        switch kind {
        case .read: metrics?.countRead(failure)
        case .write: metrics?.countWrite(failure)
        }
    }
}
