/** Work that is done is committed and opened by the engine: once, as it passed its gates, whoever is killed over it. */

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "vitest";
import { mirrorOf } from "../../../src/adapters/git/mirror/names.ts";
import { ghCalls, makeGh, pullRequests, setMood } from "../../support/gh.ts";
import { isPerson } from "../../support/person.ts";
import { lookIn, processesOf, type } from "../lives/life.ts";
import { onStage, type Now, type Stage } from "./stage.ts";
import { sampled } from "../../support/sampled.ts";

const IS_DEEP = process.env["SIGNALBOX_DEEP"] !== undefined;

const LONG = "x".repeat(3000);

/** Does something, says what it was, and waits with the end of it for the test. */
const WORKER = `
[ -e "$LEDGER/hold" ] && await go
echo done >work.txt
mkdir -p notes && echo mine >notes/private.txt
mkdir -p .agents
cat >.agents/completion.json <<'END'
{"commitMessage":"Do it\\n\\n${LONG}","title":"--title $(touch pwned)","body":"All of it.\\n${LONG}"}
END
signalbox move testing
`;

const NOTIFY = `notify: [sh, -c, 'echo "$*" >>"$HOME/told"', notify]\n`;

const REMOTE = "https://forge.example/o/n.git";

type Play = {
  readonly stage: Stage;
  readonly run: string;
  /** In the repository, as a person. */
  readonly git: (...args: readonly string[]) => string;
  readonly user: string;
  readonly command: (...argv: readonly string[]) => ReturnType<typeof type>;
};

type Wishes = {
  readonly env?: Readonly<Record<string, string>>;
  readonly params?: readonly string[];
  readonly words?: readonly string[];
  readonly before?: (user: string, stage: Stage) => void;
};

async function inCompletion(play: (on: Play) => Promise<void>, wishes: Wishes = {}): Promise<void> {
  await onStage({ workflow: "completion", agents: { worker: WORKER }, settings: NOTIFY }, async (stage) => {
    const user = join(stage.root, "person");
    const bin = join(stage.root, "bin");
    makeGh(bin, user);
    const life = { ...stage, env: { ...stage.env, PATH: `${bin}:${stage.env["PATH"] ?? ""}` } };
    const git = (...args: readonly string[]): string =>
      execFileSync("git", args, { cwd: stage.repo, env: life.env, encoding: "utf8" }).trimEnd();
    const bare = join(user, "gh/remote.git");
    git("clone", "-q", "--bare", stage.repo, bare);
    git("config", "--global", `url.${bare}.insteadOf`, REMOTE);
    git("remote", "add", "origin", REMOTE);
    for (const word of wishes.words ?? []) stage.say(word);
    wishes.before?.(user, stage);
    await stage.person("list");
    // The next one is started with what we say.
    while (processesOf(stage).some(({ kind }) => kind === "supervisor"))
      await new Promise((go) => setTimeout(go, 20));
    const command = (...argv: readonly string[]): ReturnType<typeof type> => type(life, argv);
    const log = { SIGNALBOX_FAILPOINT_LOG: join(stage.ledger, "failpoints") };
    const argv = [
      "run",
      "completion",
      "A life",
      "--detach",
      ...(wishes.params ?? []).flatMap((each) => ["--param", each]),
    ];
    const begun = await type(life, argv, { ...log, ...wishes.env });
    if (begun.code !== 0) throw new Error(JSON.stringify(begun));
    await play({ stage, run: String(begun.document["run"]), git, user, command });
  });
}

const readings = ({ events }: Now, name: string): unknown[] =>
  events.flatMap(({ event }) =>
    event.type === "artifact-read" && event.reading.artifact === name ? [event.reading.fields] : [],
  );

const isOver = ({ state, isIdle }: Now): boolean => state === "done" && isIdle;

/** The file that shows how it ended, wherever it is now. */
function shown({ stage, run }: Play): unknown {
  const file = join(stage.home.root, "runs", run, "files/.agents/4.3-completion.json");
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as unknown) : file;
}

