import Logging
import Synchronization

/// What is missing between a reverse proxy and this daemon.
package enum ProxyGap: Sendable, Hashable {
    /// A program hands requests on that `proxies` does not name.
    case proxyNotNamed
    /// A named proxy connects without encryption and does not say whether its client did.
    case schemeNotSaid

    var warning: Logger.Message {
        switch self {
        case .proxyNotNamed:
            """
            a program on this host, such as a reverse proxy or a tunnel, hands requests on. Whoever comes through it is \
            treated as a stranger, and without encryption gets nothing. If it is yours, name its address under proxies \
            in the configuration (proxies: [127.0.0.1], or unix), and let it send X-Forwarded-For and \
            X-Forwarded-Proto; see docs/operations.md
            """
        case .schemeNotSaid:
            """
            a proxy named under proxies sends no X-Forwarded-Proto, so that nobody can know whether its clients' \
            connections are encrypted; they get nothing until it does (nginx: proxy_set_header X-Forwarded-Proto \
            $scheme; HAProxy: http-request set-header X-Forwarded-Proto https if { ssl_fc }; Apache: RequestHeader \
            set X-Forwarded-Proto https)
            """
        }
    }
}

/// Says in the log what is missing, each thing once: strangers must not fill it.
final class ProxyGapNotices: Sendable {
    private let said = Mutex<Set<ProxyGap>>([])
    private let logger: Logger

    init(logger: Logger) {
        self.logger = logger
    }

    func note(_ gap: ProxyGap) {
        guard said.withLock({ $0.insert(gap).inserted }) else { return }
        logger.warning(gap.warning)
    }
}
