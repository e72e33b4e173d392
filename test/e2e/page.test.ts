/** The page in a real browser: what it shows, decisions by a person, a server that dies in the middle, two tabs, and texts of agents that attack. */
import { once } from "node:events";
import { appendFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Page, Response } from "playwright-core";
import { afterEach, describe, expect, test } from "vitest";
import { onStage } from "./activities/stage.ts";
import { clearFlows, makeFlow, type Flow } from "./flow-support.ts";
import { allow, hasBrowser, serve, shoot, somePort, visit, type Served, type Visit } from "./page-browser.ts";

const TIMEOUT_MS = 240_000;
const FIRST_LOAD_BYTES_MAX = 250_000;

let visits: Visit[] = [];
let servers: Served[] = [];
afterEach(async ({ task }) => {
  const [first] = visits;
  if (task.result?.state === "fail" && first !== undefined) await shoot(first.page, "failed");
  for (const { browser } of visits) await browser.close();
  for (const server of servers) server.end();
  [visits, servers] = [[], []];
  await clearFlows();
});

function started(life: Parameters<typeof serve>[0], port: number): Served {
  const server = serve(life, port);
  servers.push(server);
  return server;
}

async function visited(): Promise<Visit> {
  const made = await visit();
  visits.push(made);
  return made;
}

/** Agents whose words and work look like those of a small project. */
const WORKER = `. "$FLOW/../turn.sh"
status=$(sed -n 's/^status: *//p' TASK.md | head -n 1)
[ "$status" = stuck ] && exit 0
if [ "$status" = planning ] && [ -e "$FLOW/$SIGNALBOX_RUN.ask" ]; then
  rm "$FLOW/$SIGNALBOX_RUN.ask"
  printf '1. Which language is the greeting in: that of the browser, or that of the account?\\n2. What do visitors without an account see?\\n' | signalbox submit questions - >/dev/null
  signalbox update --status clarification >/dev/null
  exit 0
fi
if [ "$status" = planning ]; then
  printf 'APPROACH: format dates in UTC, in one function that both exports use\\nTOUCHING: src/dates.ts, README.md\\n' | signalbox submit plan - >/dev/null
  signalbox update --status working >/dev/null || exit 0
fi
mkdir -p src
printf 'export function formatDate(date: Date): string {\\n  return date.toISOString().slice(0, 10);\\n}\\n' >src/dates.ts
printf 'A project.\\n\\nDates in exports are in UTC.\\n' >README.md
git add -A
git commit --quiet --message "Format dates in UTC"
printf 'DONE: the export formats dates in UTC\\nREMAINING: nothing\\n' | signalbox submit handoff - >/dev/null
signalbox update --status agent-review >/dev/null
exit 0
`;
const REVIEWER = `. "$FLOW/../turn.sh"
if [ -e "$FLOW/$SIGNALBOX_RUN.hostile" ]; then
  cat "$FLOW/$SIGNALBOX_RUN.hostile" | signalbox submit review - >/dev/null
elif [ -e "$FLOW/$SIGNALBOX_RUN.reject" ]; then
  printf 'Verdict: FAIL\\n\\n- src/dates.ts:2: an invalid date throws, and the export stops in the middle\\n- No test covers a day on which the clocks change\\n' | signalbox submit review - >/dev/null
else
  printf 'Verdict: PASS\\n\\nThe export and its test agree with the task.\\n' | signalbox submit review - >/dev/null
fi
`;

async function pageFlow(agents: number): Promise<Flow> {
  const flow = await makeFlow(agents);
  writeFileSync(join(flow.root, "worker.sh"), WORKER);
  writeFileSync(join(flow.root, "reviewer.sh"), REVIEWER);
  const usual = "workflows:\n  task: { harness: worker, review_harness: reviewer }\n";
  appendFileSync(join(flow.root, "config/signalbox/config.yaml"), usual);
  return flow;
}

function button(page: Page, name: RegExp): ReturnType<Page["getByRole"]> {
  return page.getByRole("button", { name });
}

