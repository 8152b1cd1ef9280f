import ImagingProtocol
import Media
import Testing

@Suite("Frames between the daemon and a child")
struct FrameTests {
    @Test("come out of a stream as they went in, whatever the pieces", arguments: [1, 2, 3, 5, 7, 64, 1 << 20])
    func anyPieces(size: Int) throws {
        let sent = [
            DaemonMessage.limits(ImagingLimits()).frame,
            DaemonMessage.job(DaemonMessage.Job(type: .heic, byteCount: 1 << 40)).frame,
            DaemonMessage.job(Self.comparison).frame, DaemonMessage.bytes([1, 2, 3]).frame, ChildMessage.ready.frame,
        ]
        let stream = sent.flatMap(\.encoded)
        var assembler = FrameAssembler()
        var received: [Frame] = []
        for start in stride(from: 0, to: stream.count, by: size) {
            assembler.append(stream[start..<min(start + size, stream.count)])
            while let frame = try assembler.next() { received.append(frame) }
        }
        #expect(received == sent)
        #expect(try assembler.next() == nil)
    }

    @Test("are refused by their header when they are longer than their kind may be", arguments: FrameKind.allCases)
    func tooLong(kind: FrameKind) {
        let count = UInt32(kind.payloadLimit + 1)
        let header = (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * $0)) } + [kind.rawValue]
        var assembler = FrameAssembler()
        assembler.append(header)
        #expect(throws: FrameError.tooLong(kind)) { try assembler.next() }
    }

    private static let comparison = DaemonMessage.Job(
        type: .heic, byteCount: 1 << 40, copy: DaemonMessage.Job.File(type: .jpeg, byteCount: 7))

    @Test("tell of two files as of one, of which the second does not go beyond all numbers")
    func twoFiles() throws {
        let frame = DaemonMessage.job(Self.comparison).frame
        #expect(try DaemonMessage(frame) == .job(Self.comparison))
        for count in 10..<frame.payload.count {
            #expect(throws: FrameError.malformed(.job)) {
                try DaemonMessage(Frame(kind: .job, payload: Array(frame.payload.prefix(count))))
            }
        }
        let endless = DaemonMessage.Job(type: .jpeg, byteCount: 9, copy: .init(type: .jpeg, byteCount: .max))
        #expect(throws: FrameError.malformed(.job)) { try DaemonMessage(DaemonMessage.job(endless).frame) }
    }

    @Test("of an unknown kind are refused")
    func unknownKind() {
        var assembler = FrameAssembler()
        assembler.append([0, 0, 0, 0, 99])
        #expect(throws: FrameError.unknownKind(99)) { try assembler.next() }
    }
}
