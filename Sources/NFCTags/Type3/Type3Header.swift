/// What the first read tells.
struct Type3Header: Sendable {
    let attribute: Result<AttributeInformation, AttributeFault>
    /// MC of a Lite or Lite-S, where it could be read.
    let configuration: FeliCaLiteConfiguration?

    init(block: [UInt8], configuration: FeliCaLiteConfiguration?) {
        self.configuration = configuration
        do throws(AttributeFault) {
            attribute = .success(try AttributeInformation(block))
        } catch {
            attribute = .failure(error)
        }
    }

    /// Whether the attribute block and at least the first `dataBlocks` behind it can be written without a key.
    func isWritable(_ attribute: AttributeInformation, dataBlocks: Int = 1) -> Bool {
        guard attribute.isWritable else { return false }
        return configuration.map { $0.writableBlocks > dataBlocks } ?? true
    }
}
