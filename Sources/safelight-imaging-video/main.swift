import Glibc
import ImagingCage
import ImagingProtocol

let child = ImagingChild(
    load: VideoLibrary.load, warmUp: VideoLibrary.warmUp,
    examine: { job, source, limits throws(UnreadableReason) in
        try VideoJob(type: job.type, source: source, limits: limits).result()
    })

let arguments = Array(CommandLine.arguments.dropFirst())
if arguments.isEmpty { child.run() }
if arguments == ["--prove-cage"] { exit(CageProof(child: child).run() ? EXIT_SUCCESS : EXIT_FAILURE) }
if arguments.count == 2, arguments[0] == "--attempt" { CageProof(child: child).attempt(arguments[1]) }
print("Safelight starts this program by itself. By hand it has one use: safelight-imaging-video --prove-cage")
exit(EX_USAGE)
