/** How long a change takes to reach the eye: from the call that cancels a run to the frame in which the board shows it. */

import { join } from "node:path";
import { chromium, type Page } from "playwright-core";
import { openStore } from "../src/adapters/store/open.ts";
import type { Invocation } from "../src/app/invocation.ts";
import { perform } from "../src/app/perform.ts";
import { listen } from "../src/http/listen.ts";
import { pageServer } from "../src/http/server.ts";
import { sessionsOf } from "../src/http/sessions.ts";
import { median, table, type Figure } from "./figure.ts";
import { onStage, type Stage } from "./home/stage.ts";
import { beginRuns } from "./store.ts";

const RUNS = 200;
const CHANGES = 60;
const WANTED_MS = 300;
const PERCENTILE = 0.95;
const CHROMIUM = "/usr/bin/chromium";
const ARGS =
  "--headless --no-sandbox --disable-gpu --disable-background-networking --disable-component-update";

export function benchPage(): Promise<Figure> {
  return onStage(figureOf, { files: 1 });
}

async function figureOf({ home, repo, env, folder }: Stage): Promise<Figure> {
  const store = openStore(home);
  await beginRuns(store, RUNS);
  await store.close();
  const door = { cwd: repo, home: folder, env, startSupervisor: () => undefined };
  const sessions = sessionsOf(join(home.root, "page-sessions.json"));
  const ended = new AbortController();
  let port = 0;
  const app = pageServer({ door, sessions, port: () => port, canDecide: false, signal: ended.signal });
  const listening = await listen(app, 0);
  const { server } = listening;
  port = listening.port;
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGS.split(" ") });
  try {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${port}/#${sessions.newLinkToken()}`);
    await page
      .locator(".card")
      .nth(RUNS - 1)
      .waitFor();
    const times: number[] = [];
    for (let n = 0; n < CHANGES; n += 1) times.push(await change(page, door, nameOf(n)));
    return figure(times);
  } finally {
    await browser.close();
    ended.abort();
    server.closeAllConnections();
    server.close();
  }
}

function nameOf(n: number): string {
  return `run${String(n).padStart(6, "0")}`;
}

/** Runs in the browser. The frame after the one in which the card came to its new column is on the screen for sure. */
function whenEnded(run: string): string {
  return `globalThis.ended = new Promise((done) => {
    const look = () => {
      const column = document.querySelector('[href="#/run/${run}"]')?.parentElement;
      if (!column?.querySelector("h2")?.textContent.startsWith("Ended")) return;
      observer.disconnect();
      requestAnimationFrame(() => requestAnimationFrame(() => done(Date.now())));
    };
    const observer = new MutationObserver(look);
    observer.observe(document.body, { childList: true, subtree: true, characterData: true });
  }); 0`;
}

async function change(page: Page, door: Invocation, run: string): Promise<number> {
  // The page watches before the change can happen: it must not come first.
  await page.evaluate(whenEnded(run));
  const begun = Date.now();
  await perform(door, "cancel", { run });
  return (await page.evaluate<number>("globalThis.ended")) - begun;
}

function figure(times: readonly number[]): Figure {
  const sorted = times.toSorted((a, b) => a - b);
  const late = sorted[Math.ceil(sorted.length * PERCENTILE) - 1] ?? Number.NaN;
  const rows = [
    ["median", median(times).toFixed(0)],
    ["95th percentile", late.toFixed(0)],
    ["slowest", (sorted.at(-1) ?? Number.NaN).toFixed(0)],
  ];
  return {
    name: `From an event to the pixel on the board, with ${RUNS} runs`,
    wanted: `at most ${WANTED_MS} ms at the 95th percentile`,
    got: `${late.toFixed(0)} ms`,
    ok: late <= WANTED_MS,
    details: `${table(["", "ms"], rows)}\n\n${CHANGES} runs cancelled one after the other. The time begins with the call and ends with the second frame after the change in Chromium: decision, signature, commit, projection and page.`,
  };
}
