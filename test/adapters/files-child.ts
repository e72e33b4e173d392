/** Does one thing with files in a process of its own, so that it can be killed, limited or watched. */

import { openSync, readFileSync, renameSync, writeFileSync, writeSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";

const [, , what = "", root = "", more = ""] = process.argv;

const loaded: string[] = [];
registerHooks({
  resolve(specifier, context, next) {
    loaded.push(specifier);
    return next(specifier, context);
  },
});

const { benchAt, frontMatter, section, whole } = await import("./files-support.ts");

const KNOWN = { slot: "", found: true, digest: "", faults: [], fields: {}, lists: {} };

const bench = benchAt(root, {
  artifacts: { plan: section("Plan"), notes: whole("notes.md") },
  projections: [frontMatter({ status: { from: "status" } })],
});

switch (what) {
  case "read-known":
  case "read": {
    const parsers = () => loaded.filter((name) => /mdast|yaml/.test(name)).join();
    if (what === "read-known")
      bench.registry.readings = () => Promise.resolve([{ ...KNOWN, artifact: "plan" }]);
    await bench.artifacts.read(bench.place);
    process.stdout.write(parsers());
    break;
  }
  case "project":
    console.log((await bench.project({ status: more })).join("\n"));
    break;
  case "project-many":
    for (let number = 1; number <= Number(more); number += 1) await bench.project({ status: `s${number}` });
    break;
  case "project-until-told": {
    const stop = toldToStop();
    for (let number = 1; !stop.aborted; number += 1) {
      await bench.project({ status: `s${number}` });
      await new Promise((resolve) => setImmediate(resolve));
    }
    await bench.project({ status: "last" });
    process.disconnect();
    break;
  }
  case "put":
    await bench.show("plan", more);
    break;
  case "archive":
    console.log(
      (await bench.artifacts.archive(bench.place, { artifacts: ["plan", "notes"], into: more })).join("\n"),
    );
    break;
  case "carry":
    console.log((await bench.artifacts.carry(bench.place, more)).join("\n"));
    break;
  case "churn": {
    const fd = openSync(join(root, "notes.md"), "r+");
    const texts = ["a", "b"].map((letter) => letter.repeat(Number(more)));
    process.send?.("ready");
    for (;;) for (const text of texts) writeSync(fd, text, 0);
  }
  case "edit":
    await editor(join(root, "TASK.md"), more);
    break;
}

function toldToStop(): AbortSignal {
  const stop = new AbortController();
  process.on("message", () => stop.abort());
  process.send?.("ready");
  return stop.signal;
}

/** Saves again and again, as editors do: either into the file itself or by renaming. */
async function editor(file: string, how: string): Promise<void> {
  const stop = toldToStop();
  for (let number = 1; !stop.aborted; number += 1) {
    let text = "";
    try {
      text = readFileSync(file, "utf8");
    } catch {
      // It is being replaced: whoever edits has the text open and saves what it has.
      text = "";
    }
    const line = `line ${how} ${number}.`;
    if (text !== "") {
      if (how === "rename") {
        writeFileSync(`${file}.swp`, `${text}${line}\n`);
        renameSync(`${file}.swp`, file);
      } else writeFileSync(file, `${text}${line}\n`);
      process.send?.({ line, on: text });
    }
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 20));
  }
  process.disconnect();
}
