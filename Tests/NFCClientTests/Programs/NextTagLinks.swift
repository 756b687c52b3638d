import NFCClient

/// Reads the links on the next tag that comes to any reader.
func linksOnNextTag(socket: String = NFCClient.defaultPath) async throws -> [String] {
    try await NFCClient.withConnection(to: socket) { client in
        try await client.withSession(SessionBegin.Parameters(kind: .ndef, detection: .tags)) { session in
            var links: [String] = []
            for tag in try await session.nextTags() {
                try await tag.connect()
                for record in try await tag.readNDEF().message.records {
                    if case .uri(let uri) = record.decoded { links.append(uri.uri) }
                }
            }
            return links
        }
    }
}
