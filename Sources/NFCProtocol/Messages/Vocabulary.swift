// The parameters and results of methods are written with the vocabulary, so whoever imports NFCProtocol has it too.
@_exported public import NFCTypes

// The closed lists of words, as values of JSON.

extension TagType: Choice {}
extension MIFAREFamily: Choice {}
extension NDEFStatus: Choice {}
extension LockState: Choice {}
extension TagLayout: Choice {}
extension PollingTechnology: Choice {}
extension ReaderStatus: Choice {}
extension SessionKind: Choice {}
extension SessionDetection: Choice {}
extension SessionState: Choice {}
extension BusyPolicy: Choice {}
