@_spi(_Unicode) import Swift

/// What the name of a file says of the files that belong together: a photo, and the sidecars that programs put beside it.
///
/// `IMG_0001.HEIC` has `IMG_0001.AAE` (what Apple's Photos changed), `IMG_0001.xmp` or `IMG_0001.HEIC.xmp` (what programs
/// for raw files noted) and `IMG_0001.HEIC.supplemental-metadata.json` (Google Takeout, whose names are cut at 46
/// characters and have the number of a copy elsewhere: `IMG_0001.HEIC(1).json` belongs to `IMG_0001(1).HEIC`).
package struct FamilyName: Equatable, Sendable {
    package enum Sidecar: Equatable, Sendable {
        case takeout
        case adjustments
        case xmp
    }

    /// Nil for what is no sidecar by its name.
    package let sidecar: Sidecar?
    /// As the file beside it is called, in small letters, without what an editor or a copy adds.
    package let stem: [UInt8]
    /// The ending of the file itself; of a sidecar that of the file which it names. Empty where there is none.
    package let ending: [UInt8]
    /// As it stands before the ending was taken off: a name that was cut may end within it.
    let whole: [UInt8]
    /// That of a copy, "(1)"; 0 for none.
    package let copy: Int
    package let isEdited: Bool

    /// Names of one family are equal so far; longer ones may have been cut.
    private static let keyByteCount = 40

    /// - Parameter isKnown: the file is a picture or a video by its content, and so no sidecar whatever its name says.
    package init(_ name: String, isKnown: Bool) {
        var rest = Self.file(name)
        var copy = 0
        sidecar = isKnown ? nil : Self.takeSidecarEnding(&rest)
        if sidecar == .takeout {
            copy = Self.takeCopy(&rest)
            Self.takeSupplement(&rest)
        }
        let whole = rest
        ending = Self.takeMediaEnding(&rest)
        Self.take([".cover", ".mp"], from: &rest)
        if copy == 0 { copy = Self.takeCopy(&rest) }
        isEdited = Self.takeEdited(&rest)
        Self.take(["_hevc"], from: &rest)
        self.whole = Array(whole)
        self.copy = copy
        stem = Array(rest)
    }

    /// Equal for all names of a family, and for few others.
    package var key: Int64 {
        // FNV-1a, 64 bits.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        stem.prefix(Self.keyByteCount).forEach(add)
        for shift in stride(from: 0, to: 32, by: 8) { add(UInt8(truncatingIfNeeded: copy >> shift)) }
        return Int64(bitPattern: hash)
    }

    /// The ending, one for each format.
    package var format: [UInt8] {
        switch String(decoding: ending, as: UTF8.self) {
        case "jpeg", "jpe": Self.jpeg
        case "heif", "hif": Self.heic
        case "tiff": Array("tif".utf8)
        default: ending
        }
    }

    package static let jpeg = Array("jpg".utf8)
    private static let heic = Array("heic".utf8)

    /// Whether a video of this name surely is the one of a Live or Motion Photo whose picture is called so: beside a JPEG lies
    /// as often another one of its number. Apple itself calls such a video `.MOV`.
    package func isSurelyVideo(of picture: FamilyName, asApple: Bool = false) -> Bool {
        if asApple { return picture.format == Self.heic && ending == Array("mov".utf8) }
        return ending.isEmpty || ending == Array("mp".utf8) || picture.format == Self.heic
    }

    /// Of a sidecar: whether it may belong to a file of this name.
    package func isFamily(of file: FamilyName) -> Bool {
        guard copy == file.copy else { return false }
        if stem == file.stem { return true }
        return whole.count >= Self.keyByteCount && file.whole.starts(with: whole)
    }
}

extension FamilyName {
    /// Whatever cameras, phones and programs call a picture or a video, shown here or not: a file of which only its name tells
    /// is kept by it. Not those that mean something else as often (`.ts`, `.ps`, `.dat`): there the content tells.
    private static let mediaEndings = Set(
        (pictures + rawPictures + videos).flatMap { $0.split(separator: " ") }.map { Array($0.utf8) })
    private static let pictures = [
        "jpg jpeg jpe jfif jfi jif pjpeg pjp png apng webp gif heic heif hif heics heifs avif avifs avci tif tiff bmp dib",
        "jxl jp2 jpf jpx jpc j2k j2c jxr wdp hdp mpo insp jps psd psb tga pcx ppm pgm pbm pnm pam exr hdr qoi xcf ico svg",
    ]
    private static let rawPictures = [
        "dng cr2 cr3 crw crm nef nrw arw srf sr2 raf orf ori rw2 raw rwl rwz pef ptx srw x3f 3fr fff iiq eip cs1 sti",
        "dcr dcs drf kdc k25 mrw mdc mef mos erf gpr pxn r3d braw",
    ]
    private static let videos = [
        "mp4 m4v m4p mov qt 3gp 3gpp 3g2 mp webm mkv avi divx xvid wmv asf mts m2ts m2t mpg mpeg mpe mpv m1v m2v m2p mod tod",
        "vob flv f4v ogv ogm rm rmvb amv dv mxf gxf mjpg mjpeg insv lrv 360 trp tp wtv mmv livp",
    ]
    /// What Google Photos adds to the name of a picture that was changed there, in the languages of its exports.
    private static let edits = [
        "-edited", "-bearbeitet", "-modifié", "-modificato", "-ha editado", "-editado", "-bewerkt", "-edytowane",
        "-編集済み", "-已修改", "-已編輯", "-编辑", "-已编辑", "-編輯", "-redigerad", "-redigert", "-redigeret", "-muokattu",
        "-upraveno", "-düzenlendi", "-отредактировано", "-изменено", "-수정됨", "-effects",
    ]
    private static let supplement = Array("supplemental-metadata".utf8)

