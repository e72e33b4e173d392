/**
 * Everything that a worker works with: as on one machine, with clones of remotes in the place of people's repositories, and with
 * handovers that another machine can go on from.
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Works } from "../../engine/box.ts";
import type { Process, Processes } from "../../engine/ports/process.ts";
import type { Workspaces } from "../../engine/ports/files.ts";
import type { Store } from "../../engine/ports/store.ts";
import { sha256 } from "../../format/sha256.ts";
import type { Git } from "../git/workspace/bench.ts";
import { benchAt } from "../git/workspace/bench.ts";
import type { TrustStore } from "../trust/trust.ts";
import type { Ears } from "../sandbox/ears.ts";
import { openWorks } from "../works/open.ts";
import type { Cluster } from "./cluster.ts";
import { Repositories } from "./repositories.ts";
import { filesAt, isBelow, writeMissing } from "./run-files.ts";
import { checkOutSeen, fetchRun, forgetRun, pushRun, pushSeen } from "./run-refs.ts";

type WorkerWorks = {
  readonly git: Git;
  readonly store: Store;
  readonly cluster: Cluster;
  readonly log: (line: string) => void;
  readonly ring: () => void;
  readonly ears: Ears;
};

export function openWorkerWorks(on: WorkerWorks): Works {
  const { git, store, cluster, log, ring, ears } = on;
  const { home } = git;
  const repositories = new Repositories(git, store);
  const here = openWorks(home, trustingRemotes(store, repositories), { log, ring, ears });
  const at = (repo: string): string => repositories.at(repo);
  const { workspaces, branches, completion, merges } = here;
  return {
    ...here,
    store,
    workspaces: remoteWorkspaces({ git, store, cluster, repositories, workspaces }),
    branches: {
      ...branches,
      rename: (of) => branches.rename({ ...of, repo: at(of.repo) }),
      checkout: (repo, artifacts) => branches.checkout(at(repo), artifacts),
      baseOf: async (of) => branches.baseOf({ ...of, repo: await repositories.fresh(of.repo), remote: "" }),
    },
    completion: {
      commit: (of) => completion.commit({ ...of, repo: at(of.repo) }),
      open: (of) => completion.open({ ...of, repo: at(of.repo) }),
      tag: (of) => completion.tag({ ...of, repo: at(of.repo) }),
    },
    merges: {
      news: (all) => {
        const keys = new Map(all.map((work) => [work.run, work]));
        return merges
          .news(all.map((work) => ({ ...work, repo: at(work.repo) })))
          .flatMap((work) => keys.get(work.run) ?? []);
      },
      landing: (of) => merges.landing({ ...of, repo: at(of.repo) }),
      remember: (of) => merges.remember({ ...of, repo: at(of.repo) }),
    },
    processes: processesBelow(home.root, {
      ...here.processes,
      launch: ({ cell, ...launch }) =>
        here.processes.launch(
          cell === undefined ? launch : { ...launch, cell: { ...cell, repo: at(cell.repo) } },
        ),
    }),
    settings: async (repo) => here.settings(await repositories.ensure(repo)),
    pins: { ...here.pins, entries: async (repo) => here.pins.entries(await repositories.ensure(repo)) },
    library: async (name, repo) => here.library(name, await repositories.ensure(repo)),
    cache: (repo) => here.cache(at(repo)),
  };
}

/** People trust a repository by the path of their checkout; the content is what is compared. */
function trustingRemotes(store: Store, repositories: Repositories): Store & TrustStore {
  return {
    ...store,
    async checkoutOf(clone) {
      const project = (await store.projects()).find(({ repo }) => repositories.at(repo) === clone);
      return project?.repo ?? clone;
    },
  };
}

type RemoteSite = {
  readonly git: Git;
  readonly store: Store;
  readonly cluster: Cluster;
  readonly repositories: Repositories;
  readonly workspaces: Workspaces;
};

function remoteWorkspaces({ git, store, cluster, repositories, workspaces }: RemoteSite): Workspaces {
  const at = (repo: string): string => repositories.at(repo);
  const isHere = (path: string): boolean => isBelow(git.home.root, path);
  /** What was last kept of each workspace. */
  const kept = new Map<string, string>();
  /** An event is about to name this work: if the machine is lost after that, another one must find it. */
  const keep = async (path: string, of: { readonly tree: string; readonly artifacts: readonly string[] }) => {
    const run = benchAt(git, path)?.run ?? "";
    const row = run === "" ? undefined : await store.workspace(run);
    if (row === undefined || row.path !== path) return;
    const files = filesAt(path, of.artifacts);
    const now = JSON.stringify([of.tree, files.map((file) => [file.path, sha256(file.bytes)])]);
    if (kept.get(path) === now) return;
    const remote = await repositories.remote(row.repo);
    if (remote !== "") await pushSeen(git, { run, repo: at(row.repo), remote, tree: of.tree });
    await cluster.putFiles(run, files);
    kept.set(path, now);
  };
  return {
    ...workspaces,
    async prepare(of) {
      const repo = await repositories.fresh(of.repo);
      const remote = await repositories.remote(of.repo);
      if (remote !== "") await fetchRun(git, { run: of.run, repo, remote });
      const isNew = !existsSync(join(git.home.workspaces, of.run));
      const made = await workspaces.prepare({ ...of, repo });
      const bench = benchAt(git, made.path);
      if (isNew && bench !== undefined) await checkOutSeen(git, bench);
      writeMissing(made.path, await cluster.files(of.run));
      return made;
    },
    async digest(path, artifacts) {
      const tree = await workspaces.digest(path, artifacts);
      await keep(path, { tree, artifacts });
      return tree;
    },
    requireDeliverable: (of) => workspaces.requireDeliverable({ ...of, repo: at(of.repo) }),
    async snapshot(of) {
      const repo = at(of.repo);
      const { commit, notes } = await workspaces.snapshot({ ...of, repo });
      const remote = await repositories.remote(of.repo);
      const branch = benchAt(git, of.path)?.branch.replace("refs/heads/", "") ?? "";
      const more =
        remote === "" || branch === "" || of.isGuest === true
          ? []
          : await pushRun(git, { run: of.run, repo, remote, branch, commit });
      await cluster.putFiles(of.run, filesAt(of.path, of.artifacts));
      return { commit, notes: [...notes, ...more] };
    },
    judge: (of) => workspaces.judge({ ...of, repo: at(of.repo) }),
    discard: async (of, tell) => (isHere(of.at) ? workspaces.discard(of, tell) : undefined),
    async release(of) {
      const repo = await repositories.ensure(of.repo);
      // What is left on another machine stays there.
      const released = isHere(of.path)
        ? await workspaces.release({ ...of, repo })
        : { salvage: "", kept: "" };
      const remote = await repositories.remote(of.repo);
      if (remote !== "") await forgetRun(git, { run: of.run, repo, remote });
      return released;
    },
  };
}

/** A job of another machine is lost, and nothing that it did counts. */
function processesBelow(root: string, processes: Processes): Processes {
  const lost: Process = { type: "lost", infrastructure: true };
  const isHere = (dir: string): boolean => isBelow(root, dir);
  return {
    ...processes,
    probe: (dir) => (isHere(dir) ? processes.probe(dir) : lost),
    kill: (job) => (isHere(job.dir) ? processes.kill(job) : Promise.resolve(lost)),
    rotate: (dir) => (isHere(dir) ? processes.rotate(dir) : undefined),
    tell: (job, text) => (isHere(job.dir) ? processes.tell(job, text) : Promise.resolve("gone")),
  };
}
