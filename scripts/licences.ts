/** Licences of the packages that a bundle contains, as one text: it ships with the bundle. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const PACKAGE = /^(?<folder>.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//;

/** `modules` are the files of the bundle. */
export function licencesOf(modules: readonly string[]): string {
  const folders = new Set(modules.flatMap((file) => PACKAGE.exec(file)?.groups?.["folder"] ?? []));
  return [...folders]
    .toSorted()
    .map(licenceIn)
    .join(`\n${"-".repeat(80)}\n\n`);
}

function licenceIn(folder: string): string {
  const about: unknown = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const field = (name: string): string => {
    const value: unknown = typeof about === "object" && about !== null ? Reflect.get(about, name) : undefined;
    return typeof value === "string" ? value : "";
  };
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
  const text =
    file === undefined ? `Licence: ${field("license")}\n` : readFileSync(join(folder, file), "utf8");
  return `${field("name")} ${field("version")}\n\n${text}`;
}
