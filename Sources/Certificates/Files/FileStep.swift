/// What is done to the folder's files, in order. Tests stop the work before any one of them, as a crash would.
enum FileStep: Sendable, Equatable {
    case makeFolder
    case synchronizeParent
    case create(String)
    case write(String)
    case synchronize(String)
    case rename(String)
    case moveAside(String)
    case remove(String)
    case synchronizeFolder
}
