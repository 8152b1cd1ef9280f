import CTesseract
import ImagingProtocol

/// A decoded picture in shades of grey, as Leptonica keeps it.
final class GrayPicture {
    let handle: OpaquePointer
    let width: Int
    let height: Int

    /// - Parameter bytes: a JPEG or WebP that this project's own child has made.
    init(_ bytes: [UInt8]) throws(UnreadableReason) {
        guard var decoded = bytes.withUnsafeBufferPointer({ pixReadMem($0.baseAddress, $0.count) }) as OpaquePointer?
        else { throw .damaged }
        let gray = pixConvertTo8(decoded, 0)
        Self.free(&decoded)
        guard let gray else { throw .tooMuchMemory }
        handle = gray
        (width, height) = (Int(pixGetWidth(gray)), Int(pixGetHeight(gray)))
    }

    deinit {
        var handle = handle
        Self.free(&handle)
    }

    private static func free(_ handle: inout OpaquePointer) {
        var pointer: OpaquePointer? = handle
        pixDestroy(&pointer)
    }

    /// Calls `body` with the grey values of some rows, from the left to the right.
    func forEachRow(_ rows: some Sequence<Int>, _ body: (Int, UnsafeBufferPointer<UInt8>) -> Void) {
        guard let data = pixGetData(handle) else { return }
        let wordsPerRow = Int(pixGetWpl(handle))
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: wordsPerRow * 4) { row in
            for y in rows where (0..<height).contains(y) {
                // Four pixels stand in a word, the first one in its highest byte, whatever the order of bytes is.
                for word in 0..<wordsPerRow {
                    let four = data[y * wordsPerRow + word]
                    for place in 0..<4 {
                        row[word * 4 + place] = UInt8(truncatingIfNeeded: four >> UInt32(24 - 8 * place))
                    }
                }
                body(y, UnsafeBufferPointer(rebasing: row[..<width]))
            }
        }
    }
}
