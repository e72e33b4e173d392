/** `signalbox setup` with the real programs: each answers one trial turn, and becomes the agent of every workflow. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "vitest";
import { isPerson } from "../support/person.ts";
import { onMachine } from "./machine.ts";
import { have, type Program } from "./programs.ts";

describe.runIf(isPerson)("setup", () => {
  for (const program of ["claude", "codex", "gemini", "opencode"] satisfies Program[])
    test.runIf(have(program))(`${program}: it answers, and every workflow uses it`, async ({ expect }) => {
      await onMachine(
        { programs: [program], conduct: () => ({ type: "say", text: "ready" }) },
        async (on) => {
          await on.person("setup", "--agent", program, "--yes");
          const { document: tried } = await on.person("doctor", "--trial");
          expect(JSON.stringify(tried["findings"])).toContain(
            `"name":"trial ${program}","text":"works: ready"`,
          );
          const { document } = await on.person("agents");
          const agents = document["agents"] as { name: string; version: string; roles: string[] }[];
          expect(agents.filter(({ roles }) => roles.length > 0).map(({ name }) => name)).toEqual([program]);
          expect(agents.find(({ name }) => name === program)?.version).toMatch(/^\d+\.\d+/);
          expect(readFileSync(join(on.root, "config/signalbox/config.yaml"), "utf8")).toMatch(
            /^sandbox: off\nenv: \[/,
          );
          expect(on.model.asked.length).toBeGreaterThan(1);
        },
      );
    });
});
