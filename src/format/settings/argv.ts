/**
 * Command lines with placeholders, as in the settings.
 *
 * Arguments are filled one by one and never pass through a shell, so that no value can become two arguments or a command.
 */

export const PLACEHOLDERS = [
  "prompt",
  "workspace",
  "run",
  "role",
  "access",
  "model",
  "effort",
  "session",
] as const;
export type Placeholder = (typeof PLACEHOLDERS)[number];

export type Values = Readonly<Partial<Record<Placeholder, string>>>;

const PLACEHOLDER = /\{([a-z]+)\}/g;

/**
 * An argument with a placeholder without a value is left out. Unless it starts with `-` itself, the option directly before it is
 * left out as well: `--model {model}`, `--model={model}` and `-c model={model}` all disappear as a whole.
 */
export function fillArgv(argv: readonly string[], values: Values): string[] {
  const filled: string[] = [];
  for (const argument of argv) {
    if (placeholdersIn(argument).some((name) => (values[name] ?? "") === "")) {
      if (!argument.startsWith("-") && filled.length > 1 && filled.at(-1)?.startsWith("-") === true)
        filled.pop();
    } else {
      filled.push(
        argument.replaceAll(PLACEHOLDER, (text, name: string) => {
          const known = PLACEHOLDERS.find((placeholder) => placeholder === name);
          return known === undefined ? text : (values[known] ?? "");
        }),
      );
    }
  }
  return filled;
}

export function placeholdersIn(argument: string): readonly Placeholder[] {
  const names = wordsInBraces(argument);
  return PLACEHOLDERS.filter((placeholder) => names.includes(placeholder));
}

/** Every `{word}`, also those that are not placeholders and stay unchanged. */
export function wordsInBraces(argument: string): readonly string[] {
  return [...argument.matchAll(PLACEHOLDER)].map((match) => match[1] ?? "");
}

/** Files that a command of the settings names, such as a script: with a placeholder it would be what a run or an agent says. */
export function filesNamed(command: readonly string[]): readonly string[] {
  return command
    .filter((argument) => placeholdersIn(argument).length === 0)
    .map((argument) => argument.replace(/^-[^=]*=/, ""))
    .filter((argument) => argument.startsWith("/"));
}
