/** Archives in a process of its own, so that it can be killed. */

import { fileArchives } from "../../src/adapters/archive/archives.ts";
import type { ArchiveRequest } from "../../src/engine/ports/archives.ts";

const [, , what = "", desk = "", root = ""] = process.argv;

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const { digest } = fileArchives.look(root, "specs/auth.md");
const log = fileArchives.look(root, "specs/CHANGELOG.md");
const wanted: ArchiveRequest = {
  root,
  files: [
    { file: "specs/auth.md", base: digest, bytes: bytes("# Auth, new\n") },
    { file: "specs/deep/new.md", base: "none", bytes: bytes("# New\n") },
    { file: "specs/CHANGELOG.md", base: log.digest, bytes: bytes("# Changelog, new\n") },
  ],
  folder: "changes/x",
  to: "archive/20260131-x",
};

if (what === "undo") fileArchives.undo(desk);
else {
  const isPlanned = fileArchives.isPlanned(desk) || fileArchives.plan(desk, wanted);
  const outcome = isPlanned ? fileArchives.put(desk) : "refused";
  process.stdout.write(outcome === "ready" ? fileArchives.move(desk).to : outcome);
}
