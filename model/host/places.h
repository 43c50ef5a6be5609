// Places of files: in a checkout and its build folder, or below the prefix of `cmake --install`.
// Returned paths stay valid; none ends in a slash.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_HOST_PLACES_H
#define AMALGAM_HOST_PLACES_H

#ifdef __cplusplus
extern "C" {
#endif

// The source tree, or those parts of it that are installed (PREFIX/share/amalgam): configs, RTL, scripts, headers
// of firmware, shipped data.
const char *places_source(void);

// firmware/ and firmware.sh: the build folder, or PREFIX/lib/amalgam.
const char *places_built(void);

// The folder for things that are made when first asked for, and found by content: the build folder if it can be
// written, else ${XDG_CACHE_HOME:-~/.cache}/amalgam, which is made.
const char *places_kept(void);

// The folder for the results of synthesis: $AMALGAM_SYNTH, or synth in places_kept().
const char *places_synth(void);

#ifdef __cplusplus
}
#endif

#endif
