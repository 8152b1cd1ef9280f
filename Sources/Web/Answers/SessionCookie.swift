/// The five cookies of this host and the exact fields that set and expire them.
package enum SessionCookie: Sendable {
    /// The session of an open vault.
    case vault
    /// A guest's session.
    case guest
    /// The session of somebody who came to a door. It is sent to the addresses below `/give` alone, so whoever has a vault
    /// or a guest's space open in the same browser keeps that.
    case visitor
    /// The session of somebody who looks through a window, and where that browser was counted.
    case viewer
    /// Says that this browser has opened a vault before; no right goes with it.
    case device

    /// Where a browser keeps cookies, and sends them: a host by the kind of connection, and by the port. A browser does
    /// not tell the ports of one host apart (RFC 6265, section 8.5), where another daemon may be.
    package struct Place: Equatable, Sendable {
        package var isSecure: Bool
        package var port: UInt16

        package init(isSecure: Bool, port: UInt16) {
            self.isSecure = isSecure
            self.port = port
        }

        /// - Parameter host: the value of `Host`: a proxy in between has another port than the browser knows.
        package init(isSecure: Bool, host: String?) {
            let digits = host?.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).last
            let isBracketed = host?.utf8.last == UInt8(ascii: "]")
            let port = host?.utf8.contains(UInt8(ascii: ":")) == true && !isBracketed ? digits : nil
            self.init(isSecure: isSecure, port: port.flatMap { UInt16(Substring($0)) } ?? (isSecure ? 443 : 80))
        }
    }

    /// Over HTTPS the cookies carry the prefix that forbids other hosts and plain HTTP to set them. What was given over
    /// one is not looked at over the other, nor what another port gave.
    package func name(at place: Place) -> String {
        // A cookie with `__Host-` would be sent everywhere (RFC 6265bis, section 4.1.3.2).
        let prefix = place.isSecure ? (self == .visitor ? "__Secure-" : "__Host-") : ""
        let name = "\(prefix)safelight-\(place.port)"
        return switch self {
        case .vault: name
        case .guest: name + "-guest"
        case .visitor: name + "-give"
        case .viewer: name + "-see"
        case .device: name + "-device"
        }
    }

    /// The cookie's value among the request's `Cookie` fields; `nil` when it is missing, given twice with different
    /// values, or of another alphabet than we write.
    package func value(in fields: some Sequence<String>, at place: Place) -> String? {
        let beginning = Array("\(name(at: place))=".utf8)
        var found: ArraySlice<UInt8>?
        for field in fields {
            for pair in Array(field.utf8).split(separator: UInt8(ascii: ";")) {
                let trimmed = pair.trimmingBlanks()
                guard trimmed.starts(with: beginning) else { continue }
                let value = trimmed.dropFirst(beginning.count)
                guard found == nil || found == value else { return nil }
                found = value
            }
        }
        return found.flatMap { Self.isWellFormed($0) ? String(decoding: $0, as: UTF8.self) : nil }
    }

    /// Days for which the browser keeps a cookie.
    private var days: Int {
        switch self {
        // The daemon ends such a session on its last day; a day more leaves that to it.
        case .vault, .guest, .visitor: 32
        // So long a ticket counts.
        case .viewer: 30
        // Browsers cut longer ages to 400 days.
        case .device: 400
        }
    }

    private var path: String { self == .visitor ? "\(PageBase.current)/give" : "/" }

    /// The `Set-Cookie` field that gives the cookie to the browser.
    /// - Parameter isKept: whether the browser keeps it when it is closed.
    package func set(_ value: String, isKept: Bool, at place: Place) -> String {
        let attributes = "Path=\(path); HttpOnly; SameSite=Strict"
        let age = isKept ? "; Max-Age=\(days * 86_400)" : ""
        return "\(name(at: place))=\(value); \(attributes)\(age)\(place.isSecure ? "; Secure" : "")"
    }

    /// The `Set-Cookie` field that takes the cookie away.
    package func expire(at place: Place) -> String {
        "\(name(at: place))=; Path=\(path); HttpOnly; SameSite=Strict; Max-Age=0\(place.isSecure ? "; Secure" : "")"
    }

    private static func isWellFormed(_ value: ArraySlice<UInt8>) -> Bool {
        (1...256).contains(value.count)
            && value.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }
}
