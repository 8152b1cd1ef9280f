import FoundationEssentials
import Media

/// What a file is called that came without a name: by what it is and when it came.
enum NamelessFile {
    /// A name that says something; nil for none and for blanks.
    static func given(_ name: String?) -> String? {
        guard let name, name.contains(where: { !$0.isWhitespace }) else { return nil }
        return name
    }

    /// Names the file by the type that the client guessed.
    static func name(declaredType: String?, at date: Date = Date()) -> String {
        let type = declaredType?.prefix { $0 != ";" && $0 != " " }.lowercased() ?? ""
        return name(type: MediaType(mimeType: type == "image/jpg" ? "image/jpeg" : type), at: date)
    }

    /// By what its first bytes say, else by what the client guessed.
    static func name(head: some Collection<UInt8>, declaredType: String?, at date: Date = Date()) -> String {
        let type = MediaType.sniff(head)
        return type == .other ? name(declaredType: declaredType, at: date) : name(type: type, at: date)
    }

    /// `Photo 2026-07-04 09.30.00.jpg`, by the clock of this host.
    private static func name(type: MediaType, at date: Date) -> String {
        let kind = type.isPicture ? "Photo" : type.isVideo ? "Video" : "File"
        let time = UTCTime.onHost(date)
        let digits = [time.hour, time.minute, time.second].map { ($0 < 10 ? "0" : "") + String($0) }
        return "\(kind) \(time.rfc3339.prefix(10)) \(digits.joined(separator: "."))\(type.fileEnding)"
    }
}

extension MediaType {
    /// With its dot; empty for `other`.
    fileprivate var fileEnding: String {
        switch self {
        case .other: ""
        case .jpeg: ".jpg"
        case .tiff: ".tif"
        case .quickTime: ".mov"
        case .matroska: ".mkv"
        case .heif: ".heif"
        default: "." + String(describing: self)
        }
    }
}
