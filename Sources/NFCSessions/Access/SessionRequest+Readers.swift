import NFCReaders

extension SessionRequest {
    /// Whether the session takes every reader there is or will be.
    var takesEveryReader: Bool { readers == nil && grantedReaders == .all }

    /// Whether the session takes a reader: it is granted, and named unless none is.
    func takes(_ reader: ReaderDescription) -> Bool {
        grantedReaders.permits(reader) && (readers?.contains { reader.matches($0) } ?? true)
    }

    /// The readers the session is bound to, for people; nil where it takes every one.
    var readerNames: [String]? { readers ?? grantedReaders.whole }
}
