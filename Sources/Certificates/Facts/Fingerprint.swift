import Crypto

/// The SHA-256 of a certificate in DER, as people compare it.
package struct Fingerprint: Sendable, Equatable {
    /// 32 of them.
    package let bytes: [UInt8]

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    init(ofCertificate der: [UInt8]) {
        self.init(bytes: Array(SHA256.hash(data: der)))
    }

    /// `AB:CD:…`, 32 pairs, as browsers and `openssl x509 -fingerprint -sha256` show it.
    package var hex: String {
        bytes.map { byte in
            let digits = String(byte, radix: 16, uppercase: true)
            return digits.count == 1 ? "0" + digits : digits
        }.joined(separator: ":")
    }

    /// Eight words, one for each of the first eight bytes: quicker to compare aloud than hexadecimal digits.
    package var words: [String] { bytes.prefix(8).map { FingerprintWords.all[Int($0)] } }
}
