/* A block device that remembers: one image, exported as a file for a loop device, that logs every write and every flush in their order.
 *
 *   block-image IMAGE LOG MOUNTPOINT
 *
 * The mount point gets three files:
 *   disk     the image. Writes go to a private copy in memory, IMAGE itself never changes.
 *   said     what is written here is put in the log between the device's own calls: a process that has it as standard output marks in the
 *            log what it had acknowledged when.
 *   control  takes commands: "stop" ends the log; "fail-writes AFTER COUNT" and "fail-flushes AFTER COUNT" answer the COUNT calls after
 *            the next AFTER ones with EIO, and leave the image as it was. Reading it gives "writes N flushes N said N failed N".
 *
 * An entry of the log is a letter, the offset and the length (little-endian, 8 bytes each), and for writes and marks the bytes:
 * W write, F flush, S said. One thread serves all calls, so the log's order is the device's. The program ends when its standard input does.
 */
#define FUSE_USE_VERSION 31
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ENTRY_BYTES = 17, COMMAND_BYTES = 128 };

struct fault { long after, count; };

static char *image;
static size_t image_bytes;
static FILE *log_file;
static long writes, flushes, said, failed;
static struct fault write_fault, flush_fault;

/* What cannot be logged would be taken for something that never happened, so it ends the program. */
static void put(const void *bytes, size_t length)
{
    if (length > 0 && fwrite(bytes, 1, length, log_file) != length) {
        perror("block-image: log");
        _exit(2);
    }
}

static void record(char kind, off_t offset, size_t length, const char *bytes)
{
    char entry[ENTRY_BYTES];
    int64_t at = offset, size = (int64_t)length;
    if (log_file == NULL)
        return;
    entry[0] = kind;
    memcpy(entry + 1, &at, sizeof at);
    memcpy(entry + 9, &size, sizeof size);
    put(entry, sizeof entry);
    if (bytes != NULL)
        put(bytes, length);
}

static int fails(struct fault *fault)
{
    if (fault->count == 0)
        return 0;
    if (fault->after > 0) {
        fault->after--;
        return 0;
    }
    fault->count--;
    failed++;
    return 1;
}

static int get_attributes(const char *path, struct stat *stat, struct fuse_file_info *file)
{
    (void)file;
    memset(stat, 0, sizeof *stat);
    stat->st_nlink = 1;
    stat->st_mode = S_IFREG | 0600;
    if (strcmp(path, "/") == 0)
        stat->st_mode = S_IFDIR | 0700;
    else if (strcmp(path, "/disk") == 0)
        stat->st_size = (off_t)image_bytes;
    else if (strcmp(path, "/control") == 0)
        stat->st_size = COMMAND_BYTES;
    else if (strcmp(path, "/said") != 0)
        return -ENOENT;
    return 0;
}

/* Every call of the loop device comes here at once: nothing is cached above this program. */
static int open_file(const char *path, struct fuse_file_info *file)
{
    (void)path;
    file->direct_io = 1;
    return 0;
}

static int truncate_file(const char *path, off_t length, struct fuse_file_info *file)
{
    (void)length;
    (void)file;
    return strcmp(path, "/disk") == 0 ? -EPERM : 0;
}

static int read_file(const char *path, char *into, size_t length, off_t offset, struct fuse_file_info *file)
{
    (void)file;
    if (strcmp(path, "/disk") == 0) {
        if ((size_t)offset >= image_bytes)
            return 0;
        if (length > image_bytes - (size_t)offset)
            length = image_bytes - (size_t)offset;
        memcpy(into, image + offset, length);
        return (int)length;
    }
    if (strcmp(path, "/control") != 0 || offset > 0)
        return 0;
    char text[COMMAND_BYTES];
    int count = snprintf(text, sizeof text, "writes %ld flushes %ld said %ld failed %ld\n", writes, flushes, said, failed);
    if ((size_t)count > length)
        count = (int)length;
    memcpy(into, text, (size_t)count);
    return count;
}

static int obey(const char *bytes, size_t length)
{
    char command[COMMAND_BYTES] = { 0 };
    memcpy(command, bytes, length < sizeof command ? length : sizeof command - 1);
    if (strncmp(command, "stop", 4) == 0) {
        if (log_file != NULL && fclose(log_file) != 0)
            return -EIO;
        log_file = NULL;
        return (int)length;
    }
    if (sscanf(command, "fail-writes %ld %ld", &write_fault.after, &write_fault.count) == 2
        || sscanf(command, "fail-flushes %ld %ld", &flush_fault.after, &flush_fault.count) == 2)
        return (int)length;
    return -EINVAL;
}

static int write_file(const char *path, const char *bytes, size_t length, off_t offset, struct fuse_file_info *file)
{
    (void)file;
    if (strcmp(path, "/control") == 0)
        return obey(bytes, length);
    if (strcmp(path, "/said") == 0) {
        record('S', 0, length, bytes);
        said++;
        return (int)length;
    }
    if ((size_t)offset > image_bytes || length > image_bytes - (size_t)offset)
        return -ENOSPC;
    if (fails(&write_fault))
        return -EIO;
    record('W', offset, length, bytes);
    memcpy(image + offset, bytes, length);
    writes++;
    return (int)length;
}

static int flush_file(const char *path, int data_only, struct fuse_file_info *file)
{
    (void)data_only;
    (void)file;
    if (strcmp(path, "/disk") != 0)
        return 0;
    if (fails(&flush_fault))
        return -EIO;
    record('F', 0, 0, NULL);
    flushes++;
    return 0;
}

/* A device without trimming and without a command for zeros: the kernel writes them. */
static int allocate(const char *path, int mode, off_t offset, off_t length, struct fuse_file_info *file)
{
    (void)path, (void)mode, (void)offset, (void)length, (void)file;
    return -EOPNOTSUPP;
}

static void *end_with_parent(void *unused)
{
    char byte;
    while (read(STDIN_FILENO, &byte, 1) > 0)
        ;
    kill(getpid(), SIGTERM);
    return unused;
}

static void *start(struct fuse_conn_info *connection, struct fuse_config *config)
{
    static pthread_t watcher;
    (void)connection;
    (void)config;
    if (pthread_create(&watcher, NULL, end_with_parent, NULL) != 0)
        exit(2);
    return NULL;
}

static const struct fuse_operations operations = {
    .init = start, .getattr = get_attributes, .open = open_file, .read = read_file, .write = write_file,
    .fsync = flush_file, .truncate = truncate_file, .fallocate = allocate,
};

int main(int count, char **words)
{
    if (count != 4) {
        fprintf(stderr, "block-image IMAGE LOG MOUNTPOINT\n");
        return 2;
    }
    struct stat stat;
    int file = open(words[1], O_RDONLY);
    if (file < 0 || fstat(file, &stat) != 0) {
        perror(words[1]);
        return 2;
    }
    image_bytes = (size_t)stat.st_size;
    image = mmap(NULL, image_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    log_file = fopen(words[2], "wb");
    if (image == MAP_FAILED || log_file == NULL) {
        perror(words[2]);
        return 2;
    }
    char *arguments[] = { words[0], "-f", "-s", words[3], NULL };
    return fuse_main(4, arguments, &operations, NULL);
}
