extension Type2Product {
    /// NTAG213: 45 pages, 144 bytes for TLVs (NTAG213/215/216 data sheet, §8.5).
    public static let ntag213 = ntag(
        "NTAG213", pageCount: 45, dataAreaSize: 144, storage: 0x0F,
        dynamicLock: DynamicLockLayout(page: 40, pagesPerBit: 2, lastPage: 39, mask: [0xFF, 0x0F, 0x3F]),
        lockControlTLV: [0x01, 0x03, 0xA0, 0x0C, 0x34])

    /// NTAG215: 135 pages, 504 user bytes of which the capability container declares 496.
    public static let ntag215 = ntag(
        "NTAG215", pageCount: 135, dataAreaSize: 496, storage: 0x11,
        dynamicLock: DynamicLockLayout(page: 130, pagesPerBit: 16, lastPage: 129, mask: [0xFF, 0x00, 0x0F]))

    /// NTAG216: 231 pages, 888 user bytes of which the capability container declares 872.
    public static let ntag216 = ntag(
        "NTAG216", pageCount: 231, dataAreaSize: 872, storage: 0x13,
        dynamicLock: DynamicLockLayout(page: 226, pagesPerBit: 16, lastPage: 225, mask: [0xFF, 0x3F, 0x7F]))

    /// MIFARE Ultralight EV1 with 20 pages and 48 user bytes (MF0ULx1 data sheet).
    public static let mf0ul11 = ultralightEV1("MF0UL11", pageCount: 20, dataAreaSize: 48, storage: 0x0B)

    /// MIFARE Ultralight EV1 with 41 pages and 128 user bytes (MF0ULx1 data sheet).
    public static let mf0ul21 = ultralightEV1(
        "MF0UL21", pageCount: 41, dataAreaSize: 128, storage: 0x0E,
        dynamicLock: DynamicLockLayout(page: 36, pagesPerBit: 2, lastPage: 35, mask: [0xFF, 0x03, 0x1F]),
        lockControlTLV: [0x01, 0x03, 0x90, 0x0A, 0x34])

    /// Every product there is a model of.
    public static let all: [Type2Product] = [ntag213, ntag215, ntag216, mf0ul11, mf0ul21]

    private static func ntag(
        _ name: String, pageCount: Int, dataAreaSize: Int, storage: UInt8,
        dynamicLock: DynamicLockLayout, lockControlTLV: [UInt8] = []
    ) -> Type2Product {
        Type2Product(
            name: name, pageCount: pageCount, dataAreaSize: dataAreaSize,
            version: [0x00, 0x04, 0x04, 0x02, 0x01, 0x00, storage, 0x03],
            features: [.nfcCounter], configurationPage: pageCount - 4,
            configuration: [0x04, 0x00, 0x00, 0xFF, 0x00, 0x05, 0x00, 0x00],
            dynamicLock: dynamicLock, lockControlTLV: lockControlTLV, isDeliveredFormatted: true)
    }

    private static func ultralightEV1(
        _ name: String, pageCount: Int, dataAreaSize: Int, storage: UInt8,
        dynamicLock: DynamicLockLayout? = nil, lockControlTLV: [UInt8] = []
    ) -> Type2Product {
        Type2Product(
            name: name, pageCount: pageCount, dataAreaSize: dataAreaSize,
            version: [0x00, 0x04, 0x03, 0x01, 0x01, 0x00, storage, 0x03],
            features: [.incrementCounter, .virtualCard], configurationPage: pageCount - 4,
            configuration: [0x00, 0x00, 0x00, 0xFF, 0x00, 0x05, 0x00, 0x00],
            dynamicLock: dynamicLock, lockControlTLV: lockControlTLV, isDeliveredFormatted: false)
    }
}
