// Records are written with `TypeNameFormat`, so whoever imports NDEF has the vocabulary too.
@_exported public import NFCTypes
