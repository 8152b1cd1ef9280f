import Imaging
import ImagingProtocol
import Media
import Testing

@testable import Records

@Suite("What a row says of a picture")
struct PictureNoteTests {
    @Test("other decoders try what earlier ones could not read, and leave alone what they could")
    func versions() {
        let earlier = imagingVersion &- 1
        #expect(!PictureNote(.damaged, version: earlier).isFinal)
        #expect(PictureNote(.damaged).isFinal)
        let made = Examination(
            facts: MediaFacts(), thumbnail: Rendition(bytes: [1], type: .jpeg, width: 1, height: 1))
        #expect(PictureNote(made: made, version: earlier).isFinal)
    }
}
