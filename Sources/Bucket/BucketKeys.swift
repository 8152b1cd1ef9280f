import Glibc
package import Sealing

/// What a store knows its customer by. From systemd's credentials, or from the usual variables of the environment; never
/// from the configuration's text or an argument, which others can read.
package struct BucketKeys: Sendable {
    package struct Unusable: Error, CustomStringConvertible {
        package let description: String
    }

    /// Of the credentials that systemd hands over.
    package enum Credential {
        package static let id = "safelight.bucket-key-id"
        package static let secret = "safelight.bucket-secret"
        package static let token = "safelight.bucket-token"
    }

    /// Tells which key it is, and is sent with every request.
    let id: String
    /// With `AWS4` before it: the form that signatures begin with.
    let signingSecret: SharedSecret
    /// Of keys that last some hours.
    let sessionToken: SharedSecret?

    /// - Throws: `Unusable` for what cannot be a key, and what `SecretBytes` throws.
    package init(id: String, secret: borrowing SecretBytes, sessionToken: consuming SecretBytes?) throws {
        guard (1...256).contains(id.utf8.count),
            id.utf8.allSatisfy({ (0x21...0x7e).contains($0) && $0 != 0x2c && $0 != 0x2f })
        else { throw Unusable(description: "The id of the bucket's key has characters that no such id has.") }
        self.id = id
        let beginning = Array("AWS4".utf8)
        signingSecret = try secret.withUnsafeBytes { secret in
            SharedSecret(
                try SecretBytes(count: beginning.count + secret.count) { target in
                    target.copyBytes(from: beginning)
                    UnsafeMutableRawBufferPointer(rebasing: target[beginning.count...]).copyMemory(from: secret)
                })
        }
        if let sessionToken { self.sessionToken = SharedSecret(sessionToken) } else { self.sessionToken = nil }
    }

    /// From systemd's credentials where they are there, else from the environment, whose values are overwritten in this
    /// process. Blocking.
    /// - Parameter credential: the path of a credential; nil where none of that name was handed over
    package static func find(credential: (_ name: String) -> String?) throws -> BucketKeys {
        if let keys = try inCredentials(credential) { return keys }
        guard let id = take("AWS_ACCESS_KEY_ID").flatMap({ text($0) }), let secret = take("AWS_SECRET_ACCESS_KEY")
        else {
            throw Unusable(
                description: "There are no keys for the bucket. Give them as the credentials \(Credential.id) and "
                    + "\(Credential.secret) of systemd, or in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.")
        }
        return try BucketKeys(id: id, secret: secret.bytes, sessionToken: take("AWS_SESSION_TOKEN")?.bytes.duplicate())
    }

    private static func inCredentials(_ credential: (String) -> String?) throws -> BucketKeys? {
        guard let idPath = credential(Credential.id),
            let id = try text(read(idPath, Credential.id))
        else { return nil }
        guard let secretPath = credential(Credential.secret) else {
            throw Unusable(description: "The credential \(Credential.secret) is missing.")
        }
        let token = try credential(Credential.token).map { try read($0, Credential.token) }
        return try BucketKeys(
            id: id, secret: read(secretPath, Credential.secret).bytes, sessionToken: token?.bytes.duplicate())
    }

    /// White space at its end does not count.
    private static func read(_ path: String, _ name: String) throws -> SharedSecret {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Unusable(description: "The credential \(name) cannot be read.") }
        defer { close(descriptor) }
        var count = 0
        let whole = try SecretBytes(count: 16 * 1024) { buffer in
            while count < buffer.count {
                let read = Glibc.read(descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count)
                guard read > 0 else { break }
                count += read
            }
        }
        return try whole.withUnsafeBytes { bytes in
            let trimmed = bytes[..<count].reversed().drop { [0x0a, 0x0d, 0x20].contains($0) }.count
            guard trimmed > 0 else { throw Unusable(description: "The credential \(name) is empty.") }
            return SharedSecret(try SecretBytes(copying: UnsafeRawBufferPointer(rebasing: bytes[..<trimmed])))
        }
    }

    /// What was read is gone from the environment, so that no child and no dump of this process has it.
    private static func take(_ name: String) -> SharedSecret? {
        guard let value = getenv(name), strlen(value) > 0 else { return nil }
        let bytes = UnsafeMutableRawBufferPointer(start: value, count: strlen(value))
        defer {
            explicit_bzero(value, bytes.count)
            unsetenv(name)
        }
        guard let copy = try? SecretBytes(copying: UnsafeRawBufferPointer(bytes)) else { return nil }
        return SharedSecret(copy)
    }

    private static func text(_ secret: SharedSecret) -> String? {
        secret.bytes.withUnsafeBytes { String(validating: $0, as: UTF8.self) }
    }
}
