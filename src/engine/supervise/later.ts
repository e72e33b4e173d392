/** A deed that cannot be done yet. This is no failure: it is tried again after a while. */
export class Later extends Error {
  override readonly name = "Later";
  readonly waitMs: number;

  constructor(message: string, waitMs = 500) {
    super(message);
    this.waitMs = waitMs;
  }
}

/** A deed that a person must help: its run needs attention, and shows `next`. */
export function needsPerson(message: string, next: string): Error {
  return Object.assign(new Error(message), { next });
}
