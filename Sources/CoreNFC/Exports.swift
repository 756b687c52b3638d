// Code written for an iPhone imports CoreNFC alone and uses `Data`, `NSObject` and `DispatchQueue`.
@_exported public import Dispatch
@_exported public import Foundation
