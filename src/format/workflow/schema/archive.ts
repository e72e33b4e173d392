/** The grammar of the rules for `perform archive`. */

import * as z from "zod/mini";
import { File, Text, told } from "./primitives.ts";

export const Archive = z.strictObject({
  each: told(Text, "The list whose members are put in place, as artifact.list"),
  from: told(File, "The new text of a member; {slot} is the member"),
  into: told(File, "Where it goes; {slot} is the member"),
  log: z.optional(told(File, "A Markdown file that gets an entry with the date, below its heading")),
  entry: z.optional(
    told(Text, "With log: the text of the entry, as artifact.heading of a document or artifact.field"),
  ),
  folder: told(File, "The folder that is moved away when everything is in place"),
  to: told(File, "The target folder, which must not exist yet; {date} is the day, as in 20260131"),
});

export type ArchiveFile = z.infer<typeof Archive>;
