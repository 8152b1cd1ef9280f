#ifndef SAFELIGHT_WIPING_H
#define SAFELIGHT_WIPING_H

// What is in this target replaces functions of the C library; nobody calls it by other names.

#endif
