import Bytes
import Import
import Media
import Records
import Web

/// What became of every file: the proof, as text and as a table.
struct ImportReport {
    /// One file of the sources, and what became of it.
    struct Line: Equatable {
        var source: String
        var path: String
        var byteCount: UInt64
        var outcome: Outcome
        var remark: String
        /// Hexadecimal.
        var sha256: String
    }

    /// As it stands in the table.
    enum Outcome: String, CaseIterable {
        case stored, known, again, sidecar
        case orphan = "sidecar without a photo"
        case ownerless = "its own photo is not here"
        case waiting = "waits for its photo"
        case unread = "not understood"
        case notPhoto = "not a photo"
        case trashed = "in the trash there"
        case left = "in another service"
        case unreadable = "not read"
        case refused = "not stored"
        case different

        /// Photos of which it is not proven that they lie in the vault.
        var isFailure: Bool { [.unreadable, .refused, .different].contains(self) }
        /// What no part of the vault has.
        var isLeft: Bool { [.notPhoto, .trashed, .left, .orphan, .ownerless, .unread].contains(self) }
    }

    let lines: [Line]
    private let described: String
    private let word: String
    /// Photos that neither their bytes, nor a sidecar, nor their name date.
    private let undatedCount: Int
    private let differingDateCount: Int
    private let correctedDateCount: Int
    /// What is said of photos that are in the vault, and is not kept: "keywords".
    private let unkept: [String]
    private let saysAll: Bool
    private let brokenSources: [String]
    private let editsCount: Int
    private let archiveCount: Int
    /// Parts of exports that others of their name lead one to expect.
    private let missingParts: [String]

    init(scan: ScannedSources, proofs: [Int: ImportRun.Proof], states: [Int: ImportPayload.State]) {
        described = scan.described
        archiveCount = scan.sources.count(where: \.isArchive)
        word = scan.word
        missingParts = MissingParts.names(beside: scan.sources.filter(\.isArchive).map(\.path))
        var (lines, undated, differing, corrected): ([Line], Int, Int, Int) = ([], 0, 0, 0)
        var unkept: Set<String> = []
        for (index, file) in scan.files.enumerated() {
            var (outcome, reason) = Self.outcome(scan.plan.fates[index], proofs)
            if case .photo(let photo) = scan.plan.fates[index], scan.plan.photos[photo].waitsAs != nil,
                outcome == .stored
            {
                outcome = .waiting
            }
            var remarks = [reason, scan.plan.remarks[index]].compactMap(\.self)
            if case .photo(let photo) = scan.plan.fates[index], !scan.plan.photos[photo].isSidecar, !outcome.isFailure {
                if Self.isUndated(states[photo]) {
                    undated += 1
                    remarks.append("it has no date of its own: it stands by that of its file, or by when it came")
                }
                if let remark = Self.correctionRemark(states[photo]) {
                    corrected += 1
                    remarks.append(remark)
                } else if let remark = Self.dateRemark(scan.plan.photos[photo].note, states[photo]) {
                    differing += 1
                    remarks.append(remark)
                }
                if states[photo]?.hasOtherPlace == true {
                    remarks.append("its own place was put right there: that of its sidecar was taken")
                }
                var lost = Self.unkept(scan.plan.photos[photo].note, states[photo])
                // Where no better word dates it, one name does, and another one says something else.
                if !scan.plan.photos[photo].otherDates.isEmpty,
                    Self.isUndated(states[photo]) || states[photo]?.taken?.time?.source == .name
                {
                    lost.insert(SidecarNote.otherName)
                }
                if !lost.isEmpty { remarks.append("not kept of it: \(lost.sorted().joined(separator: ", "))") }
                if let albums = states[photo]?.unjoined, !albums.isEmpty {
                    remarks.append("not joined: \(albums.joined(separator: ", "))")
                }
                unkept.formUnion(lost)
            }
            lines.append(
                Line(
                    source: scan.sources[file.source].path, path: file.path, byteCount: file.byteCount,
                    outcome: outcome, remark: remarks.joined(separator: "; "),
                    sha256: file.digest.map(Hexadecimal.encode) ?? ""))
        }
        self.lines = lines
        undatedCount = undated
        differingDateCount = differing
        correctedDateCount = corrected
        self.unkept = unkept.sorted()
        saysAll = scan.plan.saysAll
        brokenSources = scan.failures.map { "\(scan.sources[$0.source].path) \($0.reason)" }
        editsCount = scan.plan.photos.indices.count { photo in
            let planned = scan.plan.photos[photo]
            return planned.isSidecar && planned.waitsAs == nil && proofs[photo] == .stored
        }
    }

    /// Whether every photo of the sources is proven to lie in the vault.
    var isProven: Bool { !lines.isEmpty && brokenSources.isEmpty && !lines.contains { $0.outcome.isFailure } }

