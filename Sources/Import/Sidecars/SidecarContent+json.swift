import Media

extension SidecarContent {
    /// What Google Takeout, Ente, Immich and immich-go write beside photos, and the lists of other places.
    init(json bytes: [UInt8]) {
        guard let value = JSONValue.parse(bytes) else {
            self = .unread(UnreadSidecar(problem: UnreadSidecar.broken))
            return
        }
        let damaged: Set = value.hasDamagedWords ? [SidecarNote.damagedWords] : []
        if var note = SidecarNote(takeout: value) ?? SidecarNote(immich: value) {
            note.unkept.formUnion(damaged)
            self = .note(note)
        } else if let (list, unread) = ListedNote.list(flickr: value) ?? ListedNote.list(snapchat: value) {
            self = .list(list, unread: unread.union(damaged))
        } else if let (title, unkept) = Self.album(value) {
            self = .album(title: title, unkept: unkept.union(damaged))
        } else if let (list, unread) = ListedNote.list(meta: value) {
            self = .list(list, unread: unread.union(damaged))
        } else {
            let unread = UnreadSidecar(naming: value)
            self = Self.accompanies(value, unread) ? .accompaniment : .unread(unread)
        }
    }

    /// `metadata.json` in an album's folder, whatever its name is in other languages; and Ente's `album_meta.json`.
    private static func album(_ value: JSONValue) -> (title: String, unkept: Set<String>)? {
        let inner = value["albumData"] ?? value
        let isAlbum = inner["access"]?.string != nil || inner["date"]?.isObject == true || inner["enrichments"] != nil
        if isAlbum || value["albumData"] != nil {
            return (inner["title"]?.words.map(EscapedText.plain) ?? "", unkept(ofAlbum: inner))
        }
        guard let name = value["albumName"]?.words ?? (value["owner_id"] == nil ? nil : value["name"]?.words) else {
            return nil
        }
        return (name, value["description"]?.words == nil ? [] : [SidecarNote.descriptions])
    }

    private static let membersOfAlbum: Set<String> = ["title", "access", "date", "location", "geoInfo", "url"]

    private static func unkept(ofAlbum album: JSONValue) -> Set<String> {
        let words = ["description": SidecarNote.descriptions, "enrichments": "texts between its photos"]
        var members = album.words(besides: membersOfAlbum)
        if album["description"]?.words != nil { members.insert("description") }
        return Set(members.map { words[$0] ?? SidecarNote.unknown($0) })
    }

    /// Lists that Takeout puts beside the albums: those of which nothing is of a photo, and others that are empty.
    private static func accompanies(_ value: JSONValue, _ unread: UnreadSidecar) -> Bool {
        guard unread.names.isEmpty else { return false }
        return ["subscriptions", "externalIds", "printOrders"].contains { value[$0] != nil }
            || !unread.hasWords
                && ["shared_albums", "sharedAlbumComments", "memories"].contains { value[$0] != nil }
    }
}

extension SidecarNote {
    /// That of a photo of Google's, and Ente's, which is made after it.
    init?(takeout value: JSONValue) {
        guard let title = value["title"]?.string, let time = Self.takenTime(value) else { return nil }
        self.init()
        self.title = title
        let stamp = time["timestamp"]?.double
        takenAt =
            stamp.flatMap(CaptureTime.init(sidecarSeconds:))
            ?? (stamp == nil ? time["formatted"]?.string.flatMap(CaptureTime.init(sidecarFormatted:)) : nil)
            // Ente's own program writes no more than the moment.
            ?? time.string.flatMap(CaptureTime.init(sidecarText:))
        correctsTime = takenAt != nil && !Self.isUpload(takenAt, value)
        // What the person has put right comes before what the file said.
        place = Self.place(value["geoData"])
        correctsPlace = place != nil
        place = place ?? Self.place(value["geoDataExif"]) ?? Self.place(value["location"])
        caption = value["description"]?.words.map(EscapedText.plain)
        isFavourite = says(value, "favorited")
        isTrashed = says(value, "trashed")
        isArchived = says(value, "archived")
        nameUnkept(ofTakeout: value, time)
    }

    static let descriptions = "descriptions"

    static func unknown(_ member: String) -> String { "texts under \(member)" }

    /// What Google and Ente write beside photos and is none of a person's words.
    private static let membersOfTakeout: Set<String> = [
        "title", "description", "imageViews", "creationTime", "modificationTime", "photoTakenTime", "geoData",
        "geoDataExif", "people", "url", "googlePhotosOrigin", "photoLastModifiedTime", "favorited", "trashed",
        "archived", "appSource", "locked", "location", "info",
    ]

