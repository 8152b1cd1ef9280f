import Testing

@testable import Media

@Suite("Which photo a sidecar belongs to")
struct SidecarPairingTests {
    private func candidate(
        _ serial: UInt64, _ name: String, _ type: MediaType = .other, isDeleted: Bool = false, origin: [UInt8]? = nil
    ) -> SidecarPairing.Candidate {
        SidecarPairing.Candidate(serial: serial, name: name, type: type, isDeleted: isDeleted, origin: origin)
    }

    /// Sidecar and photo by name alone, in both orders of arrival.
    private func belongs(_ sidecar: String, to photo: String, _ type: MediaType = .jpeg) -> Bool {
        let isOfOneFamily = FamilyName(sidecar, isKnown: false).key == FamilyName(photo, isKnown: true).key
        let later = SidecarPairing([candidate(1, photo, type), candidate(2, sidecar)]).owners == [2: 1]
        let earlier = SidecarPairing([candidate(1, sidecar), candidate(2, photo, type)]).owners == [1: 2]
        #expect(later == earlier)
        return isOfOneFamily && later && earlier
    }

    @Test(
        "is told by the names that Apple, Google and programs for raw files give",
        arguments: [
            ("IMG_0001.AAE", "IMG_0001.HEIC"), ("img_0001.aae", "IMG_0001.JPG"), ("IMG_O0001.aae", "IMG_0001.HEIC"),
            ("IMG_0001.aae", "IMG_E0001.JPG"), ("DSC_0001.xmp", "DSC_0001.NEF"), ("DSC_0001.NEF.xmp", "DSC_0001.NEF"),
            ("IMG_0001.jpg.json", "IMG_0001.jpg"), ("IMG_0001.json", "IMG_0001.jpg"),
            ("IMG_0001.jpg(1).json", "IMG_0001(1).jpg"), ("IMG_0001.jpg.supplemental-metadata.json", "IMG_0001.jpg"),
            ("IMG_0001.jpg.supplemental-metadata(2).json", "IMG_0001(2).jpg"),
            ("IMG_20200102_030405678.jpg.supplemental-metada.json", "IMG_20200102_030405678.jpg"),
            ("Screenshot_2023-01-02-03-04-05-678_app.jpg.s.json", "Screenshot_2023-01-02-03-04-05-678_app.jpg"),
            ("PXL_20210102_030405678.MP.jpg.json", "PXL_20210102_030405678.MP.jpg"),
            ("IMG_0001.jpg.json", "IMG_0001-edited.jpg"), ("Été à la mer.jpg.json", "Été à la mer.jpg"),
            ("été.xmp", "ÉTÉ.jpg"), ("e\u{301}te\u{301}.xmp", "ÉTÉ.jpg"), ("ÉTÉ.jpg.xmp", "E\u{301}TE\u{301}.JPG"),
            ("Ёлка.AAE", "\u{415}\u{308}ЛКА.jpg"), ("οδος.json", "ΟΔΟΣ.jpg"), ("straße.xmp", "STRAẞE.jpg"),
            ("trip/IMG_0001.AAE", "IMG_0001.HEIC"), ("IMG_0001 (1).AAE", "IMG_0001 (1).HEIC"),
            (
                "a name that is so long that an export has to c.json",
                "a name that is so long that an export has to cut it.jpg"
            ),
        ])
    func names(sidecar: String, photo: String) { #expect(belongs(sidecar, to: photo)) }

    @Test(
        "is no other one's",
        arguments: [
            ("IMG_0001.AAE", "IMG_0002.HEIC"), ("IMG_0001.jpg(1).json", "IMG_0001.jpg"),
            ("metadata.json", "IMG_0001.jpg"), ("IMG_0001.jpg.json", "IMG_0001(1).jpg"),
            ("ete.xmp", "ÉTÉ.jpg"), ("IMG_0001.txt", "IMG_0001.jpg"), (".json", "IMG_0001.jpg"),
            ("IMG_00.AAE", "IMG_0001.HEIC"),
        ])
    func others(sidecar: String, photo: String) { #expect(!belongs(sidecar, to: photo)) }

    @Test("a picture or a video is no sidecar, whatever its name says")
    func content() {
        #expect(SidecarPairing([candidate(1, "a.jpg", .jpeg), candidate(2, "a.json", .jpeg)]).owners.isEmpty)
    }

    @Test("the file that is named comes first, then the kind beside which such files lie")
    func ranks() {
        let family: [SidecarPairing.Candidate] = [
            candidate(1, "A.MOV", .quickTime), candidate(2, "A.HEIC", .heic), candidate(3, "A.DNG", .dng),
            candidate(4, "A-edited.HEIC", .heic), candidate(5, "A.MOV.json"), candidate(6, "A.HEIC.json"),
            candidate(7, "A.xmp"),
        ]
        #expect(SidecarPairing(family).owners == [5: 1, 6: 2, 7: 3])
        let live = [candidate(1, "B.MOV", .quickTime), candidate(2, "B.HEIC", .heic), candidate(3, "B.AAE")]
        #expect(SidecarPairing(live).owners == [3: 2])
    }

    @Test("several of one name go with the photos in their order, or with the nearest where some are missing")
    func equalNames() {
        let photos = [candidate(1, "A.JPG", .jpeg), candidate(2, "A.JPG", .jpeg)]
        #expect(SidecarPairing(photos + [candidate(3, "A.AAE"), candidate(4, "A.AAE")]).owners == [3: 1, 4: 2])
        #expect(SidecarPairing(photos + [candidate(9, "A.AAE")]).owners == [9: 2])
    }

    @Test("what lies among the deleted belongs to nothing that does not")
    func deleted() {
        let photo = candidate(1, "A.JPG", .jpeg, isDeleted: true)
        #expect(SidecarPairing([photo, candidate(2, "A.AAE")]).owners.isEmpty)
        #expect(SidecarPairing([photo, candidate(2, "A.AAE", isDeleted: true)]).owners == [2: 1])
    }

    @Test("what came by one way belongs to nothing that came by another")
    func origins() {
        let own = candidate(1, "A.JPG", .jpeg)
        let given = candidate(2, "A.JPG", .jpeg, origin: [1])
        #expect(SidecarPairing([own, candidate(3, "A.AAE", origin: [1])]).owners.isEmpty)
        #expect(SidecarPairing([given, candidate(3, "A.AAE")]).owners.isEmpty)
        #expect(SidecarPairing([given, candidate(3, "A.AAE", origin: [2])]).owners.isEmpty)
        let all = [own, given, candidate(3, "A.AAE", origin: [1]), candidate(4, "A.AAE")]
        #expect(SidecarPairing(all).owners == [3: 2, 4: 1])
    }
}