describe.runIf(hasBrowser)("the page", () => {
  test(
    "a failing review and a question are decided on the page, across a restart of the server",
    { timeout: TIMEOUT_MS },
    async () => {
      const flow = await pageFlow(2);
      const port = somePort();
      const server = started(flow, port);
      const { page, context, faults } = await visited();
      const sizes: Promise<number>[] = [];
      const measure = async (response: Response): Promise<number> => gzipSync(await response.body()).length;
      page.on("response", (response) => {
        if (/\/$|\.(js|css|svg)$/.test(new URL(response.url()).pathname)) sizes.push(measure(response));
      });
      const link = await server.link();
      await page.goto(link);
      await page.getByRole("heading", { name: "Waiting for you" }).waitFor();
      expect(page.url()).not.toContain("#");
      const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
      expect(sizes.length).toBeGreaterThan(3);
      expect(bytes).toBeLessThan(FIRST_LOAD_BYTES_MAX);
      await page.getByText("There are no runs yet").waitFor();
      await shoot(page, "empty", { width: 800 });

      // The link was used: another browser gets nothing. Another tab of this one needs no link.
      const stranger = await visited();
      await stranger.page.goto(link);
      await stranger.page.getByText("The link was used before").waitFor();
      const second = await context.newPage();
      await second.goto(`http://127.0.0.1:${port}/`);
      await second.getByRole("heading", { name: "Board" }).waitFor();

      // A run that a person creates in the terminal is there at once, and cannot be decided before the code is typed.
      const failing = await flow.create("Fix dates in the export", "--no-start");
      writeFileSync(join(flow.ledger, `${failing}.reject`), "");
      await page.getByText("Fix dates in the export").click();
      expect(await button(page, /^accept/i).isDisabled()).toBe(true);
      await allow(page, server);
      await second.getByText("You decide on this page").waitFor();
      await button(page, /^accept/i).click();
      await flow.until(failing, ["stuck"]);
      await page.locator(".badge.bad", { hasText: "stuck" }).waitFor();
      await page.locator("svg .state.current.bad", { hasText: "stuck" }).waitFor();
      expect(await page.locator("svg .move.taken").count()).toBeGreaterThan(3);
      expect(await page.locator("svg .state", { hasText: "working" }).textContent()).toContain("×2");
      const review = page.getByRole("region", { name: "Reviews" });
      await review.getByText("No test covers a day on which the clocks change").waitFor();
      const spoken = page.getByRole("region", { name: "Conversation" });
      await spoken.getByText("APPROACH: format dates in UTC").waitFor();
      await page
        .getByRole("region", { name: "Changes" })
        .locator(".added", { hasText: "toISOString" })
        .waitFor();
      await page
        .getByRole("region", { name: "History" })
        .getByText("Reviewer asked for changes")
        .first()
        .waitFor();
      await page.getByRole("region", { name: "Agents" }).getByText("Output").first().click();
      await page.getByText("It has printed nothing").waitFor();
      await page.getByRole("region", { name: "Agents" }).getByText("Output").first().click();
      await shoot(page, "stuck");

      // The server dies; both tabs say so, and go on with the next one without a new link.
      await server.kill();
      for (const tab of [page, second]) await tab.getByText("The server does not answer").waitFor();
      expect(await button(page, /^send back/i).isDisabled()).toBe(true);
      expect(await page.getByText("You decide on this page").count()).toBe(0);
      await shoot(page, "offline", { width: 800, dark: true });
      const stolen = await impostorOn(port);
      const next = started(flow, port);
      for (const tab of [page, second])
        await tab.getByText("The server does not answer").waitFor({ state: "hidden" });
      await allow(page, next);
      expect(stolen.some(({ proof }) => proof.length === 64)).toBe(true);
      for (const { cookie, proof } of stolen) expect(await statusWith(port, { cookie, proof })).toBe(401);

      // Words are required, and what was typed survives news of the run.
      rmSync(join(flow.ledger, `${failing}.reject`));
      await button(page, /^send back/i).click();
      await page.getByText("Say what is to be changed").waitFor();
      await shoot(page, "refused", { width: 390 });
      await page.getByLabel("Your words").fill("Add the missing test");
      await flow.say(`update ${failing} --summary "Fix dates in every export"`);
      await page.getByRole("heading", { name: "Fix dates in every export" }).waitFor();
      expect(await page.getByLabel("Your words").inputValue()).toBe("Add the missing test");
      await button(page, /^send back/i).click();
      await flow.until(failing, ["reviewing"]);
      await page.locator(".badge.yours", { hasText: "reviewing" }).waitFor();
      await spoken.getByText("Add the missing test").waitFor();
      await shoot(page, "review", { dark: true });
      await button(page, /^accept/i).click();
      await page.locator(".badge.good", { hasText: "done" }).waitFor();
      expect(flow.git("show", "main:src/dates.ts")).toContain("toISOString");

      // A run is created on the page, asks, is answered, and gets on.
      await page.goto(`http://127.0.0.1:${port}/#/`);
      writeFileSync(join(flow.ledger, "hold"), "");
      const asking = await createOn(page, "Greet people");
      writeFileSync(join(flow.ledger, `${asking}.ask`), "");
      rmSync(join(flow.ledger, "hold"));
      await page.getByText("What do visitors without an account see?").first().waitFor();
      await shoot(page, "question", { width: 390 });
      await second.goto(`http://127.0.0.1:${port}/#/inbox`);
      await second.getByRole("region", { name: "Questions" }).getByText("Greet people").waitFor();
      await page.getByLabel("Your words").fill("That of the browser; visitors see none");
      await button(page, /^answer/i).click();
      await flow.until(asking, ["reviewing"]);
      await second.getByRole("region", { name: "Ready for your review" }).getByText("Greet people").waitFor();
      await page.goto(`http://127.0.0.1:${port}/#/`);
      await page.locator(".card.yours", { hasText: "Greet people" }).waitFor();
      await pictures(page, second, flow);
      for (const run of [failing, asking]) expect((await flow.say(`verify ${run}`)).code).toBe(0);
      expect(next.printed()).toContain(`From the page: send-back ${failing}`);
      expect(faults).toEqual([]);
    },
  );

  test(
    "two tabs: a decision about a state that the run has left is refused, and cancelling asks twice",
    { timeout: TIMEOUT_MS },
    async () => {
      const flow = await pageFlow(2);
      const server = started(flow, somePort());
      const { page, context } = await visited();
      await page.goto(await server.link());
      const run = await flow.create("Fix dates in the export");
      writeFileSync(join(flow.ledger, `${run}.reject`), "");
      await flow.until(run, ["stuck"]);
      await page.goto(`http://127.0.0.1:${server.port}/#/run/${run}`);
      await allow(page, server);
      await button(page, /^retry/i).waitFor();

      // This tab is hidden: it closes its stream, as the tabs of a browser that has many must.
      const stale = await context.newPage();
      await stale.goto(`http://127.0.0.1:${server.port}/#/run/${run}`);
      await button(stale, /^retry/i).waitFor();
      const closed = stale.waitForEvent("requestfailed", (request) => request.url().endsWith("/api/changes"));
      await stale.evaluate(
        `Object.defineProperty(document, "hidden", { get: () => globalThis.isHidden, configurable: true });
        globalThis.isHidden = true; document.dispatchEvent(new Event("visibilitychange"))`,
      );
      await closed;

      rmSync(join(flow.ledger, `${run}.reject`));
      await page.getByLabel("Your words").fill("Test the day on which the clocks change");
      await button(page, /^send back/i).click();
      await flow.until(run, ["reviewing"]);
      await stale.locator(".badge", { hasText: "stuck" }).waitFor();
      await button(stale, /^retry/i).click();
      await stale.getByText("has moved on since you saw it").waitFor();
      expect(await flow.state(run)).toBe("reviewing");
      await stale.evaluate(
        `globalThis.isHidden = false; document.dispatchEvent(new Event("visibilitychange"))`,
      );
      await stale.locator(".badge", { hasText: "reviewing" }).waitFor();

      await button(stale, /^cancel/i).click();
      await button(stale, /press again/i).waitFor();
      expect(await flow.state(run)).toBe("reviewing");
      await button(stale, /press again/i).click();
      for (const tab of [page, stale]) await tab.locator(".badge.over", { hasText: "cancelled" }).waitFor();
      await page.locator("svg .state.current", { hasText: "cancelled" }).waitFor();
    },
  );

  test("texts of agents are text, and nothing of them runs", { timeout: TIMEOUT_MS }, async () => {
    const flow = await pageFlow(1);
    const server = started(flow, somePort());
    const { page, faults } = await visited();
    const attack = `<img src="x" onerror="owned()"><script>owned()</script><a href="javascript:owned()">click</a>`;
    const run = await flow.create("Show <b>this</b> as it is", "--no-start");
    writeFileSync(join(flow.ledger, `${run}.hostile`), `Verdict: FAIL\n\n- ${attack}\n`);
    await flow.say(`start ${run}`);
    await flow.until(run, ["stuck"]);
    await page.addInitScript("globalThis.owned = () => { globalThis.isOwned = true; }");
    await page.goto(await server.link());
    await page.goto(`http://127.0.0.1:${server.port}/#/run/${run}`);
    const review = page.getByRole("region", { name: "Reviews" });
    await review.getByText(attack).waitFor();
    await page.getByRole("heading", { name: "Show <b>this</b> as it is" }).waitFor();
    expect(await page.locator("main img, main script, main b, main a[href^='javascript']").count()).toBe(0);
    expect(faults).toEqual([]);

    // If the page made HTML of that text, or the server wrote it into the page, the browser would refuse to run it.
    const text = await review.locator(".text").textContent();
    const refused = await page.evaluate<string>(`(() => {
      try { document.body.insertAdjacentHTML("beforeend", document.querySelector(".review .text").textContent); }
      catch (error) { return error.name; }
    })()`);
    expect(refused).toBe("TypeError");
    await page.addInitScript(`globalThis.refused = [];
      addEventListener("securitypolicyviolation", (event) => refused.push(event.effectiveDirective))`);
    await page.route("**/*", async (route) => {
      if (new URL(route.request().url()).pathname !== "/") return route.continue();
      const response = await route.fetch();
      const body = (await response.text()).replace("</body>", `${text ?? ""}</body>`);
      return route.fulfill({ response, body });
    });
    await page.reload();
    await review.getByText(attack).waitFor();
    expect(await page.locator("body > script").count()).toBe(1);
    const directives = await page.evaluate<readonly string[]>("[...new Set(refused)].sort()");
    expect(directives).toEqual(["script-src-attr", "script-src-elem"]);
    expect(await page.evaluate("globalThis.isOwned ?? false")).toBe(false);
  });

  test(
    "ages go on while nothing happens, and changes that git cannot show are not none",
    { timeout: TIMEOUT_MS },
    async () => {
      const flow = await pageFlow(1);
      const server = started(flow, somePort());
      const { page } = await visited();
      const run = await flow.create("Fix dates in the export", "--no-start");
      await page.clock.install();
      await page.goto(await server.link());
      const card = page.locator(".card", { hasText: "Fix dates in the export" });
      await card.getByText("just now").waitFor();
      // Less than after which the page takes the connection for dead, and would load everything again.
      await page.clock.setSystemTime(Date.now() + 180_000);
      await page.clock.runFor(21_000);
      await card.getByText("3 minutes ago").waitFor();

      await flow.say(`start ${run}`);
      await flow.until(run, ["reviewing"]);
      const { mirrors } = flow.home;
      const objects = readdirSync(mirrors).map((name) => join(mirrors, name, "objects"));
      for (const folder of objects) renameSync(folder, `${folder}-away`);
      await card.click();
      const changes = page.getByRole("region", { name: "Changes" });
      await changes.getByText("Git cannot show the changes").waitFor();
      expect(await changes.getByText("Nothing was handed over yet").count()).toBe(0);
      for (const folder of objects) renameSync(`${folder}-away`, folder);
    },
  );

  test("checks, with what they printed", { timeout: TIMEOUT_MS }, async () => {
    const agents = {
      coder: `echo bad >work.txt; printf 'DONE: it\\n' | signalbox submit handoff -; signalbox move testing`,
      fixer: `await fix; echo good >work.txt; printf 'DONE: again\\n' | signalbox submit handoff -; signalbox move testing`,
    };
    const files = { "test.sh": `echo "testing: $(cat work.txt)"; grep -q good work.txt` };
    await onStage({ workflow: "checks", agents, files }, async (stage) => {
      const server = started(stage, somePort());
      const { page } = await visited();
      await page.goto(await server.link());
      const run = await stage.begin("checks");
      await page.goto(`http://127.0.0.1:${server.port}/#/run/${run}`);
      const checks = page.getByRole("region", { name: "Checks" });
      await checks.locator(".wrong", { hasText: "changes requested" }).waitFor();
      await checks.getByText("Output").click();
      await checks.getByText("testing: bad").waitFor();
      await checks.getByText("Output").click();
      stage.say("fix");
      await checks.locator(".ok", { hasText: "passed" }).waitFor();
      await checks.getByText("Output").click();
      await checks.getByText("testing: good").waitFor();
      expect(await checks.locator("pre").textContent()).not.toContain("bad");
    });
  });
});

