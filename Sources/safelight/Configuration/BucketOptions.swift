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
