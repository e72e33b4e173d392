/** Errors of the system: their codes, such as ENOENT, and what people are told. */

import { UserError } from "../user-error.ts";

export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** Runs it, and gives undefined where the system answers with one of these codes. */
export function unless<T>(codes: readonly string[], run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (codes.includes(codeOf(error) ?? "")) return undefined;
    throw error;
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  ELOOP: "its symbolic links lead in a circle",
  ENXIO: "it is no regular file",
  ENOENT: "it is gone",
  EISDIR: "it is a folder",
  ENOTDIR: "it is no folder",
  EIO: "reading it fails (input/output error)",
  ENODEV: "it is no regular file",
};

export function unreadable(path: string, error: unknown): UserError {
  const code = codeOf(error);
  if (code === undefined) throw error;
  const reason = REASONS[code] ?? code;
  return new UserError(
    "unreadable",
    `${path} cannot be read: ${reason}`,
    code === "EACCES" || code === "EPERM" ? `ls -l ${path}` : "signalbox workflows",
  );
}
