// Error codes and tag types are part of every interface of NFCTags, so a file that imports it sees the vocabulary too.
@_exported public import NFCTypes
