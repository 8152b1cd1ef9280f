package import Records
package import Search
import Synchronization
import Threads

/// What a search knows of a vault's photos: read by the first who searches, and brought up to date by every later one.
final class SearchMemory: Sendable {
    struct State {
        /// Nil until somebody searched.
        var columns: SearchColumns?
        /// Photos that were entered, changed or removed since the columns were read.
        var changed: Set<UInt64> = []
        var albumNumbers: [AlbumID: UInt32] = [:]
        var cameras: Set<[UInt8]> = []
        var isFollowing = false
    }

    /// Of those who search a vault at once, one brings the columns up to date, and one looks through them.
    let turns = AsyncLock()
    let state = Mutex(State())
    let knownGroups = ListingMemory<AlikeGroups>()

    /// After the change: whoever takes the numbers finds it.
    func note(_ serials: some Sequence<UInt64>) {
        state.withLock { if $0.isFollowing { $0.changed.formUnion(serials) } }
    }
}

/// Photos of a vault as they stand, and what is called by a name there.
package struct SearchState: Sendable {
    package let columns: SearchColumns
    package let names: SearchNames
    /// As they are compared, by their numbers.
    package let albumNames: [UInt32: [UInt8]]
    package let albums: [UInt32: (id: AlbumID, name: String)]

    /// Places of what a query means, the newest first.
    package func places(_ query: SearchQuery) -> [Int] { columns.places(query, albumNames: albumNames) }
}
