import Foundation
import Imaging
import ImagingProtocol
import Media
import Testing

@Suite("Hostile pictures")
struct HostilePictureTests {
    @Test("of too many pixels are refused by their header")
    func tooManyPixels() async throws {
        let png = MadePictures.png(width: 30_000, height: 30_000, pixel: [0], isWhole: false)
        let jpeg = MadePictures.floodingJPEG(from: try Surroundings.photo("odd/no_exif.jpg"))
        try await Surroundings.withStudio { studio in
            try await studio.expect(png, is: .tooManyPixels)
            try await studio.expect(jpeg, is: .tooManyPixels)
            try await studio.expect(MadePictures.gif(side: 65_535, frameCount: 1), is: .tooManyPixels)
        }
    }

    @Test("with a hundred thousand directories or frames, or a circle of them, keep nobody busy for ever")
    func deepFiles() async throws {
        let files = [
            MadePictures.tiff(directoryCount: 60_000), MadePictures.tiff(directoryCount: 100, isEndless: true),
            MadePictures.gif(side: 16, frameCount: 100_000),
        ]
        try await Surroundings.withStudio(
            Surroundings.studio(limits: ImagingLimits(processorSeconds: 20, isIdle: false))
        ) { studio in
            for file in files { _ = try await studio.reason(file) }
            try await studio.expect(Surroundings.photo("odd/no_exif.jpg"), is: nil)
        }
    }

    /// Where memory ends in the library itself, in operator new, and for a thread, for which libraries may wait for ever.
    @Test("that need more memory than there is are refused, and the next one is shown", arguments: [12, 16, 70])
    func tooMuchMemory(mebibytes: UInt64) async throws {
        let small = ImagingLimits(memoryByteCount: mebibytes << 20, isIdle: false)
        let next = MadePictures.png(width: 16, height: 16, pixel: [10, 200, 30])
        try await Surroundings.withStudio(Surroundings.studio(limits: small)) { studio in
            let found = try await studio.reason(Surroundings.photo("phone/HMD_Nokia_8.3_5G.heif"))
            // The most of it is enough for libheif 1.19.
            #expect(found == .tooMuchMemory || (mebibytes == 70 && found == nil))
            // Not every time is there room for the stack of a thread; that is no fault of the picture.
            var reasons: [UnreadableReason?] = []
            for _ in 0..<50 { reasons.append(try await studio.reason(next)) }
            #expect(reasons.contains(nil) && reasons.allSatisfy { [nil, .tooMuchMemory].contains($0) })
        }
    }

    /// Each library says in words of its own that memory ended in the midst of its work, and some of these limits meet it
    /// there.
    @Test("of any format are not called damaged where memory ends", arguments: [14, 18, 22, 48])
    func endOfMemory(mebibytes: UInt64) async throws {
        let limits = ImagingLimits(memoryByteCount: mebibytes << 20, isIdle: false)
        let names = ["phone/HMD_Nokia_8.3_5G.heif", "odd/example.avif", "orientation/landscape_1.jpg"]
        let files =
            try MadePictures.ofEachFormat(width: 1600, height: 1200) + names.map { try Surroundings.photo($0) }
        try await Surroundings.withStudio(Surroundings.studio(limits: limits)) { studio in
            for (number, file) in files.enumerated() {
                do {
                    let found = try await studio.examine(file)
                    #expect([nil, .tooMuchMemory].contains(found.unreadable) && !found.isDamaged, "\(number)")
                } catch ImagingError.unreadable(let reason) {
                    #expect(reason == .tooMuchMemory, "\(number)")
                }
            }
        }
    }

    @Test("that take longer than they may are ended, and the next one is shown")
    func tooSlow() async throws {
        let limits = ImagingLimits(processorSeconds: 1, isIdle: false)
        // One takes a thousand times as long as the other, so that a second lies between them on every machine.
        let large = MadePictures.png(width: 14_000, height: 14_000, pixel: [10, 1, 200, 2, 30, 3, 99, 4])
        let small = MadePictures.png(width: 16, height: 16, pixel: [10, 200, 30])
        try await Surroundings.withStudio(Surroundings.studio(limits: limits)) { studio in
            try await studio.expect(large, is: .tooSlow)
            try await studio.expect(small, is: nil)
        }
    }

    @Test("that are no pictures are unknown")
    func noPictures() async throws {
        try await Surroundings.withStudio { studio in
            try await studio.expect([], is: .empty)
            try await studio.expect(Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8), is: .unknownFormat)
            // What libvips could read elsewhere, under a name of ours: then it is none of that.
            let ppm = Array("P6 8 8 255\n".utf8) + [UInt8](repeating: 7, count: 192)
            let svg = Array("<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>".utf8)
            for file in [ppm, svg] { try await studio.expect(file, as: .jpeg, is: .damaged) }
        }
    }

    @Test("made by chance from real ones never end the studio")
    func mutations() async throws {
        let names = [
            "odd/no_exif.jpg", "odd/Rudless.tiff", "odd/example.avif", "odd/broken_github_138.heic",
            "cameras/Canon_40D.jpg", "cameras/Nikon_D70.jpg", "odd/invalid_exif.jpg", "orientation/portrait_6.jpg",
        ]
        let count = ProcessInfo.processInfo.environment["SAFELIGHT_HOSTILE_PICTURES"].flatMap { Int($0) } ?? 80
        var random = PictureMutations(seed: 29)
        try await Surroundings.withStudio { studio in
            for number in 0..<count {
                let file = random.mutated(try Surroundings.photo(names[number % names.count]))
                let type = MediaType.sniff(file.prefix(MediaType.headByteCount))
                guard type.isPicture else { continue }
                _ = try await studio.reason(file, as: type)
            }
            try await studio.expect(Surroundings.photo("odd/no_exif.jpg"), is: nil)
        }
    }
}