    /// Without folders, in small letters, put together as in NFC: macOS takes letters apart in names, and programs and file
    /// systems change the size of letters.
    private static func file(_ name: String) -> ArraySlice<UInt8> {
        let isPlain = name.utf8.allSatisfy { $0 < 0x80 }
        let bytes =
            isPlain ? name.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 } : Array(folded(name).utf8)
        let start = bytes.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
        return bytes[start...]
    }

    private static func folded(_ name: String) -> String {
        var composed = String.UnicodeScalarView()
        // The second form that a small sigma has, which large letters do not tell.
        for scalar in name.lowercased()._nfc { composed.append(scalar == "ς" ? "σ" : scalar) }
        return String(composed)
    }

    private static func takeSidecarEnding(_ rest: inout ArraySlice<UInt8>) -> Sidecar? {
        if take([".json"], from: &rest) { return .takeout }
        if take([".aae"], from: &rest) { return .adjustments }
        return take([".xmp"], from: &rest) ? .xmp : nil
    }

    /// The first that fits; never the whole name.
    @discardableResult
    private static func take(_ endings: [StaticString], from rest: inout ArraySlice<UInt8>) -> Bool {
        for ending in endings {
            let count = ending.utf8CodeUnitCount
            let fits = ending.withUTF8Buffer { rest.count > count && rest.suffix(count).elementsEqual($0) }
            if fits {
                rest.removeLast(count)
                return true
            }
        }
        return false
    }

    /// `.supplemental-metadata`, of which a long name leaves but the beginning, behind the ending of a file.
    private static func takeSupplement(_ rest: inout ArraySlice<UInt8>) {
        guard let dot = rest.lastIndex(of: UInt8(ascii: ".")), dot > rest.startIndex else { return }
        guard supplement.starts(with: rest[(dot + 1)...]) else { return }
        var named = rest[..<dot]
        guard !takeMediaEnding(&named).isEmpty || dot - rest.startIndex >= keyByteCount else { return }
        rest = rest[..<dot]
    }

    private static func takeMediaEnding(_ rest: inout ArraySlice<UInt8>) -> [UInt8] {
        guard let dot = rest.lastIndex(of: UInt8(ascii: ".")), dot > rest.startIndex, rest.endIndex - dot <= 6 else {
            return []
        }
        let ending = Array(rest[(dot + 1)...])
        guard mediaEndings.contains(ending) else { return [] }
        rest = rest[..<dot]
        return ending
    }

    /// "(1)", as browsers and Takeout number what has one name.
    private static func takeCopy(_ rest: inout ArraySlice<UInt8>) -> Int {
        guard rest.last == UInt8(ascii: ")"), let open = rest.lastIndex(of: UInt8(ascii: "(")), open > rest.startIndex,
            let number = Int(String(decoding: rest[(open + 1)..<(rest.endIndex - 1)], as: UTF8.self)), number > 0
        else { return 0 }
        rest = rest[..<open]
        if rest.last == UInt8(ascii: " "), rest.count > 1 { rest.removeLast() }
        return number
    }

    /// `-edited` of Google Photos, and `IMG_E0001` and `IMG_O0001` of Apple's: the changed picture, and the adjustments
    /// of the one before.
    private static func takeEdited(_ rest: inout ArraySlice<UInt8>) -> Bool {
        for edit in edits where rest.count > edit.utf8.count && rest.suffix(edit.utf8.count).elementsEqual(edit.utf8) {
            rest.removeLast(edit.utf8.count)
            return true
        }
        guard rest.count == 9, rest.starts(with: "img_".utf8) else { return false }
        let mark = rest[rest.startIndex + 4]
        guard mark == UInt8(ascii: "e") || mark == UInt8(ascii: "o"),
            rest.suffix(4).allSatisfy({ (0x30...0x39).contains($0) })
        else { return false }
        rest = rest[rest.startIndex..<rest.startIndex + 4] + rest.suffix(4)
        return mark == UInt8(ascii: "e")
    }
}
