import Imaging
import Logging
import Media
import Testing

@Suite("A studio for pictures")
struct PictureStudioTests {
    @Test("without an executable says that it is unavailable, and not that the file is bad")
    func noExecutable() async {
        let studio = PictureStudio(
            configuration: ImagingConfiguration(pictureExecutable: nil), logger: Logger(label: "test"))
        await #expect {
            try await studio.examine([0xFF, 0xD8, 0xFF], as: .jpeg)
        } throws: { error in
            guard let error = error as? ImagingError, case .unavailable = error else { return false }
            return true
        }
        await studio.close()
    }
}
