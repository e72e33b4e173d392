/**
 * Waking whoever carries out what was written down.
 *
 * Commands only write. Whoever calls may be an agent: what the supervisor is started with, and hands on to others, is a person's.
 */

import { failpoint } from "../../adapters/failpoint.ts";
import type { Env, Home } from "../../adapters/home/paths.ts";
import { markIn } from "../../adapters/person/marks.ts";
import type { Who } from "../../adapters/person/who.ts";
import type { Invocation } from "../invocation.ts";
import { isDue, type Due } from "./due.ts";
import { databaseOf } from "./find.ts";
import { saveEnvironment, savedEnvironment } from "./environment.ts";

type Waking = {
  readonly door: Invocation;
  readonly home: Home;
  /** Whoever acts; nobody, for those who only look. */
  readonly who?: Who;
  readonly box: { readonly store: Due };
};

export async function wake({ door, home, who, box }: Waking): Promise<void> {
  if (door.warm !== undefined) {
    door.warm.ring();
    // What is due is begun first, and waits for the disk while we go on.
    await new Promise((resolve) => setImmediate(resolve));
    return;
  }
  // Workers look by themselves.
  if (databaseOf(door) !== undefined) return;
  if (who?.type === "person" && who.through === undefined) saveEnvironment(home, door.env);
  if (!(await isDue(box.store, home))) return;
  const [{ poke }, { isSupervisorAlive }] = await Promise.all([
    import("../../adapters/supervisor/poke.ts"),
    import("../../adapters/supervisor/lock.ts"),
  ]);
  failpoint("wake.before-poke");
  poke(home);
  if (isSupervisorAlive(home)) return;
  failpoint("wake.before-start");
  if (door.startSupervisor === undefined) await start(home, door.env);
  else door.startSupervisor(home);
}

async function start(home: Home, own: Env): Promise<void> {
  const env = savedEnvironment(home);
  if (env === undefined) return;
  const [{ startSupervisor }, { selfCommand }] = await Promise.all([
    import("../../adapters/supervisor/start.ts"),
    import("../../adapters/works/launcher.ts"),
  ]);
  startSupervisor(home, {
    argv: [...selfCommand(), "supervise"],
    env: { ...env, SIGNALBOX_HOME: home.root, ...failpointsOf(own) },
  });
}

/** Where tests want the supervisor, or the shims it starts, to die. An agent wants nothing of the kind. */
export function failpointsOf(env: Env): Env {
  if (markIn(env) !== undefined) return {};
  const at = env["SIGNALBOX_SUPERVISOR_FAILPOINT"];
  const shim = env["SIGNALBOX_SHIM_FAILPOINT"];
  const log = env["SIGNALBOX_FAILPOINT_LOG"];
  return {
    ...(at === undefined ? {} : { SIGNALBOX_FAILPOINT: at }),
    ...(shim === undefined ? {} : { SIGNALBOX_SHIM_FAILPOINT: shim }),
    ...(log === undefined ? {} : { SIGNALBOX_FAILPOINT_LOG: log }),
  };
}
