/// The three cookies of this host and the exact fields that set and expire them.
package enum SessionCookie: Sendable {
    /// The session of an open vault.
    case vault
    /// A guest's session.
    case guest
    /// Says that this browser has opened a vault before; no right goes with it.
    case device

    /// Over HTTPS the cookies carry the prefix that forbids other hosts and plain HTTP to set them. What was given over
    /// one is not looked at over the other.
    package func name(secure: Bool) -> String {
        switch self {
        case .vault: secure ? "__Host-safelight" : "safelight"
        case .guest: secure ? "__Host-safelight-guest" : "safelight-guest"
        case .device: secure ? "__Host-safelight-device" : "safelight-device"
        }
    }

    /// The cookie's value among the request's `Cookie` fields; `nil` when it is missing, given twice with different
    /// values, or of another alphabet than we write.
    package func value(in fields: some Sequence<String>, secure: Bool) -> String? {
        let beginning = Array("\(name(secure: secure))=".utf8)
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
        case .vault, .guest: 32
        // Browsers cut longer ages to 400 days.
        case .device: 400
        }
    }

    /// The `Set-Cookie` field that gives the cookie to the browser.
    /// - Parameter isKept: whether the browser keeps it when it is closed.
    package func set(_ value: String, isKept: Bool, secure: Bool) -> String {
        let attributes = "Path=/; HttpOnly; SameSite=Strict"
        let age = isKept ? "; Max-Age=\(days * 86_400)" : ""
        return "\(name(secure: secure))=\(value); \(attributes)\(age)\(secure ? "; Secure" : "")"
    }

    /// The `Set-Cookie` field that takes the cookie away.
    package func expire(secure: Bool) -> String {
        "\(name(secure: secure))=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0\(secure ? "; Secure" : "")"
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
