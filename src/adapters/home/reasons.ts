/** Why the system does not let us write, in plain words. */

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EEXIST: "something else exists there",
  ENOENT: "its parent folder does not exist or is not writable",
  ENOTDIR: "something above it is not a folder",
  EROFS: "its file system is read-only",
  ENOSPC: "no space is left",
  EDQUOT: "your quota of disk space is used up",
  EIO: "input/output error",
  EFBIG: "it would be larger than it may be",
  ENAMETOOLONG: "its name is too long",
  ELOOP: "symbolic links above it lead in a circle",
};

export function whyNotWritten(code: string): string {
  return REASONS[code] ?? code;
}
