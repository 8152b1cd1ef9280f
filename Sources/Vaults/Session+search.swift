import Media
package import Records
package import Search
package import Vault

extension Session {
    /// Finding photos.
    package var search: Search { Search(session: self) }

    /// Photos by what is typed, and photos that look alike. Of a guest: its own.
    package struct Search: Sendable {
        let session: Session

        // MARK: By what is typed

        /// - Parameters:
        ///   - text: as typed; nothing of it is kept.
        ///   - cursor: that of the page before.
        ///   - skipped: how many photos that follow are left out.
        /// - Throws: `invalidCursor`.
        package func find(
            _ text: String, cursor: String? = nil, skipping skipped: Int = 0, limit: Int = 500
        ) async throws -> FoundPhotos {
            try await find(text, in: nil, cursor, skipped, limit)
        }

        /// Those of a month. What was understood is told as by `find`.
        package func find(
            _ text: String, in month: CalendarMonth, cursor: String?, skipping skipped: Int, limit: Int = 500
        ) async throws -> FoundPhotos {
            try await find(text, in: .some(month), cursor, skipped, limit)
        }

        private func find(
            _ text: String, in month: CalendarMonth?, _ cursor: String?, _ skipped: Int, _ limit: Int
        ) async throws -> FoundPhotos {
            let before = try cursor.map(session.photos.timelinePlace)
            let limit = min(max(1, limit), 1000)
            let found = try await searching { state, today in
                let query = SearchQuery(text, today: today, names: state.names)
                let places = state.places(query)
                let columns = state.columns
                let wanted = places.filter { place in
                    guard columns.isBehind(before, place) else { return false }
                    return month.map { columns.shownAt[place].isWithin($0) } ?? true
                }
                let shown = wanted.dropFirst(skipped)
                return Found(
                    understood: query.parts.map { UnderstoodPart($0, in: state) }, count: places.count,
                    photos: shown.prefix(limit).map { columns.found($0) }, isLast: shown.count <= limit)
            }
            return FoundPhotos(
                understood: found.understood, count: found.count,
                page: PhotoPage(
                    photos: try await photos(found.photos),
                    cursor: found.isLast
                        ? nil : found.photos.last.map { "\($0.shownAt).\(session.handle($0.serial))" }))
        }

        /// Months with photos that are found, the newest first.
        package func months(_ text: String) async throws -> [(month: CalendarMonth, count: Int)] {
            try await searching { state, today in
                var months: [(month: CalendarMonth, count: Int)] = []
                for place in state.places(SearchQuery(text, today: today, names: state.names)) {
                    let moment = state.columns.shownAt[place]
                    if let last = months.last, moment >= last.month.milliseconds {
                        months[months.count - 1].count += 1
                    } else {
                        months.append((CalendarMonth(milliseconds: moment), 1))
                    }
                }
                return months
            }
        }

        private struct Found: Sendable {
            let understood: [UnderstoodPart]
            let count: Int
            let photos: [FoundPhoto]
            let isLast: Bool
        }

        func searching<R: Sendable>(
            _ body: @escaping @Sendable (SearchState, CalendarDate) throws -> R
        ) async throws -> R {
            let vault = try session.requireVault()
            let found = try await vault.library.searching(on: session.engine.threads) { state in
                let today = HostZone.wallClock(of: Int64(bitPattern: Milliseconds.now))
                return try body(state, CalendarDate(daysSinceEpoch: Int(today.dividedDown(by: 86_400_000).quotient)))
            }
            // A vault that was locked meanwhile tells nothing.
            _ = try session.requireVault()
            return found
        }

        /// In their order; those that went meanwhile are left out.
        private func rows(_ serials: [UInt64]) async throws -> [LibraryPhoto] {
            let library = try session.requireVault().library
            var rows: [UInt64: LibraryPhoto] = [:]
            for start in stride(from: 0, to: serials.count, by: 500) {
                let part = serials[start..<min(start + 500, serials.count)]
                for row in try await library.photosOrKept(serials: part) where row.deletedAt == nil {
                    rows[row.serial] = row
                }
            }
            _ = try session.requireVault()
            return serials.compactMap { rows[$0] }
        }

        /// In their order; those that went meanwhile are left out.
        private func photos(_ found: [FoundPhoto]) async throws -> [Photo] {
            let rows = Dictionary(try await rows(found.map(\.serial)).map { ($0.serial, $0) }) { first, _ in first }
            return found.compactMap { place in
                guard let row = rows[place.serial] else { return nil }
                var photo = session.photo(row)
                photo.details.liveVideo = place.video.map(session.handle)
                photo.details.raw = place.raw.map(session.handle)
                return photo
            }
        }

        // MARK: By how they look

        package static let mostSimilar = 200

        /// Photos that look like one, the nearest first.
        /// - Throws: `noSuchPhoto`.
        package func similar(to id: String) async throws -> [(photo: Photo, distance: Double)] {
            let wanted = try await session.libraryPhoto(id, in: try session.requireVault())
            let found = try await searching { state, _ in
                let columns = state.columns
                guard let place = columns.serials.firstIndex(of: wanted.serial) else {
                    return [] as [(FoundPhoto, Float)]
                }
                return columns.similar(to: place, most: Self.mostSimilar).map { (columns.found($0.place), $0.distance) }
            }
            let distances = Dictionary(found.map { (session.handle($0.0.serial), $0.1) }) { first, _ in first }
            return try await photos(found.map(\.0)).map { photo in
                (photo, (Double(distances[photo.id] ?? 0) * 10_000).rounded() / 10_000)
            }
        }

        /// Groups of a page at most; of a page with large ones fewer.
        private static let groupsPerPage = 100
        private static let photosPerPage = 1000

        /// Photos of which there is more than one, those with the newest first. What may be a copy on this page is compared
        /// from then on.
        /// - Parameter deadline: until then what is compared is waited for.
        /// - Throws: `invalidCursor`.
        package func duplicates(
            cursor: String?, until deadline: ContinuousClock.Instant? = nil
        ) async throws -> AlikePage {
            let page = try await alikePage(cursor)
            guard page.comparing > 0, let deadline else { return page }
            // The vault is not held: its keys end with its last session.
            if let event = try session.requireVault().pictures.whenCompared() {
                await Pictures.wait(for: event, until: deadline)
            }
            return try await alikePage(cursor)
        }

        private func alikePage(_ cursor: String?) async throws -> AlikePage {
            let before = try cursor.map(groupPlace)
            let groups = try await session.requireVault().library.alikeGroups(on: session.engine.threads).groups
            let start = before.map { before in groups.firstIndex { $0.place < before } ?? groups.count } ?? 0
            var page = AlikePage(unseen: try await session.requireVault().library.unseenCount())
            var (end, count) = (start, 0)
            while end < groups.count, end - start < Self.groupsPerPage, end == start || count < Self.photosPerPage {
                let group = groups[end]
                let shown = group.serials.prefix(Self.photosPerPage)
                let rows = try await rows(Array(shown))
                count += rows.count
                end += 1
                // Of a group of which one is left, nothing is twice.
                guard rows.count > 1 else { continue }
                let photos = rows.map(session.photo)
                if group.isBurst {
                    page.bursts.append(AlikePage.Group(photos: photos))
                } else {
                    let copies = try copies(group, rows, &page)
                    page.groups.append(AlikePage.Group(photos: photos, copies: copies))
                }
            }
            page.unseen += page.comparing
            if end < groups.count, end > start {
                let last = groups[end - 1]
                page.cursor = "\(last.shownAt).\(session.handle(last.newest)).\(last.isBurst ? 1 : 0)"
            }
            return page
        }

        /// Ids of those that are known to be copies; the others are compared from now on.
        private func copies(
            _ group: AlikeGroups.Group, _ rows: [LibraryPhoto], _ page: inout AlikePage
        ) throws -> [String] {
            // Where the best one is gone, another one is, and has not been looked at as such.
            guard let best = rows.first, best.serial == group.serials[0] else { return [] }
            let worker = try session.requireVault().pictures
            let pairs = rows.dropFirst().filter { group.candidates.contains($0.serial) }
                .map { PhotoPair(best: best, copy: $0) }
            let unknown = pairs.filter { worker.isCopy($0) == nil }
            worker.compare(unknown)
            page.comparing += unknown.count
            return pairs.filter { worker.isCopy($0) == true }.map { session.handle($0.copy.serial) }
        }

        private func groupPlace(_ cursor: String) throws -> AlikeGroups.Place {
            let parts = cursor.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 3, let shownAt = Int64(parts[0]), let serial = try? session.serial(parts[1]),
                parts[2] == "0" || parts[2] == "1"
            else { throw VaultError.invalidCursor }
            return AlikeGroups.Place(shownAt: shownAt, newest: serial, isBurst: parts[2] == "1")
        }
    }
}

