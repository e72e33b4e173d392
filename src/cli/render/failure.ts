/** A failure as people see it. */

import type { Failure } from "../../app/failure.ts";
import { sayNext } from "../acted.ts";

export function sayFailure({ message, next, stack }: Failure): string {
  return `signalbox: ${message}\n${stack}${sayNext(next)}`;
}
