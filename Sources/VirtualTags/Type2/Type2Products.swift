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

    /// NTAG210: 20 pages, 48 bytes for TLVs (NTAG210/212 data sheet).
    public static let ntag210 = ntag(
        "NTAG210", subtype: 0x01, pageCount: 20, dataAreaSize: 48, storage: 0x0B, features: .version)

    /// NTAG212: 41 pages, 128 bytes for TLVs (NTAG210/212 data sheet).
    public static let ntag212 = ntag(
        "NTAG212", subtype: 0x01, pageCount: 41, dataAreaSize: 128, storage: 0x0E, features: .version,
        dynamicLock: DynamicLockLayout(page: 36, pagesPerBit: 2, lastPage: 35, mask: [0xFF, 0x03, 0x1F]),
        lockControlTLV: [0x01, 0x03, 0x90, 0x0A, 0x34])

    /// MIFARE Ultralight: 16 pages, READ and WRITE only (MF0ICU1 data sheet).
    public static let ultralight = silent("MIFARE Ultralight", pageCount: 16, dataAreaSize: 48)

    /// MIFARE Ultralight C: 48 pages, of which the last four hold a key and cannot be read (MF0ICU2 data sheet).
    public static let ultralightC = silent(
        "MIFARE Ultralight C", pageCount: 48, dataAreaSize: 144, features: .tripleDES,
        // The counter, AUTH0 at 48: no page is protected, AUTH1, then the key 49 45 4D … 46 as it is stored.
        behindData: [0, 0, 0, 0, 0x30, 0, 0, 0, 0, 0, 0, 0]
            + [
                0x42, 0x52, 0x45, 0x41, 0x4B, 0x4D, 0x45, 0x49, 0x46, 0x59, 0x4F, 0x55, 0x43, 0x41, 0x4E, 0x21,
            ],
        dynamicLock: DynamicLockLayout(page: 40, further: [41...41, 42...42, 43...43, 44...47]),
        lockControlTLV: [0x01, 0x03, 0xA0, 0x10, 0x44])

    /// NTAG203: 42 pages, READ and WRITE only (NTAG203 data sheet). The counter in page 41 is plain memory here.
    public static let ntag203 = silent(
        "NTAG203", pageCount: 42, dataAreaSize: 144,
        dynamicLock: DynamicLockLayout(page: 40, further: [41...41]),
        lockControlTLV: [0x01, 0x03, 0xA0, 0x10, 0x44], isDeliveredFormatted: true)

    /// Every product there is a model of.
    public static let all: [Type2Product] = [
        ntag213, ntag215, ntag216, mf0ul11, mf0ul21, ntag210, ntag212, ntag203, ultralight, ultralightC,
    ]

    private static func silent(
        _ name: String, pageCount: Int, dataAreaSize: Int, features: Type2Features = [], behindData: [UInt8] = [],
        dynamicLock: DynamicLockLayout? = nil, lockControlTLV: [UInt8] = [], isDeliveredFormatted: Bool = false
    ) -> Type2Product {
        Type2Product(
            name: name, pageCount: pageCount, dataAreaSize: dataAreaSize, version: [], features: features,
            configurationPage: nil, configuration: behindData, dynamicLock: dynamicLock,
            lockControlTLV: lockControlTLV, isDeliveredFormatted: isDeliveredFormatted)
    }

    private static func ntag(
        _ name: String, subtype: UInt8 = 0x02, pageCount: Int, dataAreaSize: Int, storage: UInt8,
        features: Type2Features = [.version, .readCounter, .nfcCounter], dynamicLock: DynamicLockLayout? = nil,
        lockControlTLV: [UInt8] = []
    ) -> Type2Product {
        Type2Product(
            name: name, pageCount: pageCount, dataAreaSize: dataAreaSize,
            version: [0x00, 0x04, 0x04, subtype, 0x01, 0x00, storage, 0x03],
            features: features, configurationPage: pageCount - 4,
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
            features: [.version, .readCounter, .incrementCounter, .virtualCard], configurationPage: pageCount - 4,
            configuration: [0x00, 0x00, 0x00, 0xFF, 0x00, 0x05, 0x00, 0x00],
            dynamicLock: dynamicLock, lockControlTLV: lockControlTLV, isDeliveredFormatted: false)
    }
}
