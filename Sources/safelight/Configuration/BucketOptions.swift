import ArgumentParser
import Bucket
import Glibc
import Records
import ServiceManager
import Synchronization

/// How a bucket is reached, where a command takes one. Keys are no options: others can read those.
struct BucketOptions: ParsableArguments {
    static let aboutKeys =
        "The bucket's keys come from systemd's credentials \(BucketKeys.Credential.id) and \(BucketKeys.Credential.secret), "
        + "or from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN."

    @Option(help: "The store of an s3:// address: https://HOST[:PORT]. Default: AWS_ENDPOINT_URL_S3, else Amazon's.")
    var endpoint: String?

    @Option(help: "The region of the bucket. Default: AWS_REGION, else us-east-1.")
    var region: String?

    @Flag(help: "Name the bucket in the host (BUCKET.HOST), and not in the path. Default: for Amazon's only.")
    var virtualHost = false

    @Flag(help: "Also speak to another computer without encryption; names and sizes are open to the network then.")
    var plainHttp = false

    @Option(help: "A file of the certificate authorities (PEM) that the store is believed by. Default: the system's.")
    var authority: String?

    /// - Throws: `StartFailure` for an address that is none, and where there are no keys
    func client(for text: String) throws -> BucketClient {
        do {
            let address = try BucketAddress(
                text, endpoint: endpoint ?? Self.given("AWS_ENDPOINT_URL_S3"),
                region: region ?? Self.given("AWS_REGION"), namesBucketInHost: virtualHost ? true : nil,
                allowsPlainHTTP: plainHttp)
            let keys = try FoundKeys.ofCopies()
            return BucketClient(address, keys: keys, authorityPath: authority)
        } catch {
            throw StartFailure(error)
        }
    }

    static func isAddress(_ text: String) -> Bool { text.hasPrefix(BucketAddress.scheme) }

    static func given(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}

/// The keys of this process's buckets. What the environment has of them is taken out of it when it is found, and kept for
/// whoever asks next: a copy may go from one bucket to another.
enum FoundKeys {
    private static let kept = Mutex<BucketKeys?>(nil)

    static func ofCopies() throws -> BucketKeys {
        try kept.withLock { kept in
            if let kept { return kept }
            let found = try BucketKeys.find { Credentials.current.path(of: $0) }
            kept = found
            return found
        }
    }

    /// Of the bucket that everything goes along to: those that are named for it alone, or else the same.
    static func ofHome() throws -> BucketKeys {
        let home = [
            BucketKeys.Credential.id: "safelight.objects-key-id",
            BucketKeys.Credential.secret: "safelight.objects-secret",
            BucketKeys.Credential.token: "safelight.objects-token",
        ]
        let path: (String) -> String? = { name in home[name].flatMap { Credentials.current.path(of: $0) } }
        return try path(BucketKeys.Credential.id) == nil ? ofCopies() : BucketKeys.find(credential: path)
    }
}

extension StartFailure {
    /// As `StartFailure.of`, and of what a bucket's store says.
    static func told(_ error: any Error) -> StartFailure {
        guard let error = error as? BucketError else { return .of(error) }
        return StartFailure(
            description: error.description, isOfDisk: error.isPassing, isOfBucket: error.isPassing || error.endsOutside)
    }
}

/// The bucket that everything goes along to, as the configuration names it. Its keys are found as those of copies are.
struct ObjectsSettings: Sendable {
    let place: String
    let endpoint: String?
    let region: String?
    let authority: String?
    /// Bytes of files that are kept here besides; nil: all that there is room for.
    let cacheByteCount: UInt64?
    /// How long a host may give no sign of life until another takes over by itself; nil: for ever.
    let patience: Duration?

    /// Nil where there is none.
    init?(_ values: SettingReader) throws {
        guard let place = values.text(.objects) else { return nil }
        self.place = place
        endpoint = values.text(.objectsEndpoint)
        region = values.text(.objectsRegion)
        authority = values.text(.objectsAuthority)
        cacheByteCount = try values.number(.objectsCache, in: 64...1 << 30).map { UInt64($0) << 20 }
        patience = try values.number(.objectsTakeover, in: 10...86_400).map { .seconds($0) }
    }

    /// - Throws: `StartFailure` for an address that is none, and where there are no keys
    func clients() throws -> (objects: BucketClient, log: BucketClient) {
        do {
            let address = try BucketAddress(
                place, endpoint: endpoint ?? BucketOptions.given("AWS_ENDPOINT_URL_S3"),
                region: region ?? BucketOptions.given("AWS_REGION"))
            let keys = try FoundKeys.ofHome()
            return (
                BucketClient(address, keys: keys, authorityPath: authority),
                BucketClient(address, keys: keys, authorityPath: authority, patience: .short)
            )
        } catch {
            throw StartFailure(error)
        }
    }
}
