/// Why a certificate cannot be used or made. The descriptions are for the owner of the host.
package enum CertificateError: Error, Equatable {
    case fileUnreadable(path: String, reason: String)
    case noCertificate(path: String)
    case certificateUnusable(path: String, reason: String)
    case noKey(path: String)
    case keyEncrypted(path: String)
    case keyUnusable(path: String, reason: String)
    case keyMismatch(certificatePath: String, keyPath: String)
    /// Nothing is made while the clock is plainly wrong: it would be refused by every device, now or later.
    case clockWrong(reason: String)
    /// The folder of the certificates cannot be used, or a file in it cannot be written.
    case folderUnusable(path: String, reason: String)
    /// A certificate could not be put together.
    case notMade(reason: String)
}

extension CertificateError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .fileUnreadable(let path, let reason): "\(path) cannot be read: \(reason)."
        case .noCertificate(let path):
            "\(path) holds no certificate in PEM form (text between \"BEGIN CERTIFICATE\" and \"END CERTIFICATE\")."
        case .certificateUnusable(let path, let reason): "The certificate in \(path) cannot be used: \(reason)."
        case .noKey(let path):
            "\(path) holds no private key in PEM form (text between \"BEGIN PRIVATE KEY\" and \"END PRIVATE KEY\")."
        case .keyEncrypted(let path):
            "The key in \(path) is protected by a passphrase, which nobody can type when the daemon starts. Write it "
                + "without one: openssl pkey -in \(path) -out NEW.key"
        case .keyUnusable(let path, let reason): "The key in \(path) cannot be used: \(reason)."
        case .keyMismatch(let certificatePath, let keyPath):
            "The key in \(keyPath) does not belong to the first certificate in \(certificatePath). The host's own "
                + "certificate must come first, then those that issued it."
        case .clockWrong(let reason): "No certificate is made while the clock is wrong: \(reason)."
        case .folderUnusable(let path, let reason): "\(path) cannot be used for certificates: \(reason)."
        case .notMade(let reason): "The certificate could not be made: \(reason)."
        }
    }
}
