import NFCReaders
import NFCTags

extension HeldTag {
    /// Connects to the tag of an arrival, identifies it, and settles as what it is delivered; nil where the session does
    /// not want to hear of it. Unless a tag is returned, nothing is held.
    static func connect(
        _ arrival: TagArrival, on reader: ReaderDescription, driver: any ReaderDriver, kind: SessionRequest.Kind,
        _ options: PollingOptions, metrics: Metrics? = nil
    ) async throws(TagError) -> HeldTag? {
        let contact = try await TagContact.make(arrival, on: reader, driver: driver)
        let rules = CommandRules(
            allowsRawCommands: kind == .tag, selectIdentifiers: options.selectIdentifiers,
            systemCodes: options.systemCodes)
        do throws(TagError) {
            if let delivery = try await TagDetection(contact: contact, options: options).delivery() {
                return HeldTag(contact, as: delivery, rules: rules, metrics: metrics)
            }
        } catch {
            await contact.connection.close()
            throw error
        }
        await contact.connection.close()
        return nil
    }
}
