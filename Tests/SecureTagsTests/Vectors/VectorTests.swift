import Cryptography
import Testing

@testable import SecureTags

/// Published values of data sheets, application notes and other programs, computed by this code.
@Suite("Published vectors") struct VectorTests {
    typealias Computation = @Sendable (VectorRow) throws -> [String: VectorRow.Value]

    static let computations: [String: Computation] = [
        "sdm_session_keys": SUNVectors.sessionKeys, "sdm_picc_decrypt": SUNVectors.piccData,
        "sdm_mac": SUNVectors.code, "sdm_verify": SUNVectors.verify, "sdm_verify_plain": SUNVectors.verifyPlain,
        "sdm_verify_lrp": SUNVectors.verifyLRP, "file_settings": SUNVectors.fileSettings,
        "ndef_offsets": SUNVectors.offsets,
        "ev2_auth_first": SessionVectors.authenticate, "ev2_auth_nonfirst": SessionVectors.authenticateAgain,
        "ev2_auth_first_observed": SessionVectors.observed, "ev2_session_keys": SessionVectors.sessionKeys,
        "ev2_iv": SessionVectors.vector, "ev2_exchange": SessionVectors.exchange,
        "change_key_plain": SessionVectors.keyChange,
        "lrp_plaintexts": LRPVectors.plaintexts, "lrp_updated_keys": LRPVectors.updatedKeys,
        "lrp_evaluate": LRPVectors.evaluate, "lricb_encrypt": LRPVectors.encrypt, "lrp_cmac": LRPVectors.cmac,
        "lrp_session": LRPVectors.master, "lrp_auth_first": LRPVectors.authenticate,
        "lrp_exchange": LRPVectors.exchange,
        "an10922": KeyVectors.diversify, "boltcard_keys": KeyVectors.boltcard,
        "sdm_backend_key": KeyVectors.sdmBackend, "aes_cmac": KeyVectors.aesCMAC, "tdes_cmac": KeyVectors.tripleDESCMAC,
        "tdes_cmac_subkeys": KeyVectors.subkeys, "crc32_desfire": KeyVectors.checkSum,
        "tmac_session_keys": KeyVectors.transactionMAC, "originality_p224": KeyVectors.originality,
        "slix_xor": KeyVectors.icode,
        "ev1_aes_auth": DESFireVectors.authenticateAES, "iso_des_auth": DESFireVectors.authenticateISO,
        "d40_des_auth": DESFireVectors.authenticateD40, "d40_block": DESFireVectors.block,
        "ev1_change_key_from_des": DESFireVectors.keyChange, "ulc_auth_observed": DESFireVectors.ultralightC,
        "ulc_auth": DESFireVectors.ultralightC,
    ]

    @Test(.enabled(if: VectorRow.isAvailable, "secure-tags.jsonl is not available"), arguments: VectorRow.all)
    func `a published value is computed`(row: VectorRow) throws {
        let compute = try #require(Self.computations[row.operation], "\(row.operation) is not known")
        #expect(row.differences(try compute(row)).isEmpty)
    }

    @Test(.enabled(if: VectorRow.isAvailable, "secure-tags.jsonl is not available"))
    func `all 133 rows are read, and computed`() {
        #expect(VectorRow.all.count == 133)
        let right = VectorRow.all.filter { row in
            guard let compute = Self.computations[row.operation], let results = try? compute(row) else { return false }
            return row.differences(results).isEmpty
        }
        #expect(right.count == 133)
    }
}
