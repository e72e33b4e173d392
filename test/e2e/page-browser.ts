/** `signalbox serve` in a terminal of its own, and Chromium as a person uses it. */

import { spawn } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";
import { expect } from "vitest";
import { isPerson } from "../support/person.ts";
import { PROGRAM, type Life } from "./lives/life.ts";

const CHROMIUM = "/usr/bin/chromium";
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];
/** Where pictures are kept; nowhere unless the variable names a folder. */
const PICTURES = process.env["SIGNALBOX_PICTURES"];

export const hasBrowser = isPerson && existsSync(CHROMIUM);

export type Served = {
  readonly port: number;
  readonly printed: () => string;
  readonly link: () => Promise<string>;
  readonly type: (line: string) => void;
  /** Ends it as a crash would. */
  readonly kill: () => Promise<void>;
  readonly end: () => void;
};

export function serve({ repo, env }: Pick<Life, "repo" | "env">, port: number): Served {
  const line = `exec ${process.execPath} ${PROGRAM} serve --port ${port}`;
  const child = spawn("script", ["-qfec", line, "/dev/null"], {
    cwd: repo,
    env,
    stdio: ["pipe", "pipe", "inherit"],
    detached: true,
  });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (part: string) => (text += part));
  const end = (signal: NodeJS.Signals): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, signal);
    } catch {
      // It has ended already.
    }
  };
  const links = (): readonly string[] => text.match(/http:\/\/\S+#\S+/g) ?? [];
  return {
    port,
    printed: () => text,
    link: async () => {
      await expect.poll(() => links().length, { timeout: 20_000 }).toBeGreaterThan(0);
      return links().at(-1) ?? "";
    },
    type: (typed) => void child.stdin.write(`${typed}\n`),
    kill: () =>
      new Promise((done) => {
        child.once("exit", () => done());
        end("SIGKILL");
      }),
    end: () => end("SIGTERM"),
  };
}

/** Any port that is hardly ever taken. */
export function somePort(): number {
  return 20_000 + Math.floor(Math.random() * 12_000);
}

export type Visit = {
  readonly browser: Browser;
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors of the page, refusals of its content security policy, and requests to other hosts. */
  readonly faults: readonly string[];
};

export async function visit(): Promise<Visit> {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  context.setDefaultTimeout(20_000);
  const faults: string[] = [];
  context.on("weberror", (error) => faults.push(String(error.error())));
  context.on("console", (message) => {
    if (/Content Security Policy|TrustedHTML/.test(message.text())) faults.push(message.text());
  });
  context.on("request", (request) => {
    const { hostname } = new URL(request.url());
    if (hostname !== "127.0.0.1") faults.push(`a request to ${hostname}`);
  });
  return { browser, context, page: await context.newPage(), faults };
}

export async function allow(page: Page, server: Served): Promise<void> {
  server.type((await page.locator(".code").textContent()) ?? "");
  await page.getByText("You decide on this page").waitFor();
}

type Shot = { readonly width?: number; readonly dark?: boolean };

export async function shoot(
  page: Page,
  name: string,
  { width = 1440, dark = false }: Shot = {},
): Promise<void> {
  if (PICTURES === undefined) return;
  mkdirSync(PICTURES, { recursive: true });
  await page.emulateMedia({ colorScheme: dark ? "dark" : "light" });
  await page.setViewportSize({ width, height: 900 });
  await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true });
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1440, height: 900 });
}
