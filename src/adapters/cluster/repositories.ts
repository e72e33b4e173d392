/**
 * Repositories of projects on a worker: clones of the remotes that the projects name.
 *
 * A project is known by the path of the checkout in which a person added it. On a worker nobody has that checkout; the clone takes its
 * place. A project without a remote works only where its checkout is.
 */

import { existsSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Store } from "../../engine/ports/store.ts";
import { sha256 } from "../../format/sha256.ts";
import { tryGit, type GitCall } from "../git/call/call.ts";
import { withoutPassword } from "../git/repository/base.ts";
import { defaultBranchOf } from "../git/repository/branches.ts";
import type { Git } from "../git/workspace/bench.ts";
import { makeFolder } from "../home/folders.ts";
import { UserError } from "../user-error.ts";

const CLONE_MS = 30 * 60_000;

export class Repositories {
  readonly #on: Git;
  readonly #store: Pick<Store, "projectAt">;
  /** What is under way for a project: one thing at a time. */
  readonly #busy = new Map<string, Promise<unknown>>();

  constructor(on: Git, store: Pick<Store, "projectAt">) {
    this.#on = on;
    this.#store = store;
  }

  /** Where the repository is on this machine, as far as is known. */
  at(repo: string): string {
    const clone = this.#clonePath(repo);
    return existsSync(clone) ? clone : repo;
  }

  /** Creates the clone where it is missing. */
  async ensure(repo: string): Promise<string> {
    if (!existsSync(this.#clonePath(repo))) await this.#alone(repo, () => this.#clone(repo));
    return this.at(repo);
  }

  /** The same, as the remote has it now. */
  async fresh(repo: string): Promise<string> {
    await this.ensure(repo);
    await this.#alone(repo, () => this.#update(repo));
    return this.at(repo);
  }

  async remote(repo: string): Promise<string> {
    return (await this.#store.projectAt(repo))?.remote ?? "";
  }

  #clonePath(repo: string): string {
    return join(this.#on.home.root, "repositories", sha256(repo).slice(0, 32));
  }

  async #clone(repo: string): Promise<void> {
    const path = this.#clonePath(repo);
    const remote = await this.remote(repo);
    if (existsSync(path) || (remote === "" && existsSync(repo))) return;
    if (remote === "")
      throw new UserError(
        "no-remote",
        `The project at ${repo} names no remote, and this machine does not have its repository.`,
        "signalbox project update --remote URL",
      );
    makeFolder(dirname(path));
    const half = `${path}.new`;
    rmSync(half, { recursive: true, force: true });
    await this.#call(remote, {
      cwd: dirname(path),
      args: ["clone", "--quiet", "--template=", "--", remote, half],
    });
    renameSync(half, path);
  }

  async #update(repo: string): Promise<void> {
    const path = this.#clonePath(repo);
    if (!existsSync(path)) return;
    const remote = await this.remote(repo);
    const gitDir = join(path, ".git");
    const call = { cwd: path, gitDir, workTree: path };
    const refs = "+refs/heads/*:refs/remotes/origin/*";
    await this.#call(remote, {
      ...call,
      args: ["fetch", "--quiet", "--prune", "--tags", "--", remote, refs],
    });
    const branch = defaultBranchOf(path, (await this.#store.projectAt(repo))?.defaultBranch ?? "");
    if (branch === undefined) return;
    // Nobody works in this checkout: settings and workflows of the repository are read from it.
    const target = `refs/remotes/origin/${branch}`;
    if (
      (await tryGit(this.#on.env, { ...call, args: ["rev-parse", "--verify", "--quiet", target] })).code !== 0
    )
      return;
    await this.#call(remote, { ...call, args: ["checkout", "--quiet", "--force", "-B", branch, target] });
  }

  async #call(remote: string, call: GitCall): Promise<void> {
    const { code, err } = await tryGit(this.#on.env, { ...call, limitMs: CLONE_MS, isFetch: true });
    if (code === 0) return;
    throw new Error(`${withoutPassword(remote)} cannot be reached: ${withoutPassword(err.trim())}`);
  }

  #alone<T>(repo: string, work: () => Promise<T>): Promise<T> {
    const done = (this.#busy.get(repo) ?? Promise.resolve()).then(work);
    const settled = done.catch(() => undefined);
    this.#busy.set(repo, settled);
    return done;
  }
}