    private mutating func nameUnkept(ofTakeout value: JSONValue, _ time: JSONValue) {
        if value["people"]?.hasWords == true { unkept.insert(Self.people) }
        unkept.formUnion(value.words(besides: Self.membersOfTakeout).map(Self.unknown))
        if caption == nil, value["description"]?.hasWords == true { unkept.insert(Self.unknown("description")) }
        // A moment that is no time of a photo is none; one that cannot be read may be.
        let stamp = time["timestamp"]
        let isUnread = stamp?.double.map(CaptureTime.isOfAnotherAge) ?? (stamp ?? time["formatted"] ?? time).hasWords
        if takenAt == nil, isUnread { unkept.insert(Self.unreadDate) }
        namePlaces([value["geoData"], value["geoDataExif"], value["location"]])
    }

    /// What is given for a place, and is none.
    mutating func namePlaces(_ said: [JSONValue?]) {
        if place == nil, said.contains(where: { !Self.isNowhere($0 ?? JSONValue.none) }) {
            unkept.insert(Self.unreadPlace)
        }
    }

    /// What is said in another kind than the member is, is named.
    private mutating func says(_ value: JSONValue, _ member: String) -> Bool {
        switch value[member] ?? JSONValue.none {
        case .truth(let isTrue): return isTrue
        case .text(let text) where ["true", "false"].contains(text.lowercased()): return text.lowercased() == "true"
        case let other:
            if !other.isEmpty { unkept.insert(Self.unknown(member)) }
            return false
        }
    }

    static let unreadDate = "dates that cannot be read"
    static let unreadPlace = "places that are none on earth"

    private mutating func saysAny(_ value: JSONValue, _ members: String...) -> Bool {
        let said = members.map { says(value, $0) }
        return said.contains(true)
    }

    static func isNowhere(_ place: JSONValue) -> Bool {
        ["latitude", "longitude"].allSatisfy { place[$0]?.isEmpty != false || place[$0]?.double == 0 }
    }

    /// Google's `creationTime` is the day of the upload; Ente's is when the photo was taken, and its only one.
    private static func takenTime(_ value: JSONValue) -> JSONValue? {
        if let taken = value["photoTakenTime"] { return taken }
        let isGoogle = ["photoLastModifiedTime", "googlePhotosOrigin", "imageViews", "url"].contains {
            value[$0] != nil
        }
        return isGoogle ? JSONValue.none : value["creationTime"]
    }

    /// Of what tells no date Google says when it came, as if it had been taken then.
    private static func isUpload(_ taken: CaptureTime?, _ value: JSONValue) -> Bool {
        guard value["photoTakenTime"] != nil, let taken,
            let uploaded = value["creationTime"]?["timestamp"]?.double.flatMap(CaptureTime.init(sidecarSeconds:))
        else { return false }
        return taken.milliseconds.distance(to: uploaded.milliseconds).magnitude < 3_600_000
    }

    /// Immich's own form, and that of immich-go.
    init?(immich value: JSONValue) {
        let facts = value["exifInfo"]
        let (told, local) = (value["dateTaken"]?.string, value["localDateTime"]?.string)
        let time = told ?? local ?? value["fileCreatedAt"]?.string
        guard let title = value["originalFileName"]?.string ?? value["fileName"]?.string, time != nil || facts != nil
        else { return nil }
        self.init()
        self.title = title
        let own = facts?["dateTimeOriginal"]?.string
        takenAt =
            [own, told].lazy.compactMap(\.self).compactMap(CaptureTime.init(sidecarText:)).first
            ?? local.flatMap(CaptureTime.init(sidecarClock:)) ?? time.flatMap(CaptureTime.init(sidecarText:))
        if takenAt == nil, [own, time].contains(where: { $0?.contains { !$0.isWhitespace } == true }) {
            unkept.insert(Self.unreadDate)
        }
        place = Self.place(value) ?? Self.place(facts)
        (correctsTime, correctsPlace) = (takenAt != nil, place != nil)
        // Names of places alone are what Immich makes of a place that a person has set.
        namePlaces([value, facts])
        if place == nil, ["city", "state", "country"].contains(where: { facts?[$0]?.words != nil }) {
            unkept.insert(Self.unreadPlace)
        }
        caption = Self.both(value["description"]?.words, facts?["description"]?.words)
        let rating = value["rating"]?.double ?? facts?["rating"]?.double ?? 0
        if rating != 0, rating != 5 { unkept.insert("stars") }
        isFavourite = saysAny(value, "isFavorite", "favorited") || rating == 5
        isTrashed = saysAny(value, "isTrashed", "trashed")
        isArchived =
            saysAny(value, "isArchived", "archived")
            || ["archive", "hidden", "locked"].contains(value["visibility"]?.string?.lowercased())
        for album in value["albums"]?.elements ?? [] {
            guard let title = (album["title"] ?? album["albumName"])?.words else { continue }
            if !albums.contains(title) { albums.append(title) }
            if album["description"]?.words != nil { unkept.insert(Self.descriptions) }
        }
        nameUnkept(ofImmich: value, facts)
    }

