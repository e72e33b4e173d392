/** Random small files with stages, some of which can be disabled, some with a person in them. */

import fc from "fast-check";
import type { Literal } from "../../src/core/model/value.ts";

type Phase = Readonly<Record<string, unknown>>;

const review = (by: string, fix: boolean): Phase => ({
  review: "0",
  by,
  tries: 1,
  ...(fix ? { fix: { by: "worker", max: "$fixes" } } : {}),
});

const kinds: readonly (readonly Phase[])[] = [
  [{ run: "worker", tries: "$tries" }],
  [{ run: "worker", tries: 1 }, review("critic", true)],
  [{ run: "worker", tries: 1 }, review("critic", false)],
  [{ check: "npm test" }],
  [{ check: "npm test", fix: { by: "worker", max: "$fixes" } }],
  [{ ask: "" }],
];

const stage = fc.record({
  kind: fc.constantFrom(...kinds),
  enabled: fc.constantFrom(undefined, "$first", "$second", "$third"),
  restart: fc.boolean(),
});

/** As the text of a workflow, with what its parameters can be. */
export const stagedFiles = fc.record({
  stages: fc.array(stage, { minLength: 1, maxLength: 3 }),
  /** Where a person's restart leads: to the first stage, or to the last. */
  again: fc.boolean(),
  fixes: fc.integer({ min: 0, max: 2 }),
});

type File = { readonly stages: readonly Stage[]; readonly again: boolean; readonly fixes: number };
type Stage = {
  readonly kind: readonly Phase[];
  readonly enabled: string | undefined;
  readonly restart: boolean;
};

export function textOf({ stages, again, fixes }: File): string {
  const named = stages.map(({ kind, enabled, restart }, index) => {
    const last = index === stages.length - 1;
    const ids = kind.map((_, phase) => `p${index}${phase}`);
    const phases = kind.map((phase, number): [string, Phase] => {
      const id = ids[number] ?? "";
      if ("ask" in phase) return [id, { ask: `go${index}` }];
      if ("check" in phase) return [id, { ...phase, out: `${id}.txt` }];
      if (!("review" in phase)) return [id, { ...phase, out: `${id}.md` }];
      const out = { in: `${id}.md`, section: "Review", verdict: { PASS: "pass", FAIL: "needs_fix" } };
      return [id, { ...phase, review: ids[0], out }];
    });
    const restarts = restart && kind.some((phase) => "review" in phase || "fix" in phase);
    return [
      `S${index}`,
      {
        ...(enabled === undefined ? {} : { enabled }),
        ...(restarts ? { restart: { max: 1 } } : {}),
        stuck: "stuck",
        // oxlint-disable-next-line unicorn/no-thenable -- a word of the language
        ...(last ? { then: "closed" } : {}),
        phases: Object.fromEntries<Phase>(phases),
      },
    ] as const;
  });
  const uses = (word: string): boolean => JSON.stringify(named).includes(`"${word}"`);
  const target = again ? "p00" : `p${stages.length - 1}0`;
  return JSON.stringify({
    $schema: "workflow-1.schema.json",
    name: "random",
    title: "Random",
    params: {
      first: { bool: true },
      second: { bool: true },
      third: { bool: true },
      fixes: { int: [0, 2], default: fixes },
      tries: { int: [1, 2], default: 1 },
    },
    roles: {
      ...(uses("worker") ? { worker: {} } : {}),
      ...(uses("critic") ? { critic: { access: "read" } } : {}),
    },
    stages: Object.fromEntries(named),
    states: { closed: { final: "done" }, dropped: { final: "cancelled" } },
    moves: [{ from: "start", to: "p00", by: "human" }],
    asks: {
      stuck: {
        question: "stuck",
        options: { retry: { to: "origin" }, again: { to: target }, drop: { to: "dropped" } },
      },
      ...Object.fromEntries(
        stages.flatMap(({ kind }, index) => {
          const to = index === stages.length - 1 ? "closed" : `p${index + 1}0`;
          const options = { yes: { to }, no: { to: "dropped" } };
          return kind.some((phase) => "ask" in phase) ? [[`go${index}`, { question: "go", options }]] : [];
        }),
      ),
    },
  });
}

/** Every value of every parameter that the text uses. */
export function choicesIn(text: string): Record<string, Literal>[] {
  const values: Readonly<Record<string, readonly Literal[]>> = {
    first: [true, false],
    second: [true, false],
    third: [true, false],
    fixes: [0, 1, 2],
    tries: [1, 2],
  };
  return Object.entries(values).reduce<Record<string, Literal>[]>(
    (all, [name, each]) =>
      text.includes(`"$${name}"`)
        ? all.flatMap((chosen) => each.map((value) => ({ ...chosen, [name]: value })))
        : all,
    [{}],
  );
}
