import Foundation

extension Data {
    /// The same bytes, counted from 0. A slice counts from where it was cut, and on an iPhone nothing handed over does.
    var fromZero: Data { startIndex == 0 ? self : Data(Array(self)) }
}
