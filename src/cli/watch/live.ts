/**
 * The live screen: keys and news go into the model, lines come out of it.
 *
 * Nothing here decides. What takes long (git, commands) goes on beside it, so that a key is never waited for.
 */

import { sourceOf, selfCommand, type Source } from "../../app/board/source.ts";
import { EXIT_INTERRUPTED, EXIT_OK, EXIT_TERMINATED } from "../../app/exit-codes.ts";
import { UserError } from "../../app/failure.ts";
import { isSealed } from "../../app/setup/key.ts";
import type { Door } from "../command.ts";
import { harmless } from "../paint.ts";
import { keyboard } from "./keys.ts";
import { layoutOf } from "./layout.ts";
import { begin, selectedRow, shown, type Effect, type Filter, type Model, type News } from "./model.ts";
import { openScreen, type Screen } from "./terminal.ts";
import { update } from "./update.ts";
import { view } from "./view/screen.ts";
import { spawn } from "node:child_process";

export type Watching = {
  readonly door: Door;
  /** Whose runs are shown; empty for all. */
  readonly repo: string;
  readonly project: string;
  readonly filter: Filter;
  readonly mouse: boolean;
};

const POLL_MS = 200;
/** Processes die without writing anything, and ages grow. */
const LOOK_MS = 2000;
const WAKE_MS = 5000;
/** An escape that nothing follows so soon was pressed. */
const ESCAPE_MS = 40;

export async function live(on: Watching, signal: AbortSignal): Promise<number> {
  const screen = new Live(on);
  const onAbort = (): void => screen.end(signal.reason === "SIGTERM" ? EXIT_TERMINATED : EXIT_INTERRUPTED);
  signal.addEventListener("abort", onAbort);
  if (signal.aborted) onAbort();
  try {
    return await screen.ended();
  } finally {
    signal.removeEventListener("abort", onAbort);
    await screen.close();
  }
}

class Live {
  readonly #on: Watching;
  readonly #source: Source;
  readonly #screen: Screen;
  readonly #keys = keyboard();
  readonly #end = Promise.withResolvers<number>();
  readonly #timer: NodeJS.Timeout;
  #model: Model;
  #escape: NodeJS.Timeout | undefined;
  #lookedAt = 0;
  #wokenAt = performance.now();
  #isDrawing = false;

  constructor(on: Watching) {
    this.#on = on;
    this.#source = sourceOf({ door: on.door, onWork: () => this.#refresh() });
    this.#screen = openScreen(
      {
        onText: (text) => this.#typed(text),
        onResize: () => this.#hear({ type: "resized", size: this.#screen.size() }),
        onGone: () => this.end(EXIT_OK),
      },
      on,
    );
    const { filter, project } = on;
    this.#model = begin({ size: this.#screen.size(), filter, project, now: Date.now() });
    this.#timer = setInterval(() => this.#guarded(() => this.#tick()), POLL_MS);
    this.#guarded(() => this.#refresh());
  }

  end(code: number): void {
    this.#end.resolve(code);
  }

  ended(): Promise<number> {
    return this.#end.promise;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    clearTimeout(this.#escape);
    this.#screen.close();
    await this.#source.close();
  }

  #typed(text: string): void {
    clearTimeout(this.#escape);
    for (const key of this.#keys.take(text)) this.#hear(key);
    this.#escape = setTimeout(() => {
      for (const key of this.#keys.rest()) this.#hear(key);
    }, ESCAPE_MS);
  }

  #hear(news: News): void {
    const { model, effects } = update(this.#model, news);
    this.#model = model;
    for (const effect of effects) this.#perform(effect);
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    setImmediate(() => this.#guarded(() => this.#draw()));
  }

  #draw(): void {
    this.#isDrawing = false;
    const rows = shown(this.#model);
    const { top, size } = this.#model;
    this.#screen.draw(view(this.#model, this.#on.door.paint).map(harmless));
    this.#source.want(rows.slice(top, top + layoutOf(size).body));
  }

  #refresh(): void {
    this.#lookedAt = performance.now();
    this.#hear({ type: "time", now: Date.now() });
    this.#after(this.#look(), (news) => this.#hear(news));
  }

  async #look(): Promise<News> {
    try {
      const over = this.#model.filter !== "active";
      return { type: "board", board: await this.#source.look({ repo: this.#on.repo, over }) };
    } catch (error) {
      // A store that cannot be read now may be readable again in a moment.
      if (!(error instanceof UserError)) throw error;
      return { type: "stale", why: error.message };
    }
  }

  #tick(): void {
    const now = performance.now();
    const isTime = now - this.#lookedAt > LOOK_MS;
    if (isTime) this.#refresh();
    else this.#after(this.#source.isChanged(), (isNews) => isNews && this.#refresh());
    if (now - this.#wokenAt < WAKE_MS) return;
    this.#wokenAt = now;
    this.#after(this.#source.seeToIt(), () => undefined);
  }

  #perform(effect: Effect): void {
    const { door } = this.#on;
    switch (effect.type) {
      case "quit":
        return this.end(EXIT_OK);
      case "redraw":
        return this.#screen.forget();
      case "refresh":
        return this.#refresh();
      case "copy":
        return this.#screen.copy(effect.text);
      case "suspend":
        return this.#suspend();
      case "read-page":
        return this.#after(this.#source.page(effect.run), (text) =>
          this.#hear({ type: "page-read", run: effect.run, text }),
        );
      case "forecast":
        return this.#after(this.#source.forecast(effect.run), (text) =>
          this.#hear({ type: "forecast-made", run: effect.run, text }),
        );
      case "harnesses": {
        const repo = this.#on.repo === "" ? (selectedRow(this.#model)?.repo ?? door.cwd) : this.#on.repo;
        return this.#after(this.#source.harnesses(repo), (harnesses) =>
          this.#hear({ type: "harnesses-known", harnesses }),
        );
      }
      case "command":
        this.#hear({ type: "command-begun", argv: effect.argv });
        if (isSealed(door)) return this.#inFront(effect.argv);
        return this.#after(runBeside(door, effect.argv), (said) => this.#answered(said));
      case "foreground":
        return this.#inFront(effect.argv);
    }
  }

  #inFront(argv: readonly string[]): void {
    this.#screen.leave();
    this.#after(runInFront(this.#on.door, argv), (said) => {
      this.#screen.enter();
      this.#answered(said);
    });
  }

  #answered({ text, isGood }: Said): void {
    this.#hear({ type: "command-ended", text, isGood });
    this.#refresh();
  }

  #suspend(): void {
    this.#screen.leave();
    process.once("SIGCONT", () => {
      this.#screen.enter();
      this.#hear({ type: "resized", size: this.#screen.size() });
    });
    process.kill(process.pid, "SIGTSTP");
  }

  #after<T>(work: Promise<T>, then: (value: T) => void): void {
    work.then(then).catch((error: unknown) => this.#end.reject(error));
  }

  /** Whatever goes wrong ends the screen first, and is told then. */
  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#end.reject(error);
    }
  }
}

