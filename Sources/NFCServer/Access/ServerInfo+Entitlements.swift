import NFCProtocol
import NFCSessions

extension ServerInfo.Entitlements {
    /// What a caller may do. Without simulated readers nobody can `simulate`.
    init(_ entitlements: Entitlements, isSimulating: Bool) {
        self.init(
            formats: Entitlements.Format.allCases.filter(entitlements.formats.contains).map(\.rawValue),
            capabilities: Entitlements.Capability.allCases
                .filter { entitlements.capabilities.contains($0) && ($0 != .simulate || isSimulating) }
                .map(\.rawValue),
            iso7816SelectIdentifiers: entitlements.selectIdentifiers.listed { HexBytes($0).description },
            feliCaSystemCodes: entitlements.systemCodes.listed {
                HexBytes([UInt8($0 >> 8), UInt8($0 & 0xFF)]).description
            },
            readers: entitlements.readers.listed { $0 })
    }
}

extension Entitlements.Names {
    /// The names as a list; `*` stands for all.
    fileprivate func listed(_ text: (Name) -> String) -> [String] {
        switch self {
        case .all: ["*"]
        case .some(let names): names.map(text).sorted()
        }
    }
}
