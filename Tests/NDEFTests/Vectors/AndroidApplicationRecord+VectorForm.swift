import NDEF

extension AndroidApplicationRecord {
    var vectorForm: VectorValue { ["kind": "aar", "package": .string(package)] }
}