    private static func outcome(_ fate: ImportFate, _ proofs: [Int: ImportRun.Proof]) -> (Outcome, String?) {
        switch fate {
        case .photo(let photo): return outcome(proofs[photo])
        case .again(let photo):
            let (outcome, reason) = outcome(proofs[photo])
            return outcome.isFailure ? (outcome, reason) : (.again, nil)
        case .sidecar: return (.sidecar, nil)
        case .orphan: return (.orphan, nil)
        case .ownerless(let reason): return (.ownerless, reason)
        case .unread(let reason): return (.unread, reason)
        case .left(let reason): return (.left, reason)
        case .notPhoto(let reason): return (.notPhoto, reason)
        case .trashed: return (.trashed, nil)
        case .unreadable(let reason): return (.unreadable, reason)
        }
    }

    private static func outcome(_ proof: ImportRun.Proof?) -> (Outcome, String?) {
        switch proof {
        case .stored: (.stored, nil)
        case .known: (.known, nil)
        case .refused(let reason): (.refused, reason)
        case .differs: (.different, "what was read back is not what lies here")
        case .damaged: (.different, "it was read back damaged")
        case .gone: (.refused, "it was deleted in the vault meanwhile")
        case .notReadBack, nil: (.different, "it could not be read back yet")
        }
    }

    /// What its note says and the vault has no place for, and what the vault itself said that it did not keep.
    private static func unkept(_ note: SidecarNote, _ state: ImportPayload.State?) -> Set<String> {
        let kept = ToldSidecars.Unkept(rawValue: state?.unkept ?? 0)
        let words: [(ToldSidecars.Unkept, String)] = [
            (.captionEnd, "ends of captions of more than \(Figure.grouped(Keeping.longestCaption)) characters"),
            (.caption, "captions of photos that have another one here"),
            (.nameEnd, "ends of album names of more than \(AlbumRecord.longestName) bytes"),
            (.date, "other dates"), (.place, "other places"),
        ]
        let albums = state?.unjoined?.isEmpty == false ? ["more than \(Keeping.mostAlbums) albums of a photo"] : []
        return note.unkept.union(words.filter { kept.contains($0.0) }.map(\.1)).union(albums)
    }

    private static func isUndated(_ state: ImportPayload.State?) -> Bool {
        guard let source = state?.taken?.time?.source else { return true }
        return source == .fileTime
    }

    /// Where a file beside the photo led, and the photo itself says another date.
    private static func correctionRemark(_ state: ImportPayload.State?) -> String? {
        guard let own = state?.ownTaken?.time, let told = state?.taken?.time else { return nil }
        let what =
            switch own.source {
            case .digitized: "its file tells only when it was made digital"
            case .changed: "its file tells only when it was changed last"
            default: "its own date was put right there"
            }
        return "\(what) (\(Figure.day(own))): that of its sidecar was taken (\(Figure.day(told)))"
    }

    /// Where the photo's own date led, and a file beside it says another.
    private static func dateRemark(_ note: SidecarNote, _ state: ImportPayload.State?) -> String? {
        guard let told = note.takenAt, let own = state?.taken?.time,
            [.exif, .exifWithOffset, .container, .digitized].contains(own.source), told.isAnotherDay(than: own)
        else { return nil }
        let digital = own.source == .digitized ? ", which tells only when it was made digital" : ""
        return "its own date (\(Figure.day(own))\(digital)) was kept; the sidecar says \(Figure.day(told))"
    }

    /// As the vault keeps it.
    var proof: ImportProofPayload {
        func count(_ outcomes: Outcome...) -> UInt32 { UInt32(clamping: lines.count { outcomes.contains($0.outcome) }) }
        return ImportProofPayload(
            files: UInt32(clamping: lines.count), archives: UInt32(clamping: archiveCount), stored: count(.stored),
            known: count(.known), again: count(.again), left: count(.notPhoto, .trashed, .left, .ownerless, .unread),
            failed: count(.unreadable, .refused, .different), isProven: isProven)
    }

    // MARK: Text

