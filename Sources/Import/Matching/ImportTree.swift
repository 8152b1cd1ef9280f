@_spi(_Unicode) import Swift

/// Where a file lies once parts of one export are laid over each other.
struct ImportTree: Hashable {
    /// Nil for what lies in parts of one export.
    var source: Int?
    var folders: [String]

    init(_ file: ImportFile) {
        var folders = file.path.split(separator: "/").dropLast().map { Self.composed(String($0)) }
        source = file.source
        if let takeout = folders.firstIndex(of: "Takeout") {
            // A part that somebody unpacked lies in a folder of its own.
            folders.removeFirst(takeout)
            source = nil
        } else if let apple = folders.firstIndex(where: { $0.hasPrefix("iCloud Photos") }) {
            folders.removeFirst(apple)
            folders[0] = "iCloud Photos"
            source = nil
        }
        self.folders = folders
    }

    private init(source: Int?, folders: [String]) {
        self.source = source
        self.folders = folders
    }

    /// The folder of the photos that a file here speaks of: Ente keeps what it knows of them in a folder below.
    var ofPhotos: ImportTree {
        var folders = folders
        if folders.suffix(2) == [".meta", "files"] {
            folders.removeLast(2)
        } else if ["metadata", ".meta"].contains(folders.last) {
            folders.removeLast()
        }
        return ImportTree(source: source, folders: folders)
    }

    var name: String? { folders.last }

    /// The tree as a whole.
    var root: ImportTree {
        ImportTree(source: source, folders: source == nil ? Array(folders.prefix(1)) : [])
    }

    var isTakeout: Bool { folders.first == "Takeout" }
    var isApple: Bool { folders.first == "iCloud Photos" }

    /// In NFC: macOS takes letters apart in names.
    static func composed(_ text: String) -> String {
        var composed = String.UnicodeScalarView()
        composed.append(contentsOf: text._nfc)
        return String(composed)
    }
}
