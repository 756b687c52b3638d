public import NFCTags

extension ReaderDriver {
    /// Shows or sounds at a reader how an operation ended, if it is to and has a way. Some readers answer only when they have
    /// done so, so nobody must be waiting for the reader; where the tag is gone or something fails, nothing happens.
    public func signal(_ kind: ReaderFeedback.Kind, on reader: ReaderDescription) async {
        guard reader.givesFeedback, let feedback = reader.profile.feedback(kind) else { return }
        switch feedback.route {
        case .escape: await escape(feedback.command, to: reader.id)
        case .transmit:
            guard let connection = try? await connect(to: reader.id) else { return }
            _ = try? await connection.transmit(feedback.command)
            await connection.close()
        }
    }
}