    /// - Parameter list: where the table lies; nil where there is none.
    func text(list: String?) -> [String] {
        let place = list.map { "see \($0)" } ?? "named above"
        func count(_ outcome: Outcome) -> Int { lines.count { $0.outcome == outcome } }
        var rows: [(Int, String)] = [
            (count(.stored) - editsCount, "photos and videos stored, read back, and the same as in the \(word)")
        ]
        func add(_ number: Int, _ text: String) { if number > 0 { rows.append((number, text)) } }
        add(editsCount, "sidecars of editors kept beside their photos, and the same as in the \(word)")
        add(count(.known), "were in the vault already")
        add(count(.again), "are there more than once, and were stored once")
        add(count(.waiting), "wait in the vault for photos that have not come")
        add(count(.sidecar), "say something of photos, and were read")
        add(count(.ownerless), "speak of photos that are not here, and were read for what was made of these: \(place)")
        add(count(.unread), "say something of photos that was not understood: \(place)")
        add(count(.notPhoto), "are not photos: \(place)")
        add(count(.trashed), "lay in the trash there, and were not brought: \(place)")
        add(count(.unreadable), "could not be read: \(place)")
        add(count(.refused), "could not be stored: \(place)")
        add(count(.different), "are not proven to be the same: \(place)")
        add(count(.left), "lie in other services than Google Photos, and were not brought: \(place)")
        add(correctedDateCount, "have the date of their sidecar, which was put right there by more than a day")
        add(differingDateCount, "have another date than their sidecar, by more than a day; their own was kept")
        rows.append(
            (
                count(.orphan),
                "\(count(.orphan) == 1 ? "sidecar" : "sidecars") without a photo, "
                    + "\(Figure.grouped(undatedCount)) \(undatedCount == 1 ? "photo without a date of its own" : "photos without a date of their own")"
            ))
        let width = (rows.map(\.0) + [lines.count]).map { Figure.grouped($0).count }.max() ?? 1
        let head = "\(Figure.grouped(lines.count)) \(lines.count == 1 ? "file" : "files") in \(described)"
        return [head] + rows.map { Self.padded(Figure.grouped($0.0), width) + " " + $0.1 } + brokenSources
            + missingParts.map { "\($0) is not among them." }
            + (count(.orphan) + count(.ownerless) > 0
                ? ["Where the photo of a sidecar lies in another part, name all parts at once."] : [])
            + [closing]
    }

    private var closing: String {
        guard !lines.isEmpty else { return "There was nothing to bring. Is the disk there, and the name right?" }
        let those = lines.count == 1 ? "it" : "them"
        if !isProven {
            return
                "Do not delete anything yet: not all of \(those) is proven to lie in the vault. Run the import again."
        }
        guard missingParts.isEmpty else {
            return
                "The photos that were found lie in the vault. Dates, albums and captions may lie in another part than their "
                + "photo: do not delete anything before all parts were named at once."
        }
        let what = word == "archive" ? "these archives" : "these files"
        guard saysAll, unkept.isEmpty else { return loss(of: what) }
        let left = lines.count(where: \.outcome.isLeft)
        // What nobody understood nobody can miss by a program: people know what their albums were called.
        let all = "all that was understood of what lies beside them"
        let rest = left > 0 ? ", but for \(Figure.grouped(left)) named above" : ""
        return
            "You can delete \(what): their photos lie in the vault, and \(all)\(rest). Look at a few albums and captions first."
    }

    /// Why somebody may want the sources still, although all photos lie in the vault.
    private func loss(of what: String) -> String {
        func count(_ outcome: Outcome) -> Int { lines.count { $0.outcome == outcome } }
        let (unread, orphans) = (count(.unread), count(.orphan) + count(.ownerless))
        if unread > 0 {
            return
                "The photos that were found lie in the vault. What \(Figure.count(unread, "file says", "files say")) of them "
                + "was not understood: do not delete \(what) as long as you may want that."
        }
        if orphans > 0 {
            return
                "The photos that were found lie in the vault. \(Figure.count(orphans, "sidecar speaks", "sidecars speak")) of "
                + "what is not here: do not delete \(what) as long as you may want that."
        }
        return
            "The photos lie in the vault, with their dates, places, captions and albums. \(Self.sentence(unkept)) are not "
            + "kept: do not delete \(what) if you want those."
    }

    /// "Keywords, other dates and stars"
    private static func sentence(_ words: [String]) -> String {
        let first = words.dropLast().joined(separator: ", ")
        let all = (first.isEmpty ? "" : first + " and ") + (words.last ?? "")
        return all.prefix(1).uppercased() + all.dropFirst()
    }

    /// What somebody should look at.
    var named: [String] {
        lines.filter {
            $0.outcome.isFailure || $0.outcome.isLeft || !$0.remark.isEmpty
        }
        .map { "\($0.outcome.rawValue): \($0.path)" + ($0.remark.isEmpty ? "" : " (\($0.remark))") }
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    // MARK: Table

    static let tableHead = "source,path,bytes,outcome,remark,sha256\r\n"

    /// RFC 4180.
    var table: String {
        Self.tableHead
            + lines.map { line in
                [line.source, line.path, "\(line.byteCount)", line.outcome.rawValue, line.remark, line.sha256]
                    .map(Self.quoted).joined(separator: ",") + "\r\n"
            }.joined()
    }

    private static func quoted(_ text: String) -> String {
        guard text.contains(where: { ",\"\r\n".contains($0) || $0.isNewline }) else { return text }
        return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }
}

extension Figure {
    /// "2019-05-04", by the clock of the place where that is known.
    static func day(_ time: CaptureTime) -> String {
        let days = time.wallClockMilliseconds.quotientAndRemainder(dividingBy: 86_400_000)
        let date = CalendarDate(daysSinceEpoch: Int(days.quotient) - (days.remainder < 0 ? 1 : 0))
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(date.year)-\(two(date.month))-\(two(date.day))"
    }
}
