/// The prefixes that one byte stands for (NFC Forum RTD URI 1.0, §3.2.2).
enum URIPrefix {
    /// The prefixes in the order of their codes, 00 to 23.
    static let all = [
        "", "http://www.", "https://www.", "http://", "https://", "tel:", "mailto:", "ftp://anonymous:anonymous@",
        "ftp://ftp.", "ftps://", "sftp://", "smb://", "nfs://", "ftp://", "dav://", "news:",
        "telnet://", "imap:", "rtsp://", "urn:", "pop:", "sip:", "sips:", "tftp:",
        "btspp://", "btl2cap://", "btgoep://", "tcpobex://", "irdaobex://", "file://", "urn:epc:id:", "urn:epc:tag:",
        "urn:epc:pat:", "urn:epc:raw:", "urn:epc:", "urn:nfc:",
    ]

    /// The prefix of that code, or nil where the code is reserved.
    static func string(for code: UInt8) -> String? {
        all.indices.contains(Int(code)) ? all[Int(code)] : nil
    }

    /// The code of the longest prefix that the URI starts with, and its length in bytes; code 0 where none fits.
    static func longest(of uri: String) -> (code: UInt8, length: Int) {
        var best: (code: UInt8, length: Int) = (0, 0)
        // Bytes, not characters: a combining mark after a prefix must not hide it.
        for (code, prefix) in zip(UInt8(0)..., all)
        where prefix.utf8.count > best.length && uri.utf8.starts(with: prefix.utf8) {
            best = (code, prefix.utf8.count)
        }
        return best
    }
}
