package enum ListenerError: Error, Equatable {
    /// The connection, or the client's direction of it, ended within a request's body.
    case bodyEndedEarly
    /// The endpoint cannot be listened on. The reason is for the owner of the host.
    case cannotListen(Endpoint, reason: String)
    /// The listening socket failed later on.
    case stoppedListening(Endpoint)
}

extension ListenerError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .bodyEndedEarly: "the connection ended within a request's body"
        case .cannotListen(let endpoint, let reason): "cannot listen on \(endpoint): \(reason)"
        case .stoppedListening(let endpoint): "the socket of \(endpoint) failed"
        }
    }
}

extension Endpoint: CustomStringConvertible {
    package var description: String {
        switch self {
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path, _): "unix:\(path)"
        case .inherited(let descriptor): "inherited socket \(descriptor)"
        }
    }
}
