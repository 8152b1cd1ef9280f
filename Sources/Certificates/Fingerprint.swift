/// The SHA-256 of a certificate in DER, as people compare it.
package struct Fingerprint: Sendable, Equatable {
    /// 32 of them.
    package let bytes: [UInt8]
}
