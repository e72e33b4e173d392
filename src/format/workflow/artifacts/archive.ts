/** Builds the rules of `perform archive`: looks up every name, and rejects targets that would be moved away or overwritten. */

import { closest } from "../../../core/text/closest.ts";
import type { Artifact } from "../../../core/model/artifact.ts";
import type { Archive, Definition } from "../../../core/model/workflow.ts";
import type { Build } from "../build/builder.ts";
import { isDoubtful, report, requireName, type BuildContext } from "../build/context.ts";
import { objectionToTexts } from "./fields.ts";
import { checkFile } from "./paths.ts";
import { listsOf } from "../rules/relations.ts";
import type { ArchiveFile } from "../schema/artifacts.ts";

type ArchiveKey = keyof ArchiveFile;

export function buildArchive(build: Build, file: ArchiveFile): Archive {
  const { context } = build;
  for (const key of ["from", "into"] as const) {
    checkFile(context, file[key], { path: ["archive", key], isEach: true });
    if (!file[key].includes("{slot}"))
      bad(context, key, `there is one file for each member: "${key}" needs {slot}`);
  }
  checkFile(context, file.folder, { path: ["archive", "folder"], isEach: false });
  checkFile(context, file.to, { path: ["archive", "to"], isEach: false, isDated: true });
  if (file.log !== undefined) checkFile(context, file.log, { path: ["archive", "log"], isEach: false });
  for (const key of ["into", "log", "to"] as const)
    if (`${file[key] ?? ""}/`.startsWith(`${file.folder}/`))
      bad(context, key, `it is in ${file.folder}, which is moved away`);
  const each = split(file.each);
  const [artifact, list] = each;
  if (known(build, "each", artifact)) checkList(build, artifact, list);
  const log = logOf(build, file);
  const { from, into, folder, to } = file;
  return { each: { artifact, list }, from, into, folder, to, ...(log === undefined ? {} : { log }) };
}

/**
 * Reports `perform archive` without rules, and rules without `perform archive`. The run must also have artifacts for the
 * results of both effects.
 */
export function checkArchive({ context, file, named }: Build, { artifacts }: Definition): void {
  const deeds = named.filter(
    ({ kind, name }) => kind === "deed" && (name === "archive" || name === "note-base"),
  );
  if (file.archive === undefined) {
    for (const { name, path } of deeds)
      report(context, context.placeOf(path), {
        code: "bad-action",
        message: `nothing says what is archived: perform ${name} needs "archive" at the top of the file`,
      });
    return;
  }
  if (!deeds.some(({ name }) => name === "archive"))
    report(context, context.keyPlaceOf(["archive"]), {
      code: "unused",
      message: `no action is "perform archive"`,
    });
  for (const fact of ["base-noted", "archived"])
    if (!Object.values(artifacts).some(({ reader }) => reader.type === "fact" && reader.fact === fact))
      report(context, context.keyPlaceOf(["archive"]), {
        code: "bad-archive",
        message: `an archive needs an artifact { fact: ${fact} }, so that the run learns the result`,
      });
}

function logOf(build: Build, { log, entry }: ArchiveFile): Archive["log"] {
  if (log === undefined && entry === undefined) return undefined;
  if (log === undefined || entry === undefined) {
    const [has, needs] = log === undefined ? (["entry", "log"] as const) : (["log", "entry"] as const);
    bad(build.context, has, `"${has}" is nothing without "${needs}"`);
    return undefined;
  }
  const [artifact, name] = split(entry);
  const source = known(build, "entry", artifact);
  const objection = source === undefined ? undefined : objectionTo(source, name);
  if (objection !== undefined) bad(build.context, "entry", `${artifact} has no text "${name}": ${objection}`);
  return { file: log, artifact, name };
}

function objectionTo(source: Artifact, name: string): string | undefined {
  const { reader } = source;
  if (source.each !== undefined || reader.type !== "document") return objectionToTexts(source, [name]);
  const front = reader.front?.shape;
  const isField = front?.type === "object" && front.required[name]?.type === "text";
  return isField || reader.headings.includes(name)
    ? undefined
    : `"${name}" must be one of the headings of its "document"`;
}

function known(build: Build, key: ArchiveKey, artifact: string): Artifact | undefined {
  const { context, declared } = build;
  const path = ["archive", key];
  if (!requireName(context, { kind: "artifact", name: artifact, path })) return undefined;
  return isDoubtful(context, artifact) ? undefined : declared.artifacts[artifact];
}

function checkList({ context, declared }: Build, artifact: string, list: string): void {
  const source = declared.artifacts[artifact];
  const lists = source === undefined ? [] : listsOf(source);
  if (lists.includes(list)) return;
  report(context, context.placeOf(["archive", "each"]), {
    code: "unknown-list",
    message: `${artifact} has no list "${list}"`,
    suggestion: closest(list, lists),
  });
}

function split(text: string): readonly [string, string] {
  const dot = text.lastIndexOf(".");
  return [text.slice(0, Math.max(dot, 0)), text.slice(dot + 1)];
}

function bad(context: BuildContext, key: ArchiveKey, message: string): void {
  report(context, context.placeOf(["archive", key]), { code: "bad-archive", message });
}
