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
    case clockWrong
    /// The folder of the certificates cannot be used, or a file in it cannot be written.
    case folderUnusable(path: String, reason: String)
}
