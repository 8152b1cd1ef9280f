// libarchive, and the locale by which it reads names.
#pragma once
#include <archive.h>
#include <archive_entry.h>
#include <locale.h>
#include <stdint.h>

// What Swift does not take over from macros with casts.
static const unsigned int CARCHIVE_FILE = AE_IFREG, CARCHIVE_FOLDER = AE_IFDIR, CARCHIVE_LINK = AE_IFLNK;

/// Names of 7z are UTF-16, and become UTF-8 by the library itself only where that is the charset; for any other it would
/// open files of iconv. Not null where it is set.
static inline const char *carchive_use_utf8(void) { return setlocale(LC_CTYPE, "C.UTF-8"); }
