import CLinux
import Glibc
import ServiceLifecycle
import ServiceManager
import UnixSignals

/// SIGHUP, which asks a daemon to read its files again, and which a terminal sends when it is closed: neither may end
/// the daemon.
struct ReloadSignal: Service {
    let signals: UnixSignalsSequence
    let certificate: ServedCertificate
    let supervisor: Supervisor

    /// Until somebody listens to the signal, and from then on that nobody does any more.
    static func ignore() { signal(SIGHUP, SIG_IGN) }

    func run() async throws {
        for await _ in signals.cancelOnGracefulShutdown() {
            // By that time the service manager tells a reload from an older one.
            await supervisor.tell(
                .reloading(microseconds: UInt64(linux_clock_nanoseconds(CLOCK_MONOTONIC) / 1000)),
                .status("Reading the certificate again."))
            await certificate.reload()
            await supervisor.tell(.ready, .status("Serving."))
        }
        Self.ignore()
    }
}
