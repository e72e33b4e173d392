/** Repositories that work is done in, and the queue of runs that have not begun. */

export type ProjectRow = {
  /** Real path of the repository's main working tree: one project for each. */
  readonly repo: string;
  /** Path-safe, and no other project's. */
  readonly name: string;
  /** The branch that work begins from and is merged into. */
  readonly defaultBranch: string;
  /** At most so many agents of this project work at the same time. */
  readonly agents: number;
  /** Where the default branch is fetched from, as a person had it when the project was made; empty for nowhere. */
  readonly remote: string;
};

/** Somebody in the queue, with what can be told at a glance. */
export type QueueRow = {
  readonly run: string;
  readonly repo: string;
  /** How often the run has moved: whoever has looked at it need not look again before this changes. */
  readonly entry: number;
  /** How much has happened to it: what it was refused for may be over when this changes. */
  readonly seq: number;
  /** Something that it depends on is not done, or a person has halted it. */
  readonly isHeld: boolean;
  /** It was its turn, and it did not go. Undefined where something has happened to it since. */
  readonly refusal: Refusal | undefined;
};

/** Why somebody did not go when it was its turn, how often by now, and when it is tried again. */
export type Refusal = { readonly message: string; readonly tries: number; readonly dueAt: number };

/**
 * Projects and their queues.
 *
 * Contract: a run in the queue is started when an agent more may work and everything that it depends on is done, the first one first.
 */
export type Projects = {
  projects(): Promise<readonly ProjectRow[]>;
  projectAt(repo: string): Promise<ProjectRow | undefined>;
  projectNamed(name: string): Promise<ProjectRow | undefined>;
  /** In the order in which they came. */
  queued(repo?: string): Promise<readonly { readonly run: string; readonly repo: string }[]>;
  /** The same, with what can be told at a glance. One read, and next to nothing where the queue is empty. */
  line(): Promise<readonly QueueRow[]>;
  depends(run: string): Promise<readonly string[]>;
  dependents(run: string): Promise<readonly string[]>;
};
