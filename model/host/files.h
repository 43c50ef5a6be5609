// Files of this process: those it reads and those it is to write, which must differ; folders of its own.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_HOST_FILES_H
#define AMALGAM_HOST_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum host_use { HOST_FILE_FREE, HOST_FILE_READ, HOST_FILE_WRITTEN } host_use_t;

// Before a file is read: notes that, whatever its name, it is an input. False: it is to be written. One that is
// not there, or is a device, is nobody's.
bool host_file_reads(const char *path);

// Notes, before anything is written, that the file of this status will be written. Returns its earlier use; if that is
// not HOST_FILE_FREE, it stays.
host_use_t host_file_writes(const struct stat *status);

// It has been written, or will not be.
void host_file_done(const struct stat *status);

// Closed standard streams are opened, on something that fails when it is used: no other file takes their place.
void host_keep_streams(void);

// The beginning of a small file, as of /proc: at most size - 1 bytes and a 0. False: it cannot be read, text is "".
bool host_read_text(const char *path, char *text, size_t size);

// Closes a file that was written. False: not all of it has arrived, errno says why.
bool host_close_written(FILE *file);

// A new folder below $TMPDIR (/tmp without), for this user alone. NULL: errno says why; to be freed.
char *host_new_folder(void);

// Removes it and the files in it.
void host_remove_folder(const char *path);

#ifdef __cplusplus
}
#endif

#endif
