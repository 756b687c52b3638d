/// A card with DESFire's native commands, wrapped into class 90, next to the ISO/IEC 7816-4 ones: MIFARE DESFire EV1
/// with an NDEF application, NTAG 424 DNA.
///
/// No authentication ever succeeds: a challenge is given, every answer to it is wrong. So what needs a key is refused.
public struct DESFireCard: ContactlessCard {
    /// The card.
    public let product: DESFireProduct
    /// Seven bytes.
    public let identifier: [UInt8]
    /// 80: no more is said.
    public var historicalBytes: [UInt8] { [0x80] }

    var files: CardFileSystem
    var pending: NativePending?
    private var isActive = false

    /// A card with a message.
    ///
    /// - Parameters:
    ///   - identifier: seven bytes, nil for one made up for the product.
    ///   - ndefMessage: a raw NDEF message; nil and empty both mean no message.
    ///   - isWritable: whether the message may be written without a key.
    /// - Throws: ``VirtualTagError`` for an identifier of another length or a message that does not fit.
    public init(
        product: DESFireProduct, identifier: [UInt8]? = nil, ndefMessage: [UInt8]? = nil, isWritable: Bool = true
    ) throws(VirtualTagError) {
        self.product = product
        self.identifier = try Type4Content.identifier(
            identifier, default: [0x04, 0x44, 0x45, product.hardware[3], product.hardware[5], 0x5A, 0x80])
        files = CardFileSystem(
            applications: [try product.application(message: ndefMessage ?? [], isWritable: isWritable)],
            rules: product.rules)
    }

    /// A card with the content of these files; where the product has others, they are as delivered.
    ///
    /// Whether the message may be written without a key is what the capability container, E103, says.
    ///
    /// - Throws: ``VirtualTagError`` for an identifier of another length.
    public init(
        product: DESFireProduct, identifier: [UInt8], files contents: [UInt16: [UInt8]]
    ) throws(VirtualTagError) {
        let access = contents[Type4Content.containerIdentifier]?.dropFirst(14).first
        try self.init(product: product, identifier: identifier, isWritable: access != 0xFF)
        files.replaceContents(contents)
    }

    /// The content of the files of the NDEF application by their identifiers.
    var contents: [UInt16: [UInt8]] { files.contents }

    /// The file of the message as it is now.
    public var messageFile: [UInt8] { files.applications.first?.files.dropFirst().first?.bytes ?? [] }

    /// Selects the tag; nothing is selected on it.
    public mutating func activate() {
        forget()
        isActive = true
    }

    /// Takes the field away.
    public mutating func fieldDropped() {
        forget()
        isActive = false
    }

    /// Answers one command.
    public mutating func exchange(_ command: [UInt8]) -> TagAnswer {
        guard isActive else { return .silence }
        guard let command = CardCommand(command) else { return .data(StatusWord.wrongLength) }
        if command.instructionClass == 0x90 { return .data(performNative(command)) }
        pending = nil
        return .data(files.perform(command))
    }

    private mutating func forget() {
        files.reset()
        pending = nil
    }
}
