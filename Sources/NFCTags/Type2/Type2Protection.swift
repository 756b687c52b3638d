/// What keeps a Type 2 tag from being written, besides the static lock bytes.
struct Type2Protection: Sendable, Hashable {
    /// Bytes 0 to 2 of the dynamic lock page, nil where there is none.
    let dynamicLock: [UInt8]?
    /// CFG0 and CFG1, 8 bytes, nil where the product has none.
    let configuration: [UInt8]?
    /// AUTH0 and AUTH1 of MIFARE Ultralight C, 8 bytes, nil on others.
    let keyAccess: [UInt8]?

    /// AUTH0: the first page that needs the password or key; 255 where none does.
    var firstProtectedPage: Int { Int(keyAccess?.first ?? configuration?.dropFirst(3).first ?? 0xFF) }
    /// PROT, or bit 0 of AUTH1 clear: reading needs it as well.
    var protectsReading: Bool { keyAccess.map { ($0.dropFirst(4).first ?? 0) & 1 == 0 } ?? (access & 0x80 != 0) }
    /// CFGLCK: the configuration cannot be changed any more.
    var isConfigurationLocked: Bool { access & 0x40 != 0 }
    /// AUTHLIM: how many wrong passwords are taken, 0 for any number.
    var attemptLimit: Int { Int(access & 0x07) }

    private var access: UInt8 { configuration?.dropFirst(4).first ?? 0 }
}

extension Type2Tag {
    /// Reads the dynamic lock page and the configuration; one exchange where they lie side by side.
    func protection(of product: Type2Product) async throws(TagError) -> Type2Protection {
        var reader = self.reader
        reader.fastReadable = nil
        var memory = LazyMemory(reader: reader, pageSize: Self.pageSize, pageCount: product.readablePages)
        return Type2Protection(
            dynamicLock: try await bytes(of: product.locks?.page, count: 3, in: &memory),
            configuration: try await bytes(of: product.configurationPage, count: 8, in: &memory),
            keyAccess: try await bytes(of: product == .ultralightC ? 42 : nil, count: 8, in: &memory))
    }

    private func bytes(of page: Int?, count: Int, in memory: inout LazyMemory) async throws(TagError) -> [UInt8]? {
        guard let page else { return nil }
        let range = page * Self.pageSize..<page * Self.pageSize + count
        try await memory.load(range)
        guard case .bytes(let bytes) = memory.image.contents(of: [range]) else { return nil }
        return bytes
    }
}
