/** The sandbox of this machine: launches with a cell become launches of `bwrap`, or of `sandbox-exec`, with the same folder and log. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Launch } from "../../engine/ports/process.ts";
import type { Confinement, Sandbox } from "../../engine/ports/sandbox.ts";
import { sha256 } from "../../format/sha256.ts";
import { makeFolder } from "../home/folders.ts";
import type { Env, Home } from "../home/paths.ts";
import { bubblewrapped } from "./bubblewrap.ts";
import { grantsFor, type Grants } from "./grants.ts";
import { probeSandbox, type Probed } from "./probe.ts";
import { seatbelted, seatbeltProfile } from "./seatbelt.ts";

export type Cells = Sandbox & {
  /** The same launch inside its cell; as it is where it has none. Throws where the sandbox does not work. */
  confine(launch: Launch): Launch;
};

export type CellPlaces = {
  readonly home: Home;
  readonly person: Env;
  readonly cache: (repo: string) => string;
};

export function cellsOf({ home, person, cache }: CellPlaces): Cells {
  let probed: Probed | undefined;
  // What works goes on working; what does not may have been mended meanwhile.
  const state = (): Probed =>
    probed?.works === true ? probed : (probed = probeSandbox({ home, path: person["PATH"] ?? "" }));
  const wrapped = (launch: Launch, cell: Confinement, socket: string): readonly string[] => {
    const found = state();
    if (!found.works) throw new Error(`no sandbox works here: ${found.why}`);
    const grants = grantsFor(launch, cell, { home, person, cache: cache(cell.repo), socket });
    const { argv, cwd, stdin } = launch;
    return found.bwrap === undefined
      ? withSeatbelt(home, launch, grants)
      : bubblewrapped(found.bwrap, {
          ...grants,
          argv,
          cwd,
          stdin,
          hasTerminal: launch.terminal !== undefined,
        });
  };
  return {
    state,
    confine(launch) {
      const { cell, ...plain } = launch;
      if (cell === undefined) return plain;
      const socket = cell.kind === "turn" ? cellFolder(home, launch.dir) : "";
      if (socket !== "") makeFolder(socket);
      return { ...plain, argv: wrapped(launch, cell, socket), stdin: "" };
    },
  };
}

/** The folder with the socket of a job: its path is short enough for one, and stays when the supervisor is another one. */
export function cellFolder({ root }: Home, dir: string): string {
  return join(root, "cells", sha256(dir).slice(0, 12));
}

function withSeatbelt(home: Home, { id, argv, stdin, env }: Launch, grants: Grants): readonly string[] {
  const profile = join(home.root, "cells", `${sha256(id).slice(0, 12)}.sb`);
  makeFolder(join(home.root, "cells"));
  writeFileSync(profile, seatbeltProfile(grants), { mode: 0o600 });
  return seatbelted({ ...grants, profile, argv, stdin }, env["HOME"] ?? "");
}
