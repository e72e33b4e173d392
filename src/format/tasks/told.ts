/** The instructions of a task for its agent. */

import { cutValue } from "../reading/finding.ts";

const TEXT_MAX = 2000;
const INSTRUCTIONS = /^[ \t]*(?:[-*+][ \t]+)?(\*{1,2}|_{1,2}|`?)Instructions(?::\1|\1[ \t]*:)(?=\s|$)/im;

/** The text after `Instructions:`, or the whole text. */
export function instructionsIn(text: string): string {
  const label = INSTRUCTIONS.exec(text);
  const rest = label === null ? text : text.slice(label.index + label[0].length);
  return cutValue(rest.trim(), TEXT_MAX);
}
