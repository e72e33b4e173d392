/** Does one operation on a workspace, merges, commits or opens a branch, as a process that can be killed. */
import { text } from "node:stream/consumers";
import { homeAt } from "../../src/adapters/home/paths.ts";
import { mergeWork } from "../../src/adapters/git/delivery/merge.ts";
import { gitWorkspaces } from "../../src/adapters/git/workspace/workspaces.ts";
import { completionBy } from "../../src/adapters/gh/completion.ts";
import { gitBranches } from "../../src/adapters/git/repository/branch-port.ts";
import type { Completion } from "../../src/engine/ports/completion.ts";
import type { Branches, Workspaces } from "../../src/engine/ports/files.ts";

type Order = {
  do: keyof (Workspaces & Branches & Completion) | "merge";
  with: never;
  home: string;
  env: Record<string, string>;
};

const order = JSON.parse(await text(process.stdin)) as Order;
const on = { home: homeAt(order.home), env: order.env };
const merge = (of: never): Promise<unknown> => mergeWork(on, of);
const operate = { ...gitWorkspaces(on), ...gitBranches(on), ...completionBy(on), merge }[order.do] as (
  of: never,
) => Promise<unknown>;
process.stdout.write(JSON.stringify((await operate(order.with)) ?? null));
