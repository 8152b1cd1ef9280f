import Media

extension ListedNote {
    /// Flickr's `photo_51234567890.json`, and `albums.json`, which names photos by their numbers, with what else is said in it;
    /// nil for other JSON.
    static func list(flickr value: JSONValue) -> (list: [ListedNote], unread: Set<String>)? {
        photo(value).map { ([$0], []) } ?? albums(value)
    }

    /// What is no person's word, or is read.
    private static let membersOfFlickr: Set<String> = [
        "id", "name", "description", "date_taken", "date_imported", "photopage", "original", "license", "geo", "groups",
        "albums", "tags", "people", "privacy", "comment_permissions", "tagging_permissions", "safety", "rotation",
        "exif", "media",
    ]

    private static func photo(_ value: JSONValue) -> ListedNote? {
        guard let id = number(value["id"]), let date = value["date_taken"],
            ["photopage", "original", "license", "date_imported", "geo"].contains(where: { value[$0] != nil })
        else { return nil }
        var note = SidecarNote()
        // By the clock of the camera; what nobody knows is all zeros.
        note.takenAt = date.string.flatMap {
            CaptureTime(sidecarClock: $0.replacing(" ", with: "T", maxReplacements: 1))
        }
        note.place = place(value["geo"])
        (note.correctsTime, note.correctsPlace) = (note.takenAt != nil, note.place != nil)
        note.caption = SidecarNote.both(
            title(value["name"]?.string), value["description"]?.string.flatMap(SidecarNote.worded))
        note.albums = (value["albums"]?.elements ?? []).compactMap { $0["title"]?.string.flatMap(SidecarNote.worded) }
        if value["tags"]?.elements.isEmpty == false { note.unkept.insert(SidecarNote.keywords) }
        if value["people"]?.hasWords == true { note.unkept.insert(SidecarNote.people) }
        note.unkept.formUnion(value.words(besides: membersOfFlickr).map(SidecarNote.unknown))
        if note.takenAt == nil, date.string?.contains(where: { ("1"..."9").contains($0) }) == true {
            note.unkept.insert(SidecarNote.unreadDate)
        }
        return ListedNote(file: .flickr(id), note: note)
    }

    private static let membersOfAlbum: Set<String> = ["id", "title", "url", "photos", "cover_photo"]

    private static func albums(_ value: JSONValue) -> (list: [ListedNote], unread: Set<String>)? {
        guard let albums = value["albums"]?.elements, !albums.isEmpty,
            albums.allSatisfy({ $0["title"]?.string != nil && $0["photos"] != nil })
        else { return nil }
        let list = albums.flatMap { album in
            var note = SidecarNote()
            note.albums = [album["title"]?.string.flatMap(SidecarNote.worded)].compactMap(\.self)
            // 0 is what Flickr writes of a photo that is there no more.
            return (album["photos"]?.elements ?? []).compactMap { number($0) }.filter { $0 != "0" }.map { [note] in
                ListedNote(file: .flickr($0), note: note)
            }
        }
        return (list, albums.reduce(into: []) { $0.formUnion($1.words(besides: membersOfAlbum)) })
    }

    private static func number(_ value: JSONValue?) -> String? {
        switch value {
        case .text(let text) where !text.isEmpty && text.allSatisfy { $0.isASCII && $0.isNumber }: text
        case .number(let number): Int64(exactly: number).map { String($0) }
        default: nil
        }
    }

    /// A name that a person gave: those of cameras have no blank.
    private static func title(_ text: String?) -> String? {
        guard let text, text.contains(where: \.isWhitespace) else { return nil }
        return SidecarNote.worded(text)
    }

    /// In millionths of a degree.
    private static func place(_ value: JSONValue?) -> Place? {
        let value = value?.elements.first ?? value
        guard let latitude = value?["latitude"]?.double, let longitude = value?["longitude"]?.double else { return nil }
        let isWhole = abs(latitude) <= 90 && abs(longitude) <= 180
        let unit = isWhole ? 1.0 : 1_000_000
        return Place(latitude: latitude / unit, longitude: longitude / unit)
    }
}

extension ListedNote {
    /// Snapchat's `memories_history.json`; nil for other JSON.
    static func list(snapchat value: JSONValue) -> (list: [ListedNote], unread: Set<String>)? {
        guard let moments = value["Saved Media"]?.elements else { return nil }
        let known: Set<String> = ["Date", "Media Type", "Location", "Download Link", "Media Download Url"]
        let unread = moments.reduce(into: Set<String>()) { $0.formUnion($1.words(besides: known)) }
        let list = moments.compactMap { moment -> ListedNote? in
            guard let date = moment["Date"]?.string, let day = date.split(separator: " ").first else { return nil }
            var note = SidecarNote()
            let words = date.split(separator: " ")
            note.takenAt = words.count > 1 ? CaptureTime(sidecarText: "\(words[0])T\(words[1])Z") : nil
            note.place = snapPlace(moment["Location"]?.string)
            (note.correctsTime, note.correctsPlace) = (note.takenAt != nil, note.place != nil)
            let links = [moment["Download Link"], moment["Media Download Url"]].compactMap { $0?.string }
            let isVideo = moment["Media Type"]?.string?.lowercased() == "video"
            return ListedNote(
                file: .snap(link: links.joined(separator: "\n").lowercased(), day: String(day), isVideo: isVideo),
                note: note)
        }
        return (list, unread)
    }

    /// `Latitude, Longitude: 48.1, 11.5`
    private static func snapPlace(_ text: String?) -> Place? {
        let numbers = (text?.split(separator: ":").last ?? "").split(separator: ",").map {
            Double($0.filter { !$0.isWhitespace })
        }
        guard numbers.count == 2, let latitude = numbers[0], let longitude = numbers[1] else { return nil }
        return Place(latitude: latitude, longitude: longitude)
    }
}
