// Records are written with `TypeNameFormat`, so a file that imports NDEF sees the vocabulary too.
@_exported public import NFCTypes
