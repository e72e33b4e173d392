/** A turn as a driver is given it, with what a test says about it. */

import type { Driver, Turn } from "../../src/engine/ports/drivers.ts";
import type { Harness } from "../../src/engine/ports/settings.ts";

export type GivenTurn = Omit<Partial<Turn>, "harness"> & { readonly harness?: Partial<Harness> };

/** Command lines of a program that has no driver. */
const LINE = ["own", "--model", "{model}", "--effort={effort}", "--as", "{access}"];

export function turnOf(driver: Driver, { harness = {}, ...turn }: GivenTurn): Turn {
  const isCommand = driver.name === "command";
  return {
    access: "write",
    model: "",
    effort: "",
    isFirst: true,
    session: "SESSION",
    conversation: "",
    seat: "",
    prompt: "/p.md",
    run: "r1",
    role: "worker",
    workspace: "/w",
    folders: ["/state", "/w/.git"],
    isConfined: false,
    ...turn,
    harness: {
      name: "h",
      driver: driver.name,
      program: isCommand ? LINE : [driver.program],
      arguments: [],
      model: "",
      effort: "",
      folders: [],
      files: [],
      mcp: false,
      permissions: "ask",
      stays: false,
      again: isCommand ? [...LINE, "--again", "{session}"] : undefined,
      terminal: isCommand ? ["own", "--stay", "{prompt}"] : undefined,
      terminalAgain: undefined,
      env: [],
      set: {},
      stdin: true,
      minutes: undefined,
      stallMinutes: undefined,
      ...harness,
    },
  };
}