/** Commands of this program, started as a person would start them. */

type Said = { readonly isGood: boolean; readonly text: string };

type On = Pick<Door, "cwd" | "env">;

const TEXT_MAX = 256 * 1024;

/** Beside the screen: what it says is one line. */
function runBeside(on: On, argv: readonly string[]): Promise<Said> {
  return run(on, ["--json", ...argv], ["ignore", "pipe", "pipe"]).then(
    ({ code, out, err }) =>
      saidBy(out, code) ?? { isGood: code === 0, text: lastLine(err) || `it ended with ${code}` },
  );
}

/** With the terminal: it draws and asks as it likes. */
function runInFront(on: On, argv: readonly string[]): Promise<Said> {
  return run(on, argv, ["inherit", "inherit", "pipe"]).then(({ code, err }) => ({
    isGood: code === 0,
    text: firstSaid(err) || (code === 0 ? "" : `it ended with ${code}`),
  }));
}

type Ended = { readonly code: number; readonly out: string; readonly err: string };

function run(
  { cwd, env }: On,
  argv: readonly string[],
  stdio: ["ignore" | "inherit", "pipe" | "inherit", "pipe"],
): Promise<Ended> {
  const [node, program] = selfCommand();
  const { promise, resolve } = Promise.withResolvers<Ended>();
  const child = spawn(node, [program, ...argv], { cwd, env: { ...env }, stdio });
  const texts = { out: "", err: "" };
  const gather = (name: keyof typeof texts) => (chunk: Buffer) => {
    if (texts[name].length < TEXT_MAX) texts[name] += chunk.toString("utf8");
  };
  child.stdout?.on("data", gather("out"));
  child.stderr?.on("data", gather("err"));
  child.on("error", (error) => resolve({ code: 1, out: "", err: error.message }));
  child.on("close", (code) => resolve({ code: code ?? 1, ...texts }));
  return promise;
}

/** The one document that every command prints. */
function saidBy(out: string, code: number): Said | undefined {
  let document: unknown;
  try {
    document = JSON.parse(out);
  } catch {
    return undefined;
  }
  if (typeof document !== "object" || document === null || !("message" in document)) return undefined;
  const next = "next" in document && typeof document.next === "string" ? document.next : "";
  const isGood = code === 0;
  return { isGood, text: `${String(document.message)}${isGood || next === "" ? "" : `; next: ${next}`}` };
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) ?? "";
}

/** What failed is said first, and what to do after it. */
function firstSaid(text: string): string {
  const [first = ""] = text.trim().split("\n");
  return first.replace(/^signalbox: /, "");
}
