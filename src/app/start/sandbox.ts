/** A run begins where its agents cannot be confined: it says so, or does not begin. */

import { probeSandbox } from "../../adapters/sandbox/probe.ts";
import { UserError } from "../../adapters/user-error.ts";
import type { Settings } from "../../engine/ports/settings.ts";
import type { Acting } from "../context.ts";
import { EXIT_FAILED } from "../exit-codes.ts";

/** What a person should know before the first agent starts; nothing where there is a sandbox, or where settings want none. */
export function aboutSandbox(
  { home, door }: Pick<Acting, "home" | "door">,
  { sandbox }: Pick<Settings, "sandbox">,
): readonly string[] {
  if (sandbox === "off") return [];
  const state = probeSandbox({ home, path: door.env["PATH"] ?? "" });
  if (state.works) return [];
  if (sandbox === "required")
    throw new UserError("no-sandbox", `settings require a sandbox, and none works here: ${state.why}`, {
      next: state.next,
      exit: EXIT_FAILED,
    });
  return [`agents of this run are not in a sandbox: ${state.why} (signalbox doctor)`];
}
