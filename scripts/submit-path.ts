/**
 * Traces one `submit review` of the workflow `task`, from the use case to the commit of its events.
 *
 * A loader hook adds a call at the start of every function of `src`, so the trace is the sequence of function calls by file. A layer
 * change is a call of a function in another layer than the call before it. The trace starts where the supervisor performs an
 * agent's request, and ends when SQLite has committed the events; the client that sends the request is not part of it.
 */

import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { join, relative } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { parseSync, Visitor } from "rolldown/utils";

export type SubmitPath = { readonly files: number; readonly layerChanges: number };

const root = join(import.meta.dirname, "..");
const ENTER = "__enterFunction";

type Node = { readonly type: string; readonly start: number; readonly end: number };

export async function traceSubmit(): Promise<SubmitPath> {
  const calls: string[] = [];
  let isTraced = false;
  Object.assign(globalThis, {
    [ENTER]: (file: string) => {
      if (isTraced) calls.push(file);
    },
  });
  registerHooks({
    load: (url, context, next) => {
      const loaded = next(url, context);
      const file = url.startsWith("file:") ? relative(root, fileURLToPath(url)) : "";
      if (!file.startsWith("src/")) return loaded;
      return { ...loaded, source: instrumented(file, readFileSync(join(root, file), "utf8")) };
    },
  });
  onCommit(() => {
    isTraced = false;
  });
  const submit = await preparedSubmit();
  isTraced = true;
  await submit();
  isTraced = false;
  const layers = calls.map((file) => file.split("/")[1]);
  return {
    files: new Set(calls).size,
    layerChanges: layers.filter((layer, index) => index > 0 && layer !== layers[index - 1]).length,
  };
}

/** Calls `ENTER` at the start of every function. */
function instrumented(file: string, source: string): string {
  const call = `globalThis.${ENTER}(${JSON.stringify(file)})`;
  const inserts: [at: number, text: string][] = [];
  const enter = (body: Node | null): void => {
    if (body === null) return;
    if (body.type === "BlockStatement" || body.type === "FunctionBody")
      inserts.push([body.start + 1, `${call};`]);
    else inserts.push([body.start, `(${call}, (`], [body.end, "))"]);
  };
  new Visitor({
    FunctionDeclaration: ({ body }) => enter(body),
    FunctionExpression: ({ body }) => enter(body),
    ArrowFunctionExpression: ({ body }) => enter(body),
  }).visit(parseSync(file, source).program);
  return inserts
    .toSorted(([a], [b]) => b - a)
    .reduce((text, [at, added]) => text.slice(0, at) + added + text.slice(at), source);
}

/** Runs `then` after each commit that contains new events. */
function onCommit(then: () => void): void {
  let hasEvents = false;
  after(DatabaseSync.prototype, "prepare", (statement, sql) => {
    if (typeof statement !== "object" || statement === null) return;
    if (/^INSERT INTO events\b/i.test(String(sql)))
      after(statement, "run", () => {
        hasEvents = true;
      });
    if (/^COMMIT\b/i.test(String(sql)))
      after(statement, "run", () => {
        if (hasEvents) then();
        hasEvents = false;
      });
  });
}

/** Replaces a method by one that also passes its result and its first argument to `then`. */
function after(owner: object, name: string, then: (result: unknown, first: unknown) => void): void {
  const method: unknown = Reflect.get(owner, name);
  if (typeof method !== "function") throw new Error(`${name} is not a method`);
  const value = function (this: unknown, ...values: readonly unknown[]): unknown {
    const result: unknown = Reflect.apply(method, this, values);
    then(result, values[0]);
    return result;
  };
  Object.defineProperty(owner, name, { value });
}

/** Creates a run whose reviewer is at work, and returns the call that submits its review. */
async function preparedSubmit(): Promise<() => Promise<unknown>> {
  const { taskScene } = await import("../test/cli/task-support.ts");
  const { removeHomes } = await import("../test/support/home.ts");
  const { AT_HOME } = await import("../test/support/procs.ts");
  const { performUntyped } = await import("../src/app/perform.ts");
  const scene = await taskScene();
  const run = await scene.taskIn("agent-review");
  // Registers the agent, with its folder and its token.
  await scene.as(run, "reviewer");
  const env = {
    ...scene.env,
    SIGNALBOX_TOKEN: `token of ${run} reviewer 1`,
    SIGNALBOX_JOB: `${run}.reviewer.1.1`,
  };
  const call = `call ${"a".repeat(24)}`;
  const door = { cwd: scene.repo, home: "", env, procs: AT_HOME, startSupervisor: () => undefined, call };
  const file = { name: "-", text: "Verdict: FAIL\n\nThe empty list has no test.\n" };
  return async () => {
    const { code, message } = await performUntyped(door, "submit", { artifact: "review", file });
    removeHomes();
    if (code !== "ok") throw new Error(`the review was not accepted: ${message}`);
  };
}
