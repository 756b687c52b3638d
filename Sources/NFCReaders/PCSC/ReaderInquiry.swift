import NFCTags
import PCSC

/// Asks a PC/SC reader for what it is (PC/SC Part 10), over a connection to the reader itself: no tag is needed, and none
/// is touched.
enum ReaderInquiry {
    /// The facts; a driver that gives none, as vpcd, is no error.
    static func run(_ name: ReaderName) -> Result<ReaderFacts, CardChannelError> {
        do throws(PCSCError) {
            let context = try Context()
            let reader = try context.connectDirectly(to: name)
            let features = ReaderFeatures(
                try answer { () throws(PCSCError) in try reader.control(ReaderFeatures.request) })
            let properties = ReaderProperties(
                try answer { () throws(PCSCError) in
                    try features.code(.properties).map { (code) throws(PCSCError) in try reader.control(code) } ?? []
                })
            let serial = try answer { () throws(PCSCError) in try reader.attribute(.serialNumber) }
            return .success(ReaderFacts(features: features, properties: properties, serial: serial))
        } catch {
            return .failure(CardChannelError(error))
        }
    }

    /// One escape command; the reader's answer.
    static func escape(
        _ command: [UInt8], code: UInt32, to name: ReaderName
    ) -> Result<[UInt8], CardChannelError> {
        do throws(PCSCError) {
            let context = try Context()
            let reader = try context.connectDirectly(to: name)
            return .success(try reader.control(code, command))
        } catch {
            return .failure(CardChannelError(error))
        }
    }

    /// What was asked for; nothing where the driver does not have it.
    private static func answer(_ ask: () throws(PCSCError) -> [UInt8]) throws(PCSCError) -> [UInt8] {
        do throws(PCSCError) {
            return try ask()
        } catch {
            guard error.code.kind == .other else { throw error }
            return []
        }
    }
}

extension CardChannelError {
    /// What a failed call of PC/SC means for those who wait for it.
    init(_ error: PCSCError) {
        self =
            switch error.code.kind {
            case .tagLost, .tagReset: .tagLost
            case .busy: .busy
            case .readerLost, .serviceLost: .readerFailed
            case .refused, .other: .transport(code: error.code.rawValue, message: "\(error)")
            }
    }
}
