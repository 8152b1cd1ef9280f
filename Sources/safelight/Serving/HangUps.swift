import Glibc
import ServiceLifecycle
import UnixSignals

/// SIGHUP, which asks a daemon to read its files again, and which a terminal sends when it is closed: neither may end
/// the daemon.
struct HangUps: Service {
    let signals: UnixSignalsSequence
    let certificate: ServedCertificate

    /// Until somebody listens to the signal, and from then on that nobody does any more.
    static func ignore() { signal(SIGHUP, SIG_IGN) }

    func run() async throws {
        for await _ in signals.cancelOnGracefulShutdown() { await certificate.reload() }
        Self.ignore()
    }
}
