/// Rows of a picture, three bytes a pixel, in sRGB.
struct RGBPicture {
    let width: Int
    let height: Int
    let bytes: [UInt8]

    /// Mirrored and turned as EXIF's 1…8 say.
    func upright(orientation: Int) -> RGBPicture {
        guard (2...8).contains(orientation) else { return self }
        let swaps = orientation >= 5
        let (newWidth, newHeight) = swaps ? (height, width) : (width, height)
        var turned: [UInt8] = []
        turned.reserveCapacity(bytes.count)
        for row in 0..<newHeight {
            for column in 0..<newWidth {
                let start = source(column, row, orientation)
                turned.append(bytes[start])
                turned.append(bytes[start + 1])
                turned.append(bytes[start + 2])
            }
        }
        return RGBPicture(width: newWidth, height: newHeight, bytes: turned)
    }

    /// Where the pixel lies that comes to stand at this place.
    private func source(_ column: Int, _ row: Int, _ orientation: Int) -> Int {
        let (right, bottom) = (width - 1, height - 1)
        let place: (column: Int, row: Int) =
            switch orientation {
            case 2: (right - column, row)
            case 3: (right - column, bottom - row)
            case 4: (column, bottom - row)
            case 5: (row, column)
            case 6: (row, bottom - column)
            case 7: (right - row, bottom - column)
            case 8: (right - row, column)
            default: (column, row)
            }
        return (place.row * width + place.column) * 3
    }
}
