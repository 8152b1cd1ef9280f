import Media

extension SidecarContent {
    /// What Google Takeout, Ente, Immich and immich-go write beside photos, and the lists of other places.
    init(json bytes: [UInt8]) {
        guard let value = JSONValue.parse(bytes) else {
            self = .unread(UnreadSidecar(problem: UnreadSidecar.broken))
            return
        }
        if let note = SidecarNote(takeout: value) ?? SidecarNote(immich: value) {
            self = .note(note)
        } else if let list = ListedNote.list(flickr: value) ?? ListedNote.list(snapchat: value) {
            self = .list(list)
        } else if let title = Self.albumTitle(value) {
            self = .album(title: title)
        } else if let list = ListedNote.list(meta: value) {
            self = .list(list)
        } else {
            let unread = UnreadSidecar(naming: value)
            self = Self.accompanies(value) && unread.names.isEmpty ? .accompaniment : .unread(unread)
        }
    }

    /// `metadata.json` in an album's folder, whatever its name is in other languages; and Ente's `album_meta.json`.
    private static func albumTitle(_ value: JSONValue) -> String? {
        let inner = value["albumData"] ?? value
        let isAlbum = inner["access"]?.string != nil || inner["date"]?.isObject == true || inner["enrichments"] != nil
        if isAlbum || value["albumData"] != nil { return inner["title"]?.string ?? "" }
        return value["albumName"]?.string ?? (value["owner_id"] == nil ? nil : value["name"]?.string)
    }

    /// Lists that Takeout puts beside the albums.
    private static func accompanies(_ value: JSONValue) -> Bool {
        ["shared_albums", "sharedAlbumComments", "memories", "subscriptions", "externalIds", "printOrders"]
            .contains { value[$0] != nil }
    }
}

extension SidecarNote {
    /// That of a photo of Google's, and Ente's, which is made after it.
    init?(takeout value: JSONValue) {
        guard let title = value["title"]?.string, let time = Self.takenTime(value) else { return nil }
        self.init()
        self.title = title
        takenAt = time["timestamp"]?.double.flatMap(CaptureTime.init(sidecarSeconds:))
        correctsTime = takenAt != nil && !Self.isUpload(takenAt, value)
        // What the person has put right comes before what the file said.
        place = Self.place(value["geoData"])
        correctsPlace = place != nil
        place = place ?? Self.place(value["geoDataExif"])
        caption = value["description"]?.string.flatMap(Self.worded)
        isFavourite = value["favorited"]?.isTrue == true
        isTrashed = value["trashed"]?.isTrue == true
        isArchived = value["archived"]?.isTrue == true
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
        place = Self.place(value) ?? Self.place(facts)
        (correctsTime, correctsPlace) = (takenAt != nil, place != nil)
        caption = (value["description"]?.string ?? facts?["description"]?.string).flatMap(Self.worded)
        let rating = value["rating"]?.double ?? facts?["rating"]?.double
        isFavourite = value["isFavorite"]?.isTrue == true || value["favorited"]?.isTrue == true || rating == 5
        isTrashed = value["isTrashed"]?.isTrue == true || value["trashed"]?.isTrue == true
        isArchived = value["isArchived"]?.isTrue == true || value["archived"]?.isTrue == true
        albums = (value["albums"]?.elements ?? []).compactMap {
            ($0["title"] ?? $0["albumName"])?.string.flatMap(Self.worded)
        }
        hasKeywords = value["tags"]?.elements.isEmpty == false
    }

    static func place(_ value: JSONValue?) -> Place? {
        guard let latitude = value?["latitude"]?.double, let longitude = value?["longitude"]?.double else { return nil }
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
