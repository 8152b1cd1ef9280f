import Media
import Testing

@testable import Vault

@Suite("Where a page of photos ends")
struct LivePhotoPageTests {
    private func candidate(_ number: Int, _ type: MediaType = .heic, of pair: String? = nil)
        -> LivePhotoPairing<Int>.Candidate
    {
        var facts = MediaFacts()
        facts.contentIdentifier = pair
        return .init(id: number, name: "\(number)", type: type, facts: facts)
    }

    private func plain(_ count: Int) -> [LivePhotoPairing<Int>.Candidate] { (0..<count).map { candidate($0) } }

    @Test("without Live Photos it is full, and the last one is what is left")
    func plain() {
        #expect(LivePhotoPage.end(of: plain(0), limit: 5) == 0)
        #expect(LivePhotoPage.end(of: plain(5), limit: 5) == 5)
        #expect(LivePhotoPage.end(of: plain(6), limit: 5) == 5)
        #expect(LivePhotoPage.end(of: plain(600), limit: 500) == 500)
    }

    @Test("a photo takes its video along, or the video its photo, and those between them", arguments: [true, false])
    func cut(photoFirst: Bool) {
        var found = plain(40)
        found[9] = candidate(9, photoFirst ? .heic : .quickTime, of: "pair")
        found[12] = candidate(12, photoFirst ? .quickTime : .heic, of: "pair")
        #expect(LivePhotoPage.end(of: found, limit: 10) == 13)
        // One that is cut by the new end is taken along, too.
        found[11] = candidate(11, .heic, of: "other")
        found[14] = candidate(14, .quickTime, of: "other")
        #expect(LivePhotoPage.end(of: found, limit: 10) == 15)
        #expect(LivePhotoPage.end(of: found, limit: 9) == 9)
        #expect(LivePhotoPage.end(of: found, limit: 15) == 15)
    }

    @Test("pairs that lie far apart do not make it longer than was looked ahead")
    func bounded() {
        var found = plain(10 + LivePhotoPage.margin)
        found[9] = candidate(9, of: "pair")
        found[found.count - 1] = candidate(found.count - 1, .quickTime, of: "pair")
        #expect(LivePhotoPage.end(of: found, limit: 10) == 10)
    }
}
