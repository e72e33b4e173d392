/** Work is tagged as a person has asked: as it was looked at, once, and never over what is there. */
import { afterAll, expect, test } from "vitest";
import { completionBy } from "../../src/adapters/gh/completion.ts";
import { apart, put, removeSites, sh, site, type Site } from "../support/git.ts";
import { sampled } from "../support/sampled.ts";

afterAll(removeSites, 60_000);

type Wish = Parameters<ReturnType<typeof completionBy>["tag"]>[0];

/** A branch with a commit, as it was looked at. */
async function branch(
  name = "v1.0",
): Promise<{ readonly of: Site; readonly path: string; readonly wish: Wish }> {
  const of = site();
  const work = { run: "r1", repo: of.repo, branch: "work", base: of.base, artifacts: ["TASK.md"] };
  const { path } = await of.workspaces.prepare(work);
  put(path, { "a.txt": "changed\n", "TASK.md": "an artifact\n" });
  const looked = { run: "r1", repo: of.repo, path, artifacts: ["TASK.md"] };
  const tree = await of.workspaces.digest(path, looked.artifacts);
  await completionBy(of).commit({ ...looked, tree, exclude: "", message: "Do it" });
  const wish = { run: "r1", repo: of.repo, tree, name, message: "Do it\n\n# All of it.\n" };
  return { of, path, wish };
}

const tags = ({ repo, env }: Site): string => sh(repo, env, ["tag", "--list"]);

test("with a message, by the person's name; done again, it is found", async () => {
  const { of, wish } = await branch();
  const commit = sh(of.repo, of.env, ["rev-parse", "work"]);
  const tagged = { type: "tagged", tag: "v1.0", commit };
  expect(await completionBy(of).tag(wish)).toEqual(tagged);
  const format = "--format=%(objecttype) %(*objectname) %(taggername)%0a%(contents)";
  const shown = `tag ${commit} A\nDo it\n\n# All of it.\n\nSignalbox-Run: r1`;
  expect(sh(of.repo, of.env, ["for-each-ref", format, "refs/tags"]).trim()).toBe(shown);
  expect(await completionBy(of).tag(wish)).toEqual(tagged);
  expect([tags(of), sh(of.repo, of.env, ["rev-parse", "work"])]).toEqual(["v1.0", commit]);
});

test.for(sampled(1, ["tag.before-ref", "tag.after-ref"]))(
  "killed at %s and done again: there is one",
  async (place) => {
    const { of, wish } = await branch();
    expect(await apart(of, { do: "tag", with: wish }, place)).toMatchObject({ signal: "SIGKILL" });
    expect(await completionBy(of).tag(wish)).toMatchObject({ type: "tagged" });
    expect(tags(of)).toBe("v1.0");
  },
);

test("what is there, in the way or no name is refused, and stays as it is", async () => {
  const { of, wish } = await branch();
  sh(of.repo, of.env, ["tag", "light", "work"]);
  sh(of.repo, of.env, ["tag", "-a", "-m", "Mine", "mine", of.base]);
  const before = sh(of.repo, of.env, ["show-ref", "--tags"]);
  const said = async (name: string): Promise<string> => {
    const answer = await completionBy(of).tag({ ...wish, name });
    return answer.type === "refused" ? answer.reason : answer.type;
  };
  expect([
    await said("light"),
    await said("mine"),
    await said("mine/1"),
    await said("-d"),
    await said("a..b"),
  ]).toEqual([
    "there is a tag light already",
    "there is a tag mine already",
    "git cannot have the tag mine/1 beside the tag mine",
    '"-d" cannot be the name of a tag',
    '"a..b" cannot be the name of a tag',
  ]);
  expect(sh(of.repo, of.env, ["show-ref", "--tags"])).toBe(before);
});

test("what passed the gate is tagged, whatever the branch and the workspace have by now", async () => {
  const { of, path, wish } = await branch();
  const commit = sh(of.repo, of.env, ["rev-parse", "work"]);
  put(path, { "a.txt": "more\n" });
  sh(path, of.env, ["commit", "-qam", "More"]);
  sh(of.repo, of.env, ["update-ref", "refs/heads/work", of.base]);
  expect(await completionBy(of).tag(wish)).toMatchObject({ commit });
  expect(sh(of.repo, of.env, ["show", "v1.0:a.txt"])).toBe("changed");
});

test("work without a commit is not tagged", async () => {
  const { of, wish } = await branch();
  await expect(completionBy(of).tag({ ...wish, tree: "1".repeat(40) })).rejects.toThrow(
    "r1 has no commit of the work that passed its gate",
  );
  expect(tags(of)).toBe("");
});

test("a tag that shows other content than what passed the gate is no success", async () => {
  const { of, wish } = await branch();
  const commit = sh(of.repo, of.env, ["rev-parse", "work"]);
  sh(of.repo, of.env, ["replace", commit, of.base]);
  await expect(completionBy(of).tag(wish)).rejects.toMatchObject({ code: "not-delivered", exit: 1 });
});
