import Media

@testable import Search

extension SearchRow {
    /// What tells whether it may be one half of a Live Photo, as the library finds it.
    mutating func noteHalf(_ name: String, _ type: MediaType, _ length: UInt32) {
        half.stem = String(name.prefix { $0 != "." }).hashValue
        (half.isPhoto, half.isVideo, half.isShort) = (type.isPicture, type.isVideo && length <= 6000, length <= 6000)
    }
}

func columns(_ rows: [SearchRow]) -> SearchColumns { SearchColumns(SearchColumns(), without: [], adding: rows) }