    /// What Immich and immich-go write beside photos and is none of a person's words.
    private static let membersOfImmich: Set<String> = [
        "albums", "archived", "checksum", "createdAt", "dateTaken", "description", "deviceAssetId", "deviceId",
        "duplicateId", "duration", "editedAt", "exifInfo", "favorited", "fileCreatedAt", "fileModifiedAt", "fileName",
        "fromPartner", "hasMetadata", "height", "id", "isArchived", "isEdited", "isFavorite", "isOffline", "isTrashed",
        "latitude", "libraryId", "livePhotoVideoId", "localDateTime", "longitude", "motion", "originalFileName",
        "originalMimeType", "originalPath", "owner", "ownerId", "people", "rating", "resized", "stack", "tags",
        "thumbhash", "trashed", "type", "unassignedFaces", "updatedAt", "visibility", "width",
    ]
    private static let membersOfImmichFacts: Set<String> = [
        "city", "country", "dateTimeOriginal", "description", "exifImageHeight", "exifImageWidth", "exposureTime",
        "fNumber", "fileSizeInByte", "focalLength", "iso", "latitude", "lensModel", "longitude", "make", "model",
        "modifyDate", "orientation", "projectionType", "rating", "state", "timeZone",
    ]

    private mutating func nameUnkept(ofImmich value: JSONValue, _ facts: JSONValue?) {
        if value["tags"]?.elements.isEmpty == false { unkept.insert(Self.keywords) }
        if value["people"]?.hasWords == true { unkept.insert(Self.people) }
        let unknown = value.words(besides: Self.membersOfImmich)
            .union(facts?.words(besides: Self.membersOfImmichFacts) ?? [])
        unkept.formUnion(unknown.map(Self.unknown))
    }

    static let keywords = "keywords"
    static let people = "names of people"

    static func place(_ value: JSONValue?) -> Place? {
        guard let latitude = value?["latitude"]?.degrees, let longitude = value?["longitude"]?.degrees else {
            return nil
        }
        // Of no height Google writes 0.
        let altitude = value?["altitude"]?.double.flatMap { $0 == 0 ? nil : $0 }
        return Place(latitude: latitude, longitude: longitude, altitude: altitude)
    }

    static func worded(_ text: String) -> String? {
        let text = text.split(separator: "\0").joined()
        return text.allSatisfy(\.isWhitespace) ? nil : text
    }
}

extension CaptureTime {
    /// Seconds since 1970; milliseconds, as some tools write them, where seconds would lie outside of any photo's time.
    /// Nil for what no clock said: zero, what lies outside of it either way, and the years before Christ and around that
    /// programs write where they know none, which would be milliseconds of the late sixties.
    init?(sidecarSeconds seconds: Double) {
        // 1826 to 3000.
        let possible = -4_544_208_000.0...32_503_680_000
        let mayBeMilliseconds = seconds > 0 || seconds < -100_000_000_000
        guard seconds != 0,
            let seconds = [seconds, mayBeMilliseconds ? seconds / 1000 : .nan].first(where: possible.contains)
        else { return nil }
        self.init(milliseconds: Int64((seconds * 1000).rounded()), isInstant: true, source: .sidecar)
    }

    /// Whether somebody may have said this moment, in seconds since 1970, of a picture of long before photography. Not where
    /// clocks begin, as that of Windows in 1601, nor years before the second, which programs write that know none.
    static func isOfAnotherAge(seconds: Double) -> Bool {
        (-62_100_000_000 ..< -4_544_208_000.0).contains(seconds) && seconds != -11_644_473_600
    }

    /// `Jun 8, 2019, 1:20:00 PM UTC`, as Google writes it in English.
    init?(sidecarFormatted text: String) {
        guard
            let match = text.wholeMatch(
                of: /([A-Z][a-z]{2}) ([0-9]{1,2}), ([0-9]{4}), ([0-9]{1,2}):([0-9]{2}):([0-9]{2})[ \u{202F}]([AP])M UTC/
            ),
            let month = MonthNames.english(match.1.utf8), let hour = Int(match.4),
            (1...12).contains(hour)
        else { return nil }
        let time = "\(hour % 12 + (match.7 == "P" ? 12 : 0)):\(match.5):\(match.6)"
        self.init(sidecarText: "\(match.3)-\(month)-\(match.2)T\(time)Z")
    }

    init?(sidecarText text: String) {
        guard var time = CaptureTime(said: Self.withoutFraction(text)) else { return nil }
        time.source = .sidecar
        // It tells an instant, and not where its clock hung.
        if text.last == "Z" { time.offsetMinutes = nil }
        self = time
    }

    /// What a clock on the wall showed, written as if that had been in UTC.
    init?(sidecarClock text: String) {
        self.init(sidecarText: text)
        guard offsetMinutes == nil else { return }
        isInstant = false
    }

    /// Some write millionths of a second, of which nobody reads more than three digits.
    private static func withoutFraction(_ text: String) -> String {
        guard let dot = text.lastIndex(of: ".") else { return text }
        let fraction = text[text.index(after: dot)...].prefix(while: \.isNumber)
        return fraction.count > 3 ? text.replacing(fraction, with: fraction.prefix(3), maxReplacements: 1) : text
    }
}
