// What Foundation of an iPhone has and that of Linux lacks, as far as code with CoreNFC uses it.

public import Foundation

extension NSObjectProtocol {
    /// Whether the object is of a class, or of one that inherits from it.
    public func isKind(of aClass: AnyClass) -> Bool {
        func isInstance<Class>(_ type: Class.Type) -> Bool { self is Class }
        return _openExistential(aClass, do: isInstance)
    }

    /// Whether the object is of exactly this class.
    public func isMember(of aClass: AnyClass) -> Bool {
        type(of: self as AnyObject) == aClass
    }
}

/// The type of an activity that opens a link.
///
/// Observed: apps compare ``NSUserActivity/activityType`` with this text, and Apple documents the name.
public let NSUserActivityTypeBrowsingWeb: String = "NSUserActivityTypeBrowsingWeb"

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

extension Data {
    /// The same bytes, counted from 0. A slice counts from where it was cut, and on an iPhone nothing handed over does.
    ///
    /// Whatever leaves the module goes through this, or is made of an array.
    var fromZero: Data { startIndex == 0 ? self : Data(Array(self)) }
}
