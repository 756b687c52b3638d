/// The extension that started nfcd-web, as the browser names it on the command line.
package struct BrowserExtension: Sendable, Hashable, CustomStringConvertible {
    /// `chrome-extension://ID/` in Chromium, the id in Firefox.
    package let description: String

    /// nfcd's own extension in Chromium; the id follows from `key` in its manifest.
    package static let chromium = BrowserExtension("chrome-extension://lnpchfbnbpebodealjjcimoekolinkho/")
    /// nfcd's own extension in Firefox.
    package static let firefox = BrowserExtension("web-nfc@nfcd")

    /// An extension with this name.
    package init(_ name: String) { description = name }

    /// The extension in the arguments after the name of the program: in Chromium its address comes first; Firefox gives the path
    /// of the host manifest, then the id. Nil where the program was not started by a browser.
    package init?(arguments: [String]) {
        if let first = arguments.first, first.hasPrefix("chrome-extension://") {
            self.init(first)
        } else if arguments.count >= 2, arguments[0].hasSuffix(".json"), !arguments[1].hasPrefix("-") {
            self.init(arguments[1])
        } else {
            return nil
        }
    }

    /// Whether nfcd-web serves it.
    ///
    /// - Parameter others: what the configuration allows besides nfcd's own.
    package func isAllowed(others: [String]) -> Bool {
        self == .chromium || self == .firefox || others.contains(description)
    }
}
