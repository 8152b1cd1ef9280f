import Bucket
import Glibc
import Records
import ServiceManager

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
