import Bytes
import Records
import Sealing
package import Store

/// Cookies of devices that have opened a vault here: 16 random bytes and their MAC under a key of the host. They open
/// nothing of anybody; they give a device its own lane in the throttle, so that a stranger's guesses cannot lock the
/// family out, and bring keys of the daemon's own vaults (`GhostVaults`).
package struct DeviceCookies: Sendable {
    private static let metaKey = "device-key"
    private let key: SharedSecret

    /// Blocking. Draws the key at the first start.
    package static func load(from ledger: Ledger) throws -> DeviceCookies {
        if let stored = try ledger.readBlocking({ try $0.metaValue(metaKey) }), stored.count == 32 {
            return DeviceCookies(key: SharedSecret(try SecretBytes(copying: stored)))
        }
        let drawn = try randomBytes(32)
        try ledger.commitBlocking(
            LedgerChange(mayUseReserve: true) { transaction, _ in
                try transaction.setMetaValue(metaKey, drawn)
            })
        return DeviceCookies(key: SharedSecret(try SecretBytes(copying: drawn)))
    }

    /// The 32 bytes of a cookie that no device has yet.
    package func draw() throws -> [UInt8] {
        let identity = try randomBytes(16)
        return identity + (try mac("cookie", identity).prefix(16))
    }

    package static func text(_ cookie: [UInt8]) -> String { Base64URL.encode(cookie) }

    /// The first 16 bytes of a cookie that this host issued; nil for any other text.
    package func identity(of cookie: String) -> [UInt8]? { bytes(of: cookie).map { Array($0.prefix(16)) } }

    /// The 32 bytes of a cookie that this host issued; nil for any other text.
    package func bytes(of cookie: String) -> [UInt8]? {
        guard let bytes = Base64URL.decode(cookie), bytes.count == 32,
            let expected = try? mac("cookie", Array(bytes.prefix(16)))
        else {
            return nil
        }
        let isOurs = expected.prefix(16).withUnsafeBytes { expected in
            bytes.suffix(16).withUnsafeBytes { constantTimeEquals(expected, $0) }
        }
        return isOurs ? bytes : nil
    }

    /// What stands in the throttle table for an address or a device.
    func throttleKey(_ bytes: [UInt8]) throws -> [UInt8] { Array(try mac("throttle", bytes).prefix(16)) }

    private func mac(_ purpose: String, _ bytes: [UInt8]) throws -> [UInt8] {
        var mac = try HMACSHA256(key: key.bytes)
        return try mac.authenticate(Array(purpose.utf8), [0], bytes)
    }
}