/// One of what was found.
private struct FoundPhoto: Sendable {
    let serial: UInt64
    let shownAt: Int64
    /// The serial of the video of a Live Photo.
    let video: UInt64?
    /// That of the raw file of the same shot.
    let raw: UInt64?
}

extension SearchColumns {
    fileprivate func found(_ place: Int) -> FoundPhoto {
        FoundPhoto(serial: serials[place], shownAt: shownAt[place], video: video(of: place), raw: raw(of: place))
    }

    fileprivate func isBehind(_ before: TimelinePlace?, _ place: Int) -> Bool {
        guard let before else { return true }
        return (shownAt[place], serials[place]) < (before.shownAt, before.serial)
    }
}

extension Int64 {
    /// A moment of the timeline.
    fileprivate func isWithin(_ month: CalendarMonth) -> Bool {
        self >= month.milliseconds && self < month.next.milliseconds
    }
}

/// What a query has found.
package struct FoundPhotos: Sendable {
    package let understood: [UnderstoodPart]
    /// Of all pages.
    package let count: Int
    package let page: PhotoPage
}

/// Groups of photos, in each the best first.
package struct AlikePage: Sendable {
    package struct Group: Sendable {
        package var photos: [Photo]
        /// Ids of those that are surely no more than copies of the best.
        package var copies: [String] = []
    }

    package var groups: [Group] = []
    package var bursts: [Group] = []
    /// Photos that nobody has looked into yet, so that what they look like is not known, and those that are compared.
    package var unseen = 0
    /// Photos of this page that may be copies, and are compared now.
    package var comparing = 0
    package var cursor: String?
}

/// A part of a query, with the id of an album or a place where it names one.
package struct UnderstoodPart: Sendable {
    package let part: SearchQuery.Part
    package let album: (id: AlbumID, name: String)?
    /// `PlaceNames.id`, where it names a place: of several the largest.
    package let place: String?

    init(_ part: SearchQuery.Part, in state: SearchState) {
        self.part = part
        if case .album(let number) = part.meaning { album = state.albums[number] } else { album = nil }
        if case .place(let names) = part.meaning {
            place = names.first.flatMap { state.names.places?.id($0) }
        } else {
            place = nil
        }
    }
}
