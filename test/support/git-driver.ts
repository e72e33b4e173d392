/** Does one operation on a workspace, as a process that can be killed. */
import { text } from "node:stream/consumers";
import { homeAt } from "../../src/adapters/home/paths.ts";
import { gitWorkspaces } from "../../src/adapters/git/workspaces.ts";
import type { Workspaces } from "../../src/engine/ports/files.ts";

type Order = { do: keyof Workspaces; with: never; home: string; env: Record<string, string> };

const order = JSON.parse(await text(process.stdin)) as Order;
const workspaces = gitWorkspaces({ home: homeAt(order.home), env: order.env });
const operate = workspaces[order.do] as (of: never) => Promise<unknown>;
process.stdout.write(JSON.stringify(await operate(order.with)));
