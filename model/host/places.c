// SPDX-License-Identifier: Apache-2.0
#include "host/places.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PLACE_BYTES = 4096 };

static struct { char source[PLACE_BYTES], built[PLACE_BYTES], kept[PLACE_BYTES], synth[PLACE_BYTES]; } places;

// A path that does not fit is cut, and then not found by whoever opens it.
__attribute__((format(printf, 2, 3))) static void set(char place[PLACE_BYTES], const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(place, PLACE_BYTES, format, arguments);
  va_end(arguments);
}

static const char *given(const char *variable) {
  const char *value = getenv(variable);
  return value != NULL && value[0] != '\0' ? value : NULL;
}

// The prefix, if this program is PREFIX/bin/... and what is installed with it is there.
static bool find_prefix(char prefix[PLACE_BYTES / 2]) {
  char share[PLACE_BYTES];
  const ssize_t length = readlink("/proc/self/exe", prefix, PLACE_BYTES / 2 - 1);
  if (length < 0) {
    return false;
  }
  prefix[length] = '\0';
  for (int level = 0; level < 2; ++level) {  // the program's name, bin
    char *slash = strrchr(prefix, '/');
    if (slash == NULL) {
      return false;
    }
    *slash = '\0';
  }
  set(share, "%s/share/amalgam/model/config", prefix);
  return access(share, R_OK) == 0;
}

static bool make_folder(const char *path) {
  struct stat status;
  return mkdir(path, 0777) == 0 || (stat(path, &status) == 0 && S_ISDIR(status.st_mode));
}

static void find_cache(void) {
  const char *cache = given("XDG_CACHE_HOME");
  const char *home = given("HOME");
  set(places.kept, "%s%s", cache != NULL ? cache : home != NULL ? home : "/tmp", cache != NULL ? "" : "/.cache");
  make_folder(places.kept);
  strncat(places.kept, "/amalgam", PLACE_BYTES - strlen(places.kept) - 1);
  make_folder(places.kept);
}

static void find_synth(void) {
  const char *synth = given("AMALGAM_SYNTH");
  char here[PLACE_BYTES / 2];
  if (synth == NULL) {
    set(places.synth, "%s/synth", places.kept);
  } else if (synth[0] == '/' || getcwd(here, sizeof here) == NULL) {
    set(places.synth, "%s", synth);
  } else {
    set(places.synth, "%s/%s", here, synth);
  }
}

static void find_places(void) {
  char prefix[PLACE_BYTES / 2];
  const bool installed = find_prefix(prefix);
  set(places.source, "%s%s", installed ? prefix : AMALGAM_SOURCE_DIR, installed ? "/share/amalgam" : "");
  set(places.built, "%s%s", installed ? prefix : AMALGAM_BUILD_DIR, installed ? "/lib/amalgam" : "");
  set(places.kept, "%s", places.built);
  if (installed || access(places.built, W_OK) != 0) {
    find_cache();
  }
  find_synth();
}

static const char *find(const char *place) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, find_places);
  return place;
}

const char *places_source(void) { return find(places.source); }
const char *places_built(void) { return find(places.built); }
const char *places_kept(void) { return find(places.kept); }
const char *places_synth(void) { return find(places.synth); }
