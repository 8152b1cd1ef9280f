import HTTPTypes
import Hummingbird
package import Vaults

/// What `safelight guests` shows. Days since 1970.
package struct GuestSpacePayload: Codable, Sendable, Equatable {
    package var id: String
    package var firstDay: UInt32
    package var lastDay: UInt32
    package var photos: Int
    package var unfinished: Int
    package var bytes: UInt64

    package init(_ space: GuestSpace) {
        id = space.id
        firstDay = space.firstDay
        lastDay = space.lastDay
        photos = space.photoCount
        unfinished = space.unfinishedCount
        bytes = space.byteCount
    }
}

/// Which spaces are to be ended, and how many were.
package struct GuestEndPayload: Codable, Sendable {
    package var ids: [String]

    package init(ids: [String]) { self.ids = ids }
}

package struct GuestEndAnswer: Codable, Sendable {
    package var count: Int
}

/// Guests' spaces are shown to, and ended by, the user of the daemon alone: by the socket in the data directory. Anybody
/// on the host may reach an address of loopback.
struct GuestSpaceRoutes {
    /// More than any list of spaces takes.
    private static let mostByteCount = 4 << 20

    let service: VaultService

    func add(to routes: RouteTable) {
        routes.on(.get, "/guests") { _, context in
            try Response(
                from: context.allowance, status: .ok,
                json: await service.guestSpaces().rows(from: context.allowance, GuestSpacePayload.init))
        }
        routes.on(.post, "/guests/end") { request, context in
            let wanted = try await request.decodeJSON(GuestEndPayload.self, limit: Self.mostByteCount, context)
            return try Response(
                from: context.allowance, status: .ok,
                json: GuestEndAnswer(count: try await service.endGuests(wanted.ids)))
        }
    }

}
