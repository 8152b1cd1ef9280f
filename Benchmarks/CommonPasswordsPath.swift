/// The file by which new passwords are judged, as the page has it.
let commonPasswordsPath =
    #filePath.split(separator: "/").dropLast(2).reduce("") { "\($0)/\($1)" } + "/www/common-passwords.bin"
