@testable import NFCTags

enum FeliCaLimits {
    static func of(_ channel: some FeliCaChannel) -> [Int] { [channel.readLimit, channel.writeLimit] }
}
