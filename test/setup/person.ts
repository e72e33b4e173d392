/** Says once for all why tests that act as a person are left out. */

import { whyNoPerson } from "../support/person.ts";

export function setup(): void {
  const why = whyNoPerson();
  if (why !== undefined) console.log(`Skipped: tests that act as a person, for here nobody is one: ${why}`);
}
