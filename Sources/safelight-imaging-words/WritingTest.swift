/// Whether a picture has something that looks like writing: it costs some milliseconds, and reading a landscape some tenths
/// of a second.
///
/// The picture is cut into tiles. Along a row through letters dark and light change often; between lines of writing there are
/// rows without any change. A tile with both looks like writing; leaves, gravel and waves have no quiet rows, sky and
/// walls no busy ones.
enum WritingTest {
    private static let (tileWidth, tileHeight) = (128, 96)
    /// Between two pixels that lie two apart, of 255.
    private static let edge = 40
    /// Changes of direction along a row of a tile.
    private static let (busyChanges, quietChanges) = (4, 0)
    /// Of the rows of a tile.
    private static let (busyShare, quietShare) = (0.2, 0.12)
    /// Of the tiles of a picture: a receipt on a table takes an eighth, a sign in a street a twentieth. Of many tiles ten do.
    private static let tileShare = 0.04
    private static let (fewestTiles, mostTiles) = (2, 10)

    static func looksLikeWriting(_ picture: GrayPicture) -> Bool {
        // Between three pixels nothing changes twice.
        guard picture.width > tileWidth / 2, picture.height > 2 else { return false }
        let (columns, rows) = (max(1, picture.width / tileWidth), max(1, picture.height / tileHeight))
        var found = 0
        for row in 0..<rows { found += tilesOfWriting(in: row, columns, picture) }
        return found >= max(fewestTiles, min(mostTiles, Int((Double(columns * rows) * tileShare).rounded(.up))))
    }

    private static func tilesOfWriting(in tileRow: Int, _ columns: Int, _ picture: GrayPicture) -> Int {
        var (busy, quiet) = ([Int](repeating: 0, count: columns), [Int](repeating: 0, count: columns))
        let top = tileRow * tileHeight
        let lines = top..<min(picture.height, top + tileHeight)
        picture.forEachRow(lines) { _, row in
            for column in 0..<columns {
                let start = column * tileWidth
                let changes = changesOfDirection(row, start..<min(row.count - 2, start + tileWidth))
                if changes >= busyChanges { busy[column] += 1 }
                if changes <= quietChanges { quiet[column] += 1 }
            }
        }
        return (0..<columns).count { column in
            Double(busy[column]) > Double(lines.count) * busyShare
                && Double(quiet[column]) > Double(lines.count) * quietShare
        }
    }

    /// How often it goes from darker to lighter or back, beyond noise.
    private static func changesOfDirection(_ row: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Int {
        var (changes, last) = (0, 0)
        for place in range {
            let step = Int(row[place + 2]) - Int(row[place])
            guard abs(step) > edge else { continue }
            if last != 0, step.signum() != last { changes += 1 }
            last = step.signum()
        }
        return changes
    }
}
