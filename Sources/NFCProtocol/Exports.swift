// The parameters and results of methods are written with the vocabulary, so whoever imports NFCProtocol has it too.
@_exported public import NFCTypes
