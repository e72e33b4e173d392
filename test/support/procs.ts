/** Processes as a test wants them: who we come from, and what they carry. */
import { PROCS, type Procs, type ProcessEntry } from "../../src/adapters/person/processes.ts";

/** `environment` undefined: nobody may read it. */
export type Fake = { readonly pid: number; readonly name: string; readonly environment?: string | undefined };

const SELF = 999;

/** The nearest ancestor first. */
export function procsOf(
  above: readonly Fake[],
  own: Partial<ProcessEntry> = {},
  beside: readonly Fake[] = [],
): Procs {
  const all = [...above, ...beside];
  const seen = (fake: Fake): ProcessEntry => {
    const at = above.indexOf(fake);
    const parent = at === -1 ? 0 : (above[at + 1]?.pid ?? 0);
    return { name: fake.name, parent, group: fake.pid, session: fake.pid, terminal: 0 };
  };
  const self: ProcessEntry = {
    name: "node",
    parent: above[0]?.pid ?? 0,
    group: SELF,
    session: above[0]?.pid ?? SELF,
    terminal: 0,
    ...own,
  };
  const find = (pid: number): Fake | undefined => all.find((fake) => fake.pid === pid);
  return {
    self: SELF,
    isOpen: true,
    see: (pid) => {
      const found = find(pid);
      return pid === SELF ? self : found === undefined ? undefined : seen(found);
    },
    environment: (pid) => find(pid)?.environment,
    controlGroup: () => "0::/user.slice",
    // A supervisor that a test starts lives where the test does.
    world: () => (PROCS.isOpen ? PROCS.world() : "here"),
  };
}

/** A person at a terminal of their own: tests may themselves be run by an agent. */
export const AT_HOME: Procs = procsOf([{ pid: 50, name: "bash" }], { terminal: (136 << 8) | 3 });