type StolenSession = { readonly cookie: string; readonly proof: string };

/** While the server is down, another program listens on its port: open pages call it, with their cookie. */
async function impostorOn(port: number): Promise<readonly StolenSession[]> {
  const stolen: StolenSession[] = [];
  const impostor = createServer((request, response) => {
    const proof = String(request.headers["x-signalbox-proof"] ?? "");
    stolen.push({ cookie: request.headers.cookie ?? "", proof });
    response.writeHead(401, { "content-type": "application/json" });
    response.end(JSON.stringify({ code: "no-session", message: "", instance: `chosen-${stolen.length}` }));
  });
  await once(impostor.listen(port, "127.0.0.1"), "listening");
  await expect.poll(() => stolen.length, { timeout: 20_000 }).toBeGreaterThan(3);
  impostor.closeAllConnections();
  await new Promise((done) => impostor.close(done));
  return stolen;
}

async function statusWith(port: number, { cookie, proof }: StolenSession): Promise<number> {
  const origin = `http://127.0.0.1:${port}`;
  const headers = { cookie, origin, "x-signalbox-proof": proof, "content-type": "application/json" };
  return (await fetch(`${origin}/api/inbox`, { method: "POST", headers, body: "{}" })).status;
}

/** What a board and an inbox look like with runs of every kind. */
async function pictures(page: Page, inbox: Page, flow: Flow): Promise<void> {
  if (process.env["SIGNALBOX_PICTURES"] === undefined) return;
  const stuck = await flow.create("Fix rounding in invoices");
  writeFileSync(join(flow.ledger, `${stuck}.reject`), "");
  await flow.until(stuck, ["stuck"]);
  writeFileSync(join(flow.ledger, "hold"), "");
  for (const name of ["Translate the messages", "Update dependencies", "Write the changelog"])
    await flow.create(name);
  await page.locator(".card", { hasText: "Write the changelog" }).waitFor();
  await page.locator(".card.bad", { hasText: "Fix rounding" }).waitFor();
  await shoot(page, "board");
  await inbox.getByText("Fix rounding in invoices").waitFor();
  await shoot(inbox, "inbox", { width: 800, dark: true });
  rmSync(join(flow.ledger, "hold"));
}

async function createOn(page: Page, summary: string): Promise<string> {
  await button(page, /new run/i).click();
  await page.getByLabel("What is to be done").fill(summary);
  await button(page, /^create/i).click();
  await page.waitForURL(/#\/run\//);
  return page.url().split("/").at(-1) ?? "";
}
