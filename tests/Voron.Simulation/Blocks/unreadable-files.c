/* A read-only view of a folder in which one sector of one file cannot be read.
   unreadable-files SOURCE POINT NAME OFFSET
   NAME is the end of the file's path; every read that touches the 512 bytes from OFFSET on fails with EIO. */
#define FUSE_USE_VERSION 31
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECTOR 512

static const char *source, *bad_name;
static off_t bad_offset;

static int real_path(char *real, const char *path)
{
    return snprintf(real, PATH_MAX, "%s%s", source, path) < PATH_MAX ? 0 : -ENAMETOOLONG;
}

static int view_getattr(const char *path, struct stat *status, struct fuse_file_info *info)
{
    char real[PATH_MAX];
    int failed = real_path(real, path);
    (void)info;
    return failed ? failed : lstat(real, status) ? -errno : 0;
}

static int view_readdir(const char *path, void *list, fuse_fill_dir_t fill, off_t offset, struct fuse_file_info *info,
    enum fuse_readdir_flags flags)
{
    char real[PATH_MAX];
    int failed = real_path(real, path);
    (void)offset, (void)info, (void)flags;
    DIR *directory = failed ? NULL : opendir(real);
    if (!directory) {
        return failed ? failed : -errno;
    }
    for (struct dirent *entry; (entry = readdir(directory));) {
        fill(list, entry->d_name, NULL, 0, 0);
    }
    closedir(directory);
    return 0;
}

static int view_open(const char *path, struct fuse_file_info *info)
{
    char real[PATH_MAX];
    int failed = real_path(real, path);
    int descriptor = failed ? -1 : open(real, O_RDONLY);
    info->fh = descriptor;
    return failed ? failed : descriptor < 0 ? -errno : 0;
}

static int view_read(const char *path, char *bytes, size_t length, off_t offset, struct fuse_file_info *info)
{
    size_t path_length = strlen(path), name_length = strlen(bad_name);
    int is_bad_file = path_length >= name_length && !strcmp(path + path_length - name_length, bad_name);
    if (is_bad_file && offset < bad_offset + SECTOR && offset + (off_t)length > bad_offset) {
        return -EIO;
    }
    ssize_t got = pread(info->fh, bytes, length, offset);
    return got < 0 ? -errno : (int)got;
}

static int view_release(const char *path, struct fuse_file_info *info)
{
    (void)path;
    close(info->fh);
    return 0;
}

int main(int count, char **arguments)
{
    static const struct fuse_operations operations = {
        .getattr = view_getattr, .readdir = view_readdir, .open = view_open, .read = view_read, .release = view_release,
    };
    if (count != 5) {
        return 2;
    }
    source = arguments[1];
    bad_name = arguments[3];
    bad_offset = atoll(arguments[4]);
    char *options[] = { arguments[0], "-f", "-o", "ro", arguments[2], NULL };
    return fuse_main(5, options, &operations, NULL);
}
