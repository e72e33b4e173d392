/** Who may call what over HTTP: every use case and every other route by every kind of caller. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pageFiles } from "../../src/app/page/host.ts";
import { ROUTES, routeOf } from "../../src/app/page/routes.ts";
import { SCHEMAS, type UseName } from "../../src/app/schemas.ts";
import { pageScene, type PageScene, type Secrets } from "./page-server.ts";

const HALF_DAY_MS = 43_200_000;
const MONTH_MS = 30 * 2 * HALF_DAY_MS;

let [on, agents, deaf]: PageScene[] = [];
const known = new Map<string, { readonly scene: PageScene; readonly secrets: Secrets }>();
beforeAll(async () => {
  [on, agents, deaf] = [
    await pageScene(),
    await pageScene({ env: { CLAUDECODE: "1" } }),
    await pageScene({ canDecide: false }),
  ];
  const [old, late] = [on.opened(), on.decider()];
  on.later(MONTH_MS - HALF_DAY_MS / 2);
  const past = on.decider();
  on.later(HALF_DAY_MS);
  const [reader, decider] = [on.opened(), on.decider()];
  const keep = (name: string, secrets: Secrets, scene = on): void => {
    if (scene !== undefined) known.set(name, { scene, secrets });
  };
  keep("without a session", { cookie: "", key: "" });
  keep("with a cookie alone", { ...decider, key: "" });
  keep("with a proof alone", { ...decider, cookie: "" });
  keep("with the cookie and the proof of two sessions", { ...decider, key: reader.key });
  keep("with a session of last month", old);
  keep("with a session of last month that could decide", late);
  keep("with a session", reader);
  keep("with a session whose right to decide has ended", past);
  keep("with a session that decides", decider);
  keep("with a session that decides, of a server that an agent started", agents.decider(), agents);
  keep("with a session of a server without a terminal", deaf.opened(), deaf);
});
afterAll(() => {
  for (const scene of [on, agents, deaf]) scene?.end();
});

type CallerName = keyof typeof CALLERS;

/** What a caller gets for a call that is no route, that looks and that decides. `answered`: the use case itself answers. */
const CALLERS = {
  "without a session": [401, 401, 401],
  "with a cookie alone": [401, 401, 401],
  "with a proof alone": [401, 401, 401],
  "with the cookie and the proof of two sessions": [401, 401, 401],
  "with a session of last month": [401, 401, 401],
  "with a session of last month that could decide": [401, 401, 401],
  "with a session": [404, "answered", 403],
  "with a session whose right to decide has ended": [404, "answered", 403],
  "with a session that decides": [404, "answered", "answered"],
  "with a session that decides, of a server that an agent started": [404, "answered", "not-a-person"],
  "with a session of a server without a terminal": [404, "answered", 403],
} as const satisfies Record<string, readonly [none: number, look: number | string, decide: number | string]>;

const KINDS = ["none", "look", "decide"] as const;

/** The use cases of the page. Written down here a second time: whoever adds one to the declarations decides who may call it. */
const PAGE: Readonly<Record<string, "look" | "decide">> = {
  inbox: "look",
  list: "look",
  show: "look",
  history: "look",
  logs: "look",
  projects: "look",
  picture: "look",
  diff: "look",
  create: "decide",
  answer: "decide",
  accept: "decide",
  "send-back": "decide",
  retry: "decide",
  cancel: "decide",
};

const NEWS = { method: "GET", path: "/api/changes" };

/** Names that exist nowhere: an allowed call changes nothing. */
const VALUES: Readonly<Record<string, unknown>> = {
  run: "zzzz",
  decision: "zzzz",
  project: "zzzz",
  summary: "x",
  limit: 5,
};

function inputOf(use: UseName): Readonly<Record<string, unknown>> {
  const fields = routeOf(use)?.fields ?? [];
  return Object.fromEntries(fields.flatMap((name) => (name in VALUES ? [[name, VALUES[name]]] : [])));
}

async function call(caller: string, use: string, method = "POST"): Promise<number | string> {
  const { scene, secrets } = known.get(caller) ?? {};
  if (scene === undefined || secrets === undefined) throw new Error(caller);
  const body = JSON.stringify(use in SCHEMAS ? inputOf(use as UseName) : {});
  const { status, text } = await scene.send({
    method,
    path: `/api/${use}`,
    headers: scene.own(secrets),
    body,
  });
  const { code } = JSON.parse(text) as { code: string };
  if (status === 409 && code === "not-a-person") return code;
  return status === 200 || status === 409 ? "answered" : status;
}

const USES = Object.keys(SCHEMAS) as readonly UseName[];

test.for(Object.keys(CALLERS) as readonly CallerName[])("a caller %s", async (caller) => {
  const found: Record<string, number | string> = {};
  const expected: Record<string, number | string> = {};
  for (const use of USES) {
    found[use] = await call(caller, use);
    expected[use] = CALLERS[caller][KINDS.indexOf(PAGE[use] ?? "none")] ?? 0;
  }
  const [, look] = CALLERS[caller];
  const { scene, secrets } = known.get(caller) ?? {};
  const headers = secrets === undefined ? {} : scene?.own(secrets);
  const news = await scene?.send({ ...NEWS, headers: headers ?? {}, isEndless: true });
  expect(news?.status).toBe(look === "answered" ? 200 : look);
  expect(Object.keys(found).length).toBeGreaterThan(50);
  expect(found).toEqual(expected);
});

test.for(["GET", "PUT", "DELETE", "PATCH"])("nothing is called with %s", async (method) => {
  for (const use of USES) expect(await call("with a session that decides", use, method)).toBe(404);
});

describe("declarations", () => {
  test("what looks changes nothing, and what decides is for people", async () => {
    const { USES: uses } = await import("../../src/app/uses.ts");
    const kinds = USES.flatMap((use) => {
      const kind = routeOf(use)?.kind;
      const { kind: declared, callers } = uses[use];
      // Agents outside runs create runs by other doors; the server asks for a person before every decision.
      const by = callers.filter((caller) => use !== "create" || caller === "person");
      return kind === undefined ? [] : [`${kind}: ${declared} by ${by.join(", ")}`];
    });
    expect(new Set(kinds)).toEqual(
      new Set(["look: look by person, agent, outside-agent, nobody", "decide: act by person"]),
    );
  });

  test("every use case of the page is in the table, as what it was declared", () => {
    const declared = Object.entries(ROUTES).map(([use, { kind }]) => [use, kind]);
    expect(Object.fromEntries(declared)).toEqual(PAGE);
  });

  test("the server has no other routes", () => {
    const files = ["/", ...pageFiles().keys()].map((path) => `GET ${path}`);
    // The guard and the limit of the body stand before all of them.
    const expected = [
      "ALL /*",
      "ALL /*",
      "POST /api/:use",
      `${NEWS.method} ${NEWS.path}`,
      "POST /session",
      ...files,
    ];
    expect(on?.routes.toSorted()).toEqual(expected.toSorted());
  });

  test("no field takes a command, a path or a definition", () => {
    const fields = new Set(Object.values(ROUTES).flatMap((route) => route.fields));
    expect([...fields].toSorted()).toEqual([
      "all",
      "check",
      "decision",
      "entry",
      "key",
      "limit",
      "parts",
      "project",
      "role",
      "run",
      "shown",
      "summary",
      "text",
      "to",
      "value",
      "words",
    ]);
    for (const [use, route] of Object.entries(ROUTES))
      expect(Object.keys(SCHEMAS[use as UseName].input.shape)).toEqual(
        expect.arrayContaining([...route.fields]),
      );
  });
});
