package import FoundationEssentials
package import Listener
package import Logging
package import NIOCore

/// The certificates of a host that nobody gave one: an authority of its own, which devices can trust once, and below
/// it a certificate for every name and address of the host, renewed by itself. Kept in `<data>/tls/`.
package final class HostCertificates: TLSSource, Sendable {
    /// - Parameters:
    ///   - folder: made with mode 0700 if it is absent; the folder around it must exist
    ///   - names: asked on a thread that may block, whenever a certificate is made or looked over
    ///   - isClockTrusted: asked on a thread that may block
    package init(
        folder: String,
        names: @escaping @Sendable () -> CertificateNames,
        isClockTrusted: @escaping @Sendable () -> Bool,
        now: @escaping @Sendable () -> Date = { Date() },
        logger: Logger
    ) {}

    /// Loads the certificates, or makes them where there are none. Safe to call again. Failures are logged; TLS is
    /// unavailable then, and every later connection tries again.
    package func prepare() async {}

    /// Of the authority. Nil while nothing could be made, such as while the clock is wrong.
    package var facts: CertificateFacts? { nil }

    /// Renews the host's certificate if a third of its life is left, or if a name or an address is missing in it.
    package func renewIfDue() async {}

    package func offer(for local: SocketAddress?) -> TLSOffer { .unavailable }
}
