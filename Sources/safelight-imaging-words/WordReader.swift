import CTesseract
import ImagingCage
import ImagingProtocol
import Media

/// Tesseract, reduced to the words of one picture.
enum WordReader {
    /// Their models are read before the cage closes. Of those that are not installed the library does without.
    private static let languages = "eng+deu+chi_sim"
    /// Of a hundred: what is read with less is mostly no word.
    private static let leastConfidence: Float = 60

    // The process works for one line, on one thread.
    nonisolated(unsafe) private static var api: OpaquePointer?

    static func load() -> Bool {
        setMsgSeverity(Int32(CTESSERACT_SILENT))
        ctesseract_use_one_thread()
        guard let api = TessBaseAPICreate() else { return false }
        // It says much by itself, which nobody reads.
        TessBaseAPISetVariable(api, "debug_file", "/dev/null")
        guard TessBaseAPIInit2(api, nil, languages, OEM_LSTM_ONLY) == 0 else { return false }
        // Words anywhere in the picture, in no order of paragraphs: signs, screens, receipts.
        TessBaseAPISetPageSegMode(api, PSM_SPARSE_TEXT)
        // Pixels say nothing of inches.
        TessBaseAPISetVariable(api, "user_defined_dpi", "150")
        self.api = api
        return true
    }

    /// A page without a word: tables are built, and the linker looks up what is called.
    static func warmUp() -> Bool {
        (try? words(in: GrayPicture(blankPage)))?.isEmpty == true
    }

    /// - Returns: a result whose words are empty for what does not look like writing.
    static func read(_ source: RemoteSource, byteCount: UInt64) throws(UnreadableReason) -> JobResult {
        guard byteCount <= UInt64(Rendition.byteLimit) else { throw .unsupported }
        let bytes = source.read(at: 0, count: Int(byteCount))
        guard bytes.count == Int(byteCount) else { throw .damaged }
        let picture = try GrayPicture(bytes)
        let words = WritingTest.looksLikeWriting(picture) ? try words(in: picture) : PictureWords()
        return JobResult(facts: MediaFacts(), words: words)
    }

    private static func words(in picture: GrayPicture) throws(UnreadableReason) -> PictureWords {
        guard let api else { throw .unsupported }
        TessBaseAPISetImage2(api, picture.handle)
        defer { TessBaseAPIClear(api) }
        guard TessBaseAPIRecognize(api, nil) == 0 else { throw .damaged }
        guard let words = TessBaseAPIGetIterator(api) else { return PictureWords() }
        defer { TessResultIteratorDelete(words) }
        var text = PictureWords()
        repeat {
            guard TessResultIteratorConfidence(words, RIL_WORD) >= leastConfidence,
                let word = TessResultIteratorGetUTF8Text(words, RIL_WORD)
            else { continue }
            defer { TessDeleteText(word) }
            let page = TessResultIteratorGetPageIteratorConst(words)
            let beginsLine = TessPageIteratorIsAtBeginningOf(page, RIL_TEXTLINE) != 0
            guard text.append(String(cString: word), beginsLine: beginsLine) else { break }
        } while TessResultIteratorNext(words, RIL_WORD) != 0
        return text
    }

    /// 32 × 32 white pixels as PNM, which needs no decoder.
    private static let blankPage = Array("P5 32 32 255\n".utf8) + [UInt8](repeating: 255, count: 32 * 32)
}
