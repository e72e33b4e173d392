/**
 * A copy of a built-in workflow in which the workflow, its states, its phases and its commands have other names.
 *
 * Names are replaced where the grammar has them, and nowhere else: artifacts, roles and parameters keep theirs.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, stringify } from "yaml";

type Tree = Record<string, unknown>;

const root = join(import.meta.dirname, "../../workflows");

export const as = {
  workflow: (name: string): string => `my-${name}`,
  state: (name: string): string => `at-${name}`,
  phase: (name: string): string => `in-${name}`,
  command: (name: string): string => `do-${name}`,
};

/** Paths below `.signalbox`, with their texts. */
export function renamed(workflow: string): Readonly<Record<string, string>> {
  const file = tree(parse(readFileSync(join(root, workflow, "workflow.yaml"), "utf8")));
  const states = new Set(Object.keys(tree(file["states"])));
  const folder = `.signalbox/workflows/${as.workflow(workflow)}`;
  const prompts = readdirSync(join(root, workflow, "prompts")).map((name) => {
    const text = readFileSync(join(root, workflow, "prompts", name), "utf8");
    const typed = text.replaceAll(
      /(--status |signalbox move \S+ )([\w-]+)/g,
      (_whole, before: string, state: string) => `${before}${inState(states)(state)}`,
    );
    return [`${folder}/prompts/${name}`, typed] as const;
  });
  return {
    [`${folder}/workflow.yaml`]: stringify(renamedFile(file, states)),
    ...Object.fromEntries(prompts),
  };
}

function renamedFile(file: Tree, states: ReadonlySet<string>): Tree {
  const state = inState(states);
  const place = (name: string): string => (states.has(name) ? as.state(name) : as.phase(name));
  const way = (of: unknown): Tree => {
    const { to, from, when, ways, routes, new: scopes, ...rest } = tree(of);
    return {
      ...(from === undefined ? {} : { from: some(from, state) }),
      ...(to === undefined ? {} : { to: some(to, state) }),
      ...(when === undefined ? {} : { when: origin(when, state) }),
      ...(scopes === undefined ? {} : { new: some(scopes, state) }),
      ...(ways === undefined ? {} : { ways: list(ways).map(way) }),
      ...(routes === undefined ? {} : { routes: mapped(routes, way) }),
      ...rest,
    };
  };
  return {
    ...file,
    name: as.workflow(String(file["name"])),
    states: Object.fromEntries(
      Object.entries(tree(file["states"])).map(([name, each]) => [
        as.state(name),
        {
          ...tree(each),
          ...("phase" in tree(each) ? { phase: as.phase(String(tree(each)["phase"])) } : {}),
        },
      ]),
    ),
    counters: mapped(file["counters"], (each) => ({ ...tree(each), ...scoped(each, "per", state) })),
    artifacts: mapped(file["artifacts"], (each) => ({
      ...tree(each),
      ...scoped(each, "fresh", state),
      ...("children" in tree(each) ? { workflow: as.workflow(String(tree(each)["workflow"])) } : {}),
    })),
    moves: list(file["moves"]).map(way),
    ...(file["stages"] === undefined
      ? {}
      : { stages: mapped(file["stages"], (stage) => staged(tree(stage), state)) }),
    ...(file["verbs"] === undefined
      ? {}
      : {
          verbs: list(file["verbs"]).map((each) => ({
            ...tree(each),
            in: some(tree(each)["in"], state),
            path: some(tree(each)["path"], state),
          })),
        }),
    ends: list(file["ends"]).map((each) => ({
      ...tree(each),
      in: some(tree(each)["in"], state),
      ...scoped(each, "try", state),
    })),
    ...(file["asks"] === undefined
      ? {}
      : {
          asks: mapped(file["asks"], (ask) => ({ ...tree(ask), options: mapped(tree(ask)["options"], way) })),
        }),
    ...(file["assert"] === undefined
      ? {}
      : {
          assert: list(file["assert"]).map((each) =>
            mapped(each, (claim) => ({ ...tree(claim), in: some(tree(claim)["in"], state) })),
          ),
        }),
    ...(file["commands"] === undefined
      ? {}
      : {
          commands: Object.fromEntries(
            Object.entries(tree(file["commands"])).map(([name, each]) => [
              as.command(name),
              command(tree(each), place, state),
            ]),
          ),
        }),
  };
}

/** Stages and phases keep their names, and so do the states that they expand to; they lead to states of the file. */
function staged(stage: Tree, state: (name: string) => string): Tree {
  const phase = (of: unknown): Tree => {
    const { fix, hand } = tree(of);
    return {
      ...tree(of),
      ...scoped(of, "then", state),
      ...(fix === undefined ? {} : { fix: { ...tree(fix), ...scoped(fix, "to", state) } }),
      ...(hand === undefined ? {} : { hand: some(hand, state) }),
    };
  };
  return { ...stage, ...scoped(stage, "then", state), phases: mapped(stage["phases"], phase) };
}

function command(each: Tree, place: (name: string) => string, state: (name: string) => string): Tree {
  const { in: places, with: options, ...rest } = each;
  return {
    ...rest,
    ...(places === undefined
      ? {}
      : { in: Object.fromEntries(Object.entries(tree(places)).map(([name, verb]) => [place(name), verb])) }),
    ...(options === undefined ? {} : { with: mapped(options, (value) => state(String(value))) }),
  };
}

/** `origin` is the only condition that names states. */
function origin(when: unknown, state: (name: string) => string): Tree {
  const { origin: from, ...rest } = tree(when);
  return from === undefined ? rest : { origin: some(from, state), ...rest };
}

function scoped(of: unknown, key: string, state: (name: string) => string): Tree {
  const value = tree(of)[key];
  return typeof value === "string" ? { [key]: state(value) } : {};
}

function inState(states: ReadonlySet<string>): (name: string) => string {
  return (name) => (states.has(name) ? as.state(name) : name);
}

function some(value: unknown, rename: (name: string) => string): unknown {
  return Array.isArray(value) ? value.map((name) => rename(String(name))) : rename(String(value));
}

function mapped(value: unknown, change: (each: unknown) => unknown): Tree {
  return Object.fromEntries(Object.entries(tree(value)).map(([name, each]) => [name, change(each)]));
}

function tree(value: unknown): Tree {
  return typeof value === "object" && value !== null ? (value as Tree) : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
