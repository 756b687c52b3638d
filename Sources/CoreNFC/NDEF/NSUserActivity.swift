public import Foundation

/// A stand-in for Foundation's class, which Linux lacks, so that code for background tag reading compiles.
///
/// No system delivers one. A program or a test can make one and fill it.
open class NSUserActivity: NSObject {
    /// The type of the activity.
    public let activityType: String
    /// The link that opened the program.
    open var webpageURL: URL?
    /// More about the activity.
    open var userInfo: [AnyHashable: Any]?
    /// The message behind the link; one empty record where NFC was not the cause.
    open var ndefMessagePayload = NFCNDEFMessage(records: [
        NFCNDEFPayload(format: .empty, type: Data(), identifier: Data(), payload: Data())
    ])

    /// An activity of that type.
    public init(activityType: String) {
        self.activityType = activityType
    }
}
