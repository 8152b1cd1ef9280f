import Bucket
import Records
import Store

/// The bucket that everything goes along to, tried before anything is trusted to it.
struct Tier: Sendable {
    let remote: BucketObjects
    private let clients: (objects: BucketClient, log: BucketClient)

    /// Nil where the configuration names none.
    /// - Throws: `StartFailure`, also where the store does not do what it must.
    static func open(_ settings: ObjectsSettings?) async throws -> Tier? {
        guard let settings else { return nil }
        let tier = try forReading(settings)
        do {
            try await tier.requireGood()
            return tier
        } catch {
            await tier.close()
            throw StartFailure.told(error)
        }
    }

    /// For who changes nothing there: what the store does with that matters to nobody.
    static func forReading(_ settings: ObjectsSettings) throws -> Tier {
        let clients = try settings.clients()
        return Tier(remote: BucketObjects(client: clients.objects, quick: clients.log), clients: clients)
    }

    func close() async {
        await clients.objects.shutdown()
        await clients.log.shutdown()
    }

    private func requireGood() async throws {
        let lacks = try await clients.log.lacks(StoreTrial.Question.neededByTier)
        guard lacks.isEmpty else {
            throw StartFailure(
                description: "The store of \(remote.place) cannot be trusted with more than copies. It lacks: "
                    + lacks.joined(separator: "; ")
                    + ". Remove objects from the configuration, or choose another store (safelight bucket --check). "
                    + "Nothing was changed.")
        }
    }
}
