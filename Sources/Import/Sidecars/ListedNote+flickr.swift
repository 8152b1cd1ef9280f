import Media

extension ListedNote {
    /// Flickr's `photo_51234567890.json`, and `albums.json`, which names photos by their numbers; nil for other JSON.
    static func list(flickr value: JSONValue) -> [ListedNote]? { photo(value).map { [$0] } ?? albums(value) }

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
        note.caption = value["description"]?.string.flatMap(SidecarNote.worded) ?? title(value["name"]?.string)
        note.albums = (value["albums"]?.elements ?? []).compactMap { $0["title"]?.string.flatMap(SidecarNote.worded) }
        note.hasKeywords = value["tags"]?.elements.isEmpty == false
        return ListedNote(file: .flickr(id), note: note)
    }

    private static func albums(_ value: JSONValue) -> [ListedNote]? {
        guard let albums = value["albums"]?.elements, !albums.isEmpty,
            albums.allSatisfy({ $0["title"]?.string != nil && $0["photos"] != nil })
        else { return nil }
        return albums.flatMap { album in
            var note = SidecarNote()
            note.albums = [album["title"]?.string.flatMap(SidecarNote.worded)].compactMap(\.self)
            return (album["photos"]?.elements ?? []).compactMap { number($0) }.map { [note] in
                ListedNote(file: .flickr($0), note: note)
            }
        }
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
    static func list(snapchat value: JSONValue) -> [ListedNote]? {
        guard let moments = value["Saved Media"]?.elements else { return nil }
        return moments.compactMap { moment in
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
