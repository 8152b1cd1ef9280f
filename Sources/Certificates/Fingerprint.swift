/// The SHA-256 of a certificate in DER, as people compare it.
package struct Fingerprint: Sendable, Equatable {
    /// 32 of them.
    package let bytes: [UInt8]

    /// `AB:CD:…`, 32 pairs, as browsers and `openssl x509 -fingerprint -sha256` show it.
    package var hex: String { "" }

    /// Eight words, one for each of the first eight bytes: quicker to compare aloud than hexadecimal digits.
    package var words: [String] { [] }
}