describe.runIf(isPerson).concurrent("completion", () => {
  test("committed, pushed and opened, and the files of the run tell so", async ({ expect }) => {
    await inCompletion(async (on) => {
      const { stage, run, git, user } = on;
      const now = await stage.until(run, isOver);
      const commit = git("rev-parse", `signalbox/${run}`);
      expect(readings(now, "commit")).toEqual([{ commit, made: true }]);
      const url = "https://forge.example/o/n/pull/1";
      expect(readings(now, "opened")).toEqual([{ url, commit }]);
      expect(shown(on)).toEqual({ state: "done", commit, made: true, pullRequest: url, why: null });
      expect(git("show", "--format=%an|%B", "--name-only", commit)).toBe(
        `Life|Do it\n\n${LONG}\n\nSignalbox-Run: ${run}\n\n\nnotes/private.txt\nwork.txt`,
      );
      expect(pullRequests(user)).toMatchObject([
        {
          headRefOid: commit,
          title: "--title $(touch pwned)",
          body: `All of it.\n${LONG}`,
          baseRefName: "main",
        },
      ]);
      expect(readFileSync(join(user, "told"), "utf8")).toBe(`${run} done A life: done\n`);
      expect(now.workspace).toMatchObject({ status: "released", salvage: "" });
      expect(git("status", "--porcelain")).toBe("");
      expect((await on.command("verify", run)).code).toBe(0);
      // What was said of the work before it was committed counts afterwards.
      const { document } = await on.command("show", run);
      const artifacts = document["artifacts"] as { artifact: string; standing: string }[];
      expect(artifacts.find(({ artifact }) => artifact === "tests")?.standing).toBe("pass");
    });
  });

  test.for<[string, Wishes, string]>(
    sampled(1, [
      ["nobody is logged in", { before: (user) => setMood(user, "logged-out") }, "gh is not logged in"],
      [
        "there is no remote",
        { before: (_, { repo }) => void execFileSync("git", ["remote", "remove", "origin"], { cwd: repo }) },
        "the project has no remote",
      ],
    ]),
  )("%s: the run goes on, and the reason is kept", async ([, wishes, reason], { expect }) => {
    await inCompletion(async (on) => {
      const now = await on.stage.until(on.run, isOver);
      expect(readings(now, "unopened")).toHaveLength(1);
      expect(JSON.stringify(readings(now, "unopened"))).toContain(`{"reason":"${reason}`);
      expect(readings(now, "opened")).toEqual([]);
      expect(shown(on)).toMatchObject({ state: "done", made: true, pullRequest: null });
      expect(JSON.stringify(shown(on))).toContain(`"why":"${reason}`);
      expect(now.notes.map(({ text }) => text)).toContainEqual(
        expect.stringContaining(`there is no pull request: ${reason}`),
      );
    }, wishes);
  });

  test("a network that is away for a moment is tried again", async ({ expect }) => {
    await inCompletion(
      async ({ stage, run, user }) => {
        await stage.until(run, ({ deeds }) =>
          deeds.some(({ status, note }) => status === "pending" && note.includes("error connecting")),
        );
        setMood(user, "");
        const now = await stage.until(run, isOver);
        expect(readings(now, "opened")).toHaveLength(1);
        expect(now.attention).toBe("");
      },
      { before: (user) => setMood(user, "offline") },
    );
  });

  test("the work changes after the gate: nothing is committed until it is put back", async ({ expect }) => {
    await inCompletion(
      async ({ stage, run, git, user, command }) => {
        const { workspace } = await stage.until(run, (now) => now.workspace !== undefined);
        // It may not commit by a name that is not known: so it stands still between the gate and the commit.
        git("config", "--unset", "user.name");
        stage.say("go");
        const stuck = await stage.until(run, ({ attention }) => attention !== "");
        expect(stuck.state).toBe("committing");
        expect(stuck.attention).toContain("git config --global user.name");
        git("config", "user.name", "Life");
        const file = join(workspace?.path ?? "", "work.txt");
        writeFileSync(file, "something else\n");
        expect((await command("resume", run)).code).toBe(0);
        const again = await stage.until(run, ({ attention }) => attention.includes("work"));
        expect(again.attention).toContain(
          `The work of ${run} has changed since the gate before its commit: nothing is committed`,
        );
        // The branch has the handover of the gate, and nothing of what came after it.
        const handedOver = git("rev-parse", `signalbox/${run}`);
        expect(git("show", `${handedOver}:work.txt`)).toBe("done");
        writeFileSync(file, "done\n");
        expect((await command("resume", run)).code).toBe(0);
        await stage.until(run, isOver);
        expect(git("rev-parse", `signalbox/${run}`)).not.toBe(handedOver);
        expect(git("rev-list", "--count", `signalbox/${run}`)).toBe("2");
        expect(pullRequests(user)).toHaveLength(1);
      },
      { words: ["hold"] },
    );
  });

  test("left out by a parameter, and no pull request where none is wanted", async ({ expect }) => {
    await inCompletion(
      async ({ stage, run, git, user }) => {
        const now = await stage.until(run, isOver);
        expect(git("show", "--format=", "--name-only", `signalbox/${run}`)).toBe("work.txt");
        // What was left out of the commit is kept when the workspace is released.
        const mirror = mirrorOf(stage.home, stage.repo);
        expect(git(`--git-dir=${mirror}`, "show", `${now.workspace?.salvage ?? ""}:notes/private.txt`)).toBe(
          "mine",
        );
        expect(ghCalls(user)).toEqual([]);
      },
      { params: ["git=commit", "exclude=notes/\n*.bak"] },
    );
  });

  test("ordered by the last move of all: committed before the workspace is given back", async ({
    expect,
  }) => {
    await inCompletion(
      async ({ stage, run, git }) => {
        const now = await stage.until(run, isOver);
        expect(git("show", "--format=", "--name-only", `signalbox/${run}`)).toBe(
          "notes/private.txt\nwork.txt",
        );
        expect(now).toMatchObject({ attention: "", workspace: { status: "released", salvage: "" } });
      },
      { params: ["git=at-the-end"] },
    );
  });

  const PLACES = ["commit.after-ref", "pull-request.after-push", "pull-request.after-create"];
  const MORE = ["commit.before-ref", "pull-request.before-push", "pull-request.before-create"];

  test.for(IS_DEEP ? [...PLACES, ...MORE] : PLACES.slice(0, 1))(
    "the supervisor is killed at %s",
    async (place, { expect }) => {
      await inCompletion(
        async ({ stage, run, git, user }) => {
          for (let n = 0; !isOver(await stage.now(run)); n += 1) {
            expect(n).toBeLessThan(200);
            await lookIn(stage);
            await new Promise((go) => setTimeout(go, 100));
          }
          expect(git("rev-list", "--count", `signalbox/${run}`)).toBe("2");
          expect(pullRequests(user)).toHaveLength(1);
          // A test that never gets there proves nothing.
          expect(stage.said("failpoints")).toBe(place);
        },
        { env: { SIGNALBOX_SUPERVISOR_FAILPOINT: place }, params: ["exclude=notes/"] },
      );
    },
  );
});
